"""Every kind of table is drawn by every renderer as it was before, and written for programs as it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from cranfield import classify
from cranfield.advice.measures import card, known_as
from cranfield.agreement import tables as agreement
from cranfield.classification import tables as classification
from cranfield.classification.result import Classification
from cranfield.comparison import tables as comparison
from cranfield.comparison.tables import leaderboard
from cranfield.present.table import Table
from cranfield.present.values import by_query, overview
from cranfield.regression import tables as regression
from kernel.present.test_renderers import RENDERERS
from plot.gallery import ACTUAL, SCORES, judges, prices, result

Golden = Callable[[str, str], None]

DIGITS = 4


@cache
def mail() -> Classification:
    """Twenty items scored."""
    actual = ["spam" if yes else "ham" for yes in ACTUAL]
    measures = ["Accuracy", "Precision", "Recall", "AUC"]
    return classify(actual, score=SCORES, positive="spam", threshold=0.54, measures=measures)


KINDS: dict[str, Callable[[], list[Table]]] = {
    "results": lambda: [overview(result()), by_query(result())],
    "leaderboard": lambda: [leaderboard(result(), comparison=result().compare(test="tukey", level=0.2))],
    "leaderboard-baseline": lambda: [leaderboard(result(), comparison=result().compare("poor", level=0.2))],
    "comparison": lambda: [comparison.differences(result().compare(), DIGITS)],
    "agreement": lambda: [*agreement.tables(judges(), digits=DIGITS)],
    "classification": lambda: [*classification.tables(mail())],
    "regression": lambda: [*regression.tables(prices())],
    "measure": lambda: [card(known_as("RR")[0])],
}
PROGRAMS: dict[str, Callable[[], str]] = {
    "results.csv": lambda: result().to_csv(digits=DIGITS),
    "results-queries.csv": lambda: result().to_csv(per_query=True, digits=DIGITS),
    "results.json": lambda: result().to_json(),
    "comparison.csv": lambda: result().compare().to_csv(),
    "comparison.json": lambda: result().compare().to_json(),
    "agreement.csv": lambda: judges().to_csv(),
    "agreement.json": lambda: judges().to_json(),
    "classification.json": lambda: mail().to_json(digits=DIGITS),
    "regression.json": lambda: prices().to_json(digits=DIGITS),
}


@pytest.mark.parametrize("ending", [name for name in RENDERERS if "narrow" not in name])
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_table_is_drawn_as_before(kind: str, ending: str, golden: Golden) -> None:
    golden(f"kinds/{kind}-{ending}", "\n".join(map(RENDERERS[ending], KINDS[kind]())))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_programs_read_is_as_before(name: str, golden: Golden) -> None:
    golden(f"kinds/{name}", steady(name, PROGRAMS[name]()))


def steady(name: str, text: str) -> str:
    """The text with figures that no machine computes otherwise, and without the versions of what computed them."""
    if name.endswith("json"):
        content = rounded(json.loads(text))
        for part in (content, *content.values()) if isinstance(content, dict) else ():
            if isinstance(part, dict):
                part.pop("versions", None)
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    lines = (",".join(_rounded_text(field) for field in line.split(",")) for line in text.splitlines())
    return "\n".join(lines) + "\n"


def rounded(content: Any) -> Any:
    """The same with six decimals."""
    if isinstance(content, dict):
        return {name: rounded(value) for name, value in content.items()}
    if isinstance(content, list):
        return [*map(rounded, content)]
    return round(content, 6) if isinstance(content, float) else content


def _rounded_text(field: str) -> str:
    try:
        return f"{float(field):.6g}" if "." in field else field
    except ValueError:
        return field


def test_the_best_is_bold_and_what_differs_has_superscripts_in_latex() -> None:
    drawn = RENDERERS["latex.tex"](KINDS["leaderboard"]()[0])
    assert r"\textbf{" in drawn
    assert r"\textsuperscript{C}" in drawn
    assert r"\toprule" in drawn
