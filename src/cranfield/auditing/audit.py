"""May the labels of a machine replace those of people?"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from cranfield.agreement.agree import agree
from cranfield.arrays import Floats
from cranfield.auditing.paired_labels import LEAST_TOPICS, PROPORTION, Estimate, Grades, PairedLabels, paired_labels
from cranfield.auditing.result import FIGURES, PAIRS, SYSTEMS, Audit, Verdict
from cranfield.correlation.correlate import correlate
from cranfield.engines.local import judged_ranks
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.estimation.documents import SUMS
from cranfield.estimation.estimate import estimate, estimate_documents
from cranfield.estimation.result import Estimation
from cranfield.evidence.samples import Samples
from cranfield.measures.naming import parse
from cranfield.rankings.evaluate import evaluate
from cranfield.results.provenance import Origin, Provenance, run_names
from cranfield.results.samples import samples_of
from cranfield.settings import Level, Means, Persistence, Positive
from cranfield.statistics.intervals import t_interval
from cranfield.tables.judgments import Judgments
from cranfield.tables.label_journals import is_journal, journal_of, read_labels
from cranfield.tables.names import decode
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.tables.sources import as_judgments, as_runs
from cranfield.tables.system_names import system_names
from cranfield.text import counted
from cranfield.verb import in_effect, verb

WHOLE = 0.9  # proportion of a topic's labelled documents that people judged: their judgments are of whole topics
FEWEST = 10  # documents of a human grade for a figure of its own
MOST_SYSTEMS = 8  # with a column each among the biases
DEPTH = 10  # a system retrieved a document if it is among its first

Labels = dict[str, dict[str, float]]
Figure = tuple[str, str, float, float, float, int, str]


@verb
def audit(
    human: Any,
    machine: Any,
    runs: Any = None,
    measure: Annotated[
        str | None,
        Means("Measure that ranks the systems.", default="nDCG@10; P@10 if people judged single documents"),
    ] = None,
    *,
    trials: Sequence[Any] = (),
    covariates: Any = None,
    preferences: Any = None,
    family: Sequence[str] = (),
    sample: Any = None,
    rel: Annotated[Level, Means("Documents are relevant at this grade or higher.")] = 1,
    margin: Annotated[
        Positive, Means("Change in a difference between two systems that would not matter to you.")
    ] = 0.02,
    confidence: Annotated[Persistence, Means("Confidence level.")] = 0.95,
) -> Audit:
    """Whether the labels of a machine may replace those of people: for single documents, and for ranking systems.

    People must have judged a random sample of what the machine labelled: of topics, whole, or of documents. Documents
    that the prompt shows as examples are left out.

    Parameters
    ----------
    human
        Judgments by people, as for `evaluate`; or those of several people, `{name: judgments}` or a list, whose median
        counts, and which are compared with each other.
    machine
        The machine's judgments. If a journal lies beside the file, as `label` writes it, its repeats are used too.
    runs
        As for `evaluate`; without runs, the audit is of single documents only.
    trials
        Other judgments by the same machine, in the order of time: how stable it is, and whether it drifts.
    covariates
        What may bias the machine, such as the length of documents: a table with columns document, optionally query,
        and others of numbers.
    preferences
        Preferences of the machine that were asked in both orders: a table with columns query, first, second and
        preferred.
    family
        The systems that share a model with the judge, or come from its vendor.
    sample
        As for `estimate_documents`.

    Returns
    -------
    Audit
        `result.answer` is the verdict in one sentence; `result.figures` has one row per figure.

    Examples
    --------
    >>> human = {f"q{q}": {f"d{d}": int(d < 5) for d in range(10)} for q in range(20)}
    >>> machine = {f"q{q}": {f"d{d}": int(d < 5 + (q + d) % 2) for d in range(10)} for q in range(20)}
    >>> result = audit(human, machine)
    >>> result.answer
    'The machine agrees with people on 95 % of 200 documents (kappa 0.90, 0.84 to 0.94).'
    """
    people, names = _several(human)
    judge, own_trials, examples, grades = _of_machine(machine)
    combined = _median(people)
    used = {name: {key: labels[key] for key in labels if key not in examples} for name, labels in people.items()}
    combined = {key: grade for key, grade in combined.items() if key not in examples}
    labels_of_trials = [*own_trials, *map(_grades_of, trials)]
    if trials and not own_trials:
        labels_of_trials.insert(0, judge)
    runs = list(runs) if isinstance(runs, Iterator) else runs  # read several times
    sources = [] if runs is None else as_runs(runs)
    systems = run_names(sources)
    unknown = next((name for name in family if name not in systems), None)
    if unknown is not None:
        raise BadSetting(f"family: there is no system {unknown!r}; the runs are {', '.join(systems) or 'missing'}")
    ranks = _ranks(sources, systems, judge) if sources else {}
    labelled = combined.keys() & judge.keys()
    columns = {**_columns_of_ranks(ranks, family, labelled), **_covariates(covariates, labelled)}
    both = paired_labels(combined, judge, labels_of_trials, grades, columns, confidence)
    figures = [
        *agreement_figures(both, used, combined, judge, rel),
        *repeatability_figures(both),
        *_order(preferences),
        *leniency_figures(both),
        *bias_figures(both),
    ]
    settings = in_effect(audit, locals()) | {"unit": "documents"}
    notes = [f"{counted(len(examples), 'example')} of the prompt left out"] if examples else []
    if sample is not None:
        notes.append("agreement, leniency and bias describe the documents of the sample, whatever their probabilities")
    made = Audit(FIGURES.of(figures), SYSTEMS.of([]), PAIRS.of([]), "undecided", settings=settings, notes=tuple(notes))
    if sources:
        ranking = _Ranking(combined, judge, runs, systems, measure, margin, confidence, sample)
        made = ranking.added_to(made)
    inputs = (*_origins("human qrels", names), *_origins("machine qrels", {"machine": machine}))
    return replace(made, provenance=Provenance(inputs, settings))


# the labels


def _several(human: Any) -> tuple[dict[str, Grades], dict[str, Any]]:
    """The grades of each person, and where they come from."""
    if isinstance(human, list | tuple):
        paths = all(isinstance(one, str | os.PathLike) for one in human)
        names = system_names([*map(os.fspath, human)]) if paths else [f"person {n + 1}" for n in range(len(human))]
        human = dict(zip(names, human, strict=True))
    elif not (isinstance(human, Mapping) and human and _is_of_people(human)):
        human = {"people": human}
    return {str(name): _grades_of(one) for name, one in human.items()}, dict(human)


def _is_of_people(human: Mapping[Any, Any]) -> bool:
    """Whether a dict has a person at its top: `{name: {query: {document: grade}}}`, or names with files."""
    first = next(iter(human.values()))
    if isinstance(first, Mapping):
        return all(isinstance(one, Mapping) for one in first.values())
    return isinstance(first, str | os.PathLike)


def _grades_of(source: Any) -> dict[tuple[str, str], float]:
    """The grades by query and document; negative ones mean unjudged."""
    judged = source if isinstance(source, Judgments) else as_judgments(source)
    judged.require_once("the judgments")
    return {
        (decode(query), decode(name)): grade
        for place, query in enumerate(judged.queries.tolist())
        for name, grade in judged.grades_of(place).items()
        if grade >= 0
    }


def _of_machine(machine: Any) -> tuple[Grades, list[Grades], set[tuple[str, str]], tuple[float, ...]]:
    """The machine's grades, its repeats, the examples of its prompts, and the grades of its scale."""
    judge = _grades_of(machine)
    if not isinstance(machine, str | os.PathLike) or not is_journal(path := journal_of(os.fspath(machine))):
        return judge, [], set(), ()
    prompts, labels = read_labels(path)
    used = labels[-1]["prompt"] if labels else None
    examples = {(query, name) for query, name in prompts.get(used, {}).get("examples", ())} if used else set()
    repeats: dict[int, dict[tuple[str, str], float]] = {}
    for label in labels:
        if label["prompt"] == used and label["grade"] is not None:
            repeats.setdefault(label["repeat"], {})[label["query"], label["document"]] = label["grade"]
    grades = tuple(float(grade) for grade, _ in prompts[used]["grades"]) if used in prompts else ()
    return judge, [repeats[number] for number in sorted(repeats)] if len(repeats) > 1 else [], examples, grades


def _median(people: Mapping[str, Grades]) -> dict[tuple[str, str], float]:
    """The median of people's grades, the lower of two."""
    by_pair: dict[tuple[str, str], list[float]] = {}
    for grades in people.values():
        for pair, grade in grades.items():
            by_pair.setdefault(pair, []).append(grade)
    return {pair: sorted(grades)[(len(grades) - 1) // 2] for pair, grades in by_pair.items()}


def _nested(grades: Grades) -> Labels:
    nested: Labels = {}
    for (query, document), grade in grades.items():
        nested.setdefault(query, {})[document] = grade
    return nested


def _origins(role: str, sources: Mapping[str, Any]) -> Iterator[Origin]:
    for source in sources.values():
        if isinstance(source, str | os.PathLike):
            yield Origin.of(role, as_judgments(source))


# what may bias the machine


def _ranks(sources: Sequence[Any], systems: Sequence[str], judge: Grades) -> dict[str, dict[tuple[str, str], int]]:
    """The rank of each labelled document in each run that retrieved it."""
    judged = as_judgments(_nested(judge))
    ranks: dict[str, dict[tuple[str, str], int]] = {}
    for system, source in zip(systems, sources, strict=True):
        of_run = judged_ranks(source, judged).rank
        queries = judged.queries.take(judged.document_unit).tolist()
        names = judged.documents.take(np.arange(len(queries))).tolist()
        keys = ((decode(query), decode(name)) for query, name in zip(queries, names, strict=True))
        ranks[system] = {key: rank for key, rank in zip(keys, of_run.tolist(), strict=True) if rank > 0}
    return ranks


def _columns_of_ranks(
    ranks: Mapping[str, Mapping[tuple[str, str], int]], family: Sequence[str], pairs: Iterable[tuple[str, str]]
) -> dict[str, dict[tuple[str, str], float]]:
    """The best rank of each document, NaN if no run retrieved it, and which systems have it among their first."""
    if not ranks:
        return {}
    keys, never = list(pairs), 1 << 62
    best = {key: min(of_run.get(key, never) for of_run in ranks.values()) for key in keys}
    first = {name: {key: float(of_run.get(key, never) <= DEPTH) for key in keys} for name, of_run in ranks.items()}
    columns = {"rank": {key: float(np.log2(rank)) if rank < never else np.nan for key, rank in best.items()}}
    if family:
        columns["self-preference"] = {key: max(first[name][key] for name in family) for key in keys}
    elif len(ranks) <= MOST_SYSTEMS:
        columns |= {f"retrieved by {system}": values for system, values in first.items()}
    return columns


def _covariates(table: Any, pairs: Iterable[tuple[str, str]]) -> dict[str, dict[tuple[str, str], float]]:
    """The columns of numbers of a table, by query and document."""
    if table is None:
        return {}
    sheet = as_sheet(table)
    names = [name for name in sheet.table.column_names if name not in ("query", "document")]
    if "document" not in sheet.table.column_names or not names:
        raise BadInput(f"{sheet.name}: covariates need a column document and columns of numbers")
    rows = _rows(sheet)
    by_query = "query" in sheet.table.column_names
    values: dict[str, dict[Any, float]] = {name: {} for name in names}
    for number, row in enumerate(rows, 1):
        key = (row["query"], row["document"]) if by_query else row["document"]
        for name in names:
            try:
                values[name][key] = float(row[name])
            except (TypeError, ValueError):
                raise BadInput(f"{sheet.name}, row {number}: {name} {row[name]!r} is not a number") from None
    return {
        name: {pair: column[key] for pair in pairs if (key := pair if by_query else pair[1]) in column}
        for name, column in values.items()
    }


def _rows(sheet: Sheet) -> list[dict[str, Any]]:
    """The rows of a table, with cells as text."""
    rows = sheet.table.to_pylist()
    return [
        {name: decode(cell) if isinstance(cell, bytes) else str(cell) for name, cell in row.items()} for row in rows
    ]


# the figures


def _figure(part: str, name: str, one: Estimate, n: int) -> Figure:
    return part, name, one.value, one.low, one.high, n, one.note


def agreement_figures(
    both: PairedLabels, people: Mapping[str, Grades], combined: Grades, judge: Grades, rel: float
) -> Iterator[Figure]:
    """Agreement with people, beside the base rates and the agreement of people with each other."""
    n = len(both.pairs)
    common = {pair: combined[pair] for pair in both.pairs}
    yield _figure("agreement", "same grade", both.mean((both.error == 0).astype(float), PROPORTION), n)
    yield from _kappas("agreement", {"people": common, "machine": {pair: judge[pair] for pair in common}}, both, rel)
    if len(people) > 1:
        yield from _kappas("agreement between people", people, both, rel)
    for who, grades in (("people", both.human), ("the machine", both.machine)):
        relevant = np.array([both.scale[step] >= rel for step in grades], float)
        yield _figure("relevant", f"by {who}", both.mean(relevant, PROPORTION), n)


def _kappas(part: str, raters: Mapping[str, Grades], both: PairedLabels, rel: float) -> Iterator[Figure]:
    """Kappa of relevance and, with more than two grades, weighted kappa; intervals over topics."""
    relevant = {name: {pair: float(grade >= rel) for pair, grade in grades.items()} for name, grades in raters.items()}
    kinds: list[tuple[str, Mapping[str, Grades], str]] = [("kappa", relevant, "Kappa")]
    if len(both.scale) > 2:
        kinds.append(("weighted kappa", raters, "Kappa(weights='quadratic')"))
    for name, grades, coefficient in kinds:
        labels = {rater: _nested(of_rater) for rater, of_rater in grades.items()}
        n_topics = len({query for of_rater in labels.values() for query in of_rater})
        how: dict[str, Any] = {"resample": "topic"} if n_topics >= LEAST_TOPICS else {"resamples": 0}
        order = [0.0, 1.0] if coefficient == "Kappa" else list(both.scale)
        try:
            row = agree(labels, coefficient, per=["all"], order=order, confidence=both.confidence, **how).rows[0]
        except BadInput as error:
            yield _figure(part, name, Estimate(np.nan, note=str(error)), 0)
            continue
        few = f"no interval: at least {LEAST_TOPICS} topics are needed; got {n_topics}" if "resamples" in how else ""
        yield _figure(part, name, Estimate(row.value, row.low, row.high, few or row.note), row.n_items)


def repeatability_figures(both: PairedLabels) -> Iterator[Figure]:
    """How often repeated labels are the same, and whether they rise or fall with time."""
    n_trials = both.trials.shape[1]
    if n_trials < 2:
        return
    known = ~np.isnan(both.trials)
    several = known.sum(axis=1) > 1
    same = np.full(len(both.pairs), np.nan)
    for row in np.flatnonzero(several):
        grades = both.trials[row][known[row]]
        same[row] = np.mean([one == other for one, other in combinations(grades, 2)])
    n = int(several.sum())
    yield _figure("repeatability", f"same grade in {n_trials} trials", both.mean(same, PROPORTION), n)
    step = {grade: number for number, grade in enumerate(both.scale)}
    last, first = (np.array([step.get(grade, np.nan) for grade in both.trials[:, place]], float) for place in (-1, 0))
    change = last - first
    yield _figure("drift", "last trial minus first, in steps", both.mean(change), int((~np.isnan(change)).sum()))


def _order(preferences: Any) -> Iterator[Figure]:
    """How often a preference is the same in both orders, and how often the first document is preferred."""
    if preferences is None:
        return
    sheet = as_sheet(preferences)
    needed = {"query", "first", "second", "preferred"}
    if not needed <= set(sheet.table.column_names):
        raise BadInput(f"{sheet.name}: preferences need the columns query, first, second and preferred")
    by_pair: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in _rows(sheet):
        low, high = sorted((row["first"], row["second"]))
        by_pair.setdefault((row["query"], low, high), []).append(row)
    both_orders = {key: answers for key, answers in by_pair.items() if len({one["first"] for one in answers}) == 2}
    if not both_orders:
        raise BadInput(f"{sheet.name}: no two documents were compared in both orders")
    queries = [key[0] for key in both_orders]
    same = [float(len({one["preferred"] for one in answers}) == 1) for answers in both_orders.values()]
    first = [np.mean([float(one["preferred"] == one["first"]) for one in answers]) for answers in both_orders.values()]
    for name, values in (("same preference in both orders", same), ("the first document is preferred", first)):
        yield _figure("order of presentation", name, mean_of(queries, np.array(values)), len(values))


def mean_of(queries: Sequence[str], values: Floats) -> Estimate:
    """The mean of values, with an interval over queries."""
    none = np.zeros(len(values), int)
    pairs = tuple((query, str(place)) for place, query in enumerate(queries))
    return PairedLabels(pairs, none, none, (0.0,), np.zeros((len(values), 0)), {}).mean(values, PROPORTION)


def leniency_figures(both: PairedLabels) -> Iterator[Figure]:
    """How many steps of the scale the machine is above people, for all documents and by people's grade."""
    error = both.error.astype(float)
    yield _figure("leniency", "all", both.mean(error), len(error))
    for step, grade in enumerate(both.scale):
        among = both.human == step
        if among.sum() >= FEWEST:
            name = f"where people say {grade:g}"
            yield _figure("leniency", name, both.mean(error, among=among), int(among.sum()))


def bias_figures(both: PairedLabels) -> Iterator[Figure]:
    """How much higher the machine grades documents with more of each column, at the same grade by people."""
    for name, slope, n_documents in both.slopes():
        yield _figure("bias", name, slope, n_documents)


# the ranking of systems


class _Ranking:
    """The effect of the machine's labels on the differences between systems, and scores corrected by people."""

    def __init__(
        self, human: Grades, judge: Grades, runs: Any, systems: Sequence[str], measure: str | None, margin: float,
        confidence: float, sample: Any,
    ) -> None:  # fmt: skip
        self._judge, self._runs, self._systems = judge, runs, systems
        self._confidence, self._sample = confidence, sample
        self._human = {pair: grade for pair, grade in human.items() if pair in judge}
        self._margin = margin
        n_judge: dict[str, int] = {}
        for query, _ in judge:
            n_judge[query] = n_judge.get(query, 0) + 1
        n_human: dict[str, int] = {}
        for query, _ in self._human:
            n_human[query] = n_human.get(query, 0) + 1
        self._whole = sample is None and all(n >= WHOLE * n_judge[query] for query, n in n_human.items())
        self._measure = str(parse(measure, "ranking")) if measure else "nDCG@10" if self._whole else "P@10"
        if not self._whole and self._measure.partition("@")[0].partition("(")[0] not in SUMS:
            raise BadSetting(
                f"people judged single documents, not whole topics: {self._measure} cannot be estimated from them; use "
                f"{', '.join(SUMS[:-1])} with a cutoff"
            )

    def added_to(self, audit: Audit) -> Audit:
        """The audit with the pairs, the systems and the verdict."""
        unit = "topics" if self._whole else "documents"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CranfieldWarning)  # unjudged queries and documents, of either kind
                pairs, systems = self._of_topics() if self._whole else self._of_documents()
        except BadInput as error:
            return replace(audit, notes=(*audit.notes, f"no audit of the ranking: {error}"))
        figures = [tuple(row) for row in audit.figures]
        figures += self._figures(pairs, systems)
        verdict = _verdict(pairs, self._margin)
        settings = {**audit.settings, "measure": self._measure, "unit": unit}
        made = replace(audit, figures=FIGURES.of(figures), pairs=PAIRS.of(pairs), systems=SYSTEMS.of(systems))
        return replace(made, verdict=verdict, settings=settings)

    def _figures(self, pairs: Sequence[tuple[Any, ...]], systems: Sequence[tuple[Any, ...]]) -> Iterator[Figure]:
        if len(systems) < 2:
            return
        # by the corrected scores, which are people's scores where people judged all
        people, machine = ({row[0]: row[place] for row in systems} for place in (3, 1))
        tau = float(correlate(people, machine, "tau-b").rows[0].value)
        n_swapped = sum(row[2] * row[3] < 0 for row in pairs)
        yield "ranking", "Kendall's tau of the two orders", tau, np.nan, np.nan, len(systems), ""
        yield "ranking", "pairs of systems that swap", float(n_swapped), np.nan, np.nan, len(pairs), ""
        largest = max(max(abs(row[5]), abs(row[6])) for row in pairs)
        widest = max(abs(row[4]) for row in pairs)
        yield "ranking", "largest change of a difference", widest, np.nan, largest, len(pairs), ""

    def _of_topics(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """By topics that people judged as a whole: the same documents by both, and a paired t-test over topics."""
        same = {pair: self._judge[pair] for pair in self._human}
        human, machine = (self._samples(grades) for grades in (self._human, same))
        every = self._result(self._judge)
        pairs = []
        names = list(combinations(range(len(human.systems)), 2))
        level = 1 - (1 - self._confidence) / max(len(names), 1)
        for one, other in names:
            by_people, by_machine = (samples.values[one] - samples.values[other] for samples in (human, machine))
            change = by_machine - by_people
            low, high, _ = t_interval(change[:, None], level).of_one
            means = (float(by_people.mean()), float(by_machine.mean()), float(change.mean()))
            pairs.append((human.systems[one], human.systems[other], *means, low, high))
        estimated = estimate(self._result(self._human), every, confidence=self._confidence)
        needed = {
            row.system: _needed(lambda half: estimate(
                self._result(self._human), every, confidence=self._confidence, half_width=half
            ), row.system, (row.high - row.low) / 4)
            for row in estimated.rows
        }  # fmt: skip
        return pairs, _systems(estimated, needed)

    def _of_documents(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        """By a random sample of documents: the difference estimator."""
        human, machine = _nested(self._human), _nested(self._judge)
        names = self._systems
        n_pairs = max(len(names) * (len(names) - 1) // 2, 1)
        level = 1 - (1 - self._confidence) / n_pairs

        def estimates(baseline: str | None, confidence: float, half_width: float | None = None) -> Estimation:
            settings = {"sample": self._sample, "confidence": confidence, "half_width": half_width}
            return estimate_documents(human, machine, self._runs, self._measure, baseline, **settings)

        pairs = []
        for place, baseline in enumerate(names[1:], 1):
            for row in estimates(baseline, level).rows:
                if row.baseline and row.system in names[:place]:
                    change = row.machine - row.estimate
                    bounds = (row.machine - row.high, row.machine - row.low)
                    pairs.append((row.system, baseline, row.estimate, row.machine, change, *bounds))
        estimated = estimates(None, self._confidence)
        needed = {
            row.system: _needed(
                lambda half: estimates(None, self._confidence, half), row.system, (row.high - row.low) / 4
            )
            for row in estimated.rows
        }
        return pairs, _systems(estimated, needed)

    def _result(self, grades: Grades) -> Any:
        return evaluate(_nested(grades), self._runs, self._measure)

    def _samples(self, grades: Grades) -> Samples:
        return samples_of(self._result(grades), 0)


def _needed(estimates: Any, system: str, half_width: float) -> int | None:
    """The labels by people for an interval of this half-width; None if there are not so many."""
    if not half_width > 0:
        return None
    return next(row.needed for row in estimates(half_width).rows if row.system == system)


def _systems(estimated: Estimation, needed: Mapping[str, int | None]) -> list[tuple[Any, ...]]:
    return [
        (row.system, row.machine, row.human, row.estimate, row.low, row.high, needed[row.system])
        for row in estimated.rows
    ]


def _verdict(pairs: Sequence[tuple[Any, ...]], margin: float) -> Verdict:
    """Whether no difference changes by more than the margin, or one evidently does."""
    if any(row[5] > margin or row[6] < -margin for row in pairs):
        return "no"
    return "yes" if pairs and all(-margin <= row[5] and row[6] <= margin for row in pairs) else "undecided"
