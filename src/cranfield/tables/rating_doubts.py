"""Doubts about ratings: columns that may not be raters, and categories that may be missing or spelled in two ways."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from cranfield.tables.column_roles import listed
from cranfield.tables.ratings import Rated
from cranfield.tables.readers.cell_types import MISSING, alike

_DERIVED = {
    *("majority", "consensus", "adjudicated", "adjudication", "gold", "truth", "final", "aggregate", "aggregated"),
    *("mean", "median", "mode", "average"),
}


def doubts(ratings: Rated) -> Iterator[str]:
    """Remarks for users on what was read as a rater or as a category, and may be something else."""
    texts = [category for category in ratings.categories if isinstance(category, str)]
    missing = [text for text in texts if text in MISSING]
    if missing:
        yield f"{listed(missing)} counts as a category; leave the rating empty if it is missing"
    for first, second in alike(texts)[:1]:
        yield f"the categories {first!r} and {second!r} count as different, although they are spelled alike"
    derived = [name for name in ratings.raters if _DERIVED.intersection(re.split(r"[\W_\d]+", name.casefold()))]
    if derived and len(ratings.raters) > 2:
        yield f"{listed(derived)} counts as a rater; leave it out if its ratings were derived from those of the others"
    strangers = [ratings.raters[rater] for rater in _strangers(ratings)]
    if strangers:
        yield f"{listed(strangers)} shares no category with any other rater; leave it out if it is not a rater"


def _strangers(ratings: Rated) -> list[int]:
    """Raters who use several categories but share none with another rater."""
    if len(ratings.raters) < 2:
        return []
    size = len(ratings.categories)
    rater, category = np.divmod(np.unique(ratings.rater * size + ratings.category), size)
    shared = np.bincount(category, minlength=size)[category] > 1
    n_used, n_shared = (np.bincount(some, minlength=len(ratings.raters)) for some in (rater, rater[shared]))
    return np.flatnonzero((n_used > 1) & (n_shared == 0)).tolist()
