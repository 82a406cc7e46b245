"""Gates with releases as baselines, and what they record."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from cranfield import check, history
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting
from cranfield.releases.record import imported
from cranfield.releases.store import Store

N = 40


def ranking(good: float, seed: int) -> str:
    """A run that ranks the relevant documents first more or less often."""
    chance, lines = random.Random(seed), []
    for q in range(N):
        documents = sorted(range(14), key=lambda n: chance.random() - good * (n < 4))
        lines += [f"{q} Q0 {q}-{n} {r} {20 - r} x\n" for r, n in enumerate(documents, 1)]
    return "".join(lines)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with judgments, runs and gates."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 {q}-{n} {int(n < 4)}\n" for q in range(N) for n in range(14)))
    for name, good in (("old", 0.3), ("new", 0.35), ("bad", 0.1)):
        (tmp_path / f"{name}.run").write_text(ranking(good, 1))
    return tmp_path


def gates(run: str, baseline: str = "last", require: str = "not worse", margin: float | None = 0.1, **more: Any) -> Any:
    """A specification with one gate."""
    gate = {"measure": "AP", "require": require, "baseline": baseline} | ({"margin": margin} if margin else {})
    return {"qrels": "qrels.txt", "run": run, "store": "store", "gate": [gate]} | more


def recorded(*releases: tuple[str, str], **options: Any) -> None:
    """Record runs as releases, with a gate that all pass."""
    for release, run in releases:
        gate = {"measure": "AP", "require": "at least", "value": 0.01}
        assert check(
            {"qrels": "qrels.txt", "run": run, "gate": [gate]}, record="store", release=release, **options
        ).passed


@pytest.mark.parametrize("keep", [True, False])
def test_a_release_is_a_baseline_like_its_run(folder: Path, keep: bool) -> None:
    recorded(("1.0", "old.run"), keep_files=keep)
    with_run = check(gates("bad.run", "old.run")).gates[0]
    (folder / "old.run").unlink()
    with_release = check(gates("bad.run")).gates[0]
    assert with_release.baseline == "release 1.0"
    for name in ("outcome", "value", "baseline_value", "difference", "low", "high", "p", "n", "n_fell"):
        assert getattr(with_release, name) == getattr(with_run, name), name
    assert with_release.outcome == "failed"


def test_releases_are_named_by_words_or_names(folder: Path) -> None:
    recorded(("1.0", "new.run"), ("1.1", "bad.run"), ("1.2", "old.run"))
    names = ("last", "best", "2 releases ago", "9 releases ago", "1.1")
    (folder / "next.run").write_text(ranking(0.32, 2))
    found = [check(gates("next.run", name)).gates[0].baseline for name in names]
    assert found == ["release 1.2", "release 1.0", "release 1.1", "release 1.0", "release 1.1"]
    with pytest.raises(BadInput, match=r"no release '1\.9' with AP"):
        check(gates("next.run", "1.9"))
    assert check(gates("next.run", "old.run")).gates[0].baseline == "old"


def test_drift_is_found_though_each_step_passes(folder: Path) -> None:
    runs = [ranking(good, 1) for good in (0.5, 0.46, 0.42, 0.38, 0.34, 0.3)]
    for place, text in enumerate(runs[:-1]):
        (folder / "step.run").write_text(text)
        recorded((f"1.{place}", "step.run"), keep_files=True)
    (folder / "step.run").write_text(runs[-1])
    step, drift = (check(gates("step.run", name, margin=0.12)).gates[0] for name in ("last", "5 releases ago"))
    assert step.passed
    assert not drift.passed
    assert drift.baseline == "release 1.0"


def test_only_what_passes_is_recorded(folder: Path) -> None:
    recorded(("1.0", "old.run"))
    assert not check(gates("bad.run"), record="store", release="1.1").passed
    assert [one.release for one in Store("store").records()] == ["1.0"]
    assert check(gates("new.run"), record="store", release="1.1").passed
    assert [one.release for one in Store("store").records()] == ["1.0", "1.1"]
    assert "since 1.0" in history("store").answer


def test_a_release_is_not_its_own_baseline(folder: Path) -> None:
    recorded(("1.0", "old.run"), ("1.1", "new.run"))
    assert check(gates("new.run"), record="store", release="1.1").gates[0].baseline == "release 1.0"


@pytest.mark.filterwarnings("ignore:.*without judgments")
@pytest.mark.parametrize("what", ["judgments", "settings", "queries"])
def test_values_measured_differently_are_undecided_unless_the_run_is_there(folder: Path, what: str) -> None:
    recorded(("1.0", "old.run"))
    text = (folder / "qrels.txt").read_text()
    settings: dict[str, Any] = {"settings": {"ties": "given"}} if what == "settings" else {}
    if what == "judgments":
        (folder / "qrels.txt").write_text(text.replace("0 0 0-9 0", "0 0 0-9 1"))
    elif what == "queries":
        lines = text.splitlines(keepends=True)
        (folder / "qrels.txt").write_text("".join(line for line in lines if not line.startswith("0 ")))
    evaluated_again = check(gates("new.run", **settings)).gates[0]
    assert evaluated_again.passed
    (folder / "old.run").unlink()
    gate = check(gates("new.run", **settings)).gates[0]
    assert gate.outcome == "undecided"
    assert "changed since release 1.0, whose run is not there" in gate.reasons[0]
    assert what in gate.reasons[0]


def test_imported_means_decide_nothing(folder: Path) -> None:
    (folder / "old.csv").write_text("release,measure,value\n1.0,AP,0.4\n")
    imported("store", "old.csv")
    gate = check(gates("new.run")).gates[0]
    assert gate.outcome == "undecided"
    assert gate.reasons[0].startswith("of release 1.0, only the mean is known")


def test_an_empty_store_and_values_are_refused(folder: Path) -> None:
    with pytest.raises(BadInput, match="not a store of releases"):
        check(gates("new.run"))
    recorded(("1.0", "old.run"))
    specification = gates("new.run")
    specification["gate"][0]["measure"] = "nDCG@10"
    with pytest.raises(BadInput, match=r"no release with nDCG@10 to compare with yet"):
        check(specification)
    with pytest.raises(BadSetting, match="baselines from a store need runs"):
        check({"values": "v.csv", "store": "store", "run": "a", "gate": [{"measure": "AP", "require": "better"}]})


def test_tables_of_values_are_recorded(folder: Path) -> None:
    (folder / "v.csv").write_text("query,new\n" + "".join(f"q{n},{n / 20}\n" for n in range(15)))
    gate = {"measure": "AP", "require": "at least", "value": 0.1}
    assert check({"values": "v.csv", "run": "new", "gate": [gate]}, record="store", release="1.0").passed
    (one,) = Store("store").records()
    assert (one.system, one.n, one.means["AP"]) == ("new", 15, pytest.approx(0.35))


def test_the_command_line_records_and_gates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = ["--record", "store", "--keep-files"]
    assert main(["eval", "qrels.txt", "old.run", "-m", "AP,nDCG@5", *record, "--release", "1.0"]) == 0
    (folder / "gates.toml").write_text(
        "qrels = 'qrels.txt'\nrun = 'new.run'\nstore = 'store'\n"
        "[[gate]]\nmeasure = 'AP'\nrequire = 'not worse'\nmargin = 0.1\nbaseline = 'last'\n"
    )
    outputs = ["--junit", "gates.xml", "--summary", "summary.md"]
    assert main(["check", "gates.toml", *record, "--release", "1.1", *outputs]) == 0
    assert "release 1.0" in (folder / "summary.md").read_text()
    assert "release 1.0" in (folder / "gates.xml").read_text()
    capsys.readouterr()
    assert main(["history", "store", "-m", "AP"]) == 0
    assert "since 1.0" in capsys.readouterr().out.splitlines()[0]
    assert main(["report", "--history", "store", "-m", "AP", "-o", "history.html"]) == 0
    page = (folder / "history.html").read_text()
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert main(["eval", "qrels.txt", "old.run", "--release", "1.0"]) == 2
    assert "--release requires --record" in capsys.readouterr().err
