"""Tables of 0 and 1 in every form, and sets of labels, against the reference: neither is taken for the other."""

from __future__ import annotations

import tempfile
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

from cranfield import classify
from cranfield.errors import BadInput, CranfieldWarning
from fuzz.target import assume, target
from fuzz.targets.answers import same
from generators.label_sets import LISTS, NAMES, TABLES, LabelSets, Rows, label_sets
from reference import label_sets as reference
from reference.labels import averages_of

AVERAGED = ("Precision", "Recall", "F", "Jaccard", "Accuracy")


@target(label_sets, seeds=25)
def label_sets_are_measured_as_in_the_reference(case: LabelSets) -> None:
    """Lists that may be either are refused; everything else has the values of the reference."""
    assume(case.is_valid)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for form, make in TABLES.items():
            if form in LISTS and case.may_be_sets:
                said = _refusal(make(case.actual), make(case.predicted))
                assert "may be sets of the labels 0 and 1, or a table" in said, f"{form}: {said}"
            else:
                found = classify(make(case.actual), make(case.predicted), measures=["SubsetAccuracy", *AVERAGED])
                _require(found, case, "macro", form)
        names = NAMES[: len(case.actual[0])]
        actual, predicted = (_sets(rows, names) for rows in (case.actual, case.predicted))
        for average in ("macro", "micro", "weighted", "samples"):
            settings: dict[str, Any] = {"labels": names, "average": average, "measures": ["SubsetAccuracy", *AVERAGED]}
            _require(classify(actual, predicted, **settings), case, average, "sets")
            lists = classify(*([*map(sorted, sets)] for sets in (actual, predicted)), **settings)
            _require(lists, case, average, "lists of labels")
            _require(_of_a_file(actual, predicted, settings), case, average, "cells with separators")


def _refusal(actual: Any, predicted: Any) -> str:
    try:
        classify(actual, predicted)
    except BadInput as error:
        return str(error)
    return "taken for one of them"


def _sets(rows: Rows, names: list[str]) -> list[set[str]]:
    return [{name for name, yes in zip(names, row, strict=True) if yes} for row in rows]


def _of_a_file(actual: list[set[str]], predicted: list[set[str]], settings: dict[str, Any]) -> Any:
    pairs = zip(*(["|".join(sorted(labels)) for labels in sets] for sets in (actual, predicted)), strict=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sets.csv")
        path.write_text("own,given,last\n" + "".join(f"{own},{given},x\n" for own, given in pairs), encoding="utf-8")
        return classify("own", "given", data=path, separator="|", **settings)


def _require(found: Any, case: LabelSets, average: str, form: str) -> None:
    same(found["SubsetAccuracy"], reference.subset_accuracy(case.actual, case.predicted), (form, "SubsetAccuracy"))
    cells = reference.cells_of(case.actual, case.predicted)
    for name in AVERAGED:
        over_items = average == "samples"
        value = (
            reference.over_items(case.actual, case.predicted, name) if over_items else averages_of(cells, name, average)
        )
        same(found[name], value, (form, average, name))


@target(label_sets, seeds=20)
def label_rankings_are_measured_as_in_the_reference(case: LabelSets) -> None:
    """Scores of the labels, many of them tied, with and without weights."""
    assume(case.is_valid and len(case.actual[0]) > 1)
    score = [
        [given / 2 + (3 * i + 5 * j) % 4 / 4 for j, given in enumerate(row)] for i, row in enumerate(case.predicted)
    ]
    names = NAMES[: len(case.actual[0])]
    for weight in (None, [1 + i % 3 for i in range(len(score))]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)
            settings: dict[str, Any] = {"threshold": 0.5, "weight": weight, "measures": [*reference.OF_RANKINGS]}
            found = classify(_sets(case.actual, names), score=score, labels=names, **settings)
        weights = weight or [1] * len(score)
        for name, measure in reference.OF_RANKINGS.items():
            items = zip(case.actual, score, weights, strict=True)
            total = sum(w * measure(own, [*map(Fraction, row)]) for own, row, w in items)
            same(found[name], total / sum(weights), (name, weight))
