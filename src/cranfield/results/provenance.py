"""Where figures come from: what was read, how it was counted, and with what."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Origin:
    """One input: what it is called, what it is, and the digest of its content if it came from a file."""

    role: str
    name: str
    form: str
    digest: str | None = None


@dataclass(frozen=True)
class Provenance:
    """All that is needed to get the same figures again."""

    inputs: tuple[Origin, ...]
    settings: Mapping[str, Any]
    warnings: tuple[str, ...]
    measures: Mapping[str, Mapping[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """All of it, with the versions of what computed it, for JSON."""
        from importlib.metadata import version  # slow to import, and seldom asked for

        return {
            "inputs": [vars(origin) for origin in self.inputs],
            "settings": dict(self.settings),
            "measures": {name: dict(options) for name, options in self.measures.items()},
            "warnings": list(self.warnings),
            "versions": {name: version(name) for name in ("cranfield", "numpy", "pyarrow")}
            | {"python": platform.python_version()},
        }
