"""The bytes of a file or of standard input: decompressed, counted and hashed while they are read.

Decided here: how large an input may be, and how far it may expand (decompression bombs).
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakSet

from cranfield.errors import BadInput, BadSetting
from cranfield.native import unset_bytes
from cranfield.tables.adapters.spark_inputs import is_address
from cranfield.tables.readers.recognition import BYTE_ORDER_MARK, compression, refuse_binary

if TYPE_CHECKING:
    import pyarrow as pa


# Limits on input: against endless lines, and files that decompress to far more than their size


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


_MAGIC = 10
_IN_MEMORY = 64 << 20
_WINDOW = 1 << 20
_taken: WeakSet[Any] = WeakSet()


class ReplayedPipe:
    """The content of a pipe, kept while it is read so that it can be reread."""

    closed = False

    def __init__(self, pipe: Any, name: str) -> None:
        from tempfile import SpooledTemporaryFile  # slow to import and only needed for pipes

        self.name = name
        self._pipe = pipe
        self._read_so_far = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115, closed with the reader
        self._n_read = 0
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, from the kept content or from the pipe."""
        if self._at < self._n_read:
            self._read_so_far.seek(self._at)
            data = self._read_so_far.read(size)
        else:
            data = self._pipe.read(size)
            self._read_so_far.seek(self._n_read)
            self._read_so_far.write(data)
            self._n_read += len(data)
            limits.require_memory(self._n_read, self.name)
        self._at += len(data)
        return data

    def readable(self) -> bool:
        """Always readable."""
        return True

    def rewind(self) -> None:
        """Go back to the first byte."""
        self._at = 0

    def tell(self) -> int:
        """The number of bytes read since the start."""
        return self._at

    def close(self) -> None:
        """Do nothing: the pipe may be read again."""

    def __del__(self) -> None:
        self._read_so_far.close()
        if self._pipe not in _taken:
            self._pipe.close()


Source = str | ReplayedPipe


def source(path: str) -> Source:
    """The source of the bytes of a path; `-` is standard input, and a file at an address is fetched by Spark."""
    if path == "-":
        return ReplayedPipe(_standard_input(), "standard input")
    if is_address(path):
        from cranfield.tables.adapters.spark import fetched  # not needed for files

        return ReplayedPipe(io.BytesIO(fetched(path)), path)
    try:
        kind = os.stat(path).st_mode
    except (OSError, ValueError):
        return path
    return path if stat.S_ISREG(kind) or stat.S_ISDIR(kind) else ReplayedPipe(io.BufferedReader(_open(path)), path)


def _standard_input() -> Any:
    pipe = getattr(sys.stdin, "buffer", None)
    if pipe is None:
        raise BadInput("standard input (-) cannot be read here; give a file")
    if pipe in _taken:
        raise BadInput("standard input (-) can be read only once; give files for the other inputs")
    _taken.add(pipe)
    return pipe


class Stream:
    """The decompressed bytes of a file, read once from the start."""

    def __init__(self, source: Source) -> None:
        self.path = source if isinstance(source, str) else None
        self.name = source if isinstance(source, str) else source.name
        self.digest: str | None = None  # once the end was read
        self._hash = hashlib.sha256()
        self._peeked = b""
        self._n_unpacked = 0
        self._raw, start = _rewound(source)
        self._codec = compression(start)
        self._unpacked = self._raw
        self._damage: tuple[type[Exception], ...] = (OSError,)
        if self._codec:
            import pyarrow as pa  # slow to import and only needed for compressed files

            self._damage = (OSError, pa.ArrowException)
            self._raw = _native(self._raw, self.path)
            self._unpacked = pa.CompressedInputStream(self._raw, self._codec)

    @property
    def packed(self) -> bool:
        """Whether the file is compressed."""
        return self._codec is not None

    @property
    def position(self) -> int:
        """The number of bytes of the file on disk that have been read."""
        return self._raw.tell()

    def peek(self, size: int) -> bytes:
        """The next bytes, at least this many unless there are no more, without consuming them."""
        limits.require_memory(size, self.name)
        while len(self._peeked) < size and (data := self._next(size - len(self._peeked))):
            self._peeked += data
        return self._peeked

    def read(self, size: int) -> bytes:
        """The next bytes; empty at the end."""
        if not self._peeked:
            return self._next(size)
        data, self._peeked = self._peeked[:size], self._peeked[size:]
        return data + self._next(size - len(data)) if len(data) < size else data

    @property
    def ended(self) -> bool:
        """Whether the last byte was read."""
        return self.digest is not None and not self._peeked

    def after(self, rest: bytes, size: int) -> bytearray:
        """`rest`, followed by the next bytes: this many, unless there are no more."""
        start = rest + self._peeked[:size]
        end = len(rest) + size
        self._peeked = self._peeked[size:]
        if isinstance(self._unpacked, io.FileIO):
            data = self._filled(start, min(end, len(start) + _n_left(self._unpacked)))
        else:
            data = bytearray(start)
        while len(data) < end and (more := self._next(end - len(data))):
            data += more
        return data

    def rest(self) -> bytes:
        """All remaining bytes."""
        return b"".join(self._parts())

    def text(self) -> bytes:
        """All remaining lines, without a byte order mark; none may be too long."""
        refuse_binary(self.peek(_WINDOW), self.name)
        parts: list[bytes] = []
        n_open = 0
        for data in self._parts():
            end = data.rfind(b"\n") + 1
            n_open = len(data) - end if end else n_open + len(data)
            parts.append(data)
            if n_open > limits.line:
                limits.refuse_line(f"{self.name}, line {1 + sum(part.count(10) for part in parts)}")
        return b"".join(parts).removeprefix(BYTE_ORDER_MARK)

    def _parts(self) -> Iterator[bytes]:
        n_bytes = 0
        while data := self.read(_WINDOW):
            n_bytes += len(data)
            limits.require_memory(n_bytes, self.name)
            yield data

    def drain(self) -> None:
        """Read to the end, only to compute the digest."""
        while self.read(_WINDOW):
            pass

    def _filled(self, start: bytes, end: int) -> bytearray:
        """The start, and bytes of a plain file up to this length, read into their place."""
        data = unset_bytes(end)
        at = len(start)
        data[:at] = start
        with memoryview(data) as view, self._refused_damage():
            while at < end and (n_read := self._unpacked.readinto(view[at:])):
                self._hash.update(view[at : at + n_read])
                at += n_read
        del data[at:]
        return data

    @contextmanager
    def _refused_damage(self) -> Iterator[None]:
        """Faults while reading, as errors that name the file."""
        try:
            yield
        except self._damage as error:
            what = f"the {self._codec} data are damaged or truncated ({error})" if self._codec else _unreadable(error)
            raise BadInput(f"{self.name}: {what}") from None

    def _next(self, size: int) -> bytes:
        with self._refused_damage():
            data: bytes = self._unpacked.read(size)
        self._hash.update(data)
        if self._codec:
            self._n_unpacked += len(data)
            limits.require_ratio(self._n_unpacked, self.position, self.name)
        if not data:
            self.digest = self._hash.hexdigest()
        return data

    def close(self) -> None:
        """Close the file; standard input stays open, to be read again."""
        if self.path is not None:
            self._unpacked.close()
            self._raw.close()


@contextmanager
def opened(source: Source) -> Iterator[Stream]:
    """The bytes of a file, decompressed if necessary."""
    stream = Stream(source)
    try:
        yield stream
    finally:
        stream.close()


def n_bytes(source: Source) -> int | None:
    """The size of a file on disk, if known."""
    try:
        return os.stat(source).st_size if isinstance(source, str) else None
    except (OSError, ValueError):
        return None


def _n_left(file: io.FileIO) -> int:
    """The number of bytes that a file has left; it may grow."""
    return max(0, os.fstat(file.fileno()).st_size - file.tell())


def _rewound(source: Source) -> tuple[Any, bytes]:
    """The bytes of a source from the start, and the first few."""
    raw = _open(source) if isinstance(source, str) else source
    rewind = raw.rewind if isinstance(raw, ReplayedPipe) else lambda: raw.seek(0)
    try:
        rewind()
        start = raw.read(_MAGIC)
        rewind()
    except OSError as error:
        raise BadInput(f"{source if isinstance(source, str) else source.name}: {_unreadable(error)}") from None
    return raw, start


def _native(raw: Any, path: str | None) -> pa.NativeFile:
    """The same bytes for the decompressor, which reads files faster on its own."""
    import pyarrow as pa

    if path is None:
        return pa.PythonFile(raw, "r")
    raw.close()
    return pa.OSFile(path)


def _open(path: str) -> Any:
    try:
        return open(path, "rb", buffering=0)
    except IsADirectoryError:
        raise BadInput(f"{path}: this is a directory, not a file") from None
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {_unreadable(error)}") from None


def _unreadable(error: Exception) -> str:
    return f"cannot be read ({getattr(error, 'strerror', None) or error})"


def bytes_of(path: str) -> bytes:
    """All bytes of a file that is not decompressed."""
    with _open(path) as file:
        try:
            return bytes(file.read())
        except OSError as error:
            raise BadInput(f"{path}: {_unreadable(error)}") from None
