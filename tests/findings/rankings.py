"""Rankings that make each rule speak, and the nearest that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from findings.pictured import Case, pictured

SKIPPED = pictured("P", a=["+", "-"], b=["+", "-"])

RANKINGS = {
    "one-query": Case(
        pictured("RR", bm25=["-----+"] * 7 + ["+"]),
        pictured("RR", bm25=["---+"] * 7 + ["-+"]),
        "bm25: without q8 the mean RR would be 0.17 instead of 0.27; 4 of 8 queries make up 69 % of it.",
    ),
    "few-queries": Case(
        pictured("RR", old=["-+"], new=["+-"]),
        pictured("RR", old=["-+", "-+"], new=["+-", "-+"]),
        "Only 1 query counts for all systems: how values vary, and so whether a difference could be chance, cannot "
        "be told.",
    ),
    "unanswered-queries": Case(
        pictured("AP", bm25=["+", "|+", "+"]),
        pictured("AP", bm25=["+", "-|+", "+"]),
        "bm25: 1 of 3 queries has no answer in the run and counts as 0; over the answered ones the mean AP would be "
        "1.00 instead of 0.67.",
    ),
    "different-queries": Case(
        replace(SKIPPED, counted=np.array([[True, True], [True, False]])),
        replace(SKIPPED, counted=np.array([[True, False], [True, False]])),
        "The means are not over the same queries: 1 query counts for some systems only; b has 1, where others have up "
        "to 2.",
    ),
    "undefined-queries": Case(
        pictured("R", bm25=["+", "-", "+"]),
        pictured("R", {"undefined": "skip"}, bm25=["+", "-", "+"]),
        "R is undefined for 1 of 3 queries and counts as 0 there; left out, bm25 would have 1.00 instead of 0.67.",
    ),
    "macro-micro": Case(
        pictured("R", bm25=["-|+", "+" * 8 + "|++", "+" * 9 + "|+++"]),
        pictured("R", bm25=["+++-|+", "+" * 8 + "|++", "+" * 9 + "|+++"]),
        "bm25: R is 0.52 as a mean over queries (macro) but 0.74 over all documents pooled (micro), mostly because of "
        "q1 (0.00, 1 relevant document, 1 document retrieved).",
    ),
    "f-beta": Case(
        pictured("F(beta=2)", bm25=["++--|+"]),
        pictured("F(beta=2)", bm25=["++-|+"]),
        "bm25: F(beta=2) is 0.62 and weighs recall 4 times as much as precision; the other way round, F(beta=0.5), it "
        "would be 0.53.",
    ),
    "sparse-judgments": Case(
        pictured("RR AP", bm25=["?+????????|+", "+?????????|+"]),
        pictured("RR AP", bm25=["?+????????", "+?????????"]),
        "Half of the queries have 2 judged documents or fewer, and of the first 10 documents of bm25 10 % are judged: "
        "AP says little here, since what was missed is not known.",
    ),
    "low-judged": Case(
        pictured("P@10", bm25=["+-+-+-+???"]),
        pictured("P@10", bm25=["+-+-+-+-??"]),
        "Of the first 10 documents of each query, on average only 70 % of bm25's were judged; the others count as not "
        "relevant.",
    ),
    "unequal-judged": Case(
        pictured("P@10", old=["+-+-+-+-+-"], new=["+-+-+-+-+?"]),
        pictured("P@10", old=["+-+-+-+-+-"] * 2, new=["+-+-+-+-+?", "+-+-+-+-+-"]),
        "Of the first 10 documents of each query, 100 % of old's were judged but only 90 % of new's: unjudged "
        "documents count as not relevant, to the harm of new.",
    ),
    "unjudged-order": Case(
        pictured("P@4", old=["++--"], new=["+-??"]),
        pictured("P@4", old=["+++-"], new=["+--?"]),
        "P@4: old has 0.50 and new 0.25, but it could be 0.50 and 0.75, were the unjudged documents of the first not "
        "relevant and those of the second of the top grade.",
    ),
    "ties-order": Case(
        pictured("RR", old=["-+"], new=["(--+)"]),
        pictured("RR", old=["+-"], new=["(--+)"]),
        "RR: old has 0.50 and new 0.33, but it could be 0.50 and 1.00, were documents with the same score in another "
        "order.",
    ),
    "ties-value": Case(
        pictured("RR AP", bm25=["(-+)", "+"]),
        pictured("RR AP", {"ties": "expected"}, bm25=["(-+)", "+"]),
        "bm25: 1 of 2 queries has judged documents that share their score with others; by their order RR moves "
        "between 0.75 and 1.00 (reported: 0.75); so does 1 other value.",
    ),
}
