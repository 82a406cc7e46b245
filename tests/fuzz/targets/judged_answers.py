"""Judged answers from files, through Python and the command: against the reference."""

from __future__ import annotations

import contextlib
import io
import json
import math
import tempfile
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from cranfield import evaluate_answers, examine
from cranfield.cli.main import main
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from generators.judged_answers import CITATION_COLUMNS, NUGGET_COLUMNS, JudgedAnswers, judged_answers
from reference import answers as reference

Rows = list[dict[str, str]]
Score = Callable[[Rows, Rows, str, str], Fraction | None]


def recall(importance: str, strict: bool) -> Score:
    return lambda nuggets, _, system, query: reference.nugget_recall(nuggets, system, query, importance, strict)


def precision(nuggets: Rows, _: Rows, system: str, query: str) -> Fraction | None:
    judged = reference.of_answer(nuggets, system, query)
    return reference.nugget_precision(nuggets, system, query, 100) if judged else None


def nugget_f(nuggets: Rows, citations: Rows, system: str, query: str) -> Fraction | None:
    parts = precision(nuggets, citations, system, query), recall("vital", False)(nuggets, citations, system, query)
    return None if parts[0] is None or parts[1] is None else reference.f(parts[0], parts[1], 3)


def cited(score: Callable[..., Fraction | None], strict: bool) -> Score:
    return lambda _, citations, system, query: score(citations, system, query, strict)


SCORES: dict[str, Score] = {
    "NuggetRecall": recall("all", False),
    "NuggetRecall(strict=True)": recall("all", True),
    "NuggetRecall(importance='vital')": recall("vital", False),
    "NuggetRecall(importance='vital', strict=True)": recall("vital", True),
    "NuggetRecall(importance='weighted')": recall("weighted", False),
    "NuggetPrecision": precision,
    "NuggetF": nugget_f,
    "CitationPrecision": cited(reference.citation_precision, False),
    "CitationPrecision(strict=True)": cited(reference.citation_precision, True),
    "CitationRecall": cited(reference.citation_recall, False),
    "CitationRecall(strict=True)": cited(reference.citation_recall, True),
}


@target(judged_answers, seeds=20)
def judged_answers_are_scored_as_in_the_reference(case: JudgedAnswers) -> None:
    """Every answer; an answer that was not judged scores 0, and the command prints the same aggregates."""
    assume(case.is_valid)
    nuggets = [dict(zip(NUGGET_COLUMNS, row, strict=True)) for row in case.nuggets]
    citations = [dict(zip(CITATION_COLUMNS, row, strict=True)) for row in case.citations]
    answered = {(row["system"], row["query"]) for row in [*nuggets, *citations]}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CranfieldWarning)
        paths = [Path(folder, name) for name in ("nuggets.csv", "citations.csv")]
        paths[0].write_bytes(case.nuggets_file())
        paths[1].write_bytes(case.citations_file())
        result = evaluate_answers(paths, list(SCORES))
        shown = printed(paths)
        examine(result)
    for s, system in enumerate(result.systems):
        for m, (name, score) in enumerate(SCORES.items()):
            wanted = [
                score(nuggets, citations, system, query) if (system, query) in answered else Fraction(0)
                for query in result.units
            ]
            require_same(result.values[s, m].tolist(), wanted, f"{system!r}, {name}")
            mean = sum((value or Fraction(0) for value in wanted), Fraction(0)) / len(wanted)
            aggregate = shown[system, name]
            assert math.isclose(aggregate, mean, rel_tol=1e-12, abs_tol=1e-15), f"{system!r}, {name}: {aggregate}"


def require_same(found: list[float], wanted: list[Fraction | None], what: str) -> None:
    """Refuse values that differ by more than rounding; None is undefined."""
    for value, expected in zip(found, wanted, strict=True):
        same = math.isnan(value) if expected is None else math.isclose(value, expected, rel_tol=1e-12)
        assert same, f"{what}: {found}, not {[None if one is None else float(one) for one in wanted]}"


def printed(paths: list[Path]) -> dict[tuple[str, str], float]:
    """The aggregates that the command prints, by system and measure."""
    out = io.StringIO()
    options = [*map(str, paths), *(f"-m{name}" for name in SCORES), "-f", "json", "--quiet", "--interval", "none"]
    with contextlib.redirect_stdout(out):
        assert main(["answers", *options]) == 0
    return {(row["system"], row["measure"]): row["value"] for row in json.loads(out.getvalue())["results"]}
