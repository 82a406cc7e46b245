"""Laws of unjudged documents: when the values with none of them relevant and all of the top grade are bounds.

Every labelling of the unjudged documents of tiny rankings is enumerated, including documents that were not retrieved.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from catalogue import RANKING, measures
from cranfield import evaluate
from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.hits import Hits
from cranfield.measures.registry import Measure, declarations
from cranfield.rankings.findings.judgments import gradable
from pictures import evidence, hits_of, rankings
from reference.ranking import Ranking

TOP = 3.0
LABELS = (0.0, 1.0, TOP)
TIGHT = [name for name in RANKING if declarations()[name].unjudged_bounds]
NEVER_OUTSIDE = {  # but not called bounds: constant, or of the judgments rather than of the system
    # all cases that we tried lie between the two, but documents do not contribute alone
    *("INST", "NERR8", "NERR9", "NERR10", "NERR11"),
    *("NumQ", "NumRet", "NumNonrelRet", "NumUnjudgedRet", "Judged", "Unjudged", "RBPRes", "EE_D", "Utility"),
}


def labelled(ranking: Ranking) -> list[Ranking]:
    """The ranking with every combination of labels for unjudged documents, one of which was not retrieved."""
    unjudged = [place for place, grade in enumerate(ranking.grades) if grade is None or grade < 0]
    every = []
    for labels in product(LABELS, repeat=len(unjudged)):
        grades = list(ranking.grades)
        for place, label in zip(unjudged, labels, strict=True):
            grades[place] = label
        every += [Ranking(tuple(grades), ranking.missed + extra) for extra in ((), (0.0,), (TOP,))]
    return every


def two_cases(measure: Measure, hits: Hits) -> Floats:
    """The values with no unjudged document relevant, and with all of the top grade."""
    return np.nan_to_num([measure(unjudged=grade).values(hits)[0] for grade in (0, TOP)])


@pytest.mark.parametrize("name", TIGHT)
@given(data=st.data(), ranking=rankings((0.0, 1.0, 2.0, TOP), longest=5))
def test_no_labels_of_unjudged_documents_exceed_bounds(name: str, data: st.DataObject, ranking: Ranking) -> None:
    measure = data.draw(measures(name, without=("unjudged",)))
    assume(measure.unjudged_bounds)
    low, high = two_cases(measure, hits_of(ranking))
    values = np.nan_to_num(measure.values(evidence(labelled(ranking))))
    assert low - 1e-12 <= values.min()
    assert values.max() <= high + 1e-12


def test_all_other_measures_have_labels_that_exceed_the_two_cases() -> None:
    pictures = [(None, 1.0), (1.0, None), (None, None), (0.0, None, 1.0), (None, 0.0, 1.0, None), (1.0, 0.0, None)]
    pictures += [(None, None, None, 2.0, 2.0)]
    tiny = [Ranking(grades, missed) for grades in pictures for missed in ((), (1.0,), (2.0,), (0.0, 0.0))]
    inside = set()
    for name in RANKING:
        declared = declarations()[name]
        required = {word: 50 for word, setting in declared.settings.items() if setting.required and word != "recall"}
        recall = {"recall": 0.5} if "recall" in declared.settings and declared.settings["recall"].required else {}
        scale = {"top": TOP} if "top" in declared.settings else {}
        measure = Measure(name)(**required, **recall, **scale)
        if not any(_exceeded(measure, ranking) for ranking in tiny):
            inside.add(name)
    assert inside == set(TIGHT) | NEVER_OUTSIDE


def _exceeded(measure: Measure, ranking: Ranking) -> bool:
    low, high = sorted(two_cases(measure, hits_of(ranking)))
    values = np.nan_to_num(measure.values(evidence(labelled(ranking))))
    return bool((values < low - 1e-12).any() or (values > high + 1e-12).any())


IN_FINDINGS = [
    name
    for name, declared in ((name, declarations()[name]) for name in RANKING if name != "EE_L")
    if "k" in declared.settings and declared.higher_is_better is not None and declared.aggregate == "mean"
]


@pytest.mark.parametrize("name", IN_FINDINGS)
@given(data=st.data(), ranking=rankings((0.0, 1.0, 2.0, TOP), longest=5), k=st.integers(1, 5))
def test_another_systems_relevant_documents_never_help(
    name: str, data: st.DataObject, ranking: Ranking, k: int
) -> None:
    measure = data.draw(measures(name, without=("unjudged", "k"), tables=False))(k=k)
    assert gradable(measure, 100)
    more = Ranking(ranking.grades, (*ranking.missed, TOP))
    few, many = (np.nan_to_num(measure(unjudged=0).values(hits_of(query))[0]) for query in (ranking, more))
    assert many <= few + 1e-12 if measure.declaration.higher_is_better else many >= few - 1e-12


@pytest.mark.parametrize("measure", ["nDCG@3", "R@3", "MissRate@3", "P@3", "AP@3"])
def test_an_order_that_unjudged_documents_could_reverse_is_reversed_by_these_judgments(measure: str) -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 0, "e": 1}, "2": {"a": 1, "e": 2, "f": 1}}
    old = {"1": {"a": 3.0, "c": 2.0, "o": 1.0}, "2": {"a": 3.0, "o": 2.0}}
    new = {"1": {"n": 3.0, "m": 2.0, "l": 1.0, "c": 0.5}, "2": {"n": 3.0, "m": 2.0}}
    runs = {"old": old, "new": new}
    seen = next(f for f in evaluate(qrels, runs, measure).findings() if f.rule == "unjudged-order")
    judged = {
        query: dict.fromkeys(old[query], 0) | dict.fromkeys(new[query], 2) | grades for query, grades in qrels.items()
    }
    after = evaluate(judged, runs, measure)
    expected = [after[system, measure] for system in ("old", "new")]
    assert seen.figures["reversed"] == pytest.approx(expected, abs=1e-12)


def test_a_note_names_the_measures_without_bounds() -> None:
    text = str(evaluate({"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "x": 1.0}}, ["P@2", "AP", "nDCG@2"], bounds=True))
    assert "AP, nDCG@2: with unjudged=0 and unjudged=1 two cases, not bounds" in " ".join(text.split())
    assert "not bounds" not in str(evaluate({"1": {"a": 1}}, {"1": {"a": 2.0, "x": 1.0}}, ["P@2", "RR"], bounds=True))


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_grades_of_unjudged_documents_are_refused_where_they_would_decide_ties(ties: Any) -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    with pytest.raises(BadSetting, match=r"orders tied documents by their grades .* apply to P\(unjudged=0\)@1"):
        evaluate(qrels, run, "P@1", ties=ties, bounds=True)
    assert evaluate(qrels, run, "P(unjudged='skip')@1", ties=ties)["P(unjudged='skip')@1"] == 1
