"""Journals of labels by a model, beside their qrels: who labelled each document, and what was answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from cranfield.errors import BadInput

SUFFIX = ".jsonl"
# what a label may be about, and how it was asked for
_FIELDS = ("query", "document", "second", "system", "item", "repeat", "model", "prompt", "temperature", "seed")
_REQUIRED = {"query", "model", "prompt", "answer"}

Label = dict[str, Any]
Question = tuple[Any, ...]


def journal_of(qrels: str) -> str:
    """The path of the journal of qrels."""
    return qrels + SUFFIX


def question_of(label: Label) -> Question:
    """What a label answers: the pair, the repeat, the model, the prompt and its settings."""
    return tuple(label.get(name) for name in _FIELDS)


def read_labels(path: str) -> tuple[dict[str, dict[str, Any]], list[Label]]:
    """The prompts by hash and the labels of a journal, in order; an unfinished last line is left out."""
    with open(path, "rb") as file:
        whole = file.read()
    prompts: dict[str, dict[str, Any]] = {}
    labels = []
    for line in lines_of_journal(whole[: whole.rfind(b"\n") + 1], path):
        if "user" in line:
            prompts[line["prompt"]] = line
        else:
            labels.append(line)
    return prompts, labels


def is_journal(path: str) -> bool:
    """Whether a file is a journal of labels: its first line is a prompt."""
    try:
        with open(path, "rb") as file:
            first = json.loads(file.readline(1 << 20))
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and {"prompt", "system", "user", "grades"} <= first.keys()


def lines_of_journal(content: bytes, path: str) -> Iterator[dict[str, Any]]:
    """The lines of a journal, prompts and labels."""
    for number, text in enumerate(content.splitlines(), 1):
        try:
            line = json.loads(text)
            known = {"prompt"} if "user" in line else _REQUIRED
        except (ValueError, TypeError):
            line, known = {}, {"query"}
        if not isinstance(line, dict) or not known <= line.keys():
            raise BadInput(
                f"{path}, line {number}: not a line that `cranfield label` wrote; restore the file or remove it"
            )
        yield line


def grade_of(labels: Iterable[Label]) -> int | None:
    """The grade of the repeats of a pair: their median, the lower of two; None if none has a grade."""
    grades = sorted(label["grade"] for label in labels if label["grade"] is not None)
    return grades[(len(grades) - 1) // 2] if grades else None
