"""What an engine has answered so far, in a file beside the run: after a kill, no query is asked twice."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from cranfield.errors import BadInput


class Ranked(NamedTuple):
    """The results of one query, asked once."""

    documents: tuple[str, ...]
    scores: tuple[float, ...] | None
    titles: tuple[str | None, ...]
    milliseconds: float


class Journal:
    """Answers by query and repetition; with a path, kept in a file of one JSON per line."""

    def __init__(self, path: str | None, question: Mapping[str, Any]) -> None:
        self._path, self._lock = path, threading.Lock()
        self.answers: dict[tuple[str, int], Ranked] = {}
        if path is None:
            return
        if os.path.exists(path):
            self._read(path, question)
        else:
            with open(path, "x", encoding="utf-8") as file:
                file.write(json.dumps(dict(question)) + "\n")

    def _read(self, path: str, question: Mapping[str, Any]) -> None:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        try:
            before = json.loads(lines[0]) if len(lines) > 1 else None
        except ValueError:
            before = None
        if before is not None and before != dict(question):
            names = [name for name in question if before.get(name) != question[name]]
            raise BadInput(
                f"{path}: an unfinished fetch with another {' and '.join(names)}; delete this file, or choose another "
                "output file"
            )
        for line in lines[1:-1]:  # the last was not finished, or is empty
            query, turn, documents, scores, titles, taken = json.loads(line)
            self.answers[query, turn] = Ranked(tuple(documents), scores and tuple(scores), tuple(titles), taken)
        complete = len("\n".join(lines[:-1])) + 1 if before is not None else 0
        if before is None or len(text) != complete:
            copies = "\n".join(lines[:-1]) + "\n" if before is not None else json.dumps(dict(question)) + "\n"
            with open(path, "w", encoding="utf-8") as file:
                file.write(copies)

    def add(self, query: str, turn: int, ranked: Ranked) -> None:
        """Keep an answer."""
        with self._lock:
            self.answers[query, turn] = ranked
            if self._path is not None:
                with open(self._path, "a", encoding="utf-8") as file:
                    file.write(json.dumps([query, turn, *ranked]) + "\n")
