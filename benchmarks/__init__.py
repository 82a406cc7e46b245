"""cranfield beside its peers, in one run: `python -m benchmarks`."""

BENCHMARKS = ("startup", "rankings", "labels", "inference")  # each a module here with `cases(quick)`
