"""A system, a measure, or both give the values of a result."""

from __future__ import annotations

import pytest

import cranfield
from cranfield.errors import BadSetting, UnknownMeasure
from laws.verb_calls import result_of

NAMED = ["evaluate", "evaluate_sample", "classify", "regress", "regress groups"]


@pytest.mark.parametrize("name", [name for name in NAMED if name != "classify"])
def test_a_system_or_a_measure_gives_a_mapping_and_both_a_number(name: str) -> None:
    result = result_of(name)
    for system in result.systems:
        assert result[system] == {str(measure): result[system, measure] for measure in result.measures}
    for measure in result.measures:
        assert result[measure] == result[str(measure)] == {s: result[s, str(measure)] for s in result.systems}
        assert isinstance(result[result.systems[0], measure], float)


@pytest.mark.parametrize("name", [*NAMED, "compare", "compare values", "cross_validate", "cross_entropy"])
def test_the_mapping_of_a_system_has_the_values_that_are_printed(name: str) -> None:
    result = result_of(name)
    system = result.intervals.systems[0] if result.kind == "comparison" else result.systems[0]
    shown = result.shown(every=True) if result.kind in ("classification", "regression") else str(result)
    for measure, value in result[system].items():
        assert result[system, measure] == value
        by_system = result[measure]
        assert (by_system[system] if isinstance(by_system, dict) else by_system) == value
        assert value == 0 or f"{value:.4f}".rstrip("0").rstrip(".") in shown
    with pytest.raises(BadSetting, match="'nobody'"):
        result["nobody", measure]


def test_an_unknown_name_is_compared_with_the_systems_and_the_measures() -> None:
    with pytest.raises(
        UnknownMeasure, match=r"no system or measure 'dens'; did you mean dense\? \(available: bm25, dense"
    ):
        result_of("evaluate")["dens"]
    with pytest.raises(UnknownMeasure, match=r"no system or measure 'nDGC@10'; did you mean nDCG@10\?"):
        result_of("evaluate")["nDGC@10"]


def test_the_means_that_a_comparison_compares_have_the_names_of_their_measures() -> None:
    compared = cranfield.compare({"a": {"q": 0.1, "r": 0.5}, "b": {"q": 0.3, "r": 0.9}})
    assert compared["b", "value"] == pytest.approx(0.6)
    assert compared["value"] == pytest.approx({"a": 0.3, "b": 0.6})
    assert result_of("compare")["dense", "map"] == pytest.approx(result_of("evaluate")["dense", "AP"])
    with pytest.raises(BadSetting, match="RR was not compared"):
        result_of("compare")["dense", "RR"]


def test_a_measure_of_the_only_system_is_a_number() -> None:
    result = cranfield.evaluate({"q": {"a": 1}}, {"AP": {"q": {"a": 1}}}, ["RR", "P@1"])
    assert result["RR"] == 1.0
    assert result["AP"] == {"RR": 1.0, "P@1": 1.0}  # the system, since the measure was not evaluated
    with pytest.raises(BadSetting, match=r"nDCG was not evaluated; available: RR, P@1"):
        result["nDCG"]


def test_a_system_that_is_called_like_a_measure_is_asked_for_with_one() -> None:
    result = cranfield.evaluate({"q": {"a": 1}}, {"map": {"q": {"a": 1}}}, ["AP"])
    with pytest.raises(BadSetting, match=r"'map' is both a system and a measure; use result\[system, measure\]"):
        result["map"]
    assert result["map", "map"] == 1.0
