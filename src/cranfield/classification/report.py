"""Precision, recall and F1 of every class: the table that scikit-learn users know."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.classification.classify import classify
from cranfield.classification.evaluated import Evaluated, weighted_mean
from cranfield.classification.result import Classification
from cranfield.errors import BadInput, BadSetting, CranfieldWarning, require_one_of, require_whole
from cranfield.evidence.cells import Cells, four_cells
from cranfield.frozen import frozen
from cranfield.measures.naming import parse
from cranfield.present.table import Column, Table, numbers, row, visible
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.values import Undefined
from cranfield.results.verb_result import Records, VerbResult, records
from cranfield.tables.numbers import short_number

# The classification report: precision, recall and F1 of every class, and their averages


COLUMNS = ("precision", "recall", "f1-score", "support")


@frozen
class ClassReport:
    """One line of the report: a class, or an average; accuracy has no precision and recall."""

    name: str
    precision: float | None
    recall: float | None
    f1_score: float
    support: float

    @property
    def figures(self) -> dict[str, float | None]:
        """The figures by the names that scikit-learn gives them."""
        return dict(zip(COLUMNS, (self.precision, self.recall, self.f1_score, self.support), strict=True))


@frozen(eq=False)
class ClassificationReport(VerbResult):
    """Precision, recall, F1 and support of every class, and their averages, as scikit-learn reports them."""

    kind = "classification-report"

    classes: tuple[ClassReport, ...]
    averages: tuple[ClassReport, ...]
    digits: int = 2
    provenance: Provenance = NOTHING_READ

    @property
    def answer(self) -> str:
        """Empty, for the report is printed as scikit-learn prints it."""
        return ""

    def records(self) -> Records:
        """One row per class, and one per average."""
        return {"classes": _rows(self.classes), "averages": _rows(self.averages)}

    def output_dict(self) -> dict[str, Any]:
        """What scikit-learn returns with `output_dict=True`: `{class: {"precision": …, "recall": …, …}}`."""
        averages = {line.name for line in self.averages}
        clash = next((line.name for line in self.classes if line.name in averages), None)
        if clash is not None:
            raise BadSetting(f"a class and an average are called {clash!r}; rename the class with names=")
        lines: dict[str, Any] = {line.name: line.figures for line in (*self.classes, *self.averages)}
        return {name: line["f1-score"] if name == "accuracy" else line for name, line in lines.items()}


def _rows(lines: tuple[ClassReport, ...]) -> list[dict[str, Any]]:
    return [{"class" if name == "name" else name: value for name, value in row.items()} for row in records(lines)]


_MEASURES = ("Precision", "Recall", "F1")
_UNUSED = ("measures", "average", "by", "auc_interval")  # settings of classify that change no figure of a report


def classification_report(
    actual: Any,
    predicted: Any = None,
    *,
    names: Sequence[str] | None = None,
    digits: int = 2,
    undefined: Undefined = "zero",
    **settings: Any,
) -> ClassificationReport:
    """Precision, recall, F1-score and support of every class, and their averages, as scikit-learn reports them.

    Parameters
    ----------
    actual, predicted
        The true and the predicted label of each item, as for `classify`; or the result of `classify` for one
        classifier. Scores and probabilities are passed as `score=` and `probability=`.
    names
        The names of the classes in the report, in the order of the labels.
    digits
        Number of printed decimals.
    undefined
        Undefined values (0/0) are printed as 0 and count as 0 in averages, with a warning; `"skip"` prints nan and
        leaves them out.
    settings
        Settings of `classify`: `labels`, `weight`, `data`, `positive`, `threshold`, …

    Returns
    -------
    ClassificationReport
        Prints the table; `output_dict()` is what scikit-learn returns with `output_dict=True`.

    Examples
    --------
    >>> print(classification_report(["a", "b", "b", "c"], ["a", "b", "c", "c"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
               a       1.00      1.00      1.00         1
               b       1.00      0.50      0.67         2
               c       0.50      1.00      0.67         1
    <BLANKLINE>
        accuracy                           0.75         4
       macro avg       0.83      0.83      0.78         4
    weighted avg       0.88      0.75      0.75         4
    <BLANKLINE>
    """
    require_one_of("undefined", undefined, Undefined)
    _require_used(settings, predicted, of_result=isinstance(actual, Classification))
    result = (
        actual if isinstance(actual, Classification) else classify(actual, predicted, measures="Accuracy", **settings)
    )
    if len(result.systems) > 1:
        raise BadInput(f"a classification report describes one classifier, not {', '.join(result.systems)}")
    require_whole("digits", digits, 0)
    evaluated = result.of()
    labels = [str(label) for label in evaluated.labels] if names is None else list(map(str, names))
    if len(labels) != len(evaluated.labels):
        raise BadSetting(f"got {len(labels)} names for {len(evaluated.labels)} classes")
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise BadSetting(f"two classes have the name {twice!r}; names must be distinct")
    return ClassificationReport(*_report_lines(evaluated, labels, undefined), digits, result.provenance)


def _require_used(settings: Mapping[str, Any], predicted: Any, *, of_result: bool) -> None:
    """Refuse settings that the report does not use."""
    passed = [name for name, value in {**settings, "predicted": predicted}.items() if value is not None]
    unused = passed if of_result else [name for name in passed if name in _UNUSED]
    if unused:
        why = "the result was evaluated without it" if of_result else "a report has the same measures for all items"
        raise BadSetting(f"{unused[0]} has no effect: {why}")


def _report_lines(
    evaluated: Evaluated, labels: Sequence[str], undefined: Undefined
) -> tuple[tuple[ClassReport, ...], tuple[ClassReport, ...]]:
    """The lines of the classes and of the averages."""
    cells = evaluated.cells if evaluated.confusion is None else evaluated.confusion.cells
    values = _values(cells)
    if undefined == "zero" and np.isnan(values).any():
        names = [label for label, figures in zip(labels, values, strict=True) if np.isnan(figures).any()]
        warnings.warn(f"undefined values count as 0: {', '.join(names)}", CranfieldWarning, stacklevel=3)
    shown = np.nan_to_num(values) if undefined == "zero" else values
    support = [short_number(size) for size in cells.positive.tolist()]
    classes = (_line(name, figures, size) for name, figures, size in zip(labels, shown, support, strict=True))
    return tuple(classes), tuple(_averages(evaluated, cells, shown))


def _averages(evaluated: Evaluated, cells: Cells, values: Floats) -> Iterator[ClassReport]:
    """Accuracy, or the micro-average of multilabel data; then the macro, weighted and samples averages."""
    total, size = short_number(float(cells.positive.sum())), np.asarray(cells.positive, np.float64)
    if evaluated.confusion is None:
        yield _line("micro avg", _values(cells.pooled)[0], total)
    else:
        accuracy = float(parse("Accuracy", "classes").values(evaluated.confusion))
        yield ClassReport("accuracy", None, None, accuracy, total)
    yield _line("macro avg", _mean(values), total)
    yield _line("weighted avg", _mean(values, size), total)
    if evaluated.confusion is None:
        of_items = np.nan_to_num(_values(_cells_of_items(evaluated)))
        yield _line("samples avg", _mean(of_items, evaluated.predictions.weight), total)


def _cells_of_items(evaluated: Evaluated) -> Cells:
    """The cells of each item, counted over its labels."""
    counts = four_cells(evaluated.predictions.actual.astype(np.bool_), evaluated.predicted_sets)
    return Cells(*(count.sum(axis=1).astype(np.float64) for count in counts))


def _values(cells: Cells) -> Floats:
    """Precision, recall and F1 of each unit: `values[unit, measure]`."""
    return np.array([parse(name, "binary").values(cells) for name in _MEASURES], np.float64).T


def _mean(values: Floats, weight: Floats | None = None) -> Floats:
    """The mean of the defined values of each column."""
    return np.array([weighted_mean(column, weight) for column in values.T])


def _line(name: str, values: Floats, support: float) -> ClassReport:
    precision, recall, f1_score = values.tolist()
    return ClassReport(name, precision, recall, f1_score, support)


# The classification report in scikit-learn's layout, and as a table for other formats


def text(report: ClassificationReport, *, digits: int | None = None) -> str:
    """The report as scikit-learn prints it."""
    decimals = report.digits if digits is None else digits
    lines = (*report.classes, *report.averages)
    width = max(len("weighted avg"), *(len(visible(line.name)) for line in lines), decimals)
    parts = ["\n".join(_lines(part, width, decimals)) for part in (report.classes, report.averages)]
    return "\n\n".join([" " * (width + 1) + "".join(f" {name:>9}" for name in COLUMNS), *parts]) + "\n"


def _lines(lines: tuple[ClassReport, ...], width: int, digits: int) -> Iterator[str]:
    for line in lines:
        rates = (line.precision, line.recall, line.f1_score)
        shown = ("" if rate is None else f"{rate:.{digits}f}" for rate in rates)
        yield f"{visible(line.name):>{width}} " + "".join(f" {cell:>9}" for cell in (*shown, line.support))


def tables(report: ClassificationReport, *, digits: int) -> list[Table]:
    """One row per class, and the averages below."""
    classes, averages = (
        tuple(row(line.name, *line.figures.values()) for line in lines) for lines in (report.classes, report.averages)
    )
    return [Table((Column("class"), *numbers(*COLUMNS[:3], digits=digits), *numbers("support")), classes, averages)]
