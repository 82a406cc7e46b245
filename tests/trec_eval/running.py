"""The command in this process: what it prints, what it says, and the status it ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from cranfield.trec_eval.conventions import Quit
from cranfield.trec_eval.program import evaluated


class Ended(NamedTuple):
    """How the command ended."""

    out: str
    said: str
    status: int


def run(*arguments: object) -> Ended:
    """What trec_eval does with these arguments."""
    printed: list[bytes] = []
    try:
        for piece in evaluated([str(argument) for argument in arguments]):
            printed.append(piece)
    except Quit as end:
        return Ended(_text(b"".join(printed)), _text(end.message), end.status)
    return Ended(_text(b"".join(printed)), "", 0)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def qrels_text(qrels: Mapping[str, Mapping[str, int]]) -> str:
    """Judgments as lines."""
    return "".join(
        f"{topic} 0 {document} {grade}\n" for topic, judged in qrels.items() for document, grade in judged.items()
    )


def run_text(run: Mapping[str, Mapping[str, float]], tag: str = "tag") -> str:
    """A run as lines."""
    return "".join(
        f"{topic} Q0 {document} 0 {score!r} {tag}\n"
        for topic, ranking in run.items()
        for document, score in ranking.items()
    )


Files = Callable[[str, str], tuple[Path, Path]]
