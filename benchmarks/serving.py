"""The server of campaigns under load: `python -m benchmarks.serving [--quick]`.

Assessors judge over keep-alive connections, each judgment a request that is answered when it is on the disk; the load
comes from this process, the server is one of its own. At the end the database must hold every judgment once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, func, insert, select

from cranfield.campaign.store import accounts, benchmarks, pools, schema, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.database import Store
from cranfield.tables.collections.documents import Document
from cranfield.tables.collections.topics import Topic

ASSESSORS, DOCUMENTS = 50, 100
WARM_UP = 0.3  # of the seconds of a scenario
PER_TOPIC = 50_000  # documents of the large run
SLUG = "speed"


@dataclass
class Assessor:
    """A connection of somebody who judges, and how long each judgment took."""

    session: str
    csrf: str
    assignments: list[int]
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """A line of the table: what was measured, and what is to be reached."""

    title: str
    figure: str
    target: str


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description="the server under load")
    parser.add_argument("--quick", action="store_true", help="little load: shows that all works, not how fast")
    parser.add_argument("--database", metavar="URL", help="PostgreSQL instead of a file, as postgresql://…")
    options = parser.parse_args()
    seconds, megabytes = (0.3, 1) if options.quick else (10.0, 1_000)
    with tempfile.TemporaryDirectory() as folder:
        assessors = prepared(Path(folder), options.database)
        with served(Path(folder), options.database) as address:
            rows = list(measured(address, assessors, seconds, megabytes, Path(folder)))
        n_kept, n_sent = kept(Path(folder), options.database), sum(len(one.seconds) for one in assessors)
    rows.append(Row("judgments in the database / acknowledged", f"{n_kept:,} / {n_sent:,}", "all, once"))
    for row in rows:
        print(f"{row.title:<58} {row.figure:>22}   {row.target}")
    sys.exit(n_kept != n_sent)


def prepared(folder: Path, url: str | None) -> list[Assessor]:
    """A benchmark with documents for each assessor, written straight to the database."""
    store = Store(folder, url)
    try:
        return store.write(_campaign)
    finally:
        store.close()


def _campaign(connection: Connection) -> list[Assessor]:
    people = [
        accounts.create(connection, email=f"a{n}@example.org", name=f"A{n}", password="", now=0, administrator=n == 0)
        for n in range(ASSESSORS)
    ]
    made = benchmarks.create(connection, slug=SLUG, name="Speed", purpose="", by=people[0].id, now=0)
    stored.add_topics(connection, made.id, [Topic("1", "wait for some seconds")])
    words = "To wait means to do nothing for some seconds. " * 40
    stored.add_documents(connection, made.id, [Document(f"d{n}", f"D {n}", f"{n} {words}") for n in range(DOCUMENTS)])
    run = submissions.Submission("first", "", "", "automatic", "none", "", 1, 1, 1, ())
    submissions.add(connection, made.id, people[0].id, run, 0)
    pool = [
        {"query": "1", "document": f"d{n}", "order": n + 1, "stratum": 1, "probability": 1.0}
        | {"contributors": {"first": n + 1}}
        for n in range(DOCUMENTS)
    ]
    pools.add(connection, made.id, pool, method="depth", settings={}, by=people[0].id, now=0)
    pooled = list(connection.scalars(select(schema.pooled.c.id)))
    return [_assessor(connection, made.id, person.id, pooled) for person in people]


def _assessor(connection: Connection, benchmark: int, account: int, pooled: list[int]) -> Assessor:
    role = {"account": account, "benchmark": benchmark, "role": "coordinator", "team": ""}
    connection.execute(insert(schema.membership).values(**role))
    rows = [
        {"benchmark": benchmark, "pooled": one, "account": account, "position": place, "repeat": 0}
        for place, one in enumerate(pooled, 1)
    ]
    connection.execute(insert(schema.assignment), rows)
    secret = accounts.new_secret()
    accounts.start_session(connection, account, secret, time.time_ns() // 1_000_000)
    session = accounts.session(connection, secret, time.time_ns() // 1_000_000)
    assert session is not None
    assignments = select(schema.assignment.c.id).where(schema.assignment.c.account == account)
    return Assessor(secret, session[1], list(connection.scalars(assignments)))


@contextmanager
def served(folder: Path, url: str | None) -> Iterator[tuple[str, int]]:
    """The server as a process; its host and port."""
    words = ["serve", str(folder), "--port", "0", *(["--database", url] if url else [])]
    start = "from cranfield.commands.process import main; main()"
    with subprocess.Popen([sys.executable, "-c", start, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = re.search(r"http://([\d.]+):(\d+)", process.stdout.readline())
        assert address
        try:
            yield address[1], int(address[2])
        finally:
            process.terminate()


def measured(
    address: tuple[str, int], assessors: list[Assessor], seconds: float, megabytes: int, folder: Path
) -> Iterator[Row]:
    """The figures, one scenario after another.

    The first judgments are not measured: while the server starts its workers, they take up to 0.2 s.
    """
    asyncio.run(judging(address, assessors, WARM_UP * seconds, pause=0.5))
    paced = asyncio.run(judging(address, assessors, seconds, pause=0.5))
    yield Row(f"{ASSESSORS} assessors, 2 judgments/s each: p50, p95, p99", _percentiles(paced), "p99 ≤ 25 ms")
    flat = asyncio.run(judging(address, assessors, seconds))
    yield Row(f"{ASSESSORS} assessors without a pause: judgments per second", f"{len(flat) / seconds:,.0f}", "≥ 1,000")
    yield Row(f"{ASSESSORS} assessors without a pause: p50, p95, p99", _percentiles(flat), "")
    run = folder / "large.run"
    size = _write_run(run, megabytes)
    meanwhile, taken = asyncio.run(_while_uploading(address, assessors, run))
    title = f"judging while a run of {size / 1e6:,.0f} MB is uploaded and checked ({taken:.1f} s)"
    yield Row(f"{title}: p50, p95, p99", _percentiles(meanwhile), "p99 ≤ 100 ms")
    run.unlink()


def _percentiles(taken: list[float]) -> str:
    return ", ".join(f"{1000 * part:.1f}" for part in np.percentile(taken, [50, 95, 99])) + " ms"


async def judging(
    address: tuple[str, int], assessors: list[Assessor], seconds: float, pause: float = 0.0,
    ended: Callable[[], bool] = lambda: False,
) -> list[float]:  # fmt: skip
    """All assessors judge until the time is over; the seconds that each judgment took."""
    before = [len(one.seconds) for one in assessors]
    until = time.perf_counter() + seconds
    await asyncio.gather(*(_judge(address, one, until, pause, ended) for one in assessors))
    return [taken for one, start in zip(assessors, before) for taken in one.seconds[start:]]


async def _judge(
    address: tuple[str, int], assessor: Assessor, until: float, pause: float, ended: Callable[[], bool]
) -> None:
    reader, writer = await asyncio.open_connection(*address)
    await asyncio.sleep(pause * secrets.randbelow(1000) / 1000)
    n = 0
    while time.perf_counter() < until and not ended():
        body = json.dumps({
            "key": secrets.token_hex(8), "assignment": assessor.assignments[n % len(assessor.assignments)],
            "kind": "grade", "grade": n % 4, "active": 1200,
        })  # fmt: skip
        started = time.perf_counter()
        writer.write(_request(assessor, f"/api/b/{SLUG}/judge/events", body))
        status = await _answered(reader)
        if status != 201:
            raise RuntimeError(f"a judgment was answered with {status}")
        assessor.seconds.append(time.perf_counter() - started)
        n += 1
        if pause:
            await asyncio.sleep(max(0.0, started + pause - time.perf_counter()))
    writer.close()


def _request(assessor: Assessor, path: str, body: str) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: cranfield_session={assessor.session}\r\n"
        f"X-CSRF-Token: {assessor.csrf}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return (head + body).encode()


async def _answered(reader: asyncio.StreamReader) -> int:
    """Read an answer to its end; its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    await reader.readexactly(int(length[1]) if length else 0)
    return int(head[9:12])


def _write_run(path: Path, megabytes: int) -> int:
    """A run as large as asked for, with so many documents for each topic."""
    with path.open("wb") as file:
        n = 0
        while file.tell() < megabytes * 1_000_000:
            topic = n // PER_TOPIC + 1
            lines = [f"{topic} Q0 document-{n + k:012} {n + k + 1} {-(n + k)} large\n" for k in range(10_000)]
            file.write("".join(lines).encode())
            n += 10_000
        return file.tell()


async def _while_uploading(address: tuple[str, int], assessors: list[Assessor], run: Path) -> tuple[list[float], float]:
    """How long judgments took while a run was uploaded and checked, and how long that took."""
    over = asyncio.Event()
    started = time.perf_counter()
    upload = asyncio.create_task(_upload(address, assessors[0], run, over))
    delays = await judging(address, assessors, 600, pause=0.5, ended=over.is_set)
    await upload
    return delays, time.perf_counter() - started


async def _upload(address: tuple[str, int], assessor: Assessor, run: Path, over: asyncio.Event) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _UPLOAD, *map(str, address), assessor.session, assessor.csrf, str(run), SLUG
    )  # a process of its own, so that sending does not delay the measuring
    try:
        if await process.wait():
            raise RuntimeError("the run was refused")
    finally:
        over.set()


_UPLOAD = """
import http.client, os, sys
host, port, session, csrf, path, slug = sys.argv[1:]
head = b'--xyz\\r\\nContent-Disposition: form-data; name="file"; filename="large.run"\\r\\n\\r\\n'
end = b'\\r\\n--xyz--\\r\\n'
def pieces():
    yield head
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            yield piece
    yield end
connection = http.client.HTTPConnection(host, int(port))
connection.request("POST", f"/api/b/{slug}/runs", pieces(), {
    "Cookie": f"cranfield_session={session}", "X-CSRF-Token": csrf,
    "Content-Type": "multipart/form-data; boundary=xyz",
    "Content-Length": str(len(head) + os.path.getsize(path) + len(end)),
})
answer = connection.getresponse()
words = answer.read()
sys.exit(None if answer.status == 201 else words.decode())
"""


def kept(folder: Path, url: str | None) -> int:
    """The number of judgments in the database."""
    store = Store(folder, url)
    try:
        with store.read() as connection:
            return connection.scalar(select(func.count()).select_from(schema.event)) or 0
    finally:
        store.close()


if __name__ == "__main__":
    main()
