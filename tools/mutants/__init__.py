"""Mutation testing: small faults put into the code one at a time, to see whether the tests notice.

`make mutants` tries a sample of 300 and fails if fewer than nine in ten are noticed.
"""
