"""One Spark session for all tests: two worker processes on this machine."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cranfield

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"  # little is computed, and starting is most of it
SETTINGS = {
    "spark.executorEnv.PYTHONPATH": os.pathsep.join([str(Path(cranfield.__file__).parents[1]), *sys.path]),
    "spark.pyspark.python": sys.executable,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "3",
    "spark.default.parallelism": "2",
    "spark.sql.warehouse.dir": "",
    "spark.log.level": "OFF",
}


# a JVM that is left behind while it starts would wait for a connection forever
ENDS_WITH_ITS_PARENT = f"""#!/bin/sh
exec setpriv --pdeathsig KILL {{java}} {QUICK} "$@"
"""


def java_home(folder: Path) -> Path:
    """A folder whose `bin/java` ends with the process that started it, however that one ends."""
    java = shutil.which("java")
    if java is None or shutil.which("setpriv") is None:
        pytest.skip("Spark is tested with Java and setpriv: apt-get install openjdk-17-jre-headless util-linux")
    program = folder / "bin" / "java"
    program.parent.mkdir()
    program.write_text(ENDS_WITH_ITS_PARENT.format(java=java))
    program.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster with two executors."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PySpark's, on pandas
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("JAVA_HOME", str(java_home(tmp_path_factory.mktemp("java"))))
        builder = SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local-cluster[2,1,1024]"))
        settings = SETTINGS | {"spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))}
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()
