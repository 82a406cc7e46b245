"""The catalogue of measures as the tests see it: every measure, with settings drawn from what each setting may be."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cranfield.evidence.hits import Hits
from cranfield.measures.registry import Measure, bound, declarations
from cranfield.settings import Setting

RANKING = [name for name, declared in declarations().items() if declared.evidence is Hits]

_NUMBERS = (-1, 0, 0.1, 0.25, 0.5, 0.6, 0.8, 0.95, 1, 1.5, 2, 3, 4)
_WHOLE = (1, 2, 3, 4, 5, 7, 10)
_COLLECTION = (50, 100, 1000)  # more documents than any picture shows
_LEVELS = (0, 0.5, 1, 1.5, 2, 3)  # a negative grade is no level of relevance
_GAINS = st.dictionaries(st.sampled_from((-1, 0, 0.5, 1, 2, 3)), st.sampled_from((0, 0.5, 1, 2.5, 10)), min_size=1)


def values(setting: Setting, tables: bool = True) -> st.SearchStrategy[Any]:
    """What a setting may be; a table of gains, too, unless the test reads grades as gains."""
    if setting.name in ("rel", "unjudged"):
        numbers: tuple[float, ...] = _LEVELS
    elif setting.name == "collection":
        numbers = _COLLECTION
    elif setting.name == "bottom":
        numbers = (0,)  # below any top
    else:
        numbers = _NUMBERS + _WHOLE
    allowed: list[Any] = [n for n in numbers if any(n in range_ for range_ in setting.ranges)]
    allowed += [choice for choice in setting.choices if choice != "judgments"]  # of which a query knows only its own
    options = [st.sampled_from(allowed)] if allowed else []
    if setting.numbers:
        options.append(st.lists(st.sampled_from((0.0, 0.1, 0.35, 0.6, 1.0)), min_size=1, max_size=4))
    if setting.gains and tables:
        options.append(_GAINS)
    return st.one_of(options)


@st.composite
def measures(draw: st.DrawFn, name: str, without: tuple[str, ...] = (), tables: bool = True) -> Measure:
    """The measure of this name, with some of its settings chosen."""
    declared = declarations()[name]
    chosen: dict[str, Any] = {}
    for word, setting in declared.settings.items():
        if setting.required or setting.default == "judgments" or (word not in without and draw(st.booleans())):
            chosen[word] = draw(values(setting, tables))
    if "alpha" in chosen:
        chosen.pop("beta", None)  # two ways to give one weight, of which one is allowed
    return bound(declared, chosen)


# Where a law does not hold, and why.

SEES_BELOW = {("ideal", "retrieved")}  # the best order of all that was retrieved draws on what stands below the cutoff

NOT_BEST = {
    "nCG": "without a cutoff it is a mean over what was retrieved, so that the best document alone beats them all",
    "Accuracy": "it compares what was retrieved, and there is nothing to compare in a ranking of relevant documents",
}

UNDEFINED = {"Accuracy": "there may be nothing but relevant documents down to the cutoff"}
