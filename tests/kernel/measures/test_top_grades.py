"""The top grade is the highest of all judgments, whichever way they come, and part of the name of the measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cranfield import compare, evaluate, parse, pool_quality, reorder, steps
from cranfield.campaign.web import boards
from cranfield.errors import BadSetting
from cranfield.measures.graded import takes_top_grade
from cranfield.measures.registry import Measure, bound, declarations
from cranfield.rankings.collections import evaluated_folders
from generated import collection
from pictures import ranked
from trec_eval.running import qrels_text, run_text

QRELS = {"easy": {"a": 1}, "hard": {"a": 1, "z": 3}}
RUN = {"easy": {"a": 2.0, "x": 1.0}, "hard": {"a": 2.0, "x": 1.0}}

SCALED = [
    bound(declared, {name: "linear" for name in ("gain",) if name in declared.settings})
    for declared in declarations().values()
    if "top" in declared.settings and declared.settings["top"].default == "judgments"
]


def test_these_measures_are_on_a_scale() -> None:
    names = "BPM INSQ INST NERR10 NERR11 NERR8 NERR9 RBP SDCG nCG"
    assert sorted(measure.name for measure in SCALED) == names.split()


@pytest.mark.parametrize("measure", SCALED, ids=str)
def test_a_grade_is_worth_the_same_in_every_query(measure: Measure) -> None:
    result = evaluate(QRELS, RUN, measure)
    values = result.per_query(measure)
    assert values["easy"] == values["hard"] > 0
    assert result.measures == (measure(top=3),)
    assert result.provenance.measures[str(measure(top=3))]["top"] == 3


@pytest.mark.parametrize("measure", SCALED, ids=str)
@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_a_query_alone_has_its_value_on_the_scale_of_all(measure: Measure) -> None:
    qrels, run = collection(6)
    together = evaluate(qrels, run, measure)
    for query in list(qrels)[::7]:
        alone = evaluate({query: qrels[query]}, run, together.measures)
        assert alone.per_query(measure)[query] == pytest.approx(together.per_query(measure)[query], abs=0, nan_ok=True)


@pytest.mark.parametrize("measure", SCALED, ids=str)
@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_the_engine_and_the_form_of_the_data_change_nothing(measure: Measure, tmp_path: Path) -> None:
    qrels, run = collection(6)
    (tmp_path / "qrels").write_text(qrels_text(qrels))
    (tmp_path / "run").write_text(run_text(run))
    paths = str(tmp_path / "qrels"), str(tmp_path / "run")
    expected = evaluate(qrels, run, measure, engine="local").by_system(per_query=True)["run"]
    for engine in ("local", "native"):
        assert evaluate(*paths, measure, engine=engine).by_system(per_query=True)["run"] == expected  # type: ignore[arg-type]


def test_the_scale_of_a_query_is_a_setting() -> None:
    assert evaluate(QRELS, RUN, "nCG(top='query')@1").per_query("nCG(top='query')@1") == {"easy": 1, "hard": 1 / 3}


def test_binary_gains_and_measures_without_a_scale_keep_their_names() -> None:
    result = evaluate(QRELS, RUN, ["RBP", "ERR@5", "nDCG@5"])
    assert [*map(str, result.measures)] == ["RBP", "ERR@5", "nDCG@5"]


def test_a_result_is_asked_by_the_name_that_was_requested() -> None:
    result = evaluate(QRELS, RUN, ["nCG@1", "nCG@2"])
    assert result["nCG@1"] == result["nCG(top=3)@1"] == 1 / 3
    for other in ("nCG(top=2)@1", "nCG(top='query')@1"):
        with pytest.raises(BadSetting, match="was not evaluated"):
            result[other]


def test_requests_that_are_the_same_on_these_judgments_are_one() -> None:
    assert len(evaluate(QRELS, RUN, ["nCG@1", "nCG(top=3)@1"]).measures) == 1


def test_without_a_relevant_document_every_gain_is_0() -> None:
    assert evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "nCG@1")["nCG@1"] == 0


def test_measures_computed_from_others_have_the_same_scale() -> None:
    runs = {"old": RUN, "new": {"easy": {"x": 1.0}, "hard": {"z": 1.0}}}
    result = evaluate(QRELS, runs, "URisk(of='nCG@1')", baseline="old")
    assert "of='nCG(top=3)@1'" in str(result.measures[0])


def test_evidence_alone_does_not_tell_the_top_grade() -> None:
    assert takes_top_grade(parse("nCG").options)
    with pytest.raises(BadSetting, match="set top, as in top=3"):
        parse("nCG").values(ranked("+"))


def test_all_verbs_agree(tmp_path: Path) -> None:
    runs = {"one": RUN, "two": {"easy": {"x": 1.0, "a": 0.5}, "hard": {"z": 1.0}}}
    expected = evaluate(QRELS, runs, "nCG@1")["nCG@1"]
    assert {row.run: row.score for row in pool_quality(QRELS, runs, "nCG@1").omissions} == pytest.approx(expected)
    assert steps(QRELS, RUN, "nCG@1", query="easy").records()["steps"][0]["nCG"] == 1 / 3
    (tmp_path / "qrels").write_text(qrels_text(QRELS))
    for name, run in runs.items():
        (tmp_path / name).write_text(run_text(run))
    scale: dict[str, Any] = {"gains": [[grade, grade] for grade in range(4)], "relevant_from": 1}
    files = {name: str(tmp_path / name) for name in runs}
    board = boards.board(files, str(tmp_path / "qrels"), ["nCG@1"], scale)
    assert board["measures"][0] == {"title": "nCG@1", "measure": "nCG(top=3)@1"}
    assert {row["run"]: row["values"][0]["value"] for row in board["rows"]} == pytest.approx(expected)
    assert [row.measure for row in compare(evaluate(QRELS, runs, "nCG@1")).rows] == ["nCG(top=3)@1"]


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_judges_and_collections_share_one_scale() -> None:
    low = {"q": {"a": 1, "b": 2}, "p": {"a": 1, "b": 0}}
    high = {"q": {"a": 3, "b": 1}, "p": {"a": 0, "b": 1}}
    runs = {"up": {"q": {"a": 2.0, "b": 1.0}, "p": {"a": 2.0}}, "down": {"q": {"b": 2.0}, "p": {"b": 1.0}}}
    assert reorder({"ann": low, "bob": high}, runs, "nCG@1", combined=()).measures == ("nCG(top=3)@1",)
    results = evaluated_folders({"low": (low, runs), "high": (high, runs)}, "nCG@1")
    assert {str(result.measures[0]) for result in results.values()} == {"nCG(top=3)@1"}


def test_a_name_that_two_measures_complete_is_refused() -> None:
    result = evaluate(QRELS, RUN, ["nCG@1", "nCG(top=2)@1"])
    assert result["nCG(top=3)@1"] == 1 / 3
    with pytest.raises(BadSetting, match=r"nCG@1 is ambiguous here: name nCG\(top=3\)@1 or nCG\(top=2\)@1"):
        result["nCG@1"]
