"""Predictions with more distinct scores than memory should hold: sorted on disk, with the same bits as in memory."""

from __future__ import annotations

import gc
import os
import resource
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import cranfield
from classification.generated import SAMPLES
from cranfield.classification.result import Classification
from cranfield.errors import BadInput
from cranfield.evidence import scores as sorted_scores
from cranfield.evidence import thresholds as threshold_blocks
from cranfield.evidence.thresholds import Thresholds, neighbours, steps_down, steps_up, thresholds
from cranfield.measures.naming import parse
from cranfield.statistics import score_intervals
from cranfield.statistics.areas import area_interval
from cranfield.statistics.thresholds import STANDARD, choose, parse_goal
from cranfield.tables import (
    disk as disk_arrays,
)
from cranfield.tables import (
    disk as spilled_counts,
)
from cranfield.tables import (
    large_files as counted_files,
)
from cranfield.tables import (
    large_files as score_counts,
)
from cranfield.tables.disk import SpillFile, disk_array, on_disk
from cranfield.tables.readers import recognition
from cranfield.tables.readers.formats import arrow_files
from cranfield.tables.readers.streams import limits

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

N = 3_000
UNWEIGHTED = {name: sample for name, sample in SAMPLES.items() if sample.weight is None}
SMALL = (
    (disk_arrays, "_BLOCK", 64),
    (disk_arrays, "_RELEASED", 128),
    (spilled_counts, "_PIECE", 40),
    (sorted_scores, "_BLOCK", 32),
    (threshold_blocks, "_FEW", 0),
    (threshold_blocks, "_BLOCK", 50),
)


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Process all columns in blocks of a few rows."""

    def small() -> None:
        for module, name, value in SMALL:
            monkeypatch.setattr(module, name, value)

    return small


@pytest.fixture
def spilled(monkeypatch: pytest.MonkeyPatch, in_blocks: Callable[[], None], tmp_path: Path) -> Callable[[], Path]:
    """Read every file in batches, hold only a few rows in memory and sort the others on disk, in this folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()

    def small() -> Path:
        in_blocks()
        for module, name, value in (
            (counted_files, "_SMALL", 0),
            (counted_files, "_IN_MEMORY", 400),
            (recognition, "MANY_ROWS", 0),
            (arrow_files, "BATCH", 170),
            (score_counts, "_FEW", 20),
            (tempfile, "tempdir", str(folder)),
        ):
            monkeypatch.setattr(module, name, value)
        return folder

    return small


def items(path: Path) -> Path:
    """Labels, scores that are all distinct, rounded ones in double and single precision, and probabilities."""
    random = np.random.default_rng(4)
    yes = random.random(N) < 0.3
    score = random.normal(size=N) + yes
    columns = {
        "y": yes.astype(np.int8),
        "distinct": score,
        "rounded": np.round(score, 3),
        "narrow": score.astype(np.float32),
        "p": 1 / (1 + np.exp(-score)),
        "rare": np.arange(N) % 400 == 7,
        "class": np.array(["a", "b", "c"])[random.integers(0, 3, N)].tolist(),
    }
    pa.parquet.write_table(pa.table(columns), path, row_group_size=500)
    return path


SETTINGS: tuple[dict[str, Any], ...] = (
    {"actual": "y", "score": "distinct"},
    {"actual": "y", "score": "rounded"},
    {"actual": "y", "score": "narrow", "threshold": 0.25},
    {"actual": "y", "probability": "p"},
    {"actual": "rare", "score": "distinct", "positive": True},
    {"actual": "rare", "score": "distinct", "positive": False},
    {"actual": "y", "score": "rounded", "goal": "Recall where Specificity >= 0.9"},
    {"actual": "y", "probability": "p", "invert": True},
    {"actual": "class", "positive": "b", "score": "distinct"},
    {"actual": "y", "score": {"one": "distinct", "other": "rounded"}},
)


def shown(result: Classification) -> tuple[Any, ...]:
    """All that the command prints, also with findings, and all digits of the values and intervals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figures = repr(result.result.values.tolist()), repr(result.intervals())
        return *figures, str(result), result.to_json(), str(cranfield.examine(result))


@pytest.mark.parametrize("how", SETTINGS, ids=str)
def test_what_is_printed_is_the_same_to_the_last_bit(how, tmp_path, spilled, monkeypatch):
    """But intervals that need all scores in memory, which are left out of both."""
    monkeypatch.setattr(score_intervals, "on_disk", lambda _: True)
    path = items(tmp_path / "items.parquet")
    expected = shown(cranfield.classify(**how, data=path))
    spilled()
    result = cranfield.classify(**how, data=path)
    assert on_disk(result.evaluated[0].predictions.score) or {"invert", "goal"} & how.keys()
    assert shown(result) == expected


@pytest.mark.parametrize("measure", ["AP", "AUPRG", "Brier"])
def test_scores_on_disk_have_no_interval_that_needs_all_of_them_in_memory(measure, tmp_path, spilled):
    path = items(tmp_path / "items.parquet")
    how: dict[str, Any] = {"actual": "y", "probability": "p", "data": path, "measures": measure}
    assert cranfield.classify(**how).interval(measure).method in ("delta", "bounded t")
    spilled()
    found = cranfield.classify(**how).interval(measure)
    assert (found.method, np.isnan(found.low)) == ("none: the scores are too many for memory", True)


def on_disk_copy(scores: Thresholds) -> Thresholds:
    """The same scores, counted and on disk."""
    columns = []
    for side in (scores.positive, scores.negative):
        for column in np.unique(side, return_counts=True):
            columns.append(disk_array(len(column), column.dtype))
            columns[-1][:] = column
    positive, n_positive, negative, n_negative = columns
    return Thresholds(positive, negative, positive_count=n_positive, negative_count=n_negative)


@pytest.mark.parametrize("name", UNWEIGHTED)
def test_the_evidence_on_disk_is_that_in_memory(name, in_blocks):
    sample = UNWEIGHTED[name]
    plain = thresholds(sample.actual == 1, sample.score)
    expected = [getattr(plain, part) for part in ("steps", "from_nothing", "best")]
    columns = [plain.above, plain.missed, plain.at_score]
    goals = [*STANDARD, "Precision", "Recall where Specificity >= 0.5", "MCC"]
    chosen = [choose(plain, goal) for goal in goals]
    flat = [choice.flat if choice.thresholds else None for choice in chosen]
    in_blocks()
    stored = on_disk_copy(plain)
    for one, other in zip(expected, (stored.steps, stored.from_nothing, stored.best), strict=True):
        assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))
    assert all(map(np.array_equal, columns, (stored.above, stored.missed, stored.at_score)))
    assert (plain.ordered, plain.n_items) == (stored.ordered, stored.n_items)
    for measure in ("AUC", "AP", "AUPRG"):
        assert repr(parse(measure, "binary").values(plain)) == repr(parse(measure, "binary").values(stored))
    assert repr(area_interval(plain)) == repr(area_interval(stored))
    for goal, before, flatness in zip(goals, chosen, flat, strict=True):
        again = choose(stored, goal)
        assert repr((again.thresholds, again.value)) == repr((before.thresholds, before.value))
        assert (again.flat if again.thresholds else None) == flatness


@pytest.mark.parametrize("name", UNWEIGHTED)
def test_blocks_of_steps_are_all_steps(name, in_blocks):
    sample = UNWEIGHTED[name]
    plain = thresholds(sample.actual == 1, sample.score)
    every = plain.every
    score = every.score
    in_blocks()
    for scores in (plain, on_disk_copy(plain)):
        for threshold in (np.inf, *score[:: max(len(score) // 5, 1)].tolist(), 0.123):
            down = [np.concatenate(column) for column in zip(*steps_down(scores, threshold), strict=True)]
            up = [np.concatenate(column) for column in zip(*[*steps_up(scores, threshold)][::-1], strict=True)]
            for place, column in enumerate(every):
                assert np.array_equal(down[place] if down else [], column[score <= threshold])
                assert np.array_equal(up[place] if up else [], column[score > threshold])
            above, rest = neighbours(scores, threshold, 3)
            assert above == score[score > threshold][-3:].tolist()
            assert rest == score[score <= threshold][:4].tolist()


@pytest.mark.parametrize("name", UNWEIGHTED)
def test_the_smallest_gap_of_the_error_rates_is_that_of_all_thresholds(name):
    sample = UNWEIGHTED[name]
    scores = thresholds(sample.actual == 1, sample.score)
    if scores.one_class:
        return
    score, tp, fp = scores.every.from_nothing
    gap = np.abs(fp * scores.n_positive + tp * scores.n_negative - scores.n_positive * scores.n_negative)
    assert choose(scores, parse_goal("RateGap")).thresholds == tuple(score[gap == gap.min()].tolist())


@contextmanager
def nothing_left(folder: Path) -> Iterator[None]:
    """Temporary files have no names while they are used, and no file is open or mapped afterwards."""
    gc.collect()  # what other tests left
    open_before = os.listdir("/proc/self/fd")
    yield
    gc.collect()
    assert os.listdir(folder) == []
    assert len(os.listdir("/proc/self/fd")) == len(open_before)
    assert not disk_arrays._maps


def test_temporary_files_vanish(tmp_path, spilled):
    path, folder = items(tmp_path / "items.parquet"), spilled()
    seen = []

    def look(*_: Any) -> None:
        seen.append(os.listdir(folder))

    with nothing_left(folder):
        result = cranfield.classify("y", score="distinct", data=path, progress=look)
        str(result)
        assert disk_arrays._maps
        assert os.listdir(folder) == []
        del result
    assert not any(seen)


@pytest.mark.parametrize("during", ["reading", "sorting"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_temporary_files_vanish_after_interrupts_and_errors(error, during, tmp_path, spilled):
    path, folder = items(tmp_path / "items.parquet"), spilled()
    names = []

    def interrupt(name: str, *_: Any) -> None:
        names.append(name)
        if len(names) == 15 and during == "reading":  # when runs were written
            raise error
        if names.count(f"sorting {path}") == 2:
            raise error

    with nothing_left(folder):
        with pytest.raises(error):
            cranfield.classify("y", score="distinct", data=path, progress=interrupt)
        assert names[-1] == (f"sorting {path}" if during == "sorting" else str(path))
    assert not [thread for thread in threading.enumerate() if "_serve" in thread.name]


def test_progress_covers_sorting_on_disk(tmp_path, spilled):
    path, calls = items(tmp_path / "items.parquet"), []
    spilled()
    cranfield.classify("y", score="distinct", data=path, progress=lambda *call: calls.append(call))
    done = [(n, total) for name, n, total in calls if name == f"sorting {path}"]
    assert len(done) > 2
    assert done == sorted(done)
    assert done[-1] == (N, N)


@contextmanager
def largest_file(n_bytes: int) -> Iterator[None]:
    """Files cannot grow beyond this size, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_an_error_in_words(tmp_path, spilled):
    path, folder = items(tmp_path / "items.parquet"), spilled()
    with largest_file(10_000), pytest.raises(BadInput, match=r"cannot be written to a temporary file: .*; set TMPDIR"):
        cranfield.classify("y", score="distinct", data=path)
    with largest_file(10_000), pytest.raises(BadInput, match=r"temporary: 15.6 KB cannot be written"):
        disk_array(2_000, np.float64)
    assert os.listdir(folder) == []


def test_a_run_file_returns_what_was_appended():
    file = SpillFile()
    columns = [np.arange(5.0), np.zeros(0), np.array([7, 8], np.uint32)]
    places = [file.append(column) for column in columns]
    for place, column in zip(places, columns, strict=True):
        assert np.array_equal(file.read(place, column.dtype, len(column)), column)


def test_what_needs_all_thresholds_at_once_is_refused_in_words(tmp_path, spilled, monkeypatch):
    path = items(tmp_path / "items.parquet")
    spilled()
    result = cranfield.classify("y", score="distinct", data=path)
    monkeypatch.setattr(limits, "memory", N * 60)
    str(result)
    for measure in ("EER", "AUPR", "AUCH"):
        with pytest.raises(BadInput, match=r"all thresholds of 3,000 distinct scores: too large for 176 KB of memory"):
            result.of().value(parse(measure, "binary"))


@pytest.mark.parametrize("how", [
    {"score": {"one": "distinct", "other": "rounded"}},
    {"score": "distinct", "invert": True},
    {"score": "distinct", "by": "class"},
], ids=str)  # fmt: skip
def test_what_is_sorted_again_is_refused_in_words(how, tmp_path, spilled, monkeypatch):
    path = items(tmp_path / "items.parquet")
    spilled()
    monkeypatch.setattr(counted_files, "_ROW", 1 << 30)
    monkeypatch.setattr(limits, "memory", 1 << 40)
    with pytest.raises(BadInput, match=r"distinct rows .* too many for 1 TB of memory .*; round the scores, or"):
        cranfield.classify("y", data=path, **how)
