"""Views: what a later room makes of a result, such as its plots, provided by name and fetched when first asked for.

Results must not know who draws them. So whoever does says under which name, and a result only knows the name.
"""

from __future__ import annotations

import importlib
from typing import Any

_PROVIDERS: dict[str, str] = {}


def provide(name: str, provider: str) -> None:
    """Let the attribute of this name be made by a function of the result, written `module:function`."""
    _PROVIDERS[name] = provider


class View:
    """An attribute that a provider makes of the object it is asked of."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, result: Any, owner: type | None = None) -> Any:
        """The view, or this description of it where a class is asked."""
        if result is None:
            return self
        module, _, function = _PROVIDERS[self._name].partition(":")
        return getattr(importlib.import_module(module), function)(result)
