"""The bytes of a file or of standard input: unpacked, counted and digested while they are read."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import Any
from weakref import WeakSet

import pyarrow as pa

from cranfield.errors import BadInput

_PACKED = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "bz2": re.compile(rb"BZh[1-9]1AY&SY"),
}
_MAGIC = 10
_IN_MEMORY = 64 << 20
_WINDOW = 1 << 20
_taken: WeakSet[Any] = WeakSet()


class Kept:
    """What comes through a pipe, kept while it is read, so that it can be gone back to."""

    closed = False

    def __init__(self, pipe: Any, name: str) -> None:
        self.name = name
        self._pipe = pipe
        self._kept = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115, closed with the reader
        self._n_kept = 0
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, from what was kept or else from the pipe."""
        if self._at < self._n_kept:
            self._kept.seek(self._at)
            data = self._kept.read(size)
        else:
            data = self._pipe.read(size)
            self._kept.seek(self._n_kept)
            self._kept.write(data)
            self._n_kept += len(data)
        self._at += len(data)
        return data

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def rewind(self) -> None:
        """Go back to the first byte."""
        self._at = 0

    def tell(self) -> int:
        """How many bytes were read since the start."""
        return self._at

    def close(self) -> None:
        """Nothing: whoever reads it may want to do so again."""

    def __del__(self) -> None:
        self._kept.close()
        if self._pipe not in _taken:
            self._pipe.close()


Source = str | Kept


def source(path: str) -> Source:
    """Where the bytes of a path come from; `-` is standard input."""
    if path == "-":
        return Kept(_standard_input(), "standard input")
    try:
        kind = os.stat(path).st_mode
    except (OSError, ValueError):
        return path
    return path if stat.S_ISREG(kind) or stat.S_ISDIR(kind) else Kept(io.BufferedReader(_open(path)), path)


def _standard_input() -> Any:
    pipe = getattr(sys.stdin, "buffer", None)
    if pipe is None:
        raise BadInput("standard input (-) cannot be read here; give a file")
    if pipe in _taken:
        raise BadInput("standard input (-) can be read only once; give files for the other inputs")
    _taken.add(pipe)
    return pipe


class Stream:
    """The unpacked bytes of a file, read once from the start."""

    def __init__(self, source: Source) -> None:
        self.path = source if isinstance(source, str) else None
        self.name = source if isinstance(source, str) else source.name
        self.digest: str | None = None
        self._hash = hashlib.sha256()
        self._peeked = b""
        self._raw, start = _rewound(source)
        self._codec = next((codec for codec, magic in _PACKED.items() if magic.match(start)), None)
        self._unpacked = self._raw
        if self._codec:
            self._raw = _native(self._raw, self.path)
            self._unpacked = pa.CompressedInputStream(self._raw, self._codec)

    @property
    def packed(self) -> bool:
        """Whether the file is compressed."""
        return self._codec is not None

    @property
    def position(self) -> int:
        """How many bytes of the file were read, as they lie on the disk."""
        return self._raw.tell()

    def peek(self, size: int) -> bytes:
        """The next bytes, at least so many unless there are no more, which stay to be read."""
        while len(self._peeked) < size and (data := self._next(size - len(self._peeked))):
            self._peeked += data
        return self._peeked

    def read(self, size: int) -> bytes:
        """The next bytes, none at the end."""
        if not self._peeked:
            return self._next(size)
        data, self._peeked = self._peeked[:size], self._peeked[size:]
        return data + self._next(size - len(data)) if len(data) < size else data

    def rest(self) -> bytes:
        """All bytes that are still to be read."""
        return b"".join(iter(lambda: self.read(_WINDOW), b""))

    def drain(self) -> None:
        """Read to the end, for the digest alone."""
        while self.read(_WINDOW):
            pass

    def _next(self, size: int) -> bytes:
        try:
            data = self._unpacked.read(size)
        except (OSError, pa.ArrowException) as error:
            what = f"the {self._codec} data are damaged or cut off ({error})" if self._codec else error
            raise BadInput(f"{self.name}: {what}") from None
        self._hash.update(data)
        if not data:
            self.digest = self._hash.hexdigest()
        return data

    def close(self) -> None:
        """Let go of the file; standard input stays, to be gone back to."""
        if self.path is not None:
            self._unpacked.close()
            self._raw.close()


@contextmanager
def opened(source: Source) -> Iterator[Stream]:
    """The bytes of a file, unpacked if it is compressed."""
    stream = Stream(source)
    try:
        yield stream
    finally:
        stream.close()


def n_bytes(source: Source) -> int | None:
    """How many bytes a file has on the disk, if that is known."""
    try:
        return os.stat(source).st_size if isinstance(source, str) else None
    except (OSError, ValueError):
        return None


def _rewound(source: Source) -> tuple[Any, bytes]:
    """The bytes of a source from the first on, and what they begin with."""
    raw = _open(source) if isinstance(source, str) else source
    rewind = raw.rewind if isinstance(raw, Kept) else lambda: raw.seek(0)
    rewind()
    start = raw.read(_MAGIC)
    rewind()
    return raw, start


def _native(raw: Any, path: str | None) -> pa.NativeFile:
    """The same bytes for the unpacker, which reads a file faster by itself."""
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
        raise BadInput(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
