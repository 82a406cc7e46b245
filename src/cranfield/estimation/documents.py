"""Estimates from machine labels of all documents and human labels of a random sample of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.estimation.result import ESTIMATES, Estimation, estimate_row
from cranfield.frozen import cached_property, frozen
from cranfield.measures.graded import divisor, gain_of
from cranfield.measures.registry import Measure
from cranfield.settings import CONFIDENCE
from cranfield.statistics.sampling import CombinedEstimate, LabelledSample, sampled_total
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode, encode
from cranfield.tables.number_columns import numbers
from cranfield.tables.readers.sheets import Sheet, as_sheet
from cranfield.text import counted

# The contribution of each document to measures that are sums over documents


SUMS = ("P", "CG", "DCG", "RBP", "R")


@frozen
class Contribution:
    """A measure as a sum over documents: `weight(rank)` times `gain(grade)`, for a query.

    Recall is divided by the gains of all documents.
    """

    weight: Callable[[Ints], Floats]
    gain: Callable[[Floats], Floats]
    relative: bool = False


def contribution(measure: Measure) -> Contribution:
    """The contribution of a document to a measure."""
    name, options = measure.name, dict[str, Any](measure.options)
    if name not in SUMS or (name == "P" and options["k"] is None):
        raise BadSetting(
            f"{measure} is not a sum over documents with known weights; use {', '.join(SUMS[:-1])} with a cutoff, or R"
        )
    if name == "RBP" and options["gain"] != "binary":
        raise BadSetting(f"{measure} depends on the top grade of all documents; use RBP with binary relevance")
    gain = _worth(options) if name in ("CG", "DCG") else _relevant(float(options["rel"]))
    return Contribution(_weight(name, options), gain, relative=name == "R")


def _relevant(rel: float) -> Callable[[Floats], Floats]:
    return lambda grade: (grade >= rel).astype(np.float64)


def _worth(options: dict[str, Any]) -> Callable[[Floats], Floats]:
    return lambda grade: np.asarray(gain_of(grade, options["gain"], options.get("rel")), np.float64)


def _weight(name: str, options: dict[str, Any]) -> Callable[[Ints], Floats]:
    """The weight of each rank; rank 0 is that of documents that were not retrieved."""
    k = options["k"] or np.inf

    def weight(rank: Ints) -> Floats:
        known = np.maximum(rank, 1)
        weights = np.ones(len(rank))
        if name == "P":
            weights /= k
        elif name == "RBP":
            weights = (1 - options["p"]) * options["p"] ** (known - 1.0)
        elif name == "DCG":
            weights = 1 / divisor(known, options["discount"], options["base"])
        return np.where((rank > 0) & (rank <= k), weights, 0.0)

    return weight


LEAST = 10  # documents judged by people
FEW = 50  # below this many contributing documents, a note gives their number
NOT_RANDOM = 0.001  # p-value below which the documents judged by people are not a random sample
UNLIKELY = 5  # standard errors by which a number estimated from the sample may differ from the true one

Key = tuple[bytes, bytes]  # query and document


@frozen(eq=False)
class Labelled:
    """All documents that the machine judged, with their ranks in each system, and those that people judged too."""

    machine: Judgments
    rank: Mapping[str, Ints]
    grade: Mapping[Key, float]  # by people

    @cached_property
    def key(self) -> list[Key]:
        """Query and document of each row."""
        queries = self.machine.queries.take(self.machine.document_unit).tolist()
        return list(zip(queries, self.machine.documents.take(np.arange(len(queries))).tolist(), strict=True))

    @cached_property
    def row(self) -> dict[Key, int]:
        """The row of each document."""
        return {key: row for row, key in enumerate(self.key)}

    def quantities(self, baseline: str | None) -> Iterator[tuple[str, str]]:
        """Each system, and each difference from the baseline."""
        if baseline is not None and baseline not in self.rank:
            raise BadSetting(f"there is no system {baseline!r}; available: {', '.join(self.rank)}")
        yield from ((system, "") for system in self.rank)
        yield from ((system, baseline) for system in self.rank if baseline not in (None, system))

    def weights(self, measure: Measure, system: str, baseline: str) -> Floats:
        """The contribution of each document, per unit of gain, to the mean over queries or to a difference of means."""
        weight, n_queries = contribution(measure).weight, len(self.machine.queries)
        first = weight(self.rank[system]) / n_queries
        return first - weight(self.rank[baseline]) / n_queries if baseline else first


def labelled(human: Judgments | None, machine: Judgments, rank: Mapping[str, Ints]) -> Labelled:
    """The aligned labels; documents judged by people must also have been judged by the machine."""
    machine.require_once("the machine's judgments")
    grade: dict[Key, float] = {}
    if human is not None:
        human.require_once("the human judgments")
        keys = zip(human.queries.take(human.unit), human.documents.take(human.document), strict=True)
        grade = {key: value for key, value in zip(keys, human.grade.tolist(), strict=True) if value >= 0}
    labels = Labelled(machine, rank, grade)
    missing = [key for key in grade if key not in labels.row]
    if missing:
        query, document = map(decode, missing[0])
        raise BadInput(
            f"people judged {counted(len(missing), 'document')} that the machine did not, such as {document!r} for "
            f"query {query!r}; the machine must judge all"
        )
    return labels


def estimated_from_documents(
    labels: Labelled,
    measures: Sequence[Measure],
    baseline: str | None,
    *,
    sample: Any = None,
    confidence: float = CONFIDENCE,
    half_width: float | None = None,
) -> Estimation:
    """The estimate of each measure for each system, and of differences from the baseline."""
    drawn, notes = (_assumed(labels, measures), []) if sample is None else _documented(labels, sample)
    n, n_all = len(drawn.row), len(labels.key)
    if n < LEAST:
        raise BadInput(f"at least {LEAST} documents with human judgments are needed; got {n}")
    notes.insert(0, f"{counted(n, 'document')} judged by people and by the machine, of {n_all:,} judged by the machine")
    if sample is None:
        notes.append(
            "the documents judged by people are assumed to be a simple random sample; "
            "--sample (sample=) gives their inclusion probabilities"
        )
    rows = []
    for measure in measures:
        for system, other in labels.quantities(baseline):
            _require_coverage(labels, measure, (system, other), drawn)
            total = _total(labels, measure, (system, other), drawn, confidence, half_width)
            rows.append(estimate_row(measure, system, other, total))
            notes += _few(labels, measure, (system, other), drawn)
    if any(measure.name == "R" for measure in measures):
        notes.append("R is pooled over queries: relevant documents found, divided by the estimated number of all")
    settings = {"over": "documents", "baseline": baseline, "confidence": confidence, "half_width": half_width}
    lenient = _leniency(labels, drawn)
    word = f"{'lenient' if lenient >= 0 else 'strict'} by {abs(lenient):.2g} grades"
    notes.append(f"on {counted(n, 'doubly judged document')}, the machine is {word}")
    notes = [*dict.fromkeys(notes)]
    return Estimation(ESTIMATES.of(rows), n_judged=n, leniency=lenient, settings=settings, notes=tuple(notes))


def _require_coverage(labels: Labelled, measure: Measure, pair: tuple[str, str], drawn: LabelledSample) -> None:
    """Refuse a sample that does not represent the documents that count, by the number it estimates for them."""
    counting = labels.weights(measure, *pair) != 0
    inverse = counting[drawn.row] / drawn.probability
    number, expected = int(counting.sum()), float(inverse.sum())
    error = np.sqrt(float((inverse**2 * (1 - drawn.probability)).sum()))  # at least that of a stratified sample
    if abs(expected - number) > UNLIKELY * error + 0.5:
        raise BadInput(
            f"{measure} of {' - '.join(filter(None, pair))} counts {number:,} documents, but by its inclusion "
            f"probabilities the sample represents {expected:,.0f}: were documents removed from it, or was it drawn for "
            "other measures or runs?"
        )


def _total(
    labels: Labelled, measure: Measure, pair: tuple[str, str], drawn: LabelledSample, confidence: float,
    half_width: float | None,
) -> CombinedEstimate:  # fmt: skip
    """The estimate of a mean or a difference; recall is linearised at its value by human labels alone."""
    form = contribution(measure)
    weight = labels.weights(measure, *pair)
    gains = form.gain(labels.machine.grade), form.gain(_human_grades(labels, drawn))
    machine, human = weight * gains[0], weight[drawn.row] * gains[1]
    if not form.relative:
        return sampled_total(human, machine, weight, drawn, confidence, half_width)
    n_queries = len(labels.machine.queries)
    total = drawn.expanded(gains[1])
    if not total:
        raise BadInput(f"{measure}: people found no relevant document in their sample, so recall is undefined")
    value = n_queries * drawn.expanded(human) / total
    scale = (n_queries * weight - value) / total
    estimate = sampled_total(
        scale[drawn.row] * gains[1], scale * gains[0], scale, drawn, confidence, half_width, offset=value
    )
    by_machine = n_queries * float(machine.sum()) / max(float(gains[0].sum()), 1e-300)
    return replace(estimate, machine=by_machine, difference=by_machine - estimate.value)


def _human_grades(labels: Labelled, drawn: LabelledSample) -> Floats:
    return np.array([labels.grade[labels.key[row]] for row in drawn.row.tolist()], np.float64)


def _assumed(labels: Labelled, measures: Sequence[Measure]) -> LabelledSample:
    """The documents that people judged as a simple random sample; refused if they evidently are not one."""
    row = np.array(sorted(labels.row[key] for key in labels.grade), np.int64)
    n, n_all = len(row), len(labels.key)
    deepest = np.max([labels.weights(measure, name, "") for measure in measures for name in labels.rank], axis=0)
    reasons = {
        "the machine's grades differ": _p_of_difference(labels.machine.grade, row),
        "their ranks differ": _p_of_difference(deepest, row),
        "they are concentrated in some queries": _p_of_concentration(labels.machine.document_unit, row),
    }
    for reason, p in reasons.items():
        if p < NOT_RANDOM:
            raise BadInput(
                f"the {n} documents that people judged are not a random sample of the {n_all:,} that the machine "
                f"judged: {reason} (p = {p:.1g}); pass their inclusion probabilities as a sample, or judge documents "
                "chosen at random, as plan_judging does; if people judged whole queries, estimate over queries"
            )
    return LabelledSample(row, np.full(n, n / n_all), np.zeros(n, np.int64))


def _p_of_difference(values: Floats, row: Ints) -> float:
    """P-value of the difference between the rows and the others, by ranks."""
    from scipy.stats import mannwhitneyu

    rest = np.delete(values, row)
    if not len(rest) or not len(row) or np.ptp(values) == 0:
        return 1.0
    return float(mannwhitneyu(values[row], rest, method="asymptotic").pvalue)


def _p_of_concentration(unit: Ints, row: Ints) -> float:
    """P-value of the chi-square statistic of the rows of each query, whose distribution has its mean and variance."""
    from scipy.stats import gamma

    n, n_all = len(row), len(unit)
    size = np.bincount(unit).astype(np.float64)
    part = size[size > 0] / n_all
    freedom = len(part) - 1
    if not freedom or not 2 <= n < n_all:
        return 1.0
    drawn = np.bincount(unit[row], minlength=len(size))[size > 0]
    statistic = float(((drawn - n * part) ** 2 / part).sum()) / n / (1 - n / n_all)
    variance = 2 * freedom + (float((1 / part).sum()) - (freedom + 1) ** 2 - 2 * freedom) / n
    return float(gamma.sf(statistic, freedom**2 / variance, scale=variance / freedom))


def _documented(labels: Labelled, sample: Any) -> tuple[LabelledSample, list[str]]:
    """The sample as documented: a table with columns query, document, probability and, if it has strata, stratum."""
    rows = _sample_rows(sample)
    unknown = [key for key in rows if key not in labels.row]
    unjudged = [key for key in rows if key not in labels.grade]
    for keys, what in ((unknown, "that the machine did not judge"), (unjudged, "that people did not judge")):
        if keys:
            query, document = map(decode, keys[0])
            raise BadInput(
                f"the sample has {counted(len(keys), 'document')} {what}, such as {document!r} for query {query!r}"
            )
    outside = len(labels.grade.keys() - rows.keys())
    notes = [f"{counted(outside, 'document')} judged by people but not in the sample, left out"] if outside else []
    names = {name: place for place, name in enumerate(dict.fromkeys(stratum for _, stratum in rows.values()))}
    drawn = LabelledSample(
        np.array([labels.row[key] for key in rows], np.int64),
        np.array([probability for probability, _ in rows.values()], np.float64),
        np.array([names[stratum] for _, stratum in rows.values()], np.int64),
    )
    return drawn, notes


def _sample_rows(sample: Any) -> dict[Key, tuple[float, str]]:
    """The sampled documents with their probability and stratum; rows that are not selected are left out."""
    sheet = as_sheet(sample.table() if hasattr(sample, "table") and hasattr(sample, "provenance") else sample)
    columns = sheet.table.column_names
    for name in ("query", "document", "probability"):
        if name not in columns:
            raise BadInput(f"{sheet.name}: a sample needs the column {name!r}; it has {', '.join(columns)}")
    queries, documents = sheet.names("query"), sheet.names("document")
    probability = numbers("probability", sheet.cells("probability"), sheet.where)
    strata = sheet.names("stratum") if "stratum" in columns else [""] * len(queries)
    selected = _selected(sheet) if "selected" in columns else np.ones(len(queries), np.bool_)
    rows: dict[Key, tuple[float, str]] = {}
    for place in np.flatnonzero(selected).tolist():
        if not 0 < probability[place] <= 1:
            raise BadInput(f"{sheet.where(place)}: probability {probability[place]} is not in (0, 1]")
        key = encode(str(queries[place])), encode(str(documents[place]))
        if key in rows:
            raise BadInput(
                f"{sheet.where(place)}: document {documents[place]!r} of query {queries[place]!r} is repeated"
            )
        rows[key] = (float(probability[place]), str(strata[place]))
    return rows


def _selected(sheet: Sheet) -> Mask:
    """Which rows are in the sample; false and 0 are not."""
    cells = sheet.names("selected")
    if all(str(cell).lower() in ("true", "false") for cell in cells):
        return np.array([str(cell).lower() == "true" for cell in cells], np.bool_)
    return numbers("selected", sheet.cells("selected"), sheet.where) != 0


def _few(labels: Labelled, measure: Measure, pair: tuple[str, str], drawn: LabelledSample) -> list[str]:
    n = int(np.count_nonzero(labels.weights(measure, *pair)[drawn.row]))
    if measure.name == "R" or n >= FEW:
        return []
    what = " - ".join(filter(None, pair))
    return [f"{measure}, {what}: only {n} of the documents judged by people contribute"]


def _leniency(labels: Labelled, drawn: LabelledSample) -> float:
    """The machine's mean grade minus people's, on the documents that both judged."""
    apart = drawn.expanded(labels.machine.grade[drawn.row] - _human_grades(labels, drawn))
    return apart / drawn.expanded(np.ones(len(drawn.row)))
