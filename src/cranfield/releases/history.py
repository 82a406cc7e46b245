"""How did a measure change over releases? Paired changes, change points, and queries that rise and fall."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.catalogue import provided
from cranfield.errors import BadInput, BadSetting, did_you_mean
from cranfield.frozen import frozen
from cranfield.measures.naming import known_measure
from cranfield.releases.store import Record, Store
from cranfield.results.provenance import Caution, Origin, Provenance
from cranfield.results.samples import not_geometric
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import Means, Proportion
from cranfield.statistics.distributions import require_confidence, require_level, t_quantile, t_tail
from cranfield.statistics.sequences import e_value
from cranfield.tables.readers.files import read_topics
from cranfield.text import counted
from cranfield.verb import in_effect, verb

_CHANGE = (
    *figures("change", "low", "high"), Field("p", digits=4, probability=True, optional=True), *texts("verdict"),
)  # fmt: skip
RELEASES = Schema(
    "releases", "Releases",
    (*texts("measure", "release", "time"), *figures("n", digits=0), *figures("value"), *_CHANGE,
     *texts("mark", optional=True), Field("period", digits=0, in_tables=False)),
)  # fmt: skip
SINCE = Schema(
    "since", "Changes",
    (*texts("measure", "since", "release"), *figures("n", digits=0), *figures("before", "value"), *_CHANGE),
)  # fmt: skip
POINTS = Schema(
    "change_points", "Change points",
    (*texts("measure", "release", "since"), *figures("change", "step"), *figures("e", digits=1)),
)  # fmt: skip
QUERIES = Schema(
    "queries", "Queries",
    (*texts("measure", "query"), *figures("before", "value", "change"),
     *figures("rose", "fell", "reversals", digits=0)),
)  # fmt: skip
SLICES = Schema(
    "slices", "Slices",
    (*texts("measure", "slice", "since", "release"), *figures("n", digits=0), *figures("value"), *_CHANGE),
)  # fmt: skip
_ROUNDED = 1e-12
_NO_CHANGE = (None, None, None, None)


@frozen(eq=False)
class History(AnnotatedResult):
    """The releases of a store, measure by measure; `since` has the change up to the last release."""

    kind = "history"

    sentence: str  # the answer
    since: Columns
    releases: Columns
    change_points: Columns
    queries: Columns
    slices: Columns

    @property
    def answer(self) -> str:
        """How much the first measure changed, and whether the last release changed anything."""
        return self.sentence

    def main(self) -> str:
        """The records that become the CSV: the releases."""
        return "releases"

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in order."""
        return tuple(dict.fromkeys(self.releases["measure"]))


@verb
def history(
    store: str | os.PathLike[str],
    *,
    measures: Annotated[
        Sequence[str],
        Means("A measure; may be repeated.", letter="-m", metavar="MEASURE", default="all of the last release"),
    ] = (),
    system: Annotated[str | None, Means("The system, if releases have several.", metavar="SYSTEM")] = None,
    since: Annotated[
        str | None,
        Means("Release to compare the last one with.", default="the first that is comparable"),
    ] = None,
    slices: Annotated[
        str | None,
        Means("File with one query and its slice per line: changes of each slice.", metavar="FILE"),
    ] = None,
    confidence: Annotated[Proportion, Means("Confidence level.")] = 0.95,
    level: Annotated[
        Proportion,
        Means("Significance level, and the probability of any false change point if nothing ever changed."),
    ] = 0.05,
) -> History:  # fmt: skip
    """How measures changed over the releases in a store, with intervals of the paired changes.

    Releases are compared query by query, within periods of the same judgments, queries and settings. Where these
    changed, older releases are evaluated again, with the judgments and settings of the last release, if their runs are
    still there; otherwise they are not compared.

    A change point is a release at which a measure left its level: its values differ from those of the release before,
    or of the release with which the level began, by a test that is valid however many releases there are: the j-th
    e-value has the level divided by j (j + 1), and these add up to the level.

    Parameters
    ----------
    store
        The folder of the store.

    Returns
    -------
    History
        `since` and `releases` have the changes, `change_points`, `queries` and `slices` what is behind them.

    Examples
    --------
    >>> import tempfile
    >>> from cranfield import evaluate, record
    >>> qrels, store = {f"q{n}": {"a": 1} for n in range(30)}, tempfile.mkdtemp()
    >>> for release, n in (("1.0", 9), ("1.1", 5)):
    ...     run = {query: {"a": 2, "b": 1} if place % n else {"b": 2, "a": 1} for place, query in enumerate(qrels)}
    ...     added = record(store, evaluate(qrels, {"engine": run}, "RR"), release)
    >>> print(history(store).answer)
    RR has not changed significantly since 1.0 (-0.033, 95 % CI -0.131 to +0.064).
    """
    require_confidence(confidence)
    require_level(level)
    chosen = _chosen(Store(store).records(), system)
    last = chosen[-1]
    names = _measures(measures, last)
    topic = None if slices is None else read_topics(slices)
    effective, notes = _evaluated_again(Store(store), chosen, names)
    rows: dict[str, list[Any]] = {name: [] for name in ("releases", "since", "points", "queries", "slices")}
    sentences = []
    for measure in names:
        series = _Series(measure, effective, last, confidence, level)
        rows["releases"] += series.rows()
        rows["points"] += series.points
        start = series.start(since)
        rows["since"].append(series.since(start))
        rows["queries"] += series.queries(start)
        rows["slices"] += () if topic is None else series.slices(start, topic)
        sentences.append(_sentence(rows["since"][-1], series, confidence))
        notes += series.notes
    settings = in_effect(history, locals() | {"measures": names}) | {"store": os.fspath(store), "system": last.system}
    settings |= {"measures": list(names)}
    inputs = (Origin("store", os.path.basename(os.path.abspath(os.fspath(store))), "store of releases"),)
    cautions = tuple(Caution("history", note) for note in dict.fromkeys(notes))
    return History(
        " ".join(sentences[:1]), SINCE.of(rows["since"]), RELEASES.of(rows["releases"]), POINTS.of(rows["points"]),
        QUERIES.of(rows["queries"]), SLICES.of(rows["slices"]),
        settings=settings, notes=tuple(dict.fromkeys(notes)), provenance=Provenance(inputs, settings, cautions),
    )  # fmt: skip


# which releases


def _chosen(records: Sequence[Record], system: str | None) -> list[Record]:
    """The records of one system, the last of each release, oldest first."""
    if not records:
        raise BadInput("the store has no releases yet")
    by_release: dict[str, set[str]] = {}
    for record in records:
        by_release.setdefault(record.release, set()).add(record.system)
    names = list(dict.fromkeys(record.system for record in records))
    if system is not None:
        if system not in names:
            raise BadSetting(f"there is no system {system!r} in the store{did_you_mean(system, names)}")
        records = [record for record in records if record.system == system]
    elif any(len(systems) > 1 for systems in by_release.values()):
        raise BadSetting(f"releases have several systems; choose one of {', '.join(sorted(names))}: system")
    return list({record.release: record for record in records}.values())


def _measures(requested: Sequence[str], last: Record) -> tuple[str, ...]:
    names = [name.strip() for text in requested for name in text.split(",")] or list(last.measures)
    match = [name if name in last.measures else str(known_measure(name) or name) for name in names]
    unknown = next((name for name in match if name not in last.measures), None)
    if unknown is not None:
        known = ", ".join(last.measures)
        raise BadSetting(f"{last.release} has no values of {unknown!r}; it has {known}")
    return tuple(dict.fromkeys(match))


# values, and what they may be compared with


@frozen(eq=False)
class _Release:
    """A release with the values of its units; None where only its means are known."""

    record: Record
    conditions: tuple[Any, ...]
    means: Mapping[str, float]
    units: tuple[str, ...]
    values: Mapping[str, Floats] | None
    again: bool = False


def _evaluated_again(
    store: Store, records: Sequence[Record], measures: Sequence[str]
) -> tuple[list[_Release], list[str]]:
    """The values of each release; those under other conditions than the last are evaluated again, if possible."""
    last, notes = records[-1], list[str]()
    judgments: str | None = None
    known: dict[str, tuple[str, ...]] = {}  # units by their digest
    releases, n_again = [], 0
    for record in records:
        if not record.values:
            releases.append(_Release(record, (record.name,), record.means, (), None))
            continue
        if record.conditions != last.conditions and last.run and last.judgments:
            judgments = judgments or store.located(last, "judgments")
            run = store.located(record, "run") if judgments else None
            if judgments and run:
                releases.append(_anew(record, last, judgments, run, measures))
                n_again += 1
                continue
        present = [name for name in measures if name in record.measures and name in record.means]
        units = known.get(record.queries)
        read = store.values(record, present, units is None)
        if units is None:
            units = read.units
            if record.queries:
                known[record.queries] = units
        releases.append(_Release(record, record.conditions, record.means, units, read.of))
    if n_again:
        notes.append(f"{counted(n_again, 'release')} evaluated again with the judgments and settings of {last.release}")
    return releases, notes


def _anew(record: Record, last: Record, judgments: str, run: str, measures: Sequence[str]) -> _Release:
    """A release evaluated with the judgments and settings of the last."""
    from cranfield.releases.record import values_of

    evaluate = provided("evaluate")  # of the rankings, whose command records releases
    taken = inspect.signature(evaluate).parameters
    settings = {name: value for name, value in last.settings.items() if name in taken}
    result = evaluate(judgments, {record.system: run}, list(measures), **settings)
    values, means, _ = values_of(result, record.system)
    return _Release(record, last.conditions, means, values.units, values.of, again=True)


class _Series:
    """One measure over the releases."""

    def __init__(
        self, measure: str, releases: Sequence[_Release], last: Record, confidence: float, level: float
    ) -> None:
        self.measure, self._confidence, self._level = measure, confidence, level
        self.lower = measure in last.lower_is_better
        self._releases = [one for one in releases if measure in one.means]
        self._period = self._periods()
        self.notes: list[str] = []
        known = known_measure(measure)
        self._bounds = (-math.inf, math.inf) if known is None else known.declaration.bounds
        if known is not None and known.declaration.aggregate == "geometric":
            self.notes += not_geometric({measure: None})  # type: ignore[dict-item]
        self.points = list(self._change_points())

    def _periods(self) -> list[int]:
        """The number of the period of each release: of the same judgments, queries and settings."""
        numbers = [0] * len(self._releases)
        for place, (before, after) in enumerate(pairwise(self._releases), 1):
            numbers[place] = numbers[place - 1] + (before.conditions != after.conditions)
        return numbers

    def _values(self, place: int) -> Floats | None:
        of = self._releases[place].values
        return None if of is None else of.get(self.measure)

    def _difference(self, after: int, before: int) -> Floats:
        """The differences of the units that both have, exactly 0 where they are rounding errors."""
        first, second = self._values(after), self._values(before)
        assert first is not None
        assert second is not None
        difference = first - second
        difference[np.abs(difference) <= _ROUNDED * np.maximum(np.abs(first), np.abs(second))] = 0
        return difference[~np.isnan(difference)]

    def _comparable(self, after: int, before: int) -> bool:
        same = self._period[after] == self._period[before]
        return same and self._values(after) is not None and self._values(before) is not None

    def _change(self, difference: Floats) -> tuple[Any, ...]:
        """Change, bounds, p-value and verdict."""
        n = len(difference)
        if not n:
            return (*_NO_CHANGE, "not compared")
        mean = float(difference.mean())
        if not difference.any():
            return 0.0, None, None, None, "identical"
        deviation = float(difference.std(ddof=1)) if n > 1 else 0.0
        if not deviation > _ROUNDED * np.abs(difference).max():
            return mean, None, None, None, "undecided"
        error = deviation / math.sqrt(n)
        half = float(t_quantile((1 + self._confidence) / 2, n - 1)) * error
        p = float(t_tail(np.array([mean / error]), n - 1, "two-sided")[0])
        verdict = "not significant" if p >= self._level else "worse" if (mean < 0) != self.lower else "better"
        return mean, mean - half, mean + half, p, verdict

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """A row per release, with the change from the previous one."""
        turned = {release: since for _, release, since, *_ in self.points}
        for place, one in enumerate(self._releases):
            values = self._values(place)
            n = one.record.n if values is None else int((~np.isnan(values)).sum())
            compared = place > 0 and self._comparable(place, place - 1)
            change = (
                self._change(self._difference(place, place - 1))
                if compared
                else (*_NO_CHANGE, "not compared" * (place > 0))
            )
            marks = [self._what_changed(place)] if place and self._period[place] != self._period[place - 1] else []
            marks += ["evaluated again"] * one.again + ["change point"] * (one.record.release in turned)
            yield (
                self.measure, one.record.release, one.record.time, n or None, one.means[self.measure], *change,
                ", ".join(filter(None, marks)), self._period[place],
            )  # fmt: skip

    def _what_changed(self, place: int) -> str:
        before, after = self._releases[place - 1], self._releases[place]
        if before.values is None or after.values is None:
            return "" if before.values is None and after.values is None else "imported" * (before.values is None)
        names = ("judgments", "queries", "settings", "units")
        pairs = zip(names, before.conditions, after.conditions, strict=True)
        changed = [name for name, one, other in pairs if one != other]
        return f"other {' and '.join(changed)}"

    def start(self, since: str | None) -> int | None:
        """The release that the last is compared with: the named one, or the first of the last period."""
        last = len(self._releases) - 1
        if since is None:
            first = self._period.index(self._period[-1]) if self._releases else 0
            return first if first < last and self._comparable(last, first) else None
        names = [one.record.release for one in self._releases]
        if since not in names:
            raise BadSetting(f"there is no release {since!r} with {self.measure}{did_you_mean(since, names)}")
        place = names.index(since)
        return place if place != last and self._comparable(last, place) else None

    def since(self, start: int | None) -> tuple[Any, ...]:
        """The change from a release to the last."""
        last = self._releases[-1]
        now = last.means[self.measure]
        if start is None:
            return (
                self.measure,
                None,
                last.record.release,
                last.record.n or None,
                None,
                now,
                *_NO_CHANGE,
                "not compared",
            )
        difference, first = self._difference(len(self._releases) - 1, start), self._releases[start]
        before = first.means[self.measure]
        return (
            self.measure, first.record.release, last.record.release, len(difference), before, now,
            *self._change(difference),
        )  # fmt: skip

    @property
    def last_change(self) -> tuple[str | None, float | None, str]:
        """The previous release, the change since, and its verdict."""
        place = len(self._releases) - 1
        if place < 1 or not self._comparable(place, place - 1):
            return None, None, self._what_changed(place) if place > 0 else ""
        change, *_, verdict = self._change(self._difference(place, place - 1))
        return self._releases[place - 1].record.release, change, verdict

    def _change_points(self) -> Iterator[tuple[Any, ...]]:
        """The releases at which the measure left its level."""
        low, high = self._bounds
        arrays = [self._values(place) for place in range(len(self._releases))]
        if not np.isfinite([low, high]).all():
            if len(self._releases) > 2:
                self.notes.append(f"no change points of {self.measure}, whose bounds are not known")
            return
        looks, start = 0, 0
        for place in range(1, len(self._releases)):
            values = arrays[place]
            if not self._comparable(place, start) or values is None:
                start = place
                continue
            difference, step = self._difference(place, start), self._difference(place, place - 1)
            if not difference.any() or not step.any():
                continue  # nothing new to look at
            looks += 1
            level = self._level / (looks * (looks + 1))  # which add up to the level
            widest = (low - high, high - low)
            of_level, of_step = (e_value(one, widest, 0.0, level) for one in (difference, step))
            e = (of_level + of_step) / 2  # a mean of e-values is one
            if e * level >= 1:
                turn = place if of_step >= of_level else self._largest_step(start, place)
                names = (self._releases[turn].record.release, self._releases[start].record.release)
                change = float(self._difference(turn, start).mean())
                yield self.measure, *names, change, float(self._difference(turn, turn - 1).mean()), min(e, 1e12)
                start = turn

    def _largest_step(self, start: int, end: int) -> int:
        """The release with the largest change of the mean from the release before."""
        steps = [abs(self._difference(one, one - 1).mean()) for one in range(start + 1, end + 1)]
        return start + 1 + int(np.argmax(steps))

    def queries(self, start: int | None) -> Iterator[tuple[Any, ...]]:
        """A row per unit: its change, and how often it rose, fell, and turned from one to the other."""
        if start is None:
            return
        places = [place for place in range(start, len(self._releases)) if self._comparable(place, start)]
        table = np.array([self._values(place) for place in places])
        steps = np.diff(table, axis=0)
        steps[np.abs(steps) <= _ROUNDED * np.abs(table[1:]).max(initial=1)] = 0
        rose, fell = (steps > 0).sum(axis=0), (steps < 0).sum(axis=0)
        turns, direction = np.zeros(table.shape[1], int), np.zeros(table.shape[1])
        for step in np.sign(steps):
            moved = np.nan_to_num(step) != 0
            turns += moved & (direction != 0) & (direction != step)
            direction = np.where(moved, step, direction)
        change = table[-1] - table[0]
        figures = zip(self._releases[-1].units, table[0], table[-1], change, rose, fell, turns, strict=True)
        yield from (
            (self.measure, unit, *row)
            for unit, *row in figures
            if not math.isnan(row[2]) and (row[2] or row[3] or row[4])
        )

    def slices(self, start: int | None, topic: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
        """The change of each slice of the queries."""
        if start is None:
            return
        last, first = self._releases[-1], self._releases[start]
        lost = [unit for unit in last.units if unit not in topic]
        if lost:
            raise BadInput(f"{counted(len(lost), 'query')} without a slice, such as {lost[0]!r}")
        after, before = self._values(len(self._releases) - 1), self._values(start)
        of = np.array([topic[unit] for unit in last.units])
        for name in dict.fromkeys(sorted(of.tolist())):
            chosen = of == name
            both = chosen & ~np.isnan(after - before)  # type: ignore[operator]
            difference = (after - before)[both]  # type: ignore[operator]
            names = (self.measure, name, first.record.release, last.record.release)
            yield *names, int(both.sum()), float(after[both].mean()), *self._change(difference)  # type: ignore[index]


def _sentence(row: tuple[Any, ...], series: _Series, confidence: float) -> str:
    """What happened to a measure, in one sentence."""
    measure, since, release, _, _, value, change, low, high, _, verdict = row
    previous, step, of_last = series.last_change
    if since is None:
        why = f": {of_last}" if of_last.startswith("other") else ""
        return f"{measure} is {value:.3f} in {release}, which no earlier release can be compared with{why}."
    between = "" if low is None else f" ({100 * confidence:g} % CI {low:+.3f} to {high:+.3f})"
    if verdict in ("better", "worse"):
        sentence = f"{measure} {'rose' if change > 0 else 'fell'} by {abs(change):.3f}{between} since {since}"
    elif verdict == "identical":
        sentence = f"{measure} has not changed since {since}"
    else:
        size = f"{change:+.3f}{between.replace(' (', ', ', 1) or ')'}"
        sentence = f"{measure} has not changed significantly since {since} ({size}"
    if previous is None:
        return f"{sentence}; {release} cannot be compared with the release before ({of_last})."
    if previous == since:
        return f"{sentence}."
    if of_last in ("better", "worse"):
        return f"{sentence}; the last release made it {of_last} ({step:+.3f})."
    nothing = "changed nothing" if of_last == "identical" else "changed nothing significant"
    return f"{sentence}; the last release {nothing}."
