"""Histories: paired changes, periods, change points, queries and slices."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield import evaluate
from cranfield.errors import BadInput, BadSetting
from cranfield.releases.history import history
from cranfield.releases.record import record
from cranfield.statistics.sequences import e_value
from releases.stores import OTHER, add, names, noisy, stored


def test_changes_are_paired_t_intervals(tmp_path: Path) -> None:
    first, second, third = noisy([0.5, 0.52, 0.47], n=60)
    store = stored(tmp_path, {"1.0": first, "1.1": second, "1.2": third})
    result = history(store.folder)
    for row, (before, after) in zip(result.releases[1:], [(first, second), (second, third)], strict=True):
        test = stats.ttest_rel(after, before)
        low, high = test.confidence_interval(0.95)
        assert (row.change, row.low, row.high, row.p) == pytest.approx(
            (float((after - before).mean()), low, high, test.pvalue)
        )
    (since,) = result.since
    test = stats.ttest_rel(third, first)
    assert (since.since, since.release, since.p) == ("1.0", "1.2", pytest.approx(test.pvalue))
    assert result.releases[0].verdict == ""


def test_the_answer_says_what_happened_since_and_last(tmp_path: Path) -> None:
    up, same = noisy([0.5, 0.56], n=200), noisy([0.5], n=200)
    store = stored(tmp_path, {"1.0": up[0], "1.1": up[1], "1.2": up[1]})
    said = history(store.folder).answer
    assert said.startswith("AP rose by 0.0")
    assert said.endswith("since 1.0; the last release changed nothing.")
    assert "(95 % CI +0.0" in said
    add(store, "1.3", same[0], place=3)
    assert history(store.folder, since="1.1").answer.startswith("AP fell by 0.0")
    assert "made it worse" in history(store.folder).answer


def test_a_single_release_has_nothing_to_compare_with(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1.0": [0.5, 0.6]})
    assert history(store.folder).answer == "AP is 0.550 in 1.0, which no earlier release can be compared with."


def test_lower_values_can_be_better(tmp_path: Path) -> None:
    slow, fast = noisy([0.6, 0.5], n=100)
    store = stored(tmp_path, {"1.0": slow, "1.1": fast}, "latency", lower_is_better=("latency",))
    assert history(store.folder).since[0].verdict == "better"
    assert "latency fell by 0.1" in history(store.folder).answer


def test_what_was_measured_differently_is_not_compared(tmp_path: Path) -> None:
    a, b, c = noisy([0.5, 0.5, 0.7], n=50)
    store = stored(tmp_path, {"1.0": a, "1.1": b})
    add(store, "1.2", c, place=2, judgments=OTHER)
    add(store, "1.3", c, place=3, judgments=OTHER, settings={"ties": "given"})
    add(store, "1.4", c[:-1], place=4, judgments=OTHER, settings={"ties": "given"})
    rows = history(store.folder).releases
    assert [row.mark for row in rows] == ["", "", "other judgments", "other settings", "other queries"]
    assert [row.change is None for row in rows] == [True, False, True, True, True]
    assert history(store.folder).answer == (
        f"AP is {c[:-1].mean():.3f} in 1.4, which no earlier release can be compared with: other queries."
    )
    assert history(store.folder, since="1.1").since[0].verdict == "not compared"


def test_imported_means_are_shown_but_not_compared(tmp_path: Path) -> None:
    store = stored(tmp_path, {"0.9": 0.4, "1.0": [0.5, 0.6, 0.4], "1.1": [0.6, 0.7, 0.45]})
    result = history(store.folder)
    assert [(row.value, row.verdict) for row in result.releases[:2]] == [(0.4, ""), (0.5, "not compared")]
    assert result.since[0].since == "1.0"


def test_the_last_record_of_a_release_counts(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1.0": [0.5, 0.6], "1.1": [0.1, 0.1]})
    add(store, "1.1", [0.5, 0.7], place=5)
    assert [row.value for row in history(store.folder).releases] == pytest.approx([0.55, 0.6])


def test_old_runs_are_evaluated_again_with_new_judgments(tmp_path: Path) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("".join(f"{q} 0 a 1\n{q} 0 b 0\n" for q in range(12)))
    new.write_text(old.read_text() + "".join(f"{q} 0 c 1\n" for q in range(0, 12, 2)))
    for name, ranking in (("first", "abc"), ("second", "cab")):
        lines = (f"{q} Q0 {d} {r} {9 - r - q % 3 / 10} x\n" for q in range(12) for r, d in enumerate(ranking, 1))
        (tmp_path / f"{name}.run").write_text("".join(lines))
    for release, qrels, run in (("1.0", old, "first"), ("1.1", new, "second")):
        path = str(tmp_path / f"{run}.run")
        result = evaluate(str(qrels), {"engine": path}, ["AP"])
        files = {"judgments": str(qrels), "engine": path}
        record(tmp_path / "store", result, release, files=files, keep_files=True)
    shown = history(tmp_path / "store")
    expected = evaluate(str(new), {"a": str(tmp_path / "first.run"), "b": str(tmp_path / "second.run")}, ["AP"])
    assert shown.releases["mark"] == ("evaluated again", "")
    assert shown.releases["value"] == (expected["a", "AP"], expected["b", "AP"])
    assert shown.since[0].change == pytest.approx(expected["b", "AP"] - expected["a", "AP"])
    assert "1 release evaluated again with the judgments and settings of 1.1" in shown.notes


def test_a_change_point_is_where_the_level_was_left(tmp_path: Path) -> None:
    means = [0.5] * 6 + [0.6] * 6 + [0.45] * 5
    store = stored(tmp_path, dict(zip(map(str, range(17)), noisy(means, n=400), strict=True)))
    points = history(store.folder).change_points
    assert [(point.release, point.since) for point in points] == [("6", "0"), ("12", "6")]
    assert points[0].change == pytest.approx(0.1, abs=0.02)


def test_measures_without_known_bounds_have_no_change_points(tmp_path: Path) -> None:
    store = stored(tmp_path, dict(zip("abcd", noisy([0.5, 0.5, 0.9, 0.9]), strict=True)), "latency")
    result = history(store.folder)
    assert len(result.change_points) == 0
    assert "no change points of latency, whose bounds are not known" in result.notes


def rare(chance: np.random.Generator, n: int) -> Any:
    """Differences with mean 0 of which most are small and few large, where t-tests of many releases fail."""
    return np.where(chance.random(n) < 0.02, -0.49, 0.01)


NULLS = {
    "normal": lambda chance, n: np.clip(chance.normal(0, 0.1, n), -1, 1),
    "rare": rare,
    "sparse": lambda chance, n: np.where(chance.random(n) < 0.1, chance.uniform(-0.5, 0.5, n), 0),
    "extreme": lambda chance, n: chance.choice([-1.0, 1.0], n),
}


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("n", [10, 200])
def test_many_looks_give_few_false_change_points(null: str, n: int) -> None:
    chance, level, n_false, rounds = np.random.default_rng(1), 0.05, 0, 150
    for _ in range(rounds):
        looks = (level / (j * (j + 1)) for j in range(1, 61))
        n_false += any(e_value(NULLS[null](chance, n), (-1, 1), 0.0, one) * one >= 1 for one in looks)
    assert n_false / rounds <= level + 3 * np.sqrt(level * (1 - level) / rounds)


def test_the_e_value_has_a_mean_of_at_most_one_without_a_change() -> None:
    chance = np.random.default_rng(0)
    for null in NULLS.values():
        e = [e_value(null(chance, 20), (-1, 1), 0.0, 0.05) for _ in range(2000)]
        assert np.mean(e) <= 1 + 4 * np.std(e) / np.sqrt(len(e))


def test_e_values_do_not_depend_on_order_and_grow_with_the_change() -> None:
    values = np.random.default_rng(0).normal(0.05, 0.1, 300).clip(-1, 1)
    assert e_value(values[::-1], (-1, 1), 0.0, 0.05) == pytest.approx(e_value(values, (-1, 1), 0.0, 0.05))
    assert e_value(values, (-1, 1), 0.0, 0.01) > 1e4
    assert e_value(-values, (-1, 1), 0.0, 0.05) == pytest.approx(e_value(values, (-1, 1), 0.0, 0.05))


def test_queries_that_rise_fall_and_turn(tmp_path: Path) -> None:
    releases = {
        "1": [0.5, 0.5, 0.5, 0.5],
        "2": [0.6, 0.4, 0.5, 0.9],
        "3": [0.7, 0.6, 0.5, 0.9],
        "4": [0.8, 0.3, 0.5, 0.5],
    }
    queries = history(stored(tmp_path, releases).folder).queries
    assert [(row.query, row.rose, row.fell, row.reversals) for row in queries] == [
        ("q00000", 3, 0, 0),
        ("q00001", 1, 2, 2),
        ("q00003", 1, 1, 1),
    ]
    assert queries[0].change == pytest.approx(0.3)


def test_slices_have_changes_of_their_own(tmp_path: Path) -> None:
    first, second = noisy([0.5, 0.5], n=40)
    second[:20] += 0.1
    store = stored(tmp_path, {"1": first, "2": second})
    (tmp_path / "slices.tsv").write_text("".join(f"{name}\t{'ab'[n >= 20]}\n" for n, name in enumerate(names(40))))
    a, b = history(store.folder, slices=str(tmp_path / "slices.tsv")).slices
    assert (a.slice, a.n, a.verdict) == ("a", 20, "better")
    assert a.change == pytest.approx(float((second - first)[:20].mean()))
    assert b.slice == "b"
    (tmp_path / "few.tsv").write_text("q00000\ta\n")
    with pytest.raises(BadInput, match="39 queries without a slice, such as 'q00001'"):
        history(store.folder, slices=str(tmp_path / "few.tsv"))


def test_missing_values_are_left_out_in_pairs(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1": [0.5, np.nan, 0.5, 0.1], "2": [0.6, 0.4, np.nan, 0.3]})
    (since,) = history(store.folder).since
    assert (since.n, since.change) == (2, pytest.approx(0.15))


def test_rounding_errors_are_no_changes(tmp_path: Path) -> None:
    store = stored(tmp_path, {"1": [0.1 + 0.2, 0.5], "2": [0.3, 0.5]})
    assert history(store.folder).since[0].verdict == "identical"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"measures": ["RR"]}, r"1\.1 has no values of 'RR'; it has AP"),
        ({"since": "0.9"}, r"there is no release '0\.9' with AP"),
        ({"system": "other"}, "there is no system 'other' in the store"),
        ({"confidence": 1.5}, "confidence must be a number from 0 to 1"),
    ],
)
def test_wrong_settings_are_said(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    store = stored(tmp_path, {"1.0": [0.5, 0.6], "1.1": [0.5, 0.6]})
    with pytest.raises(BadSetting, match=said):
        history(store.folder, **settings)


def test_several_systems_need_a_choice(tmp_path: Path) -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    for release in ("1.0", "1.1"):
        record(tmp_path, evaluate(qrels, {"bm25": run, "dense": run}, ["RR"]), release)
    with pytest.raises(BadSetting, match="several systems; choose one of bm25, dense"):
        history(tmp_path)
    assert len(history(tmp_path, system="dense").releases) == 2


def test_the_result_can_be_saved_and_shown(tmp_path: Path) -> None:
    import cranfield

    store = stored(tmp_path, dict(zip("abc", noisy([0.5, 0.5, 0.6]), strict=True)))
    result = history(store.folder)
    result.save(tmp_path / "history.zip")
    assert cranfield.load(tmp_path / "history.zip").to_json() == result.to_json()
    assert str(result).startswith(result.answer)
    assert result.to_csv().startswith("measure,release,time,n,value,change")


def test_500_releases_of_5000_queries_take_little_memory(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    base = chance.beta(2, 2, 5000)
    for place in range(500):
        moved = chance.random(5000) < 0.2
        base = np.where(moved, np.clip(base + chance.normal(0, 0.05, 5000), 0, 1), base).round(4)
        store = stored(tmp_path, {}) if place else stored(tmp_path, {"0": base})
        if place:
            add(store, str(place), base, place=place + 28)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = history(store.folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10
    assert len(result.releases) == 500
