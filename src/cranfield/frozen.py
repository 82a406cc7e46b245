"""Frozen dataclasses, made in half the time that `dataclass(frozen=True)` takes: every start makes dozens of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)


@overload
def frozen(cls: Class, /) -> Class: ...
@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """A dataclass whose fields are set once; with `eq`, two are equal if their fields are.

    The standard decorator compiles up to six methods for each class. Here only `__init__` is compiled; the others are
    shared by all classes and look up the names of the fields. A `__repr__` that is inherited stays.
    """

    def made(cls: Any) -> Any:
        if cls.__repr__ is object.__repr__:
            cls.__repr__ = _repr
        if eq:
            cls.__eq__, cls.__hash__ = cls.__dict__.get("__eq__", _eq), cls.__dict__.get("__hash__") or _hash
        cls = dataclass(repr=False, eq=False, match_args=False, kw_only=kw_only)(cls)
        cls.__setattr__, cls.__delattr__ = _setter(frozenset(field.name for field in fields(cls))), _refuse
        return cls

    return made if cls is None else made(cls)


def _setter(names: frozenset[str]) -> Callable[[Any, str, object], None]:
    """The method that sets each of these fields once, which `__init__` does."""

    def set_once(self: Any, name: str, value: object) -> None:
        values = self.__dict__
        if name in values or name not in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        values[name] = value

    return set_once


def _refuse(_: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _compared(self: Any) -> tuple[Any, ...]:
    """The values of the fields that are compared."""
    return tuple(getattr(self, field.name) for field in fields(self) if field.compare)


def _eq(self: Any, other: object) -> Any:
    return _compared(self) == _compared(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_compared(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({shown})"
