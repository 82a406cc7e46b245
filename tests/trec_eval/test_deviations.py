"""Where the original is undefined, crashes or contradicts itself, and what is done instead.

docs/reference/trec_eval.md lists the same cases.
"""

from __future__ import annotations

from math import log2

import pytest

from trec_eval.running import Files, run
from trec_eval.test_flags import values

QRELS = "1 0 a 1\n1 0 b 2\n1 0 c 0\n"
RUN = "1 Q0 a 1 3 tag\n1 Q0 b 2 2 tag\n1 Q0 c 3 1 tag\n"


def test_rank_biased_precision_depends_on_nothing_else_that_is_asked(files: Files) -> None:
    paths = files(QRELS, RUN)
    alone = values("-m", "rbp", *paths)["rbp", "all"]
    assert alone == f"{0.1 * (0.5 + 0.9):6.4f}"  # grade 1 of 2, then grade 2 of 2
    assert values("-m", "rbp", "-m", "ndcg", *paths)["rbp", "all"] == alone


@pytest.mark.parametrize(
    ("gains", "low", "high"),
    [("1=0.5,2=0.9", 0.5, 0.9), ("1=0.5,2=1.9", 0.5, 1.9), ("1=2.5,2=2.1", 2.5, 2.1)],
)
def test_gains_closer_than_1_differ(gains: str, low: float, high: float, files: Files) -> None:
    best = sorted((low, high), reverse=True)
    expected = (low + high / log2(3)) / (best[0] + best[1] / log2(3))
    assert values("-m", f"ndcg.{gains}", *files(QRELS, RUN)) == {(f"ndcg_{gains}", "all"): f"{expected:6.4f}"}


@pytest.mark.parametrize("score", ["nan", "-NaN", "nan(1)"])
def test_a_score_that_is_not_a_number_is_refused(score: str, files: Files) -> None:
    paths = files(QRELS, RUN.replace(" 2 tag", f" {score} tag"))
    said = f"trec_eval.get_results: Malformed line 2\ntrec_eval: Quit in file '{paths[1]}'\n"
    assert run(*paths) == ("", said, 2)


@pytest.mark.parametrize("form", ["qrels", "qrels_jg", "qrels_prefs"])
def test_a_comment_may_end_the_judgments(form: str, files: Files) -> None:
    for end in ("# the end\n", "# the end"):
        assert run("-R", form, "-m", "num_q", *files(QRELS + end, RUN)).status == 0


def test_a_file_of_comments_alone_cannot_be_read(files: Files) -> None:
    assert run(*files("# nothing\n", RUN)).said.startswith("trec_eval.get_qrels: Cannot read qrels file")
    assert run(*files(QRELS, "# nothing\n\n")).said.startswith("trec_eval.get_results: Cannot read results file")


def test_each_measure_of_gains_has_its_own(files: Files) -> None:
    shown = values("-m", "dcg.1=3", "-m", "ideal_dcg", "-m", "ndcg.2=5", *files(QRELS, RUN))
    assert shown == {
        ("dcg_1=3", "all"): f"{3 + 2 / log2(3):6.4f}",
        ("ideal_dcg", "all"): f"{2 + 1 / log2(3):6.4f}",
        ("ndcg_2=5", "all"): f"{(1 + 5 / log2(3)) / (5 + 1 / log2(3)):6.4f}",
    }


def test_of_two_gains_of_a_grade_the_first_counts(files: Files) -> None:
    assert values("-m", "dcg.1=3,1=7", *files(QRELS, RUN)) == {("dcg_1=3,1=7", "all"): f"{3 + 2 / log2(3):6.4f}"}


def test_a_first_topic_without_a_judgment_cannot_be_evaluated(files: Files) -> None:
    done = run("-m", "num_q", "-m", "map", *files("1 0 a -1\n2 0 a 1\n", RUN + "2 Q0 a 1 1 tag\n"))
    assert done == ("", "trec_eval: Can't calculate measure 'map'\n", 4)
    assert run("-m", "num_q", *files("1 0 a -1\n2 0 a 1\n", RUN + "2 Q0 a 1 1 tag\n")).status == 0


def test_a_later_topic_without_a_judgment_is_worth_nothing(files: Files) -> None:
    paths = files(QRELS + "2 0 a -1\n", RUN + "2 Q0 a 1 1 tag\n")
    shown = values("-qn", "-m", "all_trec", "-m", "dcg", "-m", "ideal_dcg", *paths)
    named = ("map", "bpref", "ndcg", "ndcg_cut_5", "dcg", "ideal_dcg", "G", "Rndcg", "rbp", "num_rel")
    assert {shown[name, "2"] for name in named} <= {"0.0000", "0"}


def test_a_level_below_0_is_0(files: Files) -> None:
    paths = files(QRELS + "1 0 d -1\n", RUN + "1 Q0 x 4 0 tag\n")
    assert run("-l", "-2", "-m", "official", *paths) == run("-l", "0", "-m", "official", *paths)


def test_a_depth_below_0_is_0(files: Files) -> None:
    paths = files(QRELS, RUN)
    assert run("-M", "-2", "-m", "official", *paths) == run("-M", "0", "-m", "official", *paths)
    assert values("-M0", "-m", "num_ret", "-m", "map", *paths) == {("num_ret", "all"): "0", ("map", "all"): "0.0000"}


def test_preferences_in_a_circle_are_refused_in_their_topic(files: Files) -> None:
    prefs = "1 g s a 2\n1 g s b 1\n2 g s a 2\n2 g s b 1\n2 g t b 2\n2 g t a 1\n"
    done = run("-q", "-R", "prefs", "-m", "prefs_simp", *files(prefs, RUN + "2 Q0 a 1 1 tag\n"))
    assert done.out == "prefs_simp            \t1\t1.0000\n"
    assert done.status == 4
    assert done.said.startswith("trec_eval.form_prefs_counts: query '2'")
    assert done.said.endswith("trec_eval: Can't calculate measure 'prefs_simp'\n")


@pytest.mark.parametrize("prefs", ["1 g s a 2\n1 g s a 1\n", "1 g s a 1\n1 g s b 0\n1 g t a 0\n1 g t b 0\n"])
def test_two_levels_of_a_document_are_refused(prefs: str, files: Files) -> None:
    done = run("-R", "prefs", "-m", "prefs_simp", *files(prefs, RUN))
    assert done.status == 4
    assert done.said.startswith("trec_eval.form_prefs_counts: ")


def test_a_preference_said_twice_counts_once(files: Files) -> None:
    prefs = "1 g s a 2\n1 g s b 1\n"
    assert values("-R", "prefs", "-m", "prefs_num_prefs_poss", *files(prefs + prefs, RUN)) == {
        ("prefs_num_prefs_poss", "all"): "1"
    }


def test_a_topic_after_the_last_with_means_has_none(files: Files) -> None:
    qrels, ranked = files(QRELS, RUN)
    (qrels.parent / "means").write_text("0 map 0.5 0.25\n")
    assert values("-Z", qrels.parent / "means", "-m", "map", qrels, ranked) == {("Zmap", "all"): "-1000000.0000"}


def test_there_are_no_traces(files: Files) -> None:
    paths = files(QRELS, RUN)
    assert run("-D", "6", "-m", "ndcg", *paths) == run("-m", "ndcg", *paths)
