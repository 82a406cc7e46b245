"""Risk-sensitive measures: gains and losses on single queries compared with a baseline or with all systems."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.system_values import Gains, SystemValues
from cranfield.measures.registry import measure
from cranfield.settings import NonNegative

_ANY = (-np.inf, np.inf)
_ONE_SYSTEM = "only one system was evaluated"
_NO_VALUE = "the measure is undefined for the system or the baseline"
_overall = partial(measure, aggregate="micro", pools=True)  # one value for all queries


@measure(
    "RI",
    title="Robustness index",
    cite="collinsthompson2009",
    bounds=(-1, 1),
    names=("RobustnessIndex", "ReliabilityOfImprovement"),
    undefined=_NO_VALUE,
)
def robustness_index(gains: Gains) -> Floats:
    """Proportion of queries that improve on the baseline minus the proportion that it hurts.

    A query has the value 1, 0 or -1.
    """
    return gains.mean(np.sign(gains.gain))


@measure("URisk", title="Risk-sensitive utility", cite="wang2012", bounds=_ANY, undefined=_NO_VALUE)
def risk_sensitive_utility(gains: Gains, *, alpha: NonNegative = 1) -> Floats:
    """Mean difference from the baseline, with losses weighted 1 + alpha.

    With alpha=0 it is the difference of the means. Comparing it with the baseline, whose own URisk is 0, by a t-test
    gives TRisk and its p-value.
    """
    return gains.mean(gains.weighted(alpha))


@_overall(
    "TRisk",
    title="Studentised risk-sensitive utility",
    cite="dincer2014",
    bounds=_ANY,
    undefined="there are fewer than two queries, or the gains do not vary, as for the baseline itself",
)
def studentised_risk(gains: Gains, *, alpha: NonNegative = 1) -> Floats:
    """URisk divided by its standard error: a t statistic with one degree of freedom less than there are queries.

    Below about -2 the system is significantly riskier than the baseline, above about 2 significantly better even with
    losses weighted. The variance has the divisor n - 1, as in the t-test; some programs divide by n.
    """
    weighted = gains.weighted(alpha)
    return ratio(gains.mean(weighted), gains.error(weighted))


@_overall("ZRisk", title="Risk against all systems", cite="dincer2016", bounds=_ANY, undefined=_ONE_SYSTEM)
def risk_against_all(values: SystemValues, *, alpha: NonNegative = 1) -> Floats:
    """Sum of standardised differences from the values expected from all systems, with losses weighted 1 + alpha.

    The expected value is the total of the system times the total of the query, divided by the grand total; a
    difference is divided by its square root. The value depends on which other systems are evaluated.
    """
    if values.values.shape[1] < 2:
        return np.full(len(values), np.nan)
    z = np.nan_to_num(ratio(values.value - values.expected, np.sqrt(values.expected)))
    return values.sum(np.where(z < 0, 1 + alpha, 1.0) * z)


@_overall(
    "GeoRisk",
    title="Geometric mean of effectiveness and risk",
    cite="dincer2016",
    bounds=(0, np.inf),
    undefined=_ONE_SYSTEM,
)
def geometric_risk(values: SystemValues, *, alpha: NonNegative = 1) -> Floats:
    """Square root of the mean value times the normal probability of ZRisk per query.

    The value depends on which other systems are evaluated.
    """
    z = ratio(risk_against_all(values, alpha=alpha), values.n)
    return np.sqrt(values.mean(values.value) * _normal(z))


def _normal(z: Floats) -> Floats:
    """The distribution function of the standard normal distribution."""
    return np.array([math.erfc(-one / math.sqrt(2)) / 2 for one in z])
