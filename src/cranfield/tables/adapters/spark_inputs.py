"""Which inputs belong to Spark; quick to import, unlike what reads them.

Decided here: which inputs Spark reads.
"""

from __future__ import annotations

import re
from typing import Any

from cranfield.errors import BadInput

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class NeedsSpark(BadInput):
    """Raised where an address cannot be read as one file; Spark may be able to read it as a table."""


def is_spark_frame(data: Any) -> bool:
    """Whether an object is a PySpark data frame, classic or Connect."""
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


def is_spark_run(run: object) -> bool:
    """Whether a run is stored in Spark."""
    return is_spark_frame(getattr(run, "frame", None))


def is_address(data: Any) -> bool:
    """Whether an input is a path with a scheme such as s3:// or hdfs://, which Spark reads."""
    return isinstance(data, str) and _SCHEME.match(data) is not None


def is_in_spark(data: Any) -> bool:
    """Whether an input is a PySpark data frame, or at an address that Spark reads."""
    return is_spark_frame(data) or is_address(data)
