"""The verb for rankings: how good are runs?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cranfield.engines.baselines import RunValues, across_systems, counted_first, with_baseline
from cranfield.engines.choice import engine as engine_named
from cranfield.engines.evaluation import MISSING, Counting, Evaluation, Missing, sees_items
from cranfield.engines.protocol import EngineName, Precision, Ties
from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import BadSetting, require_one_of, require_whole
from cranfield.evidence.coded_values import table_of
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure, find_declared
from cranfield.rankings import cautions
from cranfield.rankings.cautions import NAMED, lines
from cranfield.results.provenance import Caution, Origin, Provenance, origins, run_names, warn
from cranfield.results.values import Result, Undefined
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import Texts
from cranfield.tables.numbers import short_number
from cranfield.tables.rankings import RunSource
from cranfield.tables.sources import as_judgments, as_runs

if TYPE_CHECKING:
    from cranfield.tables.items import Items, SystemInfo

Progress = Callable[[str, int, int | None], None]

Written = Literal["qrels", "prefs"]

STANDARD = ("AP", "nDCG@10", "RR", "P@10", "R@1000")
find_declared(STANDARD[0])  # declares the common measures on import, so the first call is as fast as others
_CHOICES = {"ties": Ties, "missing": Missing, "undefined": Undefined, "precision": Precision, "form": Written,
            "engine": EngineName}  # fmt: skip


def evaluate(
    qrels: Any,
    runs: Any,
    measures: Requested = None,
    *,
    ties: Ties = "trec",
    missing: Missing = MISSING,
    undefined: Undefined = "zero",
    depth: int | None = None,
    precision: Precision = "double",
    bounds: bool = False,
    baseline: str | None = None,
    form: Written = "qrels",
    engine: EngineName = "auto",
    system_info: Any = None,
    item_info: Any = None,
    progress: Progress | None = None,
) -> Result:
    """The value of every measure for every query of every run.

    Parameters
    ----------
    qrels
        Relevance judgments: a path, a data frame, a dict `{query: {document: grade}}` or an iterable of rows.
    runs
        One run, a list of runs, or a dict of runs by name; each a path, a data frame, a dict
        `{query: {document: score}}` or an iterable of rows.
    measures
        Measures or their names, such as `"nDCG@10"`, `"AP(rel=2)"`, or trec_eval's `"map"`.
    ties
        Order of documents with the same score: `"trec"`, by descending document id as in trec_eval; `"name"`, by
        ascending id; `"given"`, as in the run; `"best"` or `"worst"` for the run; `"expected"`, the expected value over
        all orders.
    missing
        Judged queries that are missing from a run score 0 (`"zero"`) or are left out of its aggregates (`"skip"`).
    undefined
        Undefined values count as 0 in aggregates (`"zero"`, as in trec_eval) or are left out (`"skip"`). Where lower is
        better, 0 would be the best value: they count as the worst, or are left out if there is none.
    depth
        Evaluate only the first `depth` documents of each ranking.
    precision
        `"single"` compares scores as 32-bit numbers, as pytrec_eval does.
    bounds
        Add the value of each measure if no unjudged document were relevant, and if all had the top grade. These bound
        measures to which each document contributes on its own, such as P, RR, DCG and RBP; for measures that depend on
        the number of relevant documents, such as AP, nDCG and R, they are two cases, and other values are possible.
    baseline
        The system that measures such as `"URisk"` compare the others with, unless they name their own:
        `"URisk(baseline='bm25')"`.
    form
        `"prefs"` reads preference judgments, one per line: query, judgment group, subgroup, document and level.
    engine
        The engine that computes ranks: `"native"`, compiled when cranfield was installed; `"local"`, which runs
        anywhere; or `"spark"`, a cluster, for Spark data frames and paths that Spark reads. The results are the same.
        `"auto"` uses `"spark"` for Spark data frames and paths such as s3://…, otherwise `"native"` if it was built.
    system_info
        Attributes of the systems, such as cost, time or storage: a path or a data frame with one row per system and a
        column `system`, or `{system: {column: value}}`. Tables show them next to the measures.
    item_info
        Data on documents or recommended items, for measures such as `"Novelty@10"` and `"AWRF"`: a path or a data frame
        with one row per item and a column `item`, or `{item: {column: value}}`. The columns `popularity`, `group`,
        `genres` (or `tags`, separated by `|`) and columns of numbers are used where a measure needs them.
    progress
        Called with the name of a run, the amount read so far, and the total amount if known.

    Returns
    -------
    Result
        `result["dense", "AP"]` is a number, `result["dense"]` and `result["AP"]` are dicts.

    Examples
    --------
    >>> qrels, run = {"q": {"d1": 1, "d2": 0, "d3": 2}}, {"q": {"d1": 0.9, "d2": 0.8, "d3": 0.7}}
    >>> result = evaluate(qrels, run, ["AP", "nDCG@10"])
    >>> round(result["AP"], 4)
    0.8333
    """
    chosen = measures_named(measures, "ranking", STANDARD)
    _check_choices(ties=ties, missing=missing, undefined=undefined, precision=precision, form=form, engine=engine)
    items = None if item_info is None else _read_items(item_info)
    counting = Counting(ties, _checked_depth(depth, ties), precision, missing, engine, items)
    judged = as_judgments(qrels, form=form)
    sources = as_runs(runs)
    engine_used = engine_named(engine, sources).NAME
    names = run_names(sources)
    chosen = tuple(dict.fromkeys(with_top_grade(with_baseline(chosen, baseline, names), judged.grade)))
    if bounds:
        chosen = _with_bounds(chosen, judged)
    computed = counted_first(chosen)
    _check_ties(computed, ties)
    if any(measure.declaration.evidence is Hits for measure in computed):
        judged.require_once("the judgments")
    _check_items(computed, items, engine_used)
    info = None if system_info is None else _read_system_info(system_info, names, [*map(str, chosen)])
    evaluations = counting.evaluations(sources, judged, computed, progress)
    counted = _counted(computed, evaluations)
    values, micro = across_systems(chosen, counted, names, judged.queries, zero=undefined == "zero")
    result = Result(
        systems=tuple(names),
        measures=chosen,
        units=Texts(judged.queries),
        values=values,
        counted=counted.counted,
        micro=micro,
        provenance=Provenance(
            inputs=origins(judged, sources) + _origin("system info", info) + _origin("item info", items),
            settings={"ties": ties, "missing": missing, "undefined": undefined, "depth": depth, "precision": precision},
            warnings=(),
            measures={str(measure): measure.options for measure in chosen},
            engine=engine_used,
        ),
        evidence={name: done.hits for name, done in zip(names, evaluations, strict=True) if done.hits is not None},
        info={} if info is None else info.columns,
        answered=np.array([done.counts.answered & (done.counts.n_retrieved > 0) for done in evaluations]),
    )
    short, whole = _cautioned(result, judged, sources, dict(zip(names, evaluations, strict=True)), items)
    warn(short)
    return replace(result, provenance=replace(result.provenance, warnings=whole))


def _read_items(data: Any) -> Items:
    from cranfield.tables.items import read_items  # here, because most evaluations have none

    return read_items(data)


def _read_system_info(data: Any, systems: Sequence[str], measures: Sequence[str]) -> SystemInfo:
    from cranfield.tables.items import read_system_info  # here, because most evaluations have none

    return read_system_info(data, systems, measures)


def _check_items(measures: Sequence[Measure], items: Items | None, engine: str) -> None:
    """Refuse measures of items without data on them, and data that no measure uses."""
    of_items = [str(measure) for measure in measures if sees_items(measure)]
    if of_items and items is None:
        raise BadSetting(
            f"{of_items[0]} needs data on items: item_info= in Python, --item-info FILE on the command line"
        )
    if items is not None and not of_items:
        raise BadSetting("item_info applies to measures of items, such as ItemCoverage@10 or AWRF; none was requested")
    if of_items and engine == "spark":
        raise BadSetting(f"{of_items[0]} needs all ranked documents, which Spark does not return; use another engine")


def _origin(role: str, table: SystemInfo | Items | None) -> tuple[Origin, ...]:
    return () if table is None else (Origin(role, *table.source),)


def _counted(measures: Sequence[Measure], evaluations: Sequence[Evaluation]) -> RunValues:
    """The values of all runs."""
    return RunValues(
        measures,
        table_of([done.columns for done in evaluations]),
        np.array([done.micro for done in evaluations]),
        np.array([done.counted for done in evaluations]),
    )


def _check_choices(**settings: str) -> None:
    for name, value in settings.items():
        require_one_of(name, value, _CHOICES[name])


def _checked_depth(depth: int | None, ties: Ties) -> int | None:
    if depth is None:
        return None
    require_whole("depth", depth, 1)
    if ties == "expected":
        raise BadSetting("depth would split ties, whose order is not determined; use measures with a cutoff instead")
    return min(int(depth), 1 << 62)  # longer than any ranking


def _check_ties(measures: Sequence[Measure], ties: Ties) -> None:
    """Refuse grades for unjudged documents where the order of tied documents depends on their grades."""
    graded = [measure for measure in measures if isinstance(measure.options.get("unjudged"), int | float)]
    if graded and ties in ("best", "worst"):
        raise BadSetting(
            f"ties={ties!r} orders tied documents by their grades in the judgments, which do not apply to {graded[0]}; "
            "choose another order of ties, such as 'trec' or 'expected', or leave out bounds and grades for unjudged "
            "documents"
        )


def _with_bounds(measures: tuple[Measure, ...], judged: Judgments) -> tuple[Measure, ...]:
    """Each measure, followed by its values with no unjudged document relevant and with all of the top grade."""
    top = max(1.0, float(judged.grade.max(initial=1)))
    all_three = []
    for measure in measures:
        all_three.append(measure)
        if measure.declaration.evidence is Hits and measure.options["unjudged"] is None:
            all_three += [measure(unjudged=0), measure(unjudged=short_number(top))]
    return tuple(dict.fromkeys(all_three))


def _cautioned(
    result: Result,
    judged: Judgments,
    sources: Sequence[RunSource],
    done: Mapping[str, Evaluation],
    items: Items | None,
) -> tuple[tuple[Caution, ...], ...]:
    """The warnings of a result: with only the first of many runs named, and with all runs named."""
    counts = {name: evaluation.counts for name, evaluation in done.items()}
    first = [*cautions.of_order(result.evidence)]  # the cause of much that follows
    wrong = {caution.run for caution in first}
    by_run = [*cautions.of_runs(counts, judged), *cautions.of_tags(sources, counts)]
    by_run = [one for one in by_run if one.kind != "unsorted-queries" or one.run not in wrong]
    if result.provenance.settings["ties"] in cautions.CONVENTIONS:
        by_run += cautions.of_ties(counts, result)
    by_run += cautions.of_measures({name: evaluation.notes for name, evaluation in done.items()})
    general = [
        *cautions.of_labels(judged),
        *cautions.of_grades(judged, counts, result),
        *cautions.of_levels(judged, result),
        *cautions.of_items(items, result),
        *cautions.of_copies(sources),
    ]
    return tuple(
        (*lines(first, len(counts), most), *general, *lines(by_run, len(counts), most)) for most in (NAMED, None)
    )
