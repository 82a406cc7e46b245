"""`cranfield compare`: are the differences between runs more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.evaluated import evaluated
from cranfield.cli.findings import FindingsOption, closing, examined, records, require_room
from cranfield.cli.options import Digits, FormatOption, Measures, Output, Quiet, format_of
from cranfield.cli.output import require_place
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.present.comparison import Floats
    from cranfield.results.comparison import Comparison
    from cranfield.results.intervals import Intervals

EXAMPLES = """\b
Examples:
  cranfield compare qrels.txt bm25.run dense.run
  cranfield compare qrels.txt *.run --baseline bm25 -m AP -m nDCG@10
  cranfield compare qrels.txt bm25.run -m AP --baseline 0.31
  cranfield compare qrels.txt *.run -t randomisation -c max-T --seed 7
  cranfield compare qrels.txt *.run -t tukey -o differences.tex
  cranfield compare --values folds.csv -t "corrected t" --overlap 0.111
  cranfield compare --values right.csv -t mcnemar
  cranfield compare qrels.txt bm25.run dense.run -t tost --margin 0.02 --steps
"""

QrelsOrNone = Annotated[
    str | None,
    typer.Argument(metavar="QRELS", show_default=False, help="Judgments; - reads them from standard input."),
]
RunsOrNone = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUN", show_default=False, help="Runs to compare; - reads standard input."),
]
Values = Annotated[
    str | None,
    typer.Option(
        "--values",
        metavar="FILE",
        help="Compare values in a table instead of runs: a row a query, fold or item and a column a system, or "
        "columns system, value, measure and query (as eval -q -f csv prints them).",
    ),
]
# the choices are those of cranfield.compare, written out because importing it takes longer than printing help
Tests = Literal[
    "t",
    "wilcoxon",
    "sign",
    "randomisation",
    "bootstrap",
    "tukey",
    "randomised tukey",
    "nemenyi",
    "tost",
    "mcnemar",
    "corrected t",
    "5x2cv",
]
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
        help="Paired tests; tests of all systems at once (tukey after two-way ANOVA, randomised tukey, nemenyi after "
        "Friedman's); tost, whether systems are equivalent; mcnemar for items that are right or wrong; corrected t "
        "and 5x2cv for folds.",
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
Overlap = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="For corrected t: the size of a test fold over that of its training set."),
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


def compare_systems(
    qrels: QrelsOrNone = None,
    runs: RunsOrNone = None,
    values: Values = None,
    measure: Measures = None,
    baseline: BaselineOrValue = None,
    test: TestOption = "t",
    correction: CorrectionOption = "holm",
    level: Level = 0.05,
    alternative: Alternative = "two-sided",
    interval: Interval = "t",
    margin: Margin = None,
    overlap: Overlap = None,
    times: Times = None,
    seed: Seed = 0,
    steps: Steps = False,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Compare systems: how far apart they are, and whether that could be chance."""
    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    asked = {"test": test, "correction": correction, "level": level, "alternative": alternative, "interval": interval}
    asked |= {"seed": seed, **_settings(test, margin, overlap, times)}
    sure = {"confidence": 1 - level, "method": "auto" if interval == "t" else "bca", "seed": seed}
    if values is None:
        found, answer, things = _of_runs(_given(qrels, runs), measure, baseline, asked, sure, quiet)
    else:
        _refuse({"QRELS": qrels, "--measure": measure})
        found, answer, things = _of_values(values, baseline, asked, sure)
    said = examined(findings, *things)
    below = [found.words() + "\n" if steps else "", closing(said, chosen)]
    with_findings = replace(answer, about={**answer.about, **records(said)})
    deliver(with_findings, chosen, output, digits, "\n".join(filter(None, below)))


def _given(qrels: str | None, runs: list[str] | None) -> list[str]:
    if qrels is None or not runs:
        raise BadSetting("give judgments and runs to compare (QRELS RUN …), or a table of values (--values FILE)")
    return [qrels, *runs]


def _refuse(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value:
            raise BadSetting(f"{name} goes with runs; a table of values has its own units and measures")


def _of_runs(
    files: list[str],
    measure: list[str] | None,
    baseline: str | None,
    asked: dict[str, Any],
    sure: dict[str, Any],
    quiet: bool,
) -> tuple[Comparison, Answer, list[Any]]:
    """The comparison of runs, how to deliver it, and what findings may look at."""
    result = evaluated(files[0], files[1:], measure, quiet)
    found = result.compare(_named_or_number(baseline, result.systems), **asked)
    over = f"queries like these {len(result.queries)}"
    return found, _answer(result.aggregated(), result.intervals(**sure), over, found), [result, found]


def _of_values(
    path: str, baseline: str | None, asked: dict[str, Any], sure: dict[str, Any]
) -> tuple[Comparison, Answer, list[Any]]:
    """The same of values in a table."""
    from cranfield.evidence.samples import counted, samples
    from cranfield.results.comparing import compare
    from cranfield.results.sampling import intervals_of_samples, means_of_samples
    from cranfield.tables.values import read_values

    kind, tables = read_values(path)
    own = {measure: samples(values, kind) for measure, values in tables.items()}
    first = next(iter(own.values()))
    found = compare(own, baseline=_named_or_number(baseline, first.systems), **asked)
    over = counted(len(first), kind)
    return found, _answer(means_of_samples(own), intervals_of_samples(own, **sure), over, found), [found]


def _named_or_number(baseline: str | None, systems: Sequence[str]) -> str | float | None:
    """The baseline as a number, where it is one and no run has it for a name."""
    if baseline is None or baseline in systems:
        return baseline
    try:
        return float(baseline)
    except ValueError:
        return baseline


def _settings(test: str, margin: float | None, overlap: float | None, times: int | None) -> dict[str, Any]:
    given = {name: value for name, value in (("margin", margin), ("overlap", overlap)) if value is not None}
    if times is not None:
        given[_TIMES.get(test, "times")] = times
    return given


def _answer(means: Floats, bounds: Intervals, over: str, found: Comparison) -> Answer:
    from cranfield.present import comparison

    return Answer(
        lambda digits: [comparison.means(means, bounds, over, digits), comparison.differences(found, digits)],
        {"comparisons": found.to_dicts(), "intervals": bounds.to_dicts()},
        {"settings": found.settings, "omnibus": dict(found.omnibus), "notes": list(found.notes)},
    )
