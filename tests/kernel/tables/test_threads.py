"""Work in threads: results in order, faults where they belong, and nothing left running."""

import threading
from collections.abc import Iterator

import pytest

from cranfield.tables.threads import in_threads, n_threads


def test_results_come_in_the_order_of_the_items() -> None:
    first_is_last = threading.Event()

    def work(item: int) -> int:
        if item:
            first_is_last.set()
        else:
            first_is_last.wait(10)
        return item * item

    assert list(in_threads(work, range(50))) == [(item, item * item) for item in range(50)]


def test_a_fault_of_the_work_is_raised_and_no_thread_is_left() -> None:
    before = threading.active_count()
    done = in_threads(lambda item: 1 // item, [1, 0, 1])
    assert next(done) == (1, 1)
    with pytest.raises(ZeroDivisionError):
        next(done)
    assert threading.active_count() == before


def test_a_fault_of_the_items_comes_after_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield from (1, 0)
        raise LookupError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 // item, items()))
    done = in_threads(str, items())
    assert [next(done), next(done)] == [(1, "1"), (0, "0")]
    with pytest.raises(LookupError):
        next(done)
    assert threading.active_count() == before


def test_whoever_stops_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    results = in_threads(lambda item: item, range(1000))
    assert next(results) == (0, 0)
    results.close()
    assert threading.active_count() == before


def test_items_are_taken_only_as_fast_as_results() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for item in range(1000):
            taken += 1
            yield item

    next(in_threads(lambda item: item, items()))
    assert taken <= n_threads() + 1
