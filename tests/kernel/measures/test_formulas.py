"""The formulas that the documentation prints give the values of all measures, whatever their settings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any, get_args

import numpy as np
import pytest

from cranfield.measures.declaration import Declaration, Kind, algorithms, formulas, variants
from cranfield.measures.registry import Measure, bound, declarations
from cranfield.settings import Setting
from kernel.measures.formula_evidence import EXAMPLES
from kernel.measures.formula_values import value
from reference.preferences import per_query

EVERY = [declared for kind in get_args(Kind) for declared in declarations(kind).values()]
START: dict[str, Any] = {"collection": 200, "recall": 0.3, "level": 0.8, "quantile": 0.75, "k": 8}
DEEP = 1000  # the default cutoff of user models: formulas are slow there and evaluated once

# what a setting is tried with, if not all its choices and the numbers below
TRIED: dict[str, tuple[Any, ...]] = {
    "rel": (2, 3, 0.5),
    "k": (1, 3, 12),  # fewer documents are retrieved
    "unjudged": (0, 2),
    "of": ("P@3",),
    "baseline": ("other",),
    "collection": (300,),
    "power": (-1, 1, 1.5, 2, 3),
    "level": (0.5,),
    "quantile": (0.25, 0.9),
    "top": (1, 2, 3),
    "bottom": (0.5,),
    "clip": (0.1,),
    "popular": (3, 20),
    "bins": (1, 4),
    "fallout": (0.15, 0.4),
    "depth": (3, 30),
}
NUMBERS = (0, 0.15, 0.4, 0.9, 2, 3, 90, inf)


def test_every_measure_has_a_formula_or_an_algorithm() -> None:
    assert sorted([*formulas(), *algorithms()]) == sorted((one.kind, one.name) for one in EVERY)
    assert {*variants()} <= {*formulas()}


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")  # random data may look odd
@pytest.mark.parametrize("declared", EVERY, ids=lambda one: f"{one.kind}-{one.name}")
def test_a_formula_holds_for_every_setting(declared: Declaration) -> None:
    settings = declared.settings
    required = bound(declared, {name: START[name] for name, own in settings.items() if own.required})
    start = required(k=START["k"]) if required.options.get("k") == DEEP else required
    _checked([required], np.random.default_rng(0))
    without_effect = {*settings} - NO_EFFECT.get(declared.name, set())
    for seed in range(20):
        without_effect -= _with_effect(start, np.random.default_rng(seed))
        if seed and not without_effect:
            return
    pytest.fail(f"{declared.name}: no effect of {without_effect}, so that the formula is not tested with other values")


def _with_effect(start: Measure, random: np.random.Generator) -> set[str]:
    """The settings that have an effect on random data; the formula must hold with each of them, and with all."""
    settings = start.declaration.settings
    alone = [changed for name in settings for changed in _changed(start, name)]
    together = [_all_changed(start, random) for _ in range(2)]
    all_but_one = [_reset(measure, name, start) for measure in together for name in settings]
    mine = _checked([start, *alone, *together, *all_but_one], random)
    others = {(measure, name): _reset(measure, name, start) for measure in mine for name in settings}
    return {name for (measure, name), other in others.items() if other in mine and mine[other] != mine[measure]}


def _checked(measures: list[Measure], random: np.random.Generator) -> dict[Measure, float]:
    """The values on random data, equal to those of the formulas, which do not tell when a value is undefined."""
    example = EXAMPLES[measures[0].declaration.evidence](measures[0], random)
    tried = list(dict.fromkeys(measures))
    mine = dict(zip(tried, example.values(tried), strict=True))
    for measure, found in mine.items():
        if not np.isnan(found):
            algorithm = ALGORITHMS[measure.name] if measure.declaration.algorithm else value
            wanted = algorithm(measure, example.names(measure))
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), str(measure)
    return mine


NO_EFFECT = {"NumQ": {"unjudged"}}


def _changed(measure: Measure, name: str) -> list[Measure]:
    """The measure with one setting changed, in all ways that are tried."""
    return [measure(**{name: tried}) for tried in _tried(measure.declaration.settings[name])]


def _tried(setting: Setting) -> list[Any]:
    """Values of a setting other than its default."""
    numbers = TRIED.get(setting.name, NUMBERS)
    tried = [choice for choice in setting.choices if choice is not None]
    tried += [one for one in numbers if setting.name_of or any(one in allowed for allowed in setting.ranges)]
    tried += [(0.1, 0.35, 1.0)] * setting.numbers + [{0: -0.5, 0.5: 2.5, 2: 0.25}] * setting.gains
    return [one for one in tried if one != setting.default]


def _all_changed(measure: Measure, random: np.random.Generator) -> Measure:
    """The measure with every setting changed; of two that exclude each other, the second."""
    changed = {
        name: tried[random.integers(len(tried))]
        for name, setting in measure.declaration.settings.items()
        if (tried := _tried(setting))
    }
    if "alpha" in changed and measure.declaration.settings["alpha"].default is None:
        changed.pop("beta")
    return measure(**changed)


def _reset(measure: Measure, name: str, start: Measure) -> Measure:
    """The measure with one setting as at the start."""
    others = {one: own for one, own in measure.settings if one != name}
    return bound(measure.declaration, others | {one: own for one, own in start.settings if one == name})


def equal_error_rate(measure: Measure, names: dict[str, Any]) -> float:
    """The false positive rate where straight lines between the points of the ROC curve cross fpr = 1 - tpr."""
    for (x1, y1), (x2, y2) in pairwise(names["roc"]):
        if x2 >= 1 - y2:
            gap, next_gap = 1 - y1 - x1, 1 - y2 - x2
            return float(x1 + (x2 - x1) * gap / (gap - next_gap))
    raise AssertionError("the curve ends at (1, 1)")


def even_groups(measure: Measure, names: dict[str, Any]) -> float:
    """What trec_eval does with too few or too many non-relevant documents, read from its description."""
    form, pairs = measure.options["form"], measure.options["pairs"]
    asked = f"PrefGroupsEven(form={form!r}, pairs={pairs!r})"
    return per_query(names["judgments"], names["run"], asked)[b"q"]


ALGORITHMS: dict[str, Callable[[Measure, dict[str, Any]], float]] = {
    "EER": equal_error_rate,
    "PrefGroupsEven": even_groups,
}
