"""Differences without variance: no test that needs one, no star and no interval, with the reason, by every door."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.comparison.compare import compare_samples as compare
from cranfield.comparison.tables import differences
from cranfield.evidence.samples import samples
from cranfield.present.formats import latex
from cranfield.statistics.effects import CORRECTIONS, adjusted
from cranfield.statistics.tests import known_tests

SETTINGS = {"tost": {"margin": 0.3}, "corrected t": {"overlap": 0.1}}
NEED_VARIANCE = ["t", "bootstrap", "tost", "tukey", "dunnett", "corrected t", "5x2cv"]
OTHERS = [name for name in known_tests() if name not in NEED_VARIANCE]


def constant(n: int, step: float = 1.0) -> dict[str, list[float]]:
    """Two systems that are the same step apart on every unit."""
    base = [0.0] * n if step == 1 else [unit % 4 / 10 for unit in range(n)]
    return {"a": [value + step for value in base], "b": base}


@pytest.mark.parametrize("step", [1.0, 0.1])
@pytest.mark.parametrize("test", NEED_VARIANCE)
def test_a_test_that_needs_variance_says_nothing_without_it(test, step):
    found = cranfield.compare(constant(10, step), test=test, **SETTINGS.get(test, {}))
    (row,) = found.rows
    assert np.isnan([row.p, row.adjusted_p, row.statistic, row.low, row.high, row.d_z]).all()
    assert not row.significant
    assert not row.tested
    assert row.interval == ""
    reason = "no test and no interval: the difference is the same on every unit, so it has no variance"
    assert row.note == reason
    assert found.steps(row).endswith(f"decision: none\nnote: {reason}")
    assert found.omnibus == {}
    assert found.records()["comparisons"][0]["p"] is None


@pytest.mark.parametrize("test", OTHERS)
def test_a_test_that_needs_no_variance_is_made_and_has_no_interval(test):
    (row,) = cranfield.compare(constant(2), test=test).rows
    assert row.p > 0.1  # two units alone show nothing
    assert np.isnan([row.low, row.high]).all()
    assert row.note == "no interval: the difference is the same on every unit, so it has no variance"


@pytest.mark.parametrize("variant", ["F", "t"])
def test_splits_whose_halves_agree_leave_no_variance_to_test_against(variant):
    (row,) = cranfield.compare(
        {"a": np.repeat([1, 2, 3, 4, 5], 2), "b": np.zeros(10)}, test="5x2cv", variant=variant
    ).rows
    assert np.isnan([row.p, row.low]).all()
    assert "both halves of every split give the same difference" in row.note


def test_one_pair_without_variance_spoils_no_other():
    rng = np.random.default_rng(1)
    base = rng.random(12)
    values = {"base": base, "up": base + 0.25, "other": base + rng.random(12)}
    for test in ("t", "bootstrap", "tost"):
        found = cranfield.compare(values, "base", test=test, **SETTINGS.get(test, {}))
        alone = cranfield.compare(
            {name: values[name] for name in ("base", "other")}, "base", test=test, **SETTINGS.get(test, {})
        )
        assert not found.row("up").tested
        assert found.row("other").p == alone.row("other").p
        assert found.row("other").adjusted_p >= alone.row("other").adjusted_p
    tukey = cranfield.compare(values, test="tukey")
    assert all(row.tested for row in tukey.rows)  # there is variance left among the three


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_what_was_not_tested_counts_as_a_comparison_and_stays_untested(correction):
    found = adjusted(np.array([0.01, np.nan, 0.04]), correction)
    assert np.isnan(found).tolist() == [False, True, False]
    assert found[[0, 2]] == pytest.approx(adjusted(np.array([0.01, 1.0, 0.04]), correction)[[0, 2]])


def test_no_star_in_any_format():
    table = differences(cranfield.compare(constant(5)), 4)
    assert "*" not in [cell.marks for row in table.rows for cell in row]
    assert any("no test and no interval" in note for note in table.notes)
    assert "no test and no interval" in latex(table)


@pytest.mark.parametrize("test", ["t", "tost", "bootstrap", "tukey"])
def test_the_command_line_says_so(test, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "two.csv"
    path.write_text("query,a,b\n1,0.5,0.4\n2,0.4,0.3\n")
    asked = ["compare", "--values", str(path), "-t", test, *(["--margin", "0.3"] if test == "tost" else [])]
    assert main([*asked, "-f", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (row["p"], row["adjusted_p"], row["significant"], row["low"]) == (None, None, False, None)
    assert "the difference is the same on every query" in row["note"]
    assert main([*asked, "--findings"]) == 0
    out = capsys.readouterr().out
    table, _, findings = out.partition("Findings")
    assert "no test and no interval" in table
    assert "significant" not in table
    assert ", not tested: the difference is the same on every query" in " ".join(findings.split())


def runs_a_step_apart() -> tuple[dict, dict]:
    """One system has the relevant document first, and the other second, on every query."""
    qrels = {f"q{n}": {"r": 1, "x": 0} for n in range(4)}
    up = {query: {"r": 2.0, "x": 1.0} for query in qrels}
    down = {query: {"r": 1.0, "x": 2.0} for query in qrels}
    return qrels, {"up": up, "down": down}


def test_the_report_and_its_marks_say_so():
    page = str(cranfield.report(*runs_a_step_apart(), ["RR"]).html)
    assert "has no variance and was not tested" in page
    assert "significantly better than down" not in page
    assert "no test and no interval: the difference is the same on every query" in page


def test_no_finding_calls_an_untested_difference_anything():
    result = cranfield.evaluate(*runs_a_step_apart(), ["RR"])
    assert {finding.rule for finding in cranfield.examine(result)} & {"not-significant", "tiny-difference"} == set()


def test_tiers_say_which_pairs_were_not_tested():
    result = cranfield.evaluate(*runs_a_step_apart(), ["RR"])
    assert "1 pair not tested, because the difference has no variance" in result.plot.tiers().about


def test_one_degree_of_freedom_is_one():
    found = cranfield.compare({"a": [0.1, 0.5], "b": [0.2, 0.3]})
    assert "with 1 degree of freedom\n" in found.steps(found.rows[0])
    two = compare({"AP": samples({"a": [0.1, 0.5], "b": [0.2, 0.3]})}, test="nemenyi")
    assert "with 1 degree of freedom," in two.omnibus["AP"]


@pytest.mark.parametrize("test", ["tukey", "randomised tukey", "nemenyi", "t", "wilcoxon"])
def test_a_note_never_denies_the_interval_beside_it(test):
    values = {"a": [0.5, 0.4, 0.6, 0.2], "b": [0.4, 0.3, 0.5, 0.1], "c": [0.1, 0.9, 0.3, 0.4]}
    for row in cranfield.compare(values, test=test).rows:
        assert ("no interval" in row.note) <= np.isnan(row.low)
        assert ("no test" in row.note) == np.isnan(row.p)
    first = cranfield.compare(values, test="tukey").rows[0]
    assert first.note == "the difference is the same on every unit; test and interval use the variance of all systems"
