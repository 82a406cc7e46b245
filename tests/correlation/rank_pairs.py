"""The correlation of two rankings as a number."""

from __future__ import annotations

from typing import Any

import cranfield


def correlate(first: Any, second: Any, method: str = "tau-b", **settings: Any) -> float:
    """The coefficient of two rankings; NaN if it is undefined."""
    return float(cranfield.correlate(first, second, method, **settings))
