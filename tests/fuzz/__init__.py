"""Checks on random data: fixed seeds in `make test`, random ones in `make fuzz`."""
