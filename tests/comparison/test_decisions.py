"""What a comparison says of itself fits the test that was run, and what it cannot do is refused in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cranfield
from cranfield.comparison.compare import compare_samples as compare
from cranfield.comparison.tables import differences
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import samples
from cranfield.statistics.power import smallest_difference
from cranfield.statistics.tests import find, known_tests

RNG = np.random.default_rng(4)
VALUES = dict(zip("abc", RNG.random((3, 12)), strict=True))
TWO = {"a": VALUES["a"], "b": VALUES["b"]}
DEVIATION = float(np.std(VALUES["a"] - VALUES["b"], ddof=1))


def decision(values: dict[str, np.ndarray], **settings: object) -> str:
    found = cranfield.compare(values, **settings)
    return found.steps(found.rows[0]).split("decision: ")[1]


def test_what_a_one_sided_test_would_have_missed():
    missed = smallest_difference(12, DEVIATION, alternative="greater")
    assert f"a mean difference under {missed:.3g} would" in decision(TWO, alternative="greater")
    assert f"a mean difference above -{missed:.3g} would" in decision(TWO, alternative="less")


def test_what_a_test_of_folds_would_have_missed():
    missed = smallest_difference(12, DEVIATION * np.sqrt(1 + 12 / 11))
    assert f"a mean difference under {missed:.3g} would" in decision(TWO, test="corrected t", overlap=1 / 11)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "tukey", "nemenyi", "randomisation", "bootstrap"])
def test_no_test_but_ts_says_what_it_would_have_missed(test):
    assert "missed" not in decision(TWO, test=test)


def test_after_a_correction_at_least_as_much_would_have_been_missed():
    assert decision(VALUES).endswith("detected with a power below 0.8 even without the correction")
    assert decision(VALUES, correction="none").endswith("detected with a power below 0.8")


def test_a_level_beyond_the_power_asks_nothing_of_it():
    assert np.isnan(cranfield.compare(TWO, level=0.9).rows[0].detectable)


def test_the_null_of_nemenyi_is_of_ranks():
    found = cranfield.compare(VALUES, test="nemenyi")
    assert "H0: a and b have the same mean rank" in found.steps(found.rows[0])


@pytest.mark.parametrize(
    ("test", "variant", "symbol"),
    [("mcnemar", "chi-square", "chi-square = "), ("5x2cv", "t", "t = "), ("5x2cv", "F", "F = ")],
)
def test_the_statistic_is_named_as_the_form_has_it(test, variant, symbol):
    right = {"a": [1, 1, 1, 0, 1, 1, 0, 1, 1, 1], "b": [0, 0, 1, 1, 0, 1, 0, 0, 1, 0]}
    found = cranfield.compare(right, test=test, variant=variant)
    assert f"statistic: {symbol}" in found.steps(found.rows[0])


def test_the_chi_square_of_mcnemar_is_printed_as_it_is():
    wins, losses = [1] * 9 + [0] * 3, [0] * 9 + [1] * 3
    (row,) = cranfield.compare({"a": wins, "b": losses}, test="mcnemar", variant="chi-square").rows
    assert row.statistic == 25 / 12


@pytest.mark.parametrize("test", ["mcnemar", "5x2cv"])
def test_an_unknown_variant_is_refused(test):
    with pytest.raises(BadSetting, match=f"variant of the test '{test}' must be one of .*, not 'f'"):
        cranfield.compare({"a": [1, 0] * 5, "b": [0, 0] * 5}, test=test, variant="f")


def test_a_test_of_all_systems_allows_for_all_pairs_also_those_not_asked_for():
    found = cranfield.compare(VALUES, "a", test="tukey")
    assert "(the test itself, over all pairs of systems)" in found.steps(found.rows[0])
    assert "adjusted p: the test itself, over all pairs of systems" in differences(found, 4).notes


def test_too_few_differences_are_counted_without_ties_and_after_the_correction():
    few = {"a": [1, 2, 3, 4, 5, *[0] * 20], "b": [0] * 25}
    (note,) = cranfield.compare(few, test="sign").notes
    assert note.startswith("with 5 nonzero differences, this test cannot give a p-value below 0.0625")
    three = {"a": np.arange(1, 7), "b": np.zeros(6), "c": -np.arange(2, 8)}
    assert cranfield.compare(three, test="sign", correction="none").notes == ()
    (note,) = cranfield.compare(three, test="sign").notes
    assert "cannot give a p-value below 0.09375 after Holm over 3 comparisons" in note


def test_folds_that_share_training_data_are_noted_where_a_test_takes_them_for_independent():
    folds = replace(samples(TWO, "fold"), overlap=1 / 11)
    assert "folds share training data" in cranfield.compare(folds).notes[0]
    assert cranfield.compare(folds, test="corrected t").notes == ()


def test_ten_folds_are_no_halves():
    ten = replace(samples({name: row[:10] for name, row in TWO.items()}, "fold"), overlap=1 / 9)
    with pytest.raises(BadInput, match="use the test 'corrected t'"):
        cranfield.compare(ten, test="5x2cv")
    assert cranfield.compare(replace(ten, overlap=1.0), test="5x2cv").rows


def test_one_sided_tests_have_two_sided_intervals_and_say_so():
    found = cranfield.compare(TWO, alternative="less")
    assert "alternative: less; intervals are always two-sided" in differences(found, 4).notes
    assert found.rows[0].low == cranfield.compare(TWO).rows[0].low


def test_equivalence_has_no_interval_at_a_level_of_a_half():
    with pytest.raises(BadSetting, match=r"a level below 0\.5, not 0\.6"):
        cranfield.compare(TWO, test="tost", margin=0.1, level=0.6)


def test_a_correction_that_does_not_go_with_the_test_is_refused():
    both = {"AP": samples(VALUES), "RR": samples(VALUES)}
    with pytest.raises(BadSetting, match="there is no correction 'nonsense'"):
        cranfield.compare(VALUES, test="tukey", correction="nonsense")
    with pytest.raises(BadSetting, match=r"over measures \(family='all'\), its correction may be bonferroni or none"):
        compare(both, test="tukey", correction="holm")
    assert compare(both, test="tukey").correction == "the test itself"
    assert compare(both, test="tukey", family="all").correction == "the test itself and Bonferroni over 2 measures"
    assert cranfield.compare(VALUES).correction == "holm"


@pytest.mark.parametrize("number", [2, 2.0, np.int64(2), np.float32(2)])
def test_any_number_is_a_baseline(number):
    assert cranfield.compare({"a": [1, 2, 4]}, number).rows[0].baseline_mean == 2


def test_what_is_no_number_is_no_baseline_and_tests_of_all_systems_take_none():
    with pytest.raises(BadSetting, match="baseline must be a system name or a number, not True"):
        cranfield.compare({"a": [1, 2, 4]}, True)
    for test in (name for name, each in known_tests().items() if each.simultaneous):
        with pytest.raises(BadSetting, match="needs a system as baseline, not a number; use the test 't'"):
            cranfield.compare(TWO, 2, test=test)


def test_a_plan_takes_any_number_and_no_baseline_with_it():
    assert cranfield.plan(np.float32(0.1), 0.02).rows[0].needed == 199
    with pytest.raises(BadSetting, match="does not apply to a deviation, which has no systems"):
        cranfield.plan(0.1, 0.02, baseline="zzz")
    assert cranfield.plan(0.1, 0.02, alternative="greater").rows[0].needed < 199


def test_names_that_are_one_as_text_are_refused_and_sets_have_no_order():
    with pytest.raises(BadInput, match="duplicate '1' among the systems"):
        cranfield.compare({1: [1, 2, 3], "1": [2, 3, 5]})
    with pytest.raises(BadInput, match="duplicate '1' among the units of a"):
        cranfield.compare({"a": {1: 0.5, "1": 0.7}, "b": {1: 0.4, "1": 0.2}})
    with pytest.raises(BadInput, match="a: values must be a list, or"):
        cranfield.compare({"a": {0.1, 0.2}, "b": [0.1, 0.2]})


def test_a_comparison_that_is_not_there_is_answered_with_those_that_are():
    found = compare({"AP": samples(VALUES), "P@5": samples(VALUES)})
    assert found.row("a", "b", "map") is found.row("a", "b", "AP")
    with pytest.raises(BadSetting, match=r"'c' has no such comparison; available: a with b on AP, .* b with c on AP"):
        found.row("c", "a", "AP")
    with pytest.raises(BadSetting, match="several comparisons match; choose one of a with b on AP, a with c on AP"):
        found.row("a", measure="AP")


def test_max_t_of_one_measure_is_found_with_the_p_values():
    found = cranfield.compare(VALUES, test="randomisation", correction="max-T")
    alone = cranfield.compare(VALUES, test="randomisation", correction="none")
    assert [row.p for row in found.rows] == [row.p for row in alone.rows]
    assert all(row.adjusted_p >= row.p for row in found.rows)
    assert find("randomisation")(samples(VALUES).pairs()).together is None  # nobody asked for it


@pytest.mark.parametrize(
    ("found", "one"),
    [
        (lambda: cranfield.compare(TWO, test="bootstrap", resamples=1).remarks["value"], "1 resample, seed 0"),
        (
            lambda: cranfield.compare(VALUES, test="randomised tukey", resamples=1).remarks["value"],
            "1 permutation, seed 0",
        ),
        (
            lambda: cranfield.compare({"a": [1, 2], "b": [1, 3]}, test="wilcoxon").remarks["value"],
            "1 difference, zeros",
        ),
        (
            lambda: " ".join(cranfield.compare({"a": [1, 2], "b": [1, 3]}, test="sign").notes),
            "1 nonzero difference,",
        ),
        (lambda: cranfield.compare({"a": [1, 2], "b": [1, 3]}).freedom["value"], "1 degree of freedom"),
        (lambda: cranfield.compare(TWO, test="tukey").freedom["value"], "2 systems, 11 degrees of freedom"),
    ],
)
def test_one_of_a_thing_is_in_the_singular(found, one):
    assert one in found()
