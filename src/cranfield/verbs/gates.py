"""Is a system good enough to release? Check it against gates."""

from __future__ import annotations

import os
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from itertools import chain, count
from typing import Any, get_args

from cranfield.errors import BadInput, BadSetting, CranfieldWarning, UnknownMeasure, did_you_mean, require_one_of
from cranfield.evidence.hits import Hits
from cranfield.evidence.samples import is_number
from cranfield.measures.naming import parse
from cranfield.results.gate_decisions import Demand, Needs, decided
from cranfield.results.gate_evidence import doubts_about, extreme_orders, warnings_about
from cranfield.results.gates import Checked, Gate, Requirement
from cranfield.results.rankings import Result, of_systems
from cranfield.results.result_samples import may_be_lower, samples_of, value_of_samples
from cranfield.tables.sources import as_run
from cranfield.tables.system_names import system_names
from cranfield.verbs.as_samples import paired
from cranfield.verbs.rankings import evaluate

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
    too few queries count, the measure is undefined on too many, too few documents are judged, the order of tied
    documents decides, or nothing varies.

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
        return _checked(gates, "")
    path = os.fspath(gates)
    try:
        return _checked(_read(path), os.path.dirname(path))
    except (BadSetting, UnknownMeasure) as error:  # an error in the file, not in the call
        raise BadInput(f"{path}: {error}") from None


def _checked(gates: Any, folder: str) -> Checked:
    demanded = [_gate(gate, gates) for gate in _listed(gates)]
    if "values" in gates:
        return _of_values(gates, demanded, folder)
    return _of_runs(gates, demanded, folder)


def _read(path: str) -> dict[str, Any]:
    with open(path, "rb") as file:
        try:
            return tomllib.load(file)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"{path}: not a TOML file: {error}") from None


def files_named_in(path: str) -> list[str]:
    """The files that a file of gates names, as far as it can be read: judgments, runs, values and tables."""
    gates = _read(path)
    listed = gates.get("gate")
    tables = [gates, gates.get("settings"), *(listed if isinstance(listed, list) else ())]
    names = ("qrels", "values", "run", "baseline", *_TABLES)
    sources = (table.get(name) for table in tables if isinstance(table, Mapping) for name in names)
    return [_located(source, os.path.dirname(path)) for source in sources if isinstance(source, str)]


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
    qrels = _located(gates["qrels"], folder)
    result = evaluate(qrels, by_name, measures, **settings)

    @cache
    def other_order() -> Result:
        """The result with tied documents in the opposite order of names."""
        reverse = {"name": "trec", "trec": "name"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)  # the same as before
            return evaluate(
                qrels, by_name, measures, **settings | {"ties": reverse[result.provenance.settings["ties"]]}
            )

    decisions = tuple(decided_on(result, demand, other_order) for demand in demands)
    return Checked(decisions, settings, result.provenance)


def _settings(gates: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """The settings of the evaluation, with checked names and paths relative to the folder."""
    settings = gates.get("settings", {})
    if not isinstance(settings, Mapping):
        raise BadSetting(f"settings must be a table, such as {{missing = 'skip'}}, not {settings!r:.60}")
    of_evaluation = (known for known in signature(evaluate).parameters.values() if known.kind is known.KEYWORD_ONLY)
    _require_known(settings, tuple(known.name for known in of_evaluation if known.name != "progress"), "settings")
    return dict(settings) | {name: _located(settings[name], folder) for name in _TABLES if name in settings}


def decided_on(result: Result, demand: Demand, other_order: Callable[[], Result]) -> Gate:
    """The gate for a demand on a result; only the queries that count for its systems matter.

    `other_order` evaluates the runs with tied documents in the opposite order of names.
    """
    gate = _decided(result, demand, doubts_about(result, demand))
    concerning = tuple(map(str, warnings_about(result, demand)))
    orders = _orders_of_ties(result, demand, other_order)
    if any(_decided(other, demand).passed is not gate.passed for other in orders) and not gate.reasons:
        others = "expected values (ties = 'expected') do not depend on it"
        gate = replace(gate, outcome="undecided", reasons=(f"the order of tied documents decides; {others}",))
    return replace(gate, warnings=concerning)


def _orders_of_ties(result: Result, demand: Demand, other_order: Callable[[], Result]) -> Iterator[Result]:
    """The result with tied documents in other orders, as far as their order may affect the measure of a demand."""
    if result.measures[result.place(demand.measure)].declaration.evidence is Hits:
        yield from extreme_orders(result, demand)
    elif result.provenance.settings["ties"] in ("trec", "name") and any(
        caution.kind == "ties" for caution in warnings_about(result, demand)
    ):
        yield other_order()


def _decided(result: Result, demand: Demand, doubts: tuple[str, ...] = ()) -> Gate:
    alone = of_systems(result, [result.systems.index(name) for name in demand.systems])
    samples = samples_of(alone, alone.place(demand.measure))
    if samples.left_out and isinstance(demand.baseline, str):  # over the queries whose differences are tested
        return decided(demand, samples, value_of_samples(demand.measure, samples), doubts)
    return decided(demand, samples, {name: alone[name, demand.measure] for name in alone.systems}, doubts)


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
        located = _located(run, self._folder)
        key = located if isinstance(located, str) else id(run)
        self.runs.setdefault(key, located)
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


def _located(source: Any, folder: str) -> Any:
    """A path relative to the folder; other sources, and addresses such as irds:… and s3://…, as they are."""
    if not isinstance(source, str | os.PathLike) or ":" in os.fspath(source):
        return source
    return os.path.join(folder, os.fspath(source))


def _of_values(gates: Mapping[str, Any], demanded: list[dict[str, Any]], folder: str) -> Checked:
    lower = _lower_is_better(gates)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CranfieldWarning)
        data = paired(_located(gates["values"], folder), lower, unnamed=str(demanded[0]["measure"]))
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
        unclear = not demand.is_absolute and not lower and may_be_lower(measure, samples)
        doubts = (f"whether lower values of {measure} are better is not known: set lower_is_better",) if unclear else ()
        gate = decided(demand, samples, value_of_samples(measure, samples), doubts)
        decisions.append(replace(gate, warnings=remarks))
    return Checked(tuple(decisions), {}, data.provenance)


def _lower_is_better(gates: Mapping[str, Any]) -> list[str]:
    listed = gates.get("lower_is_better", [])
    if not isinstance(listed, list | tuple) or not all(isinstance(name, str) for name in listed):
        raise BadSetting(f"lower_is_better must be a list of measures, such as ['ErrorRate'], not {listed!r:.60}")
    return list(listed)


def _require_systems(terms: Mapping[str, Any], systems: Sequence[str]) -> None:
    """Refuse a run or baseline that the table does not have."""
    for name in (terms["run"], terms.get("baseline")):
        if name is not None and not is_number(name) and name not in systems:
            hint = did_you_mean(name, systems, repr)
            raise BadSetting(f"there are no values of the system {name!r:.60}{hint} (available: {', '.join(systems)})")
