"""A plot as a page that opens without a network: the picture, and its table for whoever wants the figures."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from cranfield.present.html import escaped, html
from cranfield.present.plots.scripts import scripts
from cranfield.present.plots.theme import COLOURS, configuration
from cranfield.present.table import Column, Table, row

MOST_ROWS = 1_000
REST = "{:,} more rows are in the picture; saved as .csv, the plot gives them all"

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
<summary>The data</summary>
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
    """The page."""
    return _PAGE.format(
        title=escaped(title),
        style=_STYLE.format(light=COLOURS["light"], dark=COLOURS["dark"]),
        table=html(first_rows(data, MOST_ROWS, rest=REST)),
        scripts=scripts(),
        spec=_script(spec),
        themes=_script({"light": configuration("light"), "dark": configuration("dark")}),
    )


def _script(content: dict[str, Any]) -> str:
    """The content as a literal of JavaScript that no text in it can end."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def first_rows(data: pa.Table, most: int, *, digits: int | None = None, rest: str = "and {:,} more rows") -> Table:
    """The first rows of a plot's table, and how many more there are; fractions have so many digits."""
    columns = tuple(
        Column(
            field.name,
            numeric=not pa.types.is_string(field.type),
            digits=digits if pa.types.is_floating(field.type) else None,
        )
        for field in data.schema
    )
    first = data.slice(0, most)
    rows = tuple(row(*values) for values in zip(*(column.to_pylist() for column in first.columns), strict=True))
    more = data.num_rows - first.num_rows
    return Table(columns, rows, notes=(rest.format(more),) if more > 0 else ())
