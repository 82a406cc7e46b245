"""Where figures come from: what was read, how it was counted, and with what."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from cranfield.errors import BadInput
from cranfield.results.writing import decoded, rounded

if TYPE_CHECKING:
    from cranfield.tables.judgments import Judgments
    from cranfield.tables.rankings import RunSource


@dataclass(frozen=True)
class Origin:
    """One input: its name, its form, and the digest of its content if it came from a file."""

    role: str
    name: str
    form: str
    digest: str | None = None

    @classmethod
    def of(cls, role: str, source: Any) -> Origin:
        """The origin of a run, of judgments or of a table: whatever has a name, a form and a digest."""
        return cls(role, decoded(source.name), source.form, source.digest)


def origins(judged: Judgments | None, runs: Iterable[RunSource]) -> tuple[Origin, ...]:
    """The origins of judgments, if there are any, and of runs."""
    first = () if judged is None else (Origin.of("qrels", judged),)
    return (*first, *(Origin.of("run", run) for run in runs))


class Caution(NamedTuple):
    """A warning as data: what may mislead in the figures, and which systems, files or labels it is about."""

    kind: str
    message: str
    subject: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Provenance:
    """All that is needed to get the same figures again."""

    inputs: tuple[Origin, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Caution, ...] = ()
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    engine: str | None = None  # that counted ranks

    def to_dict(self) -> dict[str, Any]:
        """All of it, with the versions of what computed it, for JSON."""
        from importlib.metadata import version  # slow to import, and seldom asked for

        return {
            "inputs": [vars(origin) for origin in self.inputs],
            "settings": dict(self.settings),
            "measures": rounded({name: dict(options) for name, options in self.measures.items()}),
            "warnings": list(map(str, self.warnings)),
            "versions": {name: version(name) for name in ("cranfield", "numpy", "pyarrow")}
            | {"python": platform.python_version()}
            | ({"engine": self.engine} if self.engine else {}),
        }


def run_names(sources: Sequence[RunSource]) -> list[str]:
    """The names of the runs, if they are distinct."""
    names = [decoded(source.name) for source in sources]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadInput(f"two runs are called {min(twice)!r}; name them, as in {{'a': run, 'b': other}}")
    return names


NOTHING_READ = Provenance()  # for values passed in the call
