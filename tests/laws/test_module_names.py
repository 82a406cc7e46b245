"""One module name means one thing: modules share a name only if they share its subject."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import cranfield

SOURCE = Path(cranfield.__file__).parent
# what modules of several rooms are about: `measures/agreement` computes it, `agreement/result` holds it, and so on
SUBJECTS = {
    "agreement", "answers", "audit", "averaged_roc", "bayesian", "calibration", "class_scores", "classes",
    "classification", "classification_report", "collections", "comparison", "conflicts", "confusion", "correlation",
    "costs", "cross_entropy", "cross_validation", "estimation", "findings", "forecasts", "gates", "item_plans",
    "judging_plans", "judgments", "label_rankings", "label_sets", "latent", "leaderboard", "machines",
    "meta_analysis", "mixed_models", "monitoring", "passages", "planning", "plot", "pool_quality", "pools", "power",
    "precision_recall", "preferences", "prg", "probabilities", "published", "ranking_steps", "rankings", "ratings",
    "recalibration", "regression", "residuals", "risk", "roc", "scores", "stability", "threshold_choice", "thresholds",
    "tiers",
}  # fmt: skip


def test_only_subjects_are_names_of_several_modules() -> None:
    names = Counter(path.stem for path in SOURCE.rglob("*.py") if path.stem != "__init__")
    assert {name for name, n_modules in names.items() if n_modules > 1} <= SUBJECTS


def test_every_subject_is_the_name_of_several_modules() -> None:
    names = Counter(path.stem for path in SOURCE.rglob("*.py"))
    assert [name for name in sorted(SUBJECTS) if names[name] < 2] == []


VAGUE = {"asked", "found", "given", "own", "each", "kept", "said", "wanted"}


def test_variables_are_named_for_what_they_hold() -> None:
    vague = [
        f"{path.relative_to(SOURCE)}, line {node.lineno}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in (getattr(node, "id", None), getattr(node, "arg", None), getattr(node, "attr", None))
        if isinstance(node, ast.Name | ast.arg | ast.Attribute) and name and name.strip("_") in VAGUE
    ]
    assert vague == []


# where a script or a template declares a name, or uses it in code
_IN_SCRIPTS = re.compile(rf"\b({'|'.join(sorted(VAGUE))})\b(?=\s*(?:=[^=]|=>|[.,)\]\[]|\?\.))")
_IN_TEMPLATES = re.compile(r"\{[%{].*?[%}]\}", re.DOTALL)


def test_names_in_scripts_and_templates_say_what_they_hold() -> None:
    vague = []
    for path in sorted([*SOURCE.rglob("*.js"), *SOURCE.rglob("*.html")]):
        text = path.read_text("utf-8")
        if path.suffix == ".html":
            code = [re.sub(r'"[^"]*"', '""', tag) for tag in _IN_TEMPLATES.findall(text)]
            vague += [f"{path.name}: {tag}" for tag in code if VAGUE & set(re.findall(r"\w+", tag))]
        else:
            code = [re.sub(r"//.*|\"[^\"]*\"", "", line) for line in text.splitlines()]
            vague += [f"{path.name}: {line.strip()}" for line in code if _IN_SCRIPTS.search(line)]
    assert vague == []
