"""Classifiers and scorers for other programs: everything that is known of them, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cranfield.assessment.assessed import Assessed
from cranfield.assessment.choices import Choice
from cranfield.assessment.classification import Classification
from cranfield.assessment.goals import STANDARD
from cranfield.assessment.regression import Regression
from cranfield.findings.finding import Finding
from cranfield.results.writing import json_text


def document(
    given: Classification,
    *,
    goals: Sequence[str] = (),
    samples: int = 0,
    digits: int | None = None,
    findings: Sequence[Finding] | None = None,
) -> str:
    """JSON with the matrix, the measures with their intervals, classes, groups, goals and, if wanted, the findings.

    With `samples`, thresholds are chosen anew on so many resampled sets of items, to say how sure they are.
    """
    content: dict[str, Any] = {
        "systems": {each.predictions.system: _system(given, each, goals, samples) for each in given.assessed},
        "provenance": given.result.provenance.to_dict(),
    }
    if findings is not None:
        content["findings"] = [finding.to_dict() for finding in findings]
    return json_text(_rounded(content, digits))


def regression_document(
    given: Regression, *, digits: int | None = None, findings: Sequence[Finding] | None = None
) -> str:
    """JSON with the measures, the groups and the summary of the residuals of every system, and the findings."""
    result = given.result
    content: dict[str, Any] = {
        "systems": {
            system: {
                "measures": {str(m): result.micro[s, i] for i, m in enumerate(result.measures)},
                "groups": _groups(result, s) if given.groups else {},
                "residuals": given.of(system).summary._asdict(),
            }
            for s, system in enumerate(given.systems)
        },
        "provenance": result.provenance.to_dict(),
    }
    if findings is not None:
        content["findings"] = [finding.to_dict() for finding in findings]
    return json_text(_rounded(content, digits))


def _system(given: Classification, own: Assessed, goals: Sequence[str], samples: int) -> dict[str, Any]:
    name = own.predictions.system
    matrix = own.confusion
    content: dict[str, Any] = {
        "items": len(own.predictions),
        "labels": list(own.labels),
        "positive": None if not own.predictions.binary else own.units[0],
        "threshold": own.threshold if own.probabilities is None else None,
        "confusion": None if matrix is None else {"labels": list(matrix.labels), "counts": matrix.counts.tolist()},
        "measures": [{"measure": str(m)} | given.interval(m, name)._asdict() for m in given.measures],
    }
    if len(own.units) > 1:
        content["classes"] = {
            str(label): {
                str(measure): given.interval(measure, name, label=label)._asdict() for measure in given.classes.measures
            }
            for label in own.units
        }
    if own.predictions.groups:
        content["groups"] = _groups(given.result, given.systems.index(name))
    if own.thresholds is not None:
        chosen = given.choices((*goals, *STANDARD), name)
        content["goals"] = {goal: _choice(choice, samples) for goal, choice in chosen.items()}
    return content


def _groups(result: Any, s: int) -> dict[str, dict[str, float]]:
    return {
        unit: {str(measure): result.values[s, m, q] for m, measure in enumerate(result.measures)}
        for q, unit in enumerate(result.queries)
    }


def _choice(choice: Choice, samples: int) -> dict[str, Any]:
    if not choice.thresholds:
        return {"thresholds": [], "value": None}
    content = {
        "thresholds": list(choice.thresholds),
        "value": choice.value,
        "cells": [
            dict(zip(("tp", "fp", "fn", "tn"), (cell[place] for cell in choice.cells.each), strict=True))
            for place in range(len(choice.thresholds))
        ],
        "flat": choice.flat._asdict(),
    }
    return content | ({"sure": choice.sure(samples=samples)._asdict()} if samples else {})


def _rounded(content: Any, digits: int | None) -> Any:
    """The content with undefined numbers as nothing, infinite ones as text, and so many digits."""
    if isinstance(content, dict):
        return {str(key): _rounded(value, digits) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value, digits) for value in content]
    if isinstance(content, np.generic):
        content = content.item()
    if not isinstance(content, float):
        return content
    if np.isnan(content):
        return None
    if np.isinf(content):
        return "infinity" if content > 0 else "-infinity"
    return content if digits is None else round(content, digits)
