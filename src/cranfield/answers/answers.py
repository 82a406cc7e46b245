"""The verb for judged answers: do they contain what was asked for, and do their citations support it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Mask
from cranfield.engines.evaluation import MISSING, Missing
from cranfield.errors import BadInput, BadSetting, require_one_of
from cranfield.evidence.answers import Citations, Nuggets
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure
from cranfield.results.provenance import Caution, Origin, Provenance, warn
from cranfield.results.values import Result, Undefined
from cranfield.tables.answers import CitationTable, NuggetTable, answer_tables
from cranfield.tables.names import apart_but_alike, decode, encode

OF_NUGGETS = ("NuggetRecall(importance='vital', strict=True)", "NuggetRecall(importance='vital')",
              "NuggetRecall(strict=True)", "NuggetRecall")  # fmt: skip
OF_LENGTHS = ("NuggetPrecision", "NuggetF")
OF_CITATIONS = ("CitationPrecision", "CitationRecall", "CitationF")


def evaluate_answers(
    data: Any, measures: Requested = None, *, missing: Missing = MISSING, undefined: Undefined = "zero"
) -> Result:
    """The value of every measure for the answer of every system to every query, from judgments of the answers.

    Parameters
    ----------
    data
        Tables of judgments: a path, a data frame, a list of rows, or a list of such tables. A table of nuggets has the
        columns query, nugget, importance (`vital` or `okay`) and support (`support`, `partial_support` or
        `not_support`), and optionally system and length, the number of characters of the answer without white space. A
        table of citations has the columns query, sentence, citation and support (`full`, `partial` or `no`), and
        optionally system; a sentence without citations has one row with both empty.
    measures
        Measures or their names, such as `"NuggetRecall(importance='vital', strict=True)"` or `"CitationPrecision"`.
    missing
        Queries that a system did not answer score 0 (`"zero"`) or are left out of its aggregates (`"skip"`).
    undefined
        Undefined values, such as the citation precision of an answer without citations, count as 0 in aggregates
        (`"zero"`) or are left out (`"skip"`).

    Returns
    -------
    Result
        As returned by `evaluate`: with intervals, `compare`, `plot`, `findings`.

    Examples
    --------
    >>> rows = [
    ...     {"query": "q", "nugget": "a", "importance": "vital", "support": "support"},
    ...     {"query": "q", "nugget": "b", "importance": "vital", "support": "partial_support"},
    ...     {"query": "q", "nugget": "c", "importance": "okay", "support": "not_support"},
    ... ]
    >>> result = evaluate_answers(rows)
    >>> result["NuggetRecall(importance='vital')"], result["NuggetRecall"]
    (0.75, 0.5)
    """
    require_one_of("missing", missing, Missing)
    require_one_of("undefined", undefined, Undefined)
    nuggets, citations = answer_tables(data)
    tables: list[NuggetTable | CitationTable] = [*nuggets, *citations]
    queries = tuple(dict.fromkeys(query for table in tables for query in table.query))
    systems = tuple(dict.fromkeys(system for table in tables for system in table.system))
    chosen = _measures(measures, nuggets, citations)
    judged_nuggets, unjudged = _nuggets(nuggets, systems, queries)
    evidence = {Nuggets: judged_nuggets, Citations: _citations(citations, systems, queries)}
    answered = _answered(tables, systems, queries)
    values = np.array(
        [[measure.values(evidence[measure.declaration.evidence][system]) for measure in chosen] for system in systems]
    )
    values = np.where(answered[:, None, :], values, 0.0)
    warnings = (*_alike(nuggets, citations), *_unanswered(answered, systems, missing), *unjudged)
    warn(warnings)
    return Result(
        systems=systems,
        measures=chosen,
        units=queries,
        values=values,
        counted=answered if missing == "skip" else np.ones_like(answered),
        micro=np.full(values.shape[:2], np.nan),
        provenance=Provenance(
            inputs=tuple(Origin.of("judgments", table.source) for table in tables),
            settings={"missing": missing, "undefined": undefined},
            warnings=warnings,
            measures={str(measure): measure.options for measure in chosen},
        ),
    )


def _measures(
    requested: Requested, nuggets: Sequence[NuggetTable], citations: Sequence[CitationTable]
) -> tuple[Measure, ...]:
    """The requested measures, or those for which there are judgments."""
    lengths = bool(nuggets) and all(table.length is not None for table in nuggets)
    fitting = (*OF_NUGGETS * bool(nuggets), *OF_LENGTHS * lengths, *OF_CITATIONS * bool(citations))
    chosen = measures_named(requested, "answers", fitting)
    for measure in chosen:
        evidence = measure.declaration.evidence
        if not (nuggets if evidence is Nuggets else citations):
            what = "nuggets" if evidence is Nuggets else "citations"
            raise BadSetting(f"{measure} needs a table of judged {what}")
    return chosen


def _answered(tables: Sequence[NuggetTable | CitationTable], systems: Sequence[str], queries: Sequence[str]) -> Mask:
    """Which queries each system has judgments for."""
    known = {pair for table in tables for pair in zip(table.system, table.query, strict=True)}
    return np.array([[(system, query) in known for query in queries] for system in systems], np.bool_)


def _alike(nuggets: Sequence[NuggetTable], citations: Sequence[CitationTable]) -> Iterable[Caution]:
    """Warnings of systems and queries that may be the same but are spelled differently."""
    systems: dict[bytes, set[tuple[int, str]]] = {}
    queries: dict[bytes, set[tuple[int, str]]] = {}
    kinds: tuple[Sequence[NuggetTable | CitationTable], ...] = (nuggets, citations)
    for kind, tables in enumerate(kinds):
        for table in tables:
            for system, query in set(zip(table.system, table.query, strict=True)):
                systems.setdefault(encode(system), set()).add((kind, query))
                queries.setdefault(encode(query), set()).add((kind, system))
    for what, places in (("systems", systems), ("queries", queries)):
        alike = apart_but_alike(places)
        if alike is not None:
            first, second = (decode(name) for name in alike.first)
            message = f"the {what} {first!r} and {second!r} differ only by {alike.by}; are they the same?"
            yield Caution(f"lookalike-{what}", message, (first, second))


def _unanswered(answered: Mask, systems: Sequence[str], missing: Missing) -> Iterable[Caution]:
    counts = "scores 0" if missing == "zero" else "is left out"
    for system, row in zip(systems, answered, strict=True):
        if n := int((~row).sum()):
            plain = f"{system}: {n} of {len(row)} queries have no judged answer; each {counts}"
            yield Caution("missing answers", plain, (system,))


# nuggets


def _nuggets(
    tables: Sequence[NuggetTable], systems: Sequence[str], queries: tuple[str, ...]
) -> tuple[dict[str, Nuggets], tuple[Caution, ...]]:
    """The support of every nugget in the answers of each system, and warnings; unjudged nuggets count as 0."""
    vital: dict[tuple[str, str], bool] = {}
    support: dict[tuple[str, str, str], float] = {}
    length: dict[tuple[str, str], float] = {}
    for table in tables:
        rows = zip(table.system, table.query, table.nugget, table.vital.tolist(), table.support.tolist(), strict=True)
        for place, (system, query, nugget, is_vital, value) in enumerate(rows):
            where = table.source.where(place)
            if (system, query, nugget) in support:
                raise BadInput(f"{where}: nugget {nugget!r} of query {query!r} is judged twice for {system}")
            if vital.setdefault((query, nugget), is_vital) != is_vital:
                raise BadInput(f"{where}: nugget {nugget!r} of query {query!r} is both vital and okay")
            support[system, query, nugget] = value
            known = length.get((system, query), np.nan)
            characters = known if table.length is None else float(table.length[place])
            if not np.isnan(known) and characters != known:
                raise BadInput(f"{where}: the answer of {system} to query {query!r} has two lengths")
            length[system, query] = characters
    place_of = {query: place for place, query in enumerate(queries)}
    query_of = np.array([place_of[query] for query, _ in vital], np.int64)
    importance = np.array(list(vital.values()), np.bool_)
    of_system = {
        system: Nuggets(
            queries,
            query_of,
            importance,
            np.array([support.get((system, *key), 0.0) for key in vital]),
            np.array([length.get((system, query), np.nan) for query in queries]),
        )
        for system in systems
    }
    return of_system, tuple(_unjudged(vital, support, length, systems))


def _unjudged(
    vital: Mapping[tuple[str, str], bool],
    support: Mapping[tuple[str, str, str], float],
    length: Mapping[tuple[str, str], float],
    systems: Sequence[str],
) -> Iterable[Caution]:
    """Warnings of unjudged nuggets of queries that a system answered."""
    for system in systems:
        missing = sum((system, *key) not in support and (system, key[0]) in length for key in vital)
        if missing:
            what = "nugget has no judgment and counts" if missing == 1 else "nuggets have no judgment and count"
            plain = f"{system}: {missing} {what} as not supported"
            yield Caution("unjudged nuggets", plain, (system,))


# citations


def _citations(
    tables: Sequence[CitationTable], systems: Sequence[str], queries: Sequence[str]
) -> Mapping[str, Citations]:
    """The sentences of each system's answers, and the support of their citations."""
    place_of = {query: place for place, query in enumerate(queries)}
    sentences: dict[str, dict[tuple[str, str], int]] = {system: {} for system in systems}
    cited: dict[str, list[tuple[int, float]]] = {system: [] for system in systems}
    for table in tables:
        for system, query, sentence, value in zip(table.system, table.query, table.sentence, table.support.tolist()):
            known = sentences[system]
            place = known.setdefault((query, sentence), len(known))
            if not np.isnan(value):
                cited[system].append((place, value))
    return {
        system: Citations(
            tuple(queries),
            np.array([place_of[query] for query, _ in sentences[system]], np.int64),
            np.array([place for place, _ in cited[system]], np.int64),
            np.array([value for _, value in cited[system]], np.float64),
        )
        for system in systems
    }
