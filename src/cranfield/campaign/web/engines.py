"""Engines from which coordinators may fetch runs: those that the administrator listed, and no other address."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cranfield.errors import BadInput
from cranfield.fetching.fetch import checked_settings

Engines = Mapping[str, Mapping[str, Any]]  # settings of `fetch` by name
LONGEST_WAIT, TRIES = 30.0, 3  # seconds for an answer, and how often a query is asked: somebody waits for the page


def read_engines(path: str) -> Engines:
    """The engines in a TOML file: a table for each, with url and the settings of `cranfield fetch`."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not a TOML file: {error}") from None
    engines = {}
    for name, settings in content.items():
        if not isinstance(settings, dict):
            raise BadInput(f"{path}: {name} is not a table: write each engine under its name, [{name}]")
        engines[name] = checked_settings(settings, f"{path}, {name}", str(Path(path).parent))
        if "url" not in settings:
            raise BadInput(f"{path}, {name}: url is missing")
    return engines


def only_at(url: str) -> Callable[[str], bool]:
    """Whether an address is at the host and port of this one."""
    known = urlsplit(url)

    def allowed(address: str) -> bool:
        target = urlsplit(address)
        return (target.scheme, target.hostname, target.port) == (known.scheme, known.hostname, known.port)

    return allowed
