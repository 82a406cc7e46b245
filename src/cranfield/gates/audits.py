"""Gates for machine labels: what the figures of an audit must reach before the labels are used."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

from cranfield.auditing.audit import audit
from cranfield.auditing.result import Audit
from cranfield.errors import BadInput, BadSetting, did_you_mean, require_one_of
from cranfield.evidence.samples import is_number
from cranfield.gates.result import Checked, Gate

_FILES = ("human", "machine", "runs", "trials", "covariates", "preferences", "sample")
_OF_A_GATE = ("figure", "require", "value")
REQUIRED = ("at least", "at most")


def checked_audit(gates: Mapping[str, Any], located: Callable[[Any], Any]) -> Checked:
    """Whether an audit passes its gates: `[audit]` has its settings, and each gate a `figure`, such as `leniency: all`.

    A gate is failed if the figure misses what is required, and undecided if its interval does not show that it holds.
    """
    unknown = next((name for name in gates if name not in ("audit", "gate")), None)
    if unknown is not None:
        raise BadSetting(f"gates of an audit have no setting {unknown!r}; available: audit, gate")
    settings = gates["audit"]
    known = [*inspect.signature(audit).parameters]
    if not isinstance(settings, Mapping) or not {"human", "machine"} <= settings.keys():
        raise BadSetting("[audit] needs human and machine: judgments by people and by the machine")
    wrong = next((name for name in settings if name not in known), None)
    if wrong is not None:
        raise BadSetting(f"[audit] has no setting {wrong!r}{did_you_mean(wrong, known)}; available: {', '.join(known)}")
    demands = [_demand(gate) for gate in gates.get("gate") or ()]
    if not demands:
        raise BadSetting("there is no gate: write each under [[gate]], with figure, require and value")
    result = audit(**{name: _located(name, value, located) for name, value in settings.items()})
    return Checked(tuple(_gate(result, *demand) for demand in demands), dict(result.settings), result.provenance)


def _located(name: str, value: Any, located: Callable[[Any], Any]) -> Any:
    """Paths relative to the folder of the gates."""
    if name not in _FILES:
        return value
    return [*map(located, value)] if isinstance(value, list) else located(value)


def _demand(gate: Any) -> tuple[str, str, float]:
    if not isinstance(gate, Mapping) or set(gate) != set(_OF_A_GATE):
        raise BadSetting(f"a gate of an audit has {', '.join(_OF_A_GATE)}; this one has {', '.join(gate)}")
    require_one_of("require", gate["require"], REQUIRED)
    if not is_number(gate["value"]):
        raise BadSetting(f"{gate['figure']}: value must be a number, not {gate['value']!r}")
    return str(gate["figure"]), gate["require"], float(gate["value"])


def _gate(result: Audit, figure: str, requirement: Any, required: float) -> Gate:
    named = {f"{row.part}: {row.figure}": row for row in result.figures}
    if figure not in named:
        raise BadInput(
            f"the audit has no figure {figure!r}{did_you_mean(figure, named)}; available: {', '.join(named)}"
        )
    row = named[figure]
    words, confidence = f"{figure} is {requirement} {required:g}", result.settings["confidence"]
    at_least = requirement == "at least"
    bound = row.low if at_least else row.high
    value = float("nan") if row.value is None else float(row.value)
    holds = value >= required if at_least else value <= required
    shown = bound is not None and (bound >= required if at_least else bound <= required)
    reasons = [row.note or "there is no interval"] if bound is None else []
    if bound is not None and holds and not shown:
        reasons.append(f"the {100 * confidence:g} % interval reaches {bound:.4g}")
    outcome = "undecided" if row.value is None else "failed" if not holds else "passed" if shown else "undecided"
    bounds = {"low": row.low, "high": row.high}
    return Gate(
        words, outcome, figure, "the machine", requirement, value, row.n, "document",  # type: ignore[arg-type]
        tuple(reasons) if outcome == "undecided" else (), **bounds, confidence=confidence, required=required,
        interval="jackknife over topics" if bound is not None else "",
    )  # fmt: skip


def files_of_audit(settings: Any) -> list[Any]:
    """The files that `[audit]` names."""
    if not isinstance(settings, Mapping):
        return []
    values = [settings.get(name) for name in _FILES]
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [one for one in flat if isinstance(one, str | os.PathLike)]
