"""How properties are tried: the same examples on every machine, and few enough to be quick."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "tests", max_examples=25, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")
