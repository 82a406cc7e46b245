"""The documents of the demonstration: docstrings of the standard library of the running Python."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

MODULES = (
    "builtins", "argparse", "array", "asyncio", "base64", "binascii", "bisect", "bz2", "calendar", "cmath",
    "collections", "colorsys", "concurrent.futures", "configparser", "contextlib", "contextvars", "copy", "csv",
    "dataclasses", "datetime", "decimal", "difflib", "email.message", "enum", "faulthandler", "filecmp", "fileinput",
    "fnmatch", "fractions", "ftplib", "functools", "gc", "getpass", "gettext", "glob", "graphlib", "gzip", "hashlib",
    "heapq", "hmac", "html", "html.parser", "http.client", "http.cookies", "http.server", "importlib", "inspect", "io",
    "ipaddress", "itertools", "json", "linecache", "locale", "logging", "logging.handlers", "lzma", "math",
    "mimetypes", "multiprocessing", "operator", "os", "os.path", "pathlib", "pickle", "pkgutil", "platform", "pprint",
    "pstats", "queue", "random", "re", "reprlib", "sched", "secrets", "select", "selectors", "shelve", "shlex",
    "shutil", "signal", "smtplib", "socket", "socketserver", "sqlite3", "ssl", "stat", "statistics", "string", "struct",
    "subprocess", "sys", "sysconfig", "tarfile", "tempfile", "textwrap", "threading", "time", "timeit", "tokenize",
    "traceback", "tracemalloc", "types", "typing", "unicodedata", "unittest", "urllib.error", "urllib.parse",
    "urllib.request", "uuid", "warnings", "wave", "weakref", "webbrowser", "xml.dom.minidom", "xml.etree.ElementTree",
    "zipfile", "zlib", "zoneinfo",
)  # fmt: skip


def documents() -> dict[str, str]:
    """The docstring of each module, class, function and method, by its name, such as `os.path.join`."""
    texts: dict[str, str] = {}
    seen: set[int] = set()  # an object exported by several modules is one document, under its first name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for name, value in _named_values():
            if id(value) not in seen and (text := _docstring(value)):
                seen.add(id(value))
                texts[name] = text
    return texts


def _named_values() -> Iterator[tuple[str, Any]]:
    """The modules, their public functions and classes, and the public methods of these."""
    for module_name, module in _modules():
        prefix = "" if module_name == "builtins" else f"{module_name}."
        yield module_name, module
        for name, value in _public(module):
            yield f"{prefix}{name}", value
            if inspect.isclass(value):
                for attribute in _methods(value):
                    yield f"{prefix}{name}.{attribute}", vars(value)[attribute]


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for name in MODULES:
        try:
            yield name, importlib.import_module(name)
        except ImportError:  # not part of this build, as sqlite3 may not be, or removed from a newer Python
            continue


def _public(module: ModuleType) -> list[tuple[str, Any]]:
    """The names in the module's `__all__` or, without it, those it defines; original names before aliases."""
    listed = getattr(module, "__all__", None)
    values = [(name, getattr(module, name, None)) for name in listed or vars(module) if not name.startswith("_")]
    documented = [
        (name, value)
        for name, value in values
        if (inspect.isclass(value) or inspect.isroutine(value)) and (listed or _is_at_home(value, module))
    ]
    return sorted(documented, key=lambda pair: (getattr(pair[1], "__name__", "") != pair[0], pair[0]))


def _is_at_home(value: Any, module: ModuleType) -> bool:
    """Whether the value is defined in the module's package, or in its C part, such as `_sqlite3`."""
    home = str(getattr(value, "__module__", ""))
    return home.partition(".")[0].lstrip("_") == module.__name__.partition(".")[0]


def _methods(kind: type) -> Iterator[str]:
    """The public methods and properties that the class itself defines, without functions stored as attributes."""
    for name, value in vars(kind).items():
        routine = inspect.isroutine(value) or isinstance(value, staticmethod | classmethod)
        defined = routine and getattr(value, "__qualname__", "") == f"{kind.__qualname__}.{name}"
        if not name.startswith("_") and (defined or isinstance(value, property)):
            yield name


def _docstring(value: Any) -> str:
    docstring = getattr(value, "__doc__", None)  # inspect.getdoc would fall back on the base class
    # Python 3.14 has a docstring whose author forgot to escape a backslash
    return inspect.cleandoc(docstring).replace("\0", r"\0") if isinstance(docstring, str) else ""
