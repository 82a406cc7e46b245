"""Altair and vl-convert, imported when a plot is first drawn."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cranfield.errors import MissingExtra, pip_line
from cranfield.forks import SharedLock


class Extra:
    """A module of an optional dependency, imported when one of its names is first used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        try:
            module = importlib.import_module(self._module)
        except ImportError:
            raise MissingExtra(f"plots need Altair: {pip_line('plots')}") from None
        return getattr(module, name)


if TYPE_CHECKING:
    import altair as alt
    import vl_convert
    from altair.typing import ChartType as Chart
else:
    Chart = Any
    alt = Extra("altair")
    vl_convert = Extra("vl_convert")

_building = SharedLock()  # Altair's mode applies to the whole process


@contextmanager
def without_checks() -> Iterator[None]:
    """Altair without schema validation, which takes most of the time; the tests validate every plot."""
    debug_mode = Extra("altair.utils.schemapi").debug_mode
    with _building, debug_mode(False):
        yield


__all__ = ["Chart", "alt", "vl_convert", "without_checks"]
