"""Rules about releases: small losses that add up, a release that made things worse, and measurements that changed."""

from __future__ import annotations

from typing import Any

from cranfield.present.findings.rules import Observations, observation, rule
from cranfield.releases.history import History


@rule(
    "slow-drift",
    about="releases",
    title="Small losses have added up",
    severity="serious",
    why="Each release passes a comparison with the one before, and together they lose what nobody would have released.",
    action="Gate on an older release too: `baseline = '5 releases ago'`.",
)
def slow_drift(history: History, *, least: int = 2) -> Observations:
    """A measure is significantly worse than at the first comparable release, but none of `least` or more steps was."""
    for since in history.since:
        if since.verdict != "worse":
            continue
        steps = _steps(history, since.measure, since.since)
        if len(steps) >= least and all(step.verdict != "worse" for step in steps):
            sentence = (
                f"{since.measure} is worse by {abs(since.change):.3f} than in {since.since}, although none of the "
                f"{len(steps)} releases since made it significantly worse."
            )
            figures = {"change": since.change, "n_releases": len(steps)}
            yield observation(sentence, figures, measure=since.measure)


@rule(
    "worse-release",
    about="releases",
    title="The last release is worse",
    severity="serious",
    why="The loss is larger than chance explains: users see it in queries like these.",
    action="Look at the queries that fell most, and release only what passes a gate: `cranfield check`.",
)
def worse_release(history: History, *, level: float = 0.05) -> Observations:
    """The last release is significantly worse than the one before: p is below `level`."""
    for measure in history.measures:
        last = [row for row in history.releases if row.measure == measure][-1]
        if last.verdict == "worse" and last.p < level:
            sentence = f"{last.release} is worse than the release before in {measure}, by {abs(last.change):.3f}."
            yield observation(sentence, {"change": last.change, "p": last.p}, measure=measure)


@rule(
    "other-conditions",
    about="releases",
    title="Releases were measured differently",
    severity="note",
    why="A value changes with the judgments, the queries and the settings, also if the system does not.",
    action="Record with `--keep-files`: releases are then evaluated again with the judgments of the last one.",
)
def other_conditions(history: History, *, least: int = 1) -> Observations:
    """At least `least` releases have other judgments, queries or settings than the last: they are not compared."""
    rows = [row for row in history.releases if row.measure == history.measures[0]]
    earlier = [row for row in rows if row.period != rows[-1].period]
    if len(earlier) >= least:
        are = "is" if len(earlier) == 1 else "are"
        sentence = f"{len(earlier)} of {len(rows)} releases {are} not comparable with the last one, {rows[-1].release}."
        yield observation(sentence, {"n_releases": len(rows), "n_incomparable": len(earlier)}, release=rows[-1].release)


def _steps(history: History, measure: str, since: str) -> list[Any]:
    """The releases of a measure after this one."""
    rows = [row for row in history.releases if row.measure == measure]
    start = next(place for place, row in enumerate(rows) if row.release == since)
    return rows[start + 1 :]
