"""Plots on a terminal, without Altair."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

import pyarrow as pa
import pytest
from rich.console import Console

from cranfield.present.plots.data import Bars, Cells, Lines
from cranfield.present.plots.terminal import drawn, printed
from plot.gallery import gallery

Golden = Callable[[str, str], None]


def shown(name: str, width: int = 72, color: bool = False) -> str:
    text = io.StringIO()
    system = "standard" if color else None
    printed(
        gallery()[name],
        Console(file=text, width=width, force_terminal=color, color_system=system, legacy_windows=False),
    )
    return text.getvalue()


@pytest.mark.parametrize("name", list(gallery()))
def test_a_terminal_shows_the_plot_as_before(name: str, golden: Golden) -> None:
    golden(f"plots/{name}.txt", shown(name))


@pytest.mark.parametrize("name", ["roc", "differences", "strips", "confusion", "systems"])
@pytest.mark.parametrize("width", [40, 72, 140])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    body = shown(name, width).split("\n\n")[1]
    assert max(map(len, body.splitlines())) <= width


@pytest.mark.parametrize("width", [40, 72])
def test_no_line_with_long_names_is_wider_than_the_terminal(width: int) -> None:
    names = [f"a-very-long-name-of-the-kind-that-people-use-{place}" for place in range(2)]
    table = {"name": names, "x": [0.0, 1.0], "y": [1.0, 2.0]}
    for sketch in (Bars(("name",), "y"), Lines("x", "y", by="name")):
        assert max(map(len, texts(sketch, table, width))) <= width


def test_only_stretches_of_a_line_are_joined() -> None:
    table = {"name": ["a"] * 5, "x": [0.0, 0.2, 0.5, 0.8, 1.0], "y": [0.0] * 5, "part": [0.0, 0.0, None, 1.0, 1.0]}
    (row,) = [line for line in texts(Lines("x", "y", by="name", stretch="part"), table, 44) if line.startswith("0 ┤")]
    assert row.replace("●", "x").split() == ["0", "┤" + "x" * 9, "x", "x" * 9]


def test_points_stand_out_from_their_line_and_the_diagonal_is_named() -> None:
    table = {"name": ["a", "a"], "x": [0.0, 1.0], "y": [0.0, 0.0]}
    lines = texts(Lines("x", "y", by="name", points=True, diagonal="equal"), table, 44)
    (row,) = [line for line in lines if line.startswith("0 ┤")]
    assert (row.count("●"), row.count("·")) == (2, 41 - 2)
    assert sum("╱" in line for line in lines) == 16  # 15 rows above, and the legend: the first is covered by a point
    assert lines[-1] == "╱ equal"


def test_axes_are_named_in_words_and_rates_are_rates() -> None:
    assert "mean predicted probability" in shown("calibration")
    assert "false negative rate" in shown("det")
    assert " %" in shown("det")
    assert "deviate" not in shown("det")
    assert "_" not in shown("prg").split("●")[0]


def test_the_threshold_stands_between_the_scores() -> None:
    lines = shown("distributions").splitlines()
    assert sum("┊" in line for line in lines) > 10
    assert "┊ threshold" in lines


def test_altair_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "●" in shown("roc")


def test_colours_are_only_for_terminals_that_have_them() -> None:
    assert "\x1b[" not in shown("roc")
    assert "\x1b[" in shown("roc", color=True)


def texts(sketch: Bars | Lines | Cells, table: dict[str, list[object]], width: int = 30) -> list[str]:
    return [line.plain.rstrip() for line in drawn(sketch, pa.table(table), width)]


def test_a_bar_below_zero_goes_to_the_left() -> None:
    bars = texts(Bars(("name",), "value", digits=1), {"name": ["a", "b"], "value": [1.0, -1.0]}, 31)
    assert bars[0].split("█")[0].count(" ") == 1 + bars[1].count("█")
    assert bars[1].startswith("b █")


def test_a_bar_shows_eighths() -> None:
    bars = texts(Bars(("name",), "value"), {"name": ["a", "b"], "value": [1.0, 1 / 160]}, 30)
    assert bars == ["a ████████████████████ 1.0000", "b ▏                    0.0063"]


def test_what_is_undefined_has_no_bar() -> None:
    assert texts(Bars(("name",), "value"), {"name": ["a", "b"], "value": [1.0, None]})[1].split() == ["b", "–"]


def test_many_bars_are_cut_and_counted() -> None:
    many = texts(Bars(("name",), "value"), {"name": [str(n) for n in range(99)], "value": [1.0] * 99})
    assert len(many) == 61
    assert many[-1] == "… and 39 more"


def test_a_cell_nobody_judged_has_a_dot_and_columns_that_do_not_fit_are_counted() -> None:
    table = {"system": ["s"] * 9, "rank": list(range(1, 10)), "grade": [1.0, None, 0.0, *[1.0] * 6]}
    lines = texts(Cells(("system",), "rank", "grade", "grade"), table, 14)
    assert lines == ["   1  2  3  4", "s █1  ·  0 █1", "… and 5 more columns"]


def test_long_names_that_differ_at_their_end_can_be_told_apart() -> None:
    names = [f"a system whose name is rather long, number {number}" for number in (1, 2)]
    lines = texts(Bars(("system",), "value"), {"system": names, "value": [1.0, 0.5]}, width=80)
    assert ["number 1" in lines[0], "number 2" in lines[1]] == [True, True]


def test_the_eighth_line_has_another_colour_than_the_first() -> None:
    table = {
        "system": [f"s{n}" for n in range(8)],
        "x": [float(n) for n in range(8)],
        "y": [float(n) for n in range(8)],
    }
    *_, first, _, _, _, _, _, _, eighth = drawn(Lines("x", "y", by="system"), pa.table(table), 60)
    assert first.plain[0] == eighth.plain[0]
    assert first.spans != eighth.spans
