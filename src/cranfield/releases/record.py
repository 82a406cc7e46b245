"""Add results to a store of releases, and import what other tools have recorded."""

from __future__ import annotations

import csv
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import Samples
from cranfield.releases.store import Record, Store, Values, digest_of_names, now, release_here
from cranfield.results.samples import samples_of, value_of_samples
from cranfield.results.values import Result, of_systems
from cranfield.tables.names import decode


def record(
    store: str | os.PathLike[str],
    result: Result,
    release: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    files: Mapping[str, str] | None = None,
    keep_files: bool = False,
) -> list[Record]:
    """Add the systems of a result to a store of releases, one record each.

    Parameters
    ----------
    store
        The folder of the store, which is made if there is none.
    result
        A result of `evaluate`.
    release
        The name of the release; by default the tag or the commit of the working folder.
    systems
        The systems to record; by default, all.
    files
        The paths of the judgments and runs, `{"judgments": path, system: path}`: where their content is still the same,
        `history` can evaluate old runs with new judgments.
    keep_files
        Copy these files into the store.

    Returns
    -------
    list
        What was added.

    Examples
    --------
    >>> import tempfile
    >>> from cranfield import evaluate
    >>> result = evaluate({"q": {"a": 1}}, {"engine": {"q": {"a": 1.0}}}, "RR")
    >>> [added.release for added in record(tempfile.mkdtemp(), result, "1.0")]
    ['1.0']
    """
    place, named, known = Store(store), release or release_here(), dict(files or {})
    chosen = result.systems if systems is None else systems
    unknown = next((name for name in chosen if name not in result.systems), None)
    if unknown is not None:
        raise BadSetting(f"there is no system {unknown!r} to record; available: {', '.join(result.systems)}")
    digest = {origin.name: origin.digest or "" for origin in result.provenance.inputs if origin.role == "run"}
    judgments = next((one.digest or "" for one in result.provenance.inputs if one.role == "qrels"), "")
    settings = {name: value for name, value in result.provenance.settings.items() if value is not None}
    moment, made = now(), []
    for system in chosen:
        values, means, lower = values_of(result, system)
        run, queries = digest.get(system, ""), digest_of_names(values.units)
        paths = {what: known[name] for what, name in (("run", system), ("judgments", "judgments")) if name in known}
        copies = {one: paths[what] for one, what in ((run, "run"), (judgments, "judgments")) if one and what in paths}
        places = {what: _from(place, path) for what, path in paths.items()}
        n = len(values.units)
        one = Record(
            named, moment, system, tuple(means), means, lower, result.unit, n, settings, judgments, queries, run, places
        )
        made.append(place.add(one, values, copies if keep_files else None))
    return made


def record_samples(
    store: str | os.PathLike[str], by_measure: Mapping[str, Samples], system: str, release: str | None = None
) -> Record:
    """Add a system of a table of values to a store."""
    units = sorted({unit for samples in by_measure.values() for unit in samples.units})
    of, means = {}, {}
    for measure, samples in by_measure.items():
        row = dict(zip(samples.units, samples.values[samples.system(system)].tolist(), strict=True))
        of[measure] = np.array([row.get(unit, np.nan) for unit in units])
        means[measure] = value_of_samples(measure, samples)[system]
    lower = tuple(measure for measure, samples in by_measure.items() if samples.lower_is_better)
    unit = next(iter(by_measure.values())).unit
    named, queries = release or release_here(), digest_of_names(units)
    one = Record(named, now(), system, tuple(of), means, lower, unit, len(units), queries=queries)
    return Store(store).add(one, Values(tuple(units), of))


def values_of(result: Result, system: str) -> tuple[Values, dict[str, float], tuple[str, ...]]:
    """The values of a system by sorted unit, its means, and the measures for which lower is better."""
    alone = of_systems(result, [result.systems.index(system)])
    names = [decode(name) if isinstance(name, bytes) else str(name) for name in result.units]
    is_counted = np.asarray(alone.counted[0])
    order = [place for place in sorted(range(len(names)), key=names.__getitem__) if is_counted[place]]
    units = tuple(names[place] for place in order)
    of, means, lower = {}, {}, []
    for m, measure in enumerate(alone.measures):
        name = str(measure)
        value = float(alone[system, measure])
        if np.isfinite(value):
            means[name] = value
        if measure.declaration.higher_is_better is False:
            lower.append(name)
        if measure.declaration.per_unit:
            samples = samples_of(alone, m)
            row = dict(zip(map(str, samples.units), samples.values[0].tolist(), strict=True))
            of[name] = np.array([row.get(unit, np.nan) for unit in units])
    return Values(units, of), means, tuple(lower)


def _from(store: Store, path: str) -> str:
    """The path, from the folder of the store."""
    return os.path.relpath(os.path.abspath(path), os.path.abspath(store.folder))


# what other tools have


def imported(store: str | os.PathLike[str], path: str, measures: Sequence[str] = ()) -> list[Record]:
    """Add the releases in a table, or in a folder of MLflow runs, to a store.

    A CSV file has one row per value (release, measure, value and, optionally, time, system and query), or one row per
    run, as MLflow exports them (metrics.NAME, and tags.mlflow.runName or run_id). Releases without a time are in the
    order of the file.
    """
    listed = list(_of_mlflow(path) if os.path.isdir(path) else _of_table(path))
    if not listed:
        raise BadInput(f"{path}: no releases")
    place, made = Store(store), []
    for one, values in sorted(listed, key=lambda pair: pair[0].time):
        names = tuple(name for name in one.measures if not measures or name in measures)
        if not names:
            continue
        copies = Values(values.units, {name: values.of[name] for name in names}) if values else None
        content = vars(one) | {"measures": names, "means": {name: one.means[name] for name in names}}
        made.append(place.add(Record(**content), copies))
    if not made:
        raise BadInput(f"{path}: no release has a value of {', '.join(measures)}")
    return made


Imported = tuple[Record, Values | None]


def _of_table(path: str) -> Iterator[Imported]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path}: not CSV: {error}") from None
    heads = list(rows[0]) if rows else []
    if any(head and head.startswith("metrics.") for head in heads):
        yield from _of_runs(path, rows)
    elif {"release", "measure", "value"} <= set(heads):
        yield from _of_values(path, rows)
    else:
        raise BadInput(
            f"{path}: needs columns release, measure and value (and optionally time, system and query), or metrics.NAME"
            f" of MLflow; it has {', '.join(map(str, heads[:8])) or 'no rows'}"
        )


def _of_values(path: str, rows: Sequence[Mapping[str, str]]) -> Iterator[Imported]:
    """Releases in rows of values; with a column query, values of queries."""
    unit = "query" if "query" in rows[0] else ""
    groups: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    moments: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows, 2):
        release, measure = (row.get(name) or "" for name in ("release", "measure"))
        if not release or not measure:
            raise BadInput(f"{path}, line {number}: the release or the measure is missing")
        key = (release, row.get("system") or "system")
        of_measure = groups.setdefault(key, {}).setdefault(measure, {})
        name = row.get(unit) or "" if unit else ""
        if name in of_measure:
            raise BadInput(
                f"{path}, line {number}: {measure} of {release} has two values {f'for {name}' if name else ''}"
            )
        of_measure[name] = _number(row.get("value"), f"{path}, line {number}")
        moments.setdefault(key, _moment(row.get("time"), f"{path}, line {number}", len(moments)))
    for (release, system), of in groups.items():
        units = sorted({name for values in of.values() for name in values})
        means = {measure: float(np.mean(list(values.values()))) for measure, values in of.items()}
        one = Record(release, moments[release, system], system, tuple(of), means, source=os.path.basename(path))
        if not unit:
            yield one, None
            continue
        table = {measure: np.array([values.get(name, np.nan) for name in units]) for measure, values in of.items()}
        known = vars(one) | {"n": len(units), "queries": digest_of_names(units)}
        yield Record(**known), Values(tuple(units), table)


def _of_runs(path: str, rows: Sequence[Mapping[str, str]]) -> Iterator[Imported]:
    """MLflow's table of runs: one row each, with metrics as columns."""
    for number, row in enumerate(rows, 2):
        where = f"{path}, line {number}"
        means = {head.removeprefix("metrics."): _number(value, where) for head, value in row.items()
                 if head and head.startswith("metrics.") and value}  # fmt: skip
        name = row.get("tags.mlflow.runName") or row.get("run_id") or row.get("Run ID") or ""
        if not name:
            raise BadInput(f"{where}: the run has no name: a column tags.mlflow.runName or run_id is needed")
        if means:
            moment = _moment(row.get("start_time"), where, number)
            yield Record(name, moment, "system", tuple(means), means, source="mlflow"), None


_LINE = re.compile(r"^(?P<name>start_time|run_name|run_id): *'?(?P<value>[^'\n]*)'?$", re.MULTILINE)


def _of_mlflow(folder: str) -> Iterator[Imported]:
    """The runs in a folder of MLflow's: a folder each, with meta.yaml and a file per metric."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        if "meta.yaml" not in names or not os.path.isdir(os.path.join(place, "metrics")):
            continue
        with open(os.path.join(place, "meta.yaml"), encoding="utf-8") as file:
            known = {match["name"]: match["value"] for match in _LINE.finditer(file.read())}
        means = dict(_metrics(os.path.join(place, "metrics")))
        started = known.get("start_time", "")
        if means and started.isdigit():
            name = known.get("run_name") or known.get("run_id") or os.path.basename(place)
            yield Record(name, _utc(int(started) / 1000), "system", tuple(means), means, source="mlflow"), None


def _metrics(folder: str) -> Iterator[tuple[str, float]]:
    """The last value of each metric; its file has lines of time, value and step."""
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(place, name)
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
            last = next((line.split() for line in reversed(lines) if line.strip()), [])
            if len(last) >= 2:
                yield os.path.relpath(path, folder), _number(last[1], path)


def _number(text: str | None, where: str) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise BadInput(f"{where}: {text!r} is not a number")
    return value


def _moment(text: str | None, where: str, place: int) -> str:
    """The time in UTC; without one, a second after the previous from 1970."""
    if not text:
        return _utc(place)
    if text.isdigit():
        return _utc(int(text) / (1000 if len(text) > 11 else 1))
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise BadInput(f"{where}: {text!r} is not a time such as 2026-01-31 or 2026-01-31T12:00:00Z") from None
    return _utc((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
