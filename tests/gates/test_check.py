"""Release gates: from TOML or a dict to a decision, tables, Markdown, JUnit XML and exit statuses."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldWarning

ODD = "q |<é\x07 1"  # a query id that tables, Markdown and XML must escape


def collection(n_queries: int = 30, drop: float = 0.0, seed: int = 1) -> tuple[dict, dict, dict]:
    """Judgments, a baseline, and a run that loses the relevant document in some of the queries."""
    chance = np.random.default_rng(seed)
    queries = [ODD, *(f"q{n}" for n in range(1, n_queries))]
    qrels = {query: {"r": 1, "s": 0} for query in queries}
    old = {query: {f"d{n}": float(9 - n) for n in range(8)} | {"r": 9.5 - chance.integers(0, 4)} for query in queries}
    new = {query: dict(ranked) for query, ranked in old.items()}
    for query in queries[: int(drop * n_queries)]:
        new[query]["r"] = 0.5
    return qrels, old, new


def gate(require: str, **settings: object) -> dict[str, object]:
    return {"measure": "RR", "require": require, **settings}


def checked(data, *gates, **settings):
    qrels, old, new = data
    return cranfield.check({"qrels": qrels, "run": new, "baseline": old, "gate": list(gates), **settings})


def test_a_gate_says_which_queries_fell_and_by_how_much():
    data = collection(drop=0.3)
    (failed,) = checked(data, gate("not worse", margin=0.05)).gates
    values = cranfield.evaluate(data[0], {"old": data[1], "new": data[2]}, "RR")
    before, after = (values.per_query("RR", name) for name in ("old", "new"))
    fell = sorted((after[query] - before[query], query) for query in before if after[query] < before[query])
    assert not failed.passed
    assert failed.n_fell == len(fell)
    assert [change.difference for change in failed.worst] == pytest.approx([loss for loss, _ in fell[:10]])
    assert {change.unit for change in failed.worst} <= {query for _, query in fell}
    assert failed.difference == pytest.approx(np.mean([after[query] - before[query] for query in before]))


def test_an_unchanged_run_is_undecided_unless_it_is_accepted():
    qrels, old, new = collection(30)
    (undecided,) = checked((qrels, old, new), gate("not worse", margin=0.01)).gates
    assert (undecided.outcome, undecided.p, undecided.low) == ("undecided", None, None)
    assert "the same values as baseline on all 30 queries" in undecided.reasons[0]
    accepted = checked((qrels, old, new), gate("not worse", margin=0.01), gate("better"), unchanged="pass")
    assert [one.outcome for one in accepted.gates] == ["passed", "failed"]


def test_too_few_queries_are_undecided():
    data = collection(6, drop=0.2)
    (few,) = checked(data, gate("not worse", margin=0.5)).gates
    assert (few.outcome, few.reasons[0]) == ("undecided", "6 queries, but a verdict needs 10 (min_queries)")
    assert checked(data, gate("not worse", margin=0.5), min_queries=6).passed


def test_a_loss_on_every_query_is_not_put_down_to_too_few_queries():
    qrels, old, _ = collection(20)
    first, second = ({query: {"r": r, "d": 2} for query in old} for r in (3, 1))
    text = str(checked((qrels, first, second), gate("not worse", margin=0.01)))
    assert "1 of 1 gate failed" in text
    assert "a difference of -0.5000 over 20 queries; 20 got worse" in text
    assert "too few" not in text
    assert "would show" not in text
    assert "0 got worse and 0 improved" in str(checked((qrels, first, dict(first)), gate("better")))


@pytest.mark.parametrize("margin", [np.float32(5), np.int64(5), Fraction(5)])
def test_a_margin_in_percent_is_refused_as_any_type_of_number(margin):
    with pytest.raises(BadSetting, match=r"the margin is 5, but RR lies between 0 and 1.*for 5 % use 0\.05"):
        checked(collection(), gate("not worse", margin=margin))


def test_numbers_of_any_type_are_terms_of_a_gate():
    terms = [gate("not worse", margin=Fraction(1, 4)), gate("better", baseline=np.float32(0.25), level=Fraction(1, 20))]
    json.loads(checked(collection(), *terms).to_json())


def test_runs_without_a_file_have_names_of_their_own(tmp_path):
    qrels, _, new = collection(6)
    path = tmp_path / "run.txt"
    path.write_text("".join(f"q{n} Q0 r 1 1 x\n" for n in range(1, 6)))
    with pytest.warns(CranfieldWarning, match="missing"):
        found = checked((qrels, str(path), new), gate("not worse", margin=0.5))
    assert found.gates[0].gate == "RR of run 2 is not worse than that of run (margin 0.5)"


def test_a_difference_that_is_not_significant_is_no_pass():
    qrels, old, new = collection(6)
    new["q1"]["r"], new["q2"]["r"] = 0.5, 99.0
    (decision,) = checked((qrels, old, new), gate("not worse", margin=0.01)).gates
    assert decision.difference_p > 0.05
    assert not decision.passed
    assert decision.needed > 6


def test_a_better_run_passes_and_the_baseline_may_be_a_number():
    qrels, old, new = collection(30)
    for query in list(new)[:20]:
        new[query]["r"] = 99.0
    assert checked((qrels, old, new), gate("better")).passed
    value = cranfield.evaluate(qrels, new, "RR")["RR"]
    by_number = checked((qrels, old, new), gate("better", baseline=value - 0.3), gate("better", baseline=value))
    assert [one.passed for one in by_number.gates] == [True, False]


@pytest.mark.parametrize(("require", "offset", "passes"), [
    ("at least", 0.0, True), ("at least", 0.01, False), ("at most", 0.0, True), ("at most", -0.01, False),
])  # fmt: skip
def test_values_to_reach_are_inclusive(require, offset, passes):
    data = collection()
    value = cranfield.evaluate(data[0], data[2], "RR")["RR"]
    assert checked(data, gate(require, value=value + offset)).passed is passes


@pytest.mark.parametrize("require", ["at least", "at most"])
@pytest.mark.parametrize(("value", "n"), [(0.7, 3), (0.1, 3), (0.9, 7), (0.35, 6)])  # whose sums are rounded
def test_a_value_is_reached_also_if_the_mean_is_rounded(require, value, n, tmp_path):
    values = [value - 0.05, value + 0.05, *[value] * n]
    (tmp_path / "v.csv").write_text("query,new\n" + "".join(f"q{place},{v}\n" for place, v in enumerate(values)))
    demand = {"measure": "value", "require": require, "value": value}
    assert cranfield.check({"values": str(tmp_path / "v.csv"), "run": "new", "gate": [demand], "min_queries": 1}).passed


@pytest.mark.parametrize(("measure", "values"), [("RR", (1, 0.5, 0.5)), ("NumRelRet@1", (4, 0, 4))])
def test_the_values_of_a_comparison_are_those_of_the_queries_that_are_compared(measure, values):
    qrels = {f"q{n}": {"a": 1, "b": 0} for n in range(6)}
    new = {query: {"a": 2, "b": 1} for query in qrels} | {"q5": {"b": 2, "a": 1}}
    old = {f"q{n}": {"a": 1, "b": 2} for n in range(4)}
    gates = [{"measure": measure, "require": "better"}, {"measure": measure, "require": "at least", "value": 0.5}]
    with pytest.warns(CranfieldWarning, match="2 of 6 judged queries"):
        compared, alone = cranfield.check(
            {"qrels": qrels, "run": new, "baseline": old, "settings": {"missing": "skip"}, "gate": gates}
        ).gates
    assert (compared.value, compared.baseline_value, compared.difference, compared.n) == (*values, 4)
    assert alone.value == pytest.approx(11 / 12 if measure == "RR" else 5)  # over all six


def test_queries_that_only_a_third_run_misses_count():
    qrels, old, new = collection(20)
    third = dict(list(old.items())[:3])
    gates = [gate("not worse", margin=0.1), gate("at least", value=0.1, run=third)]
    specified = {"qrels": qrels, "run": new, "baseline": old, "gate": gates, "settings": {"missing": "skip"}}
    with pytest.warns(cranfield.errors.CranfieldWarning):
        assert [one.n for one in cranfield.check(specified).gates] == [20, 3]


def test_values_of_folds_are_gates_too(tmp_path):
    rows = "".join(f"{fold},{0.2 + fold % 4 / 50},{0.3 + fold % 7 / 50}\n" for fold in range(10))
    (tmp_path / "folds.csv").write_text("fold,new,old\n" + rows)
    specified = {"values": str(tmp_path / "folds.csv"), "run": "new", "baseline": "old", "lower_is_better": ["value"]}
    (decision,) = cranfield.check(specified | {"gate": [{"measure": "value", "require": "better"}]}).gates
    assert decision.passed
    assert decision.unit == "fold"


@pytest.mark.parametrize("require", [{"require": "better"}, {"require": "not worse", "margin": 0.01}])
def test_the_measure_of_a_gate_is_that_of_values_without_a_name(require, tmp_path):
    rows = "".join(f"{fold},{0.2 + fold % 4 / 50},{0.3 + fold % 7 / 50}\n" for fold in range(10))
    (tmp_path / "folds.csv").write_text("fold,low,high\n" + rows)
    for measure, best, worst in (("ErrorRate", "low", "high"), ("Accuracy", "high", "low")):
        gates = {"values": str(tmp_path / "folds.csv"), "gate": [{"measure": measure, **require}]}
        assert cranfield.check(gates | {"run": best, "baseline": worst}).passed
        assert not cranfield.check(gates | {"run": worst, "baseline": best}).passed


def test_a_run_is_not_its_own_baseline(folder):
    text = (folder / "gates.toml").read_text().replace("released/", "candidate/")
    (folder / "gates.toml").write_text(text)
    with pytest.raises(BadInput, match="the run is its own baseline"):
        cranfield.check(folder / "gates.toml")


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")  # rows are not sorted by score
def test_tables_in_the_settings_are_beside_the_gates(folder):
    text = (folder / "gates.toml").read_text().replace("[[gate]]", '[settings]\nitem_info = "items.csv"\n[[gate]]', 1)
    (folder / "gates.toml").write_text(text.replace("recip_rank", "ARP@2").replace("0.05", "9"))
    (folder / "items.csv").write_text("item,popularity\nr,5\n" + "".join(f"d{n},{n}\n" for n in range(8)))
    assert cranfield.check(folder / "gates.toml").gates[0].measure == "ARP@2"


@pytest.mark.parametrize(("changed", "message"), [
    ({"gate": []}, "there is no gate"),
    ({"gate": [{"measure": "RR"}]}, r"'better', 'not worse'\); it has run, baseline, measure"),
    ({"gate": [gate("worse")]}, "require must be one of"),
    ({"gate": [gate("at least")]}, "set value"),
    ({"gate": [gate("better", value=0.2)]}, "value applies to"),
    ({"gate": [gate("better", margin=0.2)]}, "margin applies to"),
    ({"gate": [gate("not worse")]}, "margin must be a number above 0"),
    ({"gate": [gate("not worse", margin=0)]}, "margin must be a number above 0"),
    ({"gate": [gate("not worse", margin=math.inf)]}, "margin must be a number above 0"),
    ({"gate": [gate("at least", value="high")]}, "must be a finite number"),
    ({"gate": [gate("at least", value=math.nan)]}, "must be a finite number, not nan"),
    ({"gate": [gate("at most", value=math.inf)]}, "must be a finite number, not inf"),
    ({"gate": [gate("better", level=0.7)]}, "below 0.5"),
    ({"gate": [gate("better", merge=1)]}, "there is no setting 'merge'"),
    ({"run": None, "gate": [gate("better")], "values": "x.csv"}, "either qrels"),
    ({"gate": [gate("better") | {"measure": []}]}, "a gate has one measure"),
    ({"gate": [gate("better") | {"measure": 0.99}]}, "a gate has one measure, not 0.99"),
    ({"run": None, "gate": [gate("better")]}, "a gate needs run; it has baseline, measure, require"),
    ({"run": {"x": [1]}, "gate": [gate("better", baseline=0.5)]}, "run: query 'x': expected {document: score}"),
    ({"run": 0.5, "gate": [gate("better")]}, "run must be a run, not the number 0.5"),
    ({"gate": [gate("at least", value=0.1, level=0.01)]}, "RR, at least: level applies to 'better' and 'not worse'"),
    ({"gate": [gate("at most", value=0.9, baseline=0.5)]}, "RR, at most: baseline applies to"),
    ({"gate": [gate("better")], "lower_is_better": ["RR"]}, "lower_is_better applies only to a table of values"),
    ({"gate": [gate("better")], "settings": 5}, "settings must be a table"),
    ({"gate": [gate("better")], "settings": {"measures": "AP"}}, "settings: there is no setting 'measures'"),
])  # fmt: skip
def test_mistakes_are_explained(changed, message):
    qrels, old, new = collection(5)
    with pytest.raises((BadInput, BadSetting), match=message):
        cranfield.check({"qrels": qrels, "run": new, "baseline": old} | changed)


@pytest.mark.parametrize(("changed", "message"), [
    ({"run": "dens"}, "there are no values of the system 'dens'; did you mean 'dense'? (available: dense, bm25)"),
    ({"baseline": "bm52"}, "there are no values of the system 'bm52'"),
    ({"baseline": ["bm25"]}, "there are no values of the system"),
    ({"lower_is_better": 1}, "lower_is_better must be a list of measures"),
    ({"baseline": "dense"}, "RR of dense is better than that of dense: the run is its own baseline"),
    ({"settings": {"missing": "skip"}}, "settings apply only to the evaluation of runs"),
    ({"gate": [gate("better"), gate("better") | {"measure": "AP"}]}, "there are no values of 'AP'; available: RR"),
    ({"gate": [gate("at least", value=45)]}, "RR lies between 0 and 1"),
])  # fmt: skip
def test_mistakes_in_gates_on_values_are_explained(changed, message):
    values = {"dense": [0.5, 0.25, 1, 0.75], "bm25": [0.25, 0.5, 0.5, 0.5]}
    with pytest.raises(BadSetting, match=re.escape(message)):
        cranfield.check({"values": values, "run": "dense", "baseline": "bm25", "gate": [gate("better")]} | changed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs of the same name in two folders, judgments, and gates beside them."""
    qrels, old, new = collection(30, drop=0.3)
    names = {query: f"q{place}" for place, query in enumerate(qrels)}  # blanks separate the fields of TREC text
    for name, run in (("released", old), ("candidate", new)):
        (tmp_path / name).mkdir()
        lines = [f"{names[q]} Q0 {d} 0 {score} x" for q, ranked in run.items() for d, score in ranked.items()]
        (tmp_path / name / "results.txt").write_text("\n".join(lines) + "\n")
    lines = [f"{names[query]} 0 {d} {grade}" for query, judged in qrels.items() for d, grade in judged.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "gates.toml").write_text(
        'qrels = "qrels.txt"\nrun = "candidate/results.txt"\nbaseline = "released/results.txt"\n'
        '[[gate]]\nmeasure = "recip_rank"\nrequire = "not worse"\nmargin = 0.05\n'
        '[[gate]]\nmeasure = "R@10"\nrequire = "at least"\nvalue = 0.5\n'
    )
    return tmp_path


def test_the_command_ends_with_4_if_a_gate_fails_and_writes_what_was_asked(folder, capsys):
    junit, summary = folder / "gates.xml", folder / "summary.md"
    summary.write_text("before\n")
    asked = ["check", str(folder / "gates.toml"), "--junit", str(junit), "--summary", str(summary), "--quiet"]
    assert main(asked) == 4
    assert "1 of 2 gates failed" in capsys.readouterr().out
    suite = ET.parse(junit).getroot()
    assert suite.attrib == {"name": "cranfield", "tests": "2", "failures": "1", "errors": "0"}
    (failure,) = suite.iter("failure")
    worded = "RR of candidate/results is not worse than that of released/results (margin 0.05)"
    assert failure.attrib == {"type": "failed", "message": worded}
    assert "significant" in failure.text
    written = summary.read_text()
    assert written.startswith("before\n1 of 2 gates failed. Failed: ")
    assert main(["check", str(folder / "gates.toml"), "--quiet", "-f", "json"]) == 4
    assert json.loads(capsys.readouterr().out)["passed"] is False


def test_the_command_ends_with_0_if_all_pass_and_otherwise_says_what_is_wrong(folder, capsys):
    text = (folder / "gates.toml").read_text()
    (folder / "gates.toml").write_text(text.replace("0.05", "0.4"))
    assert main(["check", str(folder / "gates.toml"), "--quiet"]) == 0
    for status, broken, message in (
        (1, text.replace("qrels.txt", "nowhere.txt"), "nowhere.txt"),
        (1, text + "[[", "not a TOML file"),
        (1, text.replace("recip_rank", "NDGC"), "gates.toml: there is no measure 'NDGC'"),
        (1, text.replace("not worse", "no worse"), "gates.toml: require must be one of"),
        (1, text.replace("[[gate]]", "[settings]\nskip = 1\n[[gate]]", 1), "settings: there is no setting 'skip'"),
        (1, text.replace('"candidate/results.txt"', "0.5"), "gates.toml: run must be a run, not the number 0.5"),
        (1, text.replace("[[gate]]", "[settings]\nprogress = 1\n[[gate]]", 1), "there is no setting 'progress'"),
        (1, text.replace("[[gate]]", "[gate]", 1).partition("[[gate]]")[0], "gates.toml: there is no gate"),
    ):
        (folder / "gates.toml").write_text(broken)
        assert main(["check", str(folder / "gates.toml"), "--quiet"]) == status
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--junit", "--summary", "-o"])
@pytest.mark.parametrize("name", ["gates.toml", "qrels.txt", "candidate/results.txt", "released/results.txt"])
def test_no_output_overwrites_a_file_that_the_gates_name(folder, option, name, capsys):
    before = (folder / name).read_bytes()
    assert main(["check", str(folder / "gates.toml"), option, str(folder / name), "-f", "json", "--quiet"]) == 1
    assert "this would overwrite the input" in capsys.readouterr().err
    assert (folder / name).read_bytes() == before


def test_two_outputs_in_one_file_are_refused(folder, capsys):
    assert main(["check", str(folder / "gates.toml"), "--junit", "out", "--summary", "./out"]) == 2
    assert "must be different files" in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize("option", ["--junit", "--summary"])
def test_a_dash_is_standard_output(folder, option, capsys):
    gates = str(folder / "gates.toml")
    assert main(["check", gates, option, "-", "-o", str(folder / "table.txt"), "--quiet"]) == 4
    assert "RR of candidate/results is not worse" in capsys.readouterr().out
    assert main(["check", gates, "-o", "-", "--quiet"]) == 4
    assert capsys.readouterr().out == (folder / "table.txt").read_text()
    assert main(["check", gates, option, "-", "--quiet"]) == 2
    assert "only one of" in capsys.readouterr().err
    assert not Path("-").exists()


def test_a_colon_in_a_path_makes_it_no_address(folder):
    (folder / "2026-11-19 12:30").mkdir()
    (folder / "candidate" / "results.txt").rename(folder / "2026-11-19 12:30" / "new:run.txt")
    text = (folder / "gates.toml").read_text().replace("candidate/results.txt", "2026-11-19 12:30/new:run.txt")
    (folder / "gates.toml").write_text(text.replace("0.05", "0.4"))
    with pytest.warns(CranfieldWarning, match="not sorted"):
        assert cranfield.check(folder / "gates.toml").passed


def test_odd_names_break_neither_markdown_nor_xml():
    decisions = checked(collection(30, drop=0.3), gate("not worse", margin=0.05))
    assert any(change.unit == ODD for change in decisions.gates[0].worst)
    (failure,) = ET.fromstring(decisions.to_junit()).iter("failure")
    assert "q |<é\\x07 1: " in failure.text
    (line,) = [line for line in decisions.to_markdown().splitlines() if line.startswith("| q \\|")]
    assert "q \\|\\<é\\\\x07 1" in line
