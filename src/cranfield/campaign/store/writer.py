"""The single writer of a database: one thread, one connection, and one commit for all pending changes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from cranfield.errors import NotSaved

A = TypeVar("A")
T = TypeVar("T")
Change = Callable[[Connection], T]
JointChange = Callable[[Connection, list[A]], list[T]]  # one result per argument
_Outcome = tuple[Any, BaseException | None]  # the result of a change, or the error
MOST = 256  # changes per commit


class _Waiting(NamedTuple):
    change: JointChange[Any, Any]
    argument: Any
    done: Future[Any]


class Writer:
    """Changes are made in order of arrival; a future is done once its change is on disk."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    def submit(self, change: Change[T]) -> Future[T]:
        """Queue a change: a function of the connection, which may be called twice and is rolled back if it raises."""
        return self.submit_joint(lambda connection, _: [change(connection)], None)

    def submit_joint(self, change: JointChange[A, T], argument: A) -> Future[T]:
        """Queue a change that is made for all successive arguments in one call, which saves round trips."""
        done: Future[T] = Future()
        self._waiting.put(_Waiting(change, argument, done))
        return done

    def close(self) -> None:
        """Make the pending changes, then stop."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch, ended = self._batch(first)
            self._commit(batch)
            if ended:
                return

    def _batch(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """The first change and those that arrived during the last commit."""
        batch = [first]
        while len(batch) < MOST:
            try:
                following = self._waiting.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _commit(self, batch: list[_Waiting]) -> None:
        try:
            outcomes = self._made_together(batch)
        except Exception:  # one of them failed: repeat them with a savepoint each
            try:
                outcomes = self._made_apart(batch)
            except Exception as error:  # disk full or server gone: the whole batch is lost
                reason = str(error.orig) if isinstance(error, DBAPIError) else str(error)
                outcomes = [(None, NotSaved(f"nothing was saved: {reason}"))] * len(batch)
        for one, (value, refused) in zip(batch, outcomes):
            with suppress(InvalidStateError):  # nobody waits any more: the request was cancelled
                one.done.set_exception(refused) if refused else one.done.set_result(value)

    def _made_together(self, batch: list[_Waiting]) -> list[_Outcome]:
        """The results of all changes in one transaction, without savepoints, because failures are rare."""
        with self._engine.begin() as connection:
            return [
                (value, None)
                for change, successive in groupby(batch, key=lambda one: one.change)
                for value in change(connection, [one.argument for one in successive])
            ]

    def _made_apart(self, batch: list[_Waiting]) -> list[_Outcome]:
        """The result or error of each change, in one transaction."""
        with self._engine.begin() as connection:
            return [_attempted(connection, one) for one in batch]


def _attempted(connection: Connection, one: _Waiting) -> _Outcome:
    """The result of a change, or the error for which it alone was rolled back."""
    step = connection.begin_nested()
    try:
        (value,) = one.change(connection, [one.argument])
    except Exception as error:
        try:
            step.rollback()
        except DBAPIError:
            raise error from None  # the database aborted the whole transaction, for example because the disk is full
        return None, error
    step.commit()
    return value, None
