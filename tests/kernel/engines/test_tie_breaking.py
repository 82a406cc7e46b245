"""The first documents of a ranking, whatever the order of ties."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from cranfield.arrays import Floats, Ints
from cranfield.engines import choice, local, native
from cranfield.engines.choice import engine
from cranfield.engines.tie_breaking import top_documents
from cranfield.errors import BadSetting

NAMES = [b"x", b"c", b"a", b"d", b"b", b"z"]
SCORES = [9.0, 2.0, 3.0, 2.0, 2.0, 1.0]  # those of the second query; the first has one document


@dataclass
class TwoQueries:
    scores: Floats = field(default_factory=lambda: np.array([5.0, *SCORES]))
    starts: Ints = field(default_factory=lambda: np.array([0, 1, 7]))

    def names(self, query: int, place: Ints) -> list[bytes]:
        assert query == 1
        return [NAMES[each] for each in place]


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize(("ties", "tied"), [("trec", "dcb"), ("name", "bcd"), ("given", "cdb"), ("expected", "dcb")])
def test_the_first_documents_are_those_of_the_whole_order(depth: int, ties: str, tied: str) -> None:
    whole = [b"x", b"a", *(name.encode() for name in tied), b"z"]
    assert top_documents(TwoQueries(), 1, depth, ties) == whole[:depth]  # type: ignore[arg-type]


def test_ties_are_broken_as_trec_eval_does_by_default() -> None:
    assert top_documents(TwoQueries(), 1, 3) == [b"x", b"a", b"d"]  # type: ignore[arg-type]


@pytest.mark.parametrize("built", [False, True])
def test_the_native_engine_is_used_where_it_was_built(built: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice.native, "is_built", lambda: built)
    assert engine("local") is local
    assert engine() is engine("auto", [object()]) is (native if built else local)  # type: ignore[list-item]
    if built:
        assert engine("native") is native
    else:
        with pytest.raises(BadSetting, match="the engine 'native' was not built"):
            engine("native")
