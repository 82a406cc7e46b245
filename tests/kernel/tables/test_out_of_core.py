"""Long files are read some rows at a time: what was read is let go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cranfield.tables.readers.formats import arrow_files
from cranfield.tables.sources import as_run


@pytest.mark.parametrize("row_group", [5_000, 1_000_000], ids=["many row groups", "one row group"])
def test_of_a_parquet_file_little_is_held_at_a_time(
    row_group: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    n = 200_000
    digits = random.bytes(20 * n).hex()
    table = pa.table(
        {
            "query": [f"q{row // 1000}" for row in range(n)],
            "document": [digits[place : place + 40] for place in range(0, 40 * n, 40)],
            "score": random.random(n),
        }
    )
    path = str(tmp_path / "run.parquet")
    pq.write_table(table, path, row_group_size=row_group, compression="none", use_dictionary=False)
    n_bytes = table.nbytes
    del table
    monkeypatch.setattr(arrow_files, "ROWS", 4096)
    before, held, n_rows = pa.total_allocated_bytes(), 0, 0
    for part in as_run(path).parts():
        n_rows += len(part().scores)
        held = max(held, pa.total_allocated_bytes() - before)
    assert n_rows == n
    assert held < n_bytes / 2
