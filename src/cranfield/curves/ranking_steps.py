"""The working of the measures of one ranking: precision, recall, F, AP and DCG, rank by rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.evidence.exact import ratio
from cranfield.frozen import frozen
from cranfield.measures.graded import Discount, divisor, gain_of
from cranfield.measures.settings import Value


@frozen
class Conventions:
    """The settings of the measures whose working is shown."""

    rel: float = 1
    beta: float = 1
    gain: Any = "linear"
    discount: Discount = "log(i+1)"
    base: float = 2
    ideal: str = "judged"  # whether the ideal ranking is of all judged or of the retrieved documents
    gain_rel: float | None = None  # lower grades have no gain
    top: Any = "query"  # the top grade; of a ranking whose judgments are all that is known, the highest in them


def rank_by_rank(grade: Floats, judged: Floats, how: Conventions) -> dict[str, Floats]:
    """The columns of the table, one row per rank.

    `grade[i]` is the grade of the document at rank i + 1, NaN if unjudged; `judged` are the grades of all judged
    documents of the query, retrieved or not.
    """
    rank = np.arange(1, len(grade) + 1)
    known = np.nan_to_num(grade, nan=-np.inf)
    relevant = known >= how.rel
    hits, total = np.cumsum(relevant), float((judged >= how.rel).sum())
    precision, recall = hits / rank, ratio(hits, total)
    gain = gain_of(known, how.gain, how.gain_rel)
    factor = 1 / divisor(rank, how.discount, how.base)
    best = judged if how.ideal == "judged" else known
    best_gain = np.sort(np.maximum(gain_of(best, how.gain, how.gain_rel), 0))[::-1]
    ideal = np.append(best_gain, np.zeros(len(rank)))[: len(rank)]
    discounted = gain * factor
    dcg, ideal_dcg = np.cumsum(discounted), np.cumsum(ideal * factor)
    top = float(judged.max(initial=0)) if how.top == "query" else how.top
    return {
        "P": precision,
        "R": recall,
        "F": _f(hits, rank, total, how.beta),
        "AP_part": ratio(np.where(relevant, precision, 0), total),
        "gain": gain,
        "CG": np.cumsum(gain),
        "nCG": ratio(np.cumsum(np.clip(known, 0, top)), rank * top),
        "discount": factor,
        "DCG_part": discounted,
        "DCG": dcg,
        "ideal_gain": ideal,
        "IDCG": ideal_dcg,
        "nDCG": ratio(dcg, ideal_dcg),
    }


def _f(hits: NDArray[Any], rank: NDArray[Any], total: float, beta: float) -> Floats:
    weight = 1 / (1 + beta * beta)
    return ratio(hits, weight * rank + (1 - weight) * total)


def closing(grade: Floats, judged: Floats, how: Conventions, cutoff: int | None) -> dict[str, float]:
    """The values at a cutoff below the last document of a ranking; without a cutoff, those of the whole ranking.

    Ranks below the last document are empty, but the ideal ranking may fill them.
    """
    n, total = len(grade), float((judged >= how.rel).sum())
    deep = max(n, len(judged), 1) if cutoff is None else cutoff
    columns = rank_by_rank(np.append(grade, np.full(deep - n, np.nan)), judged, how)
    at = max(n, 1) if cutoff is None else cutoff
    last = {name: float(columns[name][at - 1]) for name in ("P", "R", "F", "CG", "nCG", "DCG")}
    if cutoff is None and not n:
        nothing = np.zeros(1)
        last |= {"P": np.nan, "nCG": np.nan, "F": float(_f(nothing, nothing, total, how.beta)[0])}
    ideal = float(columns["IDCG"][deep - 1])
    return last | {"IDCG": ideal, "nDCG": last["DCG"] / ideal if ideal else np.nan}


def conventions(options: list[dict[str, Value]], top: float) -> Conventions:
    """The conventions of the first measure with each of these settings; the top grade is that of all judgments."""
    conventions_found: dict[str, Any] = {}
    for settings in options:
        discounted = "discount" in settings
        names = {"gain": "gain", "discount": "discount", "base": "base", "ideal": "ideal", "rel": "gain_rel"}
        for name, setting in names.items() if discounted else (("rel", "rel"), ("top", "top")):
            if name in settings and settings[name] not in (None, "judgments"):
                conventions_found.setdefault(setting, settings[name])
        if "alpha" in settings and "beta" in settings:
            alpha: Any = settings["alpha"]
            conventions_found.setdefault(
                "beta", settings["beta"] if alpha is None else np.sqrt(ratio(1 - alpha, alpha))
            )
    return Conventions(**({"top": top} | conventions_found))
