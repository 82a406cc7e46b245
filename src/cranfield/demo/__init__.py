"""A whole experiment on data that every installation has: the standard library's docstrings, scikit-learn's data."""
