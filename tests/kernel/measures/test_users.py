"""Measures that follow a user agree with cwl_eval and with ir_measures, and behave as their users do."""

from __future__ import annotations

import logging

import ir_measures
import numpy as np
import pytest

from cranfield.errors import BadSetting
from cranfield.evidence.hits import hits
from cranfield.measures.naming import parse
from generated import collection
from kernel.measures.rows import found, judged
from pictures import ranked, several

logging.getLogger("ir_measures").setLevel(logging.ERROR)  # it warns that grades are scaled, which is the point

WALKED = (
    "BPM(max_rel=3)@10",
    "BPM(T=2.5, max_rel=3)@4",
    "BPM(T=0.5, min_rel=1, max_rel=2)@30",
    "SDCG(max_rel=3)@10",
    "SDCG(min_rel=1, max_rel=4)@5",
    "INST(max_rel=3)",
    "INST(T=3, max_rel=2)",
    "INST(T=0.75, min_rel=1, max_rel=3)",
    "INSQ(max_rel=3)",
    "INSQ(T=2.5, max_rel=2)",
    "NERR8(max_rel=3)@10",
    "NERR8(min_rel=1, max_rel=4)@3",
    "NERR9(max_rel=3)@10",
    "NERR9(max_rel=1)@7",
    "NERR10(max_rel=3)",
    "NERR10(p=0.5, max_rel=2)",
    "NERR11(max_rel=3)",
    "NERR11(T=4, max_rel=3)",
)


@pytest.mark.parametrize("name", WALKED)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_walk_is_as_long_and_as_good_as_in_cwl_eval(name: str, seed: int) -> None:
    qrels, run = without_ties(seed)
    theirs = {
        metric.query_id: metric.value
        for metric in ir_measures.cwl_eval.iter_calc([ir_measures.parse_measure(name)], qrels, run)
    }
    assert ours(name, qrels, run) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("name", ["Compat", "Compat(p=0.8)", "Compat(p=0.5, normalize=False)"])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_compatibility_is_that_of_ir_measures(name: str, seed: int) -> None:
    qrels, run = without_ties(seed)
    theirs = {
        metric.query_id: metric.value
        for metric in ir_measures.compat.iter_calc([ir_measures.parse_measure(name)], qrels, run)
    }
    assert ours(name, qrels, run) == pytest.approx(theirs, abs=1e-9)


def without_ties(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """A collection whose scores differ and are above 0: other tools order equal ones otherwise."""
    qrels, run = collection(seed)
    return qrels, {
        query: {name: 1000.0 - place for place, name in enumerate(sorted(scores, key=lambda name: -scores[name]))}
        for query, scores in run.items()
    }


def ours(name: str, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, float]:
    """The value for each query; 0 where undefined, as other tools have it."""
    judgments = judged([(query, "0", name, grade) for query, own in qrels.items() for name, grade in own.items()])
    values = np.nan_to_num(parse(name).values(hits(judgments, found(judgments, run))))
    return {query.decode(): float(value) for query, value in zip(judgments.queries, values, strict=True)}


def test_a_player_stops_at_the_document_that_makes_up_the_goal() -> None:
    assert parse("BPM(goal=2, top=1)@5").values(ranked("-+-+++")) == pytest.approx([2 / 4])


def test_a_player_stops_at_the_cut_off() -> None:
    assert parse("BPM(goal=2, top=1)@3").values(ranked("-+-+++")) == pytest.approx([1 / 3])


def test_a_user_who_finds_what_he_wants_at_once_sees_nothing_else() -> None:
    for name in ("BPM", "NERR8", "NERR9", "NERR10", "NERR11"):
        assert parse(name)(top=1).values(ranked("+---")) == pytest.approx([1.0])


def test_grades_count_from_the_bottom_to_the_top() -> None:
    assert parse("BPM(bottom=1, top=3)@1").values(several("0", "1", "2", "3", "4")) == pytest.approx([0, 0, 0.5, 1, 1])


def test_on_the_scale_of_the_query_its_best_grade_counts_1() -> None:
    assert parse("BPM(top='query')@1").values(several("2|4", "2|2", "0|0")) == pytest.approx([0.5, 1, 0])


def test_a_top_that_is_not_above_the_bottom_is_refused() -> None:
    with pytest.raises(BadSetting, match="top must be above bottom"):
        parse("INST(bottom=2, top=2)").values(ranked("+"))


def test_a_ranking_that_is_the_ideal_one_is_compatible() -> None:
    assert parse("Compat").values(several("321", "321?--", "+")) == pytest.approx([1, 1, 1])


def test_a_document_is_shared_from_the_depth_on_at_which_both_rankings_have_it() -> None:
    assert parse("Compat(p=0.9)").values(ranked("-+")) == pytest.approx([0.9 / 2 / (1 + 0.9 / 2)])
    assert parse("Compat(p=0.9, normalize=False)").values(ranked("-+")) == pytest.approx([0.9 / 2 / (1 + 0.9)])


def test_a_deep_ranking_is_measured_in_blocks_of_queries() -> None:
    shallow, deep = parse("INST(top=3)@1000"), parse("INST(top=3)@600000")
    queries = several("+-2", "--3", "?", "2-2")
    assert deep.values(queries) == pytest.approx(shallow.values(queries), rel=0.01)
