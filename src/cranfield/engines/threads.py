"""Work on several things at a time, with the results in order."""

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
    """How many threads work at a time."""
    return min(4, os.cpu_count() or 1)


def one_by_one(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Each item, and what the function makes of it."""
    return ((item, work(item)) for item in items)


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """The same in a few threads; only as many items as there are threads are waiting at a time."""
    from concurrent.futures import ThreadPoolExecutor  # slow to import, and only long runs need it

    waiting: deque[tuple[Item, Future[Result]]] = deque()
    n = n_threads()
    with ThreadPoolExecutor(n) as pool:
        try:
            for item in chain(items, [None] * n):  # past the last item, wait for those in hand
                if item is not None:
                    waiting.append((item, pool.submit(work, item)))
                if waiting and (item is None or len(waiting) > n):
                    first, future = waiting.popleft()
                    yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
