"""cranfield: how good is a system that ranks, labels or scores, and how sure are we.

Measures are names of this module too: `cranfield.nDCG @ 10`, `cranfield.P(rel=2) @ 5`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from cranfield.results.views import provide

if TYPE_CHECKING:
    from cranfield import plot as plot
    from cranfield.api import evaluate as evaluate
    from cranfield.api import precision_recall as precision_recall
    from cranfield.assessment.classification import Classification as Classification
    from cranfield.assessment.classify import classify as classify
    from cranfield.assessment.regression import Regression as Regression
    from cranfield.assessment.regression import regress as regress
    from cranfield.certainty.judges import agree as agree
    from cranfield.certainty.judges import reorder as reorder
    from cranfield.certainty.orders import correlations as correlations
    from cranfield.certainty.queries import latent as latent
    from cranfield.certainty.queries import reproduce as reproduce
    from cranfield.certainty.queries import select_queries as select_queries
    from cranfield.certainty.systems import compare as compare
    from cranfield.certainty.systems import plan as plan
    from cranfield.evidence.confusion import confusion as confusion
    from cranfield.findings.examination import examine as examine
    from cranfield.inference.learners import cross_validate as cross_validate
    from cranfield.inference.orders import correlate as correlate
    from cranfield.inference.power import power as power
    from cranfield.inference.power import smallest_difference as smallest_difference
    from cranfield.inference.power import units_needed as units_needed
    from cranfield.inference.splits import halves as halves
    from cranfield.inference.splits import k_fold as k_fold
    from cranfield.inference.splits import leave_one_out as leave_one_out
    from cranfield.inference.splits import named_splits as named_splits
    from cranfield.present.report.classification import classification_report as classification_report
    from cranfield.present.report.rankings import report as report
    from cranfield.registry import Measure as Measure
    from cranfield.registry import parse as parse
    from cranfield.results.values import Result as Result

provide("plot", "cranfield.plot:plots_of")
provide("_repr_html_", "cranfield.present.notebook:shown")

_HOME = {
    "Classification": "cranfield.assessment.classification",
    "Measure": "cranfield.registry",
    "Regression": "cranfield.assessment.regression",
    "Result": "cranfield.results.values",
    "agree": "cranfield.certainty.judges",
    "classification_report": "cranfield.present.report.classification",
    "classify": "cranfield.assessment.classify",
    "confusion": "cranfield.evidence.confusion",
    "compare": "cranfield.certainty.systems",
    "correlate": "cranfield.inference.orders",
    "correlations": "cranfield.certainty.orders",
    "cross_validate": "cranfield.inference.learners",
    "evaluate": "cranfield.api",
    "examine": "cranfield.findings.examination",
    "halves": "cranfield.inference.splits",
    "k_fold": "cranfield.inference.splits",
    "latent": "cranfield.certainty.queries",
    "leave_one_out": "cranfield.inference.splits",
    "named_splits": "cranfield.inference.splits",
    "parse": "cranfield.registry",
    "plan": "cranfield.certainty.systems",
    "power": "cranfield.inference.power",
    "precision_recall": "cranfield.api",
    "regress": "cranfield.assessment.regression",
    "reorder": "cranfield.certainty.judges",
    "report": "cranfield.present.report.rankings",
    "reproduce": "cranfield.certainty.queries",
    "select_queries": "cranfield.certainty.queries",
    "smallest_difference": "cranfield.inference.power",
    "units_needed": "cranfield.inference.power",
}

__all__ = [
    "Classification",
    "Measure",
    "Regression",
    "Result",
    "agree",
    "classification_report",
    "classify",
    "confusion",
    "compare",
    "correlate",
    "correlations",
    "cross_validate",
    "evaluate",
    "examine",
    "halves",
    "k_fold",
    "latent",
    "leave_one_out",
    "named_splits",
    "parse",
    "plan",
    "plot",
    "power",
    "precision_recall",
    "regress",
    "reorder",
    "report",
    "reproduce",
    "select_queries",
    "smallest_difference",
    "units_needed",
]


def __getattr__(name: str) -> Any:
    """Public names are fetched when first used, so that importing cranfield stays fast."""
    if name == "plot":
        return importlib.import_module("cranfield.plot")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if not name.startswith("_"):
        registry = importlib.import_module("cranfield.registry")
        if name in registry.families():
            return registry.Measure(name)
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")
