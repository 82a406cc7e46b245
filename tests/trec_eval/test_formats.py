"""Judgment groups and preferences, worked out by hand."""

from __future__ import annotations

import pytest

from trec_eval.running import Files, run
from trec_eval.test_flags import values

# groups: g finds a and c relevant, h only x
GROUPS = "1 g a 1\n1 g b 0\n1 g c 2\n1 h a 0\n1 h x 1\n2 g a 1\n"
RUN = "1 Q0 a 1 3 tag\n1 Q0 x 2 2 tag\n1 Q0 c 3 1 tag\n2 Q0 b 1 3 tag\n2 Q0 a 2 2 tag\n"


def test_measures_of_groups_are_means_over_the_groups(files: Files) -> None:
    shown = values("-q", "-R", "qrels_jg", "-m", "qrels_jg", *files(GROUPS, RUN))
    assert shown["map_avgjg", "1"] == f"{((1 + 2 / 3) / 2 + 1 / 2) / 2:6.4f}"
    assert shown["map_avgjg", "2"] == "0.5000"
    assert shown["P_avgjg_5", "1"] == f"{(2 / 5 + 1 / 5) / 2:6.4f}"
    assert shown["Rprec_mult_avgjg_1.00", "1"] == f"{(1 / 2 + 0) / 2:6.4f}"
    assert shown["map_avgjg", "all"] == "0.5833"
    assert shown["num_q", "all"] == "2"


def test_groups_take_parameters_levels_and_depths(files: Files) -> None:
    paths = files(GROUPS, RUN)
    assert values("-R", "qrels_jg", "-qn", "-m", "P_avgjg.3,1", *paths)["P_avgjg_1", "1"] == "0.5000"
    assert values("-R", "qrels_jg", "-qn", "-l2", "-m", "map_avgjg", *paths)["map_avgjg", "1"] == f"{1 / 3 / 2:6.4f}"
    assert values("-R", "qrels_jg", "-qn", "-M1", "-m", "map_avgjg", *paths)["map_avgjg", "1"] == f"{1 / 2 / 2:6.4f}"
    assert (
        values("-R", "qrels_jg", "-qn", "-J", "-m", "map_avgjg", *paths)["map_avgjg", "1"] == f"{(1 + 1 / 2) / 2:6.4f}"
    )


def test_a_missing_topic_of_groups_is_ranked_a_document_nobody_knows(files: Files) -> None:
    shown = values("-cq", "-R", "qrels_jg", "-m", "map_avgjg", *files(GROUPS + "3 g a 1\n", RUN))
    assert (shown["map_avgjg", "3"], shown["map_avgjg", "all"]) == ("0.0000", f"{1.75 / 3 * 2 / 3:6.4f}")


@pytest.mark.parametrize(
    ("form", "measure"), [("qrels_jg", "map_avgjg"), ("qrels_prefs", "prefs_simp"), ("qrels", "map")]
)
def test_topics_that_version_9_passes_over_change_nothing_in_the_others(form: str, measure: str, files: Files) -> None:
    arguments = ("--compat", "9.0.8", "-q", "-R", form, "-m", measure)
    judged = "1 g a 1\n1 g c 2\n1 g b 0\n2 g a 1\n2 g b 0\n"
    expected = run(*arguments, *files(judged, RUN))
    more = "0 g a 1\n0 g a2 0\n" + judged + "12 g a 3\n12 g z 1\n3 g a 1\n"
    assert run(*arguments, *files(more, RUN)) == expected


# one group, one subgroup: a over b over c over d, which is not relevant; retrieved: b a d, and c never
CLASSES = "1 g s a 3\n1 g s b 2\n1 g s c 1\n1 g s d 0\n"
RANKED = "1 Q0 b 1 3 tag\n1 Q0 a 2 2 tag\n1 Q0 d 3 1 tag\n"


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        ("prefs_num_prefs_poss", "6"),
        ("prefs_num_prefs_ful", "4"),  # a>d, b>d; a>c and b>c, since c was not retrieved
        ("prefs_num_prefs_ful_ret", "2"),
        ("prefs_simp", f"{4 / 6:6.4f}"),
        ("prefs_simp_ret", f"{2 / 3:6.4f}"),  # of a>b, a>d, b>d
        ("prefs_simp_imp", f"{4 / 6:6.4f}"),  # c>d counts, as d was retrieved
        ("prefs_pair", f"{4 / 6:6.4f}"),
        ("prefs_avgjg", f"{4 / 6:6.4f}"),
        # three relevant documents and one other: two more others, below the two relevant ones retrieved
        ("prefs_avgjg_Rnonrel", f"{(4 + 2 * 2) / (6 + 3 * 2):6.4f}"),
    ],
)
def test_one_subgroup_prefers_every_higher_level(measure: str, printed: str, files: Files) -> None:
    out = run("-R", "prefs", "-m", measure, *files(CLASSES, RANKED)).out
    assert out == f"{measure:<22}\tall\t{printed}\n"


def test_several_subgroups_prefer_what_follows_from_them(files: Files) -> None:
    # a>b>c in one, b>d in the other: a>d follows, c and d are not compared
    prefs = "1 g s a 3\n1 g s b 2\n1 g s c 1\n1 g t b 5\n1 g t d 4\n"
    ranked = "1 Q0 a 1 4 tag\n1 Q0 b 2 3 tag\n1 Q0 c 3 2 tag\n1 Q0 d 4 1 tag\n"
    shown = values("-R", "prefs", "-m", "prefs", *files(prefs, ranked))
    assert (shown["prefs_num_prefs_poss", "all"], shown["prefs_simp", "all"]) == ("5", "1.0000")


def test_groups_may_disagree(files: Files) -> None:
    # two groups prefer a to b, one b to a; one of them also a to c
    prefs = "1 g s a 2\n1 g s b 1\n1 h s a 2\n1 h s b 1\n1 h s c 1\n1 i s b 2\n1 i s a 1\n"
    shown = values("-R", "prefs", "-m", "all_prefs", *files(prefs, "1 Q0 a 1 2 tag\n1 Q0 b 2 1 tag\n"))
    assert shown["prefs_simp", "all"] == f"{3 / 4:6.4f}"
    assert shown["prefs_pair", "all"] == f"{(2 / 3 + 1) / 2:6.4f}"
    assert shown["prefs_avgjg", "all"] == f"{(1 + 1 + 0) / 3:6.4f}"
    assert shown["prefs_simp_ret", "all"] == f"{2 / 3:6.4f}"


def test_qrels_are_taken_for_preferences(files: Files) -> None:
    qrels = "1 0 a 2\n1 0 b 1\n1 0 c 0\n"
    shown = values("-R", "qrels_prefs", "-m", "prefs", *files(qrels, "1 Q0 a 1 2 tag\n1 Q0 c 2 1 tag\n"))
    assert (shown["prefs_num_prefs_poss", "all"], shown["prefs_num_prefs_ful", "all"]) == ("3", "2")


def test_with_preferences_one_score_is_ranked_by_name_upwards(files: Files) -> None:
    qrels, ranked = "1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 1 tag\n1 Q0 b 2 1 tag\n"
    assert values("-m", "recip_rank", *files(qrels, ranked)) == {("recip_rank", "all"): "0.5000"}
    assert values("-R", "qrels_prefs", "-m", "prefs_simp", *files(qrels, ranked)) == {("prefs_simp", "all"): "1.0000"}


def test_a_depth_cuts_preferences_in_that_order_too(files: Files) -> None:
    paths = files("1 0 a 1\n1 0 b 0\n", "1 Q0 a 1 1 tag\n1 Q0 b 2 1 tag\n")
    shown = values("-R", "qrels_prefs", "-M1", "-m", "prefs_num_prefs_ful", "-m", "prefs_num_prefs_ful_ret", *paths)
    assert list(shown.values()) == ["1", "0"]


def test_a_document_twice_in_a_ranking_of_preferences(files: Files) -> None:
    done = run("-R", "prefs", "-m", "prefs", *files(CLASSES, RANKED + "1 Q0 a 1 0 tag\n"))
    said = "trec_eval.form_prefs_counts: duplicate docs atrec_eval: Can't calculate measure 'prefs_num_prefs_poss'\n"
    assert done == ("", said, 4)


def test_a_missing_topic_of_preferences_meets_none(files: Files) -> None:
    shown = values("-cq", "-R", "prefs", "-m", "prefs", *files(CLASSES + "2 g s a 1\n2 g s b 0\n", RANKED))
    assert (shown["prefs_num_prefs_poss", "2"], shown["prefs_simp", "2"]) == ("1", "0.0000")


# three groups on four documents, of which the last is not retrieved; by documents a b c d
_LEVELS = {"g": (0, 1, 0, 5), "h": (4, 6, 6, 5), "i": (9, 8, 7, 5)}


@pytest.mark.parametrize(
    ("again", "even_ret"),
    [
        ("", "0.4810"),
        ("ghi", "0.6476"),  # a second subgroup says the same of a and b: grades are compared within subgroups only
        ("g", "0.6476"),
    ],
)
def test_preferences_come_to_what_trec_eval_prints_for_them(again: str, even_ret: str, files: Files) -> None:
    rows = [(group, "s", *pair) for group, levels in _LEVELS.items() for pair in zip("abcd", levels, strict=True)]
    rows += [(group, "t", *pair) for group in again for pair in zip("ab", _LEVELS[group][:2], strict=True)]
    prefs = "".join(f"1 {group} {subgroup} {name} {level}\n" for group, subgroup, name, level in rows)
    ranked = "".join(f"1 Q0 {name} 0 {-rank} tag\n" for rank, name in enumerate("abcx"))
    out = run("-qn", "-R", "prefs", "-m", "all_prefs", *files(prefs, ranked)).out
    printed = "16 9 4 0.5625 0.5833 0.5333 0.5616 0.5714 0.6111 0.5000 EVEN 0.5625 0.5833 0.5333".replace(
        "EVEN", even_ret
    )
    assert [line.split("\t")[2] for line in out.splitlines()] == printed.split()


@pytest.mark.parametrize("twice", [False, True])  # a second subgroup that says the same again changes nothing
@pytest.mark.parametrize(
    ("levels", "printed"),
    [
        (
            "1 0 0 1 0 1 1 1 0 1 0",
            "30 12 4 0.4000 0.4000 0.4000 0.4444 0.3333 0.3333 0.3333 0.4444 0.4615 0.4615 0.4615",
        ),
        (
            "4 0 0 2 0 1 1 4 0 1 0",
            "41 19 9 0.4634 0.4634 0.4634 0.4894 0.5294 0.5294 0.5294 0.5652 0.5278 0.5278 0.5278",
        ),
        (
            "9 8 7 6 5 5.5 6.5 8 7 6 3",
            "52 31 17 0.5962 0.5962 0.5962 0.6243 0.8095 0.8095 0.8095 0.6735 0.6739 0.6739 0.6739",
        ),
    ],
)
def test_a_group_on_eleven_documents_of_which_seven_are_retrieved(
    levels: str, printed: str, twice: bool, files: Files
) -> None:
    rows = list(zip("abcdefghijk", levels.split(), strict=True))
    prefs = "".join(f"1 g s {name} {level}\n" for name, level in rows)
    prefs += "".join(f"1 g t {name} {level}\n" for name, level in rows[:2] * twice)
    ranked = "".join(f"1 Q0 {name} 0 {-rank} tag\n" for rank, name in enumerate("abcdefg"))
    out = run("-qn", "-R", "prefs", "-m", "all_prefs", *files(prefs, ranked)).out
    assert [line.split("\t")[2] for line in out.splitlines()] == printed.split()


def test_what_follows_from_two_subgroups_comes_to_what_trec_eval_prints(files: Files) -> None:
    rows = [("s", "a", 5), ("s", "b", 9), ("s", "c", 4), ("s", "d", 3), ("s", "x", 6), ("s", "y", 0)]
    rows += [("t", "c", 7), ("t", "e", 6), ("t", "z", 1)]
    prefs = "".join(f"1 g {subgroup} {name} {level}\n" for subgroup, name, level in rows)
    ranked = "".join(f"1 Q0 {name} 0 {-rank} tag\n" for rank, name in enumerate("abcde"))
    out = run("-qn", "-R", "prefs", "-m", "all_prefs", *files(prefs, ranked)).out
    printed = "24 17 8 0.7083 0.7083 0.7083 0.7121 0.8889 0.8889 0.8889 0.7500 0.7727 0.7727 0.7727"
    assert [line.split("\t")[2] for line in out.splitlines()] == printed.split()
