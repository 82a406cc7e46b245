"""Rules about raters: how far they agree, and what chance has to do with it."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.findings.finding import Said, said
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import number, share
from cranfield.results.agreement import Agreement

_CHANCE_CORRECTED = ("Kappa", "Fleiss", "Alpha")  # the first that was asked for is looked at


def _value(agreement: Agreement, name: str) -> float | None:
    for row in agreement.of("all"):
        if row.measure == name and row.value == row.value:
            return row.value
    return None


def _corrected(agreement: Agreement) -> tuple[str, float] | None:
    """The chance-corrected coefficient that there is."""
    found = ((name, _value(agreement, name)) for name in _CHANCE_CORRECTED)
    return next(((name, value) for name, value in found if value is not None), None)


def _fixed(agreement: Agreement, observed: float) -> float:
    """The agreement beyond chance were all categories as frequent."""
    chance = 1 / max(len(agreement.categories), 2)
    return (observed - chance) / (1 - chance)


@rule(
    "kappa-prevalence",
    title="Kappa is low though raters agree",
    severity="caution",
    why="Where nearly all items fall in one category, raters agree by chance most of the time. Kappa then is low "
    "however often they agree, and swings with a few items: that is the prevalence, not the raters.",
    action="Report the observed agreement, the shares of the categories and a coefficient that does not collapse "
    "(AC1, or S) beside kappa; sample items so that categories are more even.",
)
def kappa_prevalence(
    agreement: Agreement, *, agreed: float = 0.6, kappa: float = 0.4, apart: float = 0.1
) -> Iterator[Said]:
    """Raters agree on at least `agreed`, kappa is below `kappa`, and by `apart` below its value for even categories."""
    observed, corrected = _value(agreement, "Agreement"), _corrected(agreement)
    if observed is None or corrected is None:
        return
    name, value = corrected
    even = _fixed(agreement, observed)
    if reaches(observed, agreed) and not reaches(value, kappa) and reaches(even - value, apart):
        gwet = _value(agreement, "AC1")
        beside = f", and Gwet's AC1 is {number(gwet)}" if gwet is not None else ""
        yield said(
            f"Raters agree on {share(observed)} of the items, yet {name} is {number(value)}: one category is so "
            "frequent that chance alone agrees often. With even categories the same agreement would give "
            f"{number(even)}{beside}.",
            {"agreement": observed, "kappa": value, "even": even, "ac1": gwet},
            measure=name,
        )


@rule(
    "low-agreement",
    title="Raters hardly agree beyond chance",
    severity="serious",
    why="Judgments that two people make differently cannot tell which of two systems is better: the task confuses "
    "raters, or the data are poor.",
    action="Make the guidelines clearer, discuss items on which raters differ, judge again; meanwhile see whether "
    "the order of the systems stays the same under each rater's judgments.",
)
def low_agreement(agreement: Agreement, *, kappa: float = 0.2) -> Iterator[Said]:
    """Kappa is at most `kappa`, and would be were the categories even."""
    observed, corrected = _value(agreement, "Agreement"), _corrected(agreement)
    if corrected is None:
        return
    name, value = corrected
    even = value if observed is None else _fixed(agreement, observed)
    if reaches(kappa, value) and reaches(kappa, even):
        often = f"Raters agree on {share(observed)} of the items, and " if observed is not None else ""
        against = "less than" if value < 0 else "little more than" if value > 0 else "what"
        sentence = f"{often}{name} is {number(value)}: {against} chance would give."
        yield said(sentence, {"agreement": observed, "kappa": value, "even": even}, measure=name)
