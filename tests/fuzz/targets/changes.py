"""Dicts that change while they are evaluated: a value that they had, or an error in one sentence; never a crash.

The garbage collector is made to run at nearly every allocation, and changes the dicts, as a finalizer or another thread
could. On Python 3.12 and later it runs between instructions only.
"""

from __future__ import annotations

import gc
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from cranfield import evaluate
from cranfield.errors import BadInput, CranfieldWarning
from fuzz.target import assume, target

Nested = dict[str, dict[str, float]]

MEASURES = ["AP", "nDCG", "NumRet", "NumRel"]


@dataclass(frozen=True)
class Changing:
    """Judgments, a run, and what happens to one of them: after so many collections, a document gets another value.

    Without a value, the document is removed; without a document, the query.
    """

    qrels: Nested
    run: Nested
    of_run: bool
    changes: list[tuple[int, str, str | None, float | None]]


def changing(source: random.Random) -> Changing:
    """Small dicts, with ties, names of several sizes and scripts, now and then some that are not plain."""
    documents = [f"{name}{n}" for n in range(12) for name in ("d", "é", "a-long-name-of-a-document-")]
    scores: list[Any] = [0.5, 1.0, 2, 3.25, *([2**53 + 1] if source.random() < 0.1 else [])]
    documents += ["\udc80"] if source.random() < 0.2 else []

    def ranking(values: list[Any]) -> dict[str, Any]:
        chosen = source.sample(documents, source.randrange(1, 30))
        return {document: source.choice(values) for document in chosen}

    queries = [f"q{n}" for n in range(source.randrange(1, 6))]
    qrels, run = ({query: ranking(values) for query in queries} for values in ([0, 1, 2], scores))
    of_run = source.random() < 0.6
    values = scores if of_run else [0, 1, 2]
    changes: list[tuple[int, str, str | None, float | None]] = []
    for _ in range(source.randrange(1, 40)):
        document = f"new{source.randrange(60)}" if source.random() < 0.5 else source.choice(documents)
        gone = source.random()
        what = (None, None) if gone < 0.05 else (document, None if gone < 0.3 else source.choice(values))
        changes.append((source.choice((1, 1, 2, 5, 20)), source.choice(queries), *what))
    return Changing(qrels, run, of_run, changes)


@contextmanager
def changed_by_collections(data: Nested, case: Changing, states: list[Nested]) -> Iterator[None]:
    """Apply the changes while garbage is collected, and keep what the data were after each."""
    left, waited = list(case.changes), 0

    def change(phase: str, _: object) -> None:
        nonlocal waited
        waited += phase == "start"
        if phase == "start" and left and waited >= left[0][0]:
            (_, query, document, value), waited = left.pop(0), 0
            if document is None:
                data.pop(query, None)
            elif value is None:
                data.get(query, {}).pop(document, None)
            else:
                data.setdefault(query, {})[document] = value
            states.append(deepcopy(data))

    thresholds = gc.get_threshold()
    gc.callbacks.append(change)
    gc.set_threshold(1, 1 << 30, 1 << 30)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(change)


def values(qrels: Nested, run: Nested) -> dict[str, str]:
    """The values of every query, as text, in which undefined ones are equal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        result = evaluate(qrels, run, MEASURES)
    by_measure = [result.per_query(measure) for measure in MEASURES]
    return {query: str([each[query] for each in by_measure]) for query in result.units}


@target(changing, seeds=60)
def dicts_that_change_have_a_value_that_they_had_or_are_refused(case: Changing) -> None:
    """Every query has the values of a moment while the dicts were evaluated."""
    assume(all(case.qrels.values()) and any(case.run.values()) and bool(case.qrels.keys() & case.run.keys()))
    qrels, run = deepcopy(case.qrels), deepcopy(case.run)
    values(qrels, run)  # imports what it needs
    states = [deepcopy(run if case.of_run else qrels)]
    with changed_by_collections(run if case.of_run else qrels, case, states):
        try:
            found = values(qrels, run)
        except BadInput:
            assume(not states[1:])  # it is refused because it changed
            raise
    possible = []
    for state in states:
        try:
            possible.append(values(qrels, state) if case.of_run else values(state, run))
        except BadInput:
            continue
    for query, value in found.items():
        known = {each[query] for each in possible if query in each}
        assert value in known, f"{query!r} is {value}, and never was"
