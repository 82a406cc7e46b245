"""cranfield beside its peers, in one run: `python -m benchmarks`."""

# each is a module here with `cases(quick)`
BENCHMARKS = ("startup", "rankings", "scaling", "volume", "labels", "inference", "plots")
