"""Release gates as assertions, and a pytest plugin that gives them their qrels and summarises them.

pytest loads it by itself: settings are in the section of pytest (`cranfield_qrels`), the option is
`--cranfield-summary FILE`. The assertions work without pytest too.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from cranfield.gates.result import Gate

_DEFAULT: dict[str, Any] = {"qrels": None, "folder": ""}  # set by the plugin; paths are relative to the folder
_CHECKED: list[Gate] = []  # every gate that was asserted, for the summary


def assert_better(
    run: Any, baseline: Any, measure: str, *, qrels: Any = None, level: float = 0.05, **settings: Any
) -> Gate:
    """Fail unless a run is significantly better than a baseline, a run or a number, on a measure.

    The test is a one-sided paired t-test. `qrels` defaults to the file in pytest's setting `cranfield_qrels`, and paths
    are relative to pytest's configuration file. `settings` are those of `evaluate`, and what a verdict needs:
    `complete`, `min_queries`, `min_defined`, `min_judged` and `unchanged`, as for `check`. An undecided gate fails too.
    """
    __tracebackhide__ = True
    gate = {"measure": measure, "require": "better", "level": level, "run": run, "baseline": baseline}
    return _asserted(gate, qrels, settings)


def assert_not_worse(
    run: Any, baseline: Any, measure: str, *, margin: float, qrels: Any = None, level: float = 0.05, **settings: Any
) -> Gate:
    """Fail unless the queries show that a run is worse than a baseline by less than the margin (non-inferiority).

    The one-sided confidence limit of the difference must exceed -margin: too few queries do not pass.
    """
    __tracebackhide__ = True
    gate = {"measure": measure, "require": "not worse", "margin": margin, "level": level}
    return _asserted(gate | {"run": run, "baseline": baseline}, qrels, settings)


def assert_at_least(
    run: Any, value: float, measure: str, *, qrels: Any = None, confidence: float | None = None, **settings: Any
) -> Gate:
    """Fail unless the aggregated value of a measure reaches a number on these queries.

    With a `confidence`, such as 0.95, its one-sided confidence limit must reach the number too, which speaks for other
    queries like these.
    """
    __tracebackhide__ = True
    gate = {"measure": measure, "require": "at least", "value": value, "confidence": confidence, "run": run}
    return _asserted(gate, qrels, settings)


def assert_at_most(
    run: Any, value: float, measure: str, *, qrels: Any = None, confidence: float | None = None, **settings: Any
) -> Gate:
    """Fail if the aggregated value of a measure, or with a `confidence` its upper limit, exceeds a number."""
    __tracebackhide__ = True
    gate = {"measure": measure, "require": "at most", "value": value, "confidence": confidence, "run": run}
    return _asserted(gate, qrels, settings)


def _asserted(gate: dict[str, Any], qrels: Any, settings: dict[str, Any]) -> Gate:
    from cranfield.errors import BadSetting
    from cranfield.gates.check import NEEDS, checked
    from cranfield.gates.tables import words

    __tracebackhide__ = True
    judged = _DEFAULT["qrels"] if qrels is None else qrels
    if judged is None:
        raise BadSetting("a gate needs judgments: pass qrels=…, or set cranfield_qrels in pytest's configuration")
    needs = {name: settings.pop(name) for name in NEEDS if name in settings}
    (decision,) = checked({"qrels": judged, "gate": [gate | needs], "settings": settings}, _DEFAULT["folder"]).gates
    _CHECKED.append(decision)
    if not decision.passed:
        raise AssertionError(words(decision))
    return decision


def pytest_addoption(parser: pytest.Parser) -> None:
    """The setting `cranfield_qrels` and the option `--cranfield-summary`."""
    parser.addini("cranfield_qrels", "the judgments of gates that name none, relative to the configuration file")
    group = parser.getgroup("cranfield", "release gates")
    group.addoption("--cranfield-summary", metavar="FILE", help="append the release gates in Markdown to a file")


def pytest_configure(config: pytest.Config) -> None:
    """Take the judgments from the configuration, and check that a summary can be written."""
    _CHECKED.clear()
    summary = config.getoption("cranfield_summary")
    if summary and (os.path.isdir(summary) or not os.path.isdir(os.path.dirname(summary) or ".")):
        import pytest

        raise pytest.UsageError(f"--cranfield-summary: {summary} cannot be written; give a file in an existing folder")
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_Workers())
    qrels = config.getini("cranfield_qrels")
    folder = config.inipath.parent if config.inipath else config.rootpath
    _DEFAULT.update(qrels=qrels or None, folder=os.fspath(folder))


class _Workers:
    """The gates that were asserted in the worker processes of pytest-xdist, for the summary of the main process."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the gates from a worker, as plain values."""
        sent = getattr(session.config, "workeroutput", None)
        if sent is not None:
            sent["cranfield_gates"] = [vars(gate) | {"worst": list(map(vars, gate.worst))} for gate in _CHECKED]
            _CHECKED.clear()

    def pytest_testnodedown(self, node: Any) -> None:
        """Receive the gates of a worker."""
        from cranfield.gates.result import Change, Gate

        for fields in getattr(node, "workeroutput", {}).get("cranfield_gates", ()):
            lists = {name: tuple(fields[name]) for name in ("reasons", "warnings")}
            worst = tuple(Change(**change) for change in fields["worst"])
            _CHECKED.append(Gate(**fields | lists | {"worst": worst}))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List the gates that were asserted."""
    if not _CHECKED:
        return
    from cranfield.gates.result import Checked
    from cranfield.gates.tables import line
    from cranfield.present.table import visible

    terminalreporter.section("release gates")
    for gate in _CHECKED:
        terminalreporter.line(line(gate))
    for warning in dict.fromkeys(warning for gate in _CHECKED for warning in gate.warnings):
        terminalreporter.line(f"warning: {visible(warning)}")
    if path := config.getoption("cranfield_summary"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(Checked(tuple(_CHECKED)).to_markdown() + "\n")
