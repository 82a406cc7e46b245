"""What an engine does: find the rank of every judged document in a run. All engines give the same ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from cranfield.errors import BadSetting
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.adapters.spark_frames import SparkRun
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource

EngineName = Literal["auto", "local", "native", "spark"]
TieOrder = Literal["name descending", "name ascending", "as given"]
Precision = Literal["double", "single"]
Progress = Callable[[int], None]  # told how many bytes of the run are done


class Engine(Protocol):
    """A module that counts; `NAME` is what users call it."""

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


def engine(name: EngineName = "auto", runs: Iterable[RunSource] = ()) -> Engine:
    """The engine of this name; `"auto"` is Spark if a run is there, and otherwise the fastest that is installed."""
    from cranfield.engines import local, native

    if name == "spark" or (name == "auto" and any(isinstance(run, SparkRun) for run in runs)):
        from cranfield.engines import spark  # seldom needed

        return spark
    if name == "local" or (name == "auto" and not native.is_built()):
        return local
    if not native.is_built():
        raise BadSetting(
            "the engine 'native' was not built, or for another version of cranfield; "
            "install a C compiler and cranfield again, or use engine='local'"
        )
    return native
