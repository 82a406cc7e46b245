"""Runs on several collections: the same systems evaluated on each, with one scale of grades."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import BadInput
from cranfield.measures.naming import Requested, measures_named
from cranfield.rankings.evaluate import STANDARD, evaluate
from cranfield.results.provenance import Caution, Provenance, warn
from cranfield.results.values import Result
from cranfield.tables.sources import as_judgments, judgments_path
from cranfield.tables.system_names import system_names

FEWEST = 2


def evaluated_folders(
    collections: Mapping[str, tuple[Any, Any]] | Sequence[str], measures: Requested = None, **settings: Any
) -> dict[str, Result]:
    """The result of the same systems on each of several collections, which may be folders."""
    named = collections if isinstance(collections, Mapping) else _folders(collections)
    if len(named) < FEWEST:
        raise BadInput(f"at least {FEWEST} collections are needed; got {len(named)}")
    odd = next((name for name, pair in named.items() if not isinstance(pair, tuple | list) or len(pair) != 2), None)
    if odd is not None:
        raise BadInput(f"{odd}: a collection is a pair (judgments, runs), not {type(named[odd]).__name__}")
    form = settings.get("form", "qrels")
    judged = {name: as_judgments(qrels, form=form) for name, (qrels, _) in named.items()}
    highest = np.concatenate([one.grade for one in judged.values()])  # one scale for all collections
    chosen = with_top_grade(measures_named(measures, "ranking", STANDARD), highest)
    results = {name: evaluate(judged[name], runs, chosen, **settings) for name, (_, runs) in named.items()}
    _require_same_systems(results)
    warn(same_judgments({name: result.provenance for name, result in results.items()}))
    return results


def _folders(folders: Sequence[str]) -> dict[str, tuple[str, list[str]]]:
    """The judgments and the runs in each folder, by the shortest distinct name of the folder."""
    paths = [os.path.normpath(path) for path in folders]
    return dict(zip(system_names(paths, "collection"), map(_files, paths), strict=True))


def same_judgments(provenances: Mapping[str, Provenance]) -> Iterator[Caution]:
    """Cautions that two collections are judged by the same file, and so count the same queries twice."""
    first: dict[str, str] = {}
    for name, provenance in provenances.items():
        for origin in provenance.inputs:
            if origin.role == "qrels" and origin.digest and first.setdefault(origin.digest, name) != name:
                pair = first[origin.digest], name
                message = f"{pair[0]} and {pair[1]} have the same judgments: the same queries count as two collections"
                yield Caution("same-content", message, pair)


def _files(folder: str) -> tuple[str, list[str]]:
    """The judgments and the runs in a folder."""
    if not os.path.isdir(folder):
        raise BadInput(f"{folder} is not a folder; a collection is a folder with qrels and runs (*.run)")
    files = sorted(path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("."))
    qrels = [str(path) for path in files if path.name.partition(".")[0].lower() == "qrels"]
    qrels += [folder] * (judgments_path(folder) != folder)  # in BEIR's layout
    runs = [str(path) for path in files if ".run" in path.suffixes]
    if len(qrels) != 1 or not runs:
        raise BadInput(
            f"{folder}: a collection needs one file of judgments (qrels.txt, qrels/test.tsv …) and runs (*.run); "
            f"found {len(qrels)} and {len(runs)}"
        )
    return qrels[0], runs


def _require_same_systems(results: Mapping[str, Result]) -> None:
    """Refuse collections that lack a system of another."""
    every = list(dict.fromkeys(system for result in results.values() for system in result.systems))
    if len(every) < FEWEST:
        raise BadInput("mean ranks need at least two systems")
    for name, result in results.items():
        lost = [system for system in every if system not in result.systems]
        if lost:
            raise BadInput(
                f"{name} has no run of {lost[0]!r}; all collections need the same systems: {', '.join(every)}"
            )
