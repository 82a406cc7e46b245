"""Plots: a Vega-Lite specification with its data table, and how it is rendered and saved.

Decided here: which plots there are, and of which results (`@plot_of`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.frozen import cached_property, frozen
from cranfield.present.plots.plot_page import page
from cranfield.present.plots.theme import Theme, configuration
from cranfield.present.plots.vega import Chart, alt, vl_convert, without_checks
from cranfield.present.sketch import Sketch
from cranfield.present.table import visible
from cranfield.results import atomic_files
from cranfield.results.writing import comma_separated
from cranfield.text import counted

DATA = "data"  # the name of the table in the specification
Function = TypeVar("Function", bound="Callable[..., Plot]")
SUFFIXES = (".svg", ".png", ".pdf", ".html", ".json", ".csv")
NARROWEST, WIDEST = 40, 90  # characters per line of the subtitle
CHARACTER = 6.2  # pixels of a character of the subtitle, in a wide font
PADDING = 5  # pixels around the plot, as in Vega
UNSEEN = "\N{WORD JOINER}"
PROPERTIES = frozenset(  # properties of every JavaScript object, which Vega would find when it looks up a name
    {"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"}
    | {"__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"}
)


@frozen(eq=False)
class Plot:
    """A plot of a data table.

    `draw` returns the marks, which refer to the table by name; `sketch` describes the plot for a terminal.
    """

    title: str
    data: pa.Table
    draw: Callable[[], Chart]
    sketch: Sketch
    about: str = ""  # the contents of the plot
    key: str = ""  # the meaning of lines and shades
    notes: tuple[str, ...] = ()
    kind: str = ""  # the name of the function that made it

    @property
    def subtitle(self) -> str:
        """The contents of the plot and the meaning of its marks."""
        return "; ".join(text for text in (self.about, self.key) if text)

    def titled(self, title: str) -> Plot:
        """The same plot with another title."""
        return replace(self, title=title)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification without a theme."""
        with without_checks():
            chart = self.draw()
        spec = _drawable(chart.to_dict(validate=False))
        spec.pop("config", None)
        width = _width(spec)
        widest = min(max(NARROWEST, int(width / CHARACTER)), WIDEST)
        texts = [line for text in (self.subtitle, *self.notes) for line in _lines(text, widest) if line]
        title: dict[str, Any] = {"text": visible(self.title)} | ({"subtitle": [*map(visible, texts)]} if texts else {})
        beyond = max(map(len, texts), default=0) * CHARACTER - width
        described = {
            "title": title,
            "padding": {"left": PADDING, "top": PADDING, "bottom": PADDING, "right": PADDING + max(0, round(beyond))},
            "description": visible(". ".join(filter(None, [self.title, self.subtitle, *self.notes]))),
        }
        return spec | described | {"datasets": spec.get("datasets", {}) | {DATA: rows(self.data)}}

    def themed(self, theme: Theme = "light") -> dict[str, Any]:
        """The Vega-Lite specification with a theme."""
        return self.spec | {"config": configuration(theme)}

    @property
    def chart(self) -> Any:
        """The plot as an Altair chart, for further changes."""
        return alt.Chart.from_dict(self.themed())

    def to_svg(self, *, theme: Theme = "light") -> str:
        """The plot as SVG."""
        return str(vl_convert.vegalite_to_svg(self.themed(theme)))

    def to_png(self, *, theme: Theme = "light", scale: float = 2) -> bytes:
        """The plot as PNG; `scale` is the number of dots per pixel."""
        return bytes(vl_convert.vegalite_to_png(self.themed(theme), scale=scale))

    def to_pdf(self, *, theme: Theme = "light") -> bytes:
        """The plot as PDF."""
        return bytes(vl_convert.vegalite_to_pdf(self.themed(theme)))

    def to_html(self) -> str:
        """A self-contained HTML page with the plot and its data, light or dark as the reader prefers."""
        return page(self.title, self.spec, self.data)

    def to_json(self, *, theme: Theme = "light") -> str:
        """The Vega-Lite specification including the data."""
        return json.dumps(self.themed(theme), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """The plotted data."""
        columns = (column.to_pylist() for column in self.data.columns)
        return comma_separated(self.data.column_names, zip(*columns, strict=True))

    def save(self, path: str | Path, *, theme: Theme = "light") -> None:
        """Write the plot or its data in the format given by the file extension."""
        themed: dict[str, Callable[..., str | bytes]] = {
            ".svg": self.to_svg,
            ".png": self.to_png,
            ".pdf": self.to_pdf,
            ".json": self.to_json,
        }
        plain = {".html": self.to_html, ".csv": self.to_csv}
        suffix = require_suffix(path)
        atomic_files.save(path, themed[suffix](theme=theme) if suffix in themed else plain[suffix]())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """For notebooks: interactive if they support Vega-Lite, otherwise an image; nothing is downloaded."""
        major = self.spec["$schema"].rpartition("/v")[2].partition(".")[0]
        return {
            f"application/vnd.vegalite.v{major}+json": self.themed(),
            "image/svg+xml": self.to_svg(),
            "text/plain": repr(self),
        }

    def _repr_html_(self) -> str:
        return f"<figure>{self.to_svg()}</figure>"

    def __repr__(self) -> str:
        return f"Plot({self.kind!r}, {self.title!r}, {counted(self.data.num_rows, 'row')})"


class Kind(NamedTuple):
    """A kind of plot: the function that makes it, and the classes of results that have it."""

    function: Callable[..., Plot]
    results: tuple[type, ...]


KINDS: dict[str, Kind] = {}


def plot_of(*results: type) -> Callable[[Function], Function]:
    """Declare a kind of plot, available as `cranfield.plot.<name>` and as a method of these results."""

    def declare(function: Function) -> Function:
        @wraps(function)
        def drawn(*args: Any, **settings: Any) -> Plot:
            return replace(function(*args, **settings), kind=function.__name__)

        KINDS[function.__name__] = Kind(drawn, results)
        return cast("Function", drawn)

    return declare


def _lines(text: str, widest: int) -> list[str]:
    """The parts of a subtitle, wrapped to the width of a plot."""
    lines = [""]
    for part in text.split("; "):
        joined = f"{lines[-1]}; {part}" if lines[-1] else part
        lines[-1:] = [joined] if len(joined) <= widest or not lines[-1] else [lines[-1], part]
    return [short for line in lines for short in wrap(line, widest)]


def _width(spec: dict[str, Any]) -> float:
    """The width of the marks in pixels, without axes and legends; a browser with wider fonts must not cut off the
    subtitle."""
    parts = [_width(part) for name in ("layer", "vconcat") for part in spec.get(name, ())]
    panels = spec.get("hconcat", spec.get("concat", ()))
    beside = sum(map(_width, panels[: spec.get("columns", len(panels))]))
    width = spec.get("width")
    alone = width if isinstance(width, int | float) else 0.0
    return max(alone, beside, *parts)


def _drawable(content: Any) -> Any:
    """The content with an invisible character after names that Vega would mistake for object properties."""
    if isinstance(content, str):
        return content + UNSEEN if content in PROPERTIES else content
    if isinstance(content, dict):
        return {key: _drawable(value) for key, value in content.items()}
    return [*map(_drawable, content)] if isinstance(content, list | tuple) else content


def require_suffix(path: str | Path) -> str:
    """The file extension, if supported."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise BadSetting(f"{path}: the file name must end in one of {', '.join(SUFFIXES)}")
    return suffix


def rows(table: pa.Table) -> list[dict[str, Any]]:
    """One dict per row, ready for JSON: numbers that are not finite become None, unprintable characters are escaped."""
    columns = {name: [*map(_plain, table[name].to_pylist())] for name in table.column_names}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _drawable(visible(value))
    return None if isinstance(value, float) and not np.isfinite(value) else value
