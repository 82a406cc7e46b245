"""Results as samples: the values of all systems on their common queries.

Decided here: whether lower is better for values of a name.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.errors import BadInput, BadSetting, CranfieldError, CranfieldWarning
from cranfield.evidence.samples import Samples, is_number, look_like_proportions, samples
from cranfield.measures.naming import known_measure, parse
from cranfield.measures.registry import LEAST, Measure
from cranfield.results.intervals import Intervals
from cranfield.results.provenance import NOTHING_READ, Origin, Provenance
from cranfield.results.values import Result, of_measures
from cranfield.results.verb_result import VerbResult
from cranfield.settings import CONFIDENCE
from cranfield.statistics.intervals import UNBOUNDED, Interval, Method, mean_interval
from cranfield.tables.adapters.frames import is_frame, is_labelled
from cranfield.tables.columns import listed
from cranfield.tables.values import UNNAMED, read_values, unit_column
from cranfield.text import counted, plural

_LOWER = re.compile(  # parts of names, and whole words between other signs
    "error|loss|latenc|cost|perplexity|runtime|duration|seconds|delay|distance|divergence|regret|penalty|failure|missed|"
    "misses|wrong|mistake|violation|defect|toxic|hallucinat|memory|energy|price|deviation|(mean|average|median) rank|"
    "(?<![a-z])(time|ms|wer|cer|ter|nll|ppl|fid|fpr|fnr|fdr|eer|bpb|bpc|mse|rmse|mae|tokens|usd)(?![a-z])"
)
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])|[^A-Za-z]+")  # where a word of a name ends

Lower = bool | str | Collection[str]  # measures for which lower is better: all, or those with these names


def samples_by_measure(result: Result) -> dict[str, Samples]:
    """The samples of each measure of a result."""
    return {str(measure): samples_of(result, place) for place, measure in enumerate(result.measures)}


def with_unit_values(result: Result) -> Result:
    """The result without measures that have only one value over all units, and a warning that names them."""
    compared = [m for m, measure in enumerate(result.measures) if measure.declaration.per_unit]
    if not compared or len(compared) == len(result.measures):
        return result
    left_out = ", ".join(str(measure) for measure in result.measures if not measure.declaration.per_unit)
    message = f"not compared, with only one value over all {plural(result.unit)}: {left_out}"
    warnings.warn(message, CranfieldWarning, stacklevel=4)
    return of_measures(result, compared)


def on_tested_scale(by_measure: Mapping[str, Samples]) -> dict[str, Samples]:
    """The samples of each measure on the scale of the test: logarithms for geometric means, noting sums."""
    return {name: _on_tested_scale(name, measured) for name, measured in by_measure.items()}


def _on_tested_scale(measure: str, samples: Samples) -> Samples:
    if is_geometric(measure):
        values = logarithms(measure, samples.values)
        return replace(samples, values=values, notes=(*samples.notes, in_logarithms(measure)))
    if is_summed(measure):
        note = f"{measure}: values and differences are means per {samples.unit}, not sums"
        return replace(samples, notes=(*samples.notes, note))
    return samples


def topic_means(by_measure: Mapping[str, Samples], topic: Mapping[str, str]) -> dict[str, Samples]:
    """The means of topics instead of the values of queries; geometric means for measures averaged geometrically."""
    return {
        name: replace(measured.by_topic(topic), values=np.exp(tested.by_topic(topic).values))
        if is_geometric(name)
        else measured.by_topic(topic)
        for (name, measured), tested in zip(by_measure.items(), on_tested_scale(by_measure).values(), strict=True)
    }


def logarithms(measure: str, values: Floats) -> Floats:
    """The logarithms of values that are averaged geometrically."""
    if (values < 0).any():
        raise BadInput(f"{measure}: a geometric mean needs values of 0 or more; one is {values.min():g}")
    return np.log(np.maximum(values, LEAST))


def in_logarithms(measure: str) -> str:
    """The scale of the differences of a measure that is averaged geometrically."""
    return f"{measure}: differences are between logarithms, whose mean gives the geometric mean"


def not_geometric(by_measure: Mapping[str, Samples]) -> tuple[str, ...]:
    """A note for each measure that is averaged geometrically, where plain means are computed."""
    return tuple(
        f"{name}: means and differences here are arithmetic, not geometric" for name in by_measure if is_geometric(name)
    )


def is_geometric(name: str) -> bool:
    """Whether a measure is averaged geometrically."""
    return _aggregate(name) == "geometric"


def is_summed(name: str) -> bool:
    """Whether a measure is summed over queries."""
    return _aggregate(name) == "sum"


def _aggregate(name: str) -> str:
    measure = known_measure(name)
    return "mean" if measure is None else measure.declaration.aggregate


def directed(by_measure: Mapping[str, Samples], lower_is_better: Lower = ()) -> dict[str, Samples]:
    """The samples with their direction: known measures define it, for others it is passed."""
    if isinstance(lower_is_better, bool):
        lower_is_better = tuple(by_measure) if lower_is_better else ()
    else:
        _warn_of_direction(by_measure, lower_is_better)
    lower = [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
    unknown = next((name for name in lower if name not in by_measure), None)
    if unknown is not None:
        raise BadSetting(f"lower_is_better: there are no values {unknown!r}; available: {', '.join(by_measure)}")
    return {
        name: replace(samples, lower_is_better=name in lower or _is_lower_better(name, samples))
        for name, samples in by_measure.items()
    }


def _warn_of_direction(by_measure: Mapping[str, Samples], lower_is_better: Lower) -> None:
    """Warn of unknown measures whose names suggest that lower is better, if nothing was said about them."""
    odd = [name for name, samples in by_measure.items() if may_be_lower(name, samples)]
    if odd and not lower_is_better:
        message = f"higher values of {', '.join(odd)} count as better; if lower ones are, pass lower_is_better"
        warnings.warn(message, CranfieldWarning, stacklevel=5)


def may_be_lower(name: str, samples: Samples) -> bool:
    """Whether the name of an unknown measure suggests that lower is better, although nothing says so."""
    words = _HUMP.sub(" ", name).casefold()
    return bool(_LOWER.search(words)) and known_measure(name) is None and not samples.lower_is_better


def _is_lower_better(name: str, samples: Samples) -> bool:
    measure = known_measure(name)
    return samples.lower_is_better if measure is None else measure.declaration.higher_is_better is False


def samples_of(result: Result, place: int) -> Samples:
    """The samples of one measure of a result.

    Only queries that count for every system are kept. Undefined values are treated as in the result: they count as
    `undefined_value`, or are left out, and then for all systems.
    """
    values, measure, unit = result.values[:, place], result.measures[place], result.unit
    if not measure.declaration.per_unit:
        raise BadSetting(f"{measure} has one value over all {plural(unit)}; this needs a value for each {unit}")
    shared: Mask = np.asarray(result.counted.all(axis=0))
    notes = _left_out(~shared, f"{measure}: missing from the run of some system:", unit)
    if not shared.any():
        raise BadInput(f"the systems have no {unit} in common, which a paired comparison needs")
    instead = result.undefined_value(place)
    if np.isnan(instead):
        undefined = shared & np.isnan(values).any(axis=0)
        notes += _left_out(undefined, f"{measure}: undefined for some system:", unit)
        shared &= ~undefined
        if not shared.any():
            raise BadInput(f"{measure}: there is no {unit} on which it is defined for every system")
    return Samples(
        systems=result.systems,
        units=tuple(name for name, is_shared in zip(result.units, shared, strict=True) if is_shared),
        values=np.where(np.isnan(values[:, shared]), instead, values[:, shared]),
        unit=unit,
        lower_is_better=measure.declaration.higher_is_better is False,
        notes=notes,
        left_out=int((~shared).sum()),
    )


def _left_out(out: Mask, why: str, unit: str) -> tuple[str, ...]:
    n_out = int(out.sum())
    return (f"{why} {n_out:,} of {counted(len(out), unit)}, left out",) if n_out else ()


def compared_means(result: Result, **settings: Any) -> tuple[Floats, Intervals]:
    """The means that a comparison compares, over the queries common to all systems, with intervals.

    They are geometric means for measures averaged geometrically.
    """
    left_out = np.isnan([result.undefined_value(m) for m in range(len(result.measures))])[:, None]
    undefined = np.isnan(result.values).any(axis=0) & left_out  # for one system: left out for all
    values = np.where(undefined, np.nan, result.values) if undefined.any() else result.values
    counted_by_all = np.broadcast_to(result.counted.all(axis=0), result.counted.shape)
    common = replace(result, values=values, counted=counted_by_all)
    means, bounds = common.aggregated("mean"), common.intervals(how="mean", **settings)
    geometric = [measure.declaration.aggregate == "geometric" for measure in result.measures]
    if not any(geometric):
        return means, bounds
    other = common.intervals(how="geometric", **settings)
    methods = tuple(
        tuple(b if g else a for a, b, g in zip(*both, geometric, strict=True))
        for both in zip(bounds.method, other.method, strict=True)
    )
    low, high = (np.where(geometric, b, a) for a, b in ((bounds.low, other.low), (bounds.high, other.high)))
    return np.where(geometric, common.aggregated("geometric"), means), replace(
        bounds, low=low, high=high, method=methods
    )


def means_of_samples(samples: Mapping[str, Samples]) -> Floats:
    """The mean of each system for each measure of `{measure: samples}`: `means[system, measure]`."""
    means = {name: measured.values.mean(axis=1) for name, measured in on_tested_scale(samples).items()}
    return np.array([np.exp(mean) if is_geometric(name) else mean for name, mean in means.items()], np.float64).T


def value_of_samples(measure: str, samples: Samples) -> dict[str, float]:
    """The value of each system as the measure defines it: the mean, the geometric mean or the sum."""
    values = means_of_samples({measure: samples})[:, 0] * (len(samples) if is_summed(measure) else 1)
    return dict(zip(samples.systems, values.tolist(), strict=True))


RIGHT = "right answers"
_UNWEIGHTED = "items are compared one by one, without their weights"
ERRORS = {"squared error": np.square, "absolute error": np.abs}  # of predicted values, item by item


def _binary(measure: str, samples: Samples) -> bool:
    """Whether values are 0 or 1 by definition of the measure; for an unknown measure, whether all values are."""
    if measure in ERRORS:
        return False
    try:
        return parse(measure).binary
    except CranfieldError:
        return bool(np.isin(samples.values, (0, 1)).all())


def intervals_of_samples(
    samples: Mapping[str, Samples], *, confidence: float = CONFIDENCE, method: Method = "auto", seed: int = 0
) -> Intervals:
    """The interval of the mean of each system, for each measure of `{measure: samples}`."""
    if len({measured.systems for measured in samples.values()}) > 1:
        raise BadInput("the systems must be the same, in the same order, for all measures")
    by_measure = []
    for measure, tested in on_tested_scale(samples).items():
        bounds = UNBOUNDED if is_geometric(measure) else bounds_of(measure, tested)
        known: dict[str, Any] = {"binary": _binary(measure, tested), "bounds": bounds, "seed": seed}
        intervals = (mean_interval(row, confidence, method, **known) for row in tested.values)
        by_measure.append([_on_scale_of_values(measure, interval, samples[measure]) for interval in intervals])
    systems = next(iter(samples.values())).systems
    return Intervals.of(systems, samples, [*zip(*by_measure, strict=True)], confidence)


def _on_scale_of_values(measure: str, interval: Interval, samples: Samples) -> tuple[float, float, str]:
    """The interval of the mean, within the bounds of the measure unless the values themselves exceed them."""
    return (interval.exp() if is_geometric(measure) else interval).within(bounds_of(measure, samples)).of_one


def bounds_of(measure: str, samples: Samples) -> tuple[float, float]:
    """The range of a known measure; infinite for others, and if values exceed the range, as percentages do."""
    known = known_measure(measure)
    low, high = (0.0 if measure in ERRORS else -np.inf, np.inf) if known is None else known.declaration.bounds
    within = ((samples.values >= low) & (samples.values <= high)).all()
    return (low, high) if within else UNBOUNDED


def samples_of_items(
    values: Mapping[str, Floats], weight: Floats | None, *, lower: bool = False, notes: tuple[str, ...] = ()
) -> Samples:
    """The value of each item for each system, which have no names."""
    rows = np.array([*values.values()], np.float64)
    units = tuple(map(str, range(1, rows.shape[1] + 1)))
    notes += () if weight is None else (_UNWEIGHTED,)
    return Samples(tuple(values), units, rows, unit="item", lower_is_better=lower, notes=notes)


# Settings on the scale of a measure: margins and values that no system could miss or reach are refused


def require_below_range(what: str, size: object, measure: str, samples: Samples) -> None:
    """Refuse a difference, such as a margin of 5 for 5 %, that two systems cannot have."""
    low, high = _range(measure, samples)
    if is_number(size) and size >= high - low:
        raise BadSetting(
            f"{what} {_out_of(low, high, float(size), measure)}, so no difference could reach it{_percent(float(size))}"
        )


def require_in_range(what: str, value: object, measure: str, samples: Samples) -> None:
    """Refuse a value, such as 60 for 60 %, that a measure cannot have."""
    low, high = (-np.inf, np.inf) if is_summed(measure) else bounds_of(measure, samples)
    if is_number(value) and (value < low or value > high):
        raise BadSetting(f"{what} {_out_of(low, high, float(value), measure)}{_percent(float(value))}")


def _range(measure: str, samples: Samples) -> tuple[float, float]:
    """The range of a measure; of unknown values that look like proportions, from 0 to 1."""
    low, high = (-np.inf, np.inf) if is_geometric(measure) or is_summed(measure) else bounds_of(measure, samples)
    return (0.0, 1.0) if np.isinf(high - low) and look_like_proportions(samples.values) else (low, high)


def _out_of(low: float, high: float, value: float, measure: str) -> str:
    return f"is {value:g}, but {measure} lies between {low:g} and {high:g}"


def _percent(value: float) -> str:
    return f"; for {value:g} % use {value / 100:g}" if 1 <= value <= 100 else ""


# Input of comparisons as samples of each measure: a result, samples, or plain values


class Paired(NamedTuple):
    """The samples of each measure, their provenance, the result behind them, if any, and whether units have names."""

    samples: dict[str, Samples]
    provenance: Provenance = NOTHING_READ
    result: Result | None = None
    named: bool = True

    @property
    def tested(self) -> dict[str, Samples]:
        """The samples on the scale on which differences are tested: logarithms for geometric means."""
        return on_tested_scale(self.samples)


def paired(
    data: Any, lower_is_better: Lower = False, topic: Mapping[str, str] | None = None, *, unnamed: str = UNNAMED
) -> Paired:
    """The samples of each measure, with untransformed values; with topics, of their means.

    Without `lower_is_better`, nothing is said about the direction of unknown measures, because it does not matter.
    `unnamed` is the measure of values without a measure, which defines their direction and range if it is known.
    """
    source = _paired(data, lower_is_better, unnamed)
    if topic is None:
        return source
    return Paired(topic_means(source.samples, topic), source.provenance)


def _paired(data: Any, lower_is_better: Lower, unnamed: str) -> Paired:
    if isinstance(data, VerbResult):
        data._require_comparable()
    result = _result(data)
    if lower_is_better and isinstance(data, VerbResult) and not isinstance(data, Samples):
        raise BadSetting("lower_is_better applies only to plain values; the direction of a result's measures is known")
    if result is not None:
        result = with_unit_values(result)
        return Paired(samples_by_measure(result), result.provenance, result)
    if isinstance(data, VerbResult) and (by_item := data._by_item()):
        return Paired(by_item, data.provenance)
    return _values(data, lower_is_better, unnamed)


def _result(data: Any) -> Result | None:
    """The result in the data: over queries, or over groups of items; items without groups have none."""
    source = data._by_unit() if isinstance(data, VerbResult) else None
    return source if isinstance(source, Result) else None


def _values(data: Any, lower_is_better: Lower, unnamed: str) -> Paired:
    """Values: of a file or a frame, `{measure: samples}`, or of one measure without a name."""
    if is_frame(data) or isinstance(data, str | os.PathLike):
        table = read_values(data)
        if list(table.values) == [UNNAMED]:
            _refuse_measures(table.values[UNNAMED], table.name)
            table = replace(table, values={unnamed: table.values[UNNAMED]})
        by_measure = {name: samples(values, table.unit) for name, values in table.values.items()}
        source = Provenance((Origin.of("values", table),))
        return Paired(directed(by_measure, lower_is_better), source, named=table.named)
    if isinstance(data, Mapping) and data and all(isinstance(value, Samples) for value in data.values()):
        return Paired(directed({str(measure): value for measure, value in data.items()}, lower_is_better))
    one_measure = directed({unnamed: as_samples(data)}, lower_is_better)
    named = not isinstance(data, Mapping) or any(isinstance(row, Mapping) or is_labelled(row) for row in data.values())
    return Paired(one_measure, getattr(data, "provenance", NOTHING_READ), named=named)


def as_samples(data: Any) -> Samples:
    """Samples as they are, or `{system: values}`."""
    if isinstance(data, Samples):
        return data
    if isinstance(data, Mapping):
        unit = unit_column(list(map(str, data)), "the dict")
        if unit is not None:
            raise BadInput(f"{unit!r} is a name for units, not for a system; pass a data frame, or rename the system")
        _refuse_measures(map(str, data), "the dict")
        return samples(data, unit="unit")
    raise BadInput(
        f"{type(data).__name__} has no paired units for comparing systems; pass a result of evaluate, classify, "
        "regress or cross_validate, samples, or {system: values}"
    )


def _refuse_measures(systems: Iterable[str], where: str) -> None:
    """Refuse the values of several measures instead of several systems."""
    names = list(systems)
    if len(names) > 1 and all(len(name) > 1 and known_measure(name) is not None for name in names):
        raise BadInput(
            f"{where}: {listed(names)} are measures, but one column per system is needed, or columns system, measure, "
            "value and query"
        )


# one measure


def one_measure(
    data: Any, measure: Measure | str | None, *, transformed: bool = True, lower_is_better: Lower = ()
) -> tuple[str, Samples, Provenance]:
    """The samples of one measure, which may be omitted if it is the only one, on the tested scale if transformed."""
    result = _result(data)
    if result is None or lower_is_better:
        source = paired(data, lower_is_better)
    else:
        if measure is None and len(result.measures) > 1:
            raise BadSetting(f"choose a measure: one of {', '.join(map(str, result.measures))}")
        place = 0 if measure is None else result.place(measure)
        measure = str(result.measures[place])
        source = Paired({measure: samples_of(result, place)}, result.provenance)
    name = _chosen(source.samples, measure)
    return name, (source.tested if transformed else source.samples)[name], source.provenance


def _chosen(by_measure: Mapping[str, Samples], measure: Measure | str | None) -> str:
    if measure is None and len(by_measure) == 1:
        return next(iter(by_measure))
    if measure is not None and list(by_measure) == [UNNAMED]:
        raise BadSetting(f"plain values have no measures, so {measure} cannot be chosen")
    if str(measure) not in by_measure:
        raise BadSetting(f"choose a measure: one of {', '.join(by_measure)}")
    return str(measure)
