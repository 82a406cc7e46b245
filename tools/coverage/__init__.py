"""How often 95 % intervals over items cover the true value: the simulation behind docs/reference/coverage.md."""
