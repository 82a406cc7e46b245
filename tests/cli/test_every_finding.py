"""What a reader must be warned of is said by the command with `--findings`, and not where the data are clean."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]
Rows = Iterable[tuple[object, ...]]


def sheet(heads: str, rows: Rows) -> str:
    return "\n".join([heads, *(",".join(map(str, row)) for row in rows)]) + "\n"


def answers(tp: int, fp: int, fn: int, tn: int) -> str:
    """Yes-or-no answers counted by their cells."""
    kinds = [("yes", "yes")] * tp + [("no", "yes")] * fp + [("yes", "no")] * fn + [("no", "no")] * tn
    return sheet("actual,predicted", kinds)


def scores(positive: Iterable[float], negative: Iterable[float]) -> str:
    return sheet("actual,score", [("yes", score) for score in positive] + [("no", score) for score in negative])


def run(*queries: str) -> str:
    """A ranking a query, best first, of documents named by letters; those within parentheses share a score."""
    lines = []
    for number, ranking in enumerate(queries, 1):
        score, tied = 100, False
        for letter in ranking:
            tied = letter == "(" or (tied and letter != ")")
            score -= 0 if tied and letter != "(" else 1
            if letter.isalpha():
                lines.append(f"{number} Q0 {letter} 0 {score} tag")
    return "\n".join(lines) + "\n"


def qrels(*queries: str) -> str:
    """Judged documents, those in capitals relevant; a document keeps its small name."""
    return "".join(
        f"{number} 0 {letter.lower()} {int(letter.isupper())}\n"
        for number, judged in enumerate(queries, 1)
        for letter in judged
    )


YES = ["classify", "data.csv", "--actual", "actual", "--positive", "yes"]
LABELLED = [*YES, "--predicted", "predicted"]
SCORED = [*YES, "--score", "score"]
CLASSES = ["classify", "data.csv", "--actual", "actual", "--predicted", "predicted"]
TWO = ["eval", "qrels", "old.run", "new.run", "--quiet"]
GOOD = [0.5 + place / 100 for place in range(40)]
BAD = [0.55 - place / 100 for place in range(40)]
CANCER = answers(20, 180, 10, 1820)
ALIKE = [("a|b", "a|b"), ("a", "a"), ("b", "b")] * 10  # answers with several labels, all right
BIASED = {"bias.csv": answers(90, 85, 10, 15), "lean.csv": answers(99, 60, 1, 40)}

SITUATIONS: dict[str, tuple[list[str], dict[str, str]]] = {
    "accuracy-below-constant": (LABELLED, {"data.csv": CANCER}),
    "extreme-prevalence": (LABELLED, {"data.csv": CANCER}),
    "low-precision": (LABELLED, {"data.csv": CANCER}),
    "rule-out": (LABELLED, {"data.csv": CANCER}),
    "rule-in": (LABELLED, {"data.csv": answers(180, 2, 120, 298)}),
    "one-sided": (LABELLED, {"data.csv": answers(95, 90, 5, 10)}),
    "below-diagonal": (SCORED, {"data.csv": scores(BAD[::-1][:20], GOOD)}),
    "favoured-class": (
        CLASSES,
        {"data.csv": sheet("actual,predicted", [("a", "a")] * 20 + [("b", "a")] * 15 + [("b", "b"), ("c", "c")] * 10)},
    ),
    "flattered-class": (
        [*CLASSES, "--separator", "|"],
        {"data.csv": sheet("actual,predicted", [("a|b", "a|b"), ("a", "a|c"), ("b", "b"), ("c|a", "a")] * 2 + ALIKE)},
    ),
    "few-queries": (
        [*TWO, "-m", "RR"],
        {"qrels": qrels("Ab"), "old.run": run("ab"), "new.run": run("ba")},
    ),
    "threshold-same-items": (
        [*SCORED, "--goal", "Accuracy"],
        {"data.csv": scores([100] * 100 + [*range(2, 41, 2)], [0] * 100 + [*range(1, 41, 2)])},
    ),
    "confused-classes": (
        CLASSES,
        {"data.csv": sheet("actual,predicted", [("a", "a"), ("b", "b"), ("c", "c")] * 10 + [("a", "b")] * 5)},
    ),
    "macro-micro": (
        ["eval", "qrels", "old.run", "-m", "R", "--quiet"],
        {"qrels": qrels("ABCDEFGH", "Ab", "Cd"), "old.run": run("abcdefgh", "b", "d")},
    ),
    "sparse-judgments": (
        ["eval", "qrels", "old.run", "-m", "AP", "--quiet"],
        {"qrels": qrels("AP", "BP"), "old.run": run("xyzabcdefg", "bxyzcdefgh")},
    ),
    "low-judged": (
        ["eval", "qrels", "old.run", "-m", "P@5", "--quiet"],
        {"qrels": qrels("A", "B"), "old.run": run("xyzab", "bxyzc")},
    ),
    "unjudged-order": (
        [*TWO, "-m", "P@4"],
        {"qrels": qrels("ABcd"), "old.run": run("abcd"), "new.run": run("axyc")},
    ),
    "ties-order": (
        [*TWO, "-m", "RR"],
        {"qrels": qrels("abC"), "old.run": run("acb"), "new.run": run("(abc)")},
    ),
    "not-significant": (
        [*TWO, "-m", "RR"],
        {"qrels": qrels("Ab", "Ab", "Ab"), "old.run": run("ab", "ba", "ab"), "new.run": run("ba", "ab", "ba")},
    ),
    "not-tested": (
        [*TWO, "-m", "RR"],
        {"qrels": qrels("Ab", "Ab", "Ab"), "old.run": run("ba", "ba", "ba"), "new.run": run("ab", "ab", "ab")},
    ),
    "tiny-difference": (
        [*TWO, "-m", "P@20"],
        {
            "qrels": qrels(*["ABCDEFGHIJKLMNOPQRST"] * 40),
            "old.run": run(*["abcdefghijklmnopqrst"] * 40),
            "new.run": run(*["abcdefghijklmnopqrst"] * 28 + ["abcdefghijklmnopqrs"] * 12),
        },
    ),
    "one-query": (
        ["eval", "qrels", "old.run", "-m", "RR", "--quiet"],
        {"qrels": qrels(*["abcdE"] * 5), "old.run": run(*["abcde"] * 4, "eabcd")},
    ),
    "f-beta": (
        ["eval", "qrels", "old.run", "-m", "F(beta=2)", "--quiet"],
        {"qrels": qrels("ABCde"), "old.run": run("abdexyz")},
    ),
    "precision-baseline": (
        [*SCORED, "--by", "group", "-m", "AP"],
        {
            "data.csv": sheet(
                "actual,score,group",
                [
                    ("yes" if n < share else "no", 50 - n, group)
                    for group, share in (("g", 30), ("h", 10))
                    for n in range(50)
                ],
            )
        },
    ),
    "threshold-flat": (
        [*SCORED, "--goal", "Accuracy"],
        {"data.csv": scores([100] * 100 + [*range(2, 41, 2)], [0] * 100 + [*range(1, 41, 2)])},
    ),
    "threshold-edge": ([*SCORED, "--goal", "Accuracy"], {"data.csv": scores([5] * 12, [5] * 20 + [1] * 80)}),
    "miscalibration": (
        [*YES, "--probability", "p"],
        {"data.csv": sheet("actual,p", [("yes" if n < 60 else "no", 0.8) for n in range(100)])},
    ),
    "machine-labels": (
        ["estimate", "--human", "people.csv", "--machine", "llm.csv"],
        {
            "people.csv": sheet("query,a", [(f"q{n}", n % 5 / 10) for n in range(20)]),
            "llm.csv": sheet("query,a", [(f"q{n}", 0.3 + n % 5 / 10 + n % 3 / 100) for n in range(60)]),
        },
    ),
    "kappa-prevalence": (
        ["agree", "data.csv", "--per", "all"],
        {
            "data.csv": sheet(
                "item,rater,category",
                [(item, rater, rater == "ann" or item < 17) for item in range(20) for rater in ("ann", "bob")],
            )
        },
    ),
    "worse-than-mean": (
        ["regress", "data.csv", "--actual", "actual", "--predicted", "predicted"],
        {"data.csv": sheet("actual,predicted", [(1, 3), (2, 2), (3, 1)] * 10)},
    ),
}
CLEAN: dict[str, tuple[list[str], dict[str, str]]] = {
    "answers": (LABELLED, {"data.csv": answers(45, 5, 5, 45)}),
    "scores": (SCORED, {"data.csv": scores([6, 7, 8, 9] * 5, [1, 2, 3, 4] * 5)}),
    "several labels": ([*CLASSES, "--separator", "|"], {"data.csv": sheet("actual,predicted", ALIKE)}),
    "rankings": (
        ["eval", "qrels", "old.run", "-m", "AP", "-m", "P@5", "--quiet"],
        {"qrels": qrels(*["ABCdefghij"] * 12), "old.run": run(*["abdcefghij"] * 12)},
    ),
    "values": (
        ["regress", "data.csv", "--actual", "actual", "--predicted", "predicted"],
        {"data.csv": sheet("actual,predicted", [(n, n + (-1) ** n) for n in range(60)])},
    ),
}


def found(words: list[str], files: dict[str, str], folder: Path, capsys: Capture) -> list[dict[str, str]]:
    for name, content in files.items():
        (folder / name).write_text(content)
    assert main([*words, "--findings", "-f", "json"]) == 0
    findings: list[dict[str, str]] = json.loads(capsys.readouterr().out)["findings"]
    return findings


@pytest.mark.parametrize("rule", SITUATIONS)
def test_the_command_says_it(rule: str, at_the_files: Path, capsys: Capture) -> None:
    own = [finding for finding in found(*SITUATIONS[rule], at_the_files, capsys) if finding["rule"] == rule]
    assert own
    assert any(letter.isdigit() for letter in own[0]["sentence"])


@pytest.mark.parametrize("name", CLEAN)
def test_the_command_says_nothing_of_clean_data(name: str, at_the_files: Path, capsys: Capture) -> None:
    assert found(*CLEAN[name], at_the_files, capsys) == []


@pytest.mark.parametrize("name", BIASED)
def test_a_bias_towards_one_of_two_answers_is_said(name: str, at_the_files: Path, capsys: Capture) -> None:
    own = found(LABELLED, {"data.csv": BIASED[name]}, at_the_files, capsys)
    assert "favoured-class" in [finding["rule"] for finding in own]


def test_an_inverted_scorer_is_told_of_once(at_the_files: Path, capsys: Capture) -> None:
    own = found(SCORED, {"data.csv": scores(BAD, GOOD)}, at_the_files, capsys)
    assert [finding["rule"] for finding in own] == ["below-diagonal"]
