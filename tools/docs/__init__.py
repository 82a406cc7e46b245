"""Generators of the pages and pictures in docs/ that follow from the code."""
