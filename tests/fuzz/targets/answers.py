"""Labels, scores and probabilities from files, through Python and the command: against the reference."""

from __future__ import annotations

import contextlib
import io
import json
import math
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import median_high
from typing import Any

import pandas as pd
import polars as pl

from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from generators.answers import Answers, Distributions, answers, distributions
from reference import labels as reference
from reference import probabilities as losses
from reference import scores as curves

GOALS = ("Accuracy", "Informedness", "CornerDistance", "F", "F(beta=2)", "FGain", "RateGap", "Precision", "Kappa",
         "MCC", "NPV", "Lift", "ExpectedCost(fp=3, fn=2)")  # fmt: skip
LIMITED = ("Recall", [("Specificity", ">=", Fraction(9, 10))]), ("Precision", [("Recall", ">=", Fraction(1, 2))])
PRINTED = ("Accuracy", "Precision", "Recall", "F", "Jaccard")  # by the command, whose intervals take no resamples
OF_THE_MATRIX = ("Accuracy", "ErrorRate", "NoInformationRate", "BalancedAccuracy", "Kappa", "MCC")


@contextlib.contextmanager
def strict() -> Iterator[None]:
    """Only cranfield's own warnings are allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CranfieldWarning)
        yield


@contextlib.contextmanager
def written(content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.csv")
        path.write_bytes(content)
        yield path


def same(found: float | None, value: reference.Value, what: object, tolerance: float = 1e-9) -> None:
    """Refuse a figure that is not the one expected but for rounding; None and NaN are undefined."""
    undefined = found is None or math.isnan(found)
    assert undefined == (value is None), f"{what}: {found}, not {value}"
    if found is not None and value is not None:
        close = math.isclose(found, float(value), rel_tol=tolerance, abs_tol=tolerance)
        assert close, f"{what}: {found}, not {float(value)}"


def plain(label: Any) -> str:
    """A label as it is written in a file, whatever its case, which that of a truth value loses."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def renamed(case: Answers) -> dict[str, str]:
    """The labels of a case as cranfield calls them: true and false in one case."""
    texts = {text for row in case.rows for text in row[:2]} | {case.positive}
    truth = {text.lower() for text in texts} <= {"true", "false"}
    return {text: text.lower() if truth else text for text in texts}


def printed(path: Path, *options: str) -> dict[str, Any]:
    """What the command prints as JSON of its only system."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["classify", str(path), *options, "-f", "json", "--quiet"]) == 0
    (system,) = json.loads(out.getvalue())["systems"].values()
    return dict(system)


def asked(measures: Sequence[str]) -> list[str]:
    return [word for measure in measures for word in ("-m", measure)]


@target(answers, seeds=50)
def labels_are_counted_as_in_the_reference(case: Answers) -> None:
    """Counts of every pair of labels, every rate of every class and every average, from file, frames and command."""
    assume(case.is_valid)
    names = renamed(case)
    rows = [row | {key: names[row[key]] for key in ("actual", "predicted")} for row in reference.read(
        case.file(), case.delimiter)]  # fmt: skip
    expected = reference.answers(rows, "actual", "predicted", "weight" if case.weighted else None)
    options: dict[str, Any] = {"weight": "weight"} if case.weighted else {}
    measures = [*reference.MEASURES]
    with strict(), written(case.file()) as path:
        own = classify("actual", "predicted", data=str(path), measures=measures, **options)
        require_counts(own, expected)
        require_rates(own, expected, measures)
        texts = pd.DataFrame(case.named, dtype=str).assign(weight=[float(row[4]) for row in case.rows])
        for frame in (texts, pl.from_pandas(texts)):
            again = pairs(classify("actual", "predicted", data=frame, **options))
            assert {(names[a], names[b]): n for (a, b), n in again.items()} == pairs(own)
        command = ["-a", "actual", "-p", "predicted", *(["--weight", "weight"] if case.weighted else [])]
        shown = printed(path, *command, *asked(PRINTED))
        assert {(plain(pair["actual"]), plain(pair["predicted"])): pair["count"] for pair in shown["confusion"]["pairs"]} == pairs(own)  # fmt: skip # noqa: E501
        values = {each["measure"]: each["value"] for each in shown["measures"]}
        for name in PRINTED:
            same(values[name], defined(own[name]), name)


def pairs(given: Any) -> dict[tuple[str, str], float]:
    """The counts of each pair of labels that occurs."""
    matrix = given.confusion
    names = [plain(label) for label in matrix.labels]
    return {
        (names[i], names[j]): n
        for i, j, n in zip(matrix.row.tolist(), matrix.column.tolist(), matrix.count.tolist(), strict=True)
    }


def defined(value: float) -> float | None:
    return None if math.isnan(value) else value


def require_counts(own: Any, expected: reference.Answers) -> None:
    found = pairs(own)
    counts = expected.counts()
    assert found.keys() == counts.keys(), f"{found} for {counts}"
    for pair, count in counts.items():
        same(found[pair], count, pair)


def require_rates(own: Any, expected: reference.Answers, measures: Sequence[str]) -> None:
    """The rates of the positive class, or of each class and their averages; and those of the whole matrix."""
    units = [plain(unit) for unit in own.of().units]
    if own.of().predictions.binary:
        cells = reference.against_the_rest(expected, units[0])
        for name in measures:
            same(own[name], reference.MEASURES[name](cells), name)
        return
    values = {str(measure): own.classes.values[0, place] for place, measure in enumerate(own.classes.measures)}
    for place, unit in enumerate(units):
        cells = reference.against_the_rest(expected, unit)
        for name in measures:
            same(float(values[name][place]), reference.MEASURES[name](cells), (name, unit))
    require_whole(own, expected, units)
    averaged = [name for name in measures if name not in OF_THE_MATRIX]
    for how in ("macro", "micro", "weighted"):
        again = own.of()
        for name in averaged:
            measure = next(measure for measure in own.measures if str(measure) == name)
            each = type(again)(again.predictions, again.goal, again.cut, how)
            same(each.value(measure), reference.averages(expected, units, name, how), (name, how))


def require_whole(own: Any, expected: reference.Answers, units: Sequence[str]) -> None:
    """The measures of the whole matrix."""
    kappas = {"Kappa": 0, "Kappa(weights='linear')": 1, "Kappa(weights='quadratic')": 2}
    for name, power in kappas.items():
        same(own.interval(name, resamples=1).value, reference.kappa(expected, units, power), name)
    same(own["Accuracy"], reference.accuracy(expected), "Accuracy")
    same(own["ErrorRate"], 1 - reference.accuracy(expected), "ErrorRate")
    same(own["BalancedAccuracy"], reference.balanced_accuracy(expected), "BalancedAccuracy")
    same(own["NoInformationRate"], reference.no_information_rate(expected), "NoInformationRate")
    same(own["MCC"], reference.matthews(expected), "MCC")


@target(answers, seeds=25)
def scores_are_measured_as_in_the_reference(case: Answers) -> None:
    """Every area, every rate at the median score, and all thresholds that tie for every goal."""
    assume(case.is_valid and case.both_sides)
    rows = reference.read(case.file(), case.delimiter)
    weight = "weight" if case.weighted else None
    expected = curves.scored(rows, "actual", case.positive, "score", weight)
    threshold = median_high(expected.score)
    options: dict[str, Any] = {"score": "score", "positive": case.positive, "threshold": float(threshold)}
    measures = [*curves.MEASURES_OF_SCORES, *reference.MEASURES]
    with strict(), written(case.file()) as path:
        own = classify("actual", data=str(path), weight=weight, measures=measures, **options)
        for name, measure in curves.MEASURES_OF_SCORES.items():
            same(own[name], measure(expected), name)
        cells = expected.at(threshold)
        for name, rate in reference.MEASURES.items():
            same(own[name], rate(cells), name)
        require_choices(own, expected)
        command = ["-a", "actual", *(f"--{name}={value}" for name, value in options.items())]
        shown = printed(path, *command, *(["--weight", "weight"] if weight else []), *asked([*PRINTED, "AUC"]))
        found: Mapping[str, Any] = {each["measure"]: each["value"] for each in shown["measures"]}
        for name in (*PRINTED, "AUC"):
            same(found[name], defined(own[name]), name)


def require_choices(own: Any, expected: curves.Scored) -> None:
    """The thresholds that tie for the best, all of them and no others."""
    goals: list[tuple[str, str, list[tuple[str, str, Fraction]]]] = [(name, name, []) for name in GOALS]
    for name, limits in LIMITED:
        within = " and ".join(f"{measure} {relation} {float(bound)}" for measure, relation, bound in limits)
        goals.append((f"{name} where {within}", name, limits))
    for text, name, limits in goals:
        found = [None if each == math.inf else Fraction(each) for each in own.choose(text).thresholds]
        wanted = curves.best_thresholds(expected, name, limits)
        assert found == wanted, f"{text}: {[*map(str, found)]}, not {[*map(str, wanted)]}"


@target(answers, seeds=30)
def probabilities_are_measured_as_in_the_reference(case: Answers) -> None:
    """Losses, calibration and its parts, of the probability of one class."""
    assume(case.is_valid and case.both_sides)
    rows = reference.read(case.file(), case.delimiter)
    weight = "weight" if case.weighted else None
    expected = curves.scored(rows, "actual", case.positive, "probability", weight)
    with strict(), written(case.file()) as path:
        own = classify(
            "actual",
            probability="probability",
            data=str(path),
            positive=case.positive,
            weight=weight,
            measures=[*losses.OF_PROBABILITIES, "Recall"],
        )
        for name, measure in losses.OF_PROBABILITIES.items():
            same(own[name], measure(expected), name)
        same(own["Recall"], reference.recall(expected.at(Fraction(1, 2))), "Recall at a half")


@target(distributions, seeds=30)
def probabilities_of_classes_are_measured_as_in_the_reference(case: Distributions) -> None:
    """Losses, the class that is most probable, areas of each class and of every two."""
    assume(case.is_valid)
    weight = "weight" if case.weighted else None
    rows = reference.read(case.file())
    columns = {label: f"p{place}" for place, label in enumerate(case.labels)}
    expected = losses.classes(rows, "actual", columns, weight)
    with strict(), written(case.file()) as path:
        own = classify(
            "actual", probability=columns, data=str(path), weight=weight, measures=[*losses.OF_CLASSES, "AUC"]
        )
        for name, measure in losses.OF_CLASSES.items():
            same(own[name], measure(expected), name)
        said = reference.Answers(expected.actual, expected.predicted, expected.weight)
        require_counts(own, said)
        areas = [curves.auc(expected.against_the_rest(label)) for label in case.labels]
        known = [area for area in areas if area is not None]
        same(own["AUC"], sum(known, Fraction(0)) / len(known) if known else None, "AUC")


@target(distributions, seeds=30)
def scores_of_classes_are_measured_as_in_the_reference(case: Distributions) -> None:
    """The same columns as scores, which need not add up: through Python and the command."""
    assume(case.is_valid)
    weight = "weight" if case.weighted else None
    columns = {label: f"p{place}" for place, label in enumerate(case.labels)}
    expected = losses.classes(reference.read(case.file()), "actual", columns, weight)
    with strict(), written(case.file()) as path:
        own = classify("actual", score=columns, data=str(path), weight=weight, measures=[*losses.OF_CLASS_SCORES])
        for name, measure in losses.OF_CLASS_SCORES.items():
            same(own[name], measure(expected), name)
        require_counts(own, reference.Answers(expected.actual, expected.predicted, expected.weight))
        if not any("=" in label for label in case.labels):
            pairs_of = [word for label, column in columns.items() for word in ("--score", f"{label}={column}")]
            options = ["-a", "actual", *pairs_of, *(["--weight", "weight"] if weight else [])]
            shown = printed(path, *options, "-m", "HingeLoss")
            same(shown["measures"][0]["value"], defined(own["HingeLoss"]), "HingeLoss")
