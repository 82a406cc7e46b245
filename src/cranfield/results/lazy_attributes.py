"""Abilities of results that later rooms provide, such as plots, found by name when they are first used.

Results must not know who draws, examines or compares them. So the package names the provider of each ability, and a
result only knows the name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_PROVIDERS: dict[str, str] = {}


def provide(ability: str, provider: str) -> None:
    """Let a function of a result, written `module:function`, provide an ability."""
    _PROVIDERS[ability] = provider


def provided(ability: str) -> Callable[..., Any]:
    """The function that provides an ability."""
    module, _, function = _PROVIDERS[ability].partition(":")
    return getattr(importlib.import_module(module), function)
