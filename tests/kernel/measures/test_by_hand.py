"""Measures on pictures small enough to work out by hand."""

from __future__ import annotations

from math import log, log2, nan

import pytest

from cranfield.measures.naming import parse
from pictures import ranked, several

approx = pytest.approx


@pytest.mark.parametrize(
    ("measure", "picture", "missed", "wanted"),
    [
        ("AP", "+-+", "+", (1 / 1 + 2 / 3) / 3),
        ("AP@2", "+-+", "+", (1 / 1) / 3),
        ("RR", "--+", "", 1 / 3),
        ("RR@2", "--+", "", 0),
        ("RR", "--", "", 0),
        ("Success@2", "-+", "", 1),
        ("R@1", "+-", "+", 1 / 2),
        ("RelP@5", "+-", "+", 1 / 2),
        ("Rprec", "+", "+", 1 / 2),  # a rank that stays empty is not relevant
        ("BEP", "+", "+", nan),  # the ranking ends before precision and recall meet
        ("Rprec(multiple=0.5)", "+-+", "+", 1 / 2),  # half of three is taken for two
        ("IPrec@0.15", "+-+-+-+-+", "+++++", 2 / 3),  # 0.15 of ten is two by trec_eval up to 9, and two by 10
        ("IPrec(rounding='trec10')@0.14", "+-+-+-+-+", "+++++", 1),  # 1.4 is rounded to one
        ("IPrec@0.14", "+-+-+-+-+", "+++++", 2 / 3),  # 1.4 + 0.9 is cut down to two
        ("IPrec@1.0", "+-+-+-+-+", "+++++", 0),
        ("PAtR@0", "-+", "", 1 / 2),
        ("Accuracy", "+-+?", "", 3 / 4),  # of four pairs, one is the wrong way round
        ("Accuracy", "++", "", nan),
        ("BinG", "-+?+", "+", (1 / log2(3) + 1 / log2(4)) / 3),
        ("Yaap", "+", "+", log((1 + 1) / (1 + 2 - 1))),
        ("ERR", "32", "", 7 / 16 + (9 / 16) * (3 / 16) / 2),
        ("ERR(top=3)", "?3", "", 7 / 8 / 2),
        ("ERR(top=3)", "9", "", 7 / 8),  # a grade beyond the top one counts as the top one
        ("ERR@1", "-4", "", 0),
        ("nERR", "04", "", 1 / 2),
        ("RBP", "+-+", "", 0.2 * (1 + 0.8**2)),
        ("RBP(gain='linear', top='query')", "1?3", "", 0.2 * (1 / 3 + 0.8**2)),
        ("RBP(gain='exp2', top=2)", "1", "", 0.2 * (1 / 3)),
        ("RBP(gain={1: 0.5, 2: 1}, top=2)", "12", "", 0.2 * (0.5 + 0.8)),
        ("RBP(gain={1: 1, 2: 4}, top=2)", "12", "", 0.2 * (1 / 4 + 0.8)),
        ("RBP(gain={1: 1}, top=3)", "12", "", 0.2 * (1 / 3 + 0.8 * 2 / 3)),  # a grade without a gain is its own
        ("RBPRes(p=0.5)", "+?-", "", 1 - 0.5 * (1 + 0.25)),
        ("Q", "-2", "1", ((1 + 2) / (2 + 3)) / 2),
        ("GAP", "12", "", (1 / 1 + (1 + 2) / 2) / 3),
        ("nCG(top='query')@2", "1", "4", (1 / 4) / 2),
        ("RelCG@2", "1", "42", 1 / 6),
        ("RelCG(gain={1: 9})@1", "1", "42", 1),  # the ideal ranking goes by gain, not by grade
        ("nDCG(gain={0: -1})", "-+", "", (-1 + 1 / log2(3)) / 1),  # the ideal ranking leaves out what costs
        ("infAP", "+", "", 1),
        ("infAP", "?+", "", 1 / 2),
        ("infAP", "~+", "", (1 + 0.5) / 2),  # nothing is known of what stands above: half of it may be relevant
        ("Bpref", "?+", "", 1),
        ("Bpref", "-+", "--", 0),
        ("Bpref", "-++", "", 0),
        ("Bpref", "-++", "-", 1 / 2),
        ("Judged@4", "+?", "", 1 / 2),
        ("Unjudged@4", "+?~", "", 2 / 4),
        ("Utility", "+-?", "+", 1 - 2),
        ("Utility(found_relevant=2, missed=-1, spared=0.5, collection=10)", "+-", "+", 2 - 1 - 1 + 0.5 * 7),
        ("G", "12", "", (1 / log2(2 + 2 - 1) + 2 / log2(2 + 3 - 3)) / 3),
        ("G", "?1", "", 1 / log2(2 + 2 - 1)),
        ("Rndcg", "12", "", (1 / 2 + (1 + 2 / log2(3)) / (2 + 1 / log2(3))) / 2),
        ("Rndcg", "-1--", "", (0 + 1 / log2(3)) / 2),  # at one, the only level, and at the end
        ("Rndcg", "-1", "", 0),  # the end is just one rank after the level, and does not count
        ("NdcgRel", "-1", "1", (1 / log2(3)) / (1 + 1 / log2(3))),
    ],
)
def test_a_measure_by_hand(measure: str, picture: str, missed: str, wanted: float) -> None:
    assert parse(measure).values(ranked(picture, missed)) == approx([wanted], rel=2e-5, nan_ok=True)


def test_queries_without_relevant_documents_are_undefined_where_there_is_a_share_of_them() -> None:
    hits = several("-?", "", "?|-")
    for measure in ("AP", "R@5", "nDCG@5", "Rprec", "Bpref", "IPrec@0.5", "infAP", "Q", "GAP", "SysEff", "AUPR", "G"):
        assert parse(measure).values(hits).tolist() == approx([nan] * 3, nan_ok=True)
    for measure in ("RR", "Success@5", "P@5", "ERR", "RBP", "DCG@5", "CG", "NumRelRet", "Yaap"):
        assert parse(measure).values(hits).tolist() == [0] * 3


def test_nothing_retrieved_is_undefined_where_there_is_a_share_of_it() -> None:
    hits = ranked("", missed="+")
    for measure in ("P", "nCG(top=3)", "SetAP", "RelP", "Judged", "Judged@5", "Unjudged", "Accuracy"):
        assert parse(measure).values(hits).tolist() == approx([nan], nan_ok=True)
    for measure in ("P@5", "AP", "nDCG", "RR", "Bpref", "Unjudged@5", "Rprec", "IPrec@0.0", "IAP", "F"):
        assert parse(measure).values(hits).tolist() == [0]
