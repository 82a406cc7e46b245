"""Student's quantiles of SciPy, as an oracle."""

from __future__ import annotations

import pytest
import scipy

VERSION = tuple(int(number) for number in scipy.__version__.split(".")[:2])
needs_exact_quantiles = pytest.mark.skipif(VERSION < (1, 17), reason="ten digits are right before SciPy 1.17")
