"""Adjudications are events; exports list what they leave out. On both databases."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, func, select, update

from campaign.store.small_campaign import Small
from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import accounts, benchmarks, conflicts, judgments, schema, workload
from cranfield.campaign.store.database import Store
from cranfield.errors import BadInput


@pytest.fixture
def small(store: Store) -> Small:
    made = Small(store)
    grades = {"d1": (3, 3), "d2": (0, 2), "d3": (1, 0)}
    for document, (ann, bob) in grades.items():
        made.judge("ann", document, Judged("grade", ann, note=f"ann on {document}"))
        made.judge("bob", document, Judged("grade", bob))
    for name in ("ann", "bob"):
        made.judge(name, "d4", Judged("cannot tell"))
    return made


def adjudicated(small: Small, document: str, grade: int | None, by: str = "carla", reason: str = "as read") -> None:
    values: dict[str, Any] = {"by": small.people[by], "grade": grade, "reason": reason, "now": 9}
    values |= {"scale": small.benchmark.scale, "event_key": accounts.new_secret()}
    key = small.pooled[document]

    def decide(connection: Connection) -> None:
        seen = conflicts.n_decisions(connection, key)
        conflicts.adjudicate(connection, small.benchmark.id, key, **values, seen=seen)

    small.store.write(decide)


def exported(small: Small, rule: Any = "majority", ties: Any = "unresolved") -> dict[str, Any]:
    made = small.store.write(
        lambda connection: judgments.export(
            connection, small.benchmark.id, rule=rule, ties=ties, by=small.people["carla"], now=1
        )
    )
    with small.store.read() as connection:
        text, _ = judgments.qrels(connection, small.benchmark.id, made["version"])  # type: ignore[misc]
    return made | {"text": text}


def test_an_open_conflict_is_listed_and_left_out(small: Small) -> None:
    made = exported(small)
    assert made["text"] == "07 0 d1 3\n"
    assert [(one["document"], one["reason"]) for one in made["unresolved"]] == [
        ("d2", "conflict"), ("d3", "conflict"), ("d4", "no grade"),
    ]  # fmt: skip
    assert made["rule"] == "most frequent grade; ties left out"


@pytest.mark.parametrize(
    ("rule", "ties", "grades"),
    [("majority", "higher", "321"), ("majority", "lower", "300"), ("highest", "unresolved", "321"),
     ("lowest", "unresolved", "300")],
)  # fmt: skip
def test_a_rule_that_is_printed_resolves_ties(small: Small, rule: str, ties: str, grades: str) -> None:
    made = exported(small, rule, ties)
    assert made["text"] == "".join(f"07 0 d{place} {grade}\n" for place, grade in enumerate(grades, 1))
    assert [one["document"] for one in made["unresolved"]] == ["d4"]
    assert (ties if rule == "majority" else rule) in made["rule"]


def test_a_decision_comes_before_every_rule_and_can_be_taken_back(small: Small) -> None:
    adjudicated(small, "d2", 1)
    adjudicated(small, "d2", 3, reason="read again")
    adjudicated(small, "d4", 0)
    assert exported(small)["text"] == exported(small, "lowest")["text"].replace("07 0 d3 0\n", "")
    assert exported(small)["text"] == "07 0 d1 3\n07 0 d2 3\n07 0 d4 0\n"
    adjudicated(small, "d2", None)
    assert "07 0 d2 1\n" in exported(small)["text"]
    adjudicated(small, "d2", None)
    assert "d2" not in exported(small)["text"]
    with small.store.read() as connection:
        n_events = connection.scalar(
            select(func.count()).select_from(schema.event).where(schema.event.c.assignment.is_(None))
        )
    assert n_events == 5  # nothing was removed


def test_the_opinions_stay_as_they_are(small: Small) -> None:
    adjudicated(small, "d2", 1)
    with small.store.read() as connection:
        found = conflicts.judged_document(connection, small.benchmark.id, small.pooled["d2"])
        own = judgments.queue(connection, small.benchmark.id, small.people["ann"], relevant_from=1)
        progress = workload.progress(connection, small.benchmark.id)
    assert found is not None
    assert [(one.judged.grade, one.judged.note) for one in found.opinions] == [(0, "ann on d2"), (2, "")]
    assert found.adjudication is not None
    assert (found.adjudication.grade, found.adjudication.adjudicator) == (1, "carla")
    assert [one["grade"] for one in own] == [3, 0, 1, None]
    assert progress == {"n_assigned": 8, "n_done": 8}  # without a grade is done, too


@pytest.mark.parametrize(
    ("document", "grade", "by", "reason", "words"),
    [
        ("d2", 1, "ann", "mine", "you judged this document yourself"),
        ("d1", 1, "carla", "why not", "agree; there is nothing to decide"),
        ("d2", 7, "carla", "off", "7 is not on the scale"),
        ("d2", 1, "carla", "", "give a reason"),
        ("d2", None, "carla", "", "no decision on this document to undo"),
    ],
)
def test_what_is_no_decision_is_refused(
    small: Small, document: str, grade: int | None, by: str, reason: str, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        adjudicated(small, document, grade, by, reason)


def test_a_name_has_a_number_only_if_it_could_be_confused(store: Store) -> None:
    small = Small(store)

    def named(**names: str) -> set[str]:
        for person, name in names.items():
            change = update(schema.account).where(schema.account.c.id == small.people[person]).values(name=name)
            store.write(lambda connection, change=change: connection.execute(change))  # type: ignore[misc]
        with store.read() as connection:
            return set(benchmarks.display_names(connection, small.benchmark.id).values())

    ann, bob, zoe = (small.people[name] for name in ("ann", "bob", "zoe"))
    assert named() == {"carla", "ann", "bob", "zoe"}
    assert named(ann="Kim", bob="Kim") == {"carla", f"Kim ({ann})", f"Kim ({bob})", "zoe"}
    assert named(ann="ann", zoe="bob (3)", bob="current labels") == {
        "carla", "ann", f"bob (3) ({zoe})", f"current labels ({bob})"
    }  # fmt: skip
