"""cranfield beside its peers, in one run: `python -m benchmarks`."""

# each is a module here with `cases(quick)`
BENCHMARKS = ("startup", "rankings", "scaling", "labels", "inference", "plots")
