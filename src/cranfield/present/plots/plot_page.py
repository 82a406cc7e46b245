"""A plot as a self-contained HTML page with its data table, and the scripts that draw it."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from cranfield.present.html import escaped, html, script_literal
from cranfield.present.plots.theme import COLOURS, configuration
from cranfield.present.plots.vega import vl_convert
from cranfield.present.table import Column, Table, row
from cranfield.results.atomic_files import save
from cranfield.text import counted

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
