"""`cranfield compare`: are the differences between runs significant?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.cli.inputs import runs_or_table
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import taken, topics_of_queries
from cranfield.commands.output import Answer
from cranfield.commands.parameters import OneOf, refuse_given
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.comparison import Comparison
    from cranfield.results.published import PublishedComparison

COMPARE_EXAMPLES = """
  cranfield compare qrels.txt bm25.run dense.run
  cranfield compare qrels.txt *.run --baseline bm25 -m AP,nDCG@10
  cranfield compare qrels.txt *.run -m AP --pairs
  cranfield compare qrels.txt bm25.run -m AP --baseline 0.31
  cranfield compare qrels.txt *.run -t randomisation -c max-T --seed 7
  cranfield compare qrels.txt *.run -t tukey -o differences.tex
  cranfield compare qrels.txt *.run -t dunnett --baseline bm25
  cranfield compare --values folds.csv -t "corrected t" --overlap 0.111
  cranfield compare --published new=170/200 --published old=150/200
  cranfield compare --published new=0.34,0.21,50 --published old=0.31,0.2,50
  cranfield compare --areas new=clinic.csv --areas old=trial.csv
  cranfield compare --values right.csv -t mcnemar
  cranfield compare --answers nuggets.csv --answers citations.csv -m V_strict -m CitationPrecision
  cranfield compare qrels.txt bm25.run dense.run -t tost --margin 0.02 --steps
"""
TEST_OPTIONS = (o.TEST, o.CORRECTION, o.SIMULTANEOUS, o.FAMILY, o.LEVEL, o.ALTERNATIVE, o.MARGIN, o.OVERLAP, o.VARIANT,
                o.RESAMPLES, o.SEED)  # fmt: skip
BASELINE = partial(
    o.BASELINE,
    help="Compare all other systems with this one, or all systems with a number, such as a published score; without "
    "it, every pair is compared.",
)
INTERVAL = partial(
    o.INTERVAL, type=OneOf("cranfield.inference.effects:DifferenceInterval"), default="t",
    help="Intervals of means and differences: Student's t, or the BCa bootstrap.",
)  # fmt: skip
TOPICS = partial(
    o.TOPICS,
    help="File with one query and its topic per line, for queries that are variants: the test compares topics.",
)


@command(
    "compare",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.ANSWER_TABLES, o.LOWER_IS_BETTER, o.PUBLISHED, o.AREAS, o.MEASURES,
    BASELINE, *TEST_OPTIONS, INTERVAL, TOPICS, o.PAIRS, o.STEPS, *o.EVALUATION, o.SYSTEM_INFO, o.ITEM_INFO, *o.DELIVERY,
    examples=COMPARE_EXAMPLES,
)  # fmt: skip
def compare_command(
    *, published: Sequence[str] = (), areas: Sequence[str] = (), steps: bool, pairs: bool, **settings: Any
) -> Answer:
    """Compare systems: their differences, and whether these are statistically significant."""
    if published or areas:
        return Answer(independent_comparison(published, areas, **settings), steps=steps)
    return Answer(comparison(**settings), steps=steps, pairs=pairs)


def comparison(*, baseline: str | None = None, **settings: Any) -> Comparison:
    """The comparison of runs, or of a table of values."""
    from cranfield.engines.baselines import needs_baseline
    from cranfield.measures.naming import measures_named
    from cranfield.verbs.comparison import compare

    tests: Any = test_settings(settings) | taken(settings, ("interval", "lower_is_better"))
    tests |= {"topic": topics_of_queries(settings)}
    ranked = settings.get("values") is None and not settings.get("answers")
    if ranked and needs_baseline(measures_named(settings.get("measures") or "AP", "ranking")):
        settings["baseline"] = baseline
    return compare(runs_or_table(**settings), baseline, **tests)


def independent_comparison(
    published: Sequence[str] = (), areas: Sequence[str] = (), *, baseline: str | None = None, **settings: Any
) -> PublishedComparison:
    """The comparison of published summaries, or of scorers on different items."""
    from cranfield.inference.published import parse_summary
    from cranfield.verbs.published import compare_independent_areas, compare_published

    if published and areas:
        raise BadSetting("give either --published or --areas")
    shared = taken(settings, ("correction", "level", "alternative"))
    what = "published figures, which are summaries" if published else "areas on different items"
    refuse_given(settings, f"does not apply to {what}")
    if published:
        return compare_published(
            _by_name([parse_summary(text) for text in published], "new=170/200"), baseline, **shared
        )
    files = [text.partition("=")[::2] for text in areas]
    return compare_independent_areas(_by_name(files, "new=clinic.csv"), baseline, **shared)


def _by_name(pairs: Sequence[tuple[str, Any]], example: str) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if not name or value == "":
            raise BadSetting(f"systems need distinct names, as in {example}; one has no name, or no value")
        if names.count(name) > 1:
            raise BadSetting(f"systems need distinct names, as in {example}; repeated: {name!r}")
    return dict(pairs)


def test_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a comparison, removed from all settings."""
    from cranfield.inference.test_catalogue import known_tests

    chosen = taken(settings, ("correction", "simultaneous", "family", "level", "alternative", "seed"))
    test = settings.pop("test", "t")
    for option in ("margin", "overlap", "variant", "resamples"):
        if (value := settings.pop(option, None)) is None:
            continue
        accepted = [name for name, known in known_tests().items() if option in known.settings]
        if test not in accepted:
            raise BadSetting(f"--{option} applies to {', '.join(accepted)}, not to the test {test}")
        chosen[option] = value
    return chosen | {"test": test}
