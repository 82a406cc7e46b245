"""Preferences are events, on both databases."""

from __future__ import annotations

from campaign.store.small_campaign import Small
from cranfield.campaign.rules.preferences import Dealt, Pair
from cranfield.campaign.store import preferences
from cranfield.campaign.store.database import Store


def test_a_preference_is_taken_back_without_being_removed(store: Store) -> None:
    small = Small(store)
    ann, benchmark = small.people["ann"], small.benchmark.id
    dealt = [Dealt(Pair("07", "d1", "d2"), ann, 1), Dealt(Pair("07", "d3", "d1"), ann, 2)]
    store.write(lambda connection: preferences.add_pairs(connection, benchmark, dealt))
    with store.read() as connection:
        first, second = (one["id"] for one in preferences.own_pairs(connection, benchmark, ann))
    steps = [(first, "left"), (second, "right"), (second, None), (first, "equal"), (first, None)]
    seen = []
    for place, (pair, choice) in enumerate(steps):
        values = (benchmark, ann, pair, choice, "", f"key-{place:05}", place)
        store.write(lambda connection, values=values: preferences.prefer(connection, *values))
        with store.read() as connection:
            seen.append([one["choice"] for one in preferences.own_pairs(connection, benchmark, ann)])
    assert seen == [["left", None], ["left", "right"], ["left", None], ["equal", None], ["left", None]]
    with store.read() as connection:
        made, n_pairs = preferences.preferences(connection, benchmark)
        assert preferences.last_judged(connection, benchmark, ann) == first
        assert preferences.first_pooled(connection, benchmark, 2) == {"07": ["d1", "d2"]}
    assert ([one.strict for one in made], n_pairs) == ([("d1", "d2")], 2)
