"""`cranfield fetch`: what it writes and prints, its TOML file, and how it continues after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cranfield.cli.main import main
from engine_server import Asked, serving
from time_limits import HANGS

HITS: dict[str, Any] = {"hits": [{"id": "b", "score": 2, "name": "B"}, {"id": "a", "score": 0.1}]}
ASKED = ["--request", "GET /find?q={{query}}", "--ids", "hits[*].id", "--scores", "hits[*].score"]
NAMED = ["--titles", "hits[*].name"]
ENDINGS = ("run", "fetch.json", "latency.csv", "system.csv", "titles.jsonl")
QRELS = "1 0 a 1\n1 0 b 0\n2 0 b 1\n"


@pytest.fixture
def topics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with topics and judgments, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topics.tsv").write_text("1\tone\n2\ttwo\n")
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def test_a_fetch_writes_the_run_and_what_belongs_to_it(topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda _: HITS) as server:
        status = main(["fetch", "topics.tsv", "--url", server.url, *ASKED, *NAMED, "-o", "new.run"])
    printed = capsys.readouterr().out
    assert status == 0
    assert printed.startswith("The engine answered all 2 queries with 4 results.\n")
    assert (topics / "new.run").read_text() == (
        "1 Q0 b 1 2.0 new\n1 Q0 a 2 0.1 new\n2 Q0 b 1 2.0 new\n2 Q0 a 2 0.1 new\n"
    )
    assert sorted(os.listdir(topics)) == sorted(
        [
            "qrels.txt",
            "topics.tsv",
            "new.run",
            "new.fetch.json",
            "new.latency.csv",
            "new.system.csv",
            "new.titles.jsonl",
        ]
    )
    told = json.loads((topics / "new.fetch.json").read_text())
    assert told["provenance"]["settings"]["url"] == server.url
    assert len(told["provenance"]["settings"]["request_hash"]) == 64
    assert told["provenance"]["inputs"][0]["role"] == "topics"
    assert [query["n"] for query in told["queries"]] == [2, 2]


def test_what_is_written_can_be_evaluated(topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(lambda _: HITS) as server:
        for name in ("old", "new"):
            assert main(["fetch", "topics.tsv", "--url", server.url, *ASKED, *NAMED, "-o", f"{name}.run"]) == 0
    capsys.readouterr()
    assert main(["eval", "qrels.txt", "new.run", "-m", "RR", "--system-info", "new.system.csv", "-f", "csv"]) == 0
    assert "0.75" in capsys.readouterr().out
    old, new = ((topics / f"{name}.latency.csv").read_text() for name in ("old", "new"))
    (topics / "both.csv").write_text(old + new.partition("\n")[2])
    assert main(["compare", "--values", "both.csv", "--lower-is-better", "latency"]) == 0
    gate = "measure = 'latency'\nrequire = 'at most'\nvalue = 60000\n"
    shared = "values = 'new.latency.csv'\nrun = 'new'\nlower_is_better = ['latency']\nmin_queries = 2\n"
    (topics / "gates.toml").write_text(f"{shared}[[gate]]\n{gate}")
    assert main(["check", "gates.toml"]) == 0
    assert main(["report", "qrels.txt", "new.run", "--document-texts", "new.titles.jsonl", "-o", "page.html"]) == 0


def test_failed_queries_make_it_fail_and_are_asked_again(topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = [True]

    def answer(one: Asked) -> Any:
        return (400, {"error": "no such field"}) if "two" in one.path and broken[0] else HITS

    with serving(answer) as server:
        command = ["fetch", "topics.tsv", "--url", server.url, *ASKED, "-o", "new.run"]
        assert main(command) == 4
        printed = capsys.readouterr().out
        assert printed.startswith("The engine failed on 1 of 2 queries; it answered 1 with 2 results.\n")
        assert "status 400: no such field" in printed
        assert not (topics / "new.run").exists()
        n_asked = len(server.asked)
        broken[0] = False
        assert main(command) == 0
        assert len(server.asked) == n_asked + 1
        assert not (topics / "new.run.part").exists()


def test_headers_come_from_options_and_files(topics: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_KEY", "abc")
    headers = ["--header", "X-Key: {{env:ENGINE_KEY}}", "--header", "X-Team: search"]
    with serving(lambda _: HITS) as server:
        assert main(["fetch", "topics.tsv", "--url", server.url, *ASKED, *headers, "-o", "new.run"]) == 0
        (topics / "engine.toml").write_text(
            f'url = "{server.url}"\nrequest = "GET /find?q={{{{query}}}}"\nids = "hits[*].id"\n'
            'header = ["X-Key: {{env:ENGINE_KEY}}"]\n'
        )
        assert main(["fetch", "topics.tsv", "--config", "engine.toml", "-o", "more.run"]) == 0
    assert [one.headers["x-key"] for one in server.asked] == ["abc"] * 4
    assert server.asked[0].headers["x-team"] == "search"
    assert "abc" not in "".join(path.read_text() for path in topics.iterdir())


def test_failures_may_be_allowed(topics: Path) -> None:
    with serving(lambda one: (400, {"error": "no"}) if "two" in one.path else HITS) as server:
        assert main(["fetch", "topics.tsv", "--url", server.url, *ASKED, "-o", "new.run", "--allow-failures"]) == 0
    assert (topics / "new.run").read_text().count("\n") == 2
    told = json.loads((topics / "new.fetch.json").read_text())
    assert told["queries"][1]["error"] == "status 400: no"


def test_a_toml_file_holds_the_settings(topics: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (topics / "team").mkdir()
    (topics / "team" / "query.json").write_text('{"q": "{{query}}", "n": "{{k}}"}')
    with serving(lambda _: HITS) as server:
        (topics / "team" / "engine.toml").write_text(
            f'url = "{server.url}"\nrequest = "POST /find"\ntemplate = "query.json"\nids = "hits[*].id"\nk = 5\n'
        )
        assert main(["fetch", "topics.tsv", "--config", "team/engine.toml", "-o", "new.run"]) == 0
        assert main(["fetch", "topics.tsv", "--config", "team/engine.toml", "-k", "9", "-o", "more.run"]) == 0
    assert [one.content["n"] for one in server.asked] == [5, 5, 9, 9]
    (topics / "engine.toml").write_text("ulr = 1")
    assert main(["fetch", "topics.tsv", "--config", "engine.toml", "-o", "new.run"]) == 1
    assert "there is no setting 'ulr'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--url", "http://127.0.0.1:1", *ASKED, "-o", "nowhere/new.run"], "there is no folder 'nowhere'"),
        ([*ASKED, "-o", "new.run"], "give the address of the engine: --url"),
        (["--url", "http://127.0.0.1:1", *ASKED], "missing option '-o'"),
    ],
)
def test_what_is_missing_is_said(
    topics: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["fetch", "topics.tsv", *arguments]) in (1, 2)
    assert said in capsys.readouterr().err


def test_a_killed_fetch_continues_without_asking_twice(topics: Path) -> None:
    (topics / "topics.tsv").write_text("".join(f"{n}\tquery{n}\n" for n in range(40)))
    with serving(lambda _: time.sleep(0.01) or HITS) as server:
        command = [
            "-m",
            "cranfield",
            "fetch",
            "topics.tsv",
            "--url",
            server.url,
            *ASKED,
            "-o",
            "new.run",
            "--parallel",
            "1",
        ]
        with subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL) as process:
            end = time.monotonic() + HANGS
            while len(server.asked) < 10 and time.monotonic() < end:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
        before = len(server.asked)
        assert 10 <= before < 40
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, timeout=HANGS)
    paths = [one.path for one in server.asked]
    assert len(set(paths)) == 40
    assert len(paths) - 40 <= 1  # the one that was asked while the process was killed
    assert len((topics / "new.run").read_text().splitlines()) == 80
