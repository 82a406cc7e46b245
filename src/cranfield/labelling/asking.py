"""Asking a model many questions: several at a time, within limits, keeping every answer, and resuming."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any

from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.labelling.endpoint import Completion, Endpoint, TooLong
from cranfield.labelling.journal import Journal
from cranfield.labelling.model_answers import LONGEST_ANSWER
from cranfield.labelling.prompts import Message, tokens_of
from cranfield.labelling.suspicions import signs
from cranfield.outgoing import Unreachable
from cranfield.settings import Count, Means, Positive, Range
from cranfield.tables.label_journals import question_of

ANSWER_TOKENS = 60  # of an answer that is not there yet, for estimates
SHORTENED = 4  # times that texts are halved because the context is too short
FAILURES = 5  # calls in a row that fail before the work ends

Told = Callable[[int, int], None]

# settings of all verbs that ask a model
Degrees = Annotated[float, Range("a number from 0 to 2", low=0, high=2), Means("Temperature of the model.")]
AtOnce = Annotated[Count, Means("Number of calls at a time.")]
PerMinute = Annotated[Positive | None, Means("Maximum number of calls per minute.")]
Patience = Annotated[Positive, Means("Seconds to wait for an answer before asking again.")]
Budget = Annotated[
    Positive | None, Means("Stop before the calls of this run cost more than this, at `price`.", metavar="N")
]
Most = Annotated[Count | None, Means("Stop after this many calls.")]
Price = tuple[float, float] | None


@frozen(eq=False)
class Question:
    """One question: what it is about, how it is put, and how the answer is read.

    `messages(n)` has texts that were halved n times; `read` returns the fields of the label, among them the `problem`.
    """

    about: Mapping[str, Any]
    messages: Callable[[int], list[Message]]
    read: Callable[[str], Mapping[str, Any]]
    schema: Mapping[str, Any]
    form: str  # of the answer, in words
    text: str = ""  # that may try to influence the model


@frozen
class ModelAnswer:
    """What the model answered, and what that says."""

    completion: Completion
    reply: Mapping[str, Any]
    halved: int  # times that texts were cut in half
    unreadable: str | None  # a first answer that could not be read


def answered(model: Endpoint, question: Question, limits: Limits | None = None, **settings: Any) -> ModelAnswer:
    """The answer to a question; one that cannot be read is asked for once more.

    Texts that are longer than the context are cut in half until they fit.
    """
    unreadable, halved = None, 0
    reminder: list[Message] = []
    for _ in range(SHORTENED + 2):
        messages = [*question.messages(halved), *reminder]
        reserved = limits.reserve(messages) if limits else 0.0
        completion = None
        try:
            completion = model.complete(messages, schema=question.schema, **settings)
        except TooLong:
            halved += 1
            continue
        finally:
            if limits:
                limits.settle(reserved, completion)
        reply = question.read(completion.text)
        if reply["problem"] and unreadable is None:
            unreadable = completion.text[:LONGEST_ANSWER]
            words = f"Your answer could not be read: {reply['problem']}. {question.form}"
            reminder = [
                {"role": "assistant", "content": unreadable or "(no answer)"}, {"role": "user", "content": words}
            ]  # fmt: skip
            continue
        return ModelAnswer(completion, reply, halved, unreadable)
    raise BadInput(f"a text is too long for the context of {model.model}, even after it was cut in half {halved} times")


class LimitReached(Exception):
    """The budget is spent."""


class Limits:
    """What the calls have cost, and whether another is within the limits."""

    def __init__(self, price: tuple[float, float] | None, budget: float | None, most: int | None) -> None:
        if budget is not None and price is None:
            raise BadSetting("a budget needs the price of a million tokens sent and received, such as price=(0.5, 1.5)")
        self._price, self._budget, self._most, self._lock = price, budget, most, threading.Lock()
        self._tokens_in = self._tokens_out = self._calls = self._n_settled = 0
        self._uncounted = False
        self._reserved, self._since = 0.0, time.monotonic()
        self.reached = ""

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """What tokens cost."""
        return 0.0 if self._price is None else (tokens_in * self._price[0] + tokens_out * self._price[1]) / 1e6

    def reserve(self, messages: Sequence[Message]) -> float:
        """The estimated cost of a call, set aside: no less than the mean of those before."""
        estimate = self.cost(tokens_of(messages), ANSWER_TOKENS)
        with self._lock:
            settled = self.cost(self._tokens_in, self._tokens_out)
            estimate = max(estimate, settled / self._n_settled if self._n_settled else 0.0)
            spent = settled + self._reserved
            if self._most is not None and self._calls >= self._most:
                self.reached = f"stopped after {self._most:,} calls"
            elif self._budget is not None and spent + estimate > self._budget:
                self.reached = f"stopped at the budget of {self._budget:g}"
            else:
                self._calls += 1
                self._reserved += estimate
                return estimate
        raise LimitReached

    def settle(self, reserved: float, completion: Completion | None) -> None:
        """Count what a call took."""
        with self._lock:
            self._reserved -= reserved
            if completion is not None:
                self._n_settled += 1
                self._tokens_in += completion.tokens_in
                self._tokens_out += completion.tokens_out
                self._uncounted |= not completion.counted

    def spent(self) -> dict[str, Any]:
        """What all calls of this time took."""
        cost = None if self._price is None else self.cost(self._tokens_in, self._tokens_out)
        return {
            "calls": self._calls, "tokens_in": self._tokens_in, "tokens_out": self._tokens_out,
            "estimated": self._uncounted, "cost": cost, "seconds": time.monotonic() - self._since,
        }  # fmt: skip


class Asking:
    """Asks all questions, several at a time, and keeps every answer in a journal."""

    def __init__(
        self, endpoint: Endpoint, journal: Journal, limits: Limits, settings: Mapping[str, Any], progress: Told | None
    ) -> None:
        self._endpoint, self._journal, self._limits, self._settings = endpoint, journal, limits, settings
        self._progress = progress
        self._lock, self._stopped = threading.Lock(), threading.Event()
        self._failed: list[str] = []  # the last failures, without a success between them
        self._n_all = self._n_failed = self._n_done = 0
        self._error: BaseException | None = None

    def run(self, questions: Sequence[Question], concurrency: int) -> tuple[str, ...]:
        """Ask those that the journal does not answer; the notes on what was not answered."""
        waiting = [one for one in questions if question_of({**self._settings, **one.about}) not in self._journal.labels]
        self._n_all = len(waiting)
        remaining = iter(waiting)
        n_threads = min(concurrency, len(waiting))
        threads = [threading.Thread(target=self._work, args=(remaining,), daemon=True) for _ in range(n_threads)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        except BaseException:
            self._stop()
            raise
        if self._error is not None:
            raise self._error
        left = self._n_all - self._n_done
        again = f"{left:,} of {self._n_all:,} questions are open; the same command resumes"
        failed = [f"{self._n_failed:,} calls failed, the last because {self._failed[-1]}"] if self._failed else []
        return tuple(filter(None, (self._limits.reached, *failed, again if left else "")))

    def _stop(self) -> None:
        self._stopped.set()
        self._endpoint.stop()

    def _work(self, remaining: Iterator[Question]) -> None:
        while not self._stopped.is_set():
            with self._lock:
                question = next(remaining, None)
            if question is None:
                return
            try:
                self._answer(question)
            except LimitReached:  # calls under way end
                self._stopped.set()
            except Unreachable as error:
                self._note_failure(error)
            except BaseException as error:
                self._error = self._error or error
                self._stop()

    def _answer(self, question: Question) -> None:
        settings = {**self._settings, **question.about}
        sent = {"temperature": settings["temperature"], "seed": settings["seed"]}
        answer = answered(self._endpoint, question, self._limits, **sent)
        line = {**settings, **answer.reply, **answer.completion.usage, "halved": answer.halved}
        line |= {"answer": answer.completion.text[:LONGEST_ANSWER], "unreadable": answer.unreadable}
        self._journal.add(line | {"at": round(time.time(), 3), "suspicious": list(signs(question.text))})
        with self._lock:
            self._failed.clear()
            self._n_done += 1
            if self._progress is not None:
                self._progress(self._n_done, self._n_all)

    def _note_failure(self, error: Unreachable) -> None:
        with self._lock:
            if self._stopped.is_set():
                return
            self._failed.append(str(error))
            self._n_failed += 1
            if len(self._failed) >= FAILURES:
                self._error = self._error or error
                self._stop()
