"""Results in experiment trackers."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting

QRELS = {"q1": {"a": 1}, "q2": {"b": 2, "c": 0}}
RUNS = {"é 1": {"q1": {"a": 1}, "q2": {"c": 2, "b": 1}}, "dense": {"q1": {"b": 2, "a": 1}, "q2": {"b": 1}}}
MEASURES = ["nDCG@10", "AP(rel=2)"]


class Tracker:
    """The functions of MLflow, without a server."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.parameters: dict[str, str] = {}

    def log_metric(self, name: str, value: float) -> None:
        assert re.fullmatch(r"[/\w.\- ]+", name), name  # as MLflow checks names
        assert posixpath.normpath(name) == name
        assert not name.startswith(("..", "/")), name
        self.metrics[name] = value

    def log_params(self, parameters: dict[str, str]) -> None:
        self.parameters |= parameters


def test_values_are_metrics_and_settings_are_parameters():
    result, tracker = cranfield.evaluate(QRELS, RUNS, MEASURES), Tracker()
    names = result.log_to(tracker)
    assert tracker.metrics == names
    assert tracker.metrics["dense/nDCG_10"] == result["dense", "nDCG@10"]
    assert tracker.metrics["dense/AP_rel_2"] == result["dense", "AP(rel=2)"]
    assert tracker.parameters["ties"] == "trec"
    assert tracker.parameters["input 1"] == "qrels judgments"
    alone = cranfield.evaluate(QRELS, RUNS["dense"], "nDCG@10")
    assert alone.log_to(Tracker()) == {"nDCG_10": alone["nDCG@10"]}


def test_other_trackers_read_json(tmp_path: Path):
    result = cranfield.classify(["x", "y", "x", "y"], ["x", "y", "y", "y"], positive="x")
    names = result.log_to(tmp_path / "metrics.json")
    written = json.loads((tmp_path / "metrics.json").read_text("utf-8"))
    assert written["metrics"] == names
    assert names["Accuracy"] == 0.75
    assert written["params"]["cranfield"]


def test_the_name_of_a_tracker_is_not_taken_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    result = cranfield.evaluate(QRELS, RUNS, "RR")
    for name in ("mlflow", Path("wandb"), "metrics.csv"):
        with pytest.raises(BadSetting, match=r"pass the tracker itself .* or a path that ends in \.json"):
            result.log_to(name)
    assert not list(tmp_path.iterdir())


def test_names_that_would_be_the_same_are_refused():
    runs = {"a@b": RUNS["dense"], "a#b": RUNS["dense"]}
    result = cranfield.evaluate(QRELS, runs, "RR")
    with pytest.raises(BadInput, match="two values would be logged as 'a_b/RR'"):
        result.log_to(Tracker())


def test_values_of_every_kind_have_names():
    ratings = {"ann": {"x": 1, "y": 0, "z": 1}, "bob": {"x": 1, "y": 0, "z": 0}}
    agreed = cranfield.agree(ratings, "Kappa")
    assert agreed.log_to(Tracker()) == {
        "Kappa": agreed["Kappa"], "pair/ann _ bob/Kappa": agreed["Kappa"], "topic/all/Kappa": agreed["Kappa"],
    }  # fmt: skip
    assert "é 1/dense/RBO" in cranfield.correlate_runs(RUNS).log_to(Tracker())
    gates = [{"measure": "RR", "require": "better"}, {"measure": "RR", "require": "at least", "value": 0.1}]
    checked = cranfield.check({"qrels": QRELS, "run": RUNS["dense"], "baseline": RUNS["é 1"], "gate": gates})
    better, reached = checked.log_to(Tracker())
    assert (better, reached) == ("RR of run is better than that of baseline", "RR of run is at least 0.1")


def test_names_are_relative_paths_in_any_script():
    runs = {"../../é": RUNS["dense"], "/ö:1": RUNS["é 1"], "漢字": RUNS["é 1"]}
    assert list(cranfield.evaluate(QRELS, runs, "RR").log_to(Tracker())) == ["é/RR", "ö_1/RR", "漢字/RR"]


def test_what_is_no_tracker_and_what_has_no_values_is_refused():
    result = cranfield.evaluate(QRELS, RUNS, "RR")
    with pytest.raises(BadSetting, match="not an experiment tracker"):
        result.log_to(object())
    with pytest.raises(BadInput, match="has no values by measure"):
        cranfield.pool(RUNS).log_to(Tracker())


def test_a_tracker_that_must_be_told_the_run_is_refused():
    class Client:
        def log_metric(self, run: str, key: str, value: float) -> None: ...

    with pytest.raises(BadSetting, match=r"Client\.log_metric cannot be called with name and value alone"):
        cranfield.evaluate(QRELS, RUNS, "RR").log_to(Client())


def test_mlflow_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    with mlflow.start_run() as run:
        logged = cranfield.evaluate(QRELS, RUNS, MEASURES).log_to(mlflow)
    assert mlflow.get_run(run.info.run_id).data.metrics == logged
