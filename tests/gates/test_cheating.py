"""No cheat passes a gate: neither from files, on the command line and in all that it writes, nor from memory."""

from __future__ import annotations

import csv
import gzip
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldError
from cranfield.evidence.samples import Samples
from gates.gate_cheats import (
    BAD,
    CHEATS,
    GOOD,
    QRELS,
    SAID,
    Gates,
    at_least,
    at_most,
    better,
    first,
    near,
    not_worse,
    runs,
    table,
    varied,
)

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")


def one_by_one(specified: Gates) -> Iterator[Gates]:
    """The same data with each gate alone, so that none hides behind the error of another."""
    given = {name: value for name, value in specified.items() if value is not None}
    return (given | {"gate": [gate]} for gate in given["gate"])


def in_toml(terms: dict[str, Any]) -> str:
    return "".join(f"{name} = {json.dumps(term)}\n" for name, term in terms.items())


def files_of(specified: Gates, folder: Path) -> Path:
    """The same gates in files: judgments and runs as TREC text, values as CSV, gates as TOML."""
    terms = {name: value for name, value in specified.items() if name not in ("gate", "settings")}
    for name in ("qrels", "run", "baseline"):
        if name == "baseline" and terms.get(name) is specified["run"]:
            terms[name] = terms["run"]
        elif isinstance(terms.get(name), dict | list):
            (folder / f"{name}.txt").write_text("".join(lines_of(terms[name], name)))
            terms[name] = f"{name}.txt"
    if "values" in terms:
        with open(folder / "values.csv", "w", newline="") as file:
            systems = terms["values"]
            units = list(next(iter(systems.values())))
            csv.writer(file).writerows([["query", *systems], *([u, *(systems[s][u] for s in systems)] for u in units)])
        terms["values"] = "values.csv"
    settings = f"[settings]\n{in_toml(specified['settings'])}" if "settings" in specified else ""
    (gate,) = specified["gate"]
    path = folder / "gates.toml"
    path.write_text(f"{in_toml(terms)}{settings}[[gate]]\n{in_toml(gate)}")
    return path


def lines_of(data: Any, name: str) -> Iterator[str]:
    rows = ((q, d, value) for q, of in data.items() for d, value in of.items()) if isinstance(data, dict) else data
    for row in rows:
        if isinstance(row, dict):
            yield f"{row['query']} {row['subtopic']} {row['document']} {row['grade']}\n"
        else:
            query, document, value = row
            yield f"{query} 0 {document} {value}\n" if name == "qrels" else f"{query} Q0 {document} 0 {value} x\n"


def test_there_are_more_than_thirty_cheats():
    assert SAID.keys() == CHEATS.keys()
    assert len(CHEATS) > 75


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_passes_from_files(cheat, tmp_path, capsys):
    for specified in one_by_one(CHEATS[cheat]()):
        path = files_of(specified, tmp_path)
        status = main(["check", str(path), "-f", "json"])
        out, err = capsys.readouterr()
        assert status in (1, 4), out
        said = " ".join(json.loads(out)["gates"][0]["reasons"]) if status == 4 else err
        assert SAID[cheat] in said


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_passes_from_memory(cheat):
    for specified in one_by_one(CHEATS[cheat]()):
        with suppress(BadInput, BadSetting):  # what cannot be evaluated at all is refused
            (gate,) = cranfield.check(specified).gates
            assert not gate.passed
            assert any(SAID[cheat] in reason for reason in gate.reasons), gate.reasons


# files that something happened to


def text_of(run: dict[str, dict[str, float]], tag: Callable[[str], str] = lambda _: "x") -> str:
    return "".join(f"{q} Q0 {d} 0 {score} {tag(q)}\n" for q, of in run.items() for d, score in of.items())


def as_csv(new: list[Any], old: list[Any]) -> bytes:
    rows = zip(new, old, strict=True)
    return "".join(["query,new,old\n", *(f"q{n},{a},{b}\n" for n, (a, b) in enumerate(rows))]).encode()


def as_parquet(new: list[Any], old: list[Any]) -> bytes:
    data = pa.BufferOutputStream()
    columns = {"query": [f"q{n}" for n in range(len(new))], "new": new, "old": old}
    pyarrow.parquet.write_table(pa.table(columns), data)
    return data.getvalue().to_pybytes()


RUN, N, V, W = text_of(GOOD).encode(), 30, varied(30, 0.7), varied(31, 0.3)[:30]
DAMAGED_RUNS: dict[str, tuple[bytes, str]] = {
    "an empty file": (b"", "the file is empty"),
    "a file of comments": (b"# finished\n", "only comments"),
    "a compressed file cut in the middle": (gzip.compress(RUN)[:9000], "damaged or truncated"),
    "a file cut in the middle of a line": (RUN[: len(RUN) // 2 - 3], "5 fields instead of 6"),
    "a file cut after eight queries": (text_of(first(GOOD, 8)).encode(), "answers 8 of 60 judged queries"),
    "scores that are not numbers": (RUN.replace(b"0 1.", b"0 nan", 1), "is not a number"),
    "an error message": (b"Traceback (most recent call last):\n  MemoryError\n", "neither a run nor judgments"),
    "documents that are repeated": (RUN + RUN, "duplicate document"),
    "two systems in one file": (text_of(GOOD, lambda q: "old" if q < "q3" else "new").encode(), "several tags"),
    "the judgments": (
        b"".join(f"{q} 0 {d} {g}\n".encode() for q, of in QRELS.items() for d, g in of.items()),
        "looks like qrels",
    ),
    "a copy of the baseline": (text_of(BAD).encode(), "have the same content"),
    "a copy of the baseline, compressed": (gzip.compress(text_of(BAD).encode()), "is it a copy?"),
    "queries in upper case": (RUN.replace(b"q", b"Q"), "which differ only by upper and lower case"),
    "documents with a prefix": (RUN.replace(b"Q0 d", b"Q0 doc/d"), "no retrieved document is judged"),
}
DAMAGED_VALUES: dict[str, tuple[str, bytes, str]] = {
    "NaN": ("v.csv", as_csv(["nan" if n % 2 else v for n, v in enumerate(V)], W), "has no value"),
    "empty cells": ("v.csv", as_csv(["" if n % 2 else v for n, v in enumerate(V)], W), "has no value"),
    "infinite values": ("v.csv", as_csv([*V[1:], "inf"], W), "is inf"),
    "percent signs": ("v.csv", as_csv([f"{100 * v:.1f}%" for v in V], W), "contains no numbers"),
    "decimal commas": ("v.csv", as_csv([f'"0,{int(1e6 * v)}"' for v in V], W), "contains no numbers"),
    "percentages": ("v.csv", as_csv([100 * v for v in V], W), "are some of them percentages?"),
    "a row of means": ("v.csv", as_csv(V, W) + f"mean,{np.mean(V)},{np.mean(W)}\n".encode(), "means of the others"),
    "rows that are repeated": ("v.csv", as_csv(V, W) + as_csv(V, W).partition(b"\n")[2], "duplicate query"),
    "a column that is repeated": ("v.csv", as_csv(V, W).replace(b"old", b"new", 1), "duplicate column"),
    "nulls": ("v.parquet", as_parquet([None if n % 2 else v for n, v in enumerate(V)], W), "has no value"),
    "NaN in Parquet": ("v.parquet", as_parquet([np.nan if n % 2 else v for n, v in enumerate(V)], W), "is nan"),
    "numbers of the rows": ("v.csv", as_csv([float(n) for n in range(N)], W), "are some of them percentages?"),
    "a table of nine queries": ("v.csv", as_csv(V[:9], W[:9]), "9 queries, but a verdict needs 10"),
    "a table that was cut": ("v.csv", as_csv(V, W)[:-25], "2 fields, but the header has 3"),
}


def status_and_words(folder: Path, gates: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    (folder / "gates.toml").write_text(gates)
    status = main(["check", str(folder / "gates.toml"), "-f", "json"])
    return status, "".join(capsys.readouterr())


@pytest.mark.parametrize("damage", DAMAGED_RUNS)
def test_no_damaged_run_passes(damage, tmp_path, capsys):
    content, said = DAMAGED_RUNS[damage]
    for name, written in (("new.run", content), ("old.run", text_of(BAD).encode())):
        (tmp_path / name).write_bytes(written)
    (tmp_path / "qrels.txt").write_text("".join(lines_of(QRELS, "qrels")))
    top = 'qrels = "qrels.txt"\nrun = "new.run"\nbaseline = "old.run"\n'
    for gate in (better(), not_worse(), at_least(0.1)):
        if "copy" in damage and gate["require"] == "at least":
            continue
        status, words = status_and_words(tmp_path, f"{top}[[gate]]\n{in_toml(gate)}", capsys)
        assert status in (1, 4)
        assert said in words


@pytest.mark.parametrize("damage", DAMAGED_VALUES)
def test_no_damaged_table_passes(damage, tmp_path, capsys):
    name, content, said = DAMAGED_VALUES[damage]
    (tmp_path / name).write_bytes(content)
    top = f'values = "{name}"\nrun = "new"\nbaseline = "old"\n'
    status, words = status_and_words(tmp_path, f"{top}[[gate]]\n{in_toml(better('nDCG@10'))}", capsys)
    assert status in (1, 4)
    assert said in words


# results and samples, which only Python has


def results(new: Any, old: Any, *gates: Gates, measure: str = "nDCG@10", qrels: Any = QRELS) -> Gates:
    return {"values": cranfield.evaluate(qrels, {"new": new, "old": old}, measure)} | {
        "run": "new", "baseline": "old", "gate": list(gates)
    }  # fmt: skip


def sampled(new: Any, old: Any, *gates: Gates, units: Any = None, **fields: Any) -> Gates:
    units = tuple(f"q{n}" for n in range(len(new))) if units is None else units
    values = Samples(("new", "old"), units, np.array([new, old], float), **fields)
    return {"values": values, "run": "new", "baseline": "old", "gate": list(gates)}


FOLDS = np.random.default_rng(0).normal((0.53, 0.5), (0.08, 0.05), (50, 2)).T.tolist()
TIED = {q: dict.fromkeys(of, 1.0) for q, of in QRELS.items()}
IN_PYTHON: dict[str, Callable[[], Gates]] = {
    "the result of truncated runs": lambda: results(first(BAD, 12), first(GOOD, 12), not_worse(margin=0.09)),
    "the result of a truncated run": lambda: results(first(GOOD, 30), BAD, at_least(0.3), better()),
    "the result of judgments without relevant documents": lambda: results(
        BAD, GOOD, at_most(0.4, "MissRate@10"), measure="MissRate@10",
        qrels={q: of if n % 5 == 0 else dict.fromkeys(of, 0) for n, (q, of) in enumerate(QRELS.items())},
    ),
    "the result of a run whose scores are all equal": lambda: results(
        TIED, BAD, at_most(0.1, "P@3"), measure="P@3"
    ),
    "values that are not numbers": lambda: sampled([np.nan] * 30, varied(30), not_worse("value")),
    "values that are infinite": lambda: sampled([np.inf, *varied(29)], varied(30), better("value")),
    "units of one name": lambda: sampled(V, W, better("value"), at_least(0.1, "value"), units=("q1",) * 30),
    "folds that share training data": lambda: sampled(*FOLDS, better("value"), unit="fold", overlap=1 / 9),
    "folds, with confidence": lambda: sampled(
        *FOLDS, at_least(0.5, "value", confidence=0.95), unit="fold", overlap=1 / 9
    ),
    "masked values": lambda: table(np.ma.array(V, mask=np.arange(30) % 2), W, better("value")),
}  # fmt: skip


@pytest.mark.parametrize("cheat", IN_PYTHON)
def test_no_result_passes_without_its_evidence(cheat):
    with suppress(BadInput, BadSetting):
        specified = IN_PYTHON[cheat]()
        for one in one_by_one(specified):
            (gate,) = cranfield.check(one).gates
            assert not gate.passed
            assert gate.reasons


# gates that pass


def test_honest_gates_pass():
    honest = runs(GOOD, BAD, better(), not_worse(), at_least(0.5), at_least(0.5, confidence=0.95), better("AP"),
                  at_most(0.4, "MissRate@10"), not_worse("MissRate@10"), better(baseline=0.5))  # fmt: skip
    assert [gate.outcome for gate in cranfield.check(honest).gates] == ["passed"] * 8
    assert cranfield.check(table(near(varied(40), 0.05), varied(40), better("value"), not_worse("value"))).passed
    nearly = {q: {d: s + 0.01 * (d == "d1") for d, s in of.items()} for q, of in GOOD.items()}
    assert cranfield.check(runs(nearly, GOOD, not_worse(margin=0.02), unchanged="pass")).passed


def messy(seed: int, n_queries: int = 50) -> tuple[dict[str, dict[str, int]], dict[str, Any], dict[str, Any]]:
    """Judgments of the top 12 of two runs and of others, with 2 % missing, tied scores and a query without a hit."""
    chance = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    new: dict[str, Any] = {}
    old: dict[str, Any] = {}
    for q in range(n_queries):
        n_relevant = 0 if q == 7 else 1 + chance.poisson(6)
        relevant = np.arange(200) < n_relevant
        scores = [np.round(chance.normal(size=200) + quality * relevant, 2) for quality in (2.2, 1.6, 1.2)]
        tops = [np.argsort(-score)[:100] for score in scores]
        judged = {int(d) for top in tops for d in top[:12] if chance.random() > 0.02}
        names = [f"{'x' * (d % 5)}é-{q}-{d}" for d in range(200)]
        qrels[f"Query {q}"] = {names[d]: int(relevant[d]) * int(chance.integers(1, 4)) for d in sorted(judged)}
        for run, top, score in ((new, tops[0], scores[0]), (old, tops[1], scores[1])):
            run[f"Query {q}"] = {names[d]: float(score[d]) for d in top}
    return qrels, new, old


@pytest.mark.parametrize("seed", range(3))
def test_messy_but_honest_data_pass(seed):
    qrels, new, old = messy(seed)
    measures = ("nDCG@10", "AP", "P@10", "R@100", "Bpref", "RBP(p=0.8)")
    gates = [gate for m in measures for gate in (better(m), not_worse(m), at_least(0.1, m, confidence=0.95))]
    checked = cranfield.check(runs(new, old, *gates, qrels=qrels))
    assert [(gate.gate, gate.reasons) for gate in checked.gates if not gate.passed] == []


def test_labels_as_documents_are_no_repeated_queries():
    chance = np.random.default_rng(4)
    label = chance.integers(0, 12, 300)
    qrels = {f"item {n}": {f"tool{t}": int(t == label[n]) for t in range(12)} for n in range(300)}
    new, old = (
        {q: {t: float(chance.normal() + gain * grade) for t, grade in of.items()} for q, of in qrels.items()}
        for gain in (3, 2)
    )
    assert cranfield.check(
        runs(new, old, better("RR"), not_worse("Success@1"), at_least(0.3, "RR"), qrels=qrels)
    ).passed


@pytest.mark.parametrize("values", [
    (1 / np.random.default_rng(1).integers(1, (4, 9), (60, 2))).T,  # reciprocal ranks
    np.random.default_rng(2).binomial(1, (0.8, 0.4), (60, 2)).T,  # right or wrong
    np.random.default_rng(3).binomial(10, (0.6, 0.3), (60, 2)).T / 10,  # precision at 10
    100 * np.random.default_rng(4).beta((6, 4), (4, 6), (60, 2)).T,  # percentages
    np.random.default_rng(5).integers((2, 1), (6, 4), (60, 2)).T,  # stars
])  # fmt: skip
def test_tables_of_all_kinds_pass(values):
    new, old = values.astype(float).tolist()
    gates = better("value"), not_worse("value", 0.05), at_least(float(np.mean(new)) - 0.01, "value")
    assert cranfield.check(table(new, old, *gates)).passed


def test_needs_below_the_default_are_printed():
    lowered = cranfield.check(runs(first(GOOD, 30), None, at_least(0.2), complete=0.5) | {"baseline": 0.5})
    assert lowered.passed
    assert "a verdict needs: complete 0.5" in str(lowered)
    assert json.loads(lowered.to_json())["gates"][0]["needs"] == "complete 0.5"
    assert "needs" not in str(cranfield.check(runs(GOOD, BAD, better())))


def test_bad_runs_fail_rather_than_being_undecided():
    bad = runs(BAD, GOOD, better(), not_worse(), at_least(0.9), at_most(0.1, "MissRate@10"))
    assert [gate.outcome for gate in cranfield.check(bad).gates] == ["failed"] * 4


# what is written


def test_every_output_has_the_number_of_queries_the_interval_the_reason_and_the_warnings():
    checked = cranfield.check(runs(first(BAD, 8), GOOD, at_least(0.01)))
    (gate,) = checked.gates
    bounds = f"{gate.low:.3f}–{gate.high:.3f}"
    reason, warning = "run answers 8 of 60 judged queries", "52 of 60 judged queries are missing"
    (failure,) = ET.fromstring(checked.to_junit()).iter("failure")
    assert failure.attrib["type"] == "undecided"
    assert reason in failure.attrib["message"]
    for text in (str(checked), checked.to_markdown(), failure.text):
        assert all(said in text for said in ("60", bounds, reason, warning)), text
    row = json.loads(checked.to_json())["gates"][0]
    assert (row["outcome"], row["n"], row["low"], row["high"]) == ("undecided", 60, gate.low, gate.high)
    assert reason in row["reasons"][0]
    assert warning in row["warnings"][0]
    assert checked.table().to_pylist()[0]["outcome"] == "undecided"


def test_every_output_has_the_settings_and_the_queries_that_they_leave_out():
    lowered = {"settings": {"missing": "skip"}, "complete": 0.1}
    checked = cranfield.check(runs(first(GOOD, 30), BAD, better(level=0.01), **lowered))
    assert checked.passed
    (passed,) = ET.fromstring(checked.to_junit()).iter("testcase")
    said = ("missing skip", "complete 0.1", "30 of 60 judged queries are missing", "level 0.01",
            "missing from the run of some system: 30 of 60 queries, left out")  # fmt: skip
    for text in (str(checked), checked.to_markdown(), passed.findtext("system-out"), checked.to_json()):
        assert [words for words in said if words not in text] == []


@pytest.mark.parametrize("needs", [
    {"complete": 1.5}, {"min_queries": 2.5}, {"min_defined": -1}, {"min_judged": "half"}, {"unchanged": "fail"},
    {"complete": True}, {"gate": [at_least(0.1, confidence=0.3)]}, {"gate": [better(confidence=0.95)]},
])  # fmt: skip
def test_needs_that_mean_nothing_are_refused(needs):
    with pytest.raises(CranfieldError, match=r"complete|min_|unchanged|confidence"):
        cranfield.check(runs(GOOD, BAD, better()) | needs)
