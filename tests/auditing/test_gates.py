"""Gates for machine labels: passed only if the interval shows it, failed if the figure misses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cranfield
from auditing.test_audit import PEOPLE, TRIALS
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

AUDIT = {"human": PEOPLE, "machine": TRIALS[0]}
LENIENT = cranfield.audit(**AUDIT)["leniency", "all"]


def outcome(**gate: Any) -> Any:
    (checked,) = cranfield.check({"audit": AUDIT, "gate": [gate]}).gates
    return checked


@pytest.mark.parametrize(
    ("require", "value", "expected"),
    [("at most", LENIENT.high + 0.01, "passed"), ("at most", LENIENT.high - 0.01, "undecided"),
     ("at most", LENIENT.value - 0.01, "failed"), ("at least", LENIENT.low - 0.01, "passed"),
     ("at least", LENIENT.low + 0.01, "undecided"), ("at least", LENIENT.value + 0.01, "failed")],
)  # fmt: skip
def test_the_interval_decides(require: str, value: float, expected: str) -> None:
    gate = outcome(figure="leniency: all", require=require, value=value)
    assert gate.outcome == expected
    assert (gate.value, gate.low, gate.high) == (LENIENT.value, LENIENT.low, LENIENT.high)
    assert bool(gate.reasons) == (expected == "undecided")


def test_a_figure_without_an_interval_is_undecided() -> None:
    few = {query: grades for query, grades in PEOPLE.items() if int(query[1:]) < 5}
    settings = {"human": few, "machine": TRIALS[0]}
    gate = {"figure": "leniency: all", "require": "at most", "value": 3}
    (checked,) = cranfield.check({"audit": settings, "gate": [gate]}).gates
    assert (checked.outcome, checked.reasons) == (
        "undecided", ("no interval: at least 10 topics are needed; got 5",),
    )  # fmt: skip


def test_gates_are_a_file_with_paths_relative_to_it(tmp_path: Path, capsys: Any) -> None:
    for name, qrels in {"people": PEOPLE, "llm": TRIALS[0]}.items():
        lines = (f"{query} 0 {doc} {grade}\n" for query, grades in qrels.items() for doc, grade in grades.items())
        (tmp_path / f"{name}.qrels").write_text("".join(lines))
    text = '[audit]\nhuman = "people.qrels"\nmachine = "llm.qrels"\n[[gate]]\nfigure = "agreement: kappa"\n'
    (tmp_path / "gates.toml").write_text(f'{text}require = "at least"\nvalue = 0.1\n')
    assert main(["check", str(tmp_path / "gates.toml")]) == 0
    assert "agreement: kappa is at least 0.1" in capsys.readouterr().out
    (tmp_path / "gates.toml").write_text(f'{text}require = "at least"\nvalue = 0.99\n')
    assert main(["check", str(tmp_path / "gates.toml")]) == 4


@pytest.mark.parametrize(
    ("gates", "words"),
    [({"gate": []}, "there is no gate"), ({"gate": [{"figure": "x"}]}, "a gate of an audit has figure, require, value"),
     ({"audit": {"human": 1}}, "needs human and machine"), ({"audit": AUDIT | {"humans": 1}}, "did you mean human"),
     ({"run": "x"}, "gates of an audit have no setting 'run'"),
     ({"gate": [{"figure": "leniency", "require": "at most", "value": 1}]}, "the audit has no figure 'leniency'"),
     ({"gate": [{"figure": "leniency: all", "require": "better", "value": 1}]}, "require must be one of"),
     ({"gate": [{"figure": "leniency: all", "require": "at most", "value": "1"}]}, "value must be a number")],
)  # fmt: skip
def test_gates_that_cannot_be_checked_are_refused(gates: dict[str, Any], words: str) -> None:
    usual = {"audit": AUDIT, "gate": [{"figure": "leniency: all", "require": "at most", "value": 1}]}
    with pytest.raises((BadInput, BadSetting), match=words):
        cranfield.check(usual | gates)
