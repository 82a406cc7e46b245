"""Every form that is read gives the same judgments and the same values."""

from __future__ import annotations

import subprocess
import sys
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield.errors import CranfieldWarning
from cranfield.rankings.evaluate import evaluate
from cranfield.tables.adapters import arrow as batches
from cranfield.tables.judgments import Judgments
from cranfield.tables.readers import text as blocks
from cranfield.tables.sources import as_judgments, as_runs
from kernel.tables.collections_on_disk import GRADED, QRELS, RUN, RUNS, Writer, rows

MEASURES = ("AP", "nDCG@10", "RR", "P@5", "Bpref")


def values(qrels: Any, run: Any) -> np.ndarray[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return evaluate(qrels, run, MEASURES).values


def said(judged: Judgments) -> list[tuple[bytes, bytes, float]]:
    names = judged.documents.tolist()
    return [
        (judged.queries[unit], names[place], grade)
        for unit, place, grade in zip(judged.unit, judged.document, judged.grade.tolist(), strict=True)
    ]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 300)
    monkeypatch.setattr(batches, "ROWS", 13)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS.keys())
def test_a_run_has_the_same_values_in_every_form(write: Writer, tmp_path: Path) -> None:
    assert np.array_equal(values(QRELS, write(tmp_path, rows(RUN))), values(QRELS, RUN), equal_nan=True)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS.keys())
def test_the_rows_of_a_run_may_come_in_any_order(write: Writer, tmp_path: Path) -> None:
    shuffled = [rows(RUN)[place] for place in np.random.default_rng(0).permutation(len(rows(RUN)))]
    assert np.array_equal(values(QRELS, write(tmp_path, shuffled)), values(QRELS, RUN), equal_nan=True)


@pytest.mark.parametrize("write", GRADED.values(), ids=GRADED.keys())
def test_judgments_are_the_same_in_every_form(write: Writer, tmp_path: Path) -> None:
    assert said(as_judgments(write(tmp_path, rows(QRELS)))) == said(as_judgments(QRELS))


@pytest.mark.parametrize("form", ["TREC", "CSV", "JSON", "JSON Lines"])
def test_the_length_of_a_name_need_not_fit_into_16_bits(form: str, tmp_path: Path) -> None:
    long = "d" * (1 << 16) + "1"
    path = RUNS[form](tmp_path, rows({"q": {long: 3.0, "b": 2.0, "c": 1.0}}))
    for relevant, rank in ((long, 1), ("b", 2)):
        assert evaluate({"q": {relevant: 1}}, path, "RR", engine="local").values.item() == 1 / rank


def test_ranks_order_a_run_that_has_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    ranked = {q: sorted(found, key=lambda d: (found[d], d), reverse=True) for q, found in RUN.items()}
    path.write_text("".join(f"{q}\t{d}\t{n}\n" for q, found in ranked.items() for n, d in enumerate(found, 1)))
    assert np.array_equal(values(QRELS, path), values(QRELS, RUN), equal_nan=True)


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS.keys())
def test_a_source_says_what_it_is(write: Writer, tmp_path: Path) -> None:
    given = write(tmp_path, rows(RUN))
    (source,) = as_runs(given)
    size = sum(part.size for part in source.parts())
    assert source.form not in ("", "file")
    if isinstance(given, Path):
        assert source.name == "given"
        assert len(source.digest or "") == 64
        assert source.size == given.stat().st_size
        assert size > 0
    else:
        assert source.digest is None


@pytest.mark.parametrize(("form", "packed"), [("TREC", "TREC, gzip"), ("TREC", "TREC, zstd")])
def test_the_digest_is_that_of_the_unpacked_content(form: str, packed: str, tmp_path: Path) -> None:
    plain, compressed = GRADED[form](tmp_path, rows(QRELS)), GRADED[packed](tmp_path, rows(QRELS))
    digest = sha256(plain.read_bytes()).hexdigest()
    assert as_judgments(plain).digest == as_judgments(compressed).digest == digest
    assert as_judgments(plain).name == str(plain)
    assert as_judgments(plain).form == "TREC qrels"


def test_a_parquet_file_is_digested_as_it_lies_on_the_disk(tmp_path: Path) -> None:
    path = GRADED["Parquet"](tmp_path, rows(QRELS))
    assert as_judgments(path).digest == sha256(path.read_bytes()).hexdigest()


def test_a_parquet_file_is_read_through_a_pack(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "qrels.parquet.gz"
    path.write_bytes(gzip.compress(GRADED["Parquet"](tmp_path, rows(QRELS)).read_bytes()))
    assert said(as_judgments(path)) == said(as_judgments(QRELS))


def test_negative_and_fractional_grades_are_kept() -> None:
    assert said(as_judgments({"q": {"a": -2, "b": 0.5}})) == [(b"q", b"b", 0.5), (b"q", b"a", -2.0)]


def test_subtopics_are_groups_of_judgments(tmp_path: Path) -> None:
    path = tmp_path / "diversity.qrels"
    path.write_text("1 1 d1 1\n1 2 d1 0\n1 2 d2 2\n")
    judged = as_judgments(path)
    assert judged.group is not None
    assert judged.group.tolist() == [b"2", b"1", b"2"]
    assert said(judged) == [(b"1", b"d2", 2), (b"1", b"d1", 1), (b"1", b"d1", 0)]


def test_preferences_have_groups_and_subgroups(tmp_path: Path) -> None:
    path = tmp_path / "prefs"
    path.write_text("1 A X d1 2.0\n1 A X d2 1.5\n1 B Y d1 1\n")
    judged = as_judgments(path, form="prefs")
    assert judged.group is not None
    assert judged.subgroup is not None
    assert list(zip(judged.group.tolist(), judged.subgroup.tolist(), judged.grade.tolist(), strict=True)) == [
        (b"A", b"X", 2),
        (b"A", b"X", 1.5),
        (b"B", b"Y", 1),
    ]


def test_files_are_read_without_polars_and_pandas(tmp_path: Path) -> None:
    paths = []
    for place, write in enumerate(RUNS.values()):
        folder = tmp_path / str(place)
        folder.mkdir()
        given = write(folder, rows(RUN))
        paths += [str(given)] if isinstance(given, Path) else []
    script = (
        "import sys; from cranfield.tables.sources import as_runs\n"
        "[part() for source in as_runs(sys.argv[1:]) for part in source.parts()]\n"
        "print(*({'pandas', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script, *paths], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS.keys())
def test_integer_scores_that_rounding_ties_are_reported_in_every_form(write: Writer, tmp_path: Path) -> None:
    large = [("q1", f"d{n}", 2**53 + n) for n in (2, 1, 0)] + [("q2", "e", 2**60), ("q2", "d", 2**53), ("q3", "d", 1)]
    judged = {"q1": {"d0": 1}, "q2": {"d": 1}, "q3": {"d": 1}}
    with pytest.warns(CranfieldWarning, match=r"1 query with integer scores beyond 2\*\*53 that are tied"):
        evaluate(judged, write(tmp_path, large), "AP", ties="best")


@pytest.mark.parametrize("write", RUNS.values(), ids=RUNS.keys())
def test_integer_scores_that_keep_their_order_are_not(write: Writer, tmp_path: Path) -> None:
    large = [("q1", f"d{n}", 2**60 + 1024 * n) for n in (3, 2, 1)] + [("q2", "d", 2**60 + 1024)]
    assert evaluate({"q1": {"d1": 1}, "q2": {"d": 1}}, write(tmp_path, large), "RR")["RR"] == (1 / 3 + 1) / 2


@pytest.mark.usefixtures("small")
def test_scattered_rows_keep_their_scores_as_written(tmp_path: Path) -> None:
    rest = [(f"x{n}", "d", n) for n in range(60)]
    large = [("q1", "d1", 2**53 + 1), *rest, ("q1", "d0", 2**53)]
    judged = {query: {"d0": 1} for query, _, _ in large}
    for name in ("TREC", "Parquet", "JSON Lines"):
        with pytest.warns(CranfieldWarning, match=r"1 query with integer scores"):
            evaluate(judged, RUNS[name](tmp_path, large), "AP", ties="best")


def test_rows_of_json_lines_may_hold_objects_in_other_fields(tmp_path: Path) -> None:
    rows = '{"qid": "1", "docno": "a", "relevance": 1, "meta": {"x": 1}}\n{"qid": "1", "docno": "b", "relevance": 0}\n'
    nested, document = tmp_path / "qrels.jsonl", tmp_path / "qrels.json"
    nested.write_text(rows)
    document.write_text('{"1": {"a": 1, "b": 0}}')
    run = {"1": {"b": 2.0, "a": 1.0}}
    measured = [evaluate(str(path), run, ["AP"])["AP"] for path in (nested, document)]
    assert measured == [0.5, 0.5]
