"""Rank correlation of two rankings of systems or documents, with ties."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting, require_between, require_one_of
from cranfield.evidence.samples import by_label, is_number
from cranfield.frozen import cached_property, frozen
from cranfield.rounding import merged
from cranfield.settings import CONFIDENCE
from cranfield.statistics.distributions import require_confidence, t_quantile
from cranfield.statistics.intervals import Interval, absent, jackknife_interval
from cranfield.statistics.item_resampling import rows_without_group
from cranfield.statistics.resampling import STANDARD_ERROR_RESAMPLES, draws
from cranfield.tables import numbers as number_spelling
from cranfield.tables.adapters.frames import has_index, is_labelled
from cranfield.tables.system_names import by_name

_CELLS = 1 << 20  # pairs compared at once
_SMALL = 500  # up to this many, all pairs are compared in memory; beyond, SciPy sorts


def tau_a(first: Floats, second: Floats) -> float:
    """Concordant minus discordant pairs, divided by all pairs; ties are neither."""
    agreeing, n_pairs, _, _ = _counts(first, second)
    return agreeing / n_pairs


def tau_b(first: Floats, second: Floats) -> float:
    """Concordant minus discordant pairs, over the geometric mean of the pairs untied in each ranking.

    NaN if all items of a ranking are tied.
    """
    agreeing, n_pairs, tied_first, tied_second = _counts(first, second)
    below = np.sqrt((n_pairs - tied_first) * (n_pairs - tied_second))
    return float(agreeing / below) if below else float("nan")


def _counts(first: Floats, second: Floats) -> tuple[float, float, float, float]:
    """Concordant minus discordant pairs, all pairs, and the pairs tied in each ranking."""
    n = len(first)
    n_pairs, tied = n * (n - 1) / 2, (_tied(first), _tied(second))
    if n <= _SMALL:
        a, b = (np.sign(scores[:, None] - scores) for scores in (first, second))
        return float((a * b).sum()) / 2, n_pairs, *tied
    from scipy.stats import kendalltau

    below = np.sqrt((n_pairs - tied[0]) * (n_pairs - tied[1]))
    return (round(kendalltau(first, second).statistic * below) if below else 0.0), n_pairs, *tied


def _tied(values: Floats) -> float:
    count = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((count * (count - 1)).sum() / 2)


def concordance(first: Floats, second: Floats) -> float:
    """Proportion of concordant pairs; a tie counts half."""
    return (tau_a(first, second) + 1) / 2


def spearman(first: Floats, second: Floats) -> float:
    """Pearson correlation of the ranks; tied values have their mean rank. NaN if all are tied."""
    a, b = (ranks(scores) - (len(scores) + 1) / 2 for scores in (first, second))
    below = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / below) if below else float("nan")


def ranks(values: Floats) -> Floats:
    """The rank of each value: the highest has rank 1, equal values have their mean rank."""
    _, place, count = np.unique(-values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (last - (count - 1) / 2)[place]


def weighted_tau(first: Floats, second: Floats) -> float:
    """Kendall's tau with each pair weighted by the sum of 1/rank of both (Vigna 2015).

    The mean over both rankings as the source of the ranks. NaN if all are tied.
    """
    from scipy.stats import weightedtau

    if len(np.unique(first)) == 1 or len(np.unique(second)) == 1:
        return float("nan")
    return float(weightedtau(first, second).statistic)


def tau_ap(
    first: Floats, second: Floats, *, ties: Literal["kept", "broken"] = "kept", symmetric: bool = False
) -> float:
    """Mean agreement with the true ranking of the items above each item of the second ranking (Yilmaz 2008).

    For each item from rank 2: the proportion of the items above it that the true ranking also has above it, minus the
    proportion that it has below. Errors near the top have the most weight. Ties can be kept: only items strictly above
    count, a ranking agrees perfectly with itself, and the value is NaN if all are tied. Or they can be broken: the mean
    over all ways to break them. Neither is tau-AP-b, Urbano and Marrero's treatment of ties. The first ranking is the
    true one; exchanging the two changes the value unless `symmetric`, which takes the mean of both directions.
    """
    require_one_of("ties", ties, ("kept", "broken"))
    if symmetric:
        return (tau_ap(first, second, ties=ties) + tau_ap(second, first, ties=ties)) / 2
    n_above, higher, lower = _above(first, second)
    if ties == "broken":
        return _broken(second, n_above, higher - lower)
    below = n_above > 0
    defined = below.any() and np.ptp(first) > 0
    return float(((higher - lower)[below] / n_above[below]).mean()) if defined else float("nan")


def _above(first: Floats, second: Floats) -> tuple[Ints, Ints, Ints]:
    """The number of items above each item in the second ranking, and of those that the first has higher or lower.

    Computed in blocks of rows, so that memory stays linear.
    """
    step = max(_CELLS // len(first), 1)
    blocks = []
    for start in range(0, len(first), step):
        rows = slice(start, start + step)
        above = second[None, :] > second[rows, None]
        masks = (above, above & (first[None, :] > first[rows, None]), above & (first[None, :] < first[rows, None]))
        blocks.append([mask.sum(axis=1) for mask in masks])
    n, higher, lower = (np.concatenate(counts) for counts in zip(*blocks, strict=True))
    return n, higher, lower


def _broken(second: Floats, n_above: Ints, agreeing: Ints) -> float:
    """The expected value over random orders of tied items in the second ranking: k of an item's equals are above it.

    Among themselves, tied items agree and disagree equally often.
    """
    _, group, counts = np.unique(second, return_inverse=True, return_counts=True)
    size = counts[group]
    total = 0.0
    for k in range(int(size.max())):
        here = (size > k) & (n_above + k > 0)
        total += float((agreeing / np.maximum(n_above + k, 1) / size)[here].sum())
    return total / (len(second) - 1)


def tau_ap_a(first: Floats, second: Floats) -> float:
    """The accuracy of the second ranking, which may have ties, given a true ranking without ties.

    The mean of tau-AP over all ways to break the ties (Urbano and Marrero 2017). NaN if the first ranking has ties.
    """
    return tau_ap(first, second, ties="broken") if len(np.unique(first)) == len(first) else float("nan")


def tau_ap_b(first: Floats, second: Floats) -> float:
    """The agreement of two rankings that may have ties, neither of them the true one (Urbano and Marrero 2017).

    For each item below the top group of one ranking: the proportion of the items strictly above it that the other
    ranking also has strictly above it, so that a tie in only the other ranking counts as discordant. Scaled to
    [-1, 1]; the mean of both directions. NaN if all items are tied in a ranking.
    """
    directions = [_above(*rankings)[:2] for rankings in ((first, second), (second, first))]
    if not all(n_above.any() for n_above, _ in directions):
        return float("nan")
    return float(np.mean([2 * (higher[n > 0] / n[n > 0]).mean() - 1 for n, higher in directions]))


CORRELATIONS: dict[str, Callable[..., float]] = {
    "tau-a": tau_a,
    "tau-b": tau_b,
    "tau-AP": tau_ap,
    "tau-AP-a": tau_ap_a,
    "tau-AP-b": tau_ap_b,
    "spearman": spearman,
    "weighted tau": weighted_tau,
    "concordance": concordance,
}


# Rank-biased overlap: the similarity of two rankings that may contain different documents


Ties = Literal["expected", "kept", "active"]

_OVERLAP_CELLS = 1 << 18  # depths times documents processed at once


def rank_biased_overlap(
    first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9, ties: Ties = "expected"
) -> float:
    """Mean overlap of the top documents over all depths, each depth weighted p times the one above (Webber 2010).

    Beyond the end of a ranking the overlap is extrapolated (RBO_ext). Tied documents share the ranks of their group:
    averaged over all ways to break the tie (expected); as equals, so that a ranking agrees perfectly with itself
    (kept); or all of them active from the first of those ranks (active). See Corsi and Urbano (2024).
    """
    require_between("p", p, 0, 1)
    require_one_of("ties", ties, Ties)
    shorter, longer = sorted((first, second), key=len)
    depth = np.arange(1, len(longer) + 1)
    agreement = _agreement(_tie_groups(shorter, longer, ties), _tie_groups(longer, shorter, ties), depth, len(shorter))
    weight = p**depth
    return float((1 - p) / p * (agreement * weight).sum() + agreement[-1] * weight[-1])


def least_overlap(first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9) -> float:
    """The lower bound of RBO over all continuations of the two rankings (RBO_min; Webber, Moffat and Zobel 2010).

    It is reached if no further document is in both. Ties are averaged over all ways to break them.
    """
    require_between("p", p, 0, 1)
    shorter, longer = sorted((first, second), key=len)
    depth = np.arange(1, len(longer) + 1)
    common = _common(_tie_groups(shorter, longer, "expected"), _tie_groups(longer, shorter, "expected"), depth)
    return float((1 - p) / p * ((common * p**depth / depth).sum() + common[-1] * _beyond(len(longer), p)))


def overlap_residual(first: Mapping[str, float], second: Mapping[str, float], *, p: float = 0.9) -> float:
    """The residual over all continuations of the two rankings: RBO_max minus RBO_min.

    At the upper bound, every further document matches one of the other ranking as early as possible: one per depth up
    to the end of the longer ranking, then two, until all are matched. How ties are broken makes no difference.
    """
    require_between("p", p, 0, 1)
    (short, long), shared = sorted((len(first), len(second))), len(first.keys() & second.keys())
    full = long + short - shared  # the first depth at which all documents can be matched
    one, two = np.arange(short + 1.0, long + 1), np.arange(long + 1.0, full + 1)
    gained = ((one - short) / one * p**one).sum() + ((2 * two - long - short) / two * p**two).sum()
    return float((1 - p) / p * (gained - shared * _beyond(full, p)) + p**full)


def _beyond(depth: int, p: float) -> float:
    """The sum of p^d / d over all greater depths d."""
    above = np.arange(1.0, depth + 1)
    return max(float(-np.log1p(-p) - (p**above / above).sum()), 0.0)


@frozen(eq=False)
class TieGroups:
    """The groups of tied documents of a ranking, and the documents that the other ranking has too."""

    top: Floats  # the first rank of each group
    size: Floats
    shared: Ints  # the group of each shared document, in the same order for both rankings
    ties: Ties

    def present(self, depth: Ints) -> Floats:
        """The degree to which each shared document is among the first d: `present[d, document]`."""
        part = 1.0 if self.ties == "active" else self.size[self.shared]  # documents of a group per depth
        return np.clip((depth[:, None] - self.top[self.shared] + 1) / part, 0, 1)

    def norm(self, depth: Ints) -> Floats:
        """The size of the first d, by which the overlap is divided."""
        last = np.searchsorted(self.top, depth, side="right") - 1  # the group at this depth
        size = self.size[last]
        reached = 1.0 if self.ties == "active" else np.minimum((depth - self.top[last] + 1) / size, 1) ** 2
        return self.top[last] - 1 + reached * size


def _tie_groups(order: Mapping[str, float], other: Mapping[str, float], ties: Ties) -> TieGroups:
    values = np.array(list(order.values()), np.float64)
    _, group, count = np.unique(-values, return_inverse=True, return_counts=True)
    size = count.astype(np.float64)
    group_of = dict(zip(order, group.tolist(), strict=True))
    shared = np.array([group_of[name] for name in sorted(order.keys() & other.keys())], np.int64)
    return TieGroups(np.cumsum(size) - size + 1, size, shared, ties)


def _common(short: TieGroups, long: TieGroups, depth: Ints) -> Floats:
    """The number of documents among the first d of both."""
    step = max(_OVERLAP_CELLS // max(len(short.shared), 1), 1)
    parts = (depth[start : start + step] for start in range(0, len(depth), step))
    return np.concatenate([(short.present(part) * long.present(part)).sum(axis=1) for part in parts])


def _agreement(short: TieGroups, long: TieGroups, depth: Ints, n_short: int) -> Floats:
    """The agreement at each depth; beyond the end of the shorter ranking it is extrapolated."""
    common = _common(short, long, depth)
    unseen = np.maximum(depth - n_short, 0)
    below = depth.astype(np.float64)
    if short.ties != "expected":
        a, b = short.norm(depth), long.norm(depth)
        below = (a + unseen + b) / 2 if short.ties == "active" else np.sqrt((a + unseen) * b)
    reached = common[n_short - 1] / below[n_short - 1]
    return (common + unseen * reached) / below


OVERLAPS: dict[str, Callable[..., float]] = {
    "RBO": rank_biased_overlap,
    "RBO-min": least_overlap,
    "RBO-residual": overlap_residual,
}


# Rankings of systems or documents in any form, and the correlation of two of them


METHODS = (*CORRELATIONS, *OVERLAPS)
_EITHER_WAY = {"tau-a", "tau-b", "spearman", "concordance"}  # the same if both rankings are reversed


def as_orders(rankings: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The rankings, each with the scores of its items, higher is better. A list of names ranks the best first.

    Scores in a list belong to numbered items. The index of a pandas series of scores names them, unless it just counts
    the rows and no other ranking names its items.
    """
    items = {name: _plain(data) for name, data in rankings.items()}
    named = next((name for name, ranking in items.items() if _names_items(ranking)), None)
    if named is not None:
        items = {name: _named(ranking, rankings[name], name, named) for name, ranking in items.items()}
    return {name: _order(ranking) for name, ranking in items.items()}


def possible_ranks(rankings: Mapping[str, Any], coefficients: Sequence[str] | None) -> tuple[str, ...]:
    """A remark if scores are the numbers from 1, and the coefficient would differ if they are ranks, 1 for the best."""
    sized = {name: ranking for name, ranking in rankings.items() if hasattr(ranking, "__len__")}
    ranks = [name for name, ranking in sized.items() if _counts_from_one(_plain(ranking))]
    either_way = coefficients is not None and set(coefficients) <= _EITHER_WAY and len(ranks) == len(rankings)
    if not ranks or either_way:
        return ()
    whose = f"{', '.join(map(repr, ranks[:3]))}{f' and {len(ranks) - 3} more' if len(ranks) > 3 else ''}"
    return (
        f"the numbers from 1 in {whose} are read as scores, the highest as the best; if they are ranks, pass names, "
        "the best first, or negative ranks",
    )


def _counts_from_one(ranking: Any) -> bool:
    """Whether the scores of a ranking of three items or more are 1, 2, 3 … in any order."""
    scores = list(ranking.values() if isinstance(ranking, Mapping) else ranking)
    return len(scores) > 2 and all(map(is_number, scores)) and sorted(scores) == [*range(1, len(scores) + 1)]


def _names_items(ranking: Any) -> bool:
    return isinstance(ranking, Mapping) or (len(ranking) > 0 and all(isinstance(item, str) for item in ranking))


def _named(ranking: Any, data: Any, name: str, other: str) -> Any:
    """A ranking of named items: a pandas series of scores has its index as names."""
    if _names_items(ranking):
        return ranking
    if has_index(data):
        return by_label("the ranking", list(map(str, data.index)), ranking)
    raise BadInput(
        f"the ranking {other!r} names its items, but {name!r} is a list of scores without names; pass {{name: score}}"
    )


def _order(ranking: Any) -> dict[str, float]:
    if isinstance(ranking, Mapping):
        score_of = _scored(by_name(ranking, "names in a ranking"))
    elif _names_items(ranking):
        names = list(map(str, ranking))
        score_of = {name: float(-place) for place, name in enumerate(names)}
        if len(score_of) < len(names):
            raise BadInput(f"duplicate {_repeated(names)!r} in the ranking {', '.join(names)}")
    else:
        score_of = _scored({str(place): score for place, score in enumerate(ranking, 1)})
    if not score_of:
        raise BadInput("the ranking is empty")
    return score_of


def _plain(data: Any) -> Any:
    """Series of pandas and Polars and Arrow arrays as lists, or as dicts if an index names the scores."""
    for method in ("to_pylist", "to_list"):  # Arrow; Polars and pandas
        if hasattr(data, method) and not hasattr(data, "columns"):
            values = getattr(data, method)()
            if not is_labelled(data) or all(isinstance(value, str) for value in values):
                return values
            return by_label("the ranking", list(map(str, data.index)), values)
    if isinstance(data, str | bytes) or not isinstance(data, Mapping | Sequence | np.ndarray):
        raise BadInput(
            f"{type(data).__name__} is not a ranking; pass {{name: score}}, scores, or names with the best first"
        )
    return data


def _scored(scores: Mapping[str, Any]) -> dict[str, float]:
    """The scores as floats; integers too large for floats are replaced by their ranks."""
    whole = {name: score for name, score in scores.items() if isinstance(score, int | np.integer)}
    if len(whole) == len(scores) and any(abs(int(score)) > number_spelling.EXACT for score in whole.values()):
        place = {score: at for at, score in enumerate(sorted({int(score) for score in whole.values()}))}
        return {name: float(place[int(score)]) for name, score in whole.items()}
    return {name: _score(score, name) for name, score in scores.items()}


def _score(score: Any, name: str) -> float:
    try:
        number = number_spelling.number(score)
    except ValueError:
        raise BadInput(
            f"the score of {name!r} is {score!r:.40}, which is not a number; pass scores, or names with the best first"
        ) from None
    if math.isnan(number):
        raise BadInput(f"{name!r} has no score, so it cannot be ranked; remove it from both rankings")
    return number


def _repeated(names: list[str]) -> str:
    return next(name for place, name in enumerate(names) if name in names[:place])


def rank_coefficient(first: Mapping[str, float], second: Mapping[str, float], method: str, /, **settings: Any) -> float:
    """The coefficient of two rankings, as scores by name; NaN if all names are tied in one of them."""
    function, first, second = _function(method, settings), with_ties_merged(first), with_ties_merged(second)
    if method in OVERLAPS:
        return function(first, second, **settings)
    if first.keys() != second.keys():
        unshared = sorted(first.keys() ^ second.keys())
        raise BadInput(
            f"the two rankings contain different items ({len(unshared)} occur in only one, such as {unshared[0]!r}); "
            "only RBO supports that"
        )
    if len(first) < 2:
        raise BadInput("a ranking needs at least 2 items; got 1")
    a, b = list(first.values()), [second[name] for name in first]
    return function(*(np.unique(scores, return_inverse=True)[1].astype(np.float64) for scores in (a, b)), **settings)


def pair_counts(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, int]:
    """The pairs of items that two orders put in the same or in opposite order, or tie."""
    first, second = with_ties_merged(first), with_ties_merged(second)
    a, b = np.array(list(first.values())), np.array([second[name] for name in first])
    above = np.triu_indices(len(a), 1)
    one, other = (np.sign(scores[:, None] - scores[None, :])[above] for scores in (a, b))
    return {
        "pairs": len(one),
        "concordant": int((one * other > 0).sum()),
        "discordant": int((one * other < 0).sum()),
        "tied_in_first": int(((one == 0) & (other != 0)).sum()),
        "tied_in_second": int(((one != 0) & (other == 0)).sum()),
        "tied_in_both": int(((one == 0) & (other == 0)).sum()),
    }


def with_ties_merged(order: Mapping[str, float]) -> dict[str, float]:
    """The ranking with scores that are equal up to rounding made equal, so that they tie."""
    scores = np.array([*order.values()], np.float64)
    return dict(zip(order, merged(scores, np.abs(scores)).tolist(), strict=True))


def undefined(first: Mapping[str, float], second: Mapping[str, float]) -> str:
    """Why the coefficient of two rankings is undefined."""
    which = [
        name for name, order in (("first", first), ("second", second)) if len({*with_ties_merged(order).values()}) == 1
    ]
    if not which:
        return "the first ranking, taken as the true one, has ties"
    return f"all items are tied in the {' and the '.join(which)} ranking"


def _function(method: str, settings: Mapping[str, Any]) -> Callable[..., float]:
    if method not in METHODS:
        raise BadSetting(f"there is no correlation {method!r}; available: {', '.join(METHODS)}")
    function: Callable[..., float] = {**CORRELATIONS, **OVERLAPS}[method]
    known = list(inspect.signature(function).parameters)[2:]
    for name in settings:
        if name not in known:
            raise BadSetting(f"{method} has no setting {name!r}; it has: {', '.join(known) or 'none'}")
    return function


# Confidence intervals of rank correlations, over topics or over the ranked items


FEWEST_ITEMS = 10
MOST_ITEMS = 2_000  # with more items, leaving each out takes too long
_GROUPS = 50  # of items left out in turn; items one by one up to this many
_UNIT_RANGE = ("concordance", *OVERLAPS)

Scores = Mapping[str, float]


@frozen(eq=False)
class TopicValues:
    """The values whose means over topics rank the systems: `values[ranking][system, topic]`, NaN if not counted.

    The topics are the same, in the same order, for all rankings; higher values are better.
    """

    systems: Mapping[str, Sequence[str]]
    values: Mapping[str, Floats]
    confidence: float = CONFIDENCE
    resamples: int = STANDARD_ERROR_RESAMPLES
    seed: int = 0

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return next(iter(self.values.values())).shape[1]

    @cached_property
    def resampled(self) -> dict[str, Floats]:
        """Each ranking by bootstrap resamples of the topics, the same for all: `scores[resample, system]`."""
        weights = [*draws(self.n_topics, self.resamples, self.seed, width=max(map(len, self.systems.values())))]
        rankings = {}
        for name, values in self.values.items():
            known = ~np.isnan(values)
            sums = np.concatenate([weight @ np.where(known, values, 0.0).T for weight in weights])
            counts = np.concatenate([weight @ known.T for weight in weights])
            means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
            rankings[name] = np.array([merged(row, np.abs(row)) for row in means])
        return rankings

    def interval(self, names: tuple[str, str], coefficient: str, value: float, **settings: Any) -> Interval:
        """The interval of the mean coefficient over other sets of as many topics: t with the bootstrap standard error.

        Rankings by resamples are less similar than those by the topics themselves, so only their spread is used. The
        interval is not one for infinitely many topics, which resampling cannot provide.
        """
        require_confidence(self.confidence)
        if self.n_topics < 2:
            return absent(self.confidence, "at least 2 topics are needed to estimate variance")
        drawn = self._drawn(names, coefficient, settings)
        if np.isnan(drawn).any():
            return absent(self.confidence, f"undefined in {np.isnan(drawn).sum()} of {len(drawn)} resamples")
        half = t_quantile((1 + self.confidence) / 2, self.n_topics - 1) * drawn.std(ddof=1)
        if half == 0:
            return absent(self.confidence, "every resample gives the same value")
        bounds = Interval(np.array([value - half]), np.array([value + half]), self.confidence, "bootstrap over topics")
        return bounds.within(range_of(coefficient))

    def _drawn(self, names: tuple[str, str], coefficient: str, settings: Mapping[str, Any]) -> Floats:
        """The coefficient of two rankings in each resample."""
        (one, other), (first, second) = (self.systems[name] for name in names), (self.resampled[name] for name in names)
        if np.isnan(first).any() or np.isnan(second).any():
            return np.full(self.resamples, np.nan)
        if coefficient in OVERLAPS:
            scored = ((dict(zip(one, a, strict=True)), dict(zip(other, b, strict=True))) for a, b in zip(first, second))
            return np.array([OVERLAPS[coefficient](a, b, **settings) for a, b in scored])
        place = [list(other).index(name) for name in one]
        function = CORRELATIONS[coefficient]
        return np.array([function(a, b, **settings) for a, b in zip(first, second[:, place], strict=True)])


def interval_over_items(
    first: Scores, second: Scores, coefficient: str, value: float, confidence: float = CONFIDENCE, **settings: Any
) -> Interval:
    """The jackknife interval over items: the coefficient for other similar items, treated as a random sample.

    It is symmetric on Fisher's z scale: on that of the coefficient, Spearman's covers too rarely. RBO has none: its
    value depends on the few items at the top, and the jackknife undercovers.
    """
    require_confidence(confidence)
    if coefficient in OVERLAPS:
        return absent(confidence, f"{coefficient} has no interval over items; pass values by topic")
    names = list(first)
    if not FEWEST_ITEMS <= len(names) <= MOST_ITEMS:
        return absent(confidence, f"an interval over items needs {FEWEST_ITEMS} to {MOST_ITEMS:,} items")
    left_out = np.empty(min(len(names), _GROUPS))
    for group, rows in enumerate(rows_without_group(len(names), len(left_out))):
        one, other = ({names[row]: scores[names[row]] for row in rows} for scores in (first, second))
        left_out[group] = rank_coefficient(one, other, coefficient, **settings)
    if np.isnan(left_out).any():
        return absent(confidence, "undefined without some items")
    if np.ptp(left_out) == 0:
        return absent(confidence, "leaving out any item gives the same value")
    bounds = jackknife_interval(value, left_out, range_of(coefficient), confidence)
    return bounds if bounds.reason else replace(bounds, method="jackknife over items")


def range_of(coefficient: str) -> tuple[float, float]:
    """The smallest and the largest value of a coefficient."""
    return (0.0, 1.0) if coefficient in _UNIT_RANGE else (-1.0, 1.0)
