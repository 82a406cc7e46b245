"""The labels of people and of a machine on the same documents, and figures about them with intervals over topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.statistics.intervals import jackknife_interval

Grades = Mapping[tuple[str, str], float]  # by query and document
LEAST_TOPICS = 10  # for intervals; with fewer, simulated ones cover too rarely
MOST_GROUPS = 200  # of topics that are left out in turn
SIGNED = (-np.inf, np.inf)
PROPORTION = (0.0, 1.0)


@frozen
class Estimate:
    """A figure with its interval over topics; without one, the reason."""

    value: float
    low: float = np.nan
    high: float = np.nan
    note: str = ""


@frozen(eq=False)
class PairedLabels:
    """One row per document that people and the machine labelled, with grades as steps of the scale.

    `trials[i, t]` is the machine's grade in a repeated labelling, NaN where there is none.
    """

    pairs: tuple[tuple[str, str], ...]
    human: Ints
    machine: Ints
    scale: tuple[float, ...]
    trials: Floats
    columns: Mapping[str, Floats]  # what may bias the machine
    confidence: float = 0.95

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order."""
        return tuple(dict.fromkeys(topic for topic, _ in self.pairs))

    @cached_property
    def topic(self) -> Ints:
        """The index of each row's topic."""
        place = {topic: number for number, topic in enumerate(self.topics)}
        return np.array([place[topic] for topic, _ in self.pairs])

    @cached_property
    def error(self) -> Ints:
        """How many steps of the scale the machine's grade is above people's."""
        return self.machine - self.human

    def mean(self, values: Floats, bounds: tuple[float, float] = SIGNED, among: Mask | None = None) -> Estimate:
        """The mean of values over documents; those that are NaN, or not among these, are left out."""
        known = ~np.isnan(values) if among is None else among & ~np.isnan(values)

        def value(some: Mask) -> float:
            rows = known & some
            return float(values[rows].mean()) if rows.any() else np.nan

        return self.over_topics(value, bounds, known)

    def over_topics(
        self, value: Callable[[Mask], float], bounds: tuple[float, float] = SIGNED, known: Mask | None = None
    ) -> Estimate:
        """A figure of some rows, for all of them, with its jackknife interval over the topics that have any."""
        every = np.ones(len(self.pairs), bool)
        whole = value(every)
        topics = np.unique(self.topic if known is None else self.topic[known])
        if np.isnan(whole):
            return Estimate(whole, note="no documents")
        if len(topics) < LEAST_TOPICS:
            return Estimate(whole, note=f"no interval: at least {LEAST_TOPICS} topics are needed; got {len(topics)}")
        group = np.searchsorted(topics, self.topic) % min(len(topics), MOST_GROUPS)
        left_out = np.array([value(group != number) for number in range(group.max() + 1)])
        interval = jackknife_interval(whole, left_out, bounds, self.confidence)
        low, high, _ = interval.of_one
        return Estimate(whole, low, high, f"no interval: {interval.reason}" if interval.reason else "")

    def slopes(self) -> Iterator[tuple[str, Estimate, int]]:
        """What each column adds to the machine's error, given people's grade and the other columns (least squares).

        Documents that lack a column are left out; their number comes last.
        """
        known = np.ones(len(self.pairs), bool)
        for column in self.columns.values():
            known &= ~np.isnan(column)
        n_known = int(known.sum())
        names: list[str] = []
        designed = np.column_stack([(self.human == step).astype(float) for step in np.unique(self.human[known])])
        n_grades = designed.shape[1]
        for name, column in self.columns.items():
            wider = np.column_stack([designed, np.nan_to_num(column)])
            if np.linalg.matrix_rank(wider[known]) == wider.shape[1]:
                designed, names = wider, [*names, name]
            else:
                note = "cannot be separated from people's grade and the columns before"
                yield name, Estimate(np.nan, note=note), n_known
        fits: dict[bytes, Floats] = {}

        def fitted(some: Mask) -> Floats:
            key = some.tobytes()
            if key not in fits:
                rows = designed[some & known]
                deficient = not len(rows) or np.linalg.matrix_rank(rows) < designed.shape[1]
                nothing = np.full(designed.shape[1], np.nan)
                fits[key] = nothing if deficient else np.linalg.lstsq(rows, self.error[some & known], rcond=None)[0]
            return fits[key]

        for place, name in enumerate(names, n_grades):

            def slope(some: Mask, place: int = place) -> float:
                return float(fitted(some)[place])

            yield name, self.over_topics(slope, known=known), n_known


def paired_labels(
    human: Grades, machine: Grades, trials: Sequence[Grades], scale: Sequence[float],
    columns: Mapping[str, Mapping[tuple[str, str], float]], confidence: float,
) -> PairedLabels:  # fmt: skip
    """The documents that both labelled; a column that lacks one of them is refused."""
    pairs = tuple(sorted(pair for pair in human if pair in machine))
    if not pairs:
        example = f": people judged {next(iter(human))}, the machine {next(iter(machine))}" if human and machine else ""
        raise BadInput(f"no document was labelled by people and by the machine{example}")
    grades = tuple(sorted({*scale, *(human[pair] for pair in pairs), *(machine[pair] for pair in pairs)}))
    step = {grade: number for number, grade in enumerate(grades)}
    for name, values in columns.items():
        missing = next((pair for pair in pairs if pair not in values), None)
        if missing is not None:
            raise BadInput(f"{name} has no value for document {missing[1]!r} of query {missing[0]!r}")
    return PairedLabels(
        pairs,
        np.array([step[human[pair]] for pair in pairs]),
        np.array([step[machine[pair]] for pair in pairs]),
        grades,
        np.array([[trial.get(pair, np.nan) for trial in trials] for pair in pairs]).reshape(len(pairs), len(trials)),
        {name: standardised(np.array([values[pair] for pair in pairs], float)) for name, values in columns.items()},
        confidence,
    )


def standardised(column: Floats) -> Floats:
    """Values other than yes and no, in standard deviations from their mean."""
    known = column[~np.isnan(column)]
    if set(np.unique(known)) <= {0.0, 1.0} or not known.std():
        return column
    return (column - known.mean()) / known.std()
