"""`cranfield compare`: are the differences between runs more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.eval import Digits, FormatOption, Measures, Output, Qrels, Quiet, Runs, format_of
from cranfield.cli.evaluated import evaluated
from cranfield.cli.findings import FindingsOption, closing, examined, records, require_room
from cranfield.cli.output import require_place

if TYPE_CHECKING:
    from cranfield.findings.finding import Finding
    from cranfield.results.comparison import Comparison
    from cranfield.results.intervals import Intervals
    from cranfield.results.values import Result

EXAMPLES = """\b
Examples:
  cranfield compare qrels.txt bm25.run dense.run
  cranfield compare qrels.txt *.run --baseline bm25 -m AP -m nDCG@10
  cranfield compare qrels.txt bm25.run -m AP --baseline 0.31
  cranfield compare qrels.txt *.run -t randomisation -c max-T --seed 7
  cranfield compare qrels.txt *.run -t tukey -o differences.tex
  cranfield compare qrels.txt bm25.run dense.run -t tost --margin 0.02 --steps
"""

# the choices are those of cranfield.compare, written out because importing it takes longer than printing help
Tests = Literal["t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey", "randomised tukey", "nemenyi", "tost"]
Corrections = Literal["holm", "bonferroni", "benjamini-hochberg", "max-T", "none"]
Baseline = Annotated[
    str | None,
    typer.Option("-b", "--baseline", metavar="RUN", help="Pair all others with this run; without it, every two runs."),
]
BaselineOrValue = Annotated[
    str | None,
    typer.Option(
        "-b",
        "--baseline",
        metavar="RUN",
        help="Compare with this run only, or with a number, such as what is known of another system; without it, "
        "every two runs.",
    ),
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
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="From which chance is simulated.")]
Steps = Annotated[bool, typer.Option("--steps", help="Print the steps of every test in words.")]

_TIMES = {"randomisation": "flips", "bootstrap": "resamples", "randomised tukey": "shuffled"}


def compare_runs(
    qrels: Qrels,
    runs: Runs,
    measure: Measures = None,
    baseline: BaselineOrValue = None,
    test: TestOption = "t",
    correction: CorrectionOption = "holm",
    level: Level = 0.05,
    alternative: Alternative = "two-sided",
    interval: Interval = "t",
    margin: Margin = None,
    times: Times = None,
    seed: Seed = 0,
    steps: Steps = False,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Compare runs: how far apart they are, and whether that could be chance."""
    from cranfield.certainty.systems import compare

    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    result = evaluated(qrels, runs, measure, quiet)
    found = compare(
        result,
        _named_or_number(baseline, result.systems),
        test=test,
        correction=correction,
        level=level,
        alternative=alternative,
        interval=interval,
        seed=seed,
        **_settings(test, margin, times),
    )
    bounds = result.intervals(confidence=1 - level, method="auto" if interval == "t" else "bca", seed=seed)
    said = examined(findings, result, found)
    below = [found.words() + "\n" if steps else "", closing(said, chosen)]
    deliver(_answer(result, bounds, found, said), chosen, output, digits, "\n".join(filter(None, below)))


def _named_or_number(baseline: str | None, systems: Sequence[str]) -> str | float | None:
    """The baseline as a number, where it is one and no run has it for a name."""
    if baseline is None or baseline in systems:
        return baseline
    try:
        return float(baseline)
    except ValueError:
        return baseline


def _settings(test: str, margin: float | None, times: int | None) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if margin is not None:
        given["margin"] = margin
    if times is not None:
        given[_TIMES.get(test, "times")] = times
    return given


def _answer(result: Result, bounds: Intervals, found: Comparison, said: Sequence[Finding] | None) -> Answer:
    from cranfield.present import comparison

    return Answer(
        lambda digits: [comparison.means(result, bounds, digits), comparison.differences(found, digits)],
        {"comparisons": found.to_dicts(), "intervals": bounds.to_dicts()},
        {"settings": found.settings, "omnibus": dict(found.omnibus), "notes": list(found.notes)} | records(said),
    )
