"""Parallel map with results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads() -> int:
    """The number of threads."""
    return min(4, os.cpu_count() or 1)


def one_by_one(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Each item and the function's result."""
    return ((item, work(item)) for item in items)


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """The same in a few threads; at most as many items as threads are pending."""
    from concurrent.futures import ThreadPoolExecutor  # slow to import and only needed for long runs

    waiting: deque[tuple[Item, Future[Result]]] = deque()
    n = n_threads()
    with ThreadPoolExecutor(n) as pool:
        try:
            for item in chain(items, [None] * n):  # after the last item, wait for the pending ones
                if item is not None:
                    waiting.append((item, pool.submit(work, item)))
                if waiting and (item is None or len(waiting) > n):
                    first, future = waiting.popleft()
                    yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
