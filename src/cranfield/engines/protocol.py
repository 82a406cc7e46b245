"""The protocol of engines: find the rank of every judged document in a run. All engines give the same ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource

EngineName = Literal["auto", "local", "native", "spark"]
Ties = Literal["trec", "name", "given", "best", "worst", "expected"]
TieOrder = Literal["name descending", "name ascending", "as given"]
Precision = Literal["double", "single"]
Progress = Callable[[int], None]  # called with the number of bytes processed


class Engine(Protocol):
    """A module that computes ranks; users choose it by `NAME`."""

    @property
    def NAME(self) -> str: ...  # noqa: N802

    def judged_ranks(
        self,
        run: RunSource,
        judged: Judgments,
        *,
        order: TieOrder = "name descending",
        precision: Precision = "double",
        progress: Progress | None = None,
    ) -> JudgedRanks:
        """The ranks of the judged documents in a run."""
