"""Risk-sensitive measures agree with their papers, and see a baseline only as a printed setting."""

from __future__ import annotations

import random
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cranfield import compare, evaluate
from cranfield.agreement.reordering import reordering
from cranfield.errors import BadSetting, CranfieldWarning
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.measures.naming import measures_named, parse
from cranfield.measures.registry import declarations
from oracles import risk as papers

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

RISK = [name for name, declared in declarations().items() if declared.evidence in (Gains, SystemValues)]
EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = ["1", "1a", "doc-0001", "Ünïcode", "文書", "x" * 40, "d 1", "🙂"]


def collection(seed: int, n_queries: int = 12) -> tuple[papers.Table, dict[str, papers.Table]]:
    """Judgments and three runs with ties, ids of all scripts and lengths, and queries without a relevant document."""
    chance = random.Random(seed)
    qrels: papers.Table = {}
    runs: dict[str, papers.Table] = {"bm25": {}, "dense v2": {}, "ハイブリッド": {}}
    for number in range(n_queries):
        query = f"{'q' * (number % 3)}{number}"
        qrels[query] = {name: chance.choice((-1, 0, 0, 1, 2)) for name in chance.sample(NAMES, 5)}
        for run in runs.values():
            found = chance.sample(NAMES, chance.randint(1, 8))
            run[query] = {name: chance.choice((0.5, 0.25, 1.0, 2.0)) for name in found}
    return qrels, runs


def values(qrels: papers.Table, runs: dict[str, papers.Table], of: Any = papers.average_precision) -> list[list[float]]:
    return [[of(qrels[query], run[query]) for query in qrels] for run in runs.values()]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [0, 1, 2.5])
def test_measures_are_what_the_papers_say(seed: int, alpha: float) -> None:
    qrels, runs = collection(seed)
    wanted = ["RI", *(f"{name}(alpha={alpha})" for name in ("URisk", "TRisk", "ZRisk", "GeoRisk"))]
    result = evaluate(qrels, runs, wanted, baseline="bm25")
    table = values(qrels, runs)
    for s, system in enumerate(runs):
        assert list(result[system].values()) == pytest.approx(
            [
                papers.robustness_index(table[s], table[0]),
                papers.utility(table[s], table[0], alpha),
                papers.studentised(table[s], table[0], alpha),
                papers.standardised(table, s, alpha),
                papers.geometric(table, s, alpha),
            ],
            nan_ok=True,
        )


def test_a_measure_that_is_better_if_lower_gains_by_falling() -> None:
    qrels, runs = collection(7)
    lower = [[-value for value in row] for row in values(qrels, runs, papers.non_relevant)]
    result = evaluate(qrels, runs, "URisk(of=NumNonrelRet), RI(of=NumNonrelRet)", baseline="dense v2")
    expected = [[papers.utility(row, lower[1], 1), papers.robustness_index(row, lower[1])] for row in lower]
    assert result.aggregated().tolist() == [pytest.approx(row) for row in expected]


@given(seed=st.integers(0, 1000))
def test_without_a_weight_the_utility_is_the_difference_of_the_means(seed: int) -> None:
    qrels, runs = collection(seed)
    result = evaluate(qrels, runs, "AP, URisk(alpha=0)", baseline="bm25")
    for system in runs:
        risk = result[system, "URisk(alpha=0, baseline='bm25')"]
        assert risk == pytest.approx(result[system, "AP"] - result["bm25", "AP"], abs=1e-12)


@pytest.mark.parametrize("settings", [{"ties": "expected"}, {"missing": "skip"}, {"undefined": "skip"}, {"depth": 2}])
def test_values_of_queries_are_compared_as_the_evaluation_counts_them(settings: dict[str, Any]) -> None:
    qrels, runs = collection(3)
    del runs["dense v2"]["0"], runs["bm25"]["q1"]
    result = evaluate(qrels, runs, "AP, URisk(alpha=0)", baseline="bm25", **settings)
    own, base = (result.values[1, 0], result.counted[1]), (result.values[0, 0], result.counted[0])
    if settings.get("undefined") != "skip":
        own, base = ((np.nan_to_num(value), counted) for value, counted in (own, base))
    expected = np.where(own[1] & base[1], own[0] - base[0], np.nan)
    np.testing.assert_allclose(result.values[1, 1], expected, atol=1e-12)


def test_comparing_the_utility_with_the_baseline_is_the_test_of_trisk() -> None:
    qrels, runs = collection(5, n_queries=30)
    result = evaluate(qrels, runs, "URisk(of=nDCG@5, alpha=3), TRisk(of=nDCG@5, alpha=3)", baseline="bm25")
    only = evaluate(qrels, runs, "URisk(of=nDCG@5, alpha=3)", baseline="bm25")
    row = compare(only, "bm25", correction="none").row("dense v2")
    each = list(only.per_query(only.measures[0], "dense v2").values())
    t, p = stats.ttest_1samp(each, 0)
    assert (row.statistic, row.p) == (pytest.approx(t), pytest.approx(p))
    assert result["dense v2", result.measures[1]] == pytest.approx(t)
    assert f"in a t-test: p = {p:.2g} for dense v2, p" in str(result)


@pytest.mark.parametrize("name", RISK)
@given(table=st.lists(st.lists(st.sampled_from((0, 0.1, 0.25, 0.3, 1)), min_size=3, max_size=3), min_size=2))
def test_evidence_adds_and_a_query_is_scored_alone(name: str, table: list[list[float]]) -> None:
    measure = parse(name)
    whole = np.array(table)

    def part(rows: list[int]) -> Any:
        queries, unit = tuple(b"%d" % row for row in rows), np.arange(len(rows))
        if measure.declaration.evidence is SystemValues:
            return SystemValues(queries, unit, whole[rows], 1)
        return Gains(queries, unit, whole[rows, 1], whole[rows, 0])

    parts, together = [part([row]) for row in range(len(table))], part([*range(len(table))])
    added = reduce(add, parts)
    assert added.queries == together.queries
    for field in {"unit", "values", "value", "baseline"} & set(vars(together)):
        assert np.array_equal(getattr(added, field), getattr(together, field))
    if measure.declaration.per_unit:
        alone = np.concatenate([measure.values(part) for part in parts])
        assert np.array_equal(measure.values(together), alone, equal_nan=True)
    assert np.array_equal(measure.micro(together), measure.micro(added), equal_nan=True)


def test_rounding_is_neither_a_gain_nor_a_loss() -> None:
    gains = Gains((b"1", b"2"), np.arange(2), np.array([0.1 + 0.2, 0.7]), np.array([0.3, 1 - 0.3]))
    assert parse("RI").values(gains).tolist() == [0, 0]
    assert parse("URisk").values(gains).tolist() == [0, 0]


@pytest.mark.parametrize(
    "written",
    [
        "RI(baseline='bm25')",
        "URisk(of='nDCG@10', alpha=2, baseline='dense v2')",
        "TRisk(of=\"nDCG(gain='exp2')@10\", baseline='文')",
        "GeoRisk(of='P(rel=2)@5', alpha=0)",
    ],
)
def test_a_measure_parses_back_from_what_it_prints(written: str) -> None:
    measure = parse(written)
    assert str(measure) == written
    assert parse(str(measure)) == measure
    assert measures_named(f"AP, {measure}, RR", "ranking") == (parse("AP"), measure, parse("RR"))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("URisk(of=nDCG@10)", "URisk(of='nDCG@10')"),
        ("URisk(of=AP)", "URisk"),
        ("URisk(of=ndcg_cut_10, baseline=bm25)", "URisk(of='nDCG@10', baseline='bm25')"),
        ("RI(of=P(rel=2)@5)", "RI(of='P(rel=2)@5')"),
        ("TRisk(of=nDCG(gain='exp2')@10)", "TRisk(of=\"nDCG(gain='exp2')@10\")"),
        ("RobustnessIndex", "RI"),
    ],
)
def test_a_measure_in_a_measure_needs_no_quotes(written: str, meant: str) -> None:
    assert str(parse(written)) == meant


def test_a_measure_may_be_the_setting_of_another() -> None:
    import cranfield

    assert str(cranfield.URisk(of=cranfield.nDCG @ 10)) == "URisk(of='nDCG@10')"


@pytest.mark.parametrize(
    ("written", "baseline", "message"),
    [
        ("URisk", None, "URisk needs a baseline: name one of the systems, bm25, dense v2, ハイブリッド"),
        ("URisk", "bm52", "no system is called 'bm52'; did you mean bm25"),
        ("URisk(baseline='x')", "bm25", "no system is called 'x'; there are bm25, "),
        ("AP", "bm25", "baseline applies to measures that compare systems"),
        ("URisk(of=TRisk)", "bm25", "of='TRisk' has no value per query"),
        ("URisk(of=NumRel)", "bm25", "of='NumRel' has no value per query"),
        ("ZRisk(of=NumNonrelRet)", None, "ZRisk needs a measure without negative values"),
        ("URisk(of=IPrec)", "bm25", "IPrec needs recall"),
        ("URisk(alpha=-1)", "bm25", "alpha must be a non-negative number"),
        ("URisk(of='')", "bm25", "of must be the name of a measure"),
        ("URisk(baseline=3)", "bm25", "baseline must be the name of a system, not 3"),
    ],
)
def test_what_cannot_be_compared_is_refused(written: str, baseline: str | None, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        evaluate(*collection(0), written, baseline=baseline)


def test_a_measure_keeps_its_own_baseline() -> None:
    result = evaluate(*collection(0), ["RI(baseline='dense v2')", "RI"], baseline="bm25")
    assert [str(measure) for measure in result.measures] == ["RI(baseline='dense v2')", "RI(baseline='bm25')"]


def test_values_that_do_not_exist_are_undefined_with_a_reason() -> None:
    qrels, runs = collection(1)
    alone = evaluate(qrels, {"bm25": runs["bm25"]}, ["GeoRisk", "ZRisk", "TRisk"], baseline="bm25")
    assert np.isnan(alone.aggregated()).all()
    assert "no GeoRisk of bm25: only one system was evaluated" in str(alone)
    one = {next(iter(qrels)): next(iter(qrels.values()))}
    assert np.isnan(evaluate(one, runs, "TRisk", baseline="bm25").aggregated()).all()


def test_a_value_over_all_queries_has_no_values_per_query() -> None:
    result = evaluate(*collection(2), ["AP", "TRisk", "GeoRisk"], baseline="bm25")
    assert set(result.table(per_query=True)["measure"].to_pylist()) == {"AP"}
    assert not result.n_undefined[:, 1:].any()
    assert np.isnan(result.aggregated("mean")[:, 1:]).all()
    assert result.intervals().method[0][1] == "one value over all queries, not a mean over them"
    with pytest.raises(BadSetting, match="has one value over all queries; this needs a value for each query"):
        result.samples("GeoRisk")
    with pytest.warns(CranfieldWarning, match="not compared, with only one value over all queries: TRisk.*, GeoRisk"):
        assert list(compare(result).samples) == ["AP"]


def test_a_value_over_all_queries_is_not_known_for_some_of_them() -> None:
    qrels, runs = collection(4)
    fewer = {query: judged for query, judged in qrels.items() if query != "0"}
    judges = {name: evaluate(judged, runs, "AP, GeoRisk") for name, judged in {"all": qrels, "fewer": fewer}.items()}
    by_measure = {row.measure: row for row in reordering(judges).rows}
    assert not np.isnan(by_measure["AP"].greatest_change)
    assert by_measure["GeoRisk"].swapped is None


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_utility_is_that_of_the_trec_web_track(alpha: float) -> None:
    qrels, bm25, dense = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
    by_run = [
        {value.query_id: value.value for value in ir_measures.iter_calc([ir_measures.ERR @ 10], judged, run)}
        for judged, run in ((ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(r)) for r in (bm25, dense))
    ]  # gdeval's
    weighted = [(by_run[1][q] - by_run[0][q]) * (1 + alpha * (by_run[1][q] < by_run[0][q])) for q in by_run[0]]
    result = evaluate(qrels, [bm25, dense], f"URisk(of=ERR@10, alpha={alpha})", baseline="bm25")
    assert result.aggregated()[1, 0] == pytest.approx(np.mean(weighted), abs=5e-5)  # printed with five decimals
