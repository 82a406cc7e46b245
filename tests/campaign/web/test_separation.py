"""Whether there are enough judgments to separate the best run from those behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield
from campaign.web.campaign import Campaign, judge_all
from campaign.web.test_results import SCALE, written
from cranfield.campaign.web import boards

LABELS = [(str(topic), {f"r{n}": 1 for n in range(5)}) for topic in range(20)]


def test_the_best_run_is_separated_from_a_poor_one_and_not_from_one_that_is_alike(tmp_path: Path) -> None:
    runs, qrels = written(tmp_path, {"good": 0.9, "fine": 0.88, "poor": 0.1})
    found = boards.separation(runs, LABELS, ["AP"], SCALE)
    values = cranfield.evaluate(qrels, runs, ["AP"])["AP"]
    assert found["best"] == max(values, key=lambda name: values[name])
    second, poor = found["behind"]
    assert (second["after"], poor["run"]) == (None, "poor")
    assert second["low"] < 0 < second["high"]
    assert poor["low"] > 0
    assert 1 < poor["after"] <= 20


def test_topics_count_in_the_order_in_which_they_were_completed_at_a_level_for_all_pairs(tmp_path: Path) -> None:
    runs, qrels = written(tmp_path, {"good": 0.8, "fine": 0.5, "poor": 0.2})
    samples = cranfield.evaluate(qrels, runs, ["AP"]).samples("AP")
    for labels in (LABELS, LABELS[::-1]):
        places = [samples.units.index(topic) for topic, _ in labels]
        values = {name: samples.values[samples.systems.index(name)][places].tolist() for name in runs}
        rows = cranfield.monitor(values, "good", bounds=(0, 1), level=0.05 / 3).rows
        expected = {row.system: (-row.high, -row.low) for row in rows}
        found = boards.separation(runs, labels, ["AP"], SCALE)["behind"]
        assert {row["run"]: row["after"] for row in found} == {row.system: row.decided_after for row in rows}
        for row in found:
            assert (row["low"], row["high"]) == pytest.approx(expected[row["run"]])


def test_a_measure_without_bounds_cannot_say(tmp_path: Path) -> None:
    runs, _ = written(tmp_path, {"good": 0.9, "poor": 0.1})
    found = boards.separation(runs, LABELS, ["DCG"], SCALE)
    assert found["behind"] == []
    assert "DCG has no bounds" in found["reason"]


def test_only_topics_that_are_completely_judged_count(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    assert "At least two runs and one completely judged topic are needed" in carla.get("/b/py/pool/separation").text
    judge_all(campaign.people["ann"], {"d1": 3, "d2": 1})
    page = carla.get("/api/b/py/pool/separation").json()
    assert (page["n_complete"], page["separation"]) == (0, None)
    judge_all(campaign.people["bob"], {"d1": 3, "d2": 1})
    page = carla.get("/api/b/py/pool/separation").json()
    assert (page["n_complete"], page["n_topics"], page["separation"]["measure"]) == (2, 2, "nDCG@10")
    assert "There are not enough judgments yet to separate" in page["words"]
    assert "More topics are needed" in page["words"]
    assert page["words"] in carla.get("/b/py/pool/separation").text
