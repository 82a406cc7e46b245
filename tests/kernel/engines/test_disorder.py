"""Lines that contradict the scores are told of; a dict has no lines."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from cranfield import evaluate
from cranfield.errors import CranfieldWarning

QRELS = {"1": {"a": 1}}
RISING = {"1": {"b": 1.0, "a": 2.0}}


def test_a_file_out_of_the_order_of_its_scores_is_told_of(tmp_path: Path) -> None:
    lines = tmp_path / "rising.run"
    lines.write_text("1 Q0 b 1 1.0 tag\n1 Q0 a 2 2.0 tag\n")
    with pytest.warns(CranfieldWarning, match="1 query not sorted by score"):
        assert evaluate(QRELS, str(lines), "RR")["RR"] == 1


def test_a_dict_has_no_order_to_contradict() -> None:
    with warnings.catch_warnings(action="error"):
        assert evaluate(QRELS, RISING, "RR")["RR"] == 1
