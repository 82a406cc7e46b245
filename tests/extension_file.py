"""The extension in C from another file than the installed one, such as a build with sanitizers."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys

import cranfield

VARIABLE = "TEST_EXTENSION"  # the environment variable with the path of the file


def use() -> None:
    """Load the extension that the environment names, if any, in place of the installed one."""
    path = os.environ.get(VARIABLE)
    if path is None:
        return
    name = "cranfield._native"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    cranfield._native = sys.modules[name] = importlib.util.module_from_spec(spec)  # type: ignore[attr-defined]
    loader.exec_module(sys.modules[name])
