"""A PostgreSQL server of the tests' own on a socket, which ends with the process that started it."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from memory_folder import folder_in_memory

# The keeper of the server waits for the end of its input, which comes even if the tests are killed, also while the
# server starts: then nobody reads the keeper's output. The server does not wait for the disk: no test stops it without
# notice.
KEEPER = """
trap '' PIPE
PATH=$1:$PATH
initdb --no-sync -A trust -U cranfield -D "$2/data" > "$2/log" 2>&1 &&
pg_ctl -D "$2/data" -w -l "$2/log" start > "$2/log.start" -o "-c listen_addresses='' -c unix_socket_directories='$2' \
    -c fsync=off -c full_page_writes=off -c synchronous_commit=off -c autovacuum=off" &&
echo started || cat "$2/log"
read -r end
pg_ctl -D "$2/data" -m immediate stop > "$2/log.stop"
rm -rf "$2"
"""


@contextmanager
def postgres() -> Iterator[Callable[..., str]]:
    """A new server; a function that gives the address of a new, empty database."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        pytest.skip("the PostgreSQL tests need a server: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="cranfield-pg-", dir=folder_in_memory()))
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if user:
        shutil.chown(folder, "postgres")
    with subprocess.Popen(
        [*user, "sh", "-c", KEEPER, "keeper", programs[-1], folder],
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # not reached by Ctrl-C, which would end it before the server
    ) as keeper:
        assert keeper.stdout
        said = keeper.stdout.readline()
        assert said == "started\n", said + keeper.communicate()[0]
        yield partial(_new_database, folder)


def _new_database(folder: Path, copied: str | None = None) -> str:
    """The address of a new database: empty, or a copy of one that nobody is connected to."""
    import psycopg

    name = f"campaign_{secrets.token_hex(8)}"
    template = "template1" if copied is None else copied.partition("@/")[2].partition("?")[0]
    with psycopg.connect(f"postgresql://cranfield@/postgres?host={folder}", autocommit=True) as connection:
        # half the work of writing every page to the log, which is how databases are copied from PostgreSQL 15 on
        way = "STRATEGY file_copy" if connection.info.server_version >= 150_000 else ""
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} {way}")
    return f"postgresql://cranfield@/{name}?host={folder}"
