"""The journal of labels beside their qrels: every answer with its origin, one JSON object per line, only ever appended.

A line is on disk before the next answer counts, so nothing that was answered is asked again, even after a crash.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from typing import IO, Any

from cranfield.errors import BadInput
from cranfield.tables.label_journals import Label, Question, journal_of, lines_of_journal, question_of


class Journal:
    """Prompts and labels, in a file or only in memory."""

    def __init__(self, path: str | None) -> None:
        self.path, self._lock = path, threading.Lock()
        self.prompts: dict[str, dict[str, Any]] = {}
        self.labels: dict[Question, Label] = {}
        self._file: IO[bytes] | None = None
        if path is None:
            return
        self._file = open(path, "ab+")  # noqa: SIM115, closed by __exit__
        try:
            self._read(self._file, path)
        except BaseException:
            self._file.close()
            raise

    def _read(self, file: IO[bytes], path: str) -> None:
        _require_alone(file, path)
        file.seek(0)
        whole = file.read()
        complete = whole.rfind(b"\n") + 1
        if complete < len(whole):  # a line that was being written in a crash
            file.truncate(complete)
        for line in lines_of_journal(whole[:complete], path):
            self._keep(line)

    @classmethod
    def beside(cls, output: str | None) -> Journal:
        """The journal of an output; one whose labels are of unknown origin is refused."""
        path = None if output is None else journal_of(output)
        if path is not None and os.path.exists(str(output)) and not os.path.exists(path):
            raise BadInput(
                f"{output} exists without {path}, so the origin of its labels is unknown; choose another file"
            )
        return cls(path)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, which another process may then write."""
        if self._file is not None:
            self._file.close()

    def answers(self, questions: Iterable[dict[str, Any]]) -> list[Label]:
        """The labels that answer these questions."""
        keys = map(question_of, questions)
        return [self.labels[key] for key in keys if key in self.labels]

    def add(self, line: dict[str, Any]) -> None:
        """Keep a label, or a prompt."""
        with self._lock:
            if self._file is not None:
                self._file.write(json.dumps(line, ensure_ascii=True).encode() + b"\n")
                self._file.flush()
                os.fsync(self._file.fileno())
            self._keep(line)

    def _keep(self, line: dict[str, Any]) -> None:
        if "user" in line:
            self.prompts[line["prompt"]] = line
        else:
            self.labels[question_of(line)] = line


def _require_alone(file: IO[bytes], path: str) -> None:
    """Refuse a journal that another process is writing."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BadInput(f"{path}: another `cranfield label` is writing this file; wait for it to end") from None
