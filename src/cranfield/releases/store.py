"""The store of releases: a folder to which records are added, and in which nothing is ever changed.

`index/` has one small JSON file per record: the release, its time, means, settings, and the digests of its judgments,
queries and run. `values/` has the values of each query as Parquet, and `files/` copies of runs and judgments, if they
are kept; both are named by the digest of their content. A record counts once its index file is there, which is written
last, and no two records have a file in common that could differ: so writers on several machines lose nothing, and git,
rsync and object stores can merge two copies of a store by taking all files of both.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats
from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.results.writing import json_text, save
from cranfield.tables.readers.streams import opened, source

FORMAT = 1  # of index files; a higher number is refused, lower ones are read for ever
INDEX, VALUES, FILES = "index", "values", "files"
_BLOCK = 1 << 20


@frozen
class Record:
    """One system of one release, as its index file has it."""

    release: str
    time: str  # when it was recorded, in UTC: 2026-01-31T12:00:00Z
    system: str
    measures: tuple[str, ...]
    means: Mapping[str, float]  # by measure, aggregated as the measure says
    lower_is_better: tuple[str, ...] = ()
    unit: str = "query"
    n: int = 0  # units with a value
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the evaluation
    judgments: str = ""  # digest
    queries: str = ""  # digest of the names of the units
    run: str = ""  # digest
    paths: Mapping[str, str] = field(default_factory=dict)  # of the run and the judgments, from the store
    values: str = ""  # digest of the Parquet file; empty if only means are known
    source: str = ""  # where it was imported from
    name: str = ""  # of the index file

    @property
    def conditions(self) -> tuple[Any, ...]:
        """What must be the same for values of two records to be compared."""
        settings = tuple(sorted((name, repr(value)) for name, value in self.settings.items()))
        return (self.judgments, self.queries, settings, self.unit)


@frozen(eq=False)
class Values:
    """The values of each unit, by measure; NaN where there is none."""

    units: tuple[str, ...]
    of: Mapping[str, Floats]


class Store:
    """A store in a folder, which is made by the first record."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)

    def require(self) -> None:
        """Refuse a folder that is no store."""
        if not os.path.isdir(os.path.join(self.folder, INDEX)):
            raise BadInput(f"{self.folder}: not a store of releases; cranfield eval --record {self.folder} makes one")

    # writing

    def add(self, record: Record, values: Values | None = None, copies: Mapping[str, str] | None = None) -> Record:
        """Add a record, with the values of its units, and copies of these files by digest."""
        if not record.release.strip() or not record.release.isprintable():
            raise BadSetting(f"release must be a name, such as a version, not {record.release!r}")
        for folder in (INDEX, VALUES):
            os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
        content = {one.name: getattr(record, one.name) for one in fields(record) if one.name != "name"}
        if values is not None:
            content["values"] = self._add_values(values)
        for digest, path in (copies or {}).items():
            self._keep(digest, path)
        name = f"{record.time.replace(':', '')}-{secrets.token_hex(6)}.json"
        save(os.path.join(self.folder, INDEX, name), json_text({"format": FORMAT} | _plain(content)))
        return Record(**content, name=name)

    def _add_values(self, values: Values) -> str:
        import pyarrow.parquet

        columns = {name: pa.array(column, from_pandas=True) for name, column in values.of.items()}
        table = pa.table({"": pa.array(values.units, pa.string()), **columns})
        data = io.BytesIO()
        pyarrow.parquet.write_table(table, data, compression="zstd", use_dictionary=False, store_schema=False)
        digest = hashlib.sha256(data.getvalue()).hexdigest()
        path = os.path.join(self.folder, VALUES, f"{digest}.parquet")
        if not os.path.exists(path):
            save(path, data.getvalue())
        return digest

    def _keep(self, digest: str, path: str) -> None:
        """Copy a file to a folder that is named by its digest; it keeps its name, from which formats are read."""
        folder = os.path.join(self.folder, FILES, digest)
        if self._copies(digest):
            return
        os.makedirs(folder, exist_ok=True)
        part = os.path.join(folder, f".{secrets.token_hex(6)}.part")
        shutil.copyfile(path, part)
        os.replace(part, os.path.join(folder, os.path.basename(path)))

    def _copies(self, digest: str) -> list[str]:
        folder = os.path.join(self.folder, FILES, digest)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [os.path.join(folder, name) for name in names if not name.startswith(".")]

    # reading

    def records(self) -> list[Record]:
        """All records, oldest first."""
        self.require()
        folder = os.path.join(self.folder, INDEX)
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))
        return sorted((_record(folder, name) for name in names), key=lambda record: (record.time, record.name))

    def values(self, record: Record, measures: Sequence[str], units: bool = True) -> Values:
        """The values of a record on some of its measures; without `units`, their names are left out."""
        import pyarrow.parquet

        path = os.path.join(self.folder, VALUES, f"{record.values}.parquet")
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise BadInput(f"{path}: missing, although {record.name} refers to it; copy the whole store") from None
        try:
            columns = [""] * units + list(measures)
            table = pyarrow.parquet.read_table(pa.BufferReader(data), columns=columns, use_threads=False)
            of = {name: table.column(name).to_numpy().astype(np.float64) for name in measures}
        except (pa.ArrowException, KeyError, ValueError) as error:
            raise BadInput(f"{path}: damaged: {str(error).splitlines()[0]}") from None
        return Values(tuple(table.column("").to_pylist()) if units else (), of)

    def located(self, record: Record, what: str) -> str | None:
        """The path of the run or the judgments of a record, if a file with the same content is there."""
        digest = getattr(record, what)
        if not digest:
            return None
        candidates = self._copies(digest)
        if what in record.paths:
            candidates.append(os.path.normpath(os.path.join(self.folder, record.paths[what])))
        return next((path for path in candidates if os.path.isfile(path) and digest_of(path) == digest), None)


def digest_of(path: str) -> str:
    """The digest of a file's content, decompressed: that of the provenance of results."""
    with opened(source(path)) as stream:
        stream.drain()
        return stream.digest or ""


def digest_of_names(names: Sequence[str]) -> str:
    """The digest of names, in any order."""
    return hashlib.sha256("\n".join(sorted(names)).encode("utf-8", "surrogateescape")).hexdigest()


def now() -> str:
    """The time, as records have it."""
    return f"{datetime.now(UTC).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def _plain(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in content.items()}


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "release": str, "time": str, "system": str, "measures": list, "means": dict, "lower_is_better": list, "unit": str,
    "n": int, "settings": dict, "judgments": str, "queries": str, "run": str, "paths": dict, "values": str,
    "source": str,
}  # fmt: skip
_DIGEST = re.compile(r"[0-9a-f]{64}|")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def _record(folder: str, name: str) -> Record:
    """The record in an index file, with its types checked."""
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        written = content.pop("format")
    except (ValueError, RecursionError, KeyError, AttributeError, TypeError) as error:
        raise BadInput(f"{path}: damaged, or not of this store: {error or type(error).__name__}") from None
    if not isinstance(written, int) or written > FORMAT:
        raise BadInput(
            f"{path}: written by a newer cranfield (format {written}, this reads {FORMAT}); upgrade cranfield"
        )
    known = {key: value for key, value in content.items() if key in _TYPES}
    odd = next((key for key, kind in _TYPES.items() if key in known and not isinstance(known[key], kind)), None)
    missing = next((key for key in ("release", "time", "system", "measures", "means") if key not in known), None)
    if odd or missing or not _TIME.fullmatch(known["time"]):
        raise BadInput(f"{path}: damaged: {missing or odd or 'time'} is missing or of another type")
    if not all(_DIGEST.fullmatch(known.get(key, "")) for key in ("judgments", "queries", "run", "values")):
        raise BadInput(f"{path}: damaged: a digest is not one")
    tuples = {key: tuple(map(str, known.get(key, ()))) for key in ("measures", "lower_is_better")}
    return Record(**known | tuples, name=name)


def release_here(folder: str = ".") -> str:
    """The tag of the commit of the working folder, or the commit; `-dirty` if files were changed since."""
    tag = _git(folder, "describe", "--tags", "--exact-match")
    commit = tag or _git(folder, "rev-parse", "--short=10", "HEAD")
    if not commit:
        raise BadSetting("this folder has no commit to name the release after; give its name: --release")
    return commit + "-dirty" * bool(_git(folder, "status", "--porcelain", "--untracked-files=no"))


def _git(folder: str, *arguments: str) -> str:
    try:
        made = subprocess.run(
            ["git", "-C", folder, *arguments], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return made.stdout.strip() if made.returncode == 0 else ""
