"""`frozen` makes the same classes as the standard decorator."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from pathlib import Path
from threading import Barrier, Thread
from typing import Any, ClassVar

import pytest

import cranfield
from cranfield.frozen import cached_property, frozen


class Shouting:
    """A base with a text of its own."""

    def __repr__(self) -> str:
        return "HERE"


def made(decorator: Any, **settings: Any) -> tuple[type, type, type]:
    """The same three classes, by either decorator."""

    @decorator(**settings)
    class Point:
        x: int
        y: tuple[int, ...] = ()
        hidden: list[int] = field(default_factory=list, compare=False, repr=False)
        KIND: ClassVar[str] = "point"

        @cached_property
        def twice(self) -> int:
            return 2 * self.x

    @decorator(**settings)
    class Named(Point):
        name: str = "p"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and self.name == other.name

    @decorator(**settings)
    class Loud(Shouting):
        x: int

    return Point, Named, Loud


def standard(**settings: Any) -> Any:
    return dataclass(frozen=True, **settings)


@pytest.fixture(params=[{}, {"eq": False}, {"kw_only": True}, {"eq": False, "kw_only": True}], ids=str)
def pairs(request):
    return list(zip(made(frozen, **request.param), made(standard, **request.param), strict=True))


def test_fields_and_their_defaults_are_those_of_a_dataclass(pairs):
    for ours, theirs in pairs:
        assert [one.name for one in fields(ours)] == [one.name for one in fields(theirs)]
    ours, theirs = pairs[0]
    assert repr(ours(x=1, hidden=[2])).split(".")[-1] == repr(theirs(x=1, hidden=[2])).split(".")[-1]
    assert vars(ours(x=1)) == vars(theirs(x=1))
    with pytest.raises(TypeError):
        ours()


def test_the_parameters_are_those_of_a_dataclass(pairs):
    for ours, theirs in pairs:
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
        assert ours.__init__.__qualname__ == f"{ours.__qualname__}.__init__"


@pytest.mark.parametrize("decorator", [frozen, standard])
def test_fields_may_be_set_after_the_others(decorator):
    @decorator()
    class Sum:
        a: int
        total: int = field(init=False)
        kept: list[int] = field(init=False, default_factory=list)
        kind: str = field(init=False, default="sum")

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.a + 1)

    assert vars(Sum(2)) == {"a": 2, "total": 3, "kept": []}
    assert Sum(2).kind == "sum"
    assert "total" not in inspect.signature(Sum).parameters


@pytest.mark.parametrize("decorator", [frozen, standard])
def test_fields_may_have_any_name(decorator):
    @decorator()
    class Table:
        values: int
        fields: int = 2
        MISSING: list[int] = field(default_factory=list)

    assert vars(Table(1)) == {"values": 1, "fields": 2, "MISSING": []}


@pytest.mark.parametrize("decorator", [frozen, standard])
def test_a_method_init_of_its_own_stays_and_may_call_that_of_the_base(decorator):
    @decorator()
    class Base:
        a: int

    @decorator()
    class Double(Base):
        def __init__(self, a: int) -> None:
            super().__init__(2 * a)

    assert Double(4).a == 8
    assert Base(4).a == 4


def test_equality_and_hashes_are_those_of_a_dataclass(pairs):
    for ours, theirs in pairs[:2]:
        for arguments in ({"x": 1}, {"x": 2}, {"x": 1, "hidden": [3]}, {"x": 1, "y": (4,)}):
            one, other, first, second = ours(x=1), ours(**arguments), theirs(x=1), theirs(**arguments)
            assert (one == other) == (first == second)
            assert (ours.__hash__ is None) == (theirs.__hash__ is None)
            if ours.__hash__ is not None:
                assert (hash(one) == hash(other)) == (hash(first) == hash(second))
    assert pairs[0][0](x=1) != pairs[1][0](x=1)


@pytest.mark.parametrize("name", ["x", "other", "KIND"])
def test_nothing_can_be_assigned_or_deleted(pairs, name):
    for ours, _ in pairs[:2]:
        point = ours(x=1)
        with pytest.raises(FrozenInstanceError):
            setattr(point, name, 2)
        with pytest.raises(FrozenInstanceError):
            delattr(point, name)
        assert point.x == 1
        assert point.twice == 2


def test_copies_may_differ_in_some_fields(pairs):
    for ours, _ in pairs[:2]:
        point = replace(ours(x=1, y=(2,)), x=3)
        assert (point.x, point.y, point.twice) == (3, (2,), 6)
        assert vars(copy.copy(point)) == vars(point)


@frozen
class Kept:
    x: int


def test_a_pickled_value_comes_back():
    assert pickle.loads(pickle.dumps(Kept(5))) == Kept(5)
    assert {Kept(5): 1}[Kept(5)] == 1


@pytest.mark.parametrize("cls", [cls for _, _, cls in [made(frozen), made(frozen, eq=False)]])
def test_an_inherited_text_stays(cls):
    assert repr(cls(x=1)) == "HERE"


class Slow:
    """Something that is computed when it is first read."""

    def __init__(self, barrier: Barrier) -> None:
        self.barrier = barrier

    @cached_property
    def number(self) -> object:
        """A number."""
        self.barrier.wait(10)
        return object()


def test_a_cached_property_is_computed_once_and_has_its_text() -> None:
    slow = Slow(Barrier(1))
    assert slow.number is slow.number
    assert inspect.getdoc(Slow.number) == "A number."


def test_threads_compute_the_properties_of_several_objects_at_the_same_time() -> None:
    barrier = Barrier(2)
    objects = [Slow(barrier), Slow(barrier)]
    threads = [Thread(target=lambda each=each: each.number) for each in objects]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not barrier.broken


def test_no_module_takes_the_cached_property_of_python_which_has_a_lock_in_3_11() -> None:
    sources = sorted(Path(cranfield.__file__).parent.rglob("*.py"))
    taking = [path.stem for path in sources if re.search(r"functools.*cached_property", path.read_text("utf-8"))]
    assert taking == ["frozen"]
