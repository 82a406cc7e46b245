"""Many classes: cost grows with the items, figures are those of the whole matrix, tables and plots are cut."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from cranfield import classify
from cranfield.classification.result import columns_of_classes
from cranfield.classification.tables import classes, matrix
from cranfield.evidence.confusion import Confusion, confusion
from cranfield.measures.naming import parse
from cranfield.present.formats import aligned

COLUMNS = ["once.csv", "--actual", "actual", "--predicted", "predicted"]
MEGABYTE = 1 << 10  # of the kilobytes that the kernel counts in
PROGRAM = """
from pathlib import Path
from cranfield.cli.main import main

status = main()
Path("status").write_text(Path("/proc/self/status").read_text())  # getrusage counts the process that forked as well
raise SystemExit(status)
"""


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten thousand items, each of a class of its own; six of ten are recognised."""
    rng = np.random.default_rng(0)
    names = [f"label-{place:05d}" for place in range(10_000)]
    wrong = rng.random(len(names)) > 0.6
    said = np.where(wrong, rng.integers(0, len(names), len(names)), np.arange(len(names)))
    rows = [f"item-{place},{name},{names[said[place]]}" for place, name in enumerate(names)]
    file = tmp_path_factory.mktemp("many") / "once.csv"
    file.write_text("item,actual,predicted\n" + "\n".join(rows) + "\n")
    return file


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["classify", *COLUMNS, "--findings"], id="table", marks=pytest.mark.thorough),
        pytest.param(["classify", *COLUMNS, "-f", "json"], id="json"),
        pytest.param(["plot", "confusion", *COLUMNS, "-o", "matrix.html"], id="plot", marks=pytest.mark.thorough),
        pytest.param(["report", "--classify", *COLUMNS, "-o", "report.html"], id="report"),
        pytest.param(["agree", "once.csv"], id="agree", marks=pytest.mark.thorough),
    ],
)
def test_ten_thousand_classes_take_seconds_and_little_memory(once: Path, command: list[str]) -> None:
    used = next(filter(quick, (usage(command, once.parent) for _ in range(3))), None)  # a busy machine slows it down
    assert used is not None
    assert peak_memory(once.parent) < 1000 * MEGABYTE
    assert all(page.stat().st_size < 8 << 20 for page in once.parent.glob("*.html"))


def usage(command: list[str], folder: Path) -> resource.struct_rusage:
    """The time and memory that a command uses."""
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        env=os.environ,
    )
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0
    return used


def peak_memory(folder: Path) -> int:
    """The most memory that the last command used, in kilobytes."""
    status = (folder / "status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def quick(used: resource.struct_rusage) -> bool:
    """Whether it took less than ten seconds of the processor."""
    return used.ru_utime + used.ru_stime < 10


def test_a_matrix_of_many_classes_is_cut_and_its_margins_count_all() -> None:
    actual = [f"c{place}" for place in range(60)] + ["c7"] * 3
    found = confusion(actual, ["c7"] * len(actual))
    lines = aligned(matrix(found)).splitlines()
    assert sum(line.startswith("c") for line in lines) == 50
    assert next(line for line in lines if line.startswith("c7 ")).split()[-1] == "4"
    assert next(line for line in lines if line.startswith("all")).split()[-1] == "63"
    assert lines[-1] == "the 50 largest of 60 classes; margins include all classes"


def test_classes_beyond_those_shown_count_in_the_averages() -> None:
    actual = [f"c{place}" for place in range(60)]
    given = classify(actual, [*actual[:50], *["c0"] * 10])
    text = aligned(classes(given.of(), columns_of_classes(given, given.of())))
    assert "the 50 largest of 60 classes; averages include all" in text
    macro = next(line for line in text.splitlines() if line.startswith("macro"))
    assert float(macro.split()[2]) == pytest.approx(50 / 60, abs=1e-4)  # recall


def test_a_reason_is_given_once_for_all_classes_it_holds_for() -> None:
    given = classify(list("abcde"), ["a"] * 5)
    text = aligned(classes(given.of(), columns_of_classes(given, given.of())))
    assert "Precision of b, c, d and 1 more is undefined: nothing was predicted positive" in text


def test_every_class_is_in_json_and_the_matrix_as_the_pairs_that_occur(once: Path) -> None:
    content = json.loads(classify("actual", "predicted", data=str(once), measures=["Recall"]).to_json())
    (system,) = content["systems"].values()
    assert len(system["classes"]) == 10_000
    assert sum(pair["count"] for pair in system["confusion"]["pairs"]) == 10_000
    assert system["confusion"]["counts"] is None


@pytest.mark.parametrize("n_classes", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("kind", ["counts", "weights"])
def test_cells_of_each_class_are_sums_over_the_matrix(n_classes: int, kind: str) -> None:
    rng = np.random.default_rng(n_classes)
    for _ in range(20):
        counts = rng.integers(0, 4, (n_classes, n_classes)) * (1 if kind == "counts" else 10.0 ** rng.integers(-9, 9))
        cells = Confusion.of(tuple(range(n_classes)), counts).cells
        for c in range(n_classes):
            rest = [Fraction(counts[i, j]) for i in range(n_classes) for j in range(n_classes) if c not in (i, j)]
            assert cells.tn[c] == pytest.approx(float(sum(rest)), rel=1e-14, abs=0)
            assert cells.tp[c] == counts[c, c]
            assert cells.fn[c] == pytest.approx(float(sum(map(Fraction, np.delete(counts[c], c)))), rel=1e-14, abs=0)
            assert cells.fp[c] == pytest.approx(float(sum(map(Fraction, np.delete(counts[:, c], c)))), rel=1e-14, abs=0)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_that_of_the_table_of_all_pairs_of_classes(weights: str | None) -> None:
    rng = np.random.default_rng(3)
    for n_classes in (2, 3, 7):
        counts = rng.integers(0, 5, (n_classes, n_classes))
        place = range(n_classes)
        miss = [[Fraction(abs(i - j)) ** {None: 1, "linear": 1, "quadratic": 2}[weights] for j in place] for i in place]
        if weights is None:
            miss = [[min(each, Fraction(1)) for each in row] for row in miss]
        actual, predicted, n = counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist(), int(counts.sum())
        seen = sum(miss[i][j] * int(counts[i, j]) for i in place for j in place)
        by_chance = sum(miss[i][j] * Fraction(actual[i] * predicted[j], n) for i in place for j in place)
        own = parse("Kappa" if weights is None else f"Kappa(weights='{weights}')", "classes")
        assert float(own.values(Confusion.of(tuple(place), counts))) == pytest.approx(
            float(1 - seen / by_chance), rel=1e-13
        )
