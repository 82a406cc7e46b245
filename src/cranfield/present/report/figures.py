"""Plots as pictures within a page, in the colours of the page whether it is light, dark or printed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cranfield.present.plots.page import first_rows
from cranfield.present.plots.plot import Plot
from cranfield.present.plots.theme import COLOURS, Theme, configuration
from cranfield.present.plots.vega import vl_convert
from cranfield.present.report.downloads import Download, csv_file
from cranfield.present.table import Table, visible

SHOWN = 60  # rows of a plot's data that stand in the page; a file has the rest
KEPT = 5_000  # rows that the file of a plot may have; the values of queries are in the page anyway

HALF = 580  # pixels
LEAST = 0.85  # of its size that a picture is shrunk to: its letters must stay readable

_WIDTH = re.compile(r'<svg [^>]*?\bwidth="([0-9.]+)"')
_COLOUR = re.compile(r'"(#[0-9a-fA-F]{6})"')
_COMPUTED = re.compile(r'"rgb\([^"]*\)"')
_NAME = re.compile(r'\bid="([^"]+)"')


@dataclass(frozen=True)
class Figure:
    """A picture with what is said of it, and its data; `dark` is there if colours are not those of the page."""

    name: str
    title: str
    caption: str
    light: str
    dark: str
    data: Table
    file: Download | None

    @property
    def wide(self) -> bool:
        """Whether the picture is wider than half a page."""
        found = _WIDTH.search(self.light)
        return found is not None and float(found[1]) > HALF


def figure(name: str, plot: Plot) -> Figure:
    """The figure of a plot; the name is unique in the page. One that cannot be drawn still has its data."""
    try:
        light, dark = _drawn(name, plot)
        failed = ""
    except ValueError as error:  # as vl-convert reports what goes wrong in Vega
        light, dark = "", ""
        failed = f"This picture could not be drawn: {str(error).partition(' at ')[0]}"
    return Figure(
        name=name,
        title=visible(plot.title),
        caption=visible("; ".join(text for text in (failed, plot.subtitle, *plot.notes) if text)),
        light=light,
        dark=dark,
        data=first_rows(plot.data, SHOWN, digits=4),
        file=csv_file(f"{name}.csv", plot.title, plot.to_csv()) if plot.data.num_rows <= KEPT else None,
    )


def _drawn(name: str, plot: Plot) -> tuple[str, str]:
    """The picture on a light page and on a dark one, the latter empty where colours are those of the page."""
    light = _svg(plot, "light")
    if not _COMPUTED.search(light):
        return _placed(_of_page(light), f"{name}-l"), ""
    return _placed(light, f"{name}-l"), _placed(_svg(plot, "dark"), f"{name}-d")


def colour_names() -> dict[str, dict[Theme, str]]:
    """The variables of the style sheet that hold the colours of a plot, and what each is on a light and a dark page."""
    light, dark = COLOURS["light"], COLOURS["dark"]
    named = [(name, getattr(light, name), getattr(dark, name)) for name in _SINGLE]
    named += [(f"series-{place}", *pair) for place, pair in enumerate(zip(light.series, dark.series, strict=True))]
    return {name: {"light": one, "dark": other} for name, one, other in named}


_SINGLE = ("paper", "ink", "soft", "faint", "good", "bad")


def _svg(plot: Plot, theme: Theme) -> str:
    """The picture without its title, which the page has, and without names for its marks: it is described whole."""
    spec: dict[str, Any] = plot.spec | {"config": configuration(theme) | {"aria": False}}
    del spec["title"]
    return str(vl_convert.vegalite_to_svg(spec))


def _of_page(svg: str) -> str:
    """The picture with variables of the page for its colours."""
    known = {shades["light"]: f'"var(--{name})"' for name, shades in reversed(colour_names().items())}
    return _COLOUR.sub(lambda found: known.get(found[1].lower(), found[0]), svg)


def _placed(svg: str, prefix: str) -> str:
    """The picture ready to stand beside others: names of its own, and a size that gives way to the page, to a point."""
    for name in sorted(set(_NAME.findall(svg)), key=len, reverse=True):
        svg = svg.replace(f'id="{name}"', f'id="{prefix}-{name}"').replace(f"url(#{name})", f"url(#{prefix}-{name})")
    found = _WIDTH.search(svg)
    least = f'style="min-width: {LEAST * float(found[1]):.0f}px" ' if found else ""
    return svg.replace("<svg ", f'<svg aria-hidden="true" focusable="false" {least}', 1)
