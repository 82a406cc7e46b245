"""Figures are computed beside the requests, once, and again after a failure."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from campaign.web.campaign import Campaign, judge_all, signed_in_again
from campaign_server import serving
from cranfield.campaign.store.database import Store
from cranfield.campaign.web import worker_processes
from cranfield.campaign.web.jobs import Jobs, StillComputing
from cranfield.campaign.web.worker_processes import Places, nursery, worked
from cranfield.campaign.web.worker_progress import PATH, proportion_done, reading_progress
from cranfield.cli.main import main
from cranfield.errors import BadInput, TooBusy
from time_limits import HANGS


def test_a_page_whose_figures_take_long_says_how_far_they_are_and_is_there_in_the_end(
    copied: tuple[Campaign, Store], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, store = copied
    with serving(store, patience=0) as served:
        campaign = signed_in_again(served, before)
        judge_all(campaign.people["ann"], {"d1": 3})
        campaign.ada.ok("/api/b/py/qrels", {})
        waiting = campaign.ada.get("/b/py/results")
        assert (waiting.status_code, waiting.headers["retry-after"]) == (202, "2")
        assert "The figures on this page are being computed" in waiting.text
        answer = campaign.ada.get("/api/b/py/results")
        if answer.status_code == 202:
            assert set(answer.json()) == {"computing", "seconds", "proportion"}
        monkeypatch.setenv("CRANFIELD_TOKEN", campaign.ada.ok("/api/account/tokens", {"name": "x"}).json()["secret"])
        assert main(["api", f"{served.address}/b/py", "results"]) == 0  # asks until the figures are there
        assert '"tiers"' in capsys.readouterr().out
        assert campaign.ada.get("/b/py/results").status_code == 200
    store.close()


def test_a_job_is_started_once_and_an_error_reaches_all_who_wait() -> None:
    jobs, started = Jobs(patience=0), []

    def fails(_: Path) -> None:
        started.append(1)
        time.sleep(0.2)
        raise BadInput("no")

    with pytest.raises(StillComputing):
        jobs.answer("x", fails)
    jobs.patience = HANGS
    for _ in range(3):
        with pytest.raises(BadInput, match="no"):
            jobs.answer("x", fails)
    assert started == [1]
    assert jobs.answer("y", lambda _: 5) == 5


def test_progress_is_the_proportion_of_all_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"a": 300, "b": 100}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    monkeypatch.setenv(PATH, str(tmp_path / "progress"))
    assert proportion_done(tmp_path / "progress") is None
    advance = reading_progress({name: str(tmp_path / name) for name in sizes})
    advance("a", 100, 300)
    assert proportion_done(tmp_path / "progress") == 0.25


def test_those_who_find_too_many_waiting_are_sent_away() -> None:
    places = Places(1, waiting=0)
    with places.one(), pytest.raises(TooBusy, match="try again"), places.one():
        pass
    with places.one():
        pass


def test_a_worker_has_no_secrets_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nursery.close()
    monkeypatch.setenv("CRANFIELD_TOKEN", "secret")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    run = tmp_path / "a.run"
    run.write_text("1 Q0 d 1 1 x\n")
    before = set(os.listdir(tmp_path))
    assert worked("strip", runs={"a": str(run)}, topic="1") == {"a": ["d"]}
    with pytest.raises(BadInput, match="this took longer than"):
        worked("strip", seconds=0.01, runs={"a": str(run)}, topic="1")
    assert set(os.listdir(tmp_path)) == before
    assert nursery.process is not None
    variables = Path(f"/proc/{nursery.process.pid}/environ").read_bytes()
    assert b"PATH=" in variables
    assert b"secret" not in variables


def test_workers_are_started_again_after_their_parent_was_killed(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("1 Q0 d 1 1 x\n")
    for _ in range(2):
        assert worked("strip", runs={"a": str(run)}, topic="1") == {"a": ["d"]}
        assert nursery.process is not None
        nursery.process.kill()
        nursery.process.wait()


def test_busy_workers_end_with_their_parent(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never-written")
    nursery.prepare()  # its process may have ended
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(worked, "read_topics", path=str(tmp_path / "never-written"))
        until = time.monotonic() + HANGS
        while not _workers() and time.monotonic() < until:
            time.sleep(0.02)
        (worker,) = _workers()
        nursery.close()
        with pytest.raises(BadInput, match="or failed"):
            waiting.result(timeout=HANGS)
    assert not Path(f"/proc/{worker}/exe").exists()


def _workers() -> list[str]:
    if nursery.process is None:
        return []
    parent = nursery.process.pid
    return Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


def test_a_job_that_needs_too_much_memory_is_refused_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "a.run"
    run.write_text("1 Q0 d 1 1 x\n")
    monkeypatch.setattr(worker_processes, "MEMORY", 1 << 20)
    with pytest.raises(BadInput, match="memory"):
        worked("depths", runs={"a": str(run)}, topics=["1"])
    monkeypatch.undo()
    assert worked("strip", runs={"a": str(run)}, topic="1") == {"a": ["d"]}
