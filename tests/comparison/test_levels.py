"""Levels and confidences lie between 0 and 1, and are 0.05 and 0.95 where nobody says otherwise."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

from cranfield.errors import BadSetting
from cranfield.statistics import agreement, effects, intervals, latent, simultaneous
from cranfield.statistics.distributions import require_confidence, require_level
from cranfield.statistics.tests import find, known_tests

NEITHER = [0, 1, -0.5, 1.5, 95, float("nan"), float("inf"), True, "0.95", None]


@pytest.mark.parametrize("given", NEITHER, ids=repr)
@pytest.mark.parametrize("require", [require_level, require_confidence])
def test_what_is_no_share_is_refused(require, given) -> None:
    with pytest.raises(BadSetting, match="must lie between 0 and 1"):
        require(given)


@pytest.mark.parametrize("given", [1e-8, 0.05, 0.5, 0.95, 1 - 1e-8])
def test_what_lies_between_is_taken_as_it_is(given: float) -> None:
    assert require_level(given) == require_confidence(given) == given


@pytest.mark.parametrize("module", [agreement, effects, intervals, latent, simultaneous])
def test_defaults_are_those_everybody_expects(module: ModuleType) -> None:
    functions = [each for _, each in inspect.getmembers(module, inspect.isfunction)]
    functions += [find(name).function for name in known_tests()]
    for function in functions:
        parameters = inspect.signature(function).parameters
        for name, usual in (("confidence", 0.95), ("level", 0.05)):
            if name in parameters and parameters[name].default is not inspect.Parameter.empty:
                assert parameters[name].default == usual, function.__name__
