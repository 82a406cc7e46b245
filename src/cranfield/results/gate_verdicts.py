"""The verdict on a demand: what is decided about the values, unless the evidence allows no verdict.

Decided here: when the evidence allows no verdict of a gate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from cranfield.engines.evaluation import Counting
from cranfield.errors import BadInput
from cranfield.evidence.hits import Hits
from cranfield.evidence.samples import Samples
from cranfield.results.cautions import CONVENTIONS
from cranfield.results.gate_decisions import decided
from cranfield.results.gate_demands import Demand
from cranfield.results.gate_evidence import doubts_about, extreme_orders, warnings_about
from cranfield.results.gate_values import doubts_about_values, worst_value
from cranfield.results.gates import Gate
from cranfield.results.rankings import Result, of_systems
from cranfield.results.result_samples import samples_of, value_of_samples
from cranfield.tables.judgments import Judgments
from cranfield.text import counted

OtherOrders = Callable[[], Sequence[Result]]

TOLD = 1 / 3  # proportion of units on which some system has more than the worst value
_USUAL = vars(Counting()) | {"undefined": "zero"}  # settings of an evaluation


def verdict_on_values(demand: Demand, samples: Samples, value: Mapping[str, float]) -> Gate:
    """The gate for a demand on values, given the aggregated value of each system."""
    gate = decided(demand, samples, value)
    return _unless(gate, (*doubts_about_values(demand, samples, value), *_decided_by_failures(demand, samples, gate)))


def verdict_on_runs(
    result: Result, demand: Demand, judged: Judgments | None = None, other_orders: OtherOrders | None = None
) -> Gate:
    """The gate for a demand on a result; only the queries that count for its systems matter.

    `other_orders` evaluates the runs with tied documents in other orders, if the runs are at hand.
    """
    samples, value = _values_of(result, demand)
    gate = decided(demand, samples, value)
    doubts = (
        *doubts_about(result, demand, judged),
        *doubts_about_values(demand, samples, value),
        *_decided_by_ties(result, demand, gate, other_orders),
        *_decided_by_undefined(result, demand, gate),
        *_decided_by_failures(demand, samples, gate),
    )
    settings = result.provenance.settings.items()
    return replace(
        _unless(gate, doubts),
        warnings=(*map(str, warnings_about(result, demand)), *gate.warnings),
        settings=", ".join(f"{name} {value}" for name, value in settings if value != _USUAL.get(name, value)),
    )


def _unless(gate: Gate, doubts: tuple[str, ...]) -> Gate:
    """The gate, undecided if there are doubts about its data."""
    return replace(gate, outcome="undecided", reasons=(*doubts, *gate.reasons)) if doubts else gate


def _values_of(result: Result, demand: Demand) -> tuple[Samples, dict[str, float]]:
    """The samples of the systems of a demand, and their aggregated values."""
    alone = of_systems(result, [result.systems.index(name) for name in demand.systems])
    samples = samples_of(alone, alone.place(demand.measure))
    if samples.left_out and isinstance(demand.baseline, str):  # over the queries whose differences are tested
        return samples, value_of_samples(demand.measure, samples)
    return samples, {name: alone[name, demand.measure] for name in alone.systems}


def _passes(result: Result, demand: Demand) -> bool:
    """Whether a demand is met by the values of a result, if there are any."""
    with suppress(BadInput):
        return decided(demand, *_values_of(result, demand)).passed
    return False


def _decided_by_ties(result: Result, demand: Demand, gate: Gate, other_orders: OtherOrders | None) -> Iterator[str]:
    """Whether another order of tied documents would change the outcome."""
    ties, instead = result.provenance.settings.get("ties"), ""
    orders: Iterable[Result]
    if result.measures[result.place(demand.measure)].declaration.evidence is Hits:
        orders = extreme_orders(result, demand)
        instead = "; expected values (ties = 'expected') do not depend on it"
    elif ties not in (None, "given") and (ties not in CONVENTIONS or _are_tied(result, demand)):
        if other_orders is None:
            yield "documents are tied, and what other orders of them would change is not known: give the runs"
            return
        orders = other_orders()
    else:
        return
    if any(_passes(other, demand) is not gate.passed for other in orders):
        yield f"the order of tied documents decides{instead}"


def _decided_by_failures(demand: Demand, samples: Samples, gate: Gate) -> Iterator[str]:
    """Whether units on which both have the worst value decide that a system is not worse, if most are such units."""
    if not (gate.passed and demand.requirement == "not worse" and isinstance(demand.baseline, str)):
        return
    values = samples.values[[samples.system(name) for name in demand.systems]]
    told = (values != worst_value(demand.measure, samples)).any(axis=0)
    if told.any() and told.mean() < TOLD:
        units = tuple(unit for unit, is_told in zip(samples.units, told, strict=True) if is_told)
        others = replace(samples, units=units, values=samples.values[:, told])
        if not decided(demand, others, value_of_samples(demand.measure, others)).passed:
            n_failed = counted(int((~told).sum()), samples.unit)
            yield f"both have the worst value on {n_failed} of {len(samples):,}; the others do not show this margin"


def _are_tied(result: Result, demand: Demand) -> bool:
    return any(caution.kind == "ties" for caution in warnings_about(result, demand))


def _decided_by_undefined(result: Result, demand: Demand, gate: Gate) -> Iterator[str]:
    """Whether undefined values decide: left out if they count, or counting if a comparison leaves them out."""
    places = [result.systems.index(name) for name in demand.systems]
    n_undefined = int(result.n_undefined[places, result.place(demand.measure)].max())
    counts = result.undefined == "zero"
    if not (gate.passed and n_undefined and (counts or isinstance(demand.baseline, str))):
        return
    settings = {**result.provenance.settings, "undefined": "skip" if counts else "zero"}
    if not _passes(replace(result, provenance=replace(result.provenance, settings=settings)), demand):
        how = "count as the worst value or 0" if counts else "are left out"
        yield (f"{demand.measure} is undefined on {counted(n_undefined, result.unit)}, which {how}: this decides")
