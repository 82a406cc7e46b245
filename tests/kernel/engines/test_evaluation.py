"""One run against the judgments."""

import json

import ir_measures
import pytest

from cranfield import evaluate, precision_recall
from cranfield.errors import BadInput, BadSetting, CranfieldWarning, UnknownMeasure


@pytest.mark.filterwarnings("ignore:run. 1 of 2 judged queries is missing")
def test_the_micro_average_leaves_out_the_queries_that_are_left_out():
    qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}}
    assert evaluate(qrels, run, "R", missing="skip").aggregated("micro")[0, 0] == 1
    assert evaluate(qrels, run, "R", missing="zero").aggregated("micro")[0, 0] == 0.5


@pytest.mark.parametrize("rows", [False, True], ids=["dict", "rows"])
@pytest.mark.parametrize(("ties", "best_first"), [("trec", "d"), ("name", "b"), ("given", "c")])
def test_each_of_many_ties_of_a_query_is_ordered_on_its_own(ties, best_first, rows):
    scores = {"z": 9.0, "c": 2.0, "y": 1.0, "b": 2.0, "x": 1.0, "d": 2.0, "w": 1.0}
    below = {"trec": "y", "name": "w", "given": "y"}[ties]
    run = [(query, name, score) for query in "qr" for name, score in scores.items()]
    given = run if rows else dict.fromkeys("qr", scores)
    qrels = {"q": {best_first: 1, below: 2}, "r": {below: 1}}
    with pytest.warns(CranfieldWarning):
        result = evaluate(qrels, given, ["RR", "RR(rel=2)"], ties=ties)
    assert result.per_query("RR") == {"q": 1 / 2, "r": 1 / 5}
    assert result.per_query("RR(rel=2)") == {"q": 1 / 5, "r": 0}


@pytest.mark.parametrize("setting", ["ties", "missing", "undefined", "precision"])
def test_a_choice_that_is_none_is_refused_and_not_taken_for_the_usual_one(setting):
    with pytest.raises(BadSetting, match=f"{setting} must be one of .*, not 'Expected'"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP", **{setting: "Expected"})


def test_a_curve_knows_its_ties_too():
    with pytest.raises(BadSetting, match="ties must be one of"):
        precision_recall({"q": {"d": 1}}, {"q": {"d": 1}}, ties="Best")


def test_measures_may_be_those_of_another_library():
    result = evaluate({"q": {"d": 2}}, {"q": {"d": 1}}, [ir_measures.nDCG @ 10, ir_measures.AP(rel=2)])
    assert list(map(str, result.measures)) == ["nDCG@10", "AP(rel=2)"]
    with pytest.raises(UnknownMeasure, match="no measure '3'"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, [3])


def test_macro_is_the_mean_and_an_unknown_aggregate_is_refused():
    result = evaluate({"q": {"d": 1}, "r": {"e": 1}}, {"q": {"d": 1}, "r": {"d": 1}}, "P@1")
    assert result.aggregated("macro")[0, 0] == result.aggregated("mean")[0, 0] == 0.5
    with pytest.raises(BadSetting, match=r"aggregate must be one of .*, not 'average'"):
        result.aggregated("average")


def test_a_run_whose_name_is_no_text_gives_every_kind_of_table(tmp_path):
    name = str(tmp_path / "r\udcff.run")
    with open(name, "w") as run:
        run.write("q Q0 d 1 1 t\n")
    result = evaluate({"q": {"d": 1}}, name, "AP")
    assert result.systems == ("r\\xff",)
    assert json.loads(result.to_json().encode())["provenance"]["inputs"][1]["name"] == "r\\xff"
    assert result.to_csv(per_query=True).encode()
    assert precision_recall({"q": {"d": 1}}, name)["system"][0].as_py() == "r\\xff"


@pytest.mark.parametrize("measure", ["IAP(levels=[0.5, 2])", "IAP(levels=[-1])"])
def test_levels_of_recall_are_shares(measure):
    with pytest.raises(BadSetting, match="from 0 to 1"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, measure)


def test_a_measure_that_weighs_recall_alone_is_recall():
    assert evaluate({"q": {"d": 1, "e": 1}}, {"q": {"d": 1}}, "F(beta=1e200)")["F(beta=1e200)"] == 0.5


def test_what_a_measure_lacks_is_said_with_an_example_that_would_do():
    with pytest.raises(BadSetting, match=r"for example IPrec@0\.5"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "IPrec")


@pytest.mark.parametrize("ties", ["best", "worst", "expected"])
def test_a_measure_that_cannot_heed_the_order_of_ties_says_so(ties):
    qrels, run = {"q": {"d": 1, "e": 0}}, {"q": {"d": 2, "e": 1}}
    with pytest.warns(CranfieldWarning, match=f"run: Prefs always breaks ties by name, descending; ties='{ties}'"):
        evaluate(qrels, run, ["AP", "Prefs"], ties=ties)


def test_a_score_that_32_bits_cannot_hold_is_infinite_and_no_warning() -> None:
    run = {"q": {"a": 1e308, "b": 1e300, "c": 1.0, "d": -1e308}}
    with pytest.warns(CranfieldWarning, match="same score"):  # a and b; and no warning of NumPy's
        result = evaluate({"q": {"b": 1, "d": 1}}, run, ["RR", "Rprec"], precision="single", ties="name")
    assert [result["RR"], result["Rprec"]] == [1 / 2, 1 / 2]


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_several_files_are_evaluated_at_a_time_as_one_by_one(engine, tmp_path):
    qrels, paths, told = tmp_path / "qrels", [], []
    qrels.write_text("".join(f"q{q} 0 d{d} {(q * d) % 4 - 1}\n" for q in range(9) for d in range(0, 60, 3)))
    for system in range(7):
        lines = [f"q{q} Q0 d{(d * 7 + system) % 60} 1 {(d * d + q) % 11} t\n" for q in range(9) for d in range(40)]
        paths.append(tmp_path / f"system{system}")
        paths[-1].write_text("".join(lines))
    measures = ["AP", "nDCG@10", "RR", "P@5", "nDCG", "DCG(gain={1: -1, 2: 3})@7", "IDCG@3"]
    together = evaluate(qrels, paths, measures, progress=lambda *step: told.append(step))
    for place, path in enumerate(paths):
        alone = evaluate(qrels, path, measures)
        assert alone.values[0].tobytes() == together.values[place].tobytes()
    assert told == [(path.name, path.stat().st_size, path.stat().st_size) for path in paths]


def test_an_unreadable_run_among_several_is_named(engine, tmp_path):
    for name, text in {"qrels": "q 0 a 1\n", "first": "q Q0 a 1 2 t\n", "second": "q Q0 a 1 x t\n"}.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match="second, line 1: score 'x' is not a number"):
        evaluate(tmp_path / "qrels", [tmp_path / "first", tmp_path / "second"], "AP")
