"""`cranfield compare`: are the differences between runs more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.findings import FindingsOption, closing, examined, records, require_room
from cranfield.cli.given import QrelsOrNone, RunsOrNone, Values, of_runs, of_table
from cranfield.cli.options import (
    Alternative,
    Depth,
    Digits,
    FormatOption,
    Level,
    Measures,
    Missing,
    Output,
    Quiet,
    Seed,
    TieOrder,
    Undefined,
    format_of,
)
from cranfield.cli.output import require_place
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.evidence.samples import Samples
    from cranfield.present.comparison import Floats
    from cranfield.results.comparison import Comparison
    from cranfield.results.intervals import Intervals
    from cranfield.results.provenance import Provenance
    from cranfield.results.values import Result

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
    Corrections | None,
    typer.Option(
        "-c",
        "--correction",
        show_default="holm; bonferroni over measures for tests of all systems at once",
        help="For all comparisons together; max-T goes with randomisation.",
    ),
]
Interval = Annotated[Literal["t", "bca"], typer.Option(help="The intervals of means and of differences.")]
Margin = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="For tost: the greatest difference that does not matter.")
]
Form = Annotated[
    Literal["exact", "mid-p", "chi-square", "F", "t"] | None,
    typer.Option(help="Of mcnemar: exact, mid-p or chi-square; of 5x2cv: F or t.", show_default="exact; F"),
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
Steps = Annotated[bool, typer.Option("--steps", help="Print the steps of every test in words.")]

_TIMES = {"randomisation": "flips", "bootstrap": "resamples", "randomised tukey": "shuffled"}


def compare_systems(
    qrels: QrelsOrNone = None,
    runs: RunsOrNone = None,
    values: Values = None,
    measure: Measures = None,
    baseline: BaselineOrValue = None,
    test: TestOption = "t",
    correction: CorrectionOption = None,
    level: Level = 0.05,
    alternative: Alternative = "two-sided",
    interval: Interval = "t",
    margin: Margin = None,
    overlap: Overlap = None,
    form: Form = None,
    times: Times = None,
    seed: Seed = 0,
    steps: Steps = False,
    ties: TieOrder = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: Depth = None,
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
    asked: dict[str, Any] = {"test": test, "correction": correction, "level": level, "alternative": alternative}
    asked |= {
        "interval": interval,
        "seed": seed,
        **_settings(test, margin=margin, overlap=overlap, form=form, times=times),
    }
    if values is None:
        how = {"ties": ties, "missing": missing, "undefined": undefined, "depth": depth}
        result = of_runs(qrels, runs, measure, quiet, **how)
        found, answer, things = _of_runs(result, baseline, asked)
    else:
        own, source = of_table(values, **{"QRELS": qrels, "--measure": measure})
        found, answer, things = _of_values(own, source, baseline, asked)
    said = examined(findings, *things)
    below = [found.words() + "\n" if steps else "", closing(said, chosen)]
    with_findings = replace(answer, about={**answer.about, **records(said)})
    deliver(with_findings, chosen, output, digits, "\n".join(filter(None, below)))


def _of_runs(result: Result, baseline: str | None, asked: dict[str, Any]) -> tuple[Comparison, Answer, list[Any]]:
    """The comparison of runs, how to deliver it, and what findings may look at."""
    found = result.compare(_named_or_number(baseline, result.systems), **asked)
    over = f"queries like these {len(result.queries)}"
    answer = _answer(result.aggregated(), result.intervals(**_sure(asked)), over, found)
    return found, replace(answer, provenance=result.provenance), [result, found]


def _of_values(
    own: dict[str, Samples], source: Provenance, baseline: str | None, asked: dict[str, Any]
) -> tuple[Comparison, Answer, list[Any]]:
    """The same of values in a table."""
    from cranfield.evidence.samples import counted
    from cranfield.results.comparing import compare
    from cranfield.results.sampling import intervals_of_samples, means_of_samples

    first = next(iter(own.values()))
    found = compare(own, baseline=_named_or_number(baseline, first.systems), **asked)
    over = counted(len(first), first.kind)
    answer = _answer(means_of_samples(own), intervals_of_samples(own, **_sure(asked)), over, found)
    return found, replace(answer, provenance=source), [found]


def _named_or_number(baseline: str | None, systems: Sequence[str]) -> str | float | None:
    """The baseline as a number, where it is one and no run has it for a name."""
    if baseline is None or baseline in systems:
        return baseline
    try:
        return float(baseline)
    except ValueError:
        return baseline


def _sure(asked: dict[str, Any]) -> dict[str, Any]:
    """How the interval of each mean is found, where differences are asked for so."""
    method = "auto" if asked["interval"] == "t" else asked["interval"]
    return {"confidence": 1 - asked["level"], "method": method, "seed": asked["seed"]}


def _settings(test: str, **given: Any) -> dict[str, Any]:
    """The settings of the test by their own names, if it has them."""
    from cranfield.inference.catalogue import known_tests

    known = {option: value for option, value in given.items() if value is not None}
    for option in known:
        fit = [name for name, each in known_tests().items() if _own_name(option, name) in each.settings]
        if test not in fit:
            raise BadSetting(f"--{option} goes with {', '.join(fit)}, not with the test {test}")
    return {_own_name(option, test): value for option, value in known.items()}


def _own_name(option: str, test: str) -> str:
    return _TIMES.get(test, option) if option == "times" else option


def _answer(means: Floats, bounds: Intervals, over: str, found: Comparison) -> Answer:
    from cranfield.present import comparison

    return Answer(
        lambda digits: [comparison.means(means, bounds, over, digits), comparison.differences(found, digits)],
        {"comparisons": found.to_dicts(), "intervals": bounds.to_dicts()},
        {"settings": found.settings, "omnibus": dict(found.omnibus), "notes": list(found.notes)},
    )
