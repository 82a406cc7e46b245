"""Measures of preference: how many of the preferences that judges state does a ranking meet."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.groups import Groups
from cranfield.evidence.hits import Floats, ratio
from cranfield.evidence.preferences import Preferences
from cranfield.measures.ranking import average_precision, r_precision
from cranfield.measures.sets import precision
from cranfield.registry import also, measure
from cranfield.settings import Cutoff, Level, NonNegative

Pairs = Literal["all", "either", "both"]

_KINDS: dict[Pairs, int] = {"both": 1, "either": 2, "all": 3}
_ANY = (0, np.inf)


@measure(
    "NumPrefs",
    title="Preferences",
    cite="trec_eval",
    aggregate="sum",
    bounds=_ANY,
    higher_is_better=None,
    aliases=("prefs_num_prefs_poss",),
)
def n_preferences(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Number of preferences stated; of those on documents of which both, or either, were retrieved."""
    return preferences.sum(_of(preferences.stated, pairs))


@measure(
    "NumPrefsMet",
    title="Preferences met",
    cite="trec_eval",
    aggregate="sum",
    bounds=_ANY,
    aliases=("prefs_num_prefs_ful", also("prefs_num_prefs_ful_ret", pairs="both")),
)
def n_preferences_met(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Number of preferences that the ranking meets."""
    return preferences.sum(_of(preferences.met, pairs))


@measure(
    "Prefs",
    title="Preferences met",
    cite="carterette2008",
    aliases=("prefs_simp", also("prefs_simp_imp", pairs="either"), also("prefs_simp_ret", pairs="both")),
)
def share_of_preferences(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Share of the preferences that the ranking meets: the better document comes first, or it alone was retrieved.

    A preference on two documents that were not retrieved is not met; `pairs` leaves such preferences out, or those on
    any document that was not retrieved.
    """
    return ratio(n_preferences_met(preferences, pairs=pairs), n_preferences(preferences, pairs=pairs))


@measure(
    "PrefPairs",
    title="Preferences met, by pairs of documents",
    cite="trec_eval",
    aliases=("prefs_pair", also("prefs_pair_imp", pairs="either"), also("prefs_pair_ret", pairs="both")),
)
def pairs_of_documents(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Mean over the pairs of documents of the share of judgment groups with a preference on the pair that is met."""
    return ratio(_of(preferences.pairs_met, pairs), _of(preferences.n_pairs, pairs))


@measure(
    "PrefGroups",
    title="Preferences met, by judgment groups",
    cite="trec_eval",
    aliases=("prefs_avgjg", also("prefs_avgjg_imp", pairs="either"), also("prefs_avgjg_ret", pairs="both")),
)
def judgment_groups(preferences: Preferences, *, pairs: Pairs = "all") -> Floats:
    """Mean over the judgment groups of the share of their preferences that the ranking meets.

    A group without preferences counts 0, unless no group of the query has any.
    """
    stated = _of(preferences.stated, pairs)
    share = np.nan_to_num(ratio(_of(preferences.met, pairs), stated))
    return np.where(preferences.sum(stated) > 0, ratio(preferences.sum(share), preferences.n_groups), np.nan)


@measure(
    "PrefGroupsEven",
    title="Preferences met, by judgment groups with as many irrelevant documents as relevant ones",
    cite="trec_eval",
    aliases=("prefs_avgjg_Rnonrel", also("prefs_avgjg_Rnonrel_ret", pairs="both")),
)
def even_judgment_groups(
    preferences: Preferences, *, pairs: Literal["all", "both"] = "all", form: Literal["trec", "plain"] = "trec"
) -> Floats:
    """Mean over the judgment groups of the share of preferences met, had each as many irrelevant documents as relevant.

    Only the first irrelevant documents count; where there are too few, more are taken to be below every relevant
    document that was retrieved. trec_eval, in a group without subgroups that has too many, also compares the
    irrelevant documents with each other, so that even the best ranking stays below 1; among retrieved documents it
    takes some numbers from all documents. The plain form does neither.
    """
    met, stated = _evened(preferences, pairs == "both", form == "trec")
    share = ratio(met, stated)
    return ratio(preferences.sum(share), preferences.n_groups)


def _of(table: NDArray[Any], pairs: Pairs) -> NDArray[Any]:
    """The sum over the kinds of preferences that count."""
    return table[:, : _KINDS[pairs]].sum(axis=1)


def _evened(preferences: Preferences, retrieved: bool, trec: bool) -> tuple[Floats, Floats]:
    """How many even preferences each group has, met and in all, those on missing irrelevant documents included."""
    at = int(retrieved)
    relevant, other = preferences.n_relevant[:, at], preferences.n_other[:, at]
    lacking = np.maximum(relevant - other, 0)
    column = np.where(preferences.partial & trec, 2, 1) if retrieved else np.zeros_like(preferences.unit)
    group = np.arange(len(column))
    met = preferences.even_met[group, column] + preferences.n_relevant[:, 1] * lacking
    stated = preferences.even_stated[group, column] + preferences.n_relevant[:, 0 if trec else at] * lacking
    if trec:
        twice = ~preferences.partial & (other > relevant)
        first = np.minimum(preferences.n_other[:, 1], relevant)
        met = met + twice * (first * (relevant - 1) - first * (first - 1) // 2)
        stated = stated + twice * other * relevant
    return met, stated


@measure("AP_JG", title="Average precision, by judgment groups", cite="trec_eval", aliases=("map_avgjg",))
def average_precision_by_groups(groups: Groups, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Mean over the judgment groups of average precision."""
    return groups.mean(average_precision(groups.hits, k=k, rel=rel))


@measure(
    "P_JG",
    title="Precision, by judgment groups",
    cite="trec_eval",
    aliases=("P_avgjg_{k}", "P_avgjg.{k}"),
)
def precision_by_groups(groups: Groups, *, k: Cutoff | None = None, rel: Level = 1) -> Floats:
    """Mean over the judgment groups of the share of the first k that is relevant."""
    return groups.mean(precision(groups.hits, k=k, rel=rel))


@measure(
    "Rprec_JG",
    title="R-precision, by judgment groups",
    cite="trec_eval",
    aliases=("Rprec_mult_avgjg_{multiple}", "Rprec_mult_avgjg.{multiple}"),
)
def r_precision_by_groups(groups: Groups, *, rel: Level = 1, multiple: NonNegative = 1) -> Floats:
    """Mean over the judgment groups of precision at R or a multiple of R, R the relevant documents of the group."""
    return groups.mean(r_precision(groups.hits, rel=rel, multiple=multiple))
