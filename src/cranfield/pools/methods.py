"""The catalogue of pooling methods: which candidates of a topic are judged, and in which order.

Decided here: which documents are pooled.

Decided here: which document an adaptive order judges next.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from cranfield.arrays import Floats, Ints, Mask
from cranfield.errors import BadInput, BadSetting, did_you_mean, require_between, require_whole
from cranfield.frozen import frozen
from cranfield.pools.result import Candidates, seeded
from cranfield.tables.names import decode, encode

# Adaptive judging orders: each judgment determines which document comes next.
#
# The state is immutable: `state.judged(document, relevant)` returns a new one, and equal judgments give equal orders.


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


DEPTH, BUDGET = 100, 100


@frozen(eq=False)
class Chosen:
    """The pool of a topic: documents in judging order; fields that a method does not provide are None."""

    document: Ints
    selected: Mask | None = None
    stratum: Ints | None = None
    probability: Floats | None = None
    weight: Floats | None = None


@frozen
class PoolMethod:
    """A pooling method as declared."""

    name: str
    title: str
    function: Callable[..., Chosen]
    adaptive: bool

    @property
    def definition(self) -> str:
        """The first line of the docstring."""
        return str(inspect.getdoc(self.function)).partition("\n")[0]

    @property
    def settings(self) -> dict[str, Any]:
        """Its settings, with their defaults."""
        _, *settings = inspect.signature(self.function).parameters.values()
        return {setting.name: setting.default for setting in settings}

    def checked(self, requested: Mapping[str, Any]) -> dict[str, Any]:
        """All settings: the given ones, and defaults for the others."""
        known = self.settings
        for name, value in requested.items():
            if name not in known:
                raise BadSetting(f"the pooling method {self.name!r} has no setting {name!r}; it has {', '.join(known)}")
            if name in _LIMITS and value is not None:
                _LIMITS[name](name, value)
        settings = known | dict(requested)
        missing = [name for name, value in settings.items() if value is inspect.Parameter.empty]
        if missing:
            raise BadSetting(f"the pooling method {self.name!r} needs {missing[0]}, such as {_EXAMPLES[missing[0]]}")
        return settings


METHODS: dict[str, PoolMethod] = {}
_EXAMPLES = {"strata": "'10:1,50:0.3,100:0.1': all documents up to rank 10, 30 % up to rank 50, 10 % up to rank 100"}


def pool_method(
    name: str, title: str, *, adaptive: bool = False
) -> Callable[[Callable[..., Chosen]], Callable[..., Chosen]]:
    """Declare a method; an adaptive one needs judgments: each determines the next document."""

    def declared(function: Callable[..., Chosen]) -> Callable[..., Chosen]:
        METHODS[name] = PoolMethod(name, title, function, adaptive)
        return function

    return declared


def find_method(name: str) -> PoolMethod:
    """The method of this name."""
    if name in METHODS:
        return METHODS[name]
    raise BadSetting(
        f"there is no pooling method {name!r}{did_you_mean(name, METHODS)} (available: {', '.join(METHODS)})"
    )


def reading_depth(settings: Mapping[str, Any]) -> int:
    """The number of documents of each ranking that a method considers."""
    return int(settings["depth"] if "depth" in settings else max(parse_strata(settings["strata"])))


@pool_method("depth", "Depth-k pool")
def depth_pool(candidates: Candidates, *, depth: int = DEPTH) -> Chosen:
    """The first k documents of every run, in the order of their best rank."""
    return Chosen(np.arange(len(candidates.names)))


@pool_method("rrf", "Reciprocal rank fusion")
def fused_pool(candidates: Candidates, *, budget: int = BUDGET, depth: int = DEPTH, constant: float = 60) -> Chosen:
    """The documents with the highest sum of 1 / (constant + rank) over runs, up to the budget."""
    return _heaviest(candidates.weight(1 / (constant + candidates.rank)), budget)


@pool_method("rbp", "RBP weight")
def rbp_pool(candidates: Candidates, *, budget: int = BUDGET, depth: int = DEPTH, p: float = 0.8) -> Chosen:
    """The documents with the highest sum of (1 - p) p ** (rank - 1) over runs, up to the budget."""
    return _heaviest(candidates.weight((1 - p) * np.power(p, candidates.rank - 1, dtype=np.float64)), budget)


@pool_method("mtc", "Minimal test collection")
def minimal_test_collection(candidates: Candidates, *, budget: int = BUDGET, depth: int = DEPTH) -> Chosen:
    """The documents whose DCG discounts differ most between runs, summed over pairs of runs, up to the budget.

    They decide the order of the runs; documents that all runs rank alike do not (Carterette, Allan and Sitaraman 2006).
    """
    discount = np.zeros((len(candidates.names), candidates.n_runs))
    discount[candidates.document, candidates.run] = 1 / np.log2(candidates.rank + 1)
    discount.sort(axis=1)
    n_pairs = 2 * np.arange(candidates.n_runs) - (candidates.n_runs - 1)  # in which it is the larger, minus the smaller
    return _heaviest(np.round(discount @ n_pairs, 12), budget)  # otherwise rounding errors would order ties


def _heaviest(weight: Floats, budget: int) -> Chosen:
    """The documents with the largest weights, up to the budget."""
    order = np.argsort(-weight, kind="stable")[:budget]  # ties by best rank
    return Chosen(order, weight=weight[order])


@pool_method("uniform", "Uniform sample")
def uniform_sample(
    candidates: Candidates,
    *,
    proportion: float | None = None,
    budget: int | None = None,
    depth: int = DEPTH,
    seed: int = 0,
) -> Chosen:
    """A simple random sample of the depth-k pool: a proportion, or a fixed number of documents per topic."""
    if (proportion is None) == (budget is None):
        raise BadSetting("a uniform sample needs either a proportion, such as 0.1, or a budget, such as 50")
    n_pooled = len(candidates.names)
    size = min(budget, n_pooled) if budget is not None else _sample_size(float(proportion or 0), n_pooled)
    return _sampled(candidates, np.ones(n_pooled, np.int64), [size], seed)


@pool_method("stratified", "Stratified sample")
def stratified_sample(candidates: Candidates, *, strata: str | Mapping[int, float], seed: int = 0) -> Chosen:
    """A random sample of each stratum of the pool; strata are ranges of the best rank of a document."""
    rates = parse_strata(strata)
    stratum = 1 + np.searchsorted(np.array(list(rates)), candidates.best_rank)
    n_pooled = np.bincount(stratum, minlength=len(rates) + 1)[1:]
    sizes = [_sample_size(rate, int(n)) for rate, n in zip(rates.values(), n_pooled, strict=True)]
    return _sampled(candidates, stratum, sizes, seed)


def _sample_size(rate: float, n_pooled: int) -> int:
    """The rounded proportion, but at least two documents, without which the variance cannot be estimated."""
    return min(n_pooled, max(2, int(rate * n_pooled + 0.5)))


def _sampled(candidates: Candidates, stratum: Ints, sizes: list[int], seed: int) -> Chosen:
    """The sampled documents in random order, then the others by best rank."""
    draw = seeded(seed, candidates.topic).permutation(len(stratum))
    selected, probability = np.zeros(len(stratum), np.bool_), np.zeros(len(stratum))
    for number, size in enumerate(sizes, 1):
        members = draw[stratum[draw] == number]
        selected[members[:size]] = True
        probability[members] = size / max(1, len(members))
    order = np.concatenate([draw[selected[draw]], np.flatnonzero(~selected)])
    return Chosen(order, selected[order], stratum[order], probability[order])


@pool_method("mtf", "Move-to-front", adaptive=True)
def move_to_front(candidates: Candidates, *, budget: int | None = None, depth: int = DEPTH) -> Chosen:
    """Documents of one run until one is not relevant, then of the run with the fewest such failures."""
    return _judged(candidates, "mtf", 0, budget)


@pool_method("maxmean", "MaxMean bandit", adaptive=True)
def max_mean(candidates: Candidates, *, budget: int | None = None, depth: int = DEPTH, burn_in: int = 5) -> Chosen:
    """The first `burn_in` documents of every run, then the next one of the run with the best precision so far."""
    return _judged(candidates, "maxmean", burn_in, budget)


def _judged(candidates: Candidates, rule: str, burn_in: int, budget: int | None) -> Chosen:
    grade = candidates.grade
    relevant = np.zeros(len(candidates.names), np.bool_) if grade is None else grade > 0
    return Chosen(order_of_judging(judging_state(candidates, rule, burn_in=burn_in), relevant, budget))


def parse_strata(strata: str | Mapping[int, float]) -> dict[int, float]:
    """The sampling rate of each stratum by its last rank, in order: `"10:1,50:0.3"` or `{10: 1, 50: 0.3}`."""
    parts = list(strata.items()) if isinstance(strata, Mapping) else [_stratum(part) for part in strata.split(",")]
    ranks = [rank for rank, _ in parts]
    for rank in ranks:
        _count("the last rank of a stratum", rank)
    if not parts or ranks != sorted({*ranks}):
        raise BadSetting(f"strata must end at ascending ranks, such as 10:1,50:0.3; got {strata!r}")
    for _, rate in parts:
        _proportion("the rate of a stratum", rate)
    return {int(rank): float(rate) for rank, rate in parts}


def _stratum(text: str) -> tuple[int, float]:
    rank, _, rate = text.partition(":")
    try:
        return int(rank), float(rate)
    except ValueError:
        raise BadSetting(f"a stratum must be its last rank and sampling rate, such as 50:0.3, not {text!r}") from None


def _proportion(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise BadSetting(f"{name} must be a proportion greater than 0 and at most 1, not {value!r}")


def _positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise BadSetting(f"{name} must be a non-negative number, not {value!r}")


def _strata(_: str, value: Any) -> None:
    parse_strata(value)


_count, _whole = (partial(require_whole, least=least) for least in (1, 0))
_LIMITS: dict[str, Callable[[str, Any], None]] = {
    "depth": _count, "budget": _count, "burn_in": _whole, "seed": _whole, "proportion": _proportion,
    "p": partial(require_between, low=0, high=1), "constant": _positive, "strata": _strata,
}  # fmt: skip
