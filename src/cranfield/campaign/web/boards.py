"""Leaderboards and the figures behind them, computed in the worker by calls to the public verbs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.campaign.web.worker_progress import reading_progress
from cranfield.comparison.compare import compare
from cranfield.comparison.monitor import monitor
from cranfield.comparison.result import Comparison, tiers_in_order
from cranfield.comparison.tables import leaderboard
from cranfield.correlation.result import better
from cranfield.engines.top_grades import with_top_grade
from cranfield.errors import CranfieldError
from cranfield.estimation.estimate import estimate_documents
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import measures_named
from cranfield.measures.registry import Measure
from cranfield.pools.pool import evaluate_sample
from cranfield.pools.pools import sampled_pool
from cranfield.pools.result import top_of_runs
from cranfield.present.formats import latex
from cranfield.rankings.evaluate import evaluate
from cranfield.results.samples import bounds_of
from cranfield.results.values import Result
from cranfield.results.verb_result import plain
from cranfield.results.writing import decoded
from cranfield.rounding import merged
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments, as_runs

JUDGED = "Judged@10"
ESTIMATED = "P@10"  # a sum over documents, as the estimate from machine labels requires
RECALLS = [level / 10 for level in range(11)]
CUTOFFS = [1, 2, 3, 5, 10, 15, 20]
DEEP_ENOUGH = 10  # depth to pool a run to if the measure has no cutoff
DEPTH = 20  # ranks shown in a strip of grades
TEST = "randomisation"
BEHIND = 5  # number of runs to separate the best run from
LEVEL = 0.05
Labels = dict[str, dict[str, int]]  # by topic and document
Scale = dict[str, Any]  # gains: [grade, gain] pairs, relevant_from: the lowest relevant grade


def board(runs: dict[str, str], qrels: str, measures: list[str], scale: Scale) -> dict[str, Any]:
    """The values of the runs, best first, with tiers by the first measure.

    Runs without a value are separate, and so are those whose unjudged documents could reverse a significant difference.
    """
    judgments = as_judgments(qrels)
    chosen = scaled([*measures, JUDGED], scale, judgments.grade)
    result = evaluate(judgments, runs, chosen, progress=reading_progress(runs))
    first = str(chosen[0])
    value = {(row["system"], row["measure"]): row for row in result.to_dict()["results"]}
    titles = {str(one): title for title, one in zip([*measures, JUDGED], chosen)}
    apart = {name: reason for name in runs if (reason := _undefined(value[name, first], measures[0]))}
    sign = 1 if result.samples(first).lower_is_better else -1
    ranked = sorted(runs.keys() - apart.keys(), key=lambda name: (sign * value[name, first]["value"], name))
    tested = _tested(result)
    unjudged = _unjudged(result, ranked, scale)
    judged = {name: value[name, str(chosen[-1])]["value"] for name in ranked}
    unsettled = _unsettled(tested, first, unjudged, judged)
    settled = [name for name in ranked if name not in unsettled]
    tiers = dict(zip(settled, _tiers(tested, first, settled)))
    numbers = {name: " ".join(map(str, tiers.get(name, ()))) for name in runs}
    rows = {
        name: {"run": name, "tiers": tiers.get(name, []), "values": [_shown(value[name, str(one)]) for one in chosen]}
        for name in ranked
    }
    return {
        "measures": [{"title": title, "measure": measure} for measure, title in titles.items()],
        "rows": [rows[name] for name in settled],
        "unsettled": [
            rows[row["run"]] | {"top_grade": row["top_grade"]} for row in unjudged if row["run"] in unsettled
        ],
        "depth": chosen[0].options.get("k") or DEEP_ENOUGH,
        "apart": [{"run": name, "reason": reason} for name, reason in sorted(apart.items())],
        "n_topics": len(result.units),
        "unjudged": unjudged,
        "warnings": [_titled(caution.message, titles) for caution in result.warnings],
        "latex": latex(leaderboard(result, comparison=tested, tiers=numbers)),
    }


def scaled(measures: Sequence[str], scale: Scale, grade: Floats | None = None) -> list[Measure]:
    """The measures with the scale's gains and lowest relevant grade, unless they set their own.

    With the grades of the judgments, they have the names under which they are evaluated.
    """
    gains = tuple((float(grade), float(gain)) for grade, gain in scale["gains"])
    linear = all(grade == gain for grade, gain in gains)
    chosen = []
    for measure in measures_named([*measures], "ranking", ()):
        changed: dict[str, Any] = {}
        if measure.options.get("rel") == 1 and scale["relevant_from"] != 1:
            changed["rel"] = scale["relevant_from"]
        if measure.options.get("gain") == "linear" and not linear:
            changed["gain"] = gains
        chosen.append(measure(**changed) if changed else measure)
    return chosen if grade is None else [*with_top_grade(chosen, grade)]


def _titled(words: str, titles: Mapping[str, str]) -> str:
    """The text with the measures named as in the settings of the benchmark, without the gains of its scale."""
    for measure, title in titles.items():
        words = words.replace(measure, title)
    return words


def _unjudged(result: Result, ranked: Sequence[str], scale: Scale) -> list[dict[str, Any]]:
    """The first measure and the ranks by it if unjudged documents are left out, or all have the top grade."""
    measure = result.measures[0]
    if measure.declaration.evidence is not Hits or measure.options.get("unjudged") is not None:
        return []
    treatments = {"left_out": "skip", "top_grade": max(grade for grade, _ in scale["gains"])}
    value = {
        name: [
            result.aggregate_of(result.systems.index(run), 0, measure(unjudged=how).values(result.evidence[run]))
            for run in ranked
        ]
        for name, how in treatments.items()
    }
    rank = {name: ranks(np.array(values), measure) for name, values in value.items()}
    return [
        {"run": run, "not_relevant": plain(result[run, str(measure)]), "not_relevant_rank": place + 1}
        | {name: plain(value[name][place]) for name in treatments}
        | {f"{name}_rank": rank[name][place] for name in treatments}
        for place, run in enumerate(ranked)
    ]


def _unsettled(
    tested: Comparison | None, measure: str, unjudged: Sequence[Mapping[str, Any]], judged: Mapping[str, float]
) -> set[str]:
    """The runs with a significant difference from a better judged run whose sign depends on unjudged documents."""
    of_run = {row["run"]: row for row in unjudged}
    unsettled = set()
    for row in tested.rows if tested else ():
        pair = [decoded(row.system), decoded(row.baseline)]
        if row.measure != measure or not row.significant or not of_run.keys() >= set(pair):
            continue
        upper, lower = sorted((of_run[name] for name in pair), key=lambda one: int(one["not_relevant_rank"]))
        reversible = any(lower[f"{how}_rank"] < upper[f"{how}_rank"] for how in ("left_out", "top_grade"))
        if reversible and judged[upper["run"]] != judged[lower["run"]]:
            unsettled.add(min(pair, key=lambda name: judged[name]))
    return unsettled


def ranks(value: Floats, measure: Measure) -> list[int]:
    """The rank of each run, best first: one plus the number of runs that are better beyond rounding."""
    towards = better(value, measure)
    values = merged(towards, abs(towards))
    return [1 + int((values > run_value).sum()) for run_value in values]


def run_detail(runs: dict[str, str], qrels: str, measures: list[str], scale: Scale, run: str) -> dict[str, Any]:
    """A run among the others: all values, values by topic with median and best, precision at recall, nDCG by rank."""
    judgments = as_judgments(qrels)
    chosen = scaled([*measures, JUDGED], scale, judgments.grade)
    levels = scaled([f"IPrec@{level}" for level in RECALLS], scale, judgments.grade)
    gains = scaled([f"nDCG@{cutoff}" for cutoff in CUTOFFS], scale, judgments.grade)
    result = evaluate(judgments, runs, [*chosen, *levels, *gains], progress=reading_progress(runs))
    value = {(row["system"], row["measure"]): row for row in result.to_dict()["results"]}
    samples, judged = result.samples(str(chosen[0])), result.samples(str(chosen[-1]))
    run_values = samples.values[samples.systems.index(run)]
    best = samples.values.min(axis=0) if samples.lower_is_better else samples.values.max(axis=0)
    covered = dict(zip(judged.units, judged.values[judged.systems.index(run)].tolist()))
    columns = zip(samples.units, run_values.tolist(), np.median(samples.values, axis=0).tolist(), best.tolist())
    topics = [
        {"topic": topic, "value": value, "median": median, "best": highest, "judged": covered.get(topic)}
        for topic, value, median, highest in columns
    ]
    return {
        "values": [{"measure": str(one)} | _shown(value[run, str(one)]) for one in chosen],
        "topics": _finite(topics),
        **_curves("curve", value, RECALLS, levels, run, runs),
        **_curves("gain", value, CUTOFFS, gains, run, runs),
    }


def _curves(
    name: str, value: Any, places: Sequence[float], measures: Sequence[Measure], run: str, runs: dict[str, str]
) -> dict[str, list[list[float]]]:
    """The curve of a run and the median over all runs, at the same points."""
    at = {run: [value[run, str(measure)]["value"] for measure in measures] for run in runs}
    middle = np.median(np.array([at[run] for run in runs]), axis=0).tolist()
    return {name: [list(pair) for pair in zip(places, at[run])],
            f"median_{name}": [list(pair) for pair in zip(places, middle)]}  # fmt: skip


def contrast(runs: dict[str, str], qrels: str, measures: list[str], scale: Scale) -> dict[str, Any]:
    """Two runs: the difference on each topic by the first measure, and the mean with its interval and test."""
    judgments = as_judgments(qrels)
    (chosen,) = scaled(measures[:1], scale, judgments.grade)
    result = evaluate(judgments, runs, [chosen], progress=reading_progress(runs))
    first, second = runs
    samples = result.samples(str(chosen))
    one, other = (samples.values[samples.systems.index(name)] for name in (first, second))
    topics = [
        {"topic": topic, "first": a, "second": b, "difference": a - b}
        for topic, a, b in zip(samples.units, one.tolist(), other.tolist())
    ]
    tested: dict[str, Any] | None = None
    with suppress(CranfieldError):  # a single topic: nothing to test
        (row,) = compare(result, baseline=second, test=TEST).rows
        tested = {"difference": row.difference, "low": row.low, "high": row.high, "p": row.p}
        tested |= {"wins": row.wins, "ties": row.ties, "losses": row.losses, "effect": _effect(one - other)}
    return {"topics": _finite(topics), "tested": tested and _finite([tested])[0]}


def separation(
    runs: dict[str, str], labels: list[tuple[str, dict[str, int]]], measures: list[str], scale: Scale
) -> dict[str, Any]:
    """Whether the topics, in order of completion, separate the best run from the runs behind it.

    The level is divided by the number of all pairs, since the best run is chosen from the same data.
    """
    judgments = as_judgments(dict(labels))
    (chosen,) = scaled(measures[:1], scale, judgments.grade)
    samples = evaluate(judgments, runs, [chosen], progress=reading_progress(runs)).samples(str(chosen))
    sign = 1 if samples.lower_is_better else -1
    means = dict(zip(samples.systems, samples.values.mean(axis=1).tolist()))
    best, *behind = sorted(means, key=lambda name: (sign * means[name], name))[: BEHIND + 1]
    answer: dict[str, Any] = {"best": best, "measure": measures[0], "behind": [], "reason": ""}
    bounds = bounds_of(str(chosen), samples)
    if not np.isfinite(bounds).all():
        return answer | {"reason": f"{measures[0]} has no bounds, so separation cannot be tested."}
    places = [samples.units.index(topic) for topic, _ in labels]
    in_order = dict(zip(samples.systems, samples.values[:, places].tolist()))
    settings: dict[str, Any] = {"bounds": bounds, "level": LEVEL / math.comb(len(runs), 2)}
    for name in behind:
        pair = {best: in_order[best], name: in_order[name]}
        (row,) = monitor(pair, name, **settings, lower_is_better=samples.lower_is_better).rows
        after = row.decided_after if row.verdict == "better" else None
        answer["behind"].append({"run": name, "difference": row.difference, "low": row.low, "high": row.high,
                                 "after": after})  # fmt: skip
    return answer


def estimates(runs: dict[str, str], qrels: str, sample: list[dict[str, Any]], rel: int) -> list[dict[str, Any]]:
    """AP and nDCG of each run, estimated from the judgments of a sample."""
    measures = ["AP" if rel == 1 else f"AP(rel={rel})", "nDCG"]
    result = evaluate_sample(sampled_pool(sample), qrels, runs, measures)
    return [{"run": run} | {str(measure): result[run, str(measure)] for measure in result.measures} for run in runs]


def corrected(runs: dict[str, str], people: Labels, machine: Labels, scale: Scale) -> dict[str, Any]:
    """P@10 on all documents that a machine labelled, corrected by the labels of people on some, or why not."""
    try:
        result = estimate_documents(people, machine, runs, scaled([ESTIMATED], scale))
    except CranfieldError as error:
        return {"measure": ESTIMATED, "rows": [], "reason": str(error)}
    rows = result.to_dict()["estimates"]
    return {"measure": ESTIMATED, "rows": rows, "reason": "", "n_judged": result.n_judged}


def _effect(differences: Floats) -> float:
    """The mean difference divided by the standard deviation of the differences."""
    spread = float(np.std(differences, ddof=1))
    return float(np.mean(differences)) / spread if spread > 0 else math.nan


def first_documents(runs: dict[str, str]) -> dict[str, dict[str, list[str]]]:
    """The first documents of each run for every topic."""
    tops = top_of_runs(as_runs(runs), DEPTH)
    return {
        name: {decode(topic): [decode(one) for one in listed] for topic, listed in top.items()}
        for name, top in zip(runs, tops)
    }


def report_html(
    runs: dict[str, str], qrels: str, measures: list[str], scale: Scale, title: str, queries: dict[str, str]
) -> str:
    """The report on the runs, as `cranfield report` writes it."""
    from cranfield.reporting.report import report  # slow to import and only needed here

    advance = reading_progress(runs)
    return report(qrels, runs, scaled(measures, scale), title=title, queries=queries, progress=advance).html


def history_html(store: str) -> str:
    """The history of releases, as `cranfield report --history` writes it."""
    from cranfield.releases.history import history
    from cranfield.reporting.history import history_page

    return history_page(history(store)).html


def strip(runs: dict[str, str], topic: str) -> dict[str, list[str]]:
    """The first documents of each run for a topic."""
    return {name: top.get(topic, []) for name, top in first_documents(runs).items()}


def _undefined(row: dict[str, Any], title: str) -> str:
    """Why a run cannot be ranked; empty if it can."""
    if row["value"] is not None and math.isfinite(row["value"]) and row["undefined"] < row["queries"]:
        return ""
    return f"{title} is undefined on all {row['queries']} topics"


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("value", "low", "high", "undefined")}


def _tested(result: Result) -> Comparison | None:
    """Tests of all pairs of runs with a multiple-testing correction; None with a single run or topic."""
    try:
        return compare(result, test=TEST)
    except CranfieldError:
        return None


def _tiers(tested: Comparison | None, measure: str, ranked: list[str]) -> list[list[int]]:
    """The tiers of each run: runs with a tier in common are not significantly different by the measure."""
    tiers = tiers_in_order(tested, measure, ranked)
    return [[number for number, tier in enumerate(tiers, 1) if place in tier] for place in range(len(ranked))]


def _finite(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with None in place of NaN, which JSON does not support."""
    return [{key: plain(one) for key, one in row.items()} for row in rows]
