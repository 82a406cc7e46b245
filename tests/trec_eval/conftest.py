"""Files to run the command on."""

from __future__ import annotations

from pathlib import Path

import pytest

from trec_eval.running import Files


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Write judgments and a run, and give their paths."""

    def written(qrels: str, run: str) -> tuple[Path, Path]:
        paths = tmp_path / "qrels", tmp_path / "run"
        for path, text in zip(paths, (qrels, run), strict=True):
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return paths

    return written
