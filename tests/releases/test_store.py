"""The store: what is added stays, also with several writers, damaged files and old formats."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cranfield import evaluate
from cranfield.errors import BadInput, BadSetting
from cranfield.releases.record import imported, record
from cranfield.releases.store import Record, Store, Values, digest_of, release_here
from releases.stores import add, stored

QRELS = {f"q{n}": {"a": 1, "b": 0} for n in range(4)}
RUN = {f"q{n}": {"a": n % 2, "b": 0.5} for n in range(4)}


def test_a_record_is_what_was_added(tmp_path: Path) -> None:
    values = Values(("a", "b", "é"), {"AP": np.array([0.1, np.nan, 1 / 3]), "nDCG@10": np.array([1.0, 0, 5e-324])})
    record = Record("1.0", "2026-01-01T00:00:00Z", "engine", ("AP", "nDCG@10"), {"AP": 0.2}, ("AP",), n=3)
    made = Store(tmp_path).add(record, values)
    (read,) = Store(tmp_path).records()
    assert read == made
    assert read.lower_is_better == ("AP",)
    back = Store(tmp_path).values(read, ["AP", "nDCG@10"])
    assert back.units == values.units
    for measure, column in values.of.items():
        np.testing.assert_array_equal(back.of[measure], column)


def test_records_of_results_have_the_values_that_count(tmp_path: Path) -> None:
    result = evaluate(QRELS, {"new": RUN}, ["RR", "AP", "nDCG@10"])
    (made,) = record(tmp_path, result, "1.0")
    values = Store(tmp_path).values(made, ["RR"])
    assert dict(zip(values.units, values.of["RR"].tolist(), strict=True)) == result.per_query("RR")
    assert made.means["RR"] == result["new", "RR"]
    assert made.settings["missing"] == "zero"
    assert made.n == 4


def test_several_systems_are_several_records(tmp_path: Path) -> None:
    result = evaluate(QRELS, {"old": RUN, "new": RUN}, ["RR"])
    assert [one.system for one in record(tmp_path, result, "1.0")] == ["old", "new"]
    assert [one.system for one in record(tmp_path, result, "1.1", systems=["new"])] == ["new"]
    with pytest.raises(BadSetting, match="no system 'x' to record; available: old, new"):
        record(tmp_path, result, "1.2", systems=["x"])


def test_the_same_values_are_stored_once(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1.0": [0.1, 0.2], "1.1": [0.1, 0.2], "1.2": [0.1, 0.3]})
    assert len(os.listdir(tmp_path / "store" / "values")) == 2
    assert len(store.records()) == 3


def _write(folder: str, writer: int) -> None:
    for n in range(20):
        add(Store(folder), f"{writer}.{n}", [writer / 10, n / 20])


def test_concurrent_writers_lose_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(_write, [str(tmp_path)] * 4, range(4)))
    records = Store(tmp_path).records()
    assert {one.release for one in records} == {f"{writer}.{n}" for writer in range(4) for n in range(20)}
    for one in records:
        writer, n = map(int, one.release.split("."))
        assert Store(tmp_path).values(one, ["AP"]).of["AP"].tolist() == [writer / 10, n / 20]


def test_two_copies_are_merged_by_taking_all_files_of_both(tmp_path: Path) -> None:
    stored(tmp_path, {"1.0": [0.1, 0.2]})
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    add(Store(tmp_path / "store"), "1.1", [0.2, 0.3])
    add(Store(tmp_path / "copy"), "1.2", [0.3, 0.4])
    shutil.copytree(tmp_path / "copy", tmp_path / "store", dirs_exist_ok=True)
    assert {one.release for one in Store(tmp_path / "store").records()} == {"1.0", "1.1", "1.2"}


def test_git_merges_two_branches_of_a_store(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        command = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
        subprocess.run(command, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    stored(tmp_path, {"1.0": [0.1, 0.2]})
    for branch, release in (("one", "1.1"), ("two", "1.2")):
        git("add", "-A")
        git("commit", "-qm", "before", "--allow-empty")
        git("checkout", "-q", *(["main"] if branch == "two" else []))
        git("checkout", "-qb", branch)
        add(Store(tmp_path / "store"), release, [0.2, 0.3])
        git("add", "-A")
        git("commit", "-qm", release)
    git("merge", "-q", "one")
    assert {one.release for one in Store(tmp_path / "store").records()} == {"1.0", "1.1", "1.2"}


def test_a_writer_that_is_killed_leaves_no_half_record(tmp_path: Path) -> None:
    stored(tmp_path, {"1.0": [0.1, 0.2]})
    code = (
        "import os; from cranfield.releases import store; from releases.stores import add\n"
        f"s = store.Store({str(tmp_path / 'store')!r}); store.json_text = lambda _: os._exit(9)\n"
        "add(s, '1.1', [0.5, 0.6])"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], check=False).returncode == 9
    assert len(os.listdir(tmp_path / "store" / "values")) == 2
    assert [one.release for one in Store(tmp_path / "store").records()] == ["1.0"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ("{}", "damaged"),
        ('{"format": 2}', r"newer cranfield \(format 2, this reads 1\)"),
        ('{"format": 1, "release": "1.0"}', "time is missing"),
        (
            '{"format": 1, "release": 1, "time": "", "system": "", "measures": [], "means": {}}',
            "release is missing or of",
        ),
        ("<<<<<<< HEAD\n", "damaged"),
    ],
)
def test_damaged_records_are_named(tmp_path: Path, text: str, said: str) -> None:
    stored(tmp_path, {"1.0": [0.1, 0.2]})
    (tmp_path / "store" / "index" / "x.json").write_text(text)
    with pytest.raises(BadInput, match=said) as refused:
        Store(tmp_path / "store").records()
    assert "x.json" in str(refused.value)


def test_a_path_out_of_the_store_is_refused(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1.0": [0.1, 0.2]})
    (name,) = os.listdir(tmp_path / "store" / "index")
    path = tmp_path / "store" / "index" / name
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"values": "../../secret"}))
    with pytest.raises(BadInput, match="a digest is not one"):
        store.records()


def test_missing_and_damaged_values_are_named(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1.0": [0.1, 0.2]})
    (one,) = store.records()
    path = tmp_path / "store" / "values" / f"{one.values}.parquet"
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(BadInput, match="damaged"):
        store.values(one, ["AP"])
    path.unlink()
    with pytest.raises(BadInput, match="missing, although"):
        store.values(one, ["AP"])


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a store of releases"):
        Store(tmp_path).records()


def test_runs_are_found_as_long_as_their_content_is_the_same(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "new.run"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 1.0 x\n")
    result = evaluate(str(qrels), [str(run)], ["RR"])
    files = {"judgments": str(qrels), "new": str(run)}
    (linked,) = record(tmp_path / "linked", result, "1.0", files=files)
    (kept,) = record(tmp_path / "kept", result, "1.0", files=files, keep_files=True)
    assert linked.run == digest_of(str(run))
    assert Store(tmp_path / "linked").located(linked, "run") == str(run)
    assert Path(Store(tmp_path / "kept").located(kept, "run") or "").name == "new.run"
    run.write_text("1 Q0 b 1 1.0 x\n")
    assert Store(tmp_path / "linked").located(linked, "run") is None
    assert Path(Store(tmp_path / "kept").located(kept, "run") or "").read_text() == "1 Q0 a 1 1.0 x\n"


def test_the_release_is_the_tag_or_the_commit_of_the_folder(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    with pytest.raises(BadSetting, match="give its name: --release"):
        release_here(str(tmp_path))
    git("init", "-q")
    (tmp_path / "file").write_text("1")
    git("add", "-A")
    git("commit", "-qm", "first")
    assert release_here(str(tmp_path)) == git("rev-parse", "--short=10", "HEAD")
    git("tag", "v1.0")
    assert release_here(str(tmp_path)) == "v1.0"
    (tmp_path / "file").write_text("2")
    assert release_here(str(tmp_path)) == "v1.0-dirty"


def test_releases_have_names(tmp_path: Path) -> None:
    for name in ("", " ", "a\nb"):
        with pytest.raises(BadSetting, match="release must be a name"):
            add(Store(tmp_path), name, [0.1])


# imports


def test_values_are_imported_from_csv(tmp_path: Path) -> None:
    rows = (
        "release,time,query,measure,value\n1.0,2025-01-01,q1,AP,0.5\n1.0,2025-01-01,q2,AP,0.7\n1.1,2025-02-01,q1,AP,1\n"
    )
    (tmp_path / "old.csv").write_text(rows)
    first, second = imported(tmp_path / "store", str(tmp_path / "old.csv"))
    assert (first.release, first.means, first.time) == ("1.0", {"AP": 0.6}, "2025-01-01T00:00:00Z")
    assert Store(tmp_path / "store").values(first, ["AP"]).of["AP"].tolist() == [0.5, 0.7]
    assert second.n == 1


def test_means_are_imported_from_csv_in_the_order_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("release,measure,value\nb,AP,0.5\na,AP,0.6\nb,RR,0.1\n")
    imported(tmp_path / "store", str(tmp_path / "old.csv"))
    records = Store(tmp_path / "store").records()
    assert [(one.release, dict(one.means), one.values) for one in records] == [
        ("b", {"AP": 0.5, "RR": 0.1}, ""), ("a", {"AP": 0.6}, ""),
    ]  # fmt: skip


def test_runs_are_imported_from_mlflow(tmp_path: Path) -> None:
    run = tmp_path / "mlruns" / "0" / "abc"
    (run / "metrics").mkdir(parents=True)
    (run / "meta.yaml").write_text("run_id: abc\nrun_name: v1.3\nstart_time: 1735689600000\nstatus: 3\n")
    (run / "metrics" / "nDCG_10").write_text("1735689600000 0.4 0\n1735689700000 0.5 1\n")
    (one,) = imported(tmp_path / "store", str(tmp_path / "mlruns"))
    assert (one.release, one.time, one.means) == ("v1.3", "2025-01-01T00:00:00Z", {"nDCG_10": 0.5})
    (tmp_path / "runs.csv").write_text(
        "run_id,start_time,metrics.AP,tags.mlflow.runName\nx,2025-01-02T00:00:00Z,0.25,v2\n"
    )
    (one,) = imported(tmp_path / "other", str(tmp_path / "runs.csv"))
    assert (one.release, one.means, one.source) == ("v2", {"AP": 0.25}, "mlflow")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "needs columns release, measure and value"),
        ("", "needs columns release"),
        ("release,measure,value\n1,AP,x\n", "line 2: 'x' is not a number"),
        ("release,measure,value\n1,AP,1\n1,AP,2\n", "line 3: AP of 1 has two values"),
        ("release,measure,value\n,AP,1\n", "line 2: the release or the measure is missing"),
        ("release,time,measure,value\n1,soon,AP,1\n", "'soon' is not a time"),
        ("metrics.AP\n1\n", "the run has no name"),
    ],
)
def test_what_cannot_be_imported_is_said(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "old.csv").write_text(text)
    with pytest.raises(BadInput, match=said):
        imported(tmp_path / "store", str(tmp_path / "old.csv"))
    assert not (tmp_path / "store").exists()


def test_stores_of_earlier_formats_can_be_read() -> None:
    """The store in examples was written in format 1; it is never written again."""
    store = Store(Path(__file__).parents[2] / "examples" / "releases")
    records = store.records()
    assert [one.release for one in records] == ["0.9", "1.0", "1.1", "1.2"]
    assert [round(one.means["nDCG@10"], 4) for one in records] == [0.57, 0.6156, 0.6579, 0.7955]
    values = store.values(records[1], ["AP"])
    assert values.units == ("101", "102", "103", "104", "105", "106", "107", "108")
    assert values.of["AP"][0] == 0.4814167314167314
