"""The classification report: precision, recall and F1 of every class, and their averages."""

from __future__ import annotations

from typing import Any

from cranfield.errors import BadSetting
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.records import records
from cranfield.results.verb_result import Records, VerbResult

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
