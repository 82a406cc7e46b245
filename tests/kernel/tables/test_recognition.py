"""What a file is taken for, and what is said of one that is not what was asked for."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from cranfield.errors import BadInput
from cranfield.tables.columns import SPELLINGS
from cranfield.tables.sources import as_judgments, as_runs
from kernel.tables.refusals import refused


@pytest.fixture
def file(tmp_path: Path):
    def write(content: str | bytes, name: str = "given") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def ranking(path: Path) -> list[bytes]:
    """The documents of the one query of a run, best first."""
    (source,) = as_runs(path)
    batch = source.whole()
    (start, end) = batch.starts
    order = sorted(range(start, end), key=lambda row: -batch.scores[row])
    return batch.names(0, order)


@pytest.mark.parametrize(
    ("content", "best"),
    [
        ("q a 1\nq b 2\nq c 3\n", b"a"),
        ("q a 0\nq b 1\n", b"a"),
        ("q a 3\nq b 2\nq c 1\n", b"a"),  # falls: a score
        ("q a 0.5\nq b 0.7\n", b"b"),
        ("q a 1\nq b 3\nq c 7\n", b"c"),  # skips: a score
        ("q a 1\nq b 1\nq c 2\n", b"c"),  # repeats: a score
        ("query document rank\nq a 2\nq b 1\n", b"b"),
        ("query document score\nq a 1\nq b 2\n", b"b"),
    ],
)
def test_a_third_field_is_a_rank_if_it_counts_up(file, content, best):
    assert ranking(file(content))[0] == best


def test_a_third_field_that_may_be_either_is_refused(file):
    refused(file("q a 2\nq b 1\nq c 3\n", "r.tsv"), "r.tsv", "may be a rank or a score", "query document rank")


def test_the_last_query_of_what_is_looked_at_may_be_cut(file):
    lines = "".join(f"q{query}\tdocument-{rank}\t{rank}\n" for query in range(40) for rank in range(1, 101))
    assert as_runs(file(lines))[0].whole().scores[:3].tolist() == [-1, -2, -3]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_the_ending_decides_where_blanks_and_commas_both_would_do(file, name):
    data = b"q 1,d 1,0.5\n"
    (source,) = as_runs(file(gzip.compress(data) if name.endswith("gz") else data, name))
    assert source.whole().queries == [b"q 1"]


def test_tabs_are_delimiters_alone_where_blanks_would_not_do(file):
    (source,) = as_runs(file("my query\tdocument one\t0.5\n"))
    assert source.whole().queries == [b"my query"]


@pytest.mark.parametrize("start", ["PAR1", "BZh1", "{q", "[q]", "%PDF", "PK", "7z"])
def test_a_query_may_be_called_what_files_of_other_kinds_begin_with(file, start):
    for blank in " \t":
        (source,) = as_runs(file(blank.join([start, "Q0", "d", "1", "0.5", "t"]) + "\n"))
        assert source.whole().queries == [start.encode()]


def test_a_byte_order_mark_is_no_part_of_a_name(file):
    for content in (
        "q Q0 d 1 2 t\n",
        "qid,docno,score\nq,d,1\n",
        '{"q": {"d": 1}}',
        '{"qid":"q","docno":"d","score":1}\n',
    ):
        (source,) = as_runs(file(b"\xef\xbb\xbf" + content.encode()))
        assert source.whole().queries == [b"q"]


def test_names_need_not_be_unicode(file):
    (source,) = as_runs(file(b"\xff\xfe\xe9 Q0 \x80 1 2 t\n"))
    assert source.whole().queries == [b"\xff\xfe\xe9"]
    assert as_judgments(file(b'{"\xe9": {"\xff": 1}}')).queries == [b"\xe9"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ["the file is empty"]),
        ("\n  \n", ["the file is empty"]),
        ("# only\n", ["contains only comments"]),
        ("q 0 d 1\nq 0 e 0\n", ["line 1", "looks like qrels", "'q 0 d 1'"]),
        ("1 0 100 1\n1 0 200 0\n", ["line 1", "looks like qrels", "'1 0 100 1'"]),
        ("1 1 clueweb09-1 1\n", ["looks like qrels"]),
        ("q Q0 d 1 0.5\n", ["line 1", "5 fields", "is its tag missing?", "'q Q0 d 1 0.5'"]),
        ("q d\n", ["line 1", "2 fields", "neither a run nor judgments"]),
        ("<html>\n<body> x y z w v u\n", ["line 1", "XML or HTML"]),
        ("2 qid:1 1:0.5 2:0.1 3:0.2\n", ["learning to rank"]),
        ("q Q0 d 1 high t\n", ["line 1", "score 'high' is not a number", "query Q0 document rank score tag"]),
        ("q Q0 d 1 1.5 t\nq Q0 e 1 nan t\n", ["line 2", "NaN"]),
        ("q Q0 d 1 1.5 t\n# x\n\nq Q0 e 1\n", ["line 4", "4 fields instead of 6", "'q Q0 e 1'"]),
        ("q Q0 d 1 2 t\nq Q0 d 2 1 t\n", ["line 2", "duplicate document 'd' for query 'q'", "line 1)"]),
        ("a,b,c\nq,d,1\n", ["line 1", "'a', 'b', 'c'", "query (qid,", "score (score,"]),
        ("qid,docno,label\nq,d,1\n", ["line 1", "'label'", "look like judgments"]),
        ("qid,docno,score\n", ["line 1", "a header but no rows"]),
        ("qid,docno,score\nq,d,1\nq,,2\n", ["line 3", "document is missing", "'q,,2'"]),
        ("qid,docno,score\nq,d,1\nq,e\n", ["line 3", "2 fields instead of 3", "'q,e'"]),
        ('qid,docno,score\n"q\n1",d,1\nq,e,x\n', ["line 4", "score 'x' is not a number"]),
        ("q Q0 d 1 2 t\rq Q0 e 2 1 t\r", ["CR alone"]),
        ("a b\0c", ["binary data of an unknown kind"]),
        ("q Q0 d 1 2 t\n".encode("utf-16"), ["UTF-16"]),
        (b"PK\x03\x04abc", ["ZIP"]),
        (b"PK\x03\x04\x14\0docProps/app.xml", ["Excel", "save the sheet as CSV"]),
        (b"PK\x03\x04\x14\0\nmimetypeapplication/vnd.oasis.opendocument.spreadsheet", ["save the sheet as CSV"]),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ["Excel"]),
        (b"\x04\x22\x4d\x18abc", ["LZ4"]),
        (b"\xfd7zXZ\0", ["xz"]),
        (b"PAR1\x15\x04", ["Parquet data are damaged"]),
        (b"ARROW1\0\0xyz", ["Arrow data are damaged"]),
        ("{", ["line 1", "not JSON"]),
        ('{"q": {"d": 1,\n "e" 2}}', ["line 2", "not JSON", "2}}"]),
        ("{}", ["dict is empty"]),
        ('{"q": [1, 2]}\n', ["'q'"]),
        ('{"q": {"d": "x"}}', ["query 'q', document 'd': score 'x' is not a number"]),
        ('{"q": {"d": NaN}}', ["query 'q', document 'd': score nan is not a number"]),
        ('{"q": {"d": null}}', ["query 'q', document 'd': score None is not a number"]),
        ('{"q": {"d": 1, "d": 2}}', ["duplicate document 'd' for query 'q'"]),
        ('{"q": {"d": 1}, "q": {"e": 2}}', ["'q' occurs twice"]),
        ("[[1, 2]]", ["JSON of this form"]),
        ("[]", ["there are no rows"]),
        ('[{"qid": "q", "docno": "d"}]', ["no column for score or rank", "'qid', 'docno'"]),
        ('{"qid":"q","docno":"d","score":1}\n{"qid":"q","docno":"e","score":"x"}\n', ["line 2", "score 'x'"]),
        ('{"qid":"q","docno":"d","score":1}\n{"qid":"q","docno":"e"}\n', ["line 2", "does not have the fields"]),
        ('{"qid":"q","docno":"d","score":1}\n{"qid":"q",\n', ["line 2", "not JSON"]),
        ('{"qid":"q","docno":"d","score":1}\n{"qid":null,"docno":"e","score":1}\n', ["line 2", "query None"]),
        ('{"qid":"q","docno":"d","score":1}\n{"qid":"q","docno":"e","score":2,"score":1}', ["line 2", "occurs twice"]),
        ('{"qid":"q","docno":"d","score":1,"score":2}\n', ["line 1", "'score' occurs twice"]),
        ('{"_id":"q","text":"d"}\n', ["line 1", "'_id', 'text'"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read_as_a_run_is_said(file, content, said):
    path = file(content, "bad.dat")
    refused(path, str(path), *said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ["the file is empty"]),
        ("q Q0 d 1 0.5 t\n", ["line 1", "6 fields", "looks like a run", "'q Q0 d 1 0.5 t'"]),
        ("".join(f"q d{n} {n}\n" for n in range(1, 11)), ["looks like a run"]),
        ("".join(f"q\td{n}\t{n}\t{-n}\n" for n in range(1, 11)), ["looks like a run"]),
        ("1 A X d1 2.0\n", ["5 fields", "form='prefs'"]),
        ("q 0 d high\n", ["line 1", "grade 'high' is not a number"]),
        ("q 0 d 1\nq 0 e nan\n", ["line 2", "grade nan is not a finite number"]),
        ("q 0 d 1\nq 0 e inf\n", ["line 2", "grade inf is not a finite number"]),
        ("q 0 d 1\nq 0 e\n", ["line 2", "3 fields instead of 4", "'q 0 e'"]),
        ("q 0 d 1\n\nr 0 d 1\nq 0 d 0\n", ["line 4", "duplicate judgment of document 'd' for query 'q'", "line 1)"]),
        ("1 1 d 1\n1 2 d 1\n1 1 d 0\n", ["line 3", "duplicate judgment of document 'd' for query '1'", "line 1)"]),
        ("qid,docno,score,rank\nq,d,1,1\n", ["belong to a run", "'rank'"]),
        ("qid,docno,grades\nq,d,1\n", ["line 1", "no column for grade", "'grades'", "label"]),
        ('{"q": {"d": "x"}}', ["query 'q', document 'd': grade 'x' is not a number"]),
        ('{"q": {"d": Infinity}}', ["grade inf is not a finite number"]),
        ('{"q": 1}\n', ["'q'"]),
    ],
)
def test_what_cannot_be_read_as_judgments_is_said(file, content, said):
    path = file(content, "bad.dat")
    refused(path, str(path), *said, judgments=True)


def test_preferences_must_have_five_fields(file):
    path = file("q 0 d 1\n")
    with pytest.raises(BadInput, match=re.escape(f"{path}, line 1: 4 fields, but preferences must have 5")):
        as_judgments(path, form="prefs")


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: pa.Codec("zstd").compress(data, asbytes=True)])
def test_a_packed_file_that_is_cut_off_is_refused(file, pack):
    data = pack(b"".join(b"q Q0 d%d 1 %d t\n" % (n, n * n) for n in range(3000)))
    refused(file(data[:-7], "run.packed"), "run.packed", "damaged or truncated")
    refused(file(data[:200], "run.packed"), "run.packed", "damaged or truncated")


def test_packs_one_after_another_are_read_as_one(file):
    data = gzip.compress(b"q Q0 a 1 2 t\n") + gzip.compress(b"q Q0 b 2 1 t\n")
    assert ranking(file(data)) == [b"a", b"b"]


def test_a_long_line_of_json_is_a_whole_file(file):
    content = json.dumps({"q": {f"document-{n}": -n for n in range(9000)}})
    assert ranking(file(content))[:2] == [b"document-0", b"document-1"]


def test_what_is_no_file_is_refused(tmp_path):
    refused(tmp_path, str(tmp_path), "directory")
    refused(tmp_path / "none.run", "none.run", "no such file")
    refused("a\0b", "cannot be read")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read_is_refused(file):
    path = file("q Q0 d 1 2 t\n")
    path.chmod(0)
    refused(path, str(path), "cannot be read")


def test_a_parquet_file_without_the_columns_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"a": [1]}), path)
    refused(path, "x.parquet", "no column for query, document, score or rank among 'a'")


def test_every_name_of_a_column_is_documented():
    page = (Path(__file__).parents[3] / "docs/reference/formats.md").read_text()
    assert [
        name for ranks in SPELLINGS.values() for names in ranks for name in names if name and f"`{name}`" not in page
    ] == []


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"qid": ["q"], "docno": ["d"], "score": [1]}).slice(1), path)
    refused(path, "x.parquet", "no rows")
