"""Judged ranks add, and come back from an Arrow table as they were."""

from __future__ import annotations

from dataclasses import asdict, replace
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from cranfield.engines.choice import engine as engine_named
from cranfield.errors import BadInput
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.ranks_table import ranks_from, ranks_table
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode, encode
from cranfield.tables.sources import as_judgments, as_run

pytestmark = pytest.mark.usefixtures("engine")

IDS = ("1", "01", "q", "clueweb09-en0000-00-00000", "Straße 9", "東京", decode(b"\xff\xfe"), " ", "'\"", "x" * 70)
Rows = list[tuple[str, str, float]]


def qrels(random: Random) -> list[tuple[str, str, int]]:
    rows = [(query, document, random.randrange(3)) for query in IDS[:8] for document in IDS if random.random() < 0.6]
    random.shuffle(rows)
    return rows


def run(random: Random, queries: tuple[str, ...]) -> Rows:
    """Rankings with ties, in which some documents are not judged."""
    names = (*IDS, "unjudged", "other")
    return [
        (query, document, random.randrange(4) / 2)
        for query in queries
        for document in random.sample(names, random.randrange(1, len(names)))
    ]


def ranks(rows: Rows, judged: Judgments) -> JudgedRanks:
    return engine_named().judged_ranks(as_run(rows, "run"), judged)


def plain(ranks: JudgedRanks) -> dict[str, Any]:
    return {name: getattr(value, "tolist", lambda value=value: value)() for name, value in asdict(ranks).items()}


@pytest.mark.parametrize("seed", range(8))
def test_two_sets_of_queries_counted_apart_add_up_to_both_counted_together(seed: int) -> None:
    random = Random(seed)
    judged = as_judgments(qrels(random))
    queries = tuple(sorted(IDS, key=encode))
    first, second = run(random, queries[: seed + 1]), run(random, queries[seed + 1 :])
    assert plain(ranks(first, judged) + ranks(second, judged)) == plain(ranks(first + second, judged))


def test_ranks_of_the_same_query_or_of_other_judgments_do_not_add() -> None:
    judged = as_judgments({"1": {"a": 1}, "2": {"a": 1}})
    one, two = (ranks([(query, "a", 1.0)], judged) for query in ("1", "2"))
    assert (one + two).answered.tolist() == [True, True]
    with pytest.raises(ValueError, match="no query in common"):
        one + one
    with pytest.raises(ValueError, match="same judgments"):
        one + ranks([("1", "a", 1.0)], as_judgments({"1": {"a": 1}}))


@pytest.mark.parametrize("seed", range(8))
def test_ranks_come_back_from_a_file_for_judgments_in_another_order(seed: int, tmp_path: Any) -> None:
    random = Random(seed)
    rows = qrels(random)
    judged = as_judgments(rows)
    counted = replace(ranks(run(random, IDS[2:]), judged), n_merged_queries=3, graded=True)
    path = str(tmp_path / "ranks.arrow")
    table = ranks_table(counted, judged)
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=5)
    again = as_judgments([(query, document, 2 - grade) for query, document, grade in reversed(rows)])
    back = plain(ranks_from(pa.ipc.open_file(path).read_all(), again))
    by_name = {(q, d): place for place, (q, d) in enumerate(_pairs(again))}
    place = [by_name[pair] for pair in _pairs(judged)]
    for name in ("rank", "tie_start", "tie_size"):
        back[name] = [back[name][at] for at in place]
    assert back == plain(counted)


def _pairs(judged: Judgments) -> list[tuple[bytes, bytes]]:
    queries = judged.queries.tolist()
    return [(queries[unit], name) for unit, name in zip(judged.document_unit, judged.documents, strict=True)]


def test_a_query_without_a_judged_document_is_still_answered() -> None:
    judged = as_judgments({"1": {"a": 1}, "2": {"a": 1}})
    back = ranks_from(ranks_table(ranks([("2", "x", 1.0), ("2", "y", 1.0)], judged), judged), judged)
    assert (back.answered.tolist(), back.n_retrieved.tolist(), back.rank.tolist()) == ([False, True], [0, 2], [0, 0])


def test_a_table_of_other_judgments_or_of_something_else_is_refused() -> None:
    judged = as_judgments({"1": {"a": 1}, "2": {"a": 1, "b": 2}})
    table = ranks_table(ranks([("2", "b", 1.0)], judged), judged)
    with pytest.raises(BadInput, match=r"row 1 .*query '2' or its document is not judged"):
        ranks_from(table, as_judgments({"2": {"a": 1}}))
    with pytest.raises(BadInput, match="query '2'"):
        ranks_from(table, as_judgments({"1": {"a": 1}}))
    with pytest.raises(BadInput, match="does not contain judged ranks"):
        ranks_from(pa.table({"query": [b"1"]}), judged)
