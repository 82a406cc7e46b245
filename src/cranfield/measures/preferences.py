"""Preference measures: how many preferences does a ranking satisfy?"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.preferences import Preferences
from cranfield.evidence.subtopics import Groups
from cranfield.measures.declaration import also, cut_off
from cranfield.measures.ranking import average_precision, r_precision
from cranfield.measures.registry import measure
from cranfield.measures.sets import precision
from cranfield.settings import Cutoff, Level, NonNegative

Pairs = Literal["all", "either", "both"]

_KINDS: dict[Pairs, int] = {"both": 1, "either": 2, "all": 3}
_trec = partial(measure, cite="trec_eval")
_count = partial(_trec, aggregate="sum", bounds=(0, np.inf))


@_count("NumPrefs", title="Preferences", higher_is_better=None, aliases=("prefs_num_prefs_poss",))
def n_preferences(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Number of preferences; optionally only those with both documents retrieved, or with at least one."""
    return preferences.sum(_of(preferences.stated, pairs))


@_count(
    "NumPrefsMet",
    title="Preferences satisfied",
    aliases=("prefs_num_prefs_ful", also("prefs_num_prefs_ful_ret", pairs="both")),
)
def n_preferences_met(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Number of preferences satisfied by the ranking."""
    return preferences.sum(_of(preferences.met, pairs))


@measure(
    "Prefs",
    title="Preferences satisfied",
    cite="carterette2008",
    aliases=("prefs_simp", also("prefs_simp_imp", pairs="either"), also("prefs_simp_ret", pairs="both")),
)
def proportion_of_preferences(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Proportion of preferences satisfied: the preferred document ranks higher, or it alone was retrieved.

    A preference between two missing documents is not satisfied; `pairs` can exclude such preferences, or those with
    any missing document.
    """
    return ratio(n_preferences_met(preferences, pairs=pairs), n_preferences(preferences, pairs=pairs))


@_trec(
    "PrefPairs",
    title="Preferences satisfied, by pairs of documents",
    aliases=("prefs_pair", also("prefs_pair_imp", pairs="either"), also("prefs_pair_ret", pairs="both")),
)
def pairs_of_documents(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Mean over document pairs of the proportion of judgment groups whose preference on the pair is satisfied."""
    return ratio(_of(preferences.pairs_met, pairs), _of(preferences.n_pairs, pairs))


@_trec(
    "PrefGroups",
    title="Preferences satisfied, by judgment groups",
    aliases=("prefs_avgjg", also("prefs_avgjg_imp", pairs="either"), also("prefs_avgjg_ret", pairs="both")),
)
def judgment_groups(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Mean over the judgment groups of the proportion of preferences satisfied.

    A group without preferences counts as 0, unless no group of the query has any.
    """
    stated = _of(preferences.stated, pairs)
    proportion = np.nan_to_num(ratio(_of(preferences.met, pairs), stated))
    return np.where(preferences.sum(stated) > 0, ratio(preferences.sum(proportion), preferences.n_groups), np.nan)


@_trec(
    "PrefGroupsEven",
    title="Preferences satisfied, by judgment groups with equal numbers of relevant and non-relevant documents",
    aliases=("prefs_avgjg_Rnonrel", also("prefs_avgjg_Rnonrel_ret", pairs="both")),
)
def even_judgment_groups(
    preferences: Preferences, *, pairs: Literal["all", "both"] = "all", form: Literal["trec", "plain"] = "trec"
) -> Floats:
    """As PrefGroups, with as many non-relevant documents as relevant ones in each group.

    Only the first non-relevant documents count; if there are too few, the rest are assumed below every relevant
    document that was retrieved. In a group without subgroups that has too many, trec_eval removes only documents of the
    lowest level and also compares those with each other, so even the best ranking stays below 1; among retrieved
    documents it uses some counts of all documents. The plain form does neither.
    """
    met, stated = _evened(preferences, pairs == "both", form == "trec")
    proportion = ratio(met, stated)
    return ratio(preferences.sum(proportion), preferences.n_groups)


def _of(table: NDArray[Any], pairs: Pairs) -> NDArray[Any]:
    """The sum over the kinds of preferences that count."""
    return table[:, : _KINDS[pairs]].sum(axis=1)


def _evened(preferences: Preferences, retrieved: bool, trec: bool) -> tuple[Floats, Floats]:
    """The number of balanced preferences of each group, satisfied and in all, with missing non-relevant documents."""
    at = int(retrieved)
    relevant, other = preferences.n_relevant[:, at], preferences.n_other[:, at]
    lacking, whole = np.maximum(relevant - other, 0), preferences.n_relevant[:, 0 if trec else at]
    column = np.where(preferences.partial, 2 * at, 3 + at) if trec else np.full(len(other), at)
    group = np.arange(len(column))
    met = preferences.even_met[group, column] + preferences.n_relevant[:, 1] * lacking
    stated = preferences.even_stated[group, column] + whole * lacking
    if trec:
        twice = ~preferences.partial & (other > relevant)
        lowest = preferences.n_lowest[:, at]
        n_worse = np.minimum(lowest, relevant)
        first = np.minimum(preferences.n_lowest[:, 1], n_worse)
        met = met + twice * (first * (n_worse - 1) - first * (first - 1) // 2)
        stated = stated + twice * lowest * n_worse
    return met, stated


@_trec("AP_JG", title="Average precision, by judgment groups", aliases=("map_avgjg",))
def average_precision_by_groups(groups: Groups, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Mean over the judgment groups of average precision."""
    return groups.mean(average_precision(groups.hits, k=k, rel=rel))


@_trec("P_JG", title="Precision, by judgment groups", aliases=cut_off("P_avgjg"))
def precision_by_groups(groups: Groups, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Mean over the judgment groups of precision at k."""
    return groups.mean(precision(groups.hits, k=k, rel=rel))


@_trec(
    "Rprec_JG",
    title="R-precision, by judgment groups",
    aliases=("Rprec_mult_avgjg_{multiple}", "Rprec_mult_avgjg.{multiple}"),
)
def r_precision_by_groups(groups: Groups, *, rel: Level = 1, multiple: NonNegative = 1) -> Floats:
    """Mean over the judgment groups of precision at R, the number of relevant documents of the group, or a multiple."""
    return groups.mean(r_precision(groups.hits, rel=rel, multiple=multiple))
