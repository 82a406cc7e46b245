"""What is said of differences names the test, what it was corrected for, and the leader with its rivals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cranfield import examine
from cranfield.comparison.compare import compare_samples as compare
from cranfield.comparison.result import Comparison
from cranfield.evidence.samples import samples
from cranfield.present.findings.rules import Finding
from cranfield.results.samples import directed
from examination.pictured import pictured

NOISE = 0.1 * np.resize([1.0, -1.0, 0.5, -0.5], 20)


def four(measure: str = "AP", **settings: Any) -> Comparison:
    """Systems a to d, each a little ahead of the next, the last far behind."""
    base = np.full(20, 0.5)
    values = {"d": base - 0.4, "c": base - NOISE, "b": base + 0.01 + NOISE[::-1], "a": base + 0.03 + 2 * NOISE}
    return compare(directed({measure: samples(values)}), **settings)


def found(rule: str, *things: object) -> Finding:
    (one,) = [finding for finding in examine(*things) if finding.rule == rule]
    return one


def test_the_leader_and_its_nearest_rival_come_first() -> None:
    one = found("not-significant", four())
    assert one.sentence.startswith(
        "AP: b (0.51) and a (0.53) differ by 0.02, not statistically significant (paired t-test"
    )
    assert "; nor is a significantly better than c; detecting" in one.sentence
    assert one.sentence.endswith("; in total this applies to 3 of 6 differences.")


def test_where_low_is_good_the_leader_is_the_lowest() -> None:
    one = found("not-significant", four("LogLoss", baseline="c"))
    assert {one.subject["system"], one.subject["other"]} == {"b", "c"}


def test_the_test_and_the_correction_are_said() -> None:
    sentence = found("not-significant", four()).sentence
    assert "(paired t-test, p = 1 adjusted by Holm over 6 comparisons, 0.7 unadjusted)" in sentence


@pytest.mark.parametrize("correction", [None, "none"])
def test_a_test_of_all_systems_is_said_to_allow_for_all_pairs(correction: str | None) -> None:
    sentence = found("not-significant", four(test="tukey", correction=correction)).sentence
    assert "(Tukey's HSD after two-way ANOVA, p = " in sentence
    assert "adjusted by the test itself, over all pairs of systems)" in sentence
    assert " CI " not in sentence


def test_a_one_sided_test_is_said_to_be_one() -> None:
    assert "one-sided paired t-test" in found("not-significant", four(alternative="greater")).sentence


def test_queries_needed_allow_for_the_same_comparisons_as_the_test() -> None:
    alone, among = (found("not-significant", four(correction=correction)) for correction in ("none", "holm"))
    assert f"detecting a difference of this size takes {among.figures['needed']:,} queries" in among.sentence
    assert among.figures["needed"] > alone.figures["needed"] > 20


def test_findings_of_a_result_are_those_of_its_comparison() -> None:
    result = pictured("RR AP", old=["-+", "+", "-+"], new=["+", "+", "--+"])
    assert found("not-significant", result).sentence == found("not-significant", result.compare()).sentence


def test_pairs_that_were_not_tested_are_said_to_be() -> None:
    values = {"a": [0.5, 0.4, 0.7], "up": [0.6, 0.5, 0.8], "top": [0.7, 0.6, 0.9], "other": [0.1, 0.9, 0.3]}
    sentence = found("not-tested", compare({"AP": samples(values)})).sentence
    assert sentence.startswith("AP: a (0.53) and up (0.63) differ by 0.10, not tested: the difference is the same on")
    assert sentence.endswith("so it has no variance; in total this applies to 3 of 6 differences.")
