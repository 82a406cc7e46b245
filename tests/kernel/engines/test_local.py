"""Ranks of judged documents, against every query sorted by plain Python."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
import pytest

from cranfield.arrays import Ints
from cranfield.engines import local, tie_breaking
from cranfield.engines.protocol import Engine, Precision, TieOrder
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.sources import as_judgments, as_run, as_runs
from cranfield.tables.threads import in_threads

Rows = list[tuple[str, str, float]]
ORDERS: list[TieOrder] = ["name descending", "name ascending", "as given"]
IDS = ["a", "b", "ab", "d10", "d9", "Z", "文档", "x" * 8, "x" * 9, "y" * 30, "01", "1"]


def collection(seed: int) -> tuple[dict[str, dict[str, float]], Rows]:
    """Judgments and the rows of a run: ties, disorder, queries without judgments and without rows."""
    source = random.Random(seed)
    rows: Rows = []
    for query in source.sample(["q1", "q2", "q3", "other", "stranger"], source.randint(1, 5)):
        scores = [source.choice([0.5, 0.25, 1 + 1e-9, 1.0, -2.0, 7.0]) for _ in IDS]
        ranked = source.sample(IDS, source.randint(1, len(IDS)))
        own = [(query, document, score) for document, score in zip(ranked, scores, strict=False)]
        rows += sorted(own, key=lambda row: -row[2]) if source.random() < 0.5 else own
    judged = {q: {d: float(source.randint(0, 2)) for d in source.sample(IDS, 6)} for q in ("q1", "q2", "q3")}
    return judged, rows


def ranked(rows: Rows, query: str, order: TieOrder) -> list[tuple[str, float]]:
    """The documents of a query with their scores, best first."""
    own = [(document, score) for asked, document, score in rows if asked == query]
    if order != "as given":
        own.sort(key=lambda row: row[0].encode(), reverse=order == "name descending")
    return sorted(own, key=lambda row: -row[1])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(4, 12))]
)
@pytest.mark.parametrize("at_once", [1, 3, 1 << 16])
def test_judged_documents_have_the_ranks_of_a_sorted_list(
    engine: Engine, seed: int, order: TieOrder, precision: Precision, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tie_breaking, "_NAMES", at_once)
    qrels, rows = collection(seed)
    judged = as_judgments(qrels)
    found = engine.judged_ranks(as_run(rows, "run"), judged, order=order, precision=precision)
    rows = [(q, d, float(np.float32(score)) if precision == "single" else score) for q, d, score in rows]
    document = 0
    for unit, query in enumerate(("q1", "q2", "q3")):
        own = ranked(rows, query, order)
        assert found.n_retrieved[unit] == len(own)
        assert found.answered[unit] == bool(own)
        for _ in qrels[query]:
            name = judged.documents[document].decode()
            place = next((i for i, (other, _) in enumerate(own) if other == name), None)
            score = None if place is None else own[place][1]
            wanted = (
                (0, 0, 0)
                if place is None
                else (place + 1, 1 + sum(s > score for _, s in own), sum(s == score for _, s in own))
            )
            assert (found.rank[document], found.tie_start[document], found.tie_size[document]) == wanted
            document += 1
    queries = list(dict.fromkeys(query for query, _, _ in rows))
    listed = {query: [score for asked, _, score in rows if asked == query] for query in queries}
    assert found.n_unjudged_queries == len({*queries} - {*qrels})
    assert found.n_tied_queries == sum(len(set(own)) < len(own) for own in listed.values())
    assert found.n_disordered_queries == sum(own != sorted(own, reverse=True) for own in listed.values())


def found_in(qrels: dict[str, dict[str, float]], rows: Rows) -> JudgedRanks:
    return local.judged_ranks(as_run(rows, "run"), as_judgments(qrels))


def test_some_documents_of_some_judged_queries_are_kept_to_look_at() -> None:
    rows = [(f"q{q}", f"d{d}", -float(d)) for q in range(7) for d in range(150 if q else 3)]
    found = found_in({f"q{q}": {"d1": 1} for q in range(1, 7)}, rows)
    assert [unit for unit, _ in found.sample] == [0, 1, 2, 3]
    assert [names for _, names in found.sample] == [[b"d%d" % d for d in range(100)]] * 4
    assert found_in({"q0": {"d1": 1}}, rows).sample == ((0, [b"d0", b"d1", b"d2"]),)


def test_queries_that_nobody_judged_are_named_up_to_a_thousand() -> None:
    rows = [(f"q{q:04}", "d", 1.0) for q in range(1003)]
    found = found_in({"q0001": {"d": 1}, "q2000": {"d": 1}}, rows)
    assert found.n_unjudged_queries == 1002
    assert found.strangers == tuple(b"q%04d" % q for q in range(1002) if q != 1)[:1000]
    assert found_in({"q0001": {"d": 1}}, rows[:3]).strangers == (b"q0000", b"q0002")


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ([float(score) for score in range(20)], True),
        ([float(score % 20) for score in range(40)], True),
        ([float(score) for score in range(21)], False),
        ([0.5, 1.0], False),
        ([1.0] * 30 + [0.5], False),
    ],
)
def test_scores_that_are_few_whole_numbers_look_like_grades(scores: list[float], wanted: bool) -> None:
    rows = [("q", f"d{place}", score) for place, score in enumerate(scores)]
    assert found_in({"q": {"d1": 0.25}}, rows).graded is wanted
    assert found_in({"q": {"d1": 1}}, rows).graded is False  # not looked at, as grades look like grades


def test_progress_counts_the_bytes_of_all_parts_so_far() -> None:
    rows = [("q1", "a", 2.0), ("q2", "b", 1.0)]
    run, told = as_run(rows, "run"), list[int]()
    sizes = [part.size for part in run.parts()]
    local.judged_ranks(as_run(rows, "run"), as_judgments({"q1": {"a": 1}}), progress=told.append)
    assert told == np.cumsum(sizes).tolist()


@pytest.mark.parametrize(("cores", "threads"), [(None, 1), (1, 1), (3, 3), (64, 4)])
def test_as_many_parts_are_in_hand_as_there_are_threads_and_no_more(
    cores: int | None, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    taken: list[int] = []
    sizes = [NumberedPart(number) for number in range(10)]
    parts = (taken.append(part.size) or part for part in sizes)  # type: ignore[func-returns-value]
    for number, (part, doubled) in enumerate(in_threads(lambda part: 2 * part.size, parts)):
        assert (part.size, doubled) == (number, 2 * number)
        assert len(taken) == min(10, number + 1 + threads)


class NumberedPart(NamedTuple):
    """A part of a run that is known by its size."""

    size: int


def test_few_names_of_tied_documents_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tie_breaking, "_NAMES", 100)
    (run,) = as_runs([("q", f"d{number}", 1.0) for number in range(1000)])
    batch, asked = run.whole(), []

    class Watched:
        queries, starts, scores, written, judged = batch.queries, batch.starts, batch.scores, None, batch.judged

        def names(self, query: int, place: Ints) -> list[bytes]:
            asked.append(len(place))
            return batch.names(query, place)

    found = local.counted(Watched(), as_judgments({"q": {"d5": 1}}), "name ascending", "double")
    assert max(asked) == 100
    assert found.rank.tolist() == [1 + sorted(f"d{number}" for number in range(1000)).index("d5")]
