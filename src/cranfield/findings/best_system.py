"""Rules about the best system: measures that disagree about it."""

from __future__ import annotations

import numpy as np

from cranfield.findings.finding import Observations, observation
from cranfield.findings.leaderboard import averaged
from cranfield.findings.rules import reaches, rule
from cranfield.results.rankings import Result
from cranfield.text import brief, listed, numbers

_NAMED = 3  # measures named with their values; the others are counted


@rule(
    "best-differs",
    about="the best system",
    title="Measures disagree about the best system",
    severity="note",
    why="Measures reward different things: the first relevant result, all of them, or the best grades. Which system is "
    "best then depends on what its users need.",
    action="Decide which measure fits the task before looking at the values (cranfield advise), and report the others "
    "too.",
)
def best_differs(result: Result, *, least: float = 0.01) -> Observations:
    """The system that is best in the first measure is at least `least` behind another one in a further measure."""
    values = result.aggregated()
    better = {m: values[:, m] * (-1 if measure.declaration.higher_is_better is False else 1)
              for m, measure in averaged(result)}  # fmt: skip
    if len(result.systems) < 2 or not better or any(np.isnan(value).any() for value in better.values()):
        return
    first = int(np.argmax(next(iter(better.values()))))
    ahead = {m: int(np.argmax(value)) for m, value in better.items() if reaches(value.max() - value[first], least)}
    if not ahead:
        return
    best = result.systems[first]
    agreed = [str(result.measures[m]) for m in better if m not in ahead and np.argmax(better[m]) == first]
    named = [_ahead(result, m, s, first) for m, s in list(ahead.items())[:_NAMED]]
    rest = [f"other systems in {len(ahead) - _NAMED} more measures"] if len(ahead) > _NAMED else []
    m, s = next(iter(ahead.items()))
    yield observation(
        f"{best} is the best system in {listed(agreed)}, but {listed([*named, *rest])}.",
        {"best": {str(result.measures[m]): result.systems[s] for m, s in ahead.items()}},
        headline=f"{brief(best)} is best in {agreed[0]}, but {brief(result.systems[s])} in {result.measures[m]}.",
        system=best,
        other=result.systems[s],
    )


def _ahead(result: Result, m: int, s: int, first: int) -> str:
    best, other = numbers(float(result.aggregated()[s, m]), float(result.aggregated()[first, m]))
    return f"{result.systems[s]} in {result.measures[m]} ({best} against {other})"
