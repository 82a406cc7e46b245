"""Plots can be read by anyone: colours, dashes and shapes, and names that do not lie on each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield import plot
from cranfield.classification.classify import classify
from cranfield.evidence.thresholds import thresholds
from cranfield.present.plots.drawing import LETTER, ROOM, cycled, roomy, spread, uncrowded
from cranfield.present.plots.plot import WIDEST
from cranfield.present.plots.theme import COLOURS, DASHES, SHAPES, Theme
from plot.gallery import ACTUAL, SCORES, gallery, scorers

themes = pytest.mark.parametrize("theme", ["light", "dark", "print"])

# what a person without one kind of cones sees of red, green and blue light (Viénot, Brettel and Mollon, 1999)
SEEN = {
    "all cones": np.eye(3),
    "no long cones": np.array([[0.1124, 0.8876, 0.0], [0.1124, 0.8876, 0.0], [0.004, -0.004, 1.0]]),
    "no middle cones": np.array([[0.2928, 0.7072, 0.0], [0.2928, 0.7072, 0.0], [-0.0223, 0.0223, 1.0]]),
}


def light(colour: str) -> np.ndarray:
    """How much red, green and blue light a colour sends."""
    value = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The ratio of how bright two colours are, as accessibility guidelines have it."""
    low, high = sorted(float(light(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(value: np.ndarray) -> np.ndarray:
    """Light on scales on which equal steps look equal."""
    mixed = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ value
    x, y, z = np.cbrt(mixed / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@themes
def test_text_stands_out_from_the_page(theme: Theme) -> None:
    colours = COLOURS[theme]
    assert contrast(colours.ink, colours.paper) >= 7
    assert contrast(colours.soft, colours.paper) >= 4.5


@themes
def test_lines_stand_out_from_the_page(theme: Theme) -> None:
    colours = COLOURS[theme]
    assert all(contrast(colour, colours.paper) >= 3 for colour in (*colours.series, colours.good, colours.bad))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eye", SEEN)
def test_any_two_of_the_first_colours_can_be_told_apart_by_any_eye(theme: Theme, eye: str) -> None:
    seen = [lab(np.clip(SEEN[eye] @ light(colour), 0, 1)) for colour in COLOURS[theme].series[:5]]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 10


@themes
def test_right_and_wrong_differ_in_brightness_too(theme: Theme) -> None:
    assert contrast(COLOURS[theme].good, COLOURS[theme].bad) > 1.3


@themes
def test_shades_go_one_way_from_the_page_to_the_ink(theme: Theme) -> None:
    brightness = [float(light(colour) @ [0.2126, 0.7152, 0.0722]) for colour in COLOURS[theme].ramp]
    assert brightness in (sorted(brightness), sorted(brightness, reverse=True))
    assert contrast(COLOURS[theme].ramp[-1], COLOURS[theme].paper) > contrast(
        COLOURS[theme].ramp[0], COLOURS[theme].paper
    )


def test_forty_systems_have_forty_pairs_of_colour_and_dashes() -> None:
    colours = [place % len(COLOURS["light"].series) for place in range(40)]
    assert len(set(zip(colours, map(str, cycled(DASHES, 40)), strict=True))) == 40
    assert len(set(zip(colours, cycled(SHAPES, 40), strict=True))) == 40


heights = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(np.array)


@given(heights)
def test_names_are_spread_in_their_order_and_within_the_frame(place: np.ndarray) -> None:
    moved = spread(place, 0.05, 0, 1)
    order = np.argsort(place, kind="stable")
    assert (np.diff(moved[order]) >= 0.05 - 1e-9).all()
    assert moved.min() >= -1e-9
    assert moved.max() <= 1 + 1e-9


def test_names_far_apart_stay_where_they_are() -> None:
    assert spread(np.array([0.9, 0.1, 0.5]), 0.05, 0, 1) == pytest.approx([0.9, 0.1, 0.5])


def test_two_names_at_one_height_give_way_alike() -> None:
    assert spread(np.array([0.5, 0.5]), 0.1, 0, 1) == pytest.approx([0.45, 0.55])


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 300)), min_size=1, max_size=40))
def test_no_name_lies_on_another(points: list[tuple[float, float]]) -> None:
    x, y = np.array(points).T
    names = [f"query {place}" for place in range(len(points))]
    kept = uncrowded(names, x, y)
    for one, other in combinations(kept, 2):
        left, right = sorted((one, other), key=lambda place: x[place])
        assert abs(y[one] - y[other]) >= ROOM or x[left] + LETTER * len(names[left]) <= x[right]


@pytest.mark.parametrize(
    ("values", "settings", "domain"),
    [
        ([0.2, 0.7], {}, (0, 1)),
        ([0.2, 0.6], {"tight": True}, (0.18, 0.62)),
        ([2.0, 4.0], {}, (1.9, 4.1)),
        ([0.5, 1.0], {"zero": True}, (0, 1.05)),
        ([-0.5, 0.5], {"zero": True}, (-0.55, 0.55)),
        ([3.0], {}, (2.5, 3.5)),
        ([], {}, (0, 1)),
    ],
)
def test_an_axis_is_a_little_wider_than_what_it_holds(
    values: list[float], settings: dict[str, bool], domain: tuple[float, float]
) -> None:
    assert roomy(np.array(values), **settings) == pytest.approx(domain)


@pytest.mark.parametrize("draw", [plot.roc, plot.precision_recall, plot.prg, plot.det], ids=lambda draw: draw.__name__)
def test_names_of_curves_stand_below_the_frame_where_no_line_runs(draw: Callable[..., plot.Plot]) -> None:
    spec = draw(scorers()).spec
    assert [row["system"] for row in key(spec)] == ["first", "second"]
    assert min(row["at"] for row in key(spec)) > spec["height"]


def key(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The names that stand below the frame."""
    return [row for rows in spec["datasets"].values() for row in rows if "at" in row]


def test_each_of_several_thresholds_stands_beside_its_name() -> None:
    given = classify(ACTUAL, score={"first": SCORES, "second": 100 * SCORES}, goal="Informedness")
    texts = [row["text"] for row in key(plot.roc(given).spec)]
    assert texts == ["first, AUC 0.680, EER 0.400, threshold 0.54", "second, AUC 0.680, EER 0.400, threshold 54"]


def test_a_curve_that_lies_below_the_picture_is_named() -> None:
    assert plot.prg({"upside down": thresholds(ACTUAL, -SCORES)}).notes == (
        "upside down: below 0 throughout, so not visible",
    )


def test_a_long_note_is_wrapped_above_the_plot() -> None:
    plot = replace(gallery()["roc"], notes=(", ".join(f"system {n} 0.9–1.0" for n in range(40)),))
    assert max(map(len, plot.spec["title"]["subtitle"])) <= WIDEST


@pytest.mark.parametrize("name", sorted(gallery()))
def test_a_subtitle_in_a_wide_font_is_not_cut_off(name: str) -> None:
    drawn = gallery()[name]
    svg = drawn.to_svg()
    width = float(re.findall(r'<svg [^>]*?\bwidth="([0-9.]+)"', svg)[0])
    left = float(re.findall(r'transform="translate\(([0-9.]+),', svg)[0])
    longest = max(map(len, drawn.spec["title"].get("subtitle", [""])))
    assert left + 6.1 * longest <= width  # 6.1 pixels: the mean character of DejaVu Sans in these sentences
