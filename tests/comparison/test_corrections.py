"""Corrections, with statsmodels and SciPy as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from cranfield.errors import BadSetting
from cranfield.statistics.effects import CORRECTIONS, adjusted

P = arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1))


@given(p=P)
def test_holm_and_bonferroni_are_statsmodels(p):
    for name in ("holm", "bonferroni"):
        assert adjusted(p, name) == pytest.approx(multipletests(p, method=name)[1], abs=1e-12)


@given(p=P)
def test_benjamini_hochberg_is_scipys(p):
    assert adjusted(p, "benjamini-hochberg") == pytest.approx(false_discovery_control(p), abs=1e-12)


@given(p=P)
@pytest.mark.parametrize("name", list(CORRECTIONS))
def test_a_correction_keeps_the_order_and_never_makes_a_p_smaller(name, p):
    after = adjusted(p, name)
    assert (after >= p).all()
    assert (after <= 1).all()
    assert (np.diff(after[np.argsort(p, kind="stable")]) >= 0).all()


def test_an_unknown_correction_is_answered_with_those_there_are():
    with pytest.raises(BadSetting, match="holm, bonferroni, benjamini-hochberg"):
        adjusted(np.array([0.5]), "sidak")
