"""Conventional labels of coefficients, such as “good” for a kappa of 0.7."""

from __future__ import annotations

import math

from cranfield.evidence.rounding import LONG_SUMS

AGREEMENT = ((0.8, "excellent"), (0.6, "good"), (0.4, "fair"), (0.2, "slight"))  # for values above these
AREA = ((0.9, "excellent"), (0.8, "good"), (0.7, "fair"), (0.6, "poor"))  # for values of at least these


def agreement_label(value: float) -> str:
    """The label of a chance-corrected agreement.

    >>> agreement_label(0.7), agreement_label(0.09)
    ('good', 'task too confusing or dataset too poor')
    """
    lowest = "task too confusing or dataset too poor"
    return "" if math.isnan(value) else next((label for above, label in AGREEMENT if value - above > LONG_SUMS), lowest)


def area_label(area: float) -> str:
    """The label of an area under the ROC curve.

    >>> area_label(0.9), area_label(0.5)
    ('excellent', 'fail')
    """
    return next((label for least, label in AREA if area >= least), "fail")
