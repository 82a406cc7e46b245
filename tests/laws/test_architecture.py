"""What one module alone decides is said in its opening paragraph, in words that a reader would search for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "cranfield"
DECIDED = "Decided here:"

ASKED = (
    *("compression and format", "field of a line without a header", "rank or a score", "column names mean"),
    "data in memory",
    *("forked process", "counts or ratings", "total of others", "sets, or a table of 0 and 1", "class is positive"),
    *("counted in batches", "temporary files", "inputs Spark reads", "by quantiles", "text is a number"),
    *("spellings of a label", "numbers are probabilities", "document that a run repeats", "judged repeatedly"),
    *("errors name a row", "decompression bombs", "uploads may be", "measure a name means", "groups of names"),
    *("values a setting", "bins for calibration", "names look alike", "are warnings", "no effect and are refused"),
    *("confusion matrix are actual or predicted", "index of a pandas frame", "classes are averaged"),
    "outputs of a regression",
    *("CSV, JSON and data frames of a result", "undefined and infinite numbers", "run as a formula", "called good"),
    *("value becomes undefined", "weighted kappa", "engine counts", "queries count", "missing from a run"),
    *("baseline such as 0.31", "there is no test", "baseline of a measure", "top grade", "wrong way round"),
    *("two tied documents", "equal up to rounding", "threshold is best for a goal", "interval a mean has"),
    *("aggregate over queries", "value over items", "probabilities were calibrated", "chosen on the same items"),
    *("name of scikit-learn", "significance tests there are", "levels and half-widths are valid", "seeds and numbers"),
    *("adjusted together", "ability of a system", "share a tier", "passes a release gate", "no verdict"),
    *("a system is called", "lower is better", "evaluated alike", "findings replace", "tables a result has"),
    *("how many decimals", "colours systems", "how many queries", "how many items", "inclusion probabilities"),
    *("order systems are shown", "table is the best", "below the table of `eval`", "plots there are"),
    *("sections and files", "a shell completes", "output file may be written", "formats a result is delivered"),
    *("status a command ends", "saved result contains", "uploaded file goes", "database of campaigns has"),
    *("who may do what", "documents are pooled", "adaptive order", "later wave", "who judges which document"),
    *("order an assessor sees", "sign in", "answer of a language model", "several judgments", "judgment counts"),
    *("worker can compute", "computes something again", "`cranfield doctor`", "apply to runs", "document a key grades"),
    *("undo goes back", "runs or judgments are a file", "ratings are files", "classes of any input", "must be chosen"),
    *("thresholds are processed", "in the browser orders rows"),
)  # fmt: skip


def _openings() -> Iterator[tuple[Path, str]]:
    """The docstring of each module, and the comment above each script."""
    for path in SOURCE.rglob("*.py"):
        yield path, ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    for path in SOURCE.rglob("*.js"):
        lines = re.match(r"(//.*\n)*", path.read_text("utf-8"))
        yield path, re.sub(r"^// ?", "", lines[0] if lines else "", flags=re.MULTILINE)


DECISIONS = [
    (path, " ".join(paragraph.split()))
    for path, text in _openings()
    for paragraph in text.split("\n\n")
    if paragraph.startswith(DECIDED)
]


@pytest.mark.parametrize("words", ASKED)
def test_a_question_has_one_place(words: str) -> None:
    (_,) = [path for path, decision in DECISIONS if words in decision]
