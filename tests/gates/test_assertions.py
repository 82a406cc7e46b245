"""Release gates as assertions, in pytest and without it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cranfield.errors import BadSetting
from cranfield.testing import assert_at_least, assert_at_most, assert_better, assert_not_worse

QRELS = {f"q{n}": {"r": 1} for n in range(12)}
GOOD = {query: {"r": 2.0, "d": 1.0} for query in QRELS}
BAD = {query: {"r": 1.0, "d": 2.0 if place % 3 else 0.5} for place, query in enumerate(QRELS)}

TESTS = """
from cranfield.testing import assert_at_least, assert_better

def test_good():
    assert_at_least("good.run", 0.9, "RR")

def test_better():
    assert_better("bad.run", "good.run", "RR")
"""


def test_assertions_hold_and_return_the_gate():
    assert assert_better(GOOD, BAD, "RR", qrels=QRELS).p < 0.05
    assert assert_not_worse(GOOD, dict(GOOD), "RR", margin=0.01, qrels=QRELS, unchanged="pass").n == 12
    assert assert_at_least(GOOD, 1, "RR", qrels=QRELS).value == 1
    assert assert_at_most(BAD, 0.7, "RR", qrels=QRELS, ties="worst").passed
    assert assert_at_most(BAD, 0.9, "RR", qrels=QRELS, confidence=0.95).high <= 0.9


def test_an_undecided_gate_is_a_failure_with_the_reason():
    with pytest.raises(AssertionError, match=r"undecided: RR of run.*\n12 queries, but a verdict needs 50") as failure:
        assert_at_least(GOOD, 0.5, "RR", qrels=QRELS, min_queries=50)
    assert "run has 1.0000 over 12 queries" in str(failure.value)


def test_a_failure_names_the_queries_and_the_significance():
    with pytest.raises(AssertionError) as failure:
        assert_not_worse(BAD, GOOD, "RR", margin=0.1, qrels=QRELS)
    text = str(failure.value)
    assert "8 got worse and 0 improved" in text
    assert "The difference is significant" in text
    assert "q1: 1.0000 -> 0.5000 (-0.5000)" in text


def test_judgments_are_needed():
    with pytest.raises(BadSetting, match="cranfield_qrels"):
        assert_better(GOOD, BAD, "RR")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, run in (("good.run", GOOD), ("bad.run", BAD)):
        lines = [f"{q} Q0 {d} 0 {score} x\n" for q, ranked in run.items() for d, score in ranked.items()]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "judged").mkdir()
    (tmp_path / "judged" / "qrels.txt").write_text("".join(f"{query} 0 r 1\n" for query in QRELS))
    (tmp_path / "pytest.ini").write_text("[pytest]\ncranfield_qrels = judged/qrels.txt\n")
    (tmp_path / "test_release.py").write_text(textwrap.dedent(TESTS))
    return tmp_path


def pytest_in(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "cranfield.testing", "-p", "no:cacheprovider", "-q", *arguments]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_the_plugin_finds_the_judgments_and_summarises_the_gates(project):
    done = pytest_in(project, "--cranfield-summary", "summary.md", "--junitxml", "tests.xml")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert "q1: 1.0000 -> 0.5000 (-0.5000)" in done.stdout
    assert "passed     RR of good is at least 0.9 (1.0000, n 12)" in done.stdout
    assert "failed     RR of bad is better than that of good" in done.stdout
    assert "in _asserted" not in done.stdout  # frames of the library are hidden
    assert (project / "summary.md").read_text().startswith("1 of 2 gates failed. Failed: ")
    assert "RR of bad is better" in (project / "tests.xml").read_text()


def test_paths_are_relative_to_the_configuration_wherever_pytest_is_started(project):
    (project / "judged" / "test_deep.py").write_text((project / "test_release.py").read_text())
    done = pytest_in(project / "judged", "test_deep.py")
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr


def test_gates_in_several_processes_are_summarised_once(project):
    done = pytest_in(project, "-p", "xdist", "-n", "2", "--cranfield-summary", "summary.md")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "passed     RR of good is at least 0.9 (1.0000, n 12)" in done.stdout
    assert "failed     RR of bad is better than that of good" in done.stdout
    summary = (project / "summary.md").read_text()
    assert summary.startswith("1 of 2 gates failed. Failed: ")
    assert summary.count("gates failed") == 1
    assert "| q1 " in summary


def test_the_summary_has_the_interval_the_settings_the_reasons_and_the_warnings(project):
    (project / "cut.run").write_text("".join((project / "bad.run").read_text().splitlines(keepends=True)[:22]))
    (project / "test_release.py").write_text(
        "from cranfield.testing import assert_at_least\n"
        "def test_cut(): assert_at_least('cut.run', 0.1, 'RR')\n"
        "def test_skipped(): assert_at_least('cut.run', 0.1, 'RR', missing='skip', complete=0.9)\n"
    )
    done = pytest_in(project, "--cranfield-summary", "summary.md")
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    for text in (done.stdout, (project / "summary.md").read_text()):
        for said in (
            "cut answers 11 of 12 judged queries",
            "missing skip",
            "complete 0.9",
            "1 of 12 judged queries is",
        ):
            assert said in text
    assert "passed     RR of cut is at least 0.1 (0.6818, 90 % interval" in done.stdout


@pytest.mark.parametrize("summary", ["nowhere/summary.md", "judged"])
def test_a_summary_that_cannot_be_written_is_refused_before_the_tests(project, summary):
    done = pytest_in(project, "--cranfield-summary", summary)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"--cranfield-summary: {summary} cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_pytest_loads_the_plugin_by_itself():
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"cranfield.testing": "cranfield.testing"}
