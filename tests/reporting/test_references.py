"""What is cited is named in full."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import get_args

from cranfield.measures.declaration import Kind, cited, references
from cranfield.measures.registry import declarations
from cranfield.reporting.report import report
from cranfield.statistics.tests import known_tests
from reporting.test_report import QRELS, RUNS

PROGRAMS = {"trec_eval"}  # whose source defines some of its measures


def test_everything_that_measures_and_tests_cite_has_a_reference() -> None:
    keys = {declared.cite for kind in get_args(Kind) for declared in declarations(kind).values()}
    keys |= {test.cite for test in known_tests().values()}
    assert {key for key in keys if not cited(key)} <= {"", *PROGRAMS}


def test_a_reference_is_complete() -> None:
    for one in references(["harman1992", "tukey1953", "nobody1900"]):
        assert all(one)
    assert (
        str(*references(["student1908"]))
        == "[student1908] Student (1908). The probable error of a mean. Biometrika 6(1), 1–25."
    )


def test_a_report_names_what_it_cites_and_has_it_for_bibtex() -> None:
    content = report(QRELS, RUNS, ["AP", "nDCG@10"]).content
    *before, last = content.methods
    used = {key for one in before for text in one.paragraphs for key in re.findall(r"\[(\w+\d{4})\]", text)}
    named = [text.split("]")[0][1:] for text in last.paragraphs]
    assert (last.heading, named) == ("References", ["harman1992", "jarvelin2002", "student1908"])
    assert used == {*named}
    (file,) = [file for file in content.downloads if file.name == "references.bib"]
    text = b64decode(file.link.partition(",")[2]).decode()
    assert text.startswith("@misc{harman1992,\n  author = {Harman, D.},\n  year = {1992},\n")
