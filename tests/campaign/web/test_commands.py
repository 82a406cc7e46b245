"""`cranfield serve` in an empty folder, and `cranfield submit`, as processes."""

from __future__ import annotations

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
import uvicorn

from campaign.web.campaign import run_file, set_up
from campaign_server import PASSWORD, Person, Served
from cranfield.cli.main import main
from time_limits import HANGS


def test_serve_starts_from_nothing_and_prints_the_link_once(tmp_path: Path) -> None:
    def started() -> subprocess.Popen[str]:
        start = "from cranfield.commands.process import main; main()"
        command = [sys.executable, "-c", start, "serve", str(tmp_path / "new"), "--port", "0"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    process = started()
    assert process.stdout
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        link = re.search(r"/setup/[\w-]{40,}", process.stdout.readline())
        assert address
        assert link
        with httpx.Client(base_url=address[0], timeout=HANGS, trust_env=False) as client:
            values = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
            assert client.post(link[0], data=values).status_code == 303
            assert "New benchmark" in client.get("/").text
    finally:
        process.kill()
        process.communicate()
    again = started()
    assert again.stdout
    again.stdout.readline()
    again.terminate()
    assert again.communicate()[0] == ""  # there is an administrator already: no second line


def test_ctrl_c_ends_the_server_quietly_and_with_it_its_workers(tmp_path: Path) -> None:
    """A terminal sends the signal to every process in the foreground."""
    interrupts = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start = f"{interrupts}; import cranfield_commands; cranfield_commands.main()"
    command = [sys.executable, "-c", start, "serve", str(tmp_path / "new"), "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout
    address = process.stdout.readline().split()[-1]
    httpx.get(f"{address}/login", timeout=HANGS, trust_env=False)  # answers only once everything has started
    (workers,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=HANGS)[1] == ""  # the pipe is closed by the workers too
    until = time.monotonic() + HANGS
    while Path(f"/proc/{workers}").exists():  # it closes the pipe a moment before it ends
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.sqlite
def test_a_server_collects_garbage_as_often_as_any_python_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands, which end soon, collect rarely; a server that did so would grow with every import of documents."""
    seen = []

    def run(_: uvicorn.Server, sockets: list[socket.socket]) -> None:
        seen.append(gc.get_threshold()[0])
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    before = gc.get_threshold()
    gc.set_threshold(50_000)
    try:
        assert main(["serve", str(tmp_path / "x"), "--port", "0"]) == 0
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
    assert seen == [700]


def test_a_port_in_use_is_an_error_in_words(served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port = served.address.rpartition(":")[2]
    assert main(["serve", str(tmp_path / "x"), "--port", port]) == 1
    assert f"cannot listen on 127.0.0.1, port {port}" in capsys.readouterr().err


def token(person: Person) -> str:
    return str(person.ok("/api/account/tokens", {"name": "submit"}).json()["secret"])


def test_submit_sends_runs_and_prints_remarks(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pia = set_up(served).people["pia"]
    run, half, bad = tmp_path / "bm25.run", tmp_path / "half.run", tmp_path / "bad.run"
    run.write_bytes(run_file("bm25"))
    half.write_bytes(run_file("dense").partition(b"9 Q0 d6")[0])
    bad.write_bytes(b"09 Q0 d1 1 x tag\n")
    monkeypatch.setenv("CRANFIELD_TOKEN", token(pia))
    assert main(["submit", f"{served.address}/b/py", str(run), str(half)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("bm25: 7 rows, 2 topics, SHA-256 ")
    assert "topics missing from the run: 9" in out
    assert main(["submit", f"{served.address}/b/py", str(bad)]) == 1
    assert "line 1" in capsys.readouterr().err
    assert [one["name"] for one in pia.get("/api/b/py/runs").json()["runs"]] == ["bm25", "half"]


def test_submit_needs_a_token_and_an_address(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.run").write_bytes(b"x")
    monkeypatch.delenv("CRANFIELD_TOKEN", raising=False)
    assert main(["submit", f"{served.address}/b/py", str(tmp_path / "a.run")]) == 1
    assert "CRANFIELD_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("CRANFIELD_TOKEN", "wrong")
    assert main(["submit", f"{served.address}/b/py", str(tmp_path / "a.run")]) == 1
    assert "sign in first" in capsys.readouterr().err
    assert main(["submit", "judge.example.org", str(tmp_path / "a.run")]) == 1
    assert "is not the address of a benchmark" in capsys.readouterr().err
