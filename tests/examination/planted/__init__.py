"""Data sets with one planted problem each, and clean ones: a module per subject, found by itself.

A module declares functions that take a random generator and return what is examined:

    @problem("short-run")                 # the rules that would be right
    def truncated_run(rng): ...

    @clean({"n": 50}, {"n": 200})         # in two variants
    def two_systems(rng, n): ...

A clean set has no problem by construction: not even a serious or cautious finding may be made of it.
"""
