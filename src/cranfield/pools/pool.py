"""Which documents should be judged, and how good is a pool?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.engines.local import judged_ranks
from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure
from cranfield.pools.methods import DEPTH, find_method, reading_depth
from cranfield.pools.pools import Pooling, pooled, topped_up
from cranfield.pools.quality import JudgedPool, PoolQuality, teams_of
from cranfield.pools.result import Pool, top_of_runs, without_judged
from cranfield.pools.sample import Sample, SampledTopic, estimator, judged_sample
from cranfield.results.provenance import Caution, Provenance, origins, run_names
from cranfield.results.values import Result
from cranfield.statistics.distributions import require_level
from cranfield.statistics.effects import DEFAULT_CORRECTION, title
from cranfield.tables.names import Texts
from cranfield.tables.sources import as_judgments, as_runs


def pool(
    runs: Any,
    method: str = "depth",
    *,
    judgments: Any = None,
    rel: float = 1,
    unjudged: bool = False,
    earlier: Pool | None = None,
    **settings: Any,
) -> Pool:
    """The documents to judge for each query, in judging order, with the runs that contributed them.

    Parameters
    ----------
    runs
        As for `evaluate`. Ties are broken as in trec_eval.
    method
        `"depth"`: the first `depth` documents of every run (100), by their best rank. `"rrf"` and `"rbp"`: the
        `budget` documents per query (100) with the highest weight, by reciprocal rank fusion (`constant=60`) or as
        rank-biased precision weights them (`p=0.8`). `"mtc"`: the `budget` documents whose DCG discounts differ most
        between runs (a minimal test collection). `"uniform"`: a random sample of the depth pool, of a `proportion`
        or of `budget` documents per query. `"stratified"`: random samples of ranges of ranks,
        `strata={10: 1, 50: 0.3, 100: 0.1}`. `"mtf"` and `"maxmean"`: move-to-front and the MaxMean bandit, which
        choose each document by the judgments so far; MaxMean first judges the first `burn_in` documents of every run
        (5). Both stop after `budget` documents per query, if that is set.
    judgments
        For `"mtf"` and `"maxmean"`: the judgments that determine the order. Unjudged documents count as not relevant.
    rel
        Documents are relevant at this grade or higher.
    unjudged
        Leave out documents that the `judgments` have: what new runs bring, and nobody has judged.
    earlier
        A pool to extend: its documents do not change, and new ones form the next wave.
    settings
        The settings of the method; also `seed` for sampling methods.

    Returns
    -------
    Pool
        One row per query and document; `pool["q1"]` is the pool of a query.

    Examples
    --------
    >>> runs = {"a": {"q": {"d1": 3, "d2": 2, "d3": 1}}, "b": {"q": {"d2": 2, "d4": 1}}}
    >>> [(row.document, row.contributors) for row in pool(runs, depth=1)["q"]]
    [('d1', (('a', 1),)), ('d2', (('b', 1),))]
    """
    chosen = find_method(method)
    checked = chosen.checked(settings)
    if chosen.adaptive and judgments is None:
        raise BadSetting(f"the pooling method {method!r} chooses each document by the judgments so far: pass judgments")
    if judgments is not None and not chosen.adaptive and not unjudged:
        raise BadSetting(f"the pooling method {method!r} does not depend on judgments; unjudged=True leaves them out")
    if unjudged and judgments is None:
        raise BadSetting("unjudged documents are those that the judgments do not have: pass judgments")
    judged = None if judgments is None else as_judgments(judgments)
    pooling = Pooling(chosen, checked, judged if chosen.adaptive else None, rel)
    sources = as_runs(runs)
    names = run_names(sources)
    rankings = dict(zip(names, top_of_runs(sources, reading_depth(checked)), strict=True))
    made = pooled(rankings, pooling) if earlier is None else topped_up(earlier, rankings, pooling)
    before = () if earlier is None else earlier.provenance.inputs
    inputs = tuple(dict.fromkeys((*before, *origins(judged, sources))))
    if unjudged and judged is not None:
        made = without_judged(made, judged)
    return replace(
        made, provenance=Provenance(inputs, {"method": method} | checked | ({"unjudged": True} if unjudged else {}))
    )


def pool_quality(
    qrels: Any,
    runs: Any,
    measure: Measure | str = "AP",
    *,
    teams: Mapping[str, str] | None = None,
    depth: int = DEPTH,
    rel: float = 1,
    level: float = 0.05,
) -> PoolQuality:
    """The effect on the results if a run, or all runs of a team, had not contributed to the pool.

    Documents that only the left-out runs have among their first `depth` documents become unjudged, and all runs are
    evaluated again. A pool is reusable if this changes little, because new runs will not have contributed to it either.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`: the judgments of the pool, and the runs that contributed to it.
    measure
        The measure that ranks the runs.
    teams
        The team of each run, `{run: team}`; a run without a team forms its own team.
    depth
        A run contributed the judged documents among its first `depth`.
    rel
        Documents are relevant at this grade or higher.
    level
        Significance level of the paired t-tests between runs, with Holm's correction.

    Returns
    -------
    PoolQuality
        One row per run left out, alone and with its team; the overlap of the runs, judged@k, and an estimate of the
        relevant documents that no run found.

    Examples
    --------
    >>> runs = {"a": {"q": {"d1": 3, "d2": 2}}, "b": {"q": {"d2": 2, "d4": 1}}}
    >>> omitted = pool_quality({"q": {"d1": 1, "d2": 1, "d4": 0}}, runs).omissions[0]
    >>> omitted.unique_relevant, omitted.score, omitted.score_without
    (1, 1.0, 0.5)
    """
    judged = as_judgments(qrels)
    (chosen,) = with_top_grade(measures_named([measure], "ranking", ("AP",)), judged.grade)
    if chosen.declaration.evidence is not Hits:
        raise BadSetting(f"{chosen} does not use plain relevance grades; choose a measure such as AP")
    require_level(level)
    checked_depth = find_method("depth").checked({"depth": depth})["depth"]
    judged.require_once("the judgments")
    sources = as_runs(runs)
    names = tuple(run_names(sources))
    unknown = [name for name in teams or {} if name not in names]
    if unknown:
        raise BadSetting(f"there is no run {unknown[0]!r} for a team; the runs are {', '.join(names)}")
    ranks = tuple(judged_ranks(source, judged) for source in sources)
    rated = JudgedPool(judged, names, ranks, teams_of(names, teams), chosen, checked_depth, rel, level)
    settings = {"measure": str(chosen), "depth": depth, "rel": rel, "level": level}
    settings["test"] = f"paired t-test, {title(DEFAULT_CORRECTION)}"
    return PoolQuality(
        tuple(rated.omissions()),
        tuple(rated.overlaps()),
        tuple(rated.judged_depths()),
        tuple(rated.missing()),
        settings=settings,
        provenance=Provenance(origins(judged, sources), settings, measures={str(chosen): chosen.options}),
    )


def evaluate_sample(pool: Pool, qrels: Any, runs: Any, measures: Requested = None) -> Result:
    """Estimates of AP and nDCG from judgments of a sample of the pool.

    Each judged document is weighted by the inverse of its inclusion probability. Documents outside the
    pool count as not relevant. `evaluate` with infAP is the alternative for uniform samples.

    Parameters
    ----------
    pool
        A uniform or stratified sample from `pool`.
    qrels
        The judgments of all sampled documents, as for `evaluate`.
    runs
        As for `evaluate`.
    measures
        AP and nDCG (the defaults), with a cutoff or a relevance level: `"nDCG@10"`, `"AP(rel=2)"`.

    Returns
    -------
    Result
        As for `evaluate`; the values are estimates, as stated in a warning.

    Examples
    --------
    >>> runs = {"a": {"q": {"d1": 3, "d2": 2, "d3": 1}}, "b": {"q": {"d2": 2, "d4": 1}}}
    >>> sample = pool(runs, "stratified", strata={1: 1, 3: 0.5})
    >>> judged = {"q": {row.document: 1 for row in sample["q"] if row.selected}}
    >>> evaluate_sample(sample, judged, runs, "AP")["a", "AP"] > 0
    True
    """
    chosen = measures_named(measures, "ranking", ("AP", "nDCG"))
    estimators = [estimator(measure) for measure in chosen]
    labels = as_judgments(qrels)
    sample = judged_sample(pool, labels)
    sources = as_runs(runs)
    names = run_names(sources)
    values = np.array([_estimates(sample, judged_ranks(source, sample.judged), estimators) for source in sources])
    n_sampled = int(pool.selected.sum())
    words = f"values are estimated from a sample of {n_sampled:,} of {len(pool):,} pooled documents"
    return Result(
        systems=tuple(names),
        measures=chosen,
        units=Texts(sample.judged.queries),
        values=values,
        counted=np.ones(values.shape[::2], np.bool_),
        micro=np.full(values.shape[:2], np.nan),
        provenance=Provenance(
            origins(labels, sources),
            {"pool": pool.method, "ties": "trec", "missing": "zero", "undefined": "zero"} | dict(pool.settings),
            (Caution("estimated", words, tuple(names)),),
            {str(measure): measure.options for measure in chosen},
        ),
    )


def _estimates(sample: Sample, ranks: JudgedRanks, estimators: Sequence[Callable[[SampledTopic], float]]) -> Floats:
    """The estimate of each measure for each topic."""
    return np.array([[estimate(topic) for topic in sample.topics(ranks)] for estimate in estimators])
