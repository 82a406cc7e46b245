"""Dicts that the native engine looks up and sorts, against the local engine."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cranfield.native as extension
from cranfield.engines import local, native
from cranfield.engines.protocol import Engine, Precision, TieOrder
from cranfield.errors import BadInput
from cranfield.tables.sources import as_judgments, as_run

built = pytest.mark.skipif(not native.is_built(), reason="the extension in C was not built")


class OwnDict(dict):  # type: ignore[type-arg]
    """A dict with its own way to look up."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key, default) if key != "b" else 9.0


DICTS: dict[str, dict[Any, Any]] = {
    "floats": {"a": 1.5, "b": 2.5, "c": 0.5},
    "integers": {"a": 1, "b": 2, "c": 3},
    "beyond 2**53": {"a": 2**53, "b": 2**53 + 1, "c": 1},
    "too large": {"a": 10**400, "b": 1.0},
    "infinite": {"a": float("inf"), "b": float("-inf"), "c": 0.0},
    "texts": {"a": "1.5", "b": "2.5"},
    "no numbers": {"a": "x", "b": 1.0},
    "nothing": {"a": None, "b": 1.0},
    "not a number": {"a": float("nan"), "b": 1.0},
    "of NumPy": {"a": np.float64(1), "b": np.float32(2), "c": np.int64(3)},
    "truth": {"a": True, "b": False},
    "decimals": {"a": Decimal("0.1"), "b": Fraction(1, 3)},
    "numbers as keys": {1: 0.5, "a": 0.25, 2: 0.125},
    "bytes as keys": {b"a": 0.5, "b": 0.25},
    "its own": OwnDict(a=1.0, b=0.5),
    "empty": {},
}


def walked(engine: Engine, ranking: dict[Any, Any]) -> str:
    """What an engine finds in a dict, or why it refuses it."""
    judged = as_judgments({"q": {"a": 1, "b": 0, "1": 1}, "r": {"a": 1}})
    try:
        found = engine.judged_ranks(as_run({"q": ranking, "r": {"a": 1.0}, "s": {"z": 2}}, "run"), judged)
    except BadInput as error:
        return str(error)
    return str({name: getattr(value, "tolist", lambda value=value: value)() for name, value in vars(found).items()})


@built
@pytest.mark.parametrize("name", DICTS)
def test_dicts_are_walked_as_the_local_engine_does(name: str) -> None:
    assert walked(native, DICTS[name]) == walked(local, DICTS[name])


@built
def test_the_judged_documents_of_dicts_are_sorted_in_c_as_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(3)
    for grades in ((0, 1, 2), (0.5, -1, 3.25, -0.0, 0), (2**60, -(2**60), 7), (1e308, 5e-324, 1)):
        data = {f"q{q}": {f"d{d}": source.choice(grades) for d in range(source.randrange(1, 70))} for q in range(20)}
        sorted_in_c = as_judgments(data)
        with monkeypatch.context() as patched:
            patched.setattr(extension, "native", None)
            sorted_in_python = as_judgments(data)
        assert sorted_in_c.texts == sorted_in_python.texts
        assert sorted_in_c.grade.tobytes() == sorted_in_python.grade.tobytes()
        assert sorted_in_c.starts.tolist() == sorted_in_python.starts.tolist()


@built
@pytest.mark.parametrize("order", ["name descending", "name ascending", "as given"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_ties_of_dicts_are_broken_as_by_the_local_engine(order: TieOrder, precision: Precision) -> None:
    source = random.Random(f"{order} {precision}")
    names = ["a", "ab", "b", "é", "z\u0301", "\udc80", "日本", "\U0001f600", "0", "00", "~"]
    for judged_fraction in (0.1, 0.5) * 25:  # few and many judged documents are looked up in different ways
        run = {q: {name: source.choice((1, 1.0, 1 + 2**-30, 0.5, -0.0, 0)) for name in names} for q in ("q", "r", "s")}
        judged = as_judgments(
            {q: {name: 1 for name in names if source.random() < judged_fraction} or {"a": 1} for q in ("q", "r")}
        )
        found = [
            engine.judged_ranks(as_run(run), judged, order=order, precision=precision) for engine in (native, local)
        ]
        mine, theirs = (
            {name: getattr(value, "tolist", lambda value=value: value)() for name, value in vars(each).items()}
            for each in found
        )
        assert mine == theirs


@contextmanager
def collecting(change: Callable[[], object]) -> Iterator[None]:
    """The garbage collector runs at nearly every allocation, and changes something."""

    def react(phase: str, _: object) -> None:
        if phase == "start":
            change()

    thresholds = gc.get_threshold()
    gc.callbacks.append(react)
    gc.set_threshold(1, 1 << 30, 1 << 30)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(react)


@built
def test_judgments_that_grow_while_they_are_sorted_in_c_are_counted_once() -> None:
    """The sizes were added up before memory was allocated, which grew the dict: entries were written beyond it."""
    judged = {str(n): 1.0 for n in range(10)}

    def grow() -> None:
        judged.update((f"x{len(judged)} {n}", 2.0) for n in range(3000) if len(judged) < 100_000)

    for _ in range(20):
        with collecting(grow):
            texts, grades, sizes = extension.native.judged_dicts([judged, {"a": 1}])
        assert len(texts) == len(grades) // 8 == sum(np.frombuffer(sizes, np.int64))
        assert texts[-1] == "a"


@built
@pytest.mark.parametrize("name", ["document ", "文書 ", "é"])
def test_names_of_the_sample_outlive_the_dicts_they_come_from(name: str) -> None:
    """The names were those of the keys, which could be gone when the sample was returned."""
    names, whole = [f"{name}{n}" for n in range(100)], 0
    for later in range(12):
        runs = [{"".join(text): float(-place) for place, text in enumerate(names)} for _ in range(4)]
        left = [later]

        def clear(runs: list[dict[str, float]] = runs, left: list[int] = left) -> None:
            left[0] -= 1
            for run in runs if left[0] < 0 else ():
                run.clear()

        with collecting(clear):
            found = extension.native.count_dicts(
                ["a"], np.array([0, 1, 1, 1, 1], np.int32), runs, np.arange(4), (0, False, 4, 100)
            )
        assert all(sample == [text.encode() for text in names] for _, sample in found[5])
        whole += len(found[5])
    assert whole >= 20


@built
@pytest.mark.parametrize("n_of_each", [0, 1])
def test_a_sample_may_be_of_nothing(n_of_each: int) -> None:
    for ranking in ({"": 1.0}, {"a": 1.0}):
        found = extension.native.count_dicts(
            ["a"], np.array([0, 1], np.int32), [ranking], np.array([0]), (0, False, 4, n_of_each)
        )
        assert found[5] == [(0, [text.encode() for text in ranking][:n_of_each])]
