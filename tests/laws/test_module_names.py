"""Names say what they mean: those of folders, of variables, and in scripts and templates."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import cranfield

SOURCE = Path(cranfield.__file__).parent


def test_no_folder_or_module_is_named_like_a_public_function() -> None:
    """Python would replace the function by the module, as soon as that is imported."""
    names = {path.stem for path in SOURCE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert names & {*dir(cranfield)} == {"plot"}  # a module in public, too


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
