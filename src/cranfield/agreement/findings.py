"""Rules about raters: how much they agree beyond chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.agreement.result import Agreement
from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.ratings import Ratings
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.statistics.distributions import t_tail
from cranfield.text import count, number, numbers, percent

_SEVERAL = 3  # raters, of whom one may be odd
_CHANCE_CORRECTED = ("Kappa", "Fleiss", "Alpha")  # the first one in the result is used


def _value(agreement: Agreement, name: str) -> float | None:
    for row in agreement.of("all"):
        if row.measure == name and row.value == row.value:
            return row.value
    return None


def _corrected(agreement: Agreement) -> tuple[str, float] | None:
    """The first chance-corrected coefficient in the result, with its name."""
    values = ((name, _value(agreement, name)) for name in _CHANCE_CORRECTED)
    return next(((name, value) for name, value in values if value is not None), None)


def _fixed(agreement: Agreement, observed: float) -> float:
    """The agreement beyond chance if all categories were equally frequent."""
    chance = 1 / max(len(agreement.categories), 2)
    return (observed - chance) / (1 - chance)


@rule(
    "kappa-prevalence",
    about="raters",
    title="Kappa is low although raters agree",
    severity="caution",
    why="When nearly all items fall into one category, chance agreement is high. Kappa is then low however often "
    "the raters agree, and a few items change it a lot. This is due to the prevalence, not to the raters.",
    action="Report the observed agreement, the category frequencies and a coefficient that is robust to prevalence "
    "(AC1 or S) next to kappa; sample items so that the categories are more balanced.",
)
def kappa_prevalence(
    agreement: Agreement, *, agreed: float = 0.6, kappa: float = 0.4, difference: float = 0.1
) -> Observations:
    """Raters agree on at least `agreed` of the items, but kappa is below `kappa`, and at least `difference` below its
    value for equally frequent categories."""
    observed, corrected = _value(agreement, "Agreement"), _corrected(agreement)
    if observed is None or corrected is None:
        return
    name, value = corrected
    even = _fixed(agreement, observed)
    if reaches(observed, agreed) and not reaches(value, kappa) and reaches(even - value, difference):
        gwet = _value(agreement, "AC1")
        beside = f"; Gwet's AC1 is {number(gwet)}" if gwet is not None else ""
        yield observation(
            f"Raters agree on {percent(observed)} of the items, yet {name} is {number(value)}: one category is so "
            "frequent that chance agreement is high. With equally frequent categories, the same agreement would give "
            f"{number(even)}{beside}.",
            {"agreement": observed, "kappa": value, "even": even, "ac1": gwet},
            measure=name,
        )


class _Rest(NamedTuple):
    """The kappa of a rater with the others, that of the others with each other, and the test that both agree alike."""

    kappa: float
    others: float
    n_items: int
    p: float


@rule(
    "odd-rater",
    about="raters",
    title="One rater disagrees with all others",
    severity="serious",
    why="One rater who guesses, misread the guidelines or uses the scale upside down lowers every coefficient over all "
    "raters, although the others agree.",
    action="Talk to this rater, look at items on which all others agree, and report the agreement without these "
    "ratings too. If the scale is upside down, reverse it.",
    explains=("low-agreement", "kappa-prevalence"),
)
def odd_rater(
    agreement: Agreement, *, kappa: float = 0.2, others: float = 0.4, level: float = 0.01, least: int = 10
) -> Observations:
    """Of three or more raters, one agrees with the others with a kappa of at most `kappa`, while the others agree with
    each other with a kappa of at least `others`.

    On the items (at least `least`) that the rater and two others rated, a t-test of the difference in agreement must be
    significant at `level` divided by the number of raters. Grades that are close count as different.
    """
    ratings = agreement.evidence
    if ratings is None or len(ratings.raters) < _SEVERAL:
        return
    rests = {name: _rest(ratings, r) for r, name in enumerate(ratings.raters)}
    odd = {
        name: rest
        for name, rest in rests.items()
        if rest.n_items >= least and rest.p < level / len(rests) and rest.kappa <= kappa and rest.others >= others
    }
    if odd:
        name = min(odd, key=lambda name: odd[name].kappa)
        rest = odd[name]
        turned = _rest(ratings, ratings.raters.index(name), upside_down=True).kappa
        with_others, among, in_reverse = numbers(rest.kappa, rest.others, turned)
        inverted = (ratings.ordered or ratings.n_categories == 2) and reaches(turned, others)
        scale = f"; with this rater's scale reversed, it would be {in_reverse}" if inverted else ""
        yield observation(
            f"{name} hardly agrees with the others beyond chance: kappa is {with_others}, but {among} among the others "
            f"({count(rest.n_items, 'item')}){scale}.",
            {"kappa": rest.kappa, "others": rest.others, "n_items": rest.n_items, "p": rest.p, "reversed": turned},
            rater=name,
        )


def _rest(ratings: Ratings, rater: int, *, upside_down: bool = False) -> _Rest:
    """How a rater agrees with the others, and they with each other, on the items that the rater and two others rated.

    With `upside_down`, the rater's categories are reversed. Chance agreement follows from the proportions of the
    categories: those of the rater, and of all others together.
    """
    category, counts = ratings.by_rater[:, rater], ratings.counts()
    common = (category >= 0) & (ratings.n_ratings >= _SEVERAL)
    category, counts, weight = category[common], counts[common], ratings.weight[common]
    rows = np.arange(len(category))
    counts[rows, category] -= 1
    category = ratings.n_categories - 1 - category if upside_down else category
    n = counts.sum(axis=1)
    with_own, among = ratio(counts[rows, category], n), ratio((counts * (counts - 1)).sum(axis=1), n * (n - 1))
    total = weight.sum()
    proportions = ratio(weight @ (counts / n[:, None]), total)
    of_own = ratio(np.bincount(category, weight, counts.shape[1]), total)
    difference, n_items = among - with_own, float(total)
    mean = float(ratio(weight @ difference, total))
    variance = float(ratio(weight @ (difference - mean) ** 2, total - 1))
    tested = n_items > 1 and mean > 0
    t = np.asarray(mean / np.sqrt(variance / n_items) if tested and variance > 0 else np.inf if tested else 0.0)
    return _Rest(
        _beyond_chance(ratio(weight @ with_own, total), of_own @ proportions),
        _beyond_chance(ratio(weight @ among, total), proportions @ proportions),
        round(n_items),
        float(t_tail(t, n_items - 1)) if tested else 1.0,
    )


def _beyond_chance(observed: Floats, chance: Floats) -> float:
    return float(ratio(observed - chance, 1 - chance))


@rule(
    "low-agreement",
    about="raters",
    title="Agreement between raters is barely above chance",
    severity="serious",
    why="Judgments on which raters disagree cannot show which of two systems is better: the guidelines are "
    "unclear, or the data are poor.",
    action="Clarify the guidelines, discuss the items on which raters disagree, and judge again. Until then, check "
    "whether each rater's judgments rank the systems in the same order.",
)
def low_agreement(agreement: Agreement, *, kappa: float = 0.2) -> Observations:
    """Kappa is at most `kappa`, and would still be if all categories were equally frequent."""
    observed, corrected = _value(agreement, "Agreement"), _corrected(agreement)
    if corrected is None:
        return
    name, value = corrected
    even = value if observed is None else _fixed(agreement, observed)
    if reaches(kappa, value) and reaches(kappa, even):
        often = f"Raters agree on {percent(observed)} of the items, and " if observed is not None else ""
        low, high = next((row.low, row.high) for row in agreement.of("all") if row.measure == name)
        against = "worse than" if high < 0 else "no better than" if low <= 0 or value <= 0 else "little better than"
        sentence = f"{often}{name} is {number(value)}: {against} chance."
        yield observation(sentence, {"agreement": observed, "kappa": value, "even": even}, measure=name)
