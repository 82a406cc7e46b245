"""Limits on input: against endless lines, and files that decompress to far more than their size.

Decided here: how large an input may be, and how far it may expand (decompression bombs).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import NoReturn

from cranfield.errors import BadInput, BadSetting

MEMORY, LINE, RATIO = "CRANFIELD_MAX_MEMORY", "CRANFIELD_MAX_LINE", "CRANFIELD_MAX_RATIO"
SMALL = 64 << 20  # decompressed size in bytes that is always allowed

_COPIES = 4  # memory needed to parse an input, as a multiple of its size
_SIZE = re.compile(r"([0-9]+)\s*([KMGT]?)(i?B)?", re.IGNORECASE)
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_GROUP = "/sys/fs/cgroup/memory.max"


@dataclass
class Limits:
    """Limits on input; each is set by an environment variable or by assignment.

    `memory` in bytes limits each input held in memory and, on the command line, the whole process;
    `line` is the longest line in bytes; `ratio` limits the decompressed size as a multiple of the compressed one.
    """

    memory: int = field(default_factory=lambda: _from_environment(MEMORY) or _machine())
    line: int = field(default_factory=lambda: _from_environment(LINE) or 64 << 20)
    ratio: int = field(default_factory=lambda: _from_environment(RATIO) or 200)

    def require_memory(self, n_bytes: int, name: str) -> None:
        """Refuse an input that would need more memory than allowed."""
        if _COPIES * n_bytes > self.memory:
            raise BadInput(f"{name}: too large for {readable_size(self.memory)} of memory; {MEMORY} sets the limit")

    def refuse_line(self, where: str) -> NoReturn:
        """Refuse a line that is longer than the limit."""
        raise BadInput(f"{where}: the line is longer than {readable_size(self.line)}; {LINE} sets the limit")

    def unpacked(self, packed: int) -> int:
        """The number of bytes to which a file of this size may decompress."""
        return max(SMALL, self.ratio * packed)

    def require_ratio(self, n_bytes: int, packed: int, name: str) -> None:
        """Refuse a file that decompresses to too many times its size."""
        if n_bytes > self.unpacked(packed):
            raise BadInput(f"{name}: decompresses to more than {self.ratio} times its size; {RATIO} sets the limit")


def readable_size(n_bytes: int) -> str:
    """A size in readable units."""
    unit = next((unit for unit in "TGMK" if n_bytes >= 1 << _UNITS[unit]), "")
    return f"{n_bytes / (1 << _UNITS[unit]):.3g} {unit}B"


def _from_environment(variable: str) -> int | None:
    """The value of an environment variable, if it is set."""
    text = os.environ.get(variable, "").strip()
    if not text:
        return None
    size = _SIZE.fullmatch(text)
    if not size or int(size[1]) == 0:
        raise BadSetting(f"{variable}: {text[:40]!r} is not a positive number such as 500, 64M or 8G")
    return int(size[1]) << _UNITS[size[2].upper()]


def _machine() -> int:
    """Four fifths of the memory of this machine, or of the container that this process runs in."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open(_GROUP) as limit:
            memory = min(memory, int(limit.read()))
    except (OSError, ValueError):  # not in a container, or without a limit
        pass
    return memory * 4 // 5


limits = Limits()
