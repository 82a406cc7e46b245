"""A Groonga server of the tests' own on loopback, with the documents of a test; it ends with the block."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

import pytest

SCHEMA = """\
table_create Docs TABLE_HASH_KEY ShortText
column_create Docs title COLUMN_SCALAR ShortText
column_create Docs body COLUMN_SCALAR Text
table_create Terms TABLE_PAT_KEY ShortText --default_tokenizer TokenBigram --normalizer NormalizerAuto
column_create Terms documents COLUMN_INDEX|WITH_POSITION|WITH_SECTION Docs title,body
load --table Docs
"""
REQUEST = (
    "GET /d/select.json?table=Docs&match_columns=title*10%7C%7Cbody&query={{query}}&limit={{k}}"
    "&output_columns=_key,_score,title&sort_keys=-_score,_key&command_version=3"
)
PATHS = {"ids": "body.records[*][0]", "scores": "body.records[*][1]", "titles": "body.records[*][2]"}


@contextmanager
def groonga(folder: Path, documents: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """The address of a server with these documents, which have `_key`, `title` and `body`."""
    if shutil.which("groonga") is None:
        pytest.skip("the tests with Groonga need its server: apt-get install groonga-server-http")
    database = folder / "groonga.db"
    commands = SCHEMA + json.dumps(list(documents)) + "\n"
    subprocess.run(["groonga", "-n", database], input=commands, text=True, check=True, stdout=subprocess.DEVNULL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["groonga", "-s", "--protocol", "http", "--bind-address", "127.0.0.1", "-p", str(port), database]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url)
            yield url
        finally:
            server.terminate()


def _wait_for(url: str) -> None:
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{url}/d/status", timeout=5):
                return
        except (URLError, ConnectionError):
            time.sleep(0.05)
    raise AssertionError("Groonga does not answer")
