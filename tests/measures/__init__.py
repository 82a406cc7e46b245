"""Measures on tiny data, worked out by hand, and beside those of other tools."""
