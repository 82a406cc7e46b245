"""Topics of queries, read from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.errors import BadInput
from cranfield.tables.readers.files import read_topics


@pytest.mark.parametrize("sign", [" ", "\t", ",", "   ", ", "])
@pytest.mark.parametrize("head", ["", "query{}topic\n", "\n"])
def test_a_query_and_its_topic_stand_in_a_line(tmp_path: Path, sign: str, head: str) -> None:
    (tmp_path / "topics").write_text(head.format(sign) + f"007{sign}a\n\n008{sign}a\n9{sign}b\n")
    assert read_topics(str(tmp_path / "topics")) == {"007": "a", "008": "a", "9": "b"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 a\n2\n", "line 2: expected a query and its topic, got '2'"),
        ("1,a\n2,\n", "line 2: expected a query and its topic, got '2,'"),
        ("1 a b\n", "line 1: expected a query and its topic, got '1 a b'"),
        ("1 a\n1 b\n", "line 2: duplicate query '1', which already has topic 'a'"),
        ("query,topic\n", "there are no topics"),
        ("", "there are no topics"),
    ],
)
def test_what_is_no_topic_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "topics").write_text(content)
    with pytest.raises(BadInput, match=message):
        read_topics(str(tmp_path / "topics"))
