"""`cranfield compare`: are the differences between runs significant?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import taken, topics_of_queries
from cranfield.commands.output import Answer
from cranfield.commands.parameters import OneOf, refuse_given
from cranfield.errors import BadSetting
from cranfield.rankings.inputs import INPUTS, runs_or_table

if TYPE_CHECKING:
    from cranfield.comparison.published import PublishedComparison
    from cranfield.comparison.result import Comparison


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
EVERY = partial(o.EVERY, help="Show means with intervals, every pair and effect sizes.")
INTERVAL = partial(
    o.INTERVAL, type=OneOf("cranfield.statistics.effects:DifferenceInterval"), default="t",
    help="Intervals of means and differences: Student's t, or the BCa bootstrap.",
)  # fmt: skip
TOPICS = partial(
    o.TOPICS,
    help="File with one query and its topic per line, for queries that are variants: the test compares topics.",
)


@command(
    "compare",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.ANSWER_TABLES, o.LOWER_IS_BETTER, o.PUBLISHED, o.AREAS, o.MEASURES,
    BASELINE, *TEST_OPTIONS, INTERVAL, TOPICS, EVERY, o.PAIRS, o.STEPS, *o.EVALUATION, o.SYSTEM_INFO, o.ITEM_INFO,
    *o.DELIVERY, examples=COMPARE_EXAMPLES,
)  # fmt: skip
def compare_command(
    *,
    published: Sequence[str] = (),
    areas: Sequence[str] = (),
    every: bool,
    pairs: bool,
    steps: bool,
    **settings: Any,
) -> Answer:
    """Compare systems: their differences, and whether these are statistically significant."""
    if published or areas:
        return Answer(independent_comparison(published, areas, **settings), steps=steps)
    return Answer(comparison(**settings), every=every, pairs=pairs, steps=steps)


def comparison(*, baseline: str | None = None, **settings: Any) -> Comparison:
    """The comparison of runs, or of a table of values."""
    from cranfield.comparison.compare import compare
    from cranfield.engines.baselines import needs_baseline
    from cranfield.measures.naming import measures_named

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
    from cranfield.comparison.published import compare_independent_areas, compare_published
    from cranfield.statistics.published import parse_summary

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
    from cranfield.statistics.tests import known_tests

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


# `cranfield bayes`: how probable is it that a system is better, or equivalent?


BAYES_EXAMPLES = """
  cranfield bayes qrels.txt *.run --baseline bm25 -m nDCG@10 --rope 0.01
  cranfield bayes qrels.txt *.run -m AP --model signed-rank
  cranfield bayes --values folds.csv --model "correlated t" --overlap 0.111
"""


@command(
    "bayes",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, o.MEASURES,
    o.options_of("cranfield.comparison.bayes:compare_bayesian"), TOPICS, *o.EVALUATION, *o.DELIVERY,
    examples=BAYES_EXAMPLES,
)  # fmt: skip
def bayes_command(**settings: Any) -> Answer:
    """Compare systems by posterior probabilities: better, practically equivalent, or worse."""
    from cranfield.comparison.bayes import compare_bayesian

    topic = topics_of_queries(settings)
    data = runs_or_table(**taken(settings, INPUTS))
    return Answer(compare_bayesian(data, topic=topic, **settings))


# `cranfield meta`: how large is a difference over several collections?


META_EXAMPLES = """
  cranfield meta trec-6 trec-7 trec-8 -b bm25 -m AP
  cranfield meta beir/* -b bm25 -m nDCG@10 --heterogeneity dersimonian-laird
"""


@command(
    "meta",
    o.COLLECTION_FOLDERS, o.MEASURES, o.options_of("cranfield.comparison.meta:meta_analysis"), *o.EVALUATION,
    *o.DELIVERY, examples=META_EXAMPLES,
)  # fmt: skip
def meta_command(*, folders: Sequence[str], measures: Sequence[Any] = (), **settings: Any) -> Answer:
    """Combine the differences between systems over several collections in a random-effects meta-analysis."""
    from cranfield.comparison.meta import meta_analysis

    return Answer(meta_analysis(list(folders), measures=measures or None, **settings))


# `cranfield mixed`: how do systems differ, after accounting for topics, shards, collections or annotators?


MIXED_EXAMPLES = """
  cranfield mixed qrels.txt *.run -m AP -b bm25
  cranfield mixed --values values.csv --random topic --random shard
  cranfield mixed --values values.csv --random topic --random system:topic -b bm25
"""


@command(
    "mixed",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.MEASURES, o.options_of("cranfield.comparison.mixed:mixed_model"),
    *o.EVALUATION, *o.DELIVERY, examples=MIXED_EXAMPLES,
)  # fmt: skip
def mixed_command(**settings: Any) -> Answer:
    """Compare systems in a linear mixed model with random effects of topics, shards or annotators."""
    from cranfield.comparison.mixed import mixed_model

    data = runs_or_table(**taken(settings, INPUTS))
    return Answer(mixed_model(data, **settings))


# `cranfield monitor`: have enough queries been judged?


MONITOR_EXAMPLES = """
  cranfield monitor qrels.txt bm25.run dense.run -m nDCG@10
  cranfield monitor --values judged.csv --range 0,1 -b bm25 --half-width 0.05
"""


@command(
    "monitor",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, o.MEASURES, o.VALUE_RANGE,
    o.options_of("cranfield.comparison.monitor:monitor"), *o.EVALUATION, *o.DELIVERY, examples=MONITOR_EXAMPLES,
)  # fmt: skip
def monitor_command(*, bounds: Sequence[float] = (), **settings: Any) -> Answer:
    """Monitor differences query by query: bounds valid at every look, and whether enough queries were judged."""
    from cranfield.comparison.monitor import monitor

    if bounds and (len(bounds) != 2 or not bounds[0] < bounds[1]):
        raise BadSetting("--range takes the lowest and highest possible values, such as 0,1")
    data = runs_or_table(**taken(settings, INPUTS))
    return Answer(monitor(data, bounds=(bounds[0], bounds[1]) if bounds else None, **settings))
