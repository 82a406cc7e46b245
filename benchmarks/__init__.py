"""cranfield beside its peers, in one run: `python -m benchmarks`."""

BENCHMARKS = ("startup", "rankings")  # each a module here with `cases(quick)`
