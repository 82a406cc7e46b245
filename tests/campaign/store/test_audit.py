"""The audit log has one order, on every database."""

from __future__ import annotations

from campaign.store.small_campaign import Small
from cranfield.campaign.store.audit import changes
from cranfield.campaign.store.database import Store


def test_changes_at_the_same_time_are_ordered_by_kind(store: Store) -> None:
    small = Small(store)  # its run and its pool have the same number and the same time
    with store.read() as connection:
        listed = changes(connection, small.benchmark.id)
    assert [one["kind"] for one in listed] == ["pools", "runs"]
