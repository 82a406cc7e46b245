"""Waves of a pool that are judged live: an assessor's judgments determine which document of a topic comes next."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from sqlalchemy import Connection, select

from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import schema
from cranfield.frozen import frozen
from cranfield.pools.methods import judging_state_of_pool, upcoming

AHEAD = 10  # documents to order in advance; the browser prefetches fewer


@frozen
class LiveShare:
    """An assessor's assignments for a topic, and how their order depends on the judgments."""

    rule: str
    burn_in: int
    budget: int | None
    assignment: dict[str, int] = field(default_factory=dict)  # of each document, in the order of the pool
    repeat: dict[str, int] = field(default_factory=dict)  # the hidden repeats
    retrievals: list[tuple[str, int, int]] = field(default_factory=list)  # document, run, rank

    def n_withheld(self, labels: Mapping[int, Any]) -> int:
        """The number of assignments to skip: those beyond the budget, and repeats of unlabelled documents."""
        labelled = [document for document, assignment in self.assignment.items() if assignment in labels]
        repeats = sum(document not in labelled for document in self.repeat)
        return len(self.assignment) - len(labelled) - self._n_left(len(labelled)) + repeats

    def _n_left(self, n_labelled: int) -> int:
        """The number of documents still to be judged."""
        n_open = len(self.assignment) - n_labelled
        return n_open if self.budget is None else min(n_open, max(0, self.budget - n_labelled))

    def order(self, labels: Mapping[int, Judged], relevant_from: int) -> list[int]:
        """The assignments in order: those with a label, those to judge next, and repeats of judged documents.

        `labels` are in chronological order.
        """
        name = {assignment: document for document, assignment in self.assignment.items()}
        labelled = {name[assignment]: label for assignment, label in labels.items() if assignment in name}
        relevance = {one: label.grade >= relevant_from for one, label in labelled.items() if label.grade is not None}
        n_left = self._n_left(len(labelled))
        runs = sorted({run for _, run, _ in self.retrievals})
        state = judging_state_of_pool(self.retrievals, runs, self.rule, burn_in=self.burn_in)
        chosen = upcoming(state, relevance, labelled, min(AHEAD, n_left))
        others = [document for document in self.assignment if document not in labelled and document not in chosen]
        first = [self.assignment[document] for document in [*labelled, *[*chosen, *others][:n_left]]]
        return first + [assignment for document, assignment in self.repeat.items() if document in labelled]


def live_shares(
    connection: Connection, benchmark: int, account: int | None = None
) -> dict[tuple[str, int], list[LiveShare]]:
    """The assignments of all assessors, or of one, in waves judged live, by topic and account."""
    waves = _live_waves(connection, benchmark)
    if not waves:
        return {}
    share, pooled, topic, retrieval = schema.assignment, schema.pooled, schema.topic, schema.contribution
    statement = (
        select(share.c.id, share.c.account, share.c.repeat, pooled.c.pool, topic.c.name, pooled.c.document,
               retrieval.c.run, retrieval.c.rank)
        .select_from(schema.assigned.join(retrieval))
        .where(share.c.benchmark == benchmark, pooled.c.pool.in_(waves))
        .order_by(pooled.c.pool, pooled.c.position, pooled.c.id, retrieval.c.run)
    )  # fmt: skip
    shares: dict[tuple[int, str, int], LiveShare] = {}
    for row in connection.execute(statement if account is None else statement.where(share.c.account == account)):
        one = shares.setdefault((row.pool, row.name, row.account), LiveShare(*waves[row.pool]))
        if row.repeat:
            one.repeat[row.document] = row.id
        else:
            one.assignment[row.document] = row.id
            one.retrievals.append((row.document, row.run, row.rank))
    by_topic: dict[tuple[str, int], list[LiveShare]] = {}
    for (_, name, person), one in shares.items():
        by_topic.setdefault((name, person), []).append(one)
    return by_topic


def _live_waves(connection: Connection, benchmark: int) -> dict[int, tuple[str, int, int | None]]:
    """Rule, burn-in and budget of each wave judged live."""
    pool = schema.pool
    rows = connection.execute(select(pool.c.id, pool.c.method, pool.c.settings).where(pool.c.benchmark == benchmark))
    waves = {row.id: (row.method, json.loads(row.settings)) for row in rows}
    return {
        key: (method, settings.get("burn_in") or 0, settings.get("budget"))
        for key, (method, settings) in waves.items()
        if settings.get("live")
    }


def in_live_order(
    items: Iterable[dict[str, Any]], shares: Iterable[LiveShare], labels: Mapping[int, Judged], relevant_from: int
) -> list[dict[str, Any]]:
    """The queue of an assessor, in which each live wave's documents, reordered, follow in place of its first one."""
    by_assignment = {item["assignment"]: item for item in items}
    share_of = {key: share for share in shares for key in (*share.assignment.values(), *share.repeat.values())}
    ordered: dict[int, None] = {}
    for assignment in by_assignment:
        share = share_of.get(assignment)
        ordered |= dict.fromkeys([assignment] if share is None else share.order(labels, relevant_from))
    return [by_assignment[assignment] for assignment in ordered]


def withheld(connection: Connection, benchmark: int, labels: Mapping[int, Any]) -> Counter[tuple[str, int]]:
    """The number of assignments to skip, by topic and account."""
    shares = live_shares(connection, benchmark)
    return Counter({key: sum(share.n_withheld(labels) for share in several) for key, several in shares.items()})
