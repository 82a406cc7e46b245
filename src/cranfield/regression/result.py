"""The result of regress: the predictions of each system, the measures on them, and their intervals.

Decided here: how the outputs of a regression are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.classification.intervals import bounded, undefined
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.curves import quantile_calibration
from cranfield.evidence.forecasts import Forecasts
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.samples import Samples
from cranfield.frozen import cached_property, frozen
from cranfield.measures.declaration import NoInterval
from cranfield.measures.naming import parse
from cranfield.measures.registry import EXACT, Measure
from cranfield.results.intervals import Intervals
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.values import Result
from cranfield.results.verb_result import Key, Records, VerbResult
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import require_confidence
from cranfield.statistics.intervals import Interval, absent, exact_proportion, jackknife_interval, median_interval
from cranfield.statistics.item_resampling import GROUPS, rows_without_group
from cranfield.statistics.rates import FEWEST, WEIGHTED, IntervalEstimate
from cranfield.statistics.resampling import require_seed
from cranfield.tables.labels import Codes
from cranfield.text import counted

# Confidence intervals over items of measures of numeric predictions and of forecasts, as their measures declare


ORDER_STATISTICS = "order statistics"
BEYOND = 500  # items that the loss of a quantile needs beyond it


def intervals_over_items(
    predicted: Residuals | Forecasts,
    measures: Sequence[Measure],
    values_of: Callable[[Residuals | Forecasts], list[float]],
    confidence: float,
) -> list[Interval]:
    """The interval of each measure; `values_of` computes the measures of some of the items."""
    require_confidence(confidence)
    if predicted.weight is not None:
        counting = np.flatnonzero(predicted.weight)
        if np.ptp(predicted.weight[counting]) > 0:
            return [absent(confidence, WEIGHTED)] * len(measures)
        predicted = replace(predicted.take(counting), weight=None)
    rows = rows_without_group(len(predicted), min(len(predicted), GROUPS))
    if isinstance(predicted, Forecasts):
        losses = [_interval_losses(predicted, measure) for measure in measures]
        left_out = [[_value(predicted, *figures, some) for figures in zip(measures, losses)] for some in rows]
    else:
        left_out = [values_of(predicted.take(some)) for some in rows]
    figures = zip(measures, values_of(predicted), np.array(left_out).T, strict=True)
    return [_interval(predicted, measure, value, others, confidence) for measure, value, others in figures]


def _interval(
    predicted: Residuals | Forecasts, measure: Measure, value: float, left_out: Floats, confidence: float
) -> Interval:
    declared = measure.declaration.interval
    if np.isnan(value):
        return absent(confidence, f"undefined: {measure.declaration.undefined}")
    if isinstance(declared, NoInterval):
        return absent(confidence, declared.reason)
    if declared == EXACT:
        return exact_proportion(np.array([round(value * len(predicted))]), float(len(predicted)), confidence)
    fewest = max(measure.declaration.fewest_of_class, FEWEST)
    if len(predicted) < fewest:
        return absent(confidence, f"fewer than {fewest:,} items")
    quantile = float(str(measure.options.get("quantile", 0.5)))
    if "quantile" in measure.options and len(predicted) * min(quantile, 1 - quantile) < BEYOND:
        return absent(confidence, f"fewer than {BEYOND} items are expected beyond the quantile")
    if declared == ORDER_STATISTICS:
        return _of_median(predicted, confidence)
    return jackknife_interval(value, left_out, measure.declaration.bounds, confidence)


def _of_median(predicted: Residuals | Forecasts, confidence: float) -> Interval:
    """The interval of the median of the absolute errors."""
    residuals = predicted.residuals if isinstance(predicted, Forecasts) else predicted
    if residuals is None or residuals.error.ndim > 1:
        return absent(confidence, "several outputs have no order statistics")
    return median_interval(np.abs(residuals.error), confidence)


def _interval_losses(forecasts: Forecasts, measure: Measure) -> Floats | None:
    """The loss of each item, computed once."""
    per_item = measure.declaration.per_item
    return None if per_item is None else per_item(forecasts, **measure.options)


def _value(forecasts: Forecasts, measure: Measure, loss: Floats | None, rows: Ints) -> float:
    """The value of a measure of some of the items; NaN for forecasts as a whole, which have no interval."""
    if loss is not None:
        return float(loss[rows].mean())
    if measure.kind == "forecasts" or forecasts.residuals is None:
        return np.nan
    return float(measure.values(forecasts.residuals.take(rows)))


Average = Literal["uniform", "variance"]
Predicted = Residuals | Forecasts


@frozen(eq=False)
class Regression(VerbResult):
    """One or several systems that predict values or distributions, with their residuals or forecasts.

    Attributes
    ----------
    systems, measures
        The names of the systems, and the measures.
    residuals, forecasts
        The residuals of each system that predicts values, and the predicted distributions of each that predicts them.
    result
        The values of the measures as a `Result`: over all items, or by group; averaged if there are several outputs.
    outputs, by_output
        The names of several outputs, and the values of the measures for each of them as a `Result`.

    Examples
    --------
    >>> import cranfield
    >>> result = cranfield.regress([1, 2, 3], {"tree": [1, 2, 5], "forest": [1, 2, 4]}, measures="MAE")
    >>> {system: round(value, 4) for system, value in result["MAE"].items()}
    {'tree': 0.6667, 'forest': 0.3333}
    """

    kind = "regression"
    shows_findings = True

    predictions: Mapping[str, Predicted]
    measures: tuple[Measure, ...]
    group: Codes | None
    groups: tuple[str, ...]
    origins: tuple[Origin, ...]
    outputs: tuple[str, ...] = ()
    average: Average = "uniform"
    requested: bool = False  # whether the measures were requested, rather than the default ones

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.predictions)

    @property
    def residuals(self) -> dict[str, Residuals]:
        """The residuals of each system that has point predictions."""
        known = {system: of_points(predicted) for system, predicted in self.predictions.items()}
        return {system: residuals for system, residuals in known.items() if residuals is not None}

    @property
    def forecasts(self) -> dict[str, Forecasts]:
        """The forecasts of each system that predicts distributions."""
        return {system: one for system, one in self.predictions.items() if isinstance(one, Forecasts)}

    def _by_unit(self) -> Result | None:
        return self.result if self.groups else None

    def _by_item(self) -> dict[str, Samples]:
        return _losses(self) if self.forecasts else dict(_errors(self))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(next(iter(self.predictions.values())))

    def of(self, system: str | None = None) -> Residuals:
        """The residuals of a system, whose name may be omitted if it is the only one."""
        residuals = of_points(self.predictions[self.system_named(system)])
        if residuals is None:
            raise BadSetting(f"{self.system_named(system)} has no point predictions; pass them as predicted")
        return residuals

    def system_named(self, system: str | None = None) -> str:
        """The name of a system, which may be omitted if it is the only one."""
        if system is None and len(self.predictions) == 1:
            return next(iter(self.predictions))
        if system is None or system not in self.predictions:
            raise BadSetting(f"choose a system: one of {', '.join(map(repr, self.predictions))}")
        return system

    def output(self, name: str) -> Regression:
        """The result for one of several outputs alone."""
        if name not in self.outputs:
            raise BadSetting(f"there is no output {name!r}; available: {', '.join(map(repr, self.outputs)) or 'none'}")
        place = self.outputs.index(name)
        alone = {system: predicted.by_output[place] for system, predicted in self.predictions.items()}
        return replace(self, predictions=alone, outputs=())

    @cached_property
    def by_output(self) -> Result:
        """Every measure for every system: for each of several outputs, over all items."""
        alone = [self.output(name).result.micro for name in self.outputs]
        return replace(self.result, unit="output", units=self.outputs, values=np.stack(alone, axis=-1), bounded=None,
                       counted=np.ones((len(self.systems), len(self.outputs)), np.bool_))  # fmt: skip

    @property
    def forecast_notes(self) -> tuple[str, ...]:
        """What limits values: quantiles that cross, and a CRPS from quantiles, which depends on their levels."""
        crossing = [(system, one.n_crossing, len(one)) for system, one in self.forecasts.items() if one.n_crossing]
        crossed = (
            f"{system}: predicted quantiles cross for {n:,} of {counted(n_items, 'item')}, where intervals have a "
            "negative width"
            for system, n, n_items in crossing
        )
        return (*crossed, *self._approximations)

    @property
    def _approximations(self) -> tuple[str, ...]:
        """A CRPS from quantiles is an approximation that depends on their levels."""
        forecasts = self.forecasts
        approximate = [system for system, one in forecasts.items() if one.form == "quantiles"]
        requested = any(measure.name == "CRPS" for measure in self.measures if measure.kind == "forecasts")
        if not requested or not approximate or len({(one.form, one.levels) for one in forecasts.values()}) == 1:
            return ()
        return (
            f"CRPS of {', '.join(approximate)} is approximated from quantiles; it is comparable only with that of "
            "quantiles at the same levels",
        )

    def __getitem__(self, key: Key) -> Any:
        """The value of a measure for a system, or a dict as for `Result`; with groups, the mean over them."""
        return self.result[key]

    @cached_property
    def result(self) -> Result:
        """Every measure for every system: for each group, or over all items."""
        whole = np.array([self._values(predicted, self.measures) for predicted in self.predictions.values()])
        values = whole[:, :, None]
        if self.group is not None:
            rows = [np.flatnonzero(self.group == group) for group in range(len(self.groups))]
            by_group = [
                [self._values(predicted.take(of_group), self.measures) for of_group in rows]
                for predicted in self.predictions.values()
            ]
            values = np.transpose(by_group, (0, 2, 1))
        units, settings = self.groups or ("all",), {"average": self.average} if self.outputs else {}
        return Result(
            unit="group",
            bounded=None if self.groups else replace(self),  # a copy: a reference cycle would keep both in memory
            systems=self.systems,
            measures=self.measures,
            units=units,
            values=values,
            counted=np.ones((len(self.systems), len(units)), np.bool_),
            micro=whole,
            provenance=Provenance(
                self.origins, {"undefined": "skip"} | settings, (), {str(m): m.options for m in self.measures}
            ),
        )

    def _values(self, predicted: Predicted, measures: Sequence[Measure]) -> list[float]:
        """The mean over outputs of each measure; outputs for which a measure is undefined are left out."""
        outputs = predicted.by_output
        values = np.array([[float(one.values(evidence(one, output))) for one in measures] for output in outputs])
        if len(values) == 1:
            return list(values[0].tolist())
        weight = np.ones(len(values))
        if self.average == "variance":
            weight = np.array([float(output.variance(output.actual)) for output in map(of_points, outputs) if output])
        counted = np.where(np.isnan(values), 0.0, weight[:, None])
        return list(ratio((np.nan_to_num(values) * counted).sum(axis=0), counted.sum(axis=0)).tolist())

    def intervals(self, confidence: float = CONFIDENCE, seed: int = 0) -> Intervals:
        """The interval of every measure for every system over all items, computed once; none depends on the seed."""
        require_seed(seed)
        known = self._known_intervals
        if confidence not in known:
            bounds = [
                [interval.of_one for interval in self._intervals(predicted, self.measures, confidence)]
                for predicted in self.predictions.values()
            ]
            known[confidence] = Intervals.of(self.systems, self.measures, bounds, confidence)
        return known[confidence]

    @cached_property
    def _known_intervals(self) -> dict[float, Intervals]:
        """The intervals computed so far, by confidence level."""
        return {}

    def interval(
        self,
        measure: Measure | str,
        system: str | None = None,
        *,
        confidence: float = CONFIDENCE,
    ) -> IntervalEstimate:
        """The value of a measure over all items, with its confidence interval."""
        predicted = self.predictions[self.system_named(system)]
        chosen = parse(measure, ("forecasts", "values") if isinstance(predicted, Forecasts) else "values")
        (value,) = self._values(predicted, (chosen,))
        (bounds,) = self._intervals(predicted, (chosen,), confidence)
        if np.isnan(value):
            return undefined(self.why_undefined(chosen, predicted), confidence)
        return bounded(value, bounds)

    def why_undefined(self, measure: Measure, predicted: Predicted) -> str:
        """Why a measure is undefined; for several outputs, all reasons."""
        outputs = predicted.by_output
        return "; ".join(dict.fromkeys(measure.why_undefined(evidence(measure, output)) for output in outputs))

    def _intervals(self, predicted: Predicted, measures: Sequence[Measure], confidence: float) -> list[Interval]:
        return intervals_over_items(predicted, measures, partial(self._values, measures=measures), confidence)

    # as data

    @property
    def provenance(self) -> Provenance:
        """Where the predictions come from, and the settings."""
        return self.result.provenance

    def about(self, **_: Any) -> dict[str, Any]:
        """What JSON contains besides: what limits comparisons, if anything does."""
        return super().about() | ({"notes": list(self.forecast_notes)} if self.forecast_notes else {})

    def records(self, **_: Any) -> Records:
        """One row per measure and system or, where items have groups, one per group; outputs and quantiles, if any."""
        records = self.result.records(per_query=bool(self.groups))
        records |= {"quantiles": self._quantiles} if self.forecasts else {}
        return records | ({"outputs": self.by_output.table(per_query=True).to_pylist()} if self.outputs else {})

    @property
    def _quantiles(self) -> list[dict[str, Any]]:
        """One row per system and quantile."""
        return [
            {"system": system} | row
            for system, forecasts in self.forecasts.items()
            for row in quantile_calibration(forecasts).rows
        ]

    def main(self, **_: Any) -> str:
        """The measures, or the values of each group."""
        return self.result.main(per_query=bool(self.groups))

    def content(self, **_: Any) -> dict[str, Any]:
        """The measures, groups, residuals, quantiles and outputs, nested by system."""
        groups = self.result.by_system(per_query=True) if self.groups else {}
        outputs = self.by_output.by_system(per_query=True) if self.outputs else {}
        residuals, forecasts = self.residuals, self.forecasts
        systems: dict[str, dict[str, Any]] = {}
        for system, values in zip(self.systems, self.result.micro, strict=True):
            measures = dict(zip(map(str, self.measures), values, strict=True))
            content = systems[system] = {"measures": measures, "groups": groups.get(system, {})}
            if system in residuals:
                content["residuals"] = self._summaries(residuals[system])
            if system in forecasts:
                content["quantiles"] = quantile_calibration(forecasts[system]).rows
            if outputs:
                content["outputs"] = outputs[system]
        return {"systems": systems}

    def _summaries(self, residuals: Residuals) -> dict[str, Any]:
        """The summary of the residuals, or of those of each output."""
        summaries = [output.summary._asdict() for output in residuals.by_output]
        return dict(zip(self.outputs, summaries, strict=True)) if self.outputs else summaries[0]

    def by_system(self) -> dict[str, Any]:
        """`{system: {measure: value}}`; None where undefined."""
        return self.result.by_system()


def of_points(predicted: Predicted) -> Residuals | None:
    """The residuals of point predictions, if there are some."""
    return predicted.residuals if isinstance(predicted, Forecasts) else predicted


def evidence(measure: Measure, predicted: Predicted) -> Predicted:
    """What a measure is computed from: forecasts as they are, or the residuals of their point predictions."""
    residuals = of_points(predicted)
    if measure.kind == "forecasts" or residuals is None:
        return predicted
    return residuals


def _errors(data: Regression) -> Iterator[tuple[str, Samples]]:
    """The squared and absolute error of each item, averaged over several outputs."""
    from cranfield.results.samples import ERRORS, samples_of_items

    weight = next(iter(data.predictions.values())).weight
    for name, size in ERRORS.items():
        errors = {
            system: np.mean([size(output.error) for output in residuals.by_output], axis=0)
            for system, residuals in data.residuals.items()
        }
        yield name, samples_of_items(errors, weight, lower=True)


def _losses(data: Regression) -> dict[str, Samples]:
    """The value of each item for the measures of forecasts that are means over items and have a direction."""
    from cranfield.results.samples import samples_of_items

    declared = {measure: measure.declaration for measure in data.measures if measure.kind == "forecasts"}
    samples = {
        str(measure): samples_of_items(
            {system: one.per_item(forecasts, **measure.options) for system, forecasts in data.forecasts.items()},
            next(iter(data.predictions.values())).weight,
            lower=not one.higher_is_better,
            notes=data.forecast_notes if measure.name == "CRPS" else (),
        )
        for measure, one in declared.items()
        if one.per_item is not None and one.higher_is_better is not None
    }
    known = {name: sample for name, sample in samples.items() if np.isfinite(sample.values).all()}
    if not known:
        raise BadSetting(
            "no measure of these forecasts can be compared item by item; request CRPS, WIS, IntervalScore or Pinball"
        )
    return known
