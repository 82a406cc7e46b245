"""Engines beside one another: the same ranks, bit for bit, and the same words where a file is refused."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from unittest import mock

import cranfield.native as extension
from cranfield.engines import local, native
from cranfield.engines.protocol import Engine, Precision, TieOrder
from cranfield.errors import CranfieldError
from cranfield.tables.readers import text as blocks
from cranfield.tables.sources import as_judgments, as_run
from fuzz.target import assume, target
from generators.blocks import Untidy, untidy, untidy_judgments

ORDERS: tuple[TieOrder, ...] = ("name descending", "name ascending", "as given")


def outcome(engine: Engine, case: Untidy, order: TieOrder, precision: Precision = "double") -> str:
    """What an engine finds in the run, or why it refuses it; the local one without any help from the extension."""
    built = extension.native if engine is native else None
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(blocks, "BLOCK", case.block),
        mock.patch.object(extension, "native", built),
    ):
        qrels, run = Path(folder, "qrels.txt"), Path(folder, "run.txt")
        qrels.write_bytes(case.qrels)
        run.write_bytes(case.run)
        try:
            found = engine.judged_ranks(as_run(str(run)), as_judgments(str(qrels)), order=order, precision=precision)
        except CranfieldError as error:
            return str(error).replace(folder, "")
        return str(
            {name: getattr(value, "tolist", lambda value=value: value)() for name, value in asdict(found).items()}
        )


@target(untidy, seeds=60)
def the_native_engine_is_as_the_local_one(case: Untidy) -> None:
    """Ranks, ties, counts, samples and errors of untidy files, read in blocks of any size."""
    assume(native.is_built() and bool(case.qrels))
    for order in ORDERS:
        assert outcome(native, case, order) == outcome(local, case, order)
    assert outcome(native, case, "as given", "single") == outcome(local, case, "as given", "single")


@target(untidy_judgments, seeds=60)
def judgments_are_read_in_c_as_in_python(case: Untidy) -> None:
    """Names, grades, groups and errors of untidy judgments, read in blocks of any size."""
    assume(native.is_built() and bool(case.qrels))
    told = []
    for built in (extension.native, None):
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(blocks, "BLOCK", case.block),
            mock.patch.object(extension, "native", built),
        ):
            path = Path(folder, "qrels.txt")
            path.write_bytes(case.qrels)
            try:
                judged = as_judgments(str(path))
            except CranfieldError as error:
                told.append(str(error).replace(folder, ""))
                continue
        names = [each and each.tolist() for each in (judged.queries, judged.documents, judged.group)]
        columns = [each.tolist() for each in (judged.starts, judged.document, judged.grade)]
        told.append(str((names, columns, judged.form, judged.digest)))
    assert told[0] == told[1]
