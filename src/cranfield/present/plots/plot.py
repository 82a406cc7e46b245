"""Plots: a Vega-Lite specification with its data table, and how it is rendered and saved.

Decided here: which plots there are, and of which results (`@plot_of`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import pyarrow as pa

from cranfield.errors import BadSetting
from cranfield.frozen import cached_property, frozen
from cranfield.present.formats import html, script_literal
from cranfield.present.formats import in_html as escaped
from cranfield.present.plots.data import Sketch
from cranfield.present.plots.theme import COLOURS, Theme, configuration
from cranfield.present.plots.vega import Chart, alt, vl_convert, without_checks
from cranfield.present.table import Column, Table, row, visible
from cranfield.results import writing as atomic_files
from cranfield.results.writing import comma_separated, save
from cranfield.text import counted

# A plot as a self-contained HTML page with its data table, and the scripts that draw it


MOST_ROWS = 1_000
REST = "{} plotted; save the plot as .csv to get all rows"

_NO_CACHE = (OSError, UnicodeError, RuntimeError)  # no cache folder, not writable, or no home folder

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<div id="plot"></div>
<details>
<summary>Data</summary>
{table}</details>
</main>
<script>{scripts}</script>
<script>
const spec = {spec};
const themes = {themes};
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const shown = {{svg: true, png: true}};
const draw = () => vegaEmbed("#plot", spec, {{
  config: themes[dark.matches ? "dark" : "light"],
  renderer: "svg",
  actions: {{export: shown, source: false, compiled: false, editor: false}},
}});
dark.addEventListener("change", draw);
draw();
</script>
</body>
</html>
"""

_STYLE = """\
body {{ margin: 2rem; font: 15px/1.5 system-ui, sans-serif; background: {light.paper}; color: {light.ink}; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .1rem .6rem; text-align: left; border-bottom: 1px solid {light.faint}; }}
summary {{ cursor: pointer; margin-top: 1rem; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: {dark.paper}; color: {dark.ink}; }}
  th, td {{ border-color: {dark.faint}; }}
}}
"""


def page(title: str, spec: dict[str, Any], data: pa.Table) -> str:
    """The HTML page of a plot."""
    return _PAGE.format(
        title=escaped(title),
        style=_STYLE.format(light=COLOURS["light"], dark=COLOURS["dark"]),
        table=html(first_rows(data, MOST_ROWS, rest=REST)),
        scripts=scripts(),
        spec=script_literal(spec),
        themes=script_literal({"light": configuration("light"), "dark": configuration("dark")}),
    )


def first_rows(data: pa.Table, most: int, *, digits: int | None = None, rest: str = "and {}") -> Table:
    """The first rows of a plot's table and the number of the others."""
    columns = tuple(
        Column(field.name, not pa.types.is_string(field.type), digits if pa.types.is_floating(field.type) else None)
        for field in data.schema
    )
    first = data.slice(0, most)
    rows = tuple(row(*values) for values in zip(*(column.to_pylist() for column in first.columns), strict=True))
    more = data.num_rows - first.num_rows
    return Table(columns, rows, notes=(rest.format(counted(more, "more row")),) if more > 0 else ())


@cache
def scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script for a page.

    Bundling takes more than a second, longer than anything else in a plot, so the script is stored in the user's cache
    folder if possible.
    """
    with suppress(*_NO_CACHE):
        return _cache_file().read_text(encoding="utf-8")
    bundle = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace("</script", "<\\/script")
    with suppress(*_NO_CACHE):
        _cache_file().parent.mkdir(parents=True, exist_ok=True)
        save(_cache_file(), bundle)
    return bundle


def _cache_file() -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "cranfield" / f"vega-{version('vl-convert-python')}.js"


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
