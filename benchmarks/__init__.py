"""cranfield beside its peers, in one run: `python -m benchmarks`."""

BENCHMARKS = ("startup", "rankings", "labels", "inference", "plots")  # each a module here with `cases(quick)`
