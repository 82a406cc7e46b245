"""`cranfield compare`: are the differences between runs more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.eval import Digits, Format, FormatOption, Measures, Output, Qrels, Quiet, Runs, format_of
from cranfield.cli.findings import FindingsOption, closing, examined, records, require_room
from cranfield.cli.output import require_place, show, write
from cranfield.cli.progress import progress_shown
from cranfield.cli.warned import warnings_told

if TYPE_CHECKING:
    from cranfield.findings.finding import Finding
    from cranfield.results.comparison import Comparison
    from cranfield.results.intervals import Intervals
    from cranfield.results.planning import Plan
    from cranfield.results.values import Result

EXAMPLES = """\b
Examples:
  cranfield compare qrels.txt bm25.run dense.run
  cranfield compare qrels.txt *.run --baseline bm25 -m AP -m nDCG@10
  cranfield compare qrels.txt *.run -t randomisation -c max-T --seed 7
  cranfield compare qrels.txt *.run -t tukey -o differences.tex
  cranfield compare qrels.txt bm25.run dense.run -t tost --margin 0.02 --steps
  cranfield compare qrels.txt bm25.run dense.run --see 0.02
"""

# the choices are those of cranfield.compare, written out because importing it takes longer than printing help
Tests = Literal["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey", "randomised tukey", "nemenyi", "tost"]
Corrections = Literal["holm", "bonferroni", "benjamini-hochberg", "max-T", "none"]
Baseline = Annotated[
    str | None,
    typer.Option("-b", "--baseline", metavar="RUN", help="Compare with this run only; without it, every two runs."),
]
TestOption = Annotated[
    Tests,
    typer.Option(
        "-t",
        "--test",
        help="Paired tests, tests of all runs at once (tukey after two-way ANOVA, randomised tukey, nemenyi after "
        "Friedman's), or tost, whether runs are equivalent.",
    ),
]
CorrectionOption = Annotated[
    Corrections,
    typer.Option("-c", "--correction", help="For all comparisons together; max-T goes with randomisation."),
]
Level = Annotated[float, typer.Option(metavar="SHARE", help="The level of significance.")]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"], typer.Option(help="Whether only more, or only less, counts.")
]
Interval = Annotated[Literal["t", "bca"], typer.Option(help="The intervals of means and of differences.")]
Margin = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="For tost: the greatest difference that does not matter.")
]
Times = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N", help="How often chance is simulated, in tests that do; all ways where queries are few."
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="From which chance is simulated.")]
Steps = Annotated[bool, typer.Option("--steps", help="Print the steps of every test in words.")]
See = Annotated[
    float | None,
    typer.Option(metavar="DIFFERENCE", help="Say how many queries it takes to see this difference."),
]

_TIMES = {"randomisation": "flips", "bootstrap": "resamples", "randomised tukey": "shuffled"}


def compare_runs(
    qrels: Qrels,
    runs: Runs,
    measure: Measures = None,
    baseline: Baseline = None,
    test: TestOption = "t",
    correction: CorrectionOption = "holm",
    level: Level = 0.05,
    alternative: Alternative = "two-sided",
    interval: Interval = "t",
    margin: Margin = None,
    times: Times = None,
    seed: Seed = 0,
    steps: Steps = False,
    see: See = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Compare runs: how far apart they are, and whether that could be chance."""
    from cranfield.api import STANDARD, evaluate
    from cranfield.certainty.systems import compare, plan

    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    with warnings_told(quiet), progress_shown(len(runs), quiet) as progress:
        result = evaluate(qrels, runs, measure or STANDARD, progress=progress)
    found = compare(
        result,
        baseline,
        test=test,
        correction=correction,
        level=level,
        alternative=alternative,
        interval=interval,
        **_settings(test, margin, times, seed),
    )
    bounds = result.intervals(confidence=1 - level, method="auto" if interval == "t" else "bca", seed=seed)
    planned = None if see is None else plan(result, see, baseline=baseline, level=level)
    said = examined(findings, result, found)
    _deliver(result, bounds, found, planned, chosen, output, digits, steps=steps, said=said)


def _settings(test: str, margin: float | None, times: int | None, seed: int) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if margin is not None:
        given["margin"] = margin
    if times is not None:
        given[_TIMES.get(test, "times")] = times
    if test in _TIMES:
        given["seed"] = seed
    return given


def _deliver(
    result: Result,
    bounds: Intervals,
    found: Comparison,
    planned: Plan | None,
    format: Format,  # noqa: A002
    output: str | None,
    digits: int | None,
    *,
    steps: bool,
    said: Sequence[Finding] | None,
) -> None:
    from cranfield.present import comparison, data

    if format == "csv":
        rows = found.to_dicts()
        write(data.comma_separated(list(rows[0]), [list(row.values()) for row in rows], digits=digits), output)
    elif format == "json":
        write(data.json_text(_content(bounds, found, planned) | records(said)), output)
    else:
        shown = 4 if digits is None else digits
        tables = [comparison.means(result, bounds, shown), comparison.differences(found, shown)]
        tables += [comparison.plans(planned, shown)] if planned else []
        below = [found.words() + "\n" if steps else "", closing(said, format)]
        show(tables, format, output, "\n".join(filter(None, below)))


def _content(bounds: Intervals, found: Comparison, planned: Plan | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        "comparisons": found.to_dicts(),
        "intervals": bounds.to_dicts(),
        "settings": found.settings,
        "omnibus": dict(found.omnibus),
        "notes": list(found.notes),
    }
    return content | ({"plan": planned.table().to_pylist()} if planned else {})
