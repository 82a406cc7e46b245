"""Conventional labels of coefficients, such as “substantial” for a kappa of 0.7.

Decided here: when a coefficient is called good.
"""

from __future__ import annotations

import math

from cranfield.rounding import LONG_SUMS

# the bands and words of Landis and Koch (1977): for values above these; below 0, agreement is poor
AGREEMENT = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))
AREA = ((0.9, "excellent"), (0.8, "good"), (0.7, "fair"), (0.6, "poor"))  # for values of at least these


def agreement_label(value: float) -> str:
    """The label of a chance-corrected agreement.

    >>> agreement_label(0.7), agreement_label(0.09), agreement_label(0.0), agreement_label(-0.1)
    ('substantial', 'slight', 'slight', 'poor')
    """
    if math.isnan(value):
        return ""
    if value < -LONG_SUMS:
        return "poor"
    return next((label for above, label in AGREEMENT if value - above > LONG_SUMS), AGREEMENT[-1][1])


def area_label(area: float) -> str:
    """The label of an area under the ROC curve.

    >>> area_label(0.9), area_label(0.5)
    ('excellent', 'fail')
    """
    return next((label for least, label in AREA if area >= least), "fail")
