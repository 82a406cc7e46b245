"""What versions share, and what flags come to on other input: laws over generated runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from trec_eval.running import qrels_text, run, run_text
from trec_eval.test_pytrec_eval import Qrels, Run, generated

_CHANGED = ("iprec_at_recall", "11pt_avg", "unj", "rbp")


def written(folder: Path, qrels: Qrels, ranked: Run) -> tuple[Path, Path]:
    """The files of judgments and a run."""
    (folder / "qrels").write_text(qrels_text(qrels))
    (folder / "run").write_text(run_text(ranked))
    return folder / "qrels", folder / "run"


def common(qrels: Qrels, ranked: Run) -> Qrels:
    """The judgments of the topics that the run has."""
    return {topic: judged for topic, judged in qrels.items() if topic in ranked}


@pytest.mark.parametrize("seed", range(400, 406))
@pytest.mark.parametrize("flags", [[], ["-J"], ["-l2"], ["-M", "3"], ["-c"]])
def test_version_10_prints_what_9_prints_but_for_interpolation(seed: int, flags: list[str], tmp_path: Path) -> None:
    qrels, ranked = generated(seed)
    paths = written(tmp_path, common(qrels, ranked), ranked)
    new = run(*flags, "-q", "-m", "all_trec", *paths).out.splitlines()
    old = run("--compat", "9.0.8", *flags, "-q", "-m", "all_trec", *paths).out.splitlines()
    assert [line for line in new if not line.startswith(_CHANGED)] == [
        line for line in old if not line.startswith(_CHANGED)
    ]


@pytest.mark.parametrize("seed", range(410, 414))
@pytest.mark.parametrize("depth", [1, 5, 40])
def test_a_depth_is_the_run_cut_there(seed: int, depth: int, tmp_path: Path) -> None:
    qrels, ranked = generated(seed)
    qrels = common(qrels, ranked)
    cut = {
        topic: dict(sorted(ranking.items(), key=lambda row: (row[1], row[0]), reverse=True)[:depth])
        for topic, ranking in ranked.items()
    }
    expected = run("-q", "-m", "all_trec", *written(tmp_path, qrels, cut))
    assert run("-q", "-M", depth, "-m", "all_trec", *written(tmp_path, qrels, ranked)) == expected


@pytest.mark.parametrize("seed", range(420, 424))
def test_a_missing_topic_counts_as_one_that_found_nothing(seed: int, tmp_path: Path) -> None:
    qrels, ranked = generated(seed)
    qrels["zz"] = {"d1": 1, "d2": 0}
    with_nothing = ranked | {topic: {"nothing": 1.0} for topic in qrels if topic not in ranked}
    arguments = (
        "-q",
        "-c",
        *(word for name in ("map", "ndcg", "P", "bpref", "gm_map", "num_rel", "yaap") for word in ("-m", name)),
    )
    expected = run(*arguments, *written(tmp_path, qrels, with_nothing))
    assert run(*arguments, *written(tmp_path, qrels, ranked)) == expected


@pytest.mark.parametrize("seed", range(430, 434))
def test_the_order_of_lines_does_not_matter(seed: int, tmp_path: Path) -> None:
    qrels, ranked = generated(seed)
    paths = written(tmp_path, common(qrels, ranked), ranked)
    expected = run("-q", "-m", "all_trec", *paths)
    for path in paths:
        path.write_text("".join(sorted(path.read_text().splitlines(keepends=True), key=lambda line: line[::-1])))
    assert run("-q", "-m", "all_trec", *paths) == expected
