"""Reports on several collections: values and ranks of each, and the right test over all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, rankdata

from cranfield import meta_analysis
from cranfield.cli.main import main
from cranfield.errors import BadInput, CranfieldWarning
from cranfield.reporting.collections import report_collections

RELEVANT = {"q1": {"a": 1, "b": 1}, "07": {"c": 2}}
ORDERS = {"first": "abcx", "second": "xabc", "third": "cxba", "fourth": "xyca"}


def run(order: str) -> dict[str, dict[str, float]]:
    return {query: {document: -float(place) for place, document in enumerate(order)} for query in RELEVANT}


def collection(turn: int) -> tuple[dict, dict]:
    """Four systems whose rankings are turned by so many places, so that they differ between collections."""
    runs = {name: run(order[turn % 3 :] + order[: turn % 3]) for name, order in ORDERS.items()}
    return RELEVANT, runs


COLLECTIONS = {f"c{turn}": collection(turn) for turn in range(5)}


def by_hand(order: str) -> float:
    """The mean reciprocal rank of a ranking, for both queries."""
    ranks = [min(order.index(document) for document in judged if document in order) for judged in RELEVANT.values()]
    return sum(1 / (rank + 1) for rank in ranks) / len(ranks)


def test_values_ranks_and_the_omnibus_test_are_those_computed_by_hand() -> None:
    page = report_collections(COLLECTIONS, ["RR", "AP"]).content
    values = np.array([[by_hand(order[t % 3 :] + order[: t % 3]) for t in range(5)] for order in ORDERS.values()])
    ranks = np.array([rankdata(-column) for column in values.T]).T
    board = {row[0].value: row[1:] for row in page.board.rows}
    for name, value, rank in zip(ORDERS, values, ranks, strict=True):
        mean_rank, mean, *cells = board[name]
        assert mean_rank.value == pytest.approx(rank.mean())
        assert mean.value == pytest.approx(value.mean())
        assert [cell.value for cell in cells] == pytest.approx(value.tolist())
        assert [float(cell.marks) for cell in cells] == rank.tolist()
    assert [row[1].value for row in page.board.rows] == sorted(row[1].value for row in page.board.rows)
    statistic = friedmanchisquare(*values).statistic
    (omnibus,) = [passage for passage in page.methods if passage.heading == "Omnibus tests"]
    assert f"{statistic:.4g}"[:4] in omnibus.paragraphs[0]
    assert page.tables[0].title == "AP"


def test_the_command_reads_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, (qrels, runs) in list(COLLECTIONS.items())[:3]:
        (tmp_path / name).mkdir()
        lines = (f"{query} 0 {document} {grade}\n" for query in qrels for document, grade in qrels[query].items())
        (tmp_path / name / "qrels.txt").write_text("".join(lines))
        for system, queries in runs.items():
            rows = (f"{q} Q0 {d} 0 {score} tag\n" for q, scores in queries.items() for d, score in scores.items())
            (tmp_path / name / f"{system}.run").write_text("".join(rows))
    folders = [str(tmp_path / f"c{turn}") for turn in range(3)]
    page = tmp_path / "page.html"
    assert main(["report", "--collections", *folders, "-m", "RR", "-o", str(page), "--quiet"]) == 0
    assert "4 systems on 3 collections" in page.read_text()
    (tmp_path / "c1" / "fourth.run").unlink()
    assert main(["report", "--collections", *folders, "-m", "RR", "-o", str(page), "--quiet"]) == 1
    assert "c1 has no run of 'fourth'" in capsys.readouterr().err
    assert main(["report", "--collections", folders[0], "-o", str(page)]) == 1
    assert main(["report", "--collections", *folders, "--baseline", "first", "-o", str(page)]) == 2


def folder(path: Path, turn: int, grade: int = 1) -> str:
    """A collection on disk: its rankings turned, and the grade of its relevant documents."""
    path.mkdir(parents=True)
    path.joinpath("qrels.txt").write_text("".join(f"q{n} 0 {d} {grade}\n" for n in range(6) for d in "ab"))
    for system, order in (("one", "axb"), ("two", "xba")):
        turned = [order[(n + turn) % 3 :] + order[: (n + turn) % 3] for n in range(6)]
        lines = (f"q{n} Q0 {d} 0 {9 - place} t\n" for n, each in enumerate(turned) for place, d in enumerate(each))
        path.joinpath(f"{system}.run").write_text("".join(lines))
    return str(path)


def test_folders_of_one_name_are_different_collections(tmp_path: Path) -> None:
    paths = [folder(tmp_path / year / "dev", turn, grade=turn + 1) for turn, year in enumerate(("2019", "2020"))]
    found = meta_analysis([*paths, folder(tmp_path / "web", 2, grade=3) + "/"], "one", measures="RR")
    assert [row.collection for row in found.collections] == ["2019/dev", "2020/dev", "web"]
    with pytest.raises(BadInput, match=r"dev: duplicate collection"):
        meta_analysis([*paths, f"{paths[0]}/."], "one", measures="RR")


def test_a_copy_of_a_collection_is_named_in_a_warning(tmp_path: Path) -> None:
    paths = [folder(tmp_path / name, turn) for turn, name in enumerate("ab")]
    with pytest.warns(CranfieldWarning, match="a and b have the same judgments: the same queries count as two"):
        meta_analysis(paths, "one", measures="RR")


def test_a_meta_analysis_says_what_it_read(tmp_path: Path) -> None:
    paths = [folder(tmp_path / name, turn) for turn, name in enumerate("ab")]
    with pytest.warns(CranfieldWarning, match="same judgments"):
        found = meta_analysis(paths, "one", measures="RR", missing="skip").provenance
    assert {origin.role for origin in found.inputs} == {"qrels of a", "run of a", "qrels of b", "run of b"}
    assert all(origin.digest for origin in found.inputs)
    assert found.settings["missing"] == "skip"
    assert list(found.measures) == ["RR"]
    assert found.engine in ("local", "native")
    assert any("same judgments" in str(warning) for warning in found.warnings)


def test_systems_must_be_the_same_and_several() -> None:
    alone = {name: (qrels, {"first": runs["first"]}) for name, (qrels, runs) in COLLECTIONS.items()}
    with pytest.raises(BadInput, match="at least two systems"):
        report_collections(alone, "RR")
