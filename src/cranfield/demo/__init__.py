"""A complete experiment on installed data: the docstrings of the standard library, and scikit-learn's data sets."""
