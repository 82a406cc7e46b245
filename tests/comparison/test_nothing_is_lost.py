"""Questions about orders of systems: no system, query or judge is dropped, exchanged or guessed without a word."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cranfield import compare, correlate, evaluate, reorder, select_queries
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.samples import samples
from cranfield.results.samples import intervals_of_samples

Capture = pytest.CaptureFixture[str]

VALUES = {
    ("a", "AP"): (0.5, 0.4, 0.7),
    ("b", "AP"): (0.3, 0.2, 0.1),
    ("a", "RR"): (0.9, 0.8, 1),
    ("b", "RR"): (0.1, 0, 0.3),
}
RUNS = {"up": {"q": {"d1": 2, "d2": 1}, "r": {"d1": 1}}, "down": {"q": {"d2": 2, "d1": 1}, "r": {"d1": 1}}}
SAID = {"ann": {"q": {"d1": 1, "d2": 0}}, "bob": {"q": {"d1": 0, "d2": 1}}}


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_values_may_come_in_any_order(seed: int, tmp_path: Path, capsys: Capture) -> None:
    rows = [(s, m, n, v) for (s, m), values in VALUES.items() for n, v in enumerate(values)]
    random.Random(seed).shuffle(rows)
    path = tmp_path / "values.csv"
    path.write_text("system,measure,query,value\n" + "".join(f"{s},{m},{n},{v}\n" for s, m, n, v in rows))
    assert main(["compare", "--values", str(path), "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for row in found["intervals"]:
        assert row["low"] < np.mean(VALUES[row["system"], row["measure"]]) < row["high"]
    for row in found["comparisons"]:
        assert row["mean"] == pytest.approx(np.mean(VALUES[row["system"], row["measure"]]))
    assert main(["compare", "--values", str(path), "-d", "2", "--all"]) == 0
    means = [line.split()[:3] for line in capsys.readouterr().out.splitlines() if line[:2] in ("AP", "RR")][:4]
    assert {(s, m): v for m, s, v in means} == {key: f"{np.mean(values):.2f}" for key, values in VALUES.items()}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a,AP,1,.5\nb,AP,1,.3\nb,RR,1,.1\nc,RR,1,.9\n", "c has no value of AP; every measure needs all systems"),
        ("a,AP,1,.5\nb,AP,1,.3\na,RR,1,.1\n", "b has no value of RR"),
        (
            "a,AP,1,.5\nb,AP,1,.3\na,RR,1,.1\nb,RR,1,.1\na,RR,2,.1\nb,RR,2,.1\n",
            "2 values of RR and 1 of AP, 1 of them for different units",
        ),
    ],
)
def test_measures_of_other_systems_or_units_are_refused(rows: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "values.csv").write_text("system,measure,query,value\n" + rows)
    for command in ("compare", "correlate", "reproduce", "latent"):
        assert main([command, "--values", str(tmp_path / "values.csv")]) == 1
        assert said in capsys.readouterr().err


def test_intervals_of_other_systems_cannot_stand_in_one_table() -> None:
    own = {"AP": samples({"a": [1, 2], "b": [2, 4]}), "RR": samples({"b": [1, 2], "a": [2, 4]})}
    with pytest.raises(BadInput, match="systems must be the same"):
        intervals_of_samples(own)


def test_columns_that_are_numbers_name_systems() -> None:
    frame = pd.DataFrame({"qid": ["x", "y", "z"], 1: [0.1, 0.2, 0.4], 2: [0.1, 0.2, 0.3]})
    assert [(row.system, row.baseline) for row in compare(frame).rows] == [("1", "2")]


def test_a_judge_is_never_replaced() -> None:
    with pytest.raises(BadInput, match="a judge has the name of the combined judgments, 'any of the judges'"):
        reorder({"any of the judges": SAID["ann"], "bob": SAID["bob"]}, RUNS, "RR")
    with pytest.raises(BadInput, match="judge 'cy' has no judgments"):
        reorder({**SAID, "cy": {"q": {"d1": None}}}, RUNS, "RR")


def test_runs_that_can_be_gone_through_once_are_seen_by_every_judge() -> None:
    rows = [("q", "d1", 2.0), ("q", "d2", 1.0)]
    with pytest.raises(BadInput, match="only one system"):
        reorder(SAID, iter(rows), "RR")


def test_without_a_shared_topic_nothing_is_said_of_swaps() -> None:
    with pytest.warns(CranfieldWarning, match="without judgments"):
        (row,) = reorder({"ann": {"q": {"d1": 1}}, "bob": {"r": {"d1": 1}}}, RUNS, "RR", combined=()).rows
    assert row.swapped is None
    assert "no tau" in row.note


def test_every_judge_takes_the_runs_again(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "j.qrels").write_text("q ann d1 1\nq bob d1 0\n")
    assert main(["agree", str(tmp_path / "j.qrels"), "-r", "-", "-r", "x.run"]) == 2
    assert "can be read only once" in capsys.readouterr().err


def test_names_that_are_the_same_as_text_are_refused() -> None:
    with pytest.raises(BadInput, match="duplicate '1'"):
        correlate({1: 2, "1": 3}, {1: 2, "1": 3})
    with pytest.raises(BadInput, match="duplicate '1' among the rankings"):
        correlate({1: ["a", "b"], "1": ["b", "a"]})


def test_scores_are_written_as_everywhere() -> None:
    with pytest.raises(BadInput, match="'1_0', which is not a number"):
        correlate({"a": "1_0", "b": "2"}, {"a": 1, "b": 2})
    assert float(correlate({"a": "1e1", "b": " 2 "}, {"a": 1, "b": 2})) == -1


def test_whole_numbers_keep_their_order_however_large() -> None:
    for start in (2**44, 2**53, 2**70, -(2**63)):
        assert float(correlate([start, start + 1, start + 2], [1, 2, 3], "tau-a")) == 1
    assert float(correlate([0.1 + 0.2, 0.3, 0.4], [1, 1, 2])) == pytest.approx(1)  # rounding is no difference


def test_means_over_other_queries_are_noted(tmp_path: Path, capsys: Capture) -> None:
    qrels = {"q": {"d1": 1}, "r": {"d1": 1}}
    runs = {"up": RUNS["up"], "down": {"q": RUNS["down"]["q"]}}
    with pytest.warns(CranfieldWarning, match="missing"):
        result = evaluate(qrels, runs, ["RR", "AP"], missing="skip")
    assert "means over different queries" in correlate(result).notes[0]
    assert correlate(evaluate(qrels, RUNS, ["RR", "P@1"], missing="skip")).notes == ()
    (tmp_path / "q").write_text("q 0 d1 1\nr 0 d1 1\n")
    for name, run in runs.items():
        lines = [f"{q} Q0 {d} 1 {s} t\n" for q, own in run.items() for d, s in own.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    given = [str(tmp_path / name) for name in ("q", "up.run", "down.run")]
    for form in ("table", "json"):
        assert main(["correlate", *given, "-m", "RR", "-m", "AP", "--missing", "skip", "-f", form, "--quiet"]) == 0
        assert "means over different queries" in capsys.readouterr().out


def test_what_a_choice_of_queries_cannot_say_is_said(tmp_path: Path, capsys: Capture) -> None:
    values = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.2, 0.2, 0.5], "c": [0.1, 0.1, 0.1, 0.2]}
    assert "at least 4 systems" in select_queries(values, 2).notes[0]
    assert select_queries({**values, "d": [0.5, 0.5, 0.1, 0.1]}, 2).notes == ()
    with pytest.raises(BadSetting, match="not True"):
        select_queries(values, True)
    rows = itertools.chain(
        ["qid,a,b,c"], (",".join(map(str, (n, *row))) for n, row in enumerate(zip(*values.values(), strict=True)))
    )
    (tmp_path / "values.csv").write_text("\n".join(rows) + "\n")
    for form in ("table", "json"):
        assert main(["latent", "--values", str(tmp_path / "values.csv"), "--select", "2", "-f", form]) == 0
        assert "at least 4 systems are needed" in " ".join(capsys.readouterr().out.split())
