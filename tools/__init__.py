"""Generators of what the documentation and the tests rely on."""
