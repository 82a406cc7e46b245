"""Is a system good enough to release? Check it against gates."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from itertools import chain, count
from typing import Any, get_args

import numpy as np

from cranfield.engines.protocol import Ties
from cranfield.errors import BadInput, BadSetting, CranfieldWarning, UnknownMeasure, did_you_mean, require_one_of
from cranfield.evidence.samples import is_number
from cranfield.measures.naming import known_measure, parse
from cranfield.results.gate_demands import Demand, Needs
from cranfield.results.gate_verdicts import verdict_on_runs, verdict_on_values
from cranfield.results.gates import Checked, Requirement
from cranfield.results.rankings import Result
from cranfield.results.result_samples import value_of_samples
from cranfield.tables.adapters.known_collections import is_dataset_id
from cranfield.tables.adapters.spark_inputs import is_address
from cranfield.tables.names import decode
from cranfield.tables.rankings import RunSource
from cranfield.tables.readers.streams import bytes_of
from cranfield.tables.sources import as_judgments, as_run
from cranfield.tables.system_names import system_names
from cranfield.verbs.as_samples import paired
from cranfield.verbs.rankings import Written, evaluate

NEEDS = tuple(signature(Needs).parameters)
_SHARED = ("run", "baseline", "level", "confidence", *NEEDS)  # for all gates, unless a gate has its own
_SPECIFIED = ("qrels", "values", "lower_is_better", "settings", "gate", *_SHARED)
_ABSOLUTE = ("at least", "at most")  # requirements without a baseline
_TABLES = ("item_info", "system_info")  # settings of `evaluate` that may be paths
_OF_A_GATE = ("measure", "require", "value", "margin", *_SHARED)


def check(gates: Any) -> Checked:
    """Whether a system passes release gates: values that it must reach, and comparisons with a baseline.

    A gate is passed, failed or undecided. It is failed if the observed value misses the requirement, and undecided if
    it meets it without enough evidence: `"better"` needs a significant improvement, and `"not worse"` a one-sided
    confidence limit above `-margin`. It is also undecided if the data allow no verdict: a run lacks judged queries,
    too few queries count or many are repeated, the measure is undefined on too many, too few documents are judged, the
    order of tied documents decides, nothing varies, or files seem to be confused. Requirements that every system meets
    are refused.

    Parameters
    ----------
    gates
        The path of a TOML file, or the same as a dict: `qrels`, `run`, `baseline` (a run or a number) and a list of
        gates, `gate`. Each gate has a `measure` and what it must do, `require`: `"at least"` or `"at most"` a `value`;
        `"better"` than the baseline; or `"not worse"` than the baseline by a `margin`. `run`, `baseline` and `level`
        (0.05) may be set for all gates or for one. With a `confidence`, such as 0.95, not only the value but its
        one-sided confidence limit must be at least, or at most, what is required. What a verdict needs may be set too:
        `complete` (1.0), the proportion of the judged queries that both sides answer; `min_queries` (10);
        `min_defined` (0.9), the proportion of queries on which the measure is defined; `min_judged` (0.5), the
        proportion of judged documents among the top 10; `unchanged = "pass"` accepts a run with the values of the
        baseline as not worse. `settings` are those of `evaluate`. Instead of `qrels`, `values`
        may name a table of values, whose systems are `run` and `baseline`, and `lower_is_better` measures in it; if
        the table names no measure, its values are those of the `measure` of the gates.
        Paths are relative to the file.

    Returns
    -------
    Checked
        One row per gate, with its `outcome`; `checked.passed` is True if all were passed. `checked.to_markdown()` is a
        summary for a pull request, and `checked.to_junit()` a test report.

    Examples
    --------
    >>> qrels = {f"q{n}": {"a": 1} for n in range(20)}
    >>> run = {query: {"a": 2, "b": 1} if query < "q3" else {"b": 2, "a": 1} for query in qrels}
    >>> gate = {"measure": "RR", "require": "at least", "value": 0.7}
    >>> check({"qrels": qrels, "run": run, "gate": [gate]}).gates[0].outcome
    'passed'
    >>> check({"qrels": {"q1": {"a": 1}}, "run": {"q1": {"a": 2}}, "gate": [gate]}).gates[0].reasons
    ('1 query, but a verdict needs 10 (min_queries)',)
    """
    if not isinstance(gates, str | os.PathLike):
        return checked(gates, "")
    path = os.fspath(gates)
    try:
        return checked(_read(path), os.path.dirname(path))
    except (BadSetting, UnknownMeasure) as error:  # an error in the file, not in the call
        raise BadInput(f"{path}: {error}") from None


def checked(gates: Any, folder: str) -> Checked:
    """Whether a system passes the gates of a dict, in which paths are relative to the folder."""
    demanded = [_gate(gate, gates) for gate in _listed(gates)]
    if "values" in gates:
        return _of_values(gates, demanded, folder)
    return _of_runs(gates, demanded, folder)


def _read(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(bytes_of(path).decode())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not a TOML file: {error}") from None


def files_named_in(path: str) -> list[str]:
    """The files that a file of gates names, as far as it can be read: judgments, runs, values and tables."""
    gates = _read(path)
    listed = gates.get("gate")
    tables = [gates, gates.get("settings"), *(listed if isinstance(listed, list) else ())]
    names = ("qrels", "values", "run", "baseline", *_TABLES)
    sources = (table.get(name) for table in tables if isinstance(table, Mapping) for name in names)
    return [located(source, os.path.dirname(path)) for source in sources if isinstance(source, str)]


def _listed(gates: Any) -> list[Mapping[str, Any]]:
    """The gates of a specification, with checked names."""
    if not isinstance(gates, Mapping):
        raise BadInput(f"gates must be the path of a TOML file or a dict, not {type(gates).__name__}")
    _require_known(gates, _SPECIFIED, "gates")
    listed = gates.get("gate")
    if not isinstance(listed, list) or not listed or not all(isinstance(gate, Mapping) for gate in listed):
        raise BadSetting("there is no gate: write each under [[gate]], with measure and require")
    if ("qrels" in gates) == ("values" in gates):
        raise BadSetting("gates need either qrels and a run, or a table of values: set qrels or values")
    if "values" in gates and "settings" in gates:
        raise BadSetting("settings apply only to the evaluation of runs; a table of values is already evaluated")
    if "qrels" in gates and "lower_is_better" in gates:
        raise BadSetting("lower_is_better applies only to a table of values; the direction of other measures is known")
    return listed


def _gate(gate: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """The terms of one gate, with those that are shared by all."""
    _require_known(gate, _OF_A_GATE, "a gate")
    terms = {name: shared[name] for name in _SHARED if name in shared} | dict(gate)
    terms = {name: term for name, term in terms.items() if term is not None}
    for name in ("measure", "require", "run"):
        if name not in terms:
            choices = f" ({', '.join(map(repr, get_args(Requirement)))})" if name == "require" else ""
            raise BadSetting(f"a gate needs {name}{choices}; it has {', '.join(terms)}")
    if is_number(terms["run"]):
        raise BadSetting(f"run must be a run, not the number {terms['run']!r}")
    if isinstance(terms["measure"], Mapping | list | tuple) or is_number(terms["measure"]):
        raise BadSetting(f"a gate has one measure, not {terms['measure']!r:.60}")
    require_one_of("require", terms["require"], Requirement)
    _require_applicable(gate, f"{terms['measure']}, {terms['require']}", terms["require"])
    unused = ("baseline", "level") if terms["require"] in _ABSOLUTE else ("confidence",)
    return {name: term for name, term in terms.items() if name not in unused}


def _require_applicable(gate: Mapping[str, Any], where: str, requirement: Requirement) -> None:
    """Refuse terms of a gate that its requirement does not use, and a value to reach that is missing."""
    if requirement in _ABSOLUTE and "value" not in gate:
        raise BadSetting(f"{where}: set value, the number to reach")
    if requirement not in _ABSOLUTE and "value" in gate:
        raise BadSetting(f"{where}: value applies to 'at least' and 'at most'; set margin")
    if requirement != "not worse" and "margin" in gate:
        raise BadSetting(f"{where}: margin applies to 'not worse'")
    of_values, of_comparisons = ("confidence",), ("baseline", "level")
    unused = next((name for name in (of_comparisons if requirement in _ABSOLUTE else of_values) if name in gate), None)
    if unused is not None:
        other = "'better' and 'not worse'" if requirement in _ABSOLUTE else "'at least' and 'at most'; set level"
        raise BadSetting(f"{where}: {unused} applies to {other}")


def _require_known(names: Iterable[str], known: tuple[str, ...], where: str) -> None:
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise BadSetting(f"{where}: there is no setting {unknown!r}; available: {', '.join(known)}")


def _demand(terms: Mapping[str, Any], measure: str, system: str, baseline: str | float | None) -> Demand:
    return Demand(
        measure=measure,
        system=system,
        requirement=terms["require"],
        baseline=_as_float(baseline),
        needs=Needs(**{name: terms[name] for name in NEEDS if name in terms}),
        **{name: _as_float(terms[name]) for name in ("value", "margin", "level", "confidence") if name in terms},
    )


def _as_float(term: Any) -> Any:
    """A number of any type as a float, so that it is printed and stored as one; other terms as they are."""
    return float(term) if is_number(term) else term


def _of_runs(gates: Mapping[str, Any], demanded: list[dict[str, Any]], folder: str) -> Checked:
    runs = _Runs(folder)
    systems = [(runs.add(terms["run"], "run"), runs.add(terms.get("baseline"), "baseline")) for terms in demanded]
    names = runs.names()
    demands = [
        _demand(terms, str(parse(terms["measure"], "ranking")), names.get(run, run), names.get(baseline, baseline))
        for terms, (run, baseline) in zip(demanded, systems, strict=True)
    ]
    measures = list(dict.fromkeys(demand.measure for demand in demands))
    settings = _settings(gates, folder)
    by_name = {names[key]: as_run(run, names[key]) for key, run in runs.runs.items()}
    form = settings.get("form", "qrels")
    require_one_of("form", form, Written)
    judged = as_judgments(located(gates["qrels"], folder), form=form)
    result = evaluate(judged, by_name, measures, **settings)

    @cache
    def other_orders() -> tuple[Result, ...]:
        """The result with tied documents by name, descending and ascending, and in a random order."""
        shuffled = {name: as_run(_shuffled(run), name) for name, run in by_name.items()}
        orders: tuple[tuple[Any, Ties], ...] = ((by_name, "trec"), (by_name, "name"), (shuffled, "given"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)  # the same as before
            return tuple(evaluate(judged, some, measures, **settings | {"ties": ties}) for some, ties in orders)

    decisions = tuple(verdict_on_runs(result, demand, judged, other_orders) for demand in demands)
    return Checked(decisions, settings, result.provenance)


def _shuffled(run: RunSource) -> dict[str, dict[str, float]]:
    """The documents of each query with their scores, in a random order."""
    chance = np.random.default_rng(0)
    documents: dict[str, dict[str, float]] = {}
    for part in run.parts():
        batch = part()
        for place, query in enumerate(batch.queries):
            scores = batch.scores[batch.starts[place] : batch.starts[place + 1]]
            order = chance.permutation(len(scores))
            names = map(decode, batch.names(place, order))
            documents.setdefault(decode(query), {}).update(zip(names, scores[order].tolist(), strict=True))
    return documents


def _settings(gates: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The settings of the evaluation, with checked names and paths relative to the folder."""
    settings = gates.get("settings", {})
    if not isinstance(settings, Mapping):
        raise BadSetting(f"settings must be a table, such as {{missing = 'skip'}}, not {settings!r:.60}")
    of_evaluation = (known for known in signature(evaluate).parameters.values() if known.kind is known.KEYWORD_ONLY)
    _require_known(settings, tuple(known.name for known in of_evaluation if known.name != "progress"), "settings")
    return dict(settings) | {name: located(settings[name], folder) for name in _TABLES if name in settings}


class _Runs:
    """The runs that gates name, each once: a path by its text, any other run by itself."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.runs: dict[Any, Any] = {}
        self._roles: dict[Any, str] = {}

    def add(self, run: Any, role: str) -> Any:
        """The key of a run; a number, or nothing, is its own."""
        if run is None or is_number(run):
            return run
        source = located(run, self._folder)
        key = source if isinstance(source, str) else id(run)
        self.runs.setdefault(key, source)
        self._roles.setdefault(key, role)
        return key

    def names(self) -> dict[Any, str]:
        """The name of each run by its key: that of its file, or its role."""
        paths = [key for key in self.runs if isinstance(key, str)]
        named = dict(zip(paths, system_names(paths), strict=True))
        for key in self.runs:
            if key not in named:
                role = self._roles[key]
                numbered = (f"{role} {place}" for place in count(2))
                named[key] = next(name for name in chain([role], numbered) if name not in named.values())
        return named


def located(source: Any, folder: str) -> Any:
    """A path relative to the folder; other sources, and addresses such as irds:… and s3://…, as they are."""
    if not isinstance(source, str | os.PathLike) or is_address(source) or is_dataset_id(os.fspath(source)):
        return source
    return os.path.join(folder, os.fspath(source))


def _of_values(gates: Mapping[str, Any], demanded: list[dict[str, Any]], folder: str) -> Checked:
    lower = _lower_is_better(gates)
    compared = any(terms["require"] not in _ABSOLUTE for terms in demanded)  # only then does the direction matter
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CranfieldWarning)
        direction = lower if lower or compared else False
        data = paired(located(gates["values"], folder), direction, unnamed=str(demanded[0]["measure"]))
    remarks = tuple(str(caution.message) for caution in caught)
    for caution in caught:
        warnings.warn(caution.message, stacklevel=4)
    decisions = []
    for terms in demanded:
        measure = str(terms["measure"])
        if measure not in data.samples:
            raise BadSetting(f"there are no values of {measure!r}; available: {', '.join(data.samples)}")
        samples = data.samples[measure]
        _require_systems(terms, samples.systems)
        demand = _demand(terms, measure, terms["run"], terms.get("baseline"))
        gate = (
            verdict_on_values(demand, samples, value_of_samples(measure, samples))
            if data.result is None
            else verdict_on_runs(data.result, demand)
        )
        decisions.append(replace(gate, warnings=tuple(dict.fromkeys((*remarks, *gate.warnings)))))
    return Checked(tuple(decisions), {}, data.provenance)


def _lower_is_better(gates: Mapping[str, Any]) -> list[str]:
    listed = gates.get("lower_is_better", [])
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        raise BadSetting(f"lower_is_better must be a list of measures, such as ['ErrorRate'], not {listed!r:.60}")
    for name in listed:
        known = known_measure(name)
        if known is not None and known.declaration.higher_is_better:
            raise BadSetting(f"lower_is_better: higher values of {name} are better; rename it if it is another measure")
    return list(listed)


def _require_systems(terms: Mapping[str, Any], systems: Sequence[str]) -> None:
    """Refuse a run or baseline that the table does not have."""
    for name in (terms["run"], terms.get("baseline")):
        if name is not None and not is_number(name) and name not in systems:
            hint = did_you_mean(name, systems, repr)
            raise BadSetting(f"there are no values of the system {name!r:.60}{hint} (available: {', '.join(systems)})")
