"""A session that cranfield starts itself, on this machine: reached from nowhere else, with the same Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cranfield.tables.adapters.spark import collected
from spark.conftest import java_home
from time_limits import HANGS

LISTENING = """
import os
from cranfield.tables.adapters.spark import spark_session

session = spark_session()
print("PYTHON", session.sparkContext.pythonExec)
process = f"/proc/{session.sparkContext._gateway.proc.pid}"
open_files = {os.readlink(f"{process}/fd/{number}") for number in os.listdir(f"{process}/fd")}
for kind in ("tcp", "tcp6"):
    for line in open(f"{process}/net/{kind}").read().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and f"socket:[{fields[9]}]" in open_files:
            print("LISTENING", fields[1].partition(":")[0])
session.stop()
"""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}  # as Linux writes them


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists() or shutil.which("java") is None, reason="Linux, and Java")
def test_it_listens_on_loopback_only_and_its_workers_run_the_same_python(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    environment["JAVA_HOME"] = str(java_home(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", LISTENING], capture_output=True, text=True, timeout=HANGS, env=environment, check=True
    )
    addresses = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("LISTENING")}
    assert addresses
    assert addresses <= LOOPBACK
    assert f"PYTHON {sys.executable}" in done.stdout.splitlines()


class Interrupted:
    """A data frame whose job is cancelled while it is collected, which PySpark reports as an error of the job."""

    def toArrow(self) -> None:  # noqa: N802
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("job 0 cancelled")


def test_an_interrupted_job_is_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt):
        collected(Interrupted())
