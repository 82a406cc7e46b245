"""The text that pytrec_eval's values come to, and the text that is printed, are the same bytes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import pytrec_eval

from cranfield.measures.trec_names import NICKNAMES, TABLE
from trec_eval.running import qrels_text, run, run_text

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

_WITHOUT = {"runid", "relstring", "num_q"}  # pytrec_eval has no values for these
_SUMS = {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"}
_MEASURES = set(NICKNAMES["all_trec"]) - {listed.name for listed in TABLE if listed.new}


def generated(seed: int) -> tuple[Qrels, Run]:
    """Judgments and a run with ties, negative grades, several levels, and topics that one of them lacks."""
    draw = random.Random(seed)
    qrels: Qrels = {}
    ranked: Run = {}
    for number in range(draw.choice([1, 3, 12])):
        documents = [f"d{place}" for place in range(draw.choice([4, 30, 150]))]
        judged = {name: draw.choice([0, 0, 0, 1, 1, 2, 3, -1]) for name in documents if draw.random() < 0.6}
        if number == 0 and all(grade < 0 for grade in judged.values()):
            judged["d0"] = 0  # a first topic without a judgment is an error
        pool = documents + [f"x{place}" for place in range(draw.choice([0, 10, 90]))]
        draw.shuffle(pool)
        spread = draw.choice([2, 50, 10**9])
        ranking = {name: draw.randrange(spread) / draw.choice([1, 3]) for name in pool[: draw.randint(1, len(pool))]}
        if judged and (number == 0 or draw.random() < 0.9):
            qrels[f"{number}"] = judged
        if number == 0 or draw.random() < 0.9:
            ranked[f"{number}"] = ranking
    return qrels, ranked


def expected(qrels: Qrels, ranked: Run, measures: set[str], **settings: int) -> str:
    """What trec_eval 9 would print of pytrec_eval's values, with -q."""
    values = pytrec_eval.RelevanceEvaluator(qrels, measures, **settings).evaluate(ranked)
    topics = sorted(values)
    order = sorted(values[topics[0]], key=_place)
    each = [_line(name, topic, values[topic][name]) for topic in topics for name in order if not name.startswith("gm_")]
    return "".join(
        each + [_line(name, "all", _total(name, [values[topic][name] for topic in topics])) for name in order]
    )


def _place(name: str) -> tuple[int, float]:
    """Where a value stands in the output: in the order of the table, then of the cutoff."""
    names = [listed.name for listed in TABLE]
    stem, _, cutoff = name.rpartition("_")
    return (names.index(name), 0) if name in names else (names.index(stem), float(cutoff))


def _line(name: str, topic: str, value: float) -> str:
    shown = f"{value:.0f}" if name in _SUMS else f"{value:6.4f}"
    return f"{name:<22}\t{topic}\t{shown}\n"


def _total(name: str, values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    if name in _SUMS:
        return total
    mean = total / len(values)
    return pytrec_eval.compute_aggregated_measure(name, [mean]) if name.startswith("gm_") else mean


def printed(tmp_path: Path, qrels: Qrels, ranked: Run, *arguments: object) -> str:
    """What is printed with -q, without what pytrec_eval does not have."""
    (tmp_path / "qrels").write_text(qrels_text(qrels))
    (tmp_path / "run").write_text(run_text(ranked))
    done = run("--compat", "pytrec_eval", "-q", *arguments, tmp_path / "qrels", tmp_path / "run")
    assert (done.said, done.status) == ("", 0)
    return "".join(line for line in done.out.splitlines(keepends=True) if line.split()[0] not in _WITHOUT)


@pytest.mark.parametrize("seed", range(25))
def test_every_measure_of_pytrec_eval_is_printed_the_same(seed: int, tmp_path: Path) -> None:
    qrels, ranked = generated(seed)
    assert printed(tmp_path, qrels, ranked, "-m", "all_trec") == expected(qrels, ranked, _MEASURES - _WITHOUT)


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_level_of_relevance_is_heeded_by_the_same_measures(level: int, tmp_path: Path) -> None:
    qrels, ranked = generated(100 + level)
    ours = printed(tmp_path, qrels, ranked, "-m", "all_trec", "-l", level)
    assert ours == expected(qrels, ranked, _MEASURES - _WITHOUT, relevance_level=level)


@pytest.mark.parametrize("seed", range(4))
def test_cutoffs_are_sorted_and_named(seed: int, tmp_path: Path) -> None:
    qrels, ranked = generated(200 + seed)
    cut = ("P.7,3,2000", "recall.1,2", "map_cut.4", "ndcg_cut.3,11", "relative_P.5,2", "success.2,40")
    floats = ("iprec_at_recall.0.33,0.07", "Rprec_mult.0.55,3.1")
    arguments = [word for measure in (*cut, *floats) for word in ("-m", measure)]
    assert printed(tmp_path, qrels, ranked, *arguments) == expected(qrels, ranked, {*cut, *floats})


@pytest.mark.parametrize("seed", range(4))
def test_unjudged_documents_are_left_out(seed: int, tmp_path: Path) -> None:
    qrels, ranked = generated(300 + seed)
    ours = printed(tmp_path, qrels, ranked, "-m", "all_trec", "-J")
    theirs = expected(qrels, ranked, _MEASURES - _WITHOUT, judged_docs_only_flag=True)
    assert ours.replace("-nan", " nan") == theirs  # the sign of 0/0 is lost in Python


def test_scores_that_differ_in_the_ninth_digit_tie_in_single_precision_only(tmp_path: Path) -> None:
    qrels, ranked = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.00000001, "b": 1.0}}
    assert printed(tmp_path, qrels, ranked, "-m", "recip_rank").endswith("\t0.5000\n")
    double = run("--compat", "9.0.8", "-m", "recip_rank", tmp_path / "qrels", tmp_path / "run")
    assert double.out.endswith("\t1.0000\n")
