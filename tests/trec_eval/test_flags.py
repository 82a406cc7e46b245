"""What each flag changes, worked out by hand."""

from __future__ import annotations

import pytest

from trec_eval.running import Files, run

# topic 1: relevant at ranks 1 and 3 (grades 1, 2), unjudged at 2; topic 2: nothing found; topic 3: not in the run
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n3 0 a 1\n3 0 e 2\n3 0 f 3\n"
RUN = "1 Q0 a 1 3 tag\n1 Q0 x 2 2 tag\n1 Q0 c 3 1 tag\n2 Q0 b 1 3 tag\n2 Q0 a 2 2 last\n"
SHORT = QRELS[: QRELS.index("3 0")]


def values(*arguments: object) -> dict[tuple[str, str], str]:
    """What is printed, by measure and topic."""
    done = run(*arguments)
    assert (done.said, done.status) == ("", 0)
    return {
        (name.rstrip(), topic): value for name, topic, value in (line.split("\t") for line in done.out.splitlines())
    }


def test_topics_are_printed_with_q_and_the_summary_without_n(files: Files) -> None:
    paths = files(SHORT, RUN)
    assert run("-m", "num_ret", *paths).out == "num_ret               \tall\t5\n"
    each = "num_ret               \t1\t3\nnum_ret               \t2\t2\n"
    assert run("-q", "-m", "num_ret", *paths).out == each + "num_ret               \tall\t5\n"
    assert run("-qn", "-m", "num_ret", *paths).out == each
    assert run("-n", "-m", "num_ret", *paths).out == ""


def test_some_measures_are_printed_in_the_summary_only(files: Files) -> None:
    shown = values(
        "-q", *(word for name in ("runid", "num_q", "gm_map", "gm_bpref") for word in ("-m", name)), *files(SHORT, RUN)
    )
    assert {topic for _, topic in shown} == {"all"}
    # the geometric mean of 5/6 and of 0, which counts 0.00001
    assert shown["gm_map", "all"] == f"{(5 / 6 * 0.00001) ** 0.5:6.4f}"


def test_a_long_name_is_not_cut(files: Files) -> None:
    out = run("-m", "num_nonrel_judged_ret", "-m", "utility.1.00000,-1.00000,0,0", *files(SHORT, RUN)).out
    assert out == "utility_1.00000,-1.00000,0,0\tall\t-0.5000\nnum_nonrel_judged_ret \tall\t1\n"


@pytest.mark.parametrize("flags", [[], ["-q"]])
def test_version_10_gives_up_at_a_topic_without_an_answer(flags: list[str], files: Files) -> None:
    done = run(*flags, "-m", "num_ret", *files(QRELS, RUN))
    assert done.out == ("num_ret               \t1\t3\nnum_ret               \t2\t2\n" if flags else "")
    assert (done.said, done.status) == ("trec_eval: result qid '3' not found in qrels\n", 4)


def test_version_9_passes_over_a_topic_without_an_answer(files: Files) -> None:
    shown = values("--compat", "9.0.8", "-q", "-m", "num_q", "-m", "map", *files(QRELS, RUN))
    assert shown == {("map", "1"): "0.8333", ("map", "2"): "0.0000", ("num_q", "all"): "2", ("map", "all"): "0.4167"}


def test_topics_that_nobody_judged_are_passed_over(files: Files) -> None:
    assert values("-m", "num_ret", *files(SHORT, RUN + "9 Q0 a 1 1 tag\n")) == {("num_ret", "all"): "5"}


def test_no_topic_in_common(files: Files) -> None:
    paths = files("7 0 a 1\n", RUN)
    said = "trec_eval: No queries with both results and relevance info\n"
    assert run("--compat", "9.0.8", *paths) == ("", said, 7)
    assert run(*paths) == ("", "trec_eval: result qid '7' not found in qrels\n", 4)
    assert values("-c", "-m", "num_q", "-m", "runid", *paths) == {("num_q", "all"): "1", ("runid", "all"): "last"}


def test_version_9_counts_missing_topics_in_the_mean_and_prints_none_of_them(files: Files) -> None:
    shown = values(
        "--compat", "9.0.8", "-cq", "-m", "num_q", "-m", "map", "-m", "gm_map", "-m", "num_rel", *files(QRELS, RUN)
    )
    assert ("map", "3") not in shown
    assert (shown["num_q", "all"], shown["map", "all"]) == ("3", f"{5 / 6 / 3:6.4f}")
    assert shown["gm_map", "all"] == f"{(5 / 6 * 1e-5 * 1e-5) ** (1 / 3):6.4f}"
    assert shown["num_rel", "all"] == "6"


def test_version_10_ranks_a_document_nobody_knows_for_a_missing_topic(files: Files) -> None:
    names = ("num_q", "num_ret", "num_rel", "map", "gm_map", "utility", "relstring", "unj", "rbp_resid", "yaap")
    shown = values("-cq", *(word for name in names for word in ("-m", name)), *files(QRELS, RUN))
    missing = {name: value for (name, topic), value in shown.items() if topic == "3"}
    assert missing == {
        "num_ret": "0",
        "num_rel": "3",
        "map": "0.0000",
        "utility": "0.0000",
        "relstring": "''",
        "unj_5": "0.0000",
        "unj_10": "0.0000",
        "unj_20": "0.0000",
        "rbp_resid": "0.0000",
        "yaap": "-1.3863",  # the logarithm of 1/4
    }
    assert (shown["num_q", "all"], shown["num_ret", "all"], shown["map", "all"]) == ("3", "5", "0.2778")


def test_that_document_shows_through_where_a_measure_has_parameters(files: Files) -> None:
    shown = values("-cq", "-m", "utility.2,-1,0,0", "-m", "rbp_resid.p=0.8", "-m", "relstring.5", *files(QRELS, RUN))
    assert {name: value for (name, topic), value in shown.items() if topic == "3"} == {
        "utility_2,-1,0,0": "-1.0000",
        "rbp_resid_p=0.8": "1.0000",
        "relstring_5": "'-'",
    }


@pytest.mark.parametrize("version", ["10.0", "9.0.8"])
def test_the_sum_of_relevant_documents_of_all_topics_knows_no_level(version: str, files: Files) -> None:
    shown = values("--compat", version, "-c", "-l", "2", "-m", "num_rel", *files(QRELS, RUN))
    assert shown == {("num_rel", "all"): "6"}


def test_the_level_changes_binary_measures_and_no_gains(files: Files) -> None:
    paths = files(SHORT, RUN)
    shown = values("-q", "-l2", "-m", "map", "-m", "num_rel", "-m", "ndcg", "-m", "ndcg_cut.5", "-m", "bpref", *paths)
    plain = values("-q", "-m", "ndcg", "-m", "ndcg_cut.5", *paths)
    assert (shown["map", "1"], shown["num_rel", "1"], shown["num_rel", "2"]) == ("0.3333", "1", "0")
    assert shown["bpref", "1"] == "0.0000"  # the document of grade 1 above it is not relevant now
    assert all(shown[key] == value for key, value in plain.items())


def test_a_level_of_0_makes_every_judged_document_relevant(files: Files) -> None:
    assert values("-l0", "-m", "num_rel", "-m", "num_rel_ret", *files(SHORT, RUN)) == {
        ("num_rel", "all"): "5",
        ("num_rel_ret", "all"): "3",
    }


def test_rndcg_is_0_where_nothing_reaches_the_level(files: Files) -> None:
    assert values("-qn", "-l3", "-m", "Rndcg", *files(SHORT, RUN))["Rndcg", "1"] == "0.0000"


def test_only_the_first_documents_count_with_a_depth(files: Files) -> None:
    shown = values(
        "-qn", "-M2", "-m", "num_ret", "-m", "num_rel_ret", "-m", "map", "-m", "relstring", *files(SHORT, RUN)
    )
    assert [shown[name, "1"] for name in ("num_ret", "num_rel_ret", "map", "relstring")] == ["2", "1", "0.5000", "'1-'"]


def test_the_depth_is_cut_before_unjudged_documents_are_left_out(files: Files) -> None:
    shown = values("-qn", "-J", "-M2", "-m", "num_ret", "-m", "relstring", *files(SHORT, RUN))
    assert (shown["num_ret", "1"], shown["relstring", "1"]) == ("1", "'1'")


def test_judged_documents_move_up(files: Files) -> None:
    shown = values("-qn", "-J", "-m", "map", "-m", "relstring", "-m", "num_ret", "-m", "unj.5", *files(SHORT, RUN))
    assert [shown[name, "1"] for name in ("map", "relstring", "num_ret", "unj_5")] == ["1.0000", "'12'", "2", "0.0000"]


@pytest.mark.parametrize(("version", "void"), [("9.0.8", ["0.00"]), ("10.0", ["0.00", "0.10", "0.20"])])
def test_nothing_left_is_not_a_number(version: str, void: list[str], files: Files) -> None:
    paths = files("1 0 a 1\n1 0 b 1\n", "1 Q0 x 1 2 tag\n")
    shown = values("--compat", version, "-J", "-m", "iprec_at_recall", "-m", "11pt_avg", "-m", "map", *paths)
    nans = [name for (name, _), value in shown.items() if value == "  -nan"]
    assert nans == [f"iprec_at_recall_{recall}" for recall in void] + ["11pt_avg"]
    assert shown["map", "all"] == "0.0000"


def test_the_number_of_documents_is_for_utility_only_and_0_unless_given(files: Files) -> None:
    paths = files(SHORT, RUN)
    arguments = ("-qn", "-m", "utility.0,0,0,1", *paths)
    assert values(*arguments)["utility_0,0,0,1", "1"] == "-3.0000"  # 0 + 2 found - 3 retrieved - 2 relevant
    assert values("-N", "100", *arguments)["utility_0,0,0,1", "1"] == "97.0000"


def test_one_topic_is_chosen_with_d(files: Files) -> None:
    paths = files(QRELS, RUN)
    assert values("-q", "-D", "1.2", "-m", "num_q", "-m", "num_ret", *paths) == {
        ("num_ret", "2"): "2",
        ("num_q", "all"): "1",
        ("num_ret", "all"): "2",
    }
    assert run("-D", "1.none", *paths) == ("", "trec_eval: No queries with both results and relevance info\n", 7)
    assert values("-c", "-D0.1", "-m", "map", *paths) == {("map", "all"): f"{5 / 6 / 3:6.4f}"}  # still over all topics


# deviations from other runs


def test_deviations_are_in_standard_deviations_of_other_runs(files: Files) -> None:
    qrels, ranked = files(SHORT, RUN)
    means = qrels.parent / "means"
    means.write_text("1 map 0.5 0.25\n1 num_ret 3 0\n2 num_ret 3 0\n1 P_5 .1 0\n2 map 0.5 0.25\n1 set_F nan nan\n")
    shown = values(
        "-q",
        "-Z",
        means,
        *(w for m in ("num_q", "num_ret", "map", "P.5", "set_F", "relstring", "runid") for w in ("-m", m)),
        qrels,
        ranked,
    )
    assert shown == {
        ("Znum_ret", "1"): "0.0000",  # no deviation, and equal to the mean
        ("Zmap", "1"): "1.3333",
        ("ZP_5", "1"): "-1000000.0000",  # no deviation, and not equal
        ("relstring", "1"): "'1-2'",
        ("Zset_F", "1"): "   nan",
        ("Znum_ret", "2"): "-1000000.0000",
        ("Zmap", "2"): "-2.0000",
        ("ZP_5", "2"): "-1000000.0000",  # no mean
        ("relstring", "2"): "'-0'",
        ("Zset_F", "2"): "-1000000.0000",
        ("runid", "all"): "last",
        ("Znum_q", "all"): "2.0000",
        ("Znum_ret", "all"): "-1000000.0000",
        ("Zmap", "all"): "-0.3333",
        ("ZP_5", "all"): "-1000000.0000",
        ("Zset_F", "all"): "   nan",
    }
    assert "Zmap                   \t1\t" in run("-q", "-Z", means, "-m", "map", qrels, ranked).out


def test_a_file_of_means_that_is_wrong_ends_with_255(files: Files) -> None:
    qrels, ranked = files(SHORT, RUN)
    assert run("-Z", "none", qrels, ranked) == ("", "trec_eval.get_zscores: Cannot read zscores file 'none'\n", 255)
    (qrels.parent / "means").write_text("1 map 0.5 0.25\n1 map 0.5\n")
    done = run("-Z", qrels.parent / "means", qrels, ranked)
    assert done == ("", "trec_eval.get_zscores: Malformed line 2\n", 255)


# levels of recall


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        # three relevant at ranks 1, 2, 4: interpolated precision 1 up to the second, 0.75 for the third
        ("11pt_avg.0,1", 0.875),
        ("11pt_avg.1,0", 1.0),  # going up from recall 0, recall 1 has been passed: both get the value at 0
        ("11pt_avg.1,.5,0", 1.0),
        ("11pt_avg.0,1,1", (1 + 0.75 + 0.75) / 3),
    ],
)
def test_levels_out_of_order_get_what_the_ascent_has_left(measure: str, printed: float, files: Files) -> None:
    ranked = "".join(f"1 Q0 {name} 1 {-rank} tag\n" for rank, name in enumerate("abxc"))
    out = run("-m", measure, *files("1 0 a 1\n1 0 b 1\n1 0 c 1\n", ranked)).out
    assert out.endswith(f"\tall\t{printed:6.4f}\n")


@pytest.mark.parametrize(("version", "printed"), [("9.0.8", "0.5000"), ("10.0", "1.0000")])
def test_versions_round_a_recall_in_their_own_way(version: str, printed: str, files: Files) -> None:
    # 0.7 of 2 documents are 1.4: version 9 takes both, the second at rank 4, version 10 the first
    ranked = "1 Q0 a 1 3 tag\n1 Q0 x 2 2 tag\n1 Q0 y 3 1 tag\n1 Q0 b 4 0 tag\n"
    out = run("--compat", version, "-m", "iprec_at_recall.0.7", *files("1 0 a 1\n1 0 b 1\n", ranked)).out
    assert out == f"iprec_at_recall_0.70  \tall\t{printed}\n"
