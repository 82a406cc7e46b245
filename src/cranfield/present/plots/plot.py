"""Plots: a picture, the table that is drawn in it, and how it is written to a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.present.plots import page
from cranfield.present.plots.theme import Theme, configuration
from cranfield.present.plots.vega import Chart, alt, vl_convert
from cranfield.present.sketch import Sketch
from cranfield.present.table import visible
from cranfield.results.writing import comma_separated

DATA = "data"  # what the specification calls the table
SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json", ".csv")
UNSEEN = "\N{WORD JOINER}"
PROPERTIES = frozenset(  # of every object in JavaScript, where Vega looks names up
    {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"}
    | {"__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)


@dataclass(frozen=True, eq=False)
class Plot:
    """A picture of a table.

    `draw` gives the marks, which take their data from the table by its name; `sketch` says how a terminal shows it.
    """

    kind: str
    title: str
    data: pa.Table
    draw: Callable[[], Chart]
    sketch: Sketch
    about: str = ""  # what is drawn
    key: str = ""  # what lines and shades stand for
    notes: tuple[str, ...] = ()

    @property
    def subtitle(self) -> str:
        """What is drawn and what the marks stand for."""
        return "; ".join(text for text in (self.about, self.key) if text)

    def titled(self, title: str) -> Plot:
        """The same plot under another title."""
        return replace(self, title=title)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The plot in Vega-Lite, without a theme."""
        spec = _drawable(self.draw().to_dict())
        spec.pop("config", None)
        said = [text for text in (self.subtitle, *self.notes) if text]
        title: dict[str, Any] = {"text": visible(self.title)} | ({"subtitle": [*map(visible, said)]} if said else {})
        own = {"title": title, "description": visible(". ".join([self.title, *said]))}
        return spec | own | {"datasets": spec.get("datasets", {}) | {DATA: rows(self.data)}}

    def themed(self, theme: Theme = "light") -> dict[str, Any]:
        """The plot in Vega-Lite, with a theme."""
        return self.spec | {"config": configuration(theme)}

    @property
    def chart(self) -> Any:
        """The plot as a chart of Altair, to change it further."""
        return alt.Chart.from_dict(self.themed())

    def to_svg(self, *, theme: Theme = "light") -> str:
        """The picture as SVG."""
        return str(vl_convert.vegalite_to_svg(self.themed(theme)))

    def to_png(self, *, theme: Theme = "light", scale: float = 2) -> bytes:
        """The picture as PNG, with so many dots to a pixel."""
        return bytes(vl_convert.vegalite_to_png(self.themed(theme), scale=scale))

    def to_pdf(self, *, theme: Theme = "light") -> bytes:
        """The picture as PDF."""
        return bytes(vl_convert.vegalite_to_pdf(self.themed(theme)))

    def to_html(self) -> str:
        """A page with the picture and its table that needs nothing else, and is dark where the reader likes it dark."""
        return page.page(self.title, self.spec, self.data)

    def to_json(self, *, theme: Theme = "light") -> str:
        """The specification in Vega-Lite, the data within."""
        return json.dumps(self.themed(theme), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """The table that is drawn."""
        columns = (column.to_pylist() for column in self.data.columns)
        return comma_separated(self.data.column_names, zip(*columns, strict=True))

    def save(self, path: str | Path, *, theme: Theme = "light") -> None:
        """Write the picture, or its data, as the name of the file says."""
        suffix = require_suffix(path)
        if suffix == ".png":
            Path(path).write_bytes(self.to_png(theme=theme))
        elif suffix == ".pdf":
            Path(path).write_bytes(self.to_pdf(theme=theme))
        else:
            text = {
                ".svg": lambda: self.to_svg(theme=theme),
                ".html": self.to_html,
                ".json": lambda: self.to_json(theme=theme),
                ".csv": self.to_csv,
            }[suffix]()
            Path(path).write_text(text, encoding="utf-8")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: interactive where they know Vega-Lite, a picture elsewhere; nothing is loaded from outside."""
        major = self.spec["$schema"].rpartition("/v")[2].partition(".")[0]
        return {
            f"application/vnd.vegalite.v{major}+json": self.themed(),
            "image/svg+xml": self.to_svg(),
            "text/plain": repr(self),
        }

    def _repr_html_(self) -> str:
        return f"<figure>{self.to_svg()}</figure>"

    def __repr__(self) -> str:
        return f"Plot({self.kind!r}, {self.title!r}, {self.data.num_rows} rows)"


def _drawable(content: Any) -> Any:
    """The content, names that Vega would mistake for parts of every object followed by a sign that is not seen."""
    if isinstance(content, str):
        return content + UNSEEN if content in PROPERTIES else content
    if isinstance(content, dict):
        return {key: _drawable(value) for key, value in content.items()}
    return [*map(_drawable, content)] if isinstance(content, list) else content


def require_suffix(path: str | Path) -> str:
    """The ending of a file's name, which must be one that says what to write."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise BadSetting(f"{path}: the name of the file must end in one of {', '.join(SUFFIXES)}")
    return suffix


def rows(table: pa.Table) -> list[dict[str, Any]]:
    """A dict a row, ready for JSON: a number that is not finite is None, and what does not print is written out."""
    columns = {name: [*map(_plain, table[name].to_pylist())] for name in table.column_names}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _drawable(visible(value))
    return None if isinstance(value, float) and not np.isfinite(value) else value
