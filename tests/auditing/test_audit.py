"""The figures of an audit, each by another road from the same labels."""

from __future__ import annotations

import json
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.api import OLS
from tools.simulations.judges import JUDGES, Judge, labelled, qrels_of, runs_of

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

DATA = labelled(np.random.default_rng(3), JUDGES["biased"], 24, 20)
PEOPLE, SECOND = qrels_of(DATA, DATA.human), qrels_of(DATA, DATA.second)
TRIALS = [qrels_of(DATA, grades) for grades in DATA.trials]
RUNS = runs_of(DATA)
LENGTHS = {
    "query": [f"q{topic}" for topic in DATA.topic],
    "document": [f"d{place}" for place in range(len(DATA.topic))],
    "length": DATA.length.tolist(),
}
AUDIT = cranfield.audit(
    {"ann": PEOPLE, "bob": SECOND}, TRIALS[0], RUNS, trials=TRIALS[1:], covariates=LENGTHS, family=["good"]
)
MEDIAN = np.minimum(DATA.human, DATA.second)  # the lower of two


def value(part: str, figure: str, audit: Any = AUDIT) -> float:
    return float(audit[part, figure].value)


def jackknife(values: list[float], whole: float, n_groups: int) -> tuple[float, float]:
    """Student's t interval whose degrees of freedom are the effective number of groups."""
    squares = (np.array(values) - np.mean(values)) ** 2
    freedom = min(max(round(squares.sum() ** 2 / (squares**2).sum()), 1), n_groups - 1)
    half = stats.t.ppf(0.975, freedom) * np.sqrt((n_groups - 1) / n_groups * squares.sum())
    return whole - half, whole + half


def test_agreement_is_that_of_other_software() -> None:
    machine = DATA.trials[0]
    assert value("agreement", "same grade") == pytest.approx(np.mean(machine == MEDIAN))
    assert value("agreement", "kappa") == pytest.approx(cohen_kappa_score(MEDIAN > 0, machine > 0))
    assert value("agreement", "weighted kappa") == pytest.approx(
        cohen_kappa_score(MEDIAN, machine, weights="quadratic")
    )
    between = cohen_kappa_score(DATA.human, DATA.second, weights="quadratic")
    assert value("agreement between people", "weighted kappa") == pytest.approx(between)
    assert value("relevant", "by people") == pytest.approx(np.mean(MEDIAN > 0))
    assert value("relevant", "by the machine") == pytest.approx(np.mean(machine > 0))


def test_leniency_is_the_mean_step_above_people_with_a_jackknife_over_topics() -> None:
    error = DATA.trials[0] - MEDIAN
    row = AUDIT["leniency", "all"]
    left_out = [error[DATA.topic != topic].mean() for topic in range(24)]
    assert (row.value, row.low, row.high) == pytest.approx((error.mean(), *jackknife(left_out, error.mean(), 24)))
    assert value("leniency", "where people say 0") == pytest.approx(error[MEDIAN == 0].mean())
    assert AUDIT["leniency", "where people say 0"].n == np.sum(MEDIAN == 0)


def test_repeatability_and_drift_are_over_all_trials() -> None:
    trials = np.array(DATA.trials)
    same = np.mean([trials[a] == trials[b] for a, b in combinations(range(3), 2)])
    assert value("repeatability", "same grade in 3 trials") == pytest.approx(same)
    assert value("drift", "last trial minus first, in steps") == pytest.approx((trials[2] - trials[0]).mean())
    assert AUDIT["drift", "last trial minus first, in steps"].low > 0  # planted


def design() -> np.ndarray:
    best = np.log2(np.min(list(DATA.ranks.values()), axis=0))
    columns = [(best - best.mean()) / best.std(), (DATA.ranks["good"] <= 10).astype(float)]
    columns.append((DATA.length - DATA.length.mean()) / DATA.length.std())
    return np.column_stack([*((grade == MEDIAN).astype(float) for grade in range(4)), *columns])


def test_biases_are_those_of_a_regression_with_a_jackknife_over_topics() -> None:
    error = DATA.trials[0] - MEDIAN
    fit = OLS(error, design()).fit().params[4:]
    left_out = np.array([OLS(error[DATA.topic != t], design()[DATA.topic != t]).fit().params[4:] for t in range(24)])
    for place, name in enumerate(("rank", "self-preference", "length")):
        row = AUDIT["bias", name]
        assert row.value == pytest.approx(fit[place])
        assert (row.low, row.high) == pytest.approx(jackknife(left_out[:, place].tolist(), fit[place], 24))
    assert AUDIT["bias", "length"].low > 0  # planted
    assert AUDIT["bias", "self-preference"].low > 0


def test_changes_of_differences_are_paired_t_intervals_for_all_pairs_together() -> None:
    audit = cranfield.audit(PEOPLE, TRIALS[0], RUNS, "P@10")
    level = 1 - 0.05 / 3

    def precision(grades: np.ndarray, system: str) -> np.ndarray:
        return ((grades > 0) & (DATA.ranks[system] <= 10)).reshape(24, 20).sum(axis=1) / 10

    for row in audit.pairs:
        by_people, by_machine = (
            precision(grades, row.system) - precision(grades, row.other) for grades in (DATA.human, DATA.trials[0])
        )
        change = by_machine - by_people
        assert (row.people, row.machine) == pytest.approx((by_people.mean(), by_machine.mean()))
        expected = stats.t.interval(level, 23, change.mean(), stats.sem(change))
        assert (row.low, row.high) == pytest.approx(expected)
    largest = max(max(abs(row.low), abs(row.high)) for row in audit.pairs)
    assert audit["ranking", "largest change of a difference"].high == pytest.approx(largest)


def test_scores_are_corrected_as_by_estimate_and_so_many_labels_halve_their_intervals() -> None:
    few = {query: grades for query, grades in PEOPLE.items() if int(query[1:]) % 2}
    audit = cranfield.audit(few, TRIALS[0], RUNS, "P@10")
    with warnings.catch_warnings(action="ignore"):  # queries without judgments by people
        human, machine = (cranfield.evaluate(qrels, RUNS, "P@10") for qrels in (few, TRIALS[0]))
    for row, expected in zip(audit.systems, cranfield.estimate(human, machine).rows, strict=True):
        assert (row.corrected, row.low, row.high) == (expected.estimate, expected.low, expected.high)
        half = (row.high - row.low) / 4
        again = cranfield.estimate(human, machine, half_width=half).rows
        assert row.needed == next(one.needed for one in again if one.system == row.system)


def test_documents_that_people_judged_here_and_there_are_a_sample() -> None:
    some = {query: dict(list(grades.items())[::3]) for query, grades in PEOPLE.items()}
    audit = cranfield.audit(some, TRIALS[0], RUNS)
    assert (audit.settings["measure"], audit.settings["unit"]) == ("P@10", "documents")
    rows = cranfield.estimate_documents(some, TRIALS[0], RUNS, "P@10", "fair", confidence=1 - 0.05 / 3).rows
    (expected,) = (row for row in rows if row.baseline and row.system == "good")
    pair = audit.pairs[0]
    assert (pair.system, pair.other, pair.people) == ("good", "fair", expected.estimate)
    bounds = (expected.machine - expected.high, expected.machine - expected.low)
    assert (pair.low, pair.high) == pytest.approx(bounds)
    with pytest.raises(BadSetting, match="AP cannot be estimated"):
        cranfield.audit(some, TRIALS[0], RUNS, "AP")


def test_the_verdict_needs_evidence() -> None:
    data = labelled(np.random.default_rng(1), Judge(noise=0.01), 60, 20)
    same = cranfield.audit(qrels_of(data, data.human), qrels_of(data, data.human), runs_of(data))
    assert same.verdict == "yes"
    assert "may replace people for ranking these systems by nDCG@10: differences change by at most 0.000" in same.answer
    biased = labelled(np.random.default_rng(2), Judge(favours=3.0, noise=0.1), 40, 20)
    no = cranfield.audit(
        qrels_of(biased, biased.human), qrels_of(biased, biased.trials[0]), runs_of(biased), "P@10", margin=0.01
    )
    assert no.verdict == "no"
    assert no.answer.startswith("The machine may not replace people for ranking these systems by P@10: it changes")
    few = {query: grades for query, grades in qrels_of(data, data.human).items() if int(query[1:]) < 6}
    undecided = cranfield.audit(few, qrels_of(data, data.trials[0]), runs_of(data))
    assert undecided.verdict == "undecided"
    assert "It is undecided whether" in undecided.answer
    assert cranfield.audit(PEOPLE, TRIALS[0]).answer.startswith("The machine agrees with people on ")


def test_few_topics_have_no_intervals() -> None:
    few = {query: grades for query, grades in PEOPLE.items() if int(query[1:]) < 9}
    audit = cranfield.audit(few, TRIALS[0], trials=TRIALS[1:])
    assert {row.low for row in audit.figures} == {None}
    assert "no interval: at least 10 topics are needed; got 9" in {row.note for row in audit.figures}


def test_columns_that_say_the_same_are_not_separated() -> None:
    twice = LENGTHS | {"bytes": [2 * value + 1 for value in LENGTHS["length"]]}
    audit = cranfield.audit(PEOPLE, TRIALS[0], covariates=twice)
    assert audit["bias", "bytes"].note.startswith("cannot be separated")
    assert audit["bias", "length"].low is not None


def test_preferences_in_both_orders() -> None:
    rows = []
    for topic in range(12):
        rows += [(f"q{topic}", "a", "b", "a"), (f"q{topic}", "b", "a", "a" if topic % 4 else "b")]
    rows.append(("q0", "a", "c", "c"))  # in one order only
    names = ("query", "first", "second", "preferred")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    audit = cranfield.audit(PEOPLE, TRIALS[0], preferences=table)
    row = audit["order of presentation", "same preference in both orders"]
    assert (row.value, row.n) == (9 / 12, 12)
    assert row.low < 9 / 12 < row.high
    assert value("order of presentation", "the first document is preferred", audit) == pytest.approx((9 / 2 + 3) / 12)


def journal(folder: Path) -> str:
    """Labels with a journal: two repeats, and one example in the prompt."""
    prompt = {"prompt": "p", "system": "s", "user": "u", "grades": [[n, str(n)] for n in range(4)]}
    lines = [prompt | {"examples": [["q0", "d0"]]}]
    qrels = []
    for repeat, trial in enumerate(TRIALS[:2], 1):
        for query, grades in trial.items():
            for name, grade in grades.items():
                lines.append(
                    {"query": query, "document": name, "repeat": repeat, "model": "m", "prompt": "p"}
                    | {"temperature": 0.7, "seed": None, "grade": grade, "answer": "…"}
                )  # fmt: skip
                qrels.append(f"{query} 0 {name} {grade}\n")
    (folder / "llm.qrels").write_text("".join(qrels[: len(qrels) // 2]))
    (folder / "llm.qrels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(folder / "llm.qrels")


def test_the_journal_gives_repeats_and_examples(tmp_path: Path) -> None:
    audit = cranfield.audit(PEOPLE, journal(tmp_path))
    assert audit["agreement", "same grade"].n == len(DATA.topic) - 1
    same = np.mean((DATA.trials[0] == DATA.trials[1])[1:])
    assert value("repeatability", "same grade in 2 trials", audit) == pytest.approx(same)
    assert "1 example of the prompt left out" in audit.notes


def test_the_command_answers_first(tmp_path: Path, capsys: Any) -> None:
    for name, qrels in {"people": PEOPLE, "llm": TRIALS[0]}.items():
        lines = (f"{query} 0 {doc} {grade}\n" for query, grades in qrels.items() for doc, grade in grades.items())
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    words = ["audit", "--human", str(tmp_path / "people.qrels"), "--machine", str(tmp_path / "llm.qrels")]
    assert main(words) == 0
    expected = cranfield.audit(PEOPLE, TRIALS[0])
    out = capsys.readouterr().out
    assert expected.answer in " ".join(out.split())[:200]
    assert main([*words, "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["figures"] == expected.records()["figures"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"human": {"q0": {"zz": 1}}}, "no document was labelled by people and by the machine"),
     ({"family": ["nobody"], "runs": RUNS}, "there is no system 'nobody'"),
     ({"covariates": {"document": ["d0"], "length": [1.0]}}, "length has no value for document"),
     ({"covariates": {"document": ["d0"], "length": ["long"]}}, "row 1: length 'long' is not a number"),
     ({"preferences": {"query": ["q"]}}, "need the columns query, first, second and preferred")],
)  # fmt: skip
def test_what_cannot_be_audited_is_said(settings: dict[str, Any], words: str) -> None:
    with pytest.raises((BadInput, BadSetting), match=words):
        cranfield.audit(**{"human": PEOPLE, "machine": TRIALS[0]} | settings)
