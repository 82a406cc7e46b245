"""Is a system good enough to release? Check it against gates.

Decided here: whether a system passes a release gate.

Decided here: when the evidence allows no verdict of a gate.
"""

from __future__ import annotations

import math
import os
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial, reduce
from inspect import signature
from itertools import chain, count
from typing import Annotated, Any, get_args

import numpy as np

from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.errors import BadInput, BadSetting, CranfieldWarning, UnknownMeasure, did_you_mean, require_one_of
from cranfield.evidence.hits import Hits
from cranfield.evidence.samples import Pairs, Samples, is_number
from cranfield.gates.audits import checked_audit, files_of_audit
from cranfield.gates.demands import Demand, Needs
from cranfield.gates.evidence import (
    doubts_about,
    doubts_about_values,
    extreme_orders,
    is_copy,
    warnings_about,
    worst_value,
)
from cranfield.gates.result import Change, Checked, Gate, Outcome, Requirement
from cranfield.measures.naming import known_measure, parse
from cranfield.rankings.cautions import CONVENTIONS
from cranfield.rankings.evaluate import Written, evaluate
from cranfield.releases.baselines import Release, is_release, not_comparable, with_release
from cranfield.releases.baselines import baseline as stored_baseline
from cranfield.releases.record import record as add_record
from cranfield.releases.record import record_samples
from cranfield.releases.store import Store, release_here
from cranfield.results.samples import (
    bounds_of,
    intervals_of_samples,
    is_geometric,
    is_summed,
    on_tested_scale,
    paired,
    require_below_range,
    require_in_range,
    samples_of,
    value_of_samples,
)
from cranfield.results.values import Result, of_systems
from cranfield.rounding import less
from cranfield.settings import CONFIDENCE, Means
from cranfield.statistics.distributions import t_quantile, t_tail
from cranfield.statistics.pairs import least_units, standard_error, superiority, units_to_show
from cranfield.tables.adapters.spark_inputs import is_address
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.rankings import RunSource
from cranfield.tables.readers.streams import bytes_of
from cranfield.tables.sources import as_judgments, as_run, is_dataset_id
from cranfield.tables.system_names import system_names
from cranfield.text import counted, plural
from cranfield.verb import verb

# Whether a value reaches what is required of it: a number, or the value of a baseline, in a one-sided test.
#
# A gate is failed if the observed value misses the requirement, passed if it meets it with enough evidence, and
# undecided otherwise. Whether the data allow a verdict at all is decided in `gate_verdicts`.


WORST = 10  # units listed


def decided(demand: Demand, samples: Samples, value: Mapping[str, float]) -> Gate:
    """The gate for a demand, from the samples of its measure and the aggregated value of each system."""
    _require_possible(demand, samples)
    reached = value[demand.system]
    gate = Gate(
        gate=demand.words,
        outcome="undecided",
        measure=demand.measure,
        system=demand.system,
        requirement=demand.requirement,
        value=reached,
        n=len(samples),
        unit=samples.unit,
        needs=str(demand.needs),
        warnings=(*samples.notes, *_of_folds(demand, samples)),
    )
    if demand.is_absolute:
        return _reached(demand, samples, gate)
    baseline = str(demand.baseline)
    if is_number(demand.baseline):
        samples = samples.with_constant(float(demand.baseline) / _parts(demand, samples))
        baseline = samples.systems[-1]
        value = {**value, baseline: float(demand.baseline)}
    return _compared(demand, samples, replace(gate, baseline_value=value[baseline]), baseline)


def _of_folds(demand: Demand, samples: Samples) -> Iterator[str]:
    """A warning that folds may share training data, of which the test knows nothing."""
    if samples.unit == "fold" and not samples.overlap and not demand.is_absolute:
        yield (
            "folds of a cross-validation share training data, but the test assumes independence and passes too often; "
            "the result of cross_validate knows the overlap"
        )


def _require_possible(demand: Demand, samples: Samples) -> None:
    """Refuse requirements that no system, or every system, meets."""
    for what, required in (("the value", demand.value), ("the baseline", demand.baseline)):
        require_in_range(f"{demand.words}: {what}", required, demand.measure, samples)
    require_below_range(f"{demand.words}: the margin", demand.margin, demand.measure, samples)
    if known_measure(demand.measure) is None or is_geometric(demand.measure):
        return
    low, high = (_parts(demand, samples) * bound for bound in bounds_of(demand.measure, samples))
    if demand.is_absolute:
        end = low if demand.requirement == "at least" else high
        met = demand.value == end
    else:
        end = high if samples.lower_is_better else low
        met = is_number(demand.baseline) and abs(demand.baseline - end) <= (demand.margin or 0)
    if met:
        beyond = "above" if end == high else "below"
        raise BadSetting(f"{demand.words}: {demand.measure} is never {beyond} {end:g}, so every system passes")


def _reached(demand: Demand, samples: Samples, gate: Gate) -> Gate:
    """The gate for a value to reach."""
    confidence = CONFIDENCE if demand.confidence is None else demand.confidence
    low, high, method = _interval(demand, samples, 2 * confidence - 1)
    beyond = float(less(np.array([gate.value]), np.array([demand.value]))[0])
    limit = low if demand.requirement == "at least" else high
    reaches = beyond >= 0 if demand.requirement == "at least" else beyond <= 0
    outcome: Outcome = "passed" if reaches else "failed"
    reasons: tuple[str, ...] = ()
    if reaches and demand.confidence is not None:
        if limit is None:
            outcome, reasons = "undecided", (f"there is no confidence limit: {method.removeprefix('none: ')}",)
        elif limit < demand.value if demand.requirement == "at least" else limit > demand.value:  # type: ignore[operator]
            sure = f"the one-sided {100 * confidence:g} % confidence limit is {limit:.4f}"
            outcome, reasons = "undecided", (f"the value reaches {demand.value:g}, but {sure}",)
    return replace(
        gate,
        outcome=outcome,
        reasons=reasons,
        required=demand.value,
        low=low,
        high=high,
        confidence=2 * confidence - 1,
        interval=method,
        worst=_furthest(samples, demand),
    )


def _interval(demand: Demand, samples: Samples, confidence: float) -> tuple[float | None, float | None, str]:
    """The interval of the value of the system, and its method; without bounds, why there are none."""
    if is_summed(demand.measure):
        return None, None, f"none: a sum over these {plural(samples.unit)} does not generalise to others"
    if samples.overlap:
        return None, None, "none: the training sets of the folds overlap"
    bounds = intervals_of_samples({demand.measure: samples}, confidence=confidence)
    s = samples.system(demand.system)
    low, high = float(bounds.low[s, 0]), float(bounds.high[s, 0])
    return (None if math.isnan(low) else low), (None if math.isnan(high) else high), bounds.method[s][0]


def _compared(demand: Demand, samples: Samples, gate: Gate, baseline: str) -> Gate:
    """The gate for a comparison with the baseline: its outcome, and the units that got worse."""
    tested = on_tested_scale({demand.measure: samples})[demand.measure]
    first, second = samples.system(demand.system), samples.system(baseline)
    pairs = Pairs(tested, np.array([first]), np.array([second]))
    gained = pairs.difference[:, 0] * (-1 if samples.lower_is_better else 1)
    parts = _parts(demand, samples)
    margin = (demand.margin or 0.0) / parts
    shown = superiority(pairs, margin, demand.level)
    varies = pairs.n_units > 1 and bool(pairs.deviation[0] > 0)
    unchanged = isinstance(demand.baseline, str) and is_copy(samples.values[first], samples.values[second])
    outcome: Outcome = "undecided"
    reasons: list[str] = []
    n_differ = int((gained != 0).sum())
    if unchanged and demand.needs.unchanged != "pass":
        pass  # the reason is among those of gate_values
    elif shown.improvement <= -margin or (unchanged and demand.requirement == "better"):
        outcome = "failed"
    elif unchanged:
        outcome = "passed"
    elif not varies:
        reasons.append(
            f"the difference is the same on all {pairs.n_units} {plural(samples.unit)}, so its variance is unknown"
        )
    elif demand.requirement == "better" and n_differ < least_units(demand.level):
        reasons.append(
            f"only {counted(n_differ, samples.unit)} {'differs' if n_differ == 1 else 'differ'}: "
            f"too few to show an improvement at the level {demand.level:g}"
        )
    elif shown.p < demand.level:
        outcome = "passed"
    else:
        reasons.append(_not_shown(demand, samples, shown.bound * parts, shown.p))
    mean = float(pairs.mean[0])
    half = float(t_quantile(1 - demand.level, pairs.n_units - 1)) * standard_error(pairs) if varies else math.nan
    return replace(
        gate,
        outcome=outcome,
        reasons=tuple(reasons),
        baseline=f"{demand.baseline:g}" if is_number(demand.baseline) else baseline,
        difference=mean * parts,
        margin=demand.margin,
        low=(mean - half) * parts if varies else None,
        high=(mean + half) * parts if varies else None,
        confidence=1 - 2 * demand.level,
        interval=("corrected paired t" if samples.overlap else "paired t")
        if varies
        else "none: the differences do not vary",
        p=shown.p if varies else None,
        difference_p=_two_sided(pairs),
        level=demand.level,
        n_fell=int((gained < 0).sum()),
        n_rose=int((gained > 0).sum()),
        needed=None if outcome == "passed" else units_to_show(pairs, margin, demand.level),
        worst=tuple(
            Change(samples.units[u], float(samples.values[second, u]), float(samples.values[first, u]))
            for u in np.argsort(gained, kind="stable")[:WORST].tolist()
            if gained[u] < 0
        ),
    )


def _not_shown(demand: Demand, samples: Samples, bound: float, p: float) -> str:
    """Why a comparison whose observed difference is good enough is no pass."""
    least = f"-{demand.margin:g}" if demand.margin else "0"
    if not math.isfinite(bound):
        return f"{counted(len(samples), samples.unit)} cannot show that the improvement exceeds {least}: too few"
    return (
        f"the {plural(samples.unit)} do not show that the improvement exceeds {least}: its one-sided "
        f"{100 * (1 - demand.level):g} % confidence limit is {bound:.4f} (p = {p:.4g})"
    )


def _parts(demand: Demand, samples: Samples) -> int:
    """The number of values that add up to the value of a system; 1 for means."""
    return len(samples) if is_summed(demand.measure) else 1


def _two_sided(pairs: Pairs) -> float | None:
    """The p-value of the paired t-test; None if the differences have no variance."""
    if pairs.n_units < 2 or pairs.deviation[0] == 0:
        return None
    return float(t_tail(pairs.mean / standard_error(pairs), pairs.n_units - 1)[0])


def _furthest(samples: Samples, demand: Demand) -> tuple[Change, ...]:
    """The units whose values are furthest from the requirement."""
    values = samples.values[samples.system(demand.system)]
    order = np.argsort(values if demand.requirement == "at least" else -values, kind="stable")
    return tuple(Change(samples.units[u], None, float(values[u])) for u in order[:WORST].tolist())


# The verdict on a demand: what is decided about the values, unless the evidence allows no verdict


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


NEEDS = tuple(signature(Needs).parameters)
_SHARED = ("run", "baseline", "level", "confidence", *NEEDS)  # for all gates, unless a gate has its own
_SPECIFIED = ("qrels", "values", "store", "lower_is_better", "settings", "gate", *_SHARED)
_ABSOLUTE = ("at least", "at most")  # requirements without a baseline
_TABLES = ("item_info", "system_info")  # settings of `evaluate` that may be paths
_OF_A_GATE = ("measure", "require", "value", "margin", *_SHARED)


@verb
def check(
    gates: Any,
    *,
    record: Annotated[
        str | None, Means("Add the runs to this store of releases, if all gates are passed.", metavar="STORE")
    ] = None,
    release: Annotated[
        str | None, Means("Name of the release.", default="the tag or the commit of the working folder")
    ] = None,
    keep_files: Annotated[bool, Means("Also copy the runs and judgments into the store.")] = False,
) -> Checked:
    """Whether a system passes release gates: values that it must reach, and comparisons with a baseline.

    A gate is passed, failed or undecided. It is failed if the observed value misses the requirement, and undecided if
    it meets it without enough evidence: `"better"` needs a significant improvement, and `"not worse"` a one-sided
    confidence limit above `-margin`. It is also undecided if the data allow no verdict: a run lacks judged queries,
    too few queries count or many are repeated, the measure is undefined on too many, too few documents are judged, the
    order of tied documents decides, nothing varies, or files seem to be confused. Requirements that every system meets
    are refused.

    Parameters
    ----------
    gates
        The path of a TOML file, or the same as a dict: `qrels`, `run`, `baseline` (a run or a number) and a list of
        gates, `gate`. Each gate has a `measure` and what it must do, `require`: `"at least"` or `"at most"` a `value`;
        `"better"` than the baseline; or `"not worse"` than the baseline by a `margin`. `run`, `baseline` and `level`
        (0.05) may be set for all gates or for one. With a `confidence`, such as 0.95, not only the value but its
        one-sided confidence limit must be at least, or at most, what is required. What a verdict needs may be set too:
        `complete` (1.0), the proportion of the judged queries that both sides answer; `min_queries` (10);
        `min_defined` (0.9), the proportion of queries on which the measure is defined; `min_judged` (0.5), the
        proportion of judged documents among the top 10; `unchanged = "pass"` accepts a run with the values of the
        baseline as not worse. `settings` are those of `evaluate`. Instead of `qrels`, `values`
        may name a table of values, whose systems are `run` and `baseline`, and `lower_is_better` measures in it; if
        the table names no measure, its values are those of the `measure` of the gates. With `audit`, the settings of
        `audit`, gates are for machine labels: each has a `figure` of the audit, such as `"leniency: all"`, which must
        be `"at least"` or `"at most"` a `value`. With a `store` of releases,
        `baseline` may be `"last"`, `"best"`, `"3 releases ago"` or the name of a release.
        Paths are relative to the file.

    Returns
    -------
    Checked
        One row per gate, with its `outcome`; `checked.passed` is True if all were passed. `checked.to_markdown()` is a
        summary for a pull request, and `checked.to_junit()` a test report.

    Examples
    --------
    >>> qrels = {f"q{n}": {"a": 1} for n in range(20)}
    >>> run = {query: {"a": 2, "b": 1} if query < "q3" else {"b": 2, "a": 1} for query in qrels}
    >>> gate = {"measure": "RR", "require": "at least", "value": 0.7}
    >>> check({"qrels": qrels, "run": run, "gate": [gate]}).gates[0].outcome
    'passed'
    >>> check({"qrels": {"q1": {"a": 1}}, "run": {"q1": {"a": 2}}, "gate": [gate]}).gates[0].reasons
    ('1 query, but a verdict needs 10 (min_queries)',)
    """
    if record is not None:
        release = release or release_here()
    recorded = None if record is None else partial(_recorded, record, str(release), keep_files)
    if not isinstance(gates, str | os.PathLike):
        return checked(gates, "", release=release, then=recorded)
    path = os.fspath(gates)
    try:
        return checked(_read(path), os.path.dirname(path), release=release, then=recorded)
    except (BadSetting, UnknownMeasure) as error:  # an error in the file, not in the call
        raise BadInput(f"{path}: {error}") from None


Then = Callable[[Any, Mapping[str, str | None]], None]  # what becomes of the result, or of the samples, and its runs


def _recorded(store: str, release: str, keep_files: bool, evaluated: Any, files: Mapping[str, str | None]) -> None:
    """Add the runs of gates to a store; files are those of the systems and of the judgments, if there are any."""
    systems = [name for name in files if name != "judgments"]
    if isinstance(evaluated, Result):
        known = {name: path for name, path in files.items() if path is not None}
        add_record(store, evaluated, release, systems=systems, files=known, keep_files=keep_files)
        return
    for system in systems:
        record_samples(store, evaluated, system, release)


def checked(gates: Any, folder: str, *, release: str | None = None, then: Then | None = None) -> Checked:
    """Whether a system passes the gates of a dict, in which paths are relative to the folder.

    The release is no baseline of its own.
    """
    if isinstance(gates, Mapping) and "audit" in gates:
        if then is not None:
            raise BadSetting("an audit has no values of queries to record")
        return checked_audit(gates, partial(located, folder=folder))
    demanded = [_gate(gate, gates) for gate in _listed(gates)]
    if "values" in gates:
        return _of_values(gates, demanded, folder, then)
    return _of_runs(gates, demanded, folder, release or "", then)


def _read(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(bytes_of(path).decode())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not a TOML file: {error}") from None


def files_named_in(path: str) -> list[str]:
    """The files that a file of gates names, as far as it can be read: judgments, runs, values and tables."""
    gates = _read(path)
    listed = gates.get("gate")
    tables = [gates, gates.get("settings"), *(listed if isinstance(listed, list) else ())]
    names = ("qrels", "values", "run", "baseline", *_TABLES)
    with_store = isinstance(gates.get("store"), str)
    sources = [*files_of_audit(gates.get("audit"))]
    sources += (
        table.get(name)
        for table in tables
        if isinstance(table, Mapping)
        for name in names
        if not (name == "baseline" and with_store)
    )
    return [located(source, os.path.dirname(path)) for source in sources if isinstance(source, str)]


def _listed(gates: Any) -> list[Mapping[str, Any]]:
    """The gates of a specification, with checked names."""
    if not isinstance(gates, Mapping):
        raise BadInput(f"gates must be the path of a TOML file or a dict, not {type(gates).__name__}")
    _require_known(gates, _SPECIFIED, "gates")
    listed = gates.get("gate")
    if not isinstance(listed, list) or not listed or not all(isinstance(gate, Mapping) for gate in listed):
        raise BadSetting("there is no gate: write each under [[gate]], with measure and require")
    if ("qrels" in gates) == ("values" in gates):
        raise BadSetting("gates need either qrels and a run, or a table of values: set qrels or values")
    if "values" in gates and "settings" in gates:
        raise BadSetting("settings apply only to the evaluation of runs; a table of values is already evaluated")
    if "values" in gates and "store" in gates:
        raise BadSetting("baselines from a store need runs: set qrels and run instead of values")
    if "qrels" in gates and "lower_is_better" in gates:
        raise BadSetting("lower_is_better applies only to a table of values; the direction of other measures is known")
    return listed


def _gate(gate: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """The terms of one gate, with those that are shared by all."""
    _require_known(gate, _OF_A_GATE, "a gate")
    terms = {name: shared[name] for name in _SHARED if name in shared} | dict(gate)
    terms = {name: term for name, term in terms.items() if term is not None}
    for name in ("measure", "require", "run"):
        if name not in terms:
            choices = f" ({', '.join(map(repr, get_args(Requirement)))})" if name == "require" else ""
            raise BadSetting(f"a gate needs {name}{choices}; it has {', '.join(terms)}")
    if is_number(terms["run"]):
        raise BadSetting(f"run must be a run, not the number {terms['run']!r}")
    if isinstance(terms["measure"], Mapping | list | tuple) or is_number(terms["measure"]):
        raise BadSetting(f"a gate has one measure, not {terms['measure']!r:.60}")
    require_one_of("require", terms["require"], Requirement)
    _require_applicable(gate, f"{terms['measure']}, {terms['require']}", terms["require"])
    unused = ("baseline", "level") if terms["require"] in _ABSOLUTE else ("confidence",)
    return {name: term for name, term in terms.items() if name not in unused}


def _require_applicable(gate: Mapping[str, Any], where: str, requirement: Requirement) -> None:
    """Refuse terms of a gate that its requirement does not use, and a value to reach that is missing."""
    if requirement in _ABSOLUTE and "value" not in gate:
        raise BadSetting(f"{where}: set value, the number to reach")
    if requirement not in _ABSOLUTE and "value" in gate:
        raise BadSetting(f"{where}: value applies to 'at least' and 'at most'; set margin")
    if requirement != "not worse" and "margin" in gate:
        raise BadSetting(f"{where}: margin applies to 'not worse'")
    of_values, of_comparisons = ("confidence",), ("baseline", "level")
    unused = next((name for name in (of_comparisons if requirement in _ABSOLUTE else of_values) if name in gate), None)
    if unused is not None:
        other = "'better' and 'not worse'" if requirement in _ABSOLUTE else "'at least' and 'at most'; set level"
        raise BadSetting(f"{where}: {unused} applies to {other}")


def _require_known(names: Iterable[str], known: tuple[str, ...], where: str) -> None:
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise BadSetting(f"{where}: there is no setting {unknown!r}; available: {', '.join(known)}")


def _demand(terms: Mapping[str, Any], measure: str, system: str, baseline: str | float | None) -> Demand:
    return Demand(
        measure=measure,
        system=system,
        requirement=terms["require"],
        baseline=_as_float(baseline),
        needs=Needs(**{name: terms[name] for name in NEEDS if name in terms}),
        **{name: _as_float(terms[name]) for name in ("value", "margin", "level", "confidence") if name in terms},
    )


def _as_float(term: Any) -> Any:
    """A number of any type as a float, so that it is printed and stored as one; other terms as they are."""
    return float(term) if is_number(term) else term


def _of_runs(
    gates: Mapping[str, Any], demanded: list[dict[str, Any]], folder: str, release: str, then: Then | None
) -> Checked:
    runs = _Runs(folder)
    releases = [_release(gates, terms, folder, release) for terms in demanded]
    systems = [
        (runs.add(terms["run"], "run"), runs.add(None if one else terms.get("baseline"), "baseline"))
        for terms, one in zip(demanded, releases, strict=True)
    ]
    names = runs.names()
    demands = [
        _demand(
            terms,
            str(parse(terms["measure"], "ranking")),
            names.get(run, run),
            one.compared(terms["measure"]) if one else names.get(baseline, baseline),
        )
        for terms, (run, baseline), one in zip(demanded, systems, releases, strict=True)
    ]
    measures = list(dict.fromkeys(demand.measure for demand in demands))
    settings = _settings(gates, folder)
    by_name = {names[key]: as_run(run, names[key]) for key, run in runs.runs.items()}
    by_name |= {one.name: as_run(one.run, one.name) for one in releases if one and one.run}
    form = settings.get("form", "qrels")
    require_one_of("form", form, Written)
    judged = as_judgments(located(gates["qrels"], folder), form=form)
    result = evaluate(judged, by_name, measures, **settings)
    known = {one.name: one for one in releases if one and not one.run and one.record.values}

    @cache
    def other_orders() -> tuple[Result, ...]:
        """The result with tied documents by name, descending and ascending, and in a random order."""
        shuffled = {name: as_run(_shuffled(run), name) for name, run in by_name.items()}
        orders: tuple[tuple[Any, Ties], ...] = ((by_name, "trec"), (by_name, "name"), (shuffled, "given"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)  # the same as before
            others = (evaluate(judged, some, measures, **settings | {"ties": ties}) for some, ties in orders)
            return tuple(reduce(with_release, known.values(), other) for other in others)

    compared = reduce(with_release, known.values(), result)
    decisions = []
    for demand, one in zip(demands, releases, strict=True):
        gate = verdict_on_runs(compared, demand, judged, other_orders)
        if one and not one.run and (reason := not_comparable(one, result)):
            gate = replace(gate, outcome="undecided", reasons=(reason,))
        decisions.append(gate)
    made = Checked(tuple(decisions), settings, result.provenance)
    if then is not None and made.passed:
        tested = {run: names[run] for run, _ in systems}
        files = {name: run if isinstance(run, str) else None for run, name in tested.items()}
        place = located(gates["qrels"], folder)
        then(result, files | {"judgments": place if isinstance(place, str) else None})
    return made


def _release(gates: Mapping[str, Any], terms: Mapping[str, Any], folder: str, without: str) -> Release | None:
    """The release that a gate names as its baseline, if its gates have a store; None for a run or a number."""
    text = terms.get("baseline")
    if "store" not in gates or not isinstance(text, str):
        return None
    store = Store(located(gates["store"], folder))
    if not is_release(store, text) and os.path.exists(located(text, folder)):
        return None
    measure = str(parse(terms["measure"], "ranking"))
    run = terms["run"]
    system = system_names([os.fspath(run)])[0] if isinstance(run, str | os.PathLike) else ""
    return stored_baseline(store, text, measure, system=system, without=without)


def _shuffled(run: RunSource) -> dict[str, dict[str, float]]:
    """The documents of each query with their scores, in a random order."""
    chance = np.random.default_rng(0)
    documents: dict[str, dict[str, float]] = {}
    for part in run.parts():
        batch = part()
        for place, query in enumerate(batch.queries):
            scores = batch.scores[batch.starts[place] : batch.starts[place + 1]]
            order = chance.permutation(len(scores))
            names = map(decode, batch.names(place, order))
            documents.setdefault(decode(query), {}).update(zip(names, scores[order].tolist(), strict=True))
    return documents


def _settings(gates: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The settings of the evaluation, with checked names and paths relative to the folder."""
    settings = gates.get("settings", {})
    if not isinstance(settings, Mapping):
        raise BadSetting(f"settings must be a table, such as {{missing = 'skip'}}, not {settings!r:.60}")
    of_evaluation = (known for known in signature(evaluate).parameters.values() if known.kind is known.KEYWORD_ONLY)
    _require_known(settings, tuple(known.name for known in of_evaluation if known.name != "progress"), "settings")
    return dict(settings) | {name: located(settings[name], folder) for name in _TABLES if name in settings}


class _Runs:
    """The runs that gates name, each once: a path by its text, any other run by itself."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.runs: dict[Any, Any] = {}
        self._roles: dict[Any, str] = {}

    def add(self, run: Any, role: str) -> Any:
        """The key of a run; a number, or nothing, is its own."""
        if run is None or is_number(run):
            return run
        source = located(run, self._folder)
        key = source if isinstance(source, str) else id(run)
        self.runs.setdefault(key, source)
        self._roles.setdefault(key, role)
        return key

    def names(self) -> dict[Any, str]:
        """The name of each run by its key: that of its file, or its role."""
        paths = [key for key in self.runs if isinstance(key, str)]
        named = dict(zip(paths, system_names(paths), strict=True))
        for key in self.runs:
            if key not in named:
                role = self._roles[key]
                numbered = (f"{role} {place}" for place in count(2))
                named[key] = next(name for name in chain([role], numbered) if name not in named.values())
        return named


def located(source: Any, folder: str) -> Any:
    """A path relative to the folder; other sources, and addresses such as irds:… and s3://…, as they are."""
    if not isinstance(source, str | os.PathLike) or is_address(source) or is_dataset_id(os.fspath(source)):
        return source
    return os.path.join(folder, os.fspath(source))


def _of_values(gates: Mapping[str, Any], demanded: list[dict[str, Any]], folder: str, then: Then | None) -> Checked:
    lower = _lower_is_better(gates)
    compared = any(terms["require"] not in _ABSOLUTE for terms in demanded)  # only then does the direction matter
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CranfieldWarning)
        direction = lower if lower or compared else False
        data = paired(located(gates["values"], folder), direction, unnamed=str(demanded[0]["measure"]))
    remarks = tuple(str(caution.message) for caution in caught)
    for caution in caught:
        warnings.warn(caution.message, stacklevel=4)
    decisions = []
    for terms in demanded:
        measure = str(terms["measure"])
        if measure not in data.samples:
            raise BadSetting(f"there are no values of {measure!r}; available: {', '.join(data.samples)}")
        samples = data.samples[measure]
        _require_systems(terms, samples.systems)
        demand = _demand(terms, measure, terms["run"], terms.get("baseline"))
        gate = (
            verdict_on_values(demand, samples, value_of_samples(measure, samples))
            if data.result is None
            else verdict_on_runs(data.result, demand)
        )
        decisions.append(replace(gate, warnings=tuple(dict.fromkeys((*remarks, *gate.warnings)))))
    made = Checked(tuple(decisions), {}, data.provenance)
    if then is not None and made.passed:
        then(data.samples, {terms["run"]: None for terms in demanded})
    return made


def _lower_is_better(gates: Mapping[str, Any]) -> list[str]:
    listed = gates.get("lower_is_better", [])
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        raise BadSetting(f"lower_is_better must be a list of measures, such as ['ErrorRate'], not {listed!r:.60}")
    for name in listed:
        known = known_measure(name)
        if known is not None and known.declaration.higher_is_better:
            raise BadSetting(f"lower_is_better: higher values of {name} are better; rename it if it is another measure")
    return list(listed)


def _require_systems(terms: Mapping[str, Any], systems: Sequence[str]) -> None:
    """Refuse a run or baseline that the table does not have."""
    for name in (terms["run"], terms.get("baseline")):
        if name is not None and not is_number(name) and name not in systems:
            hint = did_you_mean(name, systems, repr)
            raise BadSetting(f"there are no values of the system {name!r:.60}{hint} (available: {', '.join(systems)})")
