"""Methods of results that later rooms provide, such as plots, resolved by name on first use.

Results must not depend on the code that plots, examines or compares them. The package registers the provider of each
method, and a result only knows the name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_PROVIDERS: dict[str, str] = {}


def provide(ability: str, provider: str) -> None:
    """Register a function of a result, written `module:function`, as the provider of a method."""
    _PROVIDERS[ability] = provider


def provided(ability: str) -> Callable[..., Any]:
    """The function that provides a method."""
    module, _, function = _PROVIDERS[ability].partition(":")
    return getattr(importlib.import_module(module), function)
