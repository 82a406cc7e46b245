"""Subtopics, judgment groups and preferences: their figures depend on no name, and on no door."""

from __future__ import annotations

import csv
import json
import random
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet

from cranfield import evaluate
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from fuzz.targets.rankings import close
from generators.ids import encoded, ids
from reference import preferences as reference

Judged = tuple[str, str, str, str, int]  # query, group, subgroup, document, grade

COLUMNS = ("qid", "group", "subgroup", "docno", "rel")
PREFERENCES = ["NumPrefs", "NumPrefsMet", "Prefs", "PrefPairs", "PrefGroups", "PrefGroupsEven"]
GROUPS = ["AP_JG", "P_JG@3", "Rprec_JG", "alpha_nDCG@5", "AP_IA", "StRecall@3"]


@dataclass(frozen=True)
class Preferred:
    """Judgments in groups and subgroups, and a run."""

    qrels: list[Judged]
    run: list[tuple[str, str, float]]

    @property
    def is_valid(self) -> bool:
        """Whether this can be evaluated; shrinking may undo that."""
        pairs = [row[:2] for row in self.run]
        return (
            len({row[:4] for row in self.qrels}) == len(self.qrels)
            and len(set(pairs)) == len(pairs)
            and bool({row[0] for row in self.qrels} & {row[0] for row in self.run})
            and all(all(row[:-1]) for row in [*self.qrels, *self.run])
        )


def preferred(source: random.Random) -> Preferred:
    """Each document has one grade in a group, or is alone in a subgroup: no preference contradicts another."""
    queries, documents = ids(source, 2), ids(source, source.randrange(2, 8))
    groups, (alone, *subgroups) = ids(source, 3), ids(source, 4)
    lowest = source.choice((0, 0, -1, -2))
    qrels: list[Judged] = []
    for query in queries:
        for group in groups[: source.randrange(1, 4)]:
            grade = {document: source.randrange(lowest, 4) for document in documents}
            for subgroup in subgroups[: source.randrange(1, 4)]:
                own = source.sample(documents, source.randrange(1, len(documents) + 1))
                qrels += [(query, group, subgroup, document, grade[document]) for document in own]
            if lowest < 0 and source.random() < 0.3:  # below 0 here, whatever it is elsewhere
                qrels.append((query, group, alone, documents[0], lowest))
    run = [
        (query, name, float(source.randrange(4))) for query in queries for name in documents if source.random() < 0.8
    ]
    return Preferred(qrels, [*run, (queries[0], "unjudged", 1.0)])


def figures(qrels: Any, run: list[tuple[str, str, float]], measures: list[str], **settings: Any) -> str:
    """All values; equal texts are equal bits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return str(evaluate(qrels, run, measures, **settings).values.tolist())


def lines(folder: Path, rows: list[Judged], places: tuple[int, ...]) -> Path:
    path = folder / "qrels.txt"
    path.write_bytes(b"".join(encoded(" ".join(str(row[place]) for place in places) + "\n") for row in rows))
    return path


@target(preferred, seeds=60)
def preferences_are_as_in_the_reference(case: Preferred) -> None:
    """Every measure of preference, query by query, with negative levels and with subgroups."""
    assume(case.is_valid)
    with tempfile.TemporaryDirectory() as folder:
        path, run = lines(Path(folder), case.qrels, (0, 1, 2, 3, 4)), Path(folder, "run.txt")
        run.write_bytes(b"".join(encoded(f"{query} Q0 {name} 1 {score} t\n") for query, name, score in case.run))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)
            result = evaluate(path, run, list(reference.MEASURES), form="prefs", missing="skip")
        for measure in reference.MEASURES:
            found = result.per_query(measure)
            for query, value in reference.per_query(path.read_bytes(), run.read_bytes(), measure).items():
                own = found[query.decode("utf-8", "surrogateescape")]
                assert close(own, value), f"{measure} of {query!r} is {value}, not {own}"


@target(preferred, seeds=20)
def preferences_depend_on_no_name(case: Preferred) -> None:
    """Other names of documents, groups and subgroups that sort as before."""
    assume(case.is_valid)
    group, subgroup = (_renamed({row[place] for row in case.qrels}) for place in (1, 2))
    plain = _renamed({row[3] for row in case.qrels} | {row[1] for row in case.run})
    again = [(query, group[g], subgroup[s], plain[name], grade) for query, g, s, name, grade in case.qrels]
    run = [(query, plain[name], score) for query, name, score in case.run]
    with tempfile.TemporaryDirectory() as folder:
        wanted = figures(lines(Path(folder), again, (0, 1, 2, 3, 4)), run, PREFERENCES, form="prefs")
        found = figures(lines(Path(folder), case.qrels, (0, 1, 2, 3, 4)), case.run, PREFERENCES, form="prefs")
        assert found == wanted, f"{found}, not {wanted}"


def _renamed(names: set[str]) -> dict[str, str]:
    return {name: f"{place:02}" for place, name in enumerate(sorted(names, key=encoded))}


def _csv(folder: Path, rows: list[Judged]) -> Path:
    path = folder / "qrels.csv"
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def _json_lines(folder: Path, rows: list[Judged]) -> Path:
    path = folder / "qrels.jsonl"
    path.write_text("".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows))
    return path


def _columns(rows: list[Judged]) -> dict[str, list[Any]]:
    return {
        name: [encoded(value) if isinstance(value, str) else value for value in column]
        for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)
    }


def _parquet(folder: Path, rows: list[Judged]) -> Path:
    pa.parquet.write_table(pa.table(_columns(rows)), folder / "qrels.parquet", row_group_size=4)
    return folder / "qrels.parquet"


DOORS: dict[str, Callable[[Path, list[Judged]], Any]] = {
    "CSV": _csv,
    "JSON Lines": _json_lines,
    "Parquet": _parquet,
    "pandas": lambda _, rows: pandas.DataFrame(_columns(rows)),
    "Polars": lambda _, rows: polars.DataFrame(_columns(rows)),
    "dicts": lambda _, rows: [dict(zip(COLUMNS, row, strict=True)) for row in rows],
}


@target(preferred, seeds=20)
def groups_come_through_every_door(case: Preferred) -> None:
    """Preferences, and without subgroups the judgments of subtopics, as columns of files, frames and rows."""
    assume(case.is_valid)
    once = list({row[:2] + row[3:4]: row for row in case.qrels}.values())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        preferences = figures(lines(folder, case.qrels, (0, 1, 2, 3, 4)), case.run, PREFERENCES, form="prefs")
        groups = figures(lines(folder, once, (0, 1, 3, 4)), case.run, GROUPS)
        for name, door in DOORS.items():
            assert figures(door(folder, case.qrels), case.run, PREFERENCES) == preferences, name
            assert figures(door(folder, once), case.run, GROUPS) == groups, name
