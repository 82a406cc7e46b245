"""The command line: what is understood, what is refused, in which words and with which status."""

from __future__ import annotations

import pytest

from cranfield.measures.trec_names import NICKNAMES, TABLE
from cranfield.trec_eval.conventions import VERSIONS, names
from cranfield.trec_eval.options import USAGE, options
from trec_eval.running import Files, run

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n"
RUN = "1 Q0 a 1 3 tag\n1 Q0 x 2 2.5 tag\n1 Q0 c 3 2 tag\n2 Q0 b 1 3 tag\n2 Q0 d 2 2 last\n"


def test_the_table_has_57_measures_and_52_before() -> None:
    assert (len(TABLE), len(names(VERSIONS["10.0"])), len(names(VERSIONS["9.0.8"]))) == (57, 57, 52)


def test_nicknames_stand_for_as_many_measures_as_they_should() -> None:
    sizes = {"official": 12, "set": 11, "all_trec": 37, "all_prefs": 16, "prefs": 8, "qrels_jg": 5}
    assert {name: len(measures) for name, measures in NICKNAMES.items()} == sizes
    assert len(options(["--compat", "9.0.8", "-m", "all_trec", "q", "r"]).measures) == 34


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        (["-q"], "per_query", True),
        (["--query_eval_wanted"], "per_query", True),
        (["--query"], "per_query", True),  # a beginning is enough
        (["-n"], "summary", False),
        (["-c"], "complete", True),
        (["--comp"], "complete", True),
        (["-J"], "judged_only", True),
        (["-l2"], "level", 2),
        (["-l", "2.7"], "level", 2),
        (["--level_for_rel=3"], "level", 3),
        (["-M", "100"], "depth", 100),
        (["--Max_retrieved_per_topic", "7"], "depth", 7),
        (["-N5000"], "collection", 5000),
        (["-D", "3.301"], "query", b"301"),
        (["-D", "3"], "query", None),
        (["-R", "prefs"], "rel_format", "prefs"),
        (["-T", "x"], "results_format", "x"),
        (["-Z", "means"], "zscores", "means"),
        (["-o"], "summary", True),  # does nothing
        (["--Output_old_results_format", "y"], "summary", True),  # the long form takes an argument
        (["-qnc"], "complete", True),  # several in one word
        (["-qM5"], "depth", 5),
    ],
)
def test_an_option_is_understood(arguments: list[str], field: str, value: object) -> None:
    assert getattr(options([*arguments, "qrels", "run"]), field) == value


def test_options_may_follow_the_files() -> None:
    asked = options(["qrels", "-q", "run", "-m", "P.5"])
    assert (asked.files, asked.per_query, asked.parameters) == (["qrels", "run"], True, {"P": b"5"})


def test_two_dashes_end_the_options() -> None:
    assert options(["--", "-q", "-"]).files == ["-q", "-"]


def test_the_first_parameters_of_a_measure_count() -> None:
    assert options(["-m", "P", "-mP.5", "-m", "P.10", "q", "r"]).parameters == {"P": b"5"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], ""),
        (["qrels"], ""),
        (["qrels", "run", "more"], ""),
        (["-x"], "trec_eval: invalid option -- 'x'\n"),
        (["-m"], "trec_eval: option requires an argument -- 'm'\n"),
        (["--what=1"], "trec_eval: unrecognized option '--what=1'\n"),
        (["--measure"], "trec_eval: option '--measure' requires an argument\n"),
        (["--nosummary=1"], "trec_eval: option '--nosummary' doesn't allow an argument\n"),
        (
            ["--Re"],
            "trec_eval: option '--Re' is ambiguous; possibilities: '--Rel_info_format' '--Results_format'\n",
        ),
    ],
)
def test_a_wrong_command_is_answered_with_the_usage(arguments: list[str], said: str) -> None:
    assert run(*arguments) == ("", said + USAGE, 1)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("nDCG", "trec_eval: illegal measure 'nDCG'\n"),
        ("foo.5", "trec_eval: illegal measure 'foo'\n"),
        ("all_qrels", "trec_eval: illegal measure 'all_qrels'\n"),
        ("ndcg_p", "trec_eval: illegal measure 'ndcg_p'\n"),
        ("P.", "trec_eval: improper measure in parameter 'P'\ntrec_eval: illegal measure 'P'\n"),
    ],
)
def test_an_illegal_measure_ends_at_once(measure: str, said: str) -> None:
    assert run("-m", measure, "-x", "none", "none") == ("", said, 1)


@pytest.mark.parametrize("measure", ["dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"])
def test_the_new_measures_are_illegal_before_version_10(measure: str) -> None:
    assert run("--compat", "9.0.8", "-m", measure, "q", "r").said == f"trec_eval: illegal measure '{measure}'\n"


@pytest.mark.parametrize(("version", "shown"), [("10.0", "10.0-rc3"), ("9.0.8", "9.0.8"), ("pytrec_eval", "9.0.7")])
def test_the_version_goes_to_standard_error(version: str, shown: str) -> None:
    assert run("-q", "-v", "--compat", version, "-m", "no") == ("", f"trec_eval version {shown}\n", 0)


def test_a_version_that_is_not_known_is_refused() -> None:
    assert run("--compat=8", "q", "r") == ("", "trec_eval: --compat takes 10.0, 9.0.8, pytrec_eval, not '8'\n", 1)


def test_help_goes_to_standard_output_and_explains_what_was_asked() -> None:
    done = run("-h", "-m", "prefs_simp", "-R", "prefs")
    assert (done.said, done.status) == ("", 0)
    assert "--Max_retrieved_per_topic" in done.out
    assert "Proportion of preferences satisfied" in done.out


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("P.0", "trec_eval: Negative cutoff detected\ntrec_eval: Cannot initialize measure 'P'\n"),
        ("P.abc", "trec_eval: Negative cutoff detected\ntrec_eval: Cannot initialize measure 'P'\n"),
        ("P.5,,7", "trec_eval: Negative cutoff detected\ntrec_eval: Cannot initialize measure 'P'\n"),
        ("P.5,5", "trec_eval: duplicate cutoffs detected\ntrec_eval: Cannot initialize measure 'P'\n"),
        (
            "ndcg_cut.23.4,23",
            "trec_eval: duplicate cutoffs detected\ntrec_eval: Cannot initialize measure 'ndcg_cut'\n",
        ),
        (
            "iprec_at_recall.0.1,0.10",
            "trec_eval: duplicate cutoffs detected\ntrec_eval: Cannot initialize measure 'iprec_at_recall'\n",
        ),
        ("ndcg.1", "trec_eval: malformed pair parameters in '1'\ntrec_eval: Cannot initialize measure 'ndcg'\n"),
        ("G.1=2,", "trec_eval: malformed pair parameters in '1=2,'\ntrec_eval: Cannot initialize measure 'G'\n"),
        (
            "rbp.p=.5=1",
            "trec_eval: malformed pair parameters in 'p=.5=1'\ntrec_eval: Cannot initialize measure 'rbp'\n",
        ),
    ],
)
def test_parameters_that_make_no_sense_end_with_2(measure: str, said: str, files: Files) -> None:
    assert run("-m", measure, *files(QRELS, RUN)) == ("", said, 2)


def test_a_utility_of_other_than_four_numbers_cannot_be_calculated(files: Files) -> None:
    said = "trec_eval.calc_utility: improper number of coefficients\ntrec_eval: Can't calculate measure 'utility'\n"
    assert run("-m", "utility.1,2", *files(QRELS, RUN)) == ("", said, 4)


def test_files_are_read_before_parameters(files: Files) -> None:
    qrels, _ = files(QRELS, RUN)
    assert run("-m", "P.0", qrels, "none").said.startswith("trec_eval.get_results: Cannot read results file 'none'\n")


@pytest.mark.parametrize("measure", ["ndcg.1", "Rndcg.1", "rbp.p", "rbp_resid.p", "P.0"])
def test_parameters_are_read_before_any_topic_is_evaluated(measure: str, files: Files) -> None:
    ended = run("-m", measure, *files(QRELS, "other Q0 a 1 1 tag\n"))
    assert (ended.said.splitlines()[-1], ended.status) == (
        f"trec_eval: Cannot initialize measure '{measure.partition('.')[0]}'",
        2,
    )


def test_parameters_of_a_measure_that_takes_none_are_ignored(files: Files) -> None:
    assert run("-m", "map.5", *files(QRELS, RUN)).out == "map                   \tall\t0.6667\n"


def test_measures_are_printed_in_the_order_of_the_table(files: Files) -> None:
    out = run("-m", "P.5", "-m", "map", "-m", "runid", *files(QRELS, RUN)).out
    assert [line.split()[0] for line in out.splitlines()] == ["runid", "map", "P_5"]


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        ("P.5,7,3", ["P_3", "P_5", "P_7"]),
        ("iprec_at_recall..10,.20", ["iprec_at_recall_0.10", "iprec_at_recall_0.20"]),
        ("iprec_at_recall.0.101,0.102", ["iprec_at_recall_0.10", "iprec_at_recall_0.10"]),
        ("Rprec_mult.5.0,0.2,0.35", ["Rprec_mult_0.20", "Rprec_mult_0.35", "Rprec_mult_5.00"]),
        ("Rprec_mult.12345678", ["Rprec_mult_12345678"]),  # there is room for eight characters
        ("ndcg.1=3,2=9,4=4.5", ["ndcg_1=3,2=9,4=4.5"]),
        ("utility.2,-1,0,0", ["utility_2,-1,0,0"]),
        ("11pt_avg..25,.5", ["11pt_avg_.25,.5"]),
        ("set_F.0.5", ["set_F_0.5"]),
        ("rbp_resid.p=0.8", ["rbp_resid_p=0.8"]),
    ],
)
def test_a_name_tells_the_parameters(measure: str, printed: list[str], files: Files) -> None:
    out = run("-m", measure, *files(QRELS, RUN)).out
    assert [line.split()[0] for line in out.splitlines()] == printed


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["-R", "no"], "trec_eval: Illegal rel_format 'no'\n"),
        (["-T", "no"], "trec_eval: Illegal retrieval results format 'no'\n"),
    ],
)
def test_an_unknown_format_is_refused(option: list[str], said: str, files: Files) -> None:
    assert run(*option, *files(QRELS, RUN)) == ("", said, 2)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("map_avgjg", "trec_eval: rel_info format not qrels_jg or results format not trec_results\n"),
        (
            "prefs_simp",
            "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) "
            "or results format not trec_results\n",
        ),
    ],
)
def test_a_measure_of_another_format_cannot_be_calculated(measure: str, said: str, files: Files) -> None:
    done = run("-q", "-m", "map", "-m", measure, *files(QRELS, RUN))
    assert done == ("", f"{said}trec_eval: Can't calculate measure '{measure}'\n", 4)


def test_a_measure_of_qrels_cannot_be_calculated_from_groups(files: Files) -> None:
    said = "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results\n"
    done = run("-R", "qrels_jg", "-m", "num_ret", *files(QRELS, RUN))
    assert done == ("", f"{said}trec_eval: Can't calculate measure 'num_ret'\n", 4)
