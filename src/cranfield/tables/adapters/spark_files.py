"""Files at addresses such as s3://…, fetched by Spark, which has the credentials."""

from __future__ import annotations

from os.path import basename

from cranfield.tables.adapters.spark_frames import collected, explained, no_data, spark_session
from cranfield.tables.adapters.spark_inputs import NeedsSpark
from cranfield.tables.system_names import ending

MOST_BYTES = 64 << 20  # a worker and the driver each hold a file several times
_ORC = ".orc"  # which only Spark reads


def fetched(address: str) -> bytes:
    """The bytes of the file at an address; folders, large files and ORC are left to Spark's readers of tables."""
    with explained(address):
        files = spark_session().read.format("binaryFile").load(address)
        listed = files.select("path", "length").limit(2).collect()
        if not listed:
            raise no_data(address)
        if len(listed) != 1 or basename(listed[0].path) != basename(address):
            raise NeedsSpark(f"{address}: this is a folder; give one file")
        if listed[0].length > MOST_BYTES:
            raise NeedsSpark(
                f"{address}: a file of this kind at an address may have at most {MOST_BYTES >> 20} MB; "
                "copy it to this machine first"
            )
        if ending(address) == _ORC:
            raise NeedsSpark(f"{address}: ORC cannot be read here; save it as Parquet or text")
        content: bytes = collected(files.select("content"))["content"][0].as_py()
        return content
