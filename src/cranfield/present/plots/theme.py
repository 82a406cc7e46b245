"""Themes: light, dark, and black and white for print.

A theme is a Vega-Lite configuration. Plots do not specify colours: series use the theme's palette, other marks a
named style. The same specification therefore works with every theme, and a page can switch themes.

Decided here: which colours systems and grades have.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from cranfield.frozen import frozen

Theme = Literal["light", "dark", "print"]

# series also differ in dash pattern and shape, so plots are readable without colour
DASHES = [[1, 0], [6, 3], [2, 2], [10, 3, 2, 3], [12, 4], [4, 2, 1, 2, 1, 2], [1, 3]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]

# these three fonts have the same metrics, so text has the same width everywhere
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"


@frozen
class Colours:
    """The colours of a theme."""

    paper: str
    ink: str
    soft: str  # for secondary text
    faint: str  # for grids and guides
    good: str
    bad: str
    series: tuple[str, ...]
    ramp: tuple[str, ...]  # from low to high
    diverging: tuple[str, ...]


# the colour-blind safe palette of Okabe and Ito (2008); colours too light for a white background are darkened
COLOURS: Mapping[Theme, Colours] = MappingProxyType(
    {
        "light": Colours(
            paper="#ffffff",
            ink="#14181f",
            soft="#626c7a",
            faint="#c5cbd3",
            good="#0072b2",
            bad="#d55e00",
            series=("#0072b2", "#d55e00", "#009e73", "#bc5f93", "#14181f", "#8a6100", "#3f8fc4"),
            ramp=("#eef3f8", "#c3d9ea", "#8dbbdb", "#4f97c7", "#1f6fa8", "#0b4a7a"),
            diverging=("#b04a00", "#ec9a5d", "#f3f3f3", "#7fb6d8", "#0b5c94"),
        ),
        "dark": Colours(
            paper="#12151a",
            ink="#eceff3",
            soft="#98a2b0",
            faint="#444d59",
            good="#56b4e9",
            bad="#d55e00",
            series=("#56b4e9", "#e69f00", "#1fbf92", "#d98ab5", "#eceff3", "#f0e442", "#f0713c"),
            ramp=("#20262f", "#1f4766", "#2b6d9b", "#4a97c9", "#85c3e8", "#d3ecfa"),
            diverging=("#ffa765", "#a35a22", "#2a2d33", "#2f6f98", "#7cc5f0"),
        ),
        "print": Colours(
            paper="#ffffff",
            ink="#000000",
            soft="#444444",
            faint="#cccccc",
            good="#777777",
            bad="#111111",
            series=("#000000", "#6e6e6e", "#333333", "#8c8c8c", "#1a1a1a", "#555555", "#7d7d7d"),
            ramp=("#f7f7f7", "#d9d9d9", "#b5b5b5", "#8a8a8a", "#5c5c5c", "#2b2b2b"),
            diverging=("#111111", "#777777", "#f5f5f5", "#bbbbbb", "#555555"),
        ),
    }
)


def configuration(theme: Theme) -> dict[str, Any]:
    """The theme as a Vega-Lite configuration."""
    colours = COLOURS[theme]
    return {
        "background": colours.paper,
        "font": FONT,
        "view": {"stroke": None},
        "title": _title(colours),
        "axis": _axis(colours),
        "header": {"labelColor": colours.ink, "titleColor": colours.soft, "labelFontSize": 12, "labelFontWeight": 600},
        "legend": {"labelColor": colours.ink, "titleColor": colours.soft, "symbolSize": 80, "gradientLength": 120},
        "range": _ranges(colours),
        "line": {"strokeWidth": 2, "strokeJoin": "round", "strokeCap": "butt"},
        "point": {"filled": True, "size": 55, "opacity": 1},
        "text": {"fontSize": 11, "color": colours.ink},
        "boxplot": _boxes(colours),
        "style": _styles(colours),
    }


def _ranges(colours: Colours) -> dict[str, Any]:
    ramp = list(colours.ramp)
    scales = {"category": list(colours.series), "diverging": list(colours.diverging), "symbol": SHAPES}
    return scales | {"ramp": ramp, "heatmap": ramp, "ordinal": ramp}


def _boxes(colours: Colours) -> dict[str, Any]:
    return {
        "box": {"fill": None, "stroke": colours.ink, "strokeWidth": 1.2},
        "median": {"color": colours.ink, "thickness": 2.5},
        "rule": {"color": colours.ink},
        "ticks": {"color": colours.ink, "size": 8},
        "outliers": {"color": colours.good, "size": 10, "opacity": 0.6},
    }


def _title(colours: Colours) -> dict[str, Any]:
    return {
        "anchor": "start",
        "frame": "group",
        "fontSize": 14,
        "color": colours.ink,
        "subtitleColor": colours.soft,
        "subtitleFontSize": 11.5,
        "offset": 14,
        "subtitlePadding": 5,
    }


def _axis(colours: Colours) -> dict[str, Any]:
    return {
        "labelColor": colours.ink,
        "titleColor": colours.ink,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 11,
        "domainColor": colours.soft,
        "tickColor": colours.soft,
        "gridColor": colours.faint,
        "gridOpacity": 0.5,
        "tickCount": 6,
    }


def _styles(colours: Colours) -> dict[str, Any]:
    """The look of marks by purpose; plots refer to these names."""
    return {
        "isoline": {"color": colours.faint, "strokeWidth": 1.2},
        "isoline-name": {"color": colours.soft, "fontSize": 10, "fontStyle": "italic"},
        "reference": {"color": colours.soft, "strokeWidth": 1.2, "strokeDash": [4, 3]},
        "ink": {"color": colours.ink},
        "outline": {"color": colours.ink, "filled": False, "strokeWidth": 1.2},
        "hollow": {"color": colours.paper, "stroke": colours.ink, "strokeWidth": 1.5},
        "soft": {"color": colours.soft},
        "good": {"color": colours.good},
        "bad": {"color": colours.bad},
        "empty": {"color": colours.paper, "stroke": colours.faint},
        "label": {"color": colours.ink, "fontSize": 11},
        "halo": {"color": colours.paper, "stroke": colours.paper, "strokeWidth": 4, "fontSize": 11},
        "aside": {"color": colours.soft, "fontSize": 10.5},
        "inverse": {"color": colours.paper, "fontSize": 11},
    }
