"""Discovery: subjects declare rules and plots in modules or folders of these names, which are found by their names."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Any


def modules_named(name: str) -> list[ModuleType]:
    """The module, or the modules of the folder, with this name in each folder of the package that has one."""
    root = os.path.dirname(__file__)
    modules = []
    for folder in sorted(entry.name for entry in os.scandir(root) if entry.is_dir()):
        path, place = os.path.join(root, folder, name), f"{__package__}.{folder}.{name}"
        if os.path.isfile(f"{path}.py"):
            modules.append(place)
        elif os.path.isfile(os.path.join(path, "__init__.py")):
            modules += [f"{place}.{module}" for module in sorted(entry.name for entry in pkgutil.iter_modules([path]))]
    return [importlib.import_module(module) for module in modules]


# Methods of results that later rooms provide, such as plots, resolved by name on first use.
#
# Results must not depend on the code that plots, examines or compares them. The package registers the provider of each
# method, and a result only knows the name.


_PROVIDERS: dict[str, str] = {}


def provide(ability: str, provider: str) -> None:
    """Register a function of a result, written `module:function`, as the provider of a method."""
    _PROVIDERS[ability] = provider


def provided(ability: str) -> Callable[..., Any]:
    """The function that provides a method."""
    module, _, function = _PROVIDERS[ability].partition(":")
    return getattr(importlib.import_module(module), function)
