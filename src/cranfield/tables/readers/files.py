"""Runs, judgments and topics in files of any format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cranfield.errors import BadInput
from cranfield.tables.adapters.chunks import RunChunk, judged
from cranfield.tables.adapters.dictionaries import Dictionary, judged_dictionary, nested
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.rankings import Batch, LoadedBatch, Part, Rows, Tags, joined, tags
from cranfield.tables.readers.recognition import Content, Shape, recognised
from cranfield.tables.readers.streams import Stream, n_bytes, opened, source
from cranfield.tables.system_names import system_name


class RunFile:
    """A run in a file; `-` is standard input."""

    def __init__(self, path: str, name: str = "") -> None:
        self._source = source(path)
        self.path = path
        self.name = name or system_name(path)
        self.form = "file"
        self.size = n_bytes(self._source)
        self.digest: str | None = None
        self.tags: Tags = ()

    def parts(self) -> Iterator[Part]:
        with opened(self._source) as stream:
            content = recognised(stream).content(stream, "run")
            self.form = content.form
            if content.nested is not None:
                yield LoadedBatch(Dictionary(nested(content.nested, stream.name, "score"), stream.name), self.size or 0)
            for chunk in content.chunks:
                self.tags = tags((*self.tags, *chunk.tags))
                yield RunChunk(chunk)
            self.digest = stream.digest

    def whole(self) -> Batch:
        batches = [part() for part in self.parts()]
        return batches[0] if len(batches) == 1 else joined([batch for batch in batches if isinstance(batch, Rows)])


def read_qrels(path: str, form: Shape = "qrels") -> Judgments:
    """The judgments in a file; `-` is standard input."""
    with opened(source(path)) as stream:
        return judgments_in(stream, recognised(stream).content(stream, form))


def judgments_in(stream: Stream, content: Content) -> Judgments:
    """The judgments in the content of a file."""
    if content.nested is not None:
        read = judged_dictionary(content.nested, stream.name, content.form)
    else:
        read = judged(content.chunks, stream.name, content.form)
    stream.drain()
    return replace(read, digest=stream.digest)


def read_topics(path: str) -> dict[str, str]:
    """The topic of each query, from lines with a query and its topic separated by a tab, a comma or blanks."""
    topics: dict[str, str] = {}
    with opened(source(path)) as stream:
        lines = decode(stream.text()).splitlines()
        for number, line in enumerate(lines, 1):
            fields = _fields(line)
            if not fields or (number == 1 and tuple(map(str.lower, fields)) == ("query", "topic")):
                continue
            where = f"{stream.name}, line {number}"
            if len(fields) != 2 or not all(fields):
                raise BadInput(f"{where}: expected a query and its topic, got {line.strip()!r}")
            if fields[0] in topics:
                raise BadInput(f"{where}: duplicate query {fields[0]!r}, which already has topic {topics[fields[0]]!r}")
            topics[fields[0]] = fields[1]
        if not topics:
            raise BadInput(f"{stream.name}: there are no topics; every line must contain a query and its topic")
    return topics


def _fields(line: str) -> list[str]:
    sign = next((sign for sign in "\t," if sign in line), None)
    return [field.strip() for field in line.split(sign)] if line.strip() else []
