"""`cranfield serve --demo`: a benchmark in progress, with grades of the package's own collection."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from shutil import copytree

import pytest

from cranfield.campaign.store import accounts, benchmarks, judgments, pools, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.database import Store
from cranfield.campaign.store.health import examined
from cranfield.campaign.web.passwords import fits
from cranfield.demo.served_campaign import LEFT_OPEN, N_TOPICS, PEOPLE, SLUG, prepare, prepare_once
from cranfield.errors import BadInput


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the demonstration, which takes seconds to prepare, and what is printed."""
    folder = tmp_path_factory.mktemp("prepared") / "demo"
    store = Store(folder)
    line = prepare(store)
    store.close()
    return folder, line


@pytest.fixture
def demonstration(prepared: tuple[Path, str], tmp_path: Path) -> Iterator[Store]:
    """A copy of it."""
    store = Store(Path(copytree(prepared[0], tmp_path / "demo")))
    yield store
    store.close()


def test_the_demonstration_is_a_benchmark_in_progress(
    prepared: tuple[Path, str], demonstration: Store, tmp_path: Path
) -> None:
    store, line = demonstration, prepared[1]
    with store.read() as connection:
        found = accounts.with_password(connection, "carla@example.org")
        at = benchmarks.of_slug(connection, SLUG)
        assert found
        assert at
        assert fits(line.split()[-1], found[1])
        assert {person["name"]: person["role"] for person in benchmarks.people(connection, at.id)} == PEOPLE
        assert len(stored.topic_ids(connection, at.id)) == N_TOPICS
        teams = [run["team"] for run in submissions.active(connection, at.id)]
        assert (len(teams), len(set(teams))) == (5, 3)
        (wave,) = pools.waves(connection, at.id)
        text, _ = judgments.qrels(connection, at.id, 1) or ("", "")
        ann = accounts.with_password(connection, "ann@example.org")
        assert ann
        open_ = [one["kind"] for one in judgments.queue(connection, at.id, ann[0].id, relevant_from=1)][-LEFT_OPEN:]
    assert open_ == [None] * LEFT_OPEN
    assert wave["n_documents"] > 100
    passes = (resources.files("cranfield.demo") / "data" / "passes.csv").read_text("utf-8")
    known = {(row["topic"], row["item"]): {row["first"], row["second"]} for row in csv.DictReader(passes.splitlines())}
    rows = [line.split() for line in text.splitlines()]
    assert len(rows) > 100
    assert all(grade in known[topic, document] for topic, _, document, grade in rows)
    with pytest.raises(BadInput, match="choose a new folder"):
        prepare(store)
    store.close()
    assert not [check for check in examined(tmp_path / "demo", None) if check.state == "fault"]


def test_a_second_start_of_the_demonstration_goes_on(demonstration: Store) -> None:
    store = demonstration
    with store.read() as connection:
        before = accounts.n_accounts(connection)
    assert "continuing the benchmark" in prepare_once(store)
    with store.read() as connection:
        assert accounts.n_accounts(connection) == before > 0
