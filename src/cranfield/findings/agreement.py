"""Rules about raters: how much they agree beyond chance."""

from __future__ import annotations

from cranfield.findings.finding import Observations, observation
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import number, percent
from cranfield.results.agreement import Agreement

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


@rule(
    "low-agreement",
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
        against = "worse than" if value < 0 else "little better than" if value > 0 else "no better than"
        sentence = f"{often}{name} is {number(value)}: {against} chance."
        yield observation(sentence, {"agreement": observed, "kappa": value, "even": even}, measure=name)
