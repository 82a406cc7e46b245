"""A run whose rows name several systems is evaluated as one, as in trec_eval, and a warning names them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cranfield import evaluate, plot
from cranfield.cli.main import main

QRELS = {"1": {"FBIS3-10082": 1, "文書7": 0}, "2": {"d1": 1}}
ROWS = [("1", "FBIS3-10082", 2.5), ("1", "文書7", 1.5), ("2", "d1", 0.25)]
SAID = "its rows have several tags ('bm25', 'dense') but are evaluated as one system"


class Entry(NamedTuple):
    query: str
    document: str
    score: float
    system: str


def frame(tags: list[str], name: str = "system") -> pd.DataFrame:
    table = pd.DataFrame(ROWS, columns=["query", "document", "score"])
    return table.assign(**{name: tags})


def text(tags: list[str], folder: Path, sign: str, name: str) -> str:
    lines = [sign.join((q, "Q0", d, "1", str(s), tag)) for (q, d, s), tag in zip(ROWS, tags, strict=True)]
    (folder / name).write_text("\n".join(lines) + "\n")
    return str(folder / name)


def written(write: Callable[[str], Any], folder: Path, name: str) -> str:
    write(str(folder / name))
    return str(folder / name)


def json_lines(tags: list[str], folder: Path) -> str:
    (folder / "a.jsonl").write_text(frame(tags).to_json(orient="records", lines=True, force_ascii=False))
    return str(folder / "a.jsonl")


def quoted(tags: list[str], folder: Path) -> str:
    return written(lambda path: frame(tags).to_csv(path, index=False, quoting=1), folder, "a.csv")


DOORS: dict[str, Callable[[list[str], Path], Any]] = {
    "TREC": lambda tags, folder: text(tags, folder, " ", "a.run"),
    "tabs": lambda tags, folder: text(tags, folder, "\t", "a.run"),
    "CSV without header": lambda tags, folder: text(tags, folder, ",", "a.csv"),
    "CSV": lambda tags, folder: written(lambda path: frame(tags).to_csv(path, index=False), folder, "a.csv"),
    "quoted CSV": quoted,
    "TSV": lambda tags, folder: written(
        lambda path: frame(tags, "tag").to_csv(path, sep="\t", index=False), folder, "a.tsv"
    ),
    "Parquet": lambda tags, folder: written(lambda path: frame(tags).to_parquet(path), folder, "a.parquet"),
    "Arrow": lambda tags, _: pa.Table.from_pandas(frame(tags, "run_id")),
    "JSON Lines": json_lines,
    "JSON": lambda tags, folder: written(
        lambda path: Path(path).write_text(json.dumps(frame(tags).to_dict("records"))), folder, "a.json"
    ),
    "pandas": lambda tags, _: frame(tags, "tag"),
    "categorical": lambda tags, _: frame(tags).astype({"system": "category"}),
    "Polars": lambda tags, _: pl.DataFrame(frame(tags)),
    "lazy": lambda tags, _: pl.DataFrame(frame(tags)).lazy(),
    "dicts": lambda tags, _: frame(tags).to_dict("records"),
    "named tuples": lambda tags, _: [Entry(*row, tag) for row, tag in zip(ROWS, tags, strict=True)],
}


def told(run: Any, **settings: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert evaluate(QRELS, run, "AP", **settings)["AP"] == 1
    return [str(one.message).partition(": ")[2] for one in caught]


@pytest.mark.parametrize("door", DOORS)
def test_several_tags_in_a_run_are_told(door: str, tmp_path: Path) -> None:
    assert told(DOORS[door](["bm25", "bm25", "dense"], tmp_path)) == [SAID]


@pytest.mark.parametrize("door", DOORS)
def test_one_tag_is_not_worth_a_word(door: str, tmp_path: Path) -> None:
    assert told(DOORS[door](["bm25"] * 3, tmp_path)) == []


@pytest.mark.parametrize("engine", ["local", "native"])
def test_a_second_tag_is_seen_in_a_large_file(engine: str, tmp_path: Path) -> None:
    qrels = {"1": {"d1": 1}, "2": {"d1": 1}}
    for tags in (("bm25", "dense"), ("dense", "bm25")):
        lines = [
            f"{q} Q0 d{k} 1 {1 / k} {tag}\n"
            for q, tag, n in ((1, tags[0], 9000), (2, tags[1], 1))
            for k in range(1, n + 1)
        ]
        (tmp_path / "a.run").write_text("".join(lines))
        with pytest.warns(match=f"'{tags[0]}', '{tags[1]}'"):
            evaluate(qrels, str(tmp_path / "a.run"), "AP", engine=engine)


def test_a_second_tag_is_seen_in_a_large_table(tmp_path: Path) -> None:
    table = pa.table({"query": ["1"] * 3000, "document": [str(k) for k in range(3000)], "score": range(3000, 0, -1)})
    tags = pa.array(["bm25"] * 1500 + ["dense"] * 1500)
    pq.write_table(table.append_column("system", tags), tmp_path / "a.parquet")
    with pytest.warns(match="'bm25', 'dense'"):
        evaluate({"1": {"0": 1}}, str(tmp_path / "a.parquet"), "AP")


def test_runs_with_several_tags_share_a_line(tmp_path: Path) -> None:
    for name in "ab":
        text(["bm25", "dense", name], tmp_path, " ", f"{name}.run")
    with pytest.warns(match="both runs have several tags in one run, which is evaluated as one system: a "):
        evaluate(QRELS, [str(tmp_path / f"{name}.run") for name in "ab"], "AP")


def test_plots_tell_it_too() -> None:
    with pytest.warns(match="several tags"):
        plot.strips(QRELS, frame(["bm25", "bm25", "dense"]))


def test_trec_eval_ignores_tags_as_the_original_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q").write_text("1 0 FBIS3-10082 1\n2 0 d1 1\n")
    main(["trec_eval", str(tmp_path / "q"), text(["bm25", "bm25", "dense"], tmp_path, " ", "a.run")])
    assert capsys.readouterr().err == ""
