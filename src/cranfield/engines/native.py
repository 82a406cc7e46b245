"""Counting in C: blocks of TREC text in one pass, dicts without copying; everything else is left to `local`.

The extension handles only plain lines. A block with anything else is reread by `local`, which repairs it or reports
the bad line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

import cranfield.native as extension
from cranfield.engines import local
from cranfield.engines.local import Counted
from cranfield.engines.protocol import Precision, Progress, TieOrder
from cranfield.evidence.judged_ranks import DOCUMENTS, SAMPLED, STRANGERS, JudgedRanks
from cranfield.forks import SharedLock
from cranfield.memory import MANY, give_back_freed_memory
from cranfield.tables.adapters.chunks import RunChunk
from cranfield.tables.adapters.dictionaries import Dictionary
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Names
from cranfield.tables.rankings import LoadedBatch, Part, RunSource
from cranfield.tables.readers.text import Block, Layout
from cranfield.tables.threads import in_threads, n_threads, one_by_one

NAME = "native"

_ORDERS: tuple[TieOrder, ...] = ("name descending", "name ascending", "as given")  # as the extension numbers them

_indexes: WeakKeyDictionary[Judgments, Any] = WeakKeyDictionary()  # one for all runs on the same judgments
_building = SharedLock()


def is_built() -> bool:
    """Whether the extension was compiled when cranfield was installed."""
    return extension.native is not None


def judged_ranks(
    run: RunSource,
    judged: Judgments,
    *,
    order: TieOrder = "name descending",
    precision: Precision = "double",
    progress: Progress | None = None,
) -> JudgedRanks:
    """The ranks of the judged documents in a run."""
    counting = _Counting(judged, order, precision, run.size or 0)
    give_back_freed_memory(len(judged.queries))
    try:
        return local.together(local.each_part(counting.part, run, progress), judged)
    except local.Scattered:
        return counting.whole(run, progress)
    finally:
        if len(judged.queries) > MANY:
            _indexes.pop(judged, None)  # it takes more memory than building it again is worth
            give_back_freed_memory(len(judged.queries))


class _Counting(NamedTuple):
    """How the parts of a run are counted."""

    judged: Judgments
    order: TieOrder
    precision: Precision
    size: int  # size of the run in bytes; 0 if unknown

    @property
    def settings(self) -> tuple[int, bool, int, int]:
        """The settings in the form expected by the extension."""
        return _ORDERS.index(self.order), self.precision == "single", SAMPLED, DOCUMENTS

    def part(self, part: Part) -> Counted:
        """The counts of one part."""
        if isinstance(part, LoadedBatch) and isinstance(part.batch, Dictionary):
            return self._dicts(part.batch) or local.counted(part.batch, self.judged, self.order, self.precision)
        lines = _lines(part, self.judged)
        counted = lines and extension.native.count_block(*lines, self.settings)
        if lines and counted == extension.native.SCATTERED:
            if part.size < self.size:  # other parts will have lines of the same queries
                raise local.Scattered
            block = extension.native.gather_block(*lines)
            counted = block and next(self._shares([block], 1))
        return _counted(*counted) if counted else local.counted(part(), self.judged, self.order, self.precision)

    def whole(self, run: RunSource, progress: Progress | None) -> JudgedRanks:
        """The ranks in a run whose queries are scattered; only names and scores of its blocks are kept."""
        blocks = []
        for block in local.each_part(lambda part: _gathered(part, self.judged), run, progress):
            blocks.append(block)
            if not block:
                break
        counts: list[Any] = list(self._shares(blocks, n_threads())) if all(blocks) else [None]
        del blocks
        if all(counts):
            return local.together((_counted(*count) for count in counts), self.judged)
        return local.together([self.part(LoadedBatch(run.whole()))], self.judged)

    def _dicts(self, batch: Dictionary) -> Counted | None:
        """The counts of dicts; None if they are not plain."""
        if self.judged.odd_grade is not None:
            return None
        unit = self.judged.units(batch.queries)
        judged = self.judged.texts, np.ascontiguousarray(self.judged.starts, np.int32)
        counts = extension.native.count_dicts(*judged, batch.rankings, unit, self.settings)
        if not counts:
            return None
        strangers = batch.queries.take(np.flatnonzero(unit < 0))
        counted = _counted(b"", *counts[1:])
        batch.refuse_changes(counted.n_retrieved)
        names = strangers.take(np.arange(min(len(strangers), STRANGERS))).tolist()
        return counted._replace(unit=unit, unjudged=strangers.hash, strangers=names, n_disordered=0)

    def _shares(self, blocks: list[Any], n_shares: int) -> Iterator[Any]:
        """The counts of blocks, each for a part of the queries; 0 for blocks that cannot be counted here."""
        index = _index(self.judged)
        rows = extension.native.gathered(index, blocks)
        if not rows:
            return iter([rows])
        counted = partial(extension.native.count_gathered, index, rows)
        work = one_by_one if n_shares == 1 else in_threads
        return (count for _, count in work(lambda share: counted((share, n_shares), self.settings), range(n_shares)))


def _lines(part: Part, judged: Judgments) -> tuple[Any, bytearray, tuple[int, int, int, int, bool]] | None:
    """The index, the bytes of a block of lines, and the order of the fields; None for parts not handled in C."""
    block = part.chunk if isinstance(part, RunChunk) else None
    if not isinstance(block, Block) or not isinstance(block.layout, Layout) or block.layout.strict:
        return None
    layout, roles = block.layout, block.layout.roles
    index = None if "score" not in roles or judged.odd_grade is not None else _index(judged)
    if index is None:
        return None
    query, document, score = (roles.index(role) for role in ("query", "document", "score"))
    return index, block.buffer, (query, document, score, layout.least or len(roles), layout.spare)


def _gathered(part: Part, judged: Judgments) -> Any:
    """The names and scores of a block; None or 0 if it is not plain."""
    lines = _lines(part, judged)
    return lines and extension.native.gather_block(*lines)


def _counted(
    data: bytes | bytearray, ranking: bytes, hits: bytes, n_disordered: int, n_tied: int, sample: list[Any]
) -> Counted:
    """The counts of rankings whose queries are named in the data."""
    place_of_query, n_retrieved, start, size = np.frombuffer(ranking, np.uint32).reshape(-1, 4).T
    unit = place_of_query.view(np.int32)  # -1 for a query that is not judged
    place, rank, tie_start, tie_size = np.frombuffer(hits, np.uint32).reshape(-1, 4).T
    unknown = np.flatnonzero(unit < 0)
    places = zip(start[unknown].tolist(), size[unknown].tolist(), strict=True)
    strangers = [bytes(data[start : start + size]) for start, size in places]
    return Counted(
        unit=unit,
        unjudged=Names.of(strangers).hash if strangers else np.empty(0, np.uint64),
        n_retrieved=n_retrieved,
        place=place,
        rank=rank,
        tie_start=tie_start,
        tie_size=tie_size,
        n_disordered=n_disordered,
        n_tied=n_tied,
        n_merged=0,  # blocks with integers beyond 2**53 are left to `local`
        strangers=strangers[:STRANGERS],
        sample=sample,
        graded=False,  # grades that look like scores are left to `local` too
    )


def _index(judged: Judgments) -> Any:
    """The lookup table of judged documents; None if too many names collide or they take more than 2 GB."""
    with _building:
        if judged not in _indexes:
            names = judged.queries, judged.documents
            _indexes[judged] = (
                extension.native.index(
                    int.from_bytes(os.urandom(8)),
                    *(np.ascontiguousarray(column) for of in names for column in (of.data, of.start, of.length)),
                    np.ascontiguousarray(judged.starts, np.int32),
                )
                if all(of.start.dtype == np.int32 and of.length.dtype == np.uint16 for of in names)
                else None
            )
        return _indexes[judged]
