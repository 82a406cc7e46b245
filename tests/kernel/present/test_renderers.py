"""Every renderer draws the same two tables as it did before."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from cranfield.present.formats import aligned, html, latex, markdown
from cranfield.present.table import Column, Table, numbers, row
from cranfield.present.terminal import printed
from kernel.present.samples import ALONE, SYSTEMS

Golden = Callable[[str, str], None]


def terminal(table: Table, *, width: int, color: bool) -> str:
    text = io.StringIO()
    console = Console(
        file=text, width=width, force_terminal=True, color_system="standard" if color else None, legacy_windows=False
    )
    printed(table, console)
    return text.getvalue()


RENDERERS: dict[str, Callable[[Table], str]] = {
    "plain.txt": aligned,
    "markdown.md": markdown,
    "latex.tex": latex,
    "html.html": html,
    "terminal.ansi": lambda table: terminal(table, width=100, color=True),
    "terminal-narrow.txt": lambda table: terminal(table, width=44, color=False),
}


@pytest.mark.parametrize("name", RENDERERS)
@pytest.mark.parametrize(("title", "table"), [("systems", SYSTEMS), ("alone", ALONE)], ids=["systems", "alone"])
def test_a_table_is_drawn_as_before(name: str, title: str, table: Table, golden: Golden) -> None:
    golden(f"present/{title}-{name}", RENDERERS[name](table))


def test_an_answer_alone_is_one_paragraph_in_html() -> None:
    assert html(Table((), (), lead=("It is so.",))).splitlines()[1:-1] == ["<p>It is so.</p>"]


def test_a_terminal_without_colour_gets_no_escapes() -> None:
    assert "\x1b" not in terminal(SYSTEMS, width=100, color=False)


@pytest.mark.parametrize("width", [30, 44, 60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, terminal(SYSTEMS, width=width, color=False).splitlines())) <= width


@pytest.mark.parametrize("width", [44, 60, 100])
def test_every_value_is_shown_however_narrow_the_terminal(width: int) -> None:
    drawn = terminal(SYSTEMS, width=width, color=False)
    assert all(
        value in drawn for value in ("0.2500", "0.3333", "-1.50", "1200", "0.5000 ab", "1.0000", "10.00", "0.6667")
    )


def test_plain_text_is_never_cut() -> None:
    wide = Table(columns=SYSTEMS.columns * 20, rows=tuple(cells * 20 for cells in SYSTEMS.rows))
    lines = aligned(wide).splitlines()
    assert len(lines) == 5
    assert len(lines[0]) > 1500


def test_texts_are_wrapped_before_a_table_is_split() -> None:
    columns = (Column("name"), Column("title"), *numbers("value", "low", digits=4), Column("method"))
    table = Table(columns, (row("AUC", "Area under the receiver operating curve", 0.5, 0.25, "logit"),))
    lines = terminal(table, width=52, color=False).splitlines()
    assert lines[0].split() == ["name", "title", "value", "low", "method"]
    assert lines[2].split() == ["AUC", "Area", "under", "the", "0.5000", "0.2500", "logit"]
    assert lines[3].split() == ["receiver", "operating"]


def test_a_table_of_numbers_repeats_its_first_column() -> None:
    table = Table(numbers("threshold", *"abcdefgh", digits=4), (row(*[0.5] * 9),))
    heads = [line.split() for line in terminal(table, width=50, color=False).splitlines() if "thr" in line]
    assert heads == [["threshold", *"abcde"], ["threshold", *"fgh"]]


def test_long_names_are_broken_before_a_table_is_split() -> None:
    name = "university-of-somewhere-bm25-rm3-long-title-description-narrative-00"
    table = Table((Column("system"), *numbers(*"abcde", digits=4), Column("interval")), (row(name, *[0.5] * 5, "t"),))
    lines = terminal(table, width=80, color=False).splitlines()
    assert sum("system" in line for line in lines) == 1
    assert "".join(line.split(" ")[0] for line in lines[2:]) == name


def test_long_names_of_measures_are_short_in_latex_and_explained_below() -> None:
    names = ("system", "AP", "P(rel=2)@5", "nDCG(gain={0: 0, 1: 1, 2: 3})@10", "nDCG(gain={0: 0, 1: 2, 2: 9})@10")
    columns = tuple(Column(name, numeric=name != "system") for name in names)
    head, *_, first, second, _ = latex(Table(columns, (row("bm25", 0.5, 0.4, 0.3, 0.2),))).splitlines()[2:]
    assert head == r"system & AP & P(rel=2)@5 & nDCG@10\textsuperscript{a} & nDCG@10\textsuperscript{b} \\"
    assert first == r"\textsuperscript{a} nDCG(gain=\{0: 0, 1: 1, 2: 3\})@10\par"
    assert second == r"\textsuperscript{b} nDCG(gain=\{0: 0, 1: 2, 2: 9\})@10\par"
