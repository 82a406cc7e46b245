"""Comparisons: what a table of them says, and what is said of data that cannot be compared."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import cranfield
from cranfield.comparison.compare import compare_samples as compare
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples, samples
from cranfield.statistics.tests import known_tests

RNG = np.random.default_rng(2)
BASE = RNG.beta(2, 3, 30)
SYSTEMS = {"base": BASE, "same": BASE, "better": BASE + 0.1 + RNG.normal(0, 0.05, 30), "other": RNG.beta(2, 3, 30)}


def compared(values: dict[str, object], **settings: object):
    return compare({"AP": samples(values)}, **settings)


def evaluated(**settings: object):
    qrels = {f"q{n}": {"d1": 1, "d2": 0, "d3": n % 2} for n in range(8)}
    up = {f"q{n}": {"d1": 3.0, "d2": 2.0, "d3": 1.0} for n in range(8)}
    down = {f"q{n}": {"d3": 5.5, "d2": 2.0 + n % 3, "d1": 1.0} for n in range(8)}
    return cranfield.evaluate(qrels, {"up": up, "down": down}, ["AP", "RR", "GMAP"], **settings)


def test_the_handouts_example_in_words():
    found = compared({"r": [8, 8, 9, 10, 12, 16]}, baseline=9, correction="none")
    assert found.steps(found.rows[0]) == (
        "one-sample t-test: r and 9, AP\n"
        "H0: the mean of r is 9 in AP over queries like these 6\n"
        "H1: it is not 9\n"
        "level: 0.05\n"
        "mean difference: 10.5 - 9.0 = 1.5; standard deviation s = 3.082, standard error 1.258 (n = 6)\n"
        "statistic: t = 1.192 with 5 degrees of freedom\n"
        "critical value: ±2.571; H0 is not rejected if t is in (-2.571, 2.571)\n"
        "effect size: d_z = 0.49, 95 % confidence interval -0.39 to 1.32 (noncentral t)\n"
        "p = 0.2867\n"
        "decision: p is not below 0.05: H0 is not rejected, which does not show that it is true; "
        "a mean difference under 4.42 would be detected with a power below 0.8"
    )
    assert found.rows[0].d_z == pytest.approx(0.48666426339228763)
    assert (found.rows[0].low, found.rows[0].high) == pytest.approx((-1.7345778768947575, 4.734577876894758), abs=1e-8)


def test_a_number_as_the_baseline_is_not_a_system_of_that_name():
    found = compared({"9": [8, 8, 9, 10, 12, 16], "r": [8, 8, 9, 10, 12, 17]}, baseline=9)
    assert [(row.system, row.baseline, row.baseline_mean) for row in found.rows] == [
        ("9", "always 9", 9),
        ("r", "always 9", 9),
    ]


def test_a_rejected_null_in_words():
    found = compared(SYSTEMS, baseline="base", alternative="greater")
    words = found.steps(found.row("better"))
    assert "H1: better has higher values than base" in words
    assert "(Holm over 3 comparisons)" in words
    assert words.endswith("decision: the adjusted p-value is below 0.05: H0 is rejected")


def test_wins_ties_and_losses_are_of_the_system_against_the_baseline():
    found = compared({"a": [1, 1, 0, 0.5], "b": [0, 0, 1, 0.5]}, baseline="b").rows[0]
    assert (found.wins, found.ties, found.losses) == (2, 1, 1)
    errors = replace(samples({"a": [1, 1, 0, 0.5], "b": [0, 0, 1, 0.5]}), lower_is_better=True)
    turned = compare({"err": errors})
    assert (turned.rows[0].wins, turned.rows[0].losses) == (1, 2)


def test_without_a_baseline_every_two_are_compared():
    assert [(row.system, row.baseline) for row in compared(SYSTEMS).rows] == [
        ("base", "same"),
        ("base", "better"),
        ("base", "other"),
        ("same", "better"),
        ("same", "other"),
        ("better", "other"),
    ]


@pytest.mark.parametrize("test", [name for name in known_tests() if name not in ("mcnemar", "5x2cv")])
def test_systems_without_a_difference_have_a_p_of_1_and_a_word_why(test):
    settings = {"tost": {"margin": 0.1}, "corrected t": {"overlap": 0.1}}.get(test, {})
    found = compared({"base": BASE, "same": BASE}, test=test, **settings).rows[0]
    assert found.p == 1 if test != "tost" else np.isnan(found.p)
    assert found.note.endswith("no interval: the two have the same value on every query")


def test_a_pair_without_a_difference_among_others_spoils_nothing():
    found = compared(SYSTEMS, baseline="base", test="wilcoxon")
    assert found.row("same").p == 1
    assert found.row("better").p < 0.001
    assert all(np.isfinite(row.adjusted_p) for row in found.rows)


def test_a_difference_that_never_varies_is_noted():
    found = compared({"a": BASE + 0.25, "b": BASE}, baseline="b").rows[0]
    assert np.isnan(found.p)
    assert found.note.endswith("the difference is the same on every query, so it has no variance")


def test_max_t_spans_pairs_and_measures_and_is_milder_than_bonferroni():
    both = {"AP": samples(SYSTEMS), "RR": samples({name: values + 0.5 for name, values in SYSTEMS.items()})}
    asked = {"baseline": "base", "test": "randomisation", "family": "all", "resamples": 5_000}
    greatest = compare(both, correction="max-T", **asked)
    plain = compare(both, correction="bonferroni", **asked)
    one = compare({"AP": both["AP"]}, baseline="base", test="randomisation", correction="max-T", resamples=5_000)
    assert greatest.row("other", measure="AP").adjusted_p < plain.row("other", measure="AP").adjusted_p
    assert greatest.row("other", measure="AP").adjusted_p == one.row("other").adjusted_p  # a copy adds nothing
    assert greatest.row("same", measure="AP").adjusted_p == 1


def test_a_simultaneous_test_is_corrected_over_measures_alone():
    found = compare({"AP": samples(SYSTEMS), "RR": samples(SYSTEMS)}, test="tukey", family="all")
    row = found.row("base", "other", "AP")
    assert row.adjusted_p == pytest.approx(min(1, 2 * row.p))
    assert found.correction == "the test itself and Bonferroni over 2 measures"
    assert found.omnibus["AP"].startswith("two-way ANOVA")


def test_bca_bounds_of_a_difference():
    plain, drawn = (compared(SYSTEMS, baseline="base", interval=each).row("better") for each in ("t", "bca"))
    assert (drawn.low, drawn.high) == pytest.approx((plain.low, plain.high), abs=0.01)
    assert drawn.low != plain.low
    assert drawn.low != compared(SYSTEMS, baseline="base", interval="bca", seed=1).row("better").low


def test_a_comparison_goes_into_tables():
    found = compared(SYSTEMS, baseline="base")
    assert found.table().column("p").to_pylist() == [row.p for row in found.rows]
    assert json.loads(found.to_json())["settings"]["correction"] == "holm"
    assert found.to_csv().startswith("measure,system,baseline,n,mean,")


def test_a_result_compares_its_systems():
    found = evaluated().compare("down", test="sign")
    assert {row.measure for row in found.rows} == {"AP", "RR", "GMAP"}
    assert found.row("up", measure="RR").wins == 4
    assert any("logarithms" in note for note in found.notes)


def test_a_result_has_an_interval_for_every_aggregate():
    result = evaluated()
    found = result.intervals()
    low, high = found["down", "AP"]
    assert low <= result["down", "AP"] <= high
    low, high = found["down", "GMAP"]
    assert low <= result["down", "GMAP"] <= high
    assert found.method[found.systems.index("up")][found.measures.index("RR")].startswith("all values are the same")
    topics = {query: query[-1] for query in result.units}
    assert result.intervals(topic=topics).method[0][0] == "t over clusters"


def test_bounds_stay_within_what_the_measure_can_be():
    result = evaluated()
    assert all(low >= 0 and high <= 1 for low, high in [result.intervals(method="t")["up", "AP"]])


@pytest.mark.parametrize(
    ("values", "settings", "said"),
    [
        ({"a": [0.5], "b": [0.4]}, {}, "at least 2 queries are needed to test a difference; got 1"),
        ({"a": [], "b": []}, {}, "at least 2 queries are needed to test a difference; got 0"),
        ({"a": [0.5, 0.1]}, {}, "at least two systems"),
        ({"a": {"q1": 1, "q2": 0}, "b": {"q1": 1, "q3": 0}}, {}, "2 are not in both"),
        ({"a": [0.5, np.nan], "b": [0.4, 0.2]}, {}, "a: the value for query '2' is nan; 1 value is not a number"),
        ({"a": [0.5, 0.6], "b": [0.4, 0.2]}, {"baseline": "c"}, "no system 'c'"),
        ({"a": [0.5, 0.6]}, {"baseline": float("nan")}, "the baseline must be a finite number, not nan"),
        ({}, {}, "no system"),
        ({"a": ["x", 1], "b": [1, 2]}, {}, "a: the value for '1' is 'x', which is not a number"),
        ({"a": 5, "b": [1, 2]}, {}, "a: values must be a list"),
    ],
)
def test_what_cannot_be_compared_is_said_in_words(values, settings, said):
    with pytest.raises(BadInput, match=said):
        compared(values, **settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"level": 5}, "significance level"),
        ({"alternative": "more"}, "'two-sided', 'greater', 'less'"),
        ({"test": "tukey", "alternative": "greater"}, "is two-sided"),
        ({"correction": "max-T"}, "max-T needs the test 'randomisation'"),
        ({"correction": "sidak"}, "no correction"),
        ({"interval": "wald"}, "one of 't', 'bca'"),
        ({"test": "randomisation", "resamples": 0}, "number of resamples must be a positive integer, not 0"),
        ({"test": "bootstrap", "resamples": 9.5}, "positive integer, not 9"),
        ({"test": "randomisation", "seed": -1}, "the seed must be a non-negative integer, not -1"),
        ({"interval": "bca", "seed": "x"}, "the seed must be a non-negative integer, not 'x'"),
        ({"test": "tost", "margin": float("nan")}, "needs a margin above 0"),
        ({"test": "tt"}, "did you mean"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, said):
    with pytest.raises(BadSetting, match=said):
        compared(SYSTEMS, **settings)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "randomisation"])
def test_units_too_few_to_find_anything_are_noted(test):
    found = compared({"a": [1.0, 2, 3, 4.5], "b": [0.0, 0, 0, 0]}, test=test)
    assert found.rows[0].p == pytest.approx(0.125)
    assert found.notes[0] == (
        "with 4 nonzero differences, this test cannot give a p-value below 0.125: nothing can be significant at level "
        "0.05"
    )


def test_samples_add():
    left = Samples(("a", "b"), ("q1",), np.array([[1.0], [2.0]]))
    right = Samples(("a", "b"), ("q2",), np.array([[3.0], [4.0]]))
    assert (left + right).values.tolist() == [[1, 3], [2, 4]]
    with pytest.raises(BadInput):
        left + Samples(("a",), ("q2",), np.array([[3.0]]))


@pytest.mark.parametrize(("lost", "said"), [(1, "1 of 4 queries, left out"), (2, "2 of 4 queries, left out")])
def test_the_queries_left_out_are_counted_in_good_english(lost, said):
    qrels = {str(query): {"d": 1} for query in range(4)}
    runs = {"a": {query: {"d": 1.0} for query in qrels}, "b": {query: {"x": 1.0} for query in list(qrels)[lost:]}}
    with pytest.warns(cranfield.errors.CranfieldWarning):
        found = cranfield.evaluate(qrels, runs, "AP", missing="skip").compare()
    assert any(said in note for note in found.notes)
