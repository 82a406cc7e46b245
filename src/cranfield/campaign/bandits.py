"""Adaptive judging orders: each judgment determines which document comes next.

The state is immutable: `state.judged(document, relevant)` returns a new one, and equal judgments give equal orders.

Decided here: which document an adaptive order judges next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from cranfield.arrays import Ints, Mask
from cranfield.campaign.candidates import Candidates
from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.tables.names import decode, encode

Run = TypeVar("Run", bound=Hashable)


@frozen(eq=False)
class JudgingState:
    """The state of judging one topic: retrieved documents, judged documents, and the success of each run.

    The first `n_burn_in` documents are judged first, in numerical order, so no run is dismissed without evidence.
    """

    names: Sequence[str]
    ranking: Ints  # ranking[run, rank - 1] is a document; -1 past the end
    retrieved: Mask  # retrieved[run, document]
    rule: str
    n_burn_in: int
    done: Mask  # whether each document was judged
    n_judged: Ints  # number of judged documents retrieved by each run
    n_relevant: Ints  # number of relevant ones among them
    priority: Ints  # priority of each run, for move-to-front
    current: int = -1  # the current run of move-to-front

    def next(self, leased: Collection[str] = ()) -> str | None:
        """The document to judge next, except those already being judged; None if none is left."""
        blocked = self.done
        if leased:
            names = frozenset(leased)
            blocked = self.done | np.array([name in names for name in self.names], np.bool_)
        place = self._next(blocked)
        return None if place is None else self.names[place]

    def judged(self, document: str, relevant: bool) -> JudgingState:
        """The state after a judgment; documents may be judged in any order, each only once."""
        place = self._place(document)
        if self.done[place]:
            raise BadInput(f"document {document!r} is already judged; each document can be judged only once")
        return self._judged(place, relevant)

    def _place(self, document: str) -> int:
        try:
            return self.names.index(document)
        except ValueError:
            raise BadInput(f"document {document!r} is not in the pool of this topic") from None

    def _next(self, blocked: Mask) -> int | None:
        burn_in = np.flatnonzero(~blocked[: self.n_burn_in])
        if len(burn_in):
            return int(burn_in[0])
        for run in self._by_promise():
            if self.n_judged[run] < self._n_retrieved[run]:
                ranking = self.ranking[run, : self._n_retrieved[run]]
                unseen = ~blocked[ranking]
                if unseen.any():
                    return int(ranking[np.argmax(unseen)])
        return None

    @property
    def _n_retrieved(self) -> Ints:
        return np.asarray((self.ranking >= 0).sum(axis=1))

    def _by_promise(self) -> Ints:
        """The runs, most promising first."""
        return RULES[self.rule](self)

    def _judged(self, place: int, relevant: bool) -> JudgingState:
        finders = self.retrieved[:, place]
        done = self.done.copy()
        done[place] = True
        priority, current = self.priority, self.current
        if place >= self.n_burn_in:
            order = self._by_promise()
            current = int(order[np.argmax(finders[order])])  # the run that contributed it
            if not relevant:
                priority, current = priority.copy(), -1
                priority[order[np.argmax(finders[order])]] -= 1
        return replace(
            self,
            done=done,
            n_judged=self.n_judged + finders,
            n_relevant=self.n_relevant + finders if relevant else self.n_relevant,
            priority=priority,
            current=current,
        )


def _move_to_front(state: JudgingState) -> Ints:
    """The run that last contributed a relevant document, then those with the fewest failures; ties: fewest judged."""
    current = np.arange(len(state.priority)) == state.current
    return np.lexsort((state.n_judged, -state.priority, ~current))


def _max_mean(state: JudgingState) -> Ints:
    """By the posterior mean of a run's precision under a uniform prior; ties: fewest judged documents."""
    mean = (1 + state.n_relevant) / (2 + state.n_judged)
    return np.lexsort((state.n_judged, -mean))


RULES: dict[str, Callable[[JudgingState], Ints]] = {"mtf": _move_to_front, "maxmean": _max_mean}


def judging_state(candidates: Candidates, rule: str, *, burn_in: int = 0) -> JudgingState:
    """The state before the first judgment; the first `burn_in` documents of every run are judged first."""
    if rule not in RULES:
        raise BadSetting(f"there is no adaptive judging order {rule!r}; choose one of {', '.join(RULES)}")
    n_documents = len(candidates.names)
    shape = candidates.n_runs, int(candidates.rank.max(initial=0))
    ranking, retrieved = np.full(shape, -1), np.zeros((candidates.n_runs, n_documents), np.bool_)
    ranking[candidates.run, candidates.rank - 1] = candidates.document
    retrieved[candidates.run, candidates.document] = True
    none = np.zeros(candidates.n_runs, np.int64)
    return JudgingState(
        names=[decode(name) for name in candidates.names],
        ranking=_without_gaps(ranking),
        retrieved=retrieved,
        rule=rule,
        n_burn_in=int((candidates.best_rank <= burn_in).sum()),
        done=np.zeros(n_documents, np.bool_),
        n_judged=none,
        n_relevant=none,
        priority=none,
    )


def _without_gaps(ranking: Ints) -> Ints:
    """The rankings without documents outside the pool; unused places come last."""
    order = np.argsort(ranking < 0, axis=1, kind="stable")
    return np.take_along_axis(ranking, order, axis=1)


def judging_state_of_pool(
    retrievals: Iterable[tuple[str, Run, int]], runs: Sequence[Run], rule: str, *, burn_in: int = 0
) -> JudgingState:
    """The state before the first judgment of a topic: which run retrieved which pooled document at which rank."""
    number_of = {run: number for number, run in enumerate(runs)}
    rows = sorted((rank, number_of[run], encode(document)) for document, run, rank in retrievals)
    number: dict[bytes, int] = {}
    document = np.array([number.setdefault(name, len(number)) for _, _, name in rows], np.int64)
    run, rank = (np.array([row[column] for row in rows], np.int64) for column in (1, 0))
    return judging_state(Candidates(b"", list(number), document, run, rank, len(runs)), rule, burn_in=burn_in)


def upcoming(state: JudgingState, relevance: Mapping[str, bool], labelled: Collection[str], n: int) -> list[str]:
    """The next `n` documents after these judgments, in order, except those with any kind of label."""
    for document, relevant in relevance.items():
        state = state.judged(document, relevant)
    chosen: list[str] = []
    while len(chosen) < n and (following := state.next({*labelled, *chosen})) is not None:
        chosen.append(following)
    return chosen


def order_of_judging(state: JudgingState, relevant: Mask, budget: int | None = None) -> Ints:
    """The order in which documents are judged, given which are relevant, until the budget is used up."""
    n_judged = len(relevant) if budget is None else min(budget, len(relevant))
    order = np.empty(n_judged, np.int64)
    for place in range(n_judged):
        document = state._next(state.done)
        assert document is not None  # as there are unjudged ones
        order[place] = document
        state = state._judged(document, bool(relevant[document]))
    return order
