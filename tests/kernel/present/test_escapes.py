"""Whatever a name holds, a format reads it back as text."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cranfield.present.formats import aligned, html, latex, markdown
from cranfield.present.formats import in_latex as escaped
from cranfield.present.table import Cell, Column, Table, row, visible
from cranfield.results.writing import comma_separated, json_text, safe

names = st.text(alphabet=st.one_of(st.sampled_from("|*_`<>&\\[]~#$%^{}-='\" ax\n\x1b"), st.characters()), min_size=1)


def alone(name: str) -> Table:
    return Table(columns=(Column("name"), Column("P", numeric=True, digits=1)), rows=(row(name, 0.5),))


class Cells(HTMLParser):
    """The text of each cell of a page's tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and data != "\n":
            self.cells[-1] += data


@given(name=names)
def test_html_reads_any_name_as_text(name: str) -> None:
    assert Cells(html(alone(name))).cells == [visible(name), "0.5"]


@given(name=names)
def test_markdown_reads_any_name_as_text(name: str) -> None:
    page = MarkdownIt("commonmark").enable("table").render(markdown(alone(name)))
    assert Cells(page).cells == [visible(name).strip(), "0.5"]


@given(name=names)
def test_csv_reads_any_name_as_text(name: str) -> None:
    rows = list(csv.reader(io.StringIO(comma_separated(["name", "value"], [[name, 0.5], [name, None]]), newline="")))
    assert rows == [["name", "value"], [safe(name), "0.5"], [safe(name), ""]]
    assert safe(name).removeprefix("'") == name.removeprefix("'")


def test_json_writes_out_bytes_that_are_not_utf_8() -> None:
    assert json.loads(json_text({"a\udcff": ["b\udcff", 1.5, None]})) == {"a\\xff": ["b\\xff", 1.5, None]}


@given(name=names)
def test_latex_leaves_no_sign_that_would_act(name: str) -> None:
    harmless = r"\\text[a-z]+\{\}|\\[{}$&%#_]|\{[\[*]\}|-\{\}|\$\\(alpha|beta)\$"
    assert not re.search(r"[\\{}$&%#_^~]", re.sub(harmless, "", escaped(name)))


@given(name=names)
def test_a_name_takes_one_line_of_plain_text(name: str) -> None:
    assert len(aligned(alone(name)).split("\n")) == 4


@pytest.mark.parametrize(
    "text", ["=1+2", "+cmd", "-cmd", "@SUM(A1)", "\tx", "\rx", "--run", "-1e3", " =1+2", "\u00a0=1+2", "\n@x"]
)
def test_a_formula_gets_an_apostrophe(text: str) -> None:
    assert safe(text) == f"'{text}"


@pytest.mark.parametrize("text", ["bm25", "101", "-12", "+0.5", "a=b", ""])
def test_what_is_no_formula_is_left_alone(text: str) -> None:
    assert safe(text) == text


def test_numbers_in_csv_keep_every_digit_and_their_sign() -> None:
    assert comma_separated(["v"], [[-1 / 3], [7]]) == "v\n-0.3333333333333333\n7\n"
    assert comma_separated(["v"], [[-1 / 3], [7]], digits=2) == "v\n-0.33\n7\n"


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(-0.00001, 4, "0.0000"), (-0.5, 0, "0"), (2.0, 0, "2"), (1 / 3, None, str(1 / 3)), (None, 4, "–"), (3, 4, "3")],
)
def test_a_number_is_shown_with_its_decimals(value: float | None, digits: int | None, shown: str) -> None:
    assert Column("x", numeric=True, digits=digits).shown(value) == shown


def test_a_name_cannot_move_the_cursor() -> None:
    assert visible("a\x1b[2Jb\nc\udcff\u202e") == r"a\x1b[2Jb\nc\xff\u202e"


def test_the_typeset_table_shows_its_title_and_notes() -> None:
    table = Table((Column("system"),), (row("a"),), title="50 % of it", notes=("* below 0.05", "[alone]"))
    above, below = re.split(r"\\begin\{tabular\}.*\\end\{tabular\}", latex(table), flags=re.DOTALL)
    assert above.startswith(r"\textbf{50 \% of it}\par")
    assert [line for line in below.splitlines() if line.endswith(r"\par")] == [r"{*} below 0.05\par", r"{[}alone]\par"]


def test_latex_makes_minus_signs_of_negative_numbers_only() -> None:
    table = Table((Column("name"), Column("x", numeric=True, digits=1)), ((Cell("-a"), Cell(-1.0, best=True)),))
    assert r"-a & \textbf{$-$1.0} \\" in latex(table)
