"""What is said of data that cannot be used."""

from __future__ import annotations

from typing import Any

import pytest

from cranfield.errors import BadInput
from cranfield.tables.sources import as_judgments, as_runs


def read(given: Any, *, judgments: bool) -> None:
    """Read all of it, and throw it away."""
    if judgments:
        as_judgments(given)
    else:
        [part().scores for source in as_runs(given) for part in source.parts()]


def refused(given: Any, *said: str, judgments: bool = False) -> None:
    """The data are refused, and all of this is said of them."""
    with pytest.raises(BadInput) as caught:
        read(given, judgments=judgments)
    for text in said:
        assert text in str(caught.value)
