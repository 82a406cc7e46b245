"""Rules about risk: gains on average that cost single queries."""

from __future__ import annotations

import numpy as np

from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import rule
from cranfield.measures.registry import Measure
from cranfield.results.rankings import Result
from cranfield.text import count, numbers, verb


@rule(
    "risky-gain",
    about="risk",
    title="A gain on average that does not outweigh its losses",
    severity="caution",
    why="The mean difference hides that some {units} get worse. Users notice failures more than small improvements, so "
    "a loss may count more than a gain.",
    action="Look at the {units} that lose most (the plot 'differences'), and state how much a loss counts (alpha). "
    "Test URisk with compare and the same baseline.",
)
def risky_gain(result: Result, *, hurt: float = 0.2) -> Observations:
    """The mean gain of a system is positive but its URisk is negative, and at least a proportion `hurt` of its queries
    lose."""
    for m, measure in enumerate(result.measures):
        if measure.name != "URisk":
            continue
        for s, system in enumerate(result.systems):
            risk = result.counted_values(s, m)[0]
            gain = np.where(risk < 0, risk / (1 + _alpha(measure)), risk)
            n_hurt = int((gain < 0).sum())
            if len(gain) and gain.mean() > 0 > risk.mean() and n_hurt >= hurt * len(gain):
                baseline = str(measure.options["baseline"])
                shown, weighted = numbers(float(gain.mean()), float(risk.mean()))
                losing = f"{n_hurt} of {count(len(gain), result.unit)} {verb(n_hurt, 'loses', 'lose')}"
                yield observation(
                    f"{system} gains {shown} {measure.options['of']} over {baseline} on average, but {losing}; with "
                    f"losses weighted {1 + _alpha(measure):g} the mean is {weighted}.",
                    {"gain": float(gain.mean()), "risk": float(risk.mean()), "n_hurt": n_hurt, "n": len(gain)},
                    system=system,
                    other=baseline,
                    measure=str(measure),
                )


def _alpha(measure: Measure) -> float:
    """The additional weight of losses."""
    return float(measure.options["alpha"])  # type: ignore[arg-type]
