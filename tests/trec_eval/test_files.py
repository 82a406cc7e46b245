"""The files: what is read as what, and what is refused."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cranfield.trec_eval import files as judged_files
from cranfield.trec_eval import files as runs
from trec_eval.running import Files, run

QRELS = "1 0 a 1\n1 0 b 0\n2 0 d 1\n"
RUN = "1 Q0 a 1 2 tag\n1 Q0 x 2 1 tag\n2 Q0 d 1 2 last\n"
FOUND = "num_rel_ret           \tall\t2\n"


@pytest.mark.parametrize(
    ("qrels", "line"),
    [
        ("1 0 a\n", 1),
        ("1 0 a 1 more\n", 1),
        ("1 0 a 1\n\n1 0 b 1\n", 2),  # blank lines are not passed over here
        ("1 0 a 1\n \n", 2),
        ("# one\n# another\n1 0 a 1\n", 1),  # what follows a comment is not taken for one
        ("1 0 a 1\n# one\n1 0 b\n", 2),  # comments are not counted
    ],
)
def test_a_malformed_line_of_judgments_is_named(qrels: str, line: int, files: Files) -> None:
    paths = files(qrels, RUN)
    said = f"trec_eval.get_qrels: Malformed line {line}\ntrec_eval: Quit in file '{paths[0]}'\n"
    assert run(*paths) == ("", said, 2)


@pytest.mark.parametrize(
    ("ranked", "line"),
    [
        ("1 Q0 a 1 2\n", 1),
        ("1 Q0 a 1 2 \n", 1),
        ("\n\n1 Q0 a 1 2 tag\n \n1 Q0 b 1 2\n", 2),  # blank lines are passed over, and not counted
        ("# a comment\n1 Q0 a 1 2 tag\n  # another\n# and more\n1 Q0 b\n", 2),
    ],
)
def test_a_malformed_line_of_a_run_is_named(ranked: str, line: int, files: Files) -> None:
    paths = files(QRELS, ranked)
    said = f"trec_eval.get_results: Malformed line {line}\ntrec_eval: Quit in file '{paths[1]}'\n"
    assert run(*paths) == ("", said, 2)


@pytest.mark.parametrize(
    ("form", "procedure", "what"),
    [
        ("qrels", "get_qrels", "qrels"),
        ("qrels_jg", "get_qrels_jg", "qrels"),
        ("prefs", "get_prefs", "prefs"),
        ("qrels_prefs", "get_prefs", "prefs"),
    ],
)
@pytest.mark.parametrize("qrels", [None, ""])
def test_judgments_that_are_not_there_cannot_be_read(
    form: str, procedure: str, what: str, qrels: str | None, files: Files
) -> None:
    path, ranked = files(qrels or "", RUN)
    if qrels is None:
        path.unlink()
    said = f"trec_eval.{procedure}: Cannot read {what} file '{path}'\ntrec_eval: Quit in file '{path}'\n"
    assert run("-R", form, path, ranked) == ("", said, 2)


@pytest.mark.parametrize("ranked", ["", "none"])
def test_a_run_that_is_not_there_cannot_be_read(ranked: str, files: Files) -> None:
    qrels, path = files(QRELS, "")
    if ranked:
        path = path.parent / ranked
    said = f"trec_eval.get_results: Cannot read results file '{path}'\ntrec_eval: Quit in file '{path}'\n"
    assert run(qrels, path) == ("", said, 2)


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    assert run(tmp_path, tmp_path).said.startswith("trec_eval.get_qrels: Cannot read qrels file")


@pytest.mark.parametrize(
    ("qrels", "ranked"),
    [
        (QRELS.replace(" ", "\t"), RUN.replace(" ", "\t")),
        (QRELS.replace(" ", "  \t"), RUN.replace(" ", " \v")),
        (QRELS.replace("\n", "\r\n"), RUN.replace("\n", "\r\n")),
        (QRELS.rstrip("\n"), RUN.rstrip("\n")),
        (" " + QRELS, " " + RUN),
        (QRELS, RUN.replace("tag", "tag and more fields")),
        (QRELS, "\n" + RUN + "\n \n"),
        ("# said\n" + QRELS, "# said\n# again\n" + RUN),
        (QRELS.replace("1 0 b 0\n", "1 0 b#1 0\n"), RUN.replace("x", "#x")),  # only at the start of a line
    ],
)
def test_blanks_of_any_kind_part_fields(qrels: str, ranked: str, files: Files) -> None:
    assert run("-m", "num_rel_ret", *files(qrels, ranked)).out == FOUND


def test_a_blank_that_c_does_not_know_is_part_of_a_name(files: Files) -> None:
    qrels = "1 0 a\u00a0b 1\n1 0 \u3000 1\n2 0 d 1\n"
    ranked = "1 Q0 a\u00a0b 1 2 tag\n1 Q0 \u3000 2 1 tag\n2 Q0 d 1 1 tag\n"
    assert run("-m", "num_rel_ret", *files(qrels, ranked)).out == FOUND.replace("2", "3")


def test_names_need_not_be_text(files: Files) -> None:
    qrels, ranked = "\udcff 0 \udcfe 1\n", "\udcff Q0 \udcfe 1 2 \udcfd\n"
    out = run("-q", "-m", "runid", "-m", "num_rel", *files(qrels, ranked)).out
    assert (
        out
        == "num_rel               \t\udcff\t1\nrunid                 \tall\t\udcfd\nnum_rel               \tall\t1\n"
    )


@pytest.mark.parametrize(
    ("grade", "relevant"),
    [
        ("1", 1),
        ("1.7", 1),
        ("0.9", 0),
        ("+1", 1),
        ("1e2", 1),
        ("yes", 0),
        ("-1", 0),
        ("1_0", 1),
        ("99999999999999999999", 1),
    ],
)
def test_a_grade_is_the_whole_number_it_begins_with(grade: str, relevant: int, files: Files) -> None:
    out = run("-m", "num_rel", *files(f"1 0 a {grade}\n1 0 b 0\n", "1 Q0 a 1 2 tag\n")).out
    assert out == f"num_rel               \tall\t{relevant}\n"


@pytest.mark.parametrize(
    ("high", "low"),
    [
        ("2", "1.5"),
        ("1e2", "99"),
        ("inf", "1e308"),
        ("1", "-inf"),
        ("1", "foo"),
        ("0x10", "15"),
        ("2x", "1_9"),
        (".5", "0"),
    ],
)
def test_a_score_is_the_number_it_begins_with(high: str, low: str, files: Files) -> None:
    ranked = f"1 Q0 other 1 {low} tag\n1 Q0 a 1 {high} tag\n"
    assert run("-m", "recip_rank", *files("1 0 a 1\n", ranked)).out.endswith("\t1.0000\n")


def test_documents_with_one_score_are_ranked_by_name_the_last_first(files: Files) -> None:
    ranked = "".join(f"1 Q0 {name} 1 7 tag\n" for name in ("a", "c", "b", "é", "B"))
    paths = files("1 0 a 1\n1 0 b 2\n1 0 c 3\n1 0 é 4\n1 0 B 5\n", ranked)
    assert run("-q", "-m", "relstring", *paths).out == "relstring             \t1\t'43215'\n"


def test_topics_are_ordered_as_texts(files: Files) -> None:
    qrels = "".join(f"{topic} 0 a 1\n" for topic in (2, 9, 10))
    ranked = "".join(f"{topic} Q0 a 1 1 tag\n" for topic in (9, 10, 2))
    out = run("-qn", "-m", "num_ret", *files(qrels, ranked)).out
    assert [line.split()[1] for line in out.splitlines()] == ["10", "2", "9"]


def test_a_topic_may_be_scattered_over_the_run(files: Files) -> None:
    ranked = "1 Q0 a 1 1 tag\n2 Q0 d 1 1 tag\n1 Q0 b 1 2 tag\n"
    assert run("-qn", "-m", "relstring", *files(QRELS, ranked)).out.startswith("relstring             \t1\t'01'\n")


def test_the_name_of_the_run_is_that_of_the_last_line(files: Files) -> None:
    assert run("-m", "runid", *files(QRELS, RUN + "\n# no tag here\n")).out == "runid                 \tall\tlast\n"


@pytest.mark.parametrize("version", ["9.0.8", "pytrec_eval"])
def test_comments_are_lines_like_others_before_version_10(version: str, files: Files) -> None:
    paths = files(QRELS, "# a comment\n" + RUN)
    assert run("--compat", version, *paths).said.startswith("trec_eval.get_results: Malformed line 1\n")
    paths = files("# a comment\n" + QRELS, RUN)
    assert run("--compat", version, *paths).said.startswith("trec_eval.get_qrels: Malformed line 1\n")


def test_a_run_can_come_from_standard_input(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, _ = files(QRELS, RUN)
    for limit in (runs.LARGE, 1):
        monkeypatch.setattr(runs, "LARGE", limit)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
        assert run("-m", "num_rel_ret", qrels, "-").out == FOUND


def test_a_dash_is_a_file_before_version_10(files: Files) -> None:
    qrels, _ = files(QRELS, RUN)
    done = run("--compat", "9.0.8", qrels, "-")
    assert done.said == "trec_eval.get_results: Cannot read results file '-'\ntrec_eval: Quit in file '-'\n"


def test_packed_files_are_unpacked(files: Files) -> None:
    paths = files(QRELS, RUN)
    for path in paths:
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert run("-m", "num_rel_ret", *paths).out == FOUND


# documents twice


def test_a_document_twice_in_a_ranking_cannot_be_evaluated(files: Files) -> None:
    ranked = RUN + "2 Q0 d 1 5 tag\n2 Q0 b 1 5 tag\n2 Q0 b 1 6 tag\n"
    done = run("-q", "-m", "num_q", "-m", "map", "-m", "num_ret", *files(QRELS, ranked))
    assert done.out == "num_ret               \t1\t2\nmap                   \t1\t1.0000\n"  # the topic before it
    said = "trec_eval.form_res_qrels: duplicate docs btrec_eval: Can't calculate measure 'num_ret'\n"
    assert (done.said, done.status) == (said, 4)


def test_documents_twice_are_not_looked_for_below_the_depth(files: Files) -> None:
    ranked = "1 Q0 a 1 9 tag\n1 Q0 x 1 8 tag\n1 Q0 x 1 7 tag\n2 Q0 d 1 1 tag\n"
    paths = files(QRELS, ranked)
    assert run("-M2", "-m", "num_ret", *paths).out == "num_ret               \tall\t3\n"
    assert run("-M3", "-m", "num_ret", *paths).status == 4


def test_documents_twice_are_not_looked_for_where_nothing_is_evaluated(files: Files) -> None:
    unjudged = RUN + "3 Q0 a 1 1 tag\n3 Q0 a 1 1 tag\n"
    assert run("-m", "num_rel_ret", *files(QRELS, unjudged)).out == FOUND
    twice = RUN + "1 Q0 a 1 1 tag\n"
    assert run("-m", "num_q", "-m", "runid", *files(QRELS, twice)).status == 0


def test_a_document_judged_twice_cannot_be_evaluated(files: Files) -> None:
    done = run("-q", "-m", "map", *files(QRELS + "2 1 d 0\n2 2 d 0\n", RUN))
    said = "trec_eval.form_res_rels: duplicate docs d\ntrec_eval: Can't calculate measure 'map'\n"
    assert done == ("map                   \t1\t1.0000\n", said, 4)


def test_a_document_judged_twice_by_a_group_is_refused_at_once(files: Files) -> None:
    paths = files("1 g a 1\n1 h a 1\n1 h a 0\n", RUN)
    said = f"trec_eval.get_qrels: duplicate docs a\ntrec_eval: Quit in file '{paths[0]}'\n"
    assert run("-R", "qrels_jg", "-m", "qrels_jg", *paths) == ("", said, 2)


# the quick way of reading


def _large(tag: str = "tag") -> str:
    return "".join(f"{topic} Q0 d{rank} {rank} {rank % 7} {tag}{topic}\n" for topic in range(40) for rank in range(60))


def _judged() -> str:
    return "".join(f"{topic} 0 d{rank} {rank % 3}\n" for topic in range(40) for rank in range(0, 70, 5))


@pytest.mark.parametrize("version", ["10.0", "9.0.8", "pytrec_eval"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace("\n", " more fields\n"),
        lambda text: text.replace(" Q0 ", "\tQ0 "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n1 ", "\n\n# 1\n1 "),
        lambda text: text.replace(" 3 ", " foo "),
        lambda text: text.replace(" 3 ", " 1_3 "),
        lambda text: text.replace(" 3 ", " 0x3 "),
        lambda text: text.replace(" 3 ", " nan "),
        lambda text: text.replace(" 3 tag1\n", "\n"),
        lambda text: text + "1 Q0 d1 1 2 again\n",
        lambda text: text + "99 Q0 d1 1 2 again\n99 Q0 d1 1 2 again\n",
        lambda text: text + "1 Q0 extra 1 2 again\n",
        lambda text: "\n" + text,
        lambda text: text.replace("0 Q0", "query Q0", 1),
        lambda text: "topic iteration document rank score tag\n" + text,
        lambda text: text.rstrip("\n") + "\n \n\n",
    ],
)
def test_a_large_run_is_read_as_a_small_one(
    version: str, change: Callable[[str], str], files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = files(_judged(), change(_large()))
    arguments = ("--compat", version, "-q", "-m", "official", "-m", "relstring", *paths)
    slow = run(*arguments)
    monkeypatch.setattr(runs, "LARGE", 1)
    assert run(*arguments) == slow


@pytest.mark.parametrize("version", ["10.0", "9.0.8"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" 0 d", "  0 d"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(" 2\n", " -1\n"),
        lambda text: text.replace(" 2\n", " 1.7\n"),
        lambda text: text.replace(" 2\n", " +2\n"),
        lambda text: text.replace("\n1 ", "\n# one\n1 ", 1),
        lambda text: text.replace("\n1 ", "\n\n1 ", 1),
        lambda text: text.replace("\n1 ", "\n1 more ", 1),
        lambda text: text + "1 7 d5 1\n",
        lambda text: text + "1 0 d5 1\n",
        lambda text: text.rstrip("\n"),
        lambda text: "topic iteration document grade\n" + text,
    ],
)
def test_large_judgments_are_read_as_small_ones(
    version: str, change: Callable[[str], str], files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = files(change(_judged()), _large())
    arguments = ("--compat", version, "-q", "-c", "-m", "official", "-m", "relstring", "-m", "infAP", *paths)
    slow = run(*arguments)
    monkeypatch.setattr(judged_files, "LARGE", 1)
    assert run(*arguments) == slow
