"""Frozen dataclasses, made in a third of the time that `dataclass(frozen=True)` takes: every start makes dozens.

And properties that are computed once, without the lock that Python 3.11 gives them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, dataclass_transform, overload

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801, as it is in `functools`
        """A property that is computed when it is first read.

        In Python 3.11, all instances share a lock: threads wait for each other, and a process that is forked while
        another thread computes waits for ever.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self.__doc__, self._compute = compute.__doc__, compute

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            return self if instance is None else instance.__dict__.setdefault(self._name, self._compute(instance))


Class = TypeVar("Class", bound=type)


@overload
def frozen(cls: Class, /) -> Class: ...
@overload
def frozen(*, eq: bool = True, kw_only: bool = False) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, /, *, eq: bool = True, kw_only: bool = False) -> Any:
    """A dataclass whose fields are never assigned again; with `eq`, two are equal if their fields are.

    The standard decorator compiles up to six methods for each class. Here only `__init__` is compiled, when the first
    instance is made; the others are shared by all classes and look up the names of the fields. A `__repr__` that is
    inherited stays.
    """

    def made(cls: Any) -> Any:
        if cls.__repr__ is object.__repr__:
            cls.__repr__ = _repr
        if eq:
            cls.__eq__, cls.__hash__ = cls.__dict__.get("__eq__", _eq), cls.__dict__.get("__hash__") or _hash
        cls = dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=kw_only)(cls)
        cls.__setattr__, cls.__delattr__ = _not_assigned, _not_deleted
        if "__init__" not in cls.__dict__:
            cls.__init__ = _Init(cls)
        return cls

    return made if cls is None else made(cls)


class _Init:
    """The method `__init__` of a class until it is first used."""

    def __init__(self, cls: Any) -> None:
        self._class = cls

    def __get__(self, instance: object, owner: type) -> Any:
        self._class.__init__ = compiled = _compiled_init(self._class)
        return compiled.__get__(instance, owner)


class _Made:
    """What stands for a default that is made for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _compiled_init(cls: Any) -> Any:
    """The method that sets the fields, with the parameters that the standard decorator gives it."""
    ordered = sorted(fields(cls), key=lambda one: bool(one.kw_only))  # a stable sort
    known: dict[str, Any] = {"_MADE": _MADE}
    parameters, lines = ["self"], ["_set = self.__dict__"]
    for one in ordered:
        name, makes = one.name, one.default_factory is not MISSING
        known[f"_default_{name}"], known[f"_make_{name}"] = _MADE if makes else one.default, one.default_factory
        if one.init:
            if one.kw_only and "*" not in parameters:
                parameters.append("*")
            parameters.append(f"{name}=_default_{name}" if makes or one.default is not MISSING else name)
            lines.append(f"_set[{name!r}] = " + (f"_make_{name}() if {name} is _MADE else {name}" if makes else name))
        elif makes:
            lines.append(f"_set[{name!r}] = _make_{name}()")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), known)
    init = known["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {one.name: one.type for one in ordered if one.init} | {"return": None}
    return init


def _not_assigned(_: Any, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _not_deleted(_: Any, name: str) -> NoReturn:
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
