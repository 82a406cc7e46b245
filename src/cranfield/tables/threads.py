"""Parallel map with results in order."""

from __future__ import annotations

import os
from _queue import SimpleQueue  # the module `queue` imports more than it is worth here
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from threading import Thread
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def n_threads() -> int:
    """The number of threads."""
    return min(4, os.cpu_count() or 1)


def one_by_one(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """Each item and the function's result."""
    return ((item, work(item)) for item in items)


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
    """The same in a few threads; at most as many items as threads are pending.

    An error while the items are read comes after the results of the items before it, as without threads.
    """
    tasks: SimpleQueue[_Task | None] = SimpleQueue()
    waiting: deque[tuple[Item, _Task]] = deque()
    errors: list[Exception] = []
    n = n_threads()
    threads = [Thread(target=_serve, args=(tasks,), daemon=True) for _ in range(n)]
    for thread in threads:
        thread.start()
    try:
        for item in chain(_until_error(items, errors), [None] * n):  # after the last item, wait for the pending ones
            if item is not None:
                waiting.append((item, _Task(work, item)))
                tasks.put(waiting[-1][1])
            if waiting and (item is None or len(waiting) > n):
                first, task = waiting.popleft()
                yield first, task.result()
        if errors:
            raise errors[0]
    finally:
        for _, task in waiting:
            task.cancelled = True
        for _ in threads:
            tasks.put(None)
        for thread in threads:
            thread.join()


def _until_error(items: Iterable[Item], errors: list[Exception]) -> Iterator[Item]:
    """The items up to the first error, which is added to the errors."""
    try:
        yield from items
    except Exception as error:
        errors.append(error)


class _Task:
    """An item to process, and its result."""

    def __init__(self, work: Callable[[Any], Any], item: object) -> None:
        self.cancelled = False
        self._work, self._item = work, item
        self._done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run(self) -> None:
        """Process the item, unless the task was cancelled."""
        try:
            self._done.put((None if self.cancelled else self._work(self._item), None))
        except BaseException as error:
            self._done.put((None, error))

    def result(self) -> Any:
        """The result; waits until it is available."""
        result, error = self._done.get()
        if error is not None:
            raise error
        return result


def _serve(tasks: SimpleQueue[_Task | None]) -> None:
    while task := tasks.get():
        task.run()
