"""Provenance: the inputs, settings and software behind the figures.

Decided here: whether results that are combined were evaluated alike.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cranfield.errors import BadInput, CranfieldWarning
from cranfield.frozen import frozen
from cranfield.results.writing import decoded, rounded

if TYPE_CHECKING:
    from cranfield.tables.judgments import Judgments
    from cranfield.tables.rankings import RunSource


@frozen
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
    """A warning as data: what may mislead, and the systems, files or labels concerned."""

    kind: str
    message: str
    subject: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


@frozen
class Provenance:
    """Everything needed to reproduce the figures."""

    inputs: tuple[Origin, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Caution, ...] = ()
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    engine: str | None = None  # engine that computed the ranks

    def to_dict(self) -> dict[str, Any]:
        """All fields and the software versions, for JSON."""
        from importlib.metadata import version  # slow to import and rarely needed

        return {
            "inputs": [vars(origin) for origin in self.inputs],
            "settings": dict(self.settings),
            "measures": rounded({name: dict(options) for name, options in self.measures.items()}),
            "warnings": list(map(str, self.warnings)),
            "versions": {name: version(name) for name in ("cranfield", "numpy", "pyarrow")}
            | {"python": platform.python_version()}
            | ({"engine": self.engine} if self.engine else {}),
        }


def combined(parts: Mapping[str, Provenance]) -> Provenance:
    """The combined provenance of several named results, with their common settings and engine."""
    first, *others = parts.values()
    shared = {
        name: value
        for name, value in first.settings.items()
        if all(name in other.settings and other.settings[name] == value for other in others)
    }
    return Provenance(
        inputs=tuple(
            replace(origin, role=f"{origin.role} of {name}") for name, part in parts.items() for origin in part.inputs
        ),
        settings=shared,
        warnings=tuple(
            caution._replace(message=f"{name}: {caution.message}")
            for name, part in parts.items()
            for caution in part.warnings
        ),
        measures={name: options for part in parts.values() for name, options in part.measures.items()},
        engine=first.engine if all(other.engine == first.engine for other in others) else None,
    )


def differing(parts: Mapping[str, Provenance]) -> Iterator[Caution]:
    """Cautions that results which are set against each other were evaluated differently: by settings, or runs."""
    (first, reference), *others = parts.items()
    for name, part in others:
        for setting, value in reference.settings.items():
            if (other := part.settings.get(setting, value)) != value:
                message = f"{first} was evaluated with {setting}={value!r}, but {name} with {setting}={other!r}"
                yield Caution("different-settings", message, (first, name))


def differing_runs(parts: Mapping[str, Provenance]) -> Iterator[Caution]:
    """Cautions that results of the same systems are those of different files."""
    (first, reference), *others = parts.items()
    for name, part in others:
        digest = {origin.name: origin.digest for origin in part.inputs if origin.role == "run" and origin.digest}
        for origin in reference.inputs:
            if origin.role == "run" and origin.digest and digest.get(origin.name, origin.digest) != origin.digest:
                message = f"the run {origin.name} of {first} and that of {name} have different content"
                yield Caution("different-runs", message, (first, name))


def run_names(sources: Sequence[RunSource]) -> list[str]:
    """The names of the runs, if they are distinct."""
    names = [decoded(source.name) for source in sources]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadInput(f"duplicate run name {min(twice)!r}; name the runs, as in {{'a': run, 'b': other}}")
    return names


NOTHING_READ = Provenance()  # for values passed in the call


def warn(cautioned: Iterable[Caution]) -> None:
    """Warn of each, for the caller of a public function that calls this one."""
    for caution in cautioned:
        warnings.warn(caution.message, CranfieldWarning, stacklevel=3)
