"""What the plots show is what the evidence says."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import cranfield
from cranfield import plot
from cranfield.classification.plots import roc as roc_guides
from cranfield.classification.plots.curves import BEYOND
from cranfield.classification.plots.scorers import parted
from cranfield.comparison.result import Tier, tiers_of
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import thresholds
from cranfield.present.plots.drawing import LETTER, LONGEST, WIDTH, shortened
from cranfield.present.plots.plot import Plot, rows
from cranfield.rankings.plots import precision_recall
from cranfield.stability.plots import far
from cranfield.statistics.simultaneous import critical_difference
from plot.gallery import ACTUAL, CONFUSED, QRELS, RUNS, SCORES, gallery, judges, result, scorers, scores

YES, NO = True, False


def columns(given: Plot, *names: str, **where: str | float) -> list[tuple[object, ...]]:
    kept = [row for row in given.data.to_pylist() if all(row[name] == value for name, value in where.items())]
    return [tuple(row[name] for name in names) for row in kept]


# rankings


def test_the_sawtooth_rises_with_every_relevant_document_and_falls_between() -> None:
    drawn = gallery()["precision-recall-ranks"]
    points = columns(drawn, "rank", "recall", "precision", system="good", part="ranks")
    assert points == [(1, 1 / 3, 1.0), (2, 2 / 3, 1.0), (3, 2 / 3, 2 / 3), (4, 2 / 3, 0.5)]
    assert columns(drawn, "recall", "precision", system="poor", part="interpolated") == [(0, 1 / 3), (1 / 3, 1 / 3)]


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_the_f_measure_is_the_same_along_its_line(beta: float) -> None:
    lines, _ = precision_recall.f_isolines(beta)
    for point in lines.data.values:
        recall, precision = point["recall"], point["precision"]
        assert (1 + beta**2) * precision * recall / (beta**2 * precision + recall) == pytest.approx(point["level"])
        assert 0 <= recall <= 1
        assert 0 <= precision <= 1


@pytest.mark.parametrize("prevalence", [0.02, 0.1, 0.3, 0.5, 0.9])
def test_accuracy_is_the_same_along_its_line(prevalence: float) -> None:
    lines, labels = roc_guides.accuracy_isolines(prevalence)
    for point in lines.data.values:
        accuracy = prevalence * point["recall"] + (1 - prevalence) * (1 - point["fallout"])
        assert accuracy == pytest.approx(point["level"])
    at = sorted(label["fallout"] for label in labels.data.values)
    assert (np.diff(at) >= roc_guides.APART).all()
    assert np.diff(at)[:1] >= roc_guides.APART_WORD or len(at) == 1


def test_the_build_up_ends_at_the_measure() -> None:
    drawn = gallery()["buildup-query"]
    last = dict(columns(drawn, "system", "value", rank=4))  # type: ignore[arg-type]
    known = {name: result().per_query("nDCG@10", name)["q2"] for name in RUNS}
    assert last == pytest.approx(known | {"ideal": 1.0})


def test_a_strip_tells_the_judged_the_unjudged_and_the_missing() -> None:
    drawn = gallery()["strips-query"]
    assert columns(drawn, "rank", "document", "grade", system="good") == [
        (1, "a", 2.0),
        (2, "b", 1.0),
        (3, None, None),
        (4, "c", 0.0),
    ]
    assert len(columns(drawn, "rank", system="poor")) == 3


def test_a_result_keeps_its_rankings() -> None:
    of_result, of_runs = plot.strips(result(), k=4).data, plot.strips(QRELS, RUNS, k=4).data
    assert of_result == of_runs.drop_columns("document")


# results


def test_a_column_holds_what_is_known_and_numbers_are_numbers() -> None:
    assert "document" not in result().plot.strips().data.column_names
    assert "document" in plot.strips(QRELS, RUNS).data.column_names
    assert pa.types.is_floating(result().plot.power().data.schema.field("difference").type)


def test_differences_fall_from_the_greatest_gain_to_the_greatest_loss() -> None:
    found = [value for (value,) in columns(gallery()["differences"], "difference", system="good")]
    assert found == sorted(found, reverse=True)
    good, fair = (result().per_query("AP", name) for name in ("good", "fair"))
    assert sorted(found) == pytest.approx(sorted(good[query] - fair[query] for query in good))


def test_systems_that_do_not_differ_are_joined_in_the_longest_stretches() -> None:
    apart = np.array([[NO, NO, YES, YES], [NO, NO, NO, YES], [YES, NO, NO, NO], [YES, YES, NO, NO]])
    assert tiers_of(apart) == [Tier(0, 1), Tier(1, 2), Tier(2, 3)]
    assert tiers_of(np.zeros((3, 3), np.bool_)) == [Tier(0, 2)]
    assert tiers_of(~np.eye(3, dtype=np.bool_)) == [Tier(0, 0), Tier(1, 1), Tier(2, 2)]  # alone, but in a tier


def test_two_systems_that_differ_are_not_joined_by_one_between() -> None:
    apart = np.array([[NO, NO, YES], [NO, NO, NO], [YES, NO, NO]])
    assert tiers_of(apart) == [Tier(0, 1), Tier(1, 2)]


def test_the_critical_difference_is_that_of_the_literature() -> None:
    assert critical_difference(4, 14, 0.05) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)


def test_mean_ranks_put_the_best_first() -> None:
    ranks = columns(gallery()["tiers-ranks"], "system", "mean_rank")
    assert [name for name, _ in ranks] == ["good", "fair", "poor"]
    assert sum(rank for _, rank in ranks) == pytest.approx(6)  # type: ignore[misc]


def test_power_is_that_of_the_best_two_unless_others_are_named() -> None:
    assert "good and fair" in plot.power(result()).about
    assert "good and poor" in plot.power(result(), baseline="poor").about


def test_where_nothing_is_confused_classes_keep_their_order() -> None:
    labels = ("c", "a", "b")
    sure = plot.confusion(Confusion.of(labels, np.diag([3, 2, 1])))
    assert sure.data["actual"].to_pylist()[::3][:3] == [*labels]
    assert not sure.notes


def test_power_grows_with_the_number_of_queries() -> None:
    found = [power for (power,) in columns(gallery()["power"], "power", difference="0.1")]
    assert found == sorted(found)  # type: ignore[type-var]


# scorers


def test_the_four_areas_are_the_four_cells() -> None:
    drawn, cells = gallery()["distributions"], scores().at(0.54)
    counted = {
        name: sum(n for (n,) in columns(drawn, "n", cell=name))  # type: ignore[misc]
        for name in ("true positives", "false positives", "false negatives", "true negatives")
    }
    assert list(counted.values()) == [cell[0] for cell in cells.counts]


@pytest.mark.parametrize("threshold", [0.2, 0.54, 0.85])
def test_the_areas_of_both_densities_are_rates(threshold: float) -> None:
    drawn = plot.distributions(scores(), threshold=threshold, bins=7, overlay=True)
    area = dict.fromkeys(("true negatives", "false positives", "false negatives", "true positives"), 0.0)
    for row in drawn.data.to_pylist():
        area[row["cell"]] += (row["to"] - row["from"]) * row["density"]
    accepted = threshold <= SCORES
    assert area == pytest.approx(
        {
            "true negatives": np.mean(~accepted[~ACTUAL]),
            "false positives": np.mean(accepted[~ACTUAL]),
            "false negatives": np.mean(~accepted[ACTUAL]),
            "true positives": np.mean(accepted[ACTUAL]),
        }
    )


@pytest.mark.parametrize("overlay", [False, True])
@pytest.mark.parametrize("threshold", [0.1, 0.12, 0.3, 0.54, 0.8, 0.9])
def test_no_text_of_a_distribution_leaves_the_frame_or_lies_on_another(threshold: float, overlay: bool) -> None:
    drawn = plot.distributions(scores(), threshold=threshold, overlay=overlay)
    low, high = drawn.data["from"].to_numpy().min(), drawn.data["to"].to_numpy().max()
    panels = [drawn.spec] if overlay else drawn.spec["vconcat"]
    for panel in panels:
        spans = []
        for layer in panel["layer"]:
            if layer["mark"]["type"] == "text" and layer["encoding"]["text"]["field"] == "shown":
                (row,) = drawn.spec["datasets"][layer["data"]["name"]]
                start = (row["from"] - low) / (high - low) * WIDTH + layer["mark"]["dx"]
                wide = LETTER * len(row["shown"])
                start -= wide if layer["mark"]["align"] == "right" else 0
                spans.append((layer["encoding"]["y"]["value"], start, start + wide))
        assert len(spans) == (4 if overlay else 2)
        assert all(start >= 0 and end <= WIDTH for _, start, end in spans)
        for one, other in itertools.combinations(spans, 2):
            assert abs(one[0] - other[0]) >= 12 or one[2] <= other[1] or other[2] <= one[1]


@pytest.mark.parametrize("scored", [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.0, 0.1], [1.0, 0.9]], ids=str)
def test_the_names_of_the_classes_stay_inside_the_frame_and_apart(scored: list[float]) -> None:
    spread = np.append(np.repeat(scored, 8), [0.0, 0.3, 0.7, 1.0])  # most negatives at one score, most positives at one
    drawn = plot.distributions(thresholds(np.arange(20) % 16 >= 8, spread), threshold=0.5, bins=20, overlay=True)
    spans = [
        (layer["encoding"]["y"]["value"], layer["encoding"]["x"]["value"], LETTER * len("negatives") / 2)
        for layer in drawn.spec["layer"]
        if layer["mark"]["type"] == "text" and layer["encoding"]["text"]["field"] == "name"
    ]
    assert len(spans) == 2
    assert all(middle - half >= 0 and middle + half <= WIDTH for _, middle, half in spans)
    (up, one, half), (other_up, other, _) = spans
    assert abs(up - other_up) >= 12 or abs(one - other) >= 2 * half


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.1, 0.54, 0.9, 2.0])
def test_the_threshold_is_an_edge_and_every_score_lies_in_a_bin(threshold: float) -> None:
    edges = parted(scores(), threshold, 10)
    assert threshold in edges
    assert edges[0] == min(0.1, threshold)
    assert edges[-1] == 0.9 if threshold < 0.9 else edges[-1] > threshold
    drawn = plot.distributions(scores(), threshold=threshold, bins=10).data
    assert sum(drawn["n"].to_pylist()) == 20


def test_a_threshold_above_every_score_is_said_to_accept_nothing() -> None:
    constant = thresholds(ACTUAL, np.full(20, 0.5))
    for threshold in (0.6, np.inf):
        drawn = plot.distributions(constant, threshold=threshold)
        assert "above every score: no item is predicted positive" in drawn.about
        assert set(drawn.data.filter(pc.greater(drawn.data["n"], 0))["cell"].to_pylist()) == {
            "true negatives",
            "false negatives",
        }
        ends = drawn.data["to"].to_numpy()
        assert ends.max() - 0.5 > 0.001, "the axis has room for its numbers"


def test_the_chosen_threshold_is_drawn_where_the_curve_has_it() -> None:
    assert columns(gallery()["roc"], "fallout", "recall", part="chosen", system="first") == [(0.1, 0.5)]


def test_a_classification_is_drawn_with_the_threshold_it_uses() -> None:
    actual = [1, 1, 0, 1, 0]
    known = cranfield.classify(actual, score=[0.9, 0.8, 0.7, 0.6, 0.2], threshold=0.65)
    assert columns(known.plot.roc(), "threshold", part="chosen") == [(0.65,)]
    assert known.plot.distributions().about.endswith("scores of 0.65 and above are predicted positive")
    assert columns(known.plot.confusion(), "n", actual="1", predicted="1") == [(2,)]


def test_shares_and_margins_of_a_confusion_matrix() -> None:
    drawn = plot.confusion(CONFUSED)
    assert columns(drawn, "n", "proportion", actual="woman", predicted="child") == [(5, 0.25)]
    assert columns(drawn, "n", "proportion", actual="woman", predicted="all") == [(20, 0.65)]
    assert columns(drawn, "n", "proportion", actual="all", predicted="woman") == [(23, 13 / 23)]
    assert columns(drawn, "n", "proportion", actual="all", predicted="all") == [(100, 0.74)]


def test_a_matrix_of_raters_is_symmetric() -> None:
    found = {(one, other): value for one, other, value in columns(gallery()["kappas"], "rater", "other", "value")}
    assert len(found) == 6
    assert all(found[one, other] == found[other, one] for one, other in found)


def test_what_has_no_deviate_has_none_in_the_data() -> None:
    drawn = plot.det(scores())
    assert columns(drawn, "fallout_deviate", fallout=0.0) == [(None,)] * 3
    assert {deviate for (deviate,) in columns(drawn, "drawn_fallout", fallout=0.0)} == {BEYOND[0]}
    assert columns(drawn, "miss_deviate", miss_rate=1.0) == [(None,)]


def test_what_is_found_among_the_highest_scores() -> None:
    half = columns(plot.gain(scores()), "gain", proportion=0.5)
    assert half == [(0.6,)]
    assert columns(plot.lift(scores()), "lift", proportion=0.5) == [(pytest.approx(1.2),)]
    assert columns(plot.gain(scores()), "gain", proportion=0.0) == [(0.0,)]
    assert columns(plot.lift(scores()), "lift", proportion=0.0) == []  # nothing has no lift


def test_calibration_is_not_joined_through_nearly_empty_bins() -> None:
    random = np.random.default_rng(2)
    likely = np.concatenate([random.uniform(0, 0.3, 200), [0.55], random.uniform(0.7, 1, 200)])
    known = thresholds(random.random(len(likely)) < likely, likely)
    found = columns(plot.calibration(known), "n", "stretch")
    assert [n for n, stretch in found if stretch is None] == [1]
    assert len({stretch for n, stretch in found if n >= 10}) == 2
    assert "not joined: bins with fewer than 10 items" in plot.calibration(known).subtitle
    few = plot.calibration(scores(), bins=4)
    assert {stretch for (stretch,) in columns(few, "stretch")} == {0.0}, "a small sample is joined throughout"


# what cannot be drawn


def test_what_cannot_be_drawn_is_refused_with_the_reason() -> None:
    one_class = thresholds(np.ones(3, np.bool_), np.arange(3.0))
    for draw in (plot.roc, plot.prg, plot.det, plot.cost, plot.precision_recall):
        with pytest.raises(BadInput, match="only one class is present; a curve needs positives and negatives"):
            draw({"sure": one_class})
    with pytest.raises(BadInput, match="calibration needs probabilities from 0 to 1, but one score is 7"):
        plot.calibration(thresholds(np.array([YES, NO]), np.array([7.0, 0.5])))
    with pytest.raises(BadInput, match="scores: net benefit needs probabilities from 0 to 1"):
        plot.decision(thresholds(np.array([YES, NO]), np.array([7.0, 0.5])))
    with pytest.raises(BadSetting, match=r"choose the system to plot: one of 'first', 'second'"):
        plot.distributions(scorers())
    with pytest.raises(BadSetting, match=r"choose the query to plot; there are 4 queries \(q1, q2, q3, q4\)"):
        plot.precision_recall(QRELS, RUNS, form="ranks")
    with pytest.raises(BadSetting, match="query 'q9' has no judgments"):
        plot.strips(QRELS, RUNS, query="q9")
    with pytest.raises(BadSetting, match="averages over queries"):
        plot.precision_recall(QRELS, RUNS, query="q1")
    with pytest.raises(BadSetting, match="Rprec has no cutoff"):
        plot.buildup(QRELS, RUNS, measure="Rprec")
    with pytest.raises(BadSetting, match="differences need a system other than the baseline"):
        plot.differences(result(), baseline="good", system="good")
    with pytest.raises(BadInput, match="there are no runs to plot"):
        plot.strips(QRELS)
    with pytest.raises(BadSetting, match="Fleiss was not computed for every pair of raters"):
        plot.kappas(judges(), measure="Fleiss")


def test_a_row_is_ready_for_json() -> None:
    import pyarrow as pa

    table = pa.table({"x": [1.5, float("nan"), float("inf")], "name": ["a", "b\x1b", None]})
    assert rows(table) == [{"x": 1.5, "name": "a"}, {"x": None, "name": "b\\x1b"}, {"x": None, "name": None}]


def test_where_less_is_better_the_lowest_comes_first_and_a_rise_is_bad() -> None:
    wrong = cranfield.evaluate(QRELS, RUNS, "NumNonrelRet")
    drawn = plot.tiers(wrong).data.to_pylist()
    assert [row["mean"] for row in drawn] == sorted(row["mean"] for row in drawn)
    more, less, *_ = plot.differences(wrong, baseline="good", system="poor").spec["concat"][0]["layer"]
    assert [more["mark"]["style"], less["mark"]["style"]] == ["bad", "good"]


def test_of_a_long_name_the_middle_is_left_out() -> None:
    assert shortened("bm25") == "bm25"
    short = [shortened(f"a rather long name of a system, number {number}") for number in (1, 2)]
    assert short[0] != short[1]
    assert all(len(name) <= LONGEST for name in short)


def test_a_query_that_is_far_too_hard_does_not_squeeze_the_others() -> None:
    assert far(np.array([0.1, 0.2, 0.3, 0.4, 99.0])).tolist() == [False] * 4 + [True]
    assert not far(np.array([1.0, 1.0, 1.0])).any()


def test_a_threshold_that_accepts_nothing_has_a_place_above_all_scores() -> None:
    drawn = plot.distributions(scores(), threshold=np.inf, bins=4)
    assert set(columns(drawn, "cell")) >= {("true negatives",), ("false negatives",)}
    assert sum(row["n"] for row in drawn.data.to_pylist() if row["cell"].endswith("positives")) == 0
    drawn.to_svg()
