"""How measures hang together: one is a special case of another, or a sum of two is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cranfield.measures.naming import parse
from pictures import hits_of, rankings
from reference.ranking import Ranking

binary = rankings((0.0, 1.0, -1.0))


def same(one: str, other: str, ranking: Ranking) -> bool:
    """Whether two measures have the same value, or neither has one."""
    hits = hits_of(ranking)
    return np.allclose(parse(one).values(hits), parse(other).values(hits), rtol=1e-12, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize(
    ("general", "special"),
    [
        ("F(beta=0)", "P"),
        ("F(alpha=0)", "R"),
        ("F(alpha=0.5)@3", "F@3"),
        ("F", "Dice"),
        ("Q(beta=0)", "AP"),
        ("Q(beta=0, rel=2)@3", "AP(rel=2)@3"),
        ("AUPR(rule='step')", "AP"),
        ("PAtR(reading='highest')@0.6", "IPrec(rounding='exact')@0.6"),
        ("IAP(levels=[0.3])", "IPrec@0.3"),
        ("Rprec(multiple=1.0)", "Rprec"),
        ("DCG(discount='log(i)', base=100)@9", "CG@9"),
        ("nDCG(base=10)@5", "nDCG@5"),
        ("nDCG(gain={1: 1, 2: 3, 3: 7, 0.5: 0.41421356237309515, 1.5: 1.8284271247461903})", "nDCG(gain='exp2')"),
        ("NumRet(rel=2)@3", "NumRelRet(rel=2)@3"),
    ],
)
@given(ranking=rankings())
def test_one_is_a_special_case_of_the_other(general: str, special: str, ranking: Ranking) -> None:
    assert same(general, special, ranking)


@pytest.mark.parametrize(
    ("graded", "plain"),
    [
        ("GAP", "AP"),
        ("GAP@3", "AP@3"),
        ("nCG(top=1)@4", "P@4"),
        ("CG@4", "NumRelRet@4"),
        ("RBP(gain='linear', top=1)", "RBP"),
        ("RBP(gain='exp2', top=1)", "RBP"),
        ("DCG(gain='exp2')@5", "DCG@5"),
    ],
)
@given(ranking=binary)
def test_a_graded_measure_of_two_grades_is_a_plain_one(graded: str, plain: str, ranking: Ranking) -> None:
    assert same(graded, plain, ranking)


@given(ranking=binary, k=st.integers(1, 6))
def test_gain_over_the_ideal_gain_is_relative_precision(ranking: Ranking, k: int) -> None:
    assert same(f"RelCG@{k}", f"RelP@{k}", ranking)


@given(ranking=rankings(), p=st.sampled_from((0.5, 0.8, 0.95)))
def test_the_residual_is_what_the_unjudged_could_add(ranking: Ranking, p: float) -> None:
    hits = hits_of(ranking)
    known, residual = (parse(f"{name}(p={p})").values(hits)[0] for name in ("RBP", "RBPRes"))
    best = parse(f"RBP(p={p}, unjudged=1)").values(hits)[0]
    assert known + residual == pytest.approx(best + p ** len(ranking.grades))


@given(ranking=rankings(), k=st.integers(1, 9))
def test_every_document_is_judged_or_unjudged(ranking: Ranking, k: int) -> None:
    hits = hits_of(ranking)
    shown = parse(f"NumRet@{k}").values(hits)
    unjudged = parse(f"NumUnjudgedRet@{k}").values(hits)
    relevant, other = (parse(f"{name}@{k}").values(hits) for name in ("NumRelRet(rel=0.1)", "NumNonrelRet(rel=0.1)"))
    assert shown == unjudged + relevant + other


@given(ranking=rankings())
def test_unjudged_documents_count_as_not_relevant(ranking: Ranking) -> None:
    for measure in ("AP", "nDCG@5", "RR", "P@5", "R@5", "ERR", "Rprec", "RBP", "F@4", "Success@3"):
        assert same(measure, f"{measure.partition('@')[0]}(unjudged=0){''.join(measure.partition('@')[1:])}", ranking)


@given(ranking=rankings(), collection=st.integers(20, 1000))
def test_fallout_precision_recall_and_generality_hang_together(ranking: Ranking, collection: int) -> None:
    hits = hits_of(ranking)
    f, g = (parse(f"{name}(collection={collection})").values(hits)[0] for name in ("Fallout", "Generality"))
    p, r = (parse(name).values(hits)[0] for name in ("P", "R"))
    assume(not np.isnan([f, p, r, g]).any())
    assert f * p * (1 - g) == pytest.approx(r * g * (1 - p), abs=1e-12)


@given(ranking=rankings())
def test_the_area_under_lines_is_never_larger_than_average_precision(ranking: Ranking) -> None:
    hits = hits_of(ranking)
    lines, steps = (parse(name).values(hits) for name in ("AUPR", "AP"))
    assert np.isnan(lines + steps).all() or (lines <= steps + 1e-12).all()
