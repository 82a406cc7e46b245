"""The leaderboard and the pages behind it: gains of the scale, tiers, undefined results, frozen links, files."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from campaign.web.campaign import GRADES, RUNS, Campaign, judge_all, run_file
from cranfield.campaign.store import schema
from cranfield.campaign.web import boards
from cranfield.campaign.web.cache import software
from cranfield.errors import CranfieldWarning

GAIN = {0: 0, 1: 1, 2: 3, 3: 7}  # of the default scale
SCALE = {"gains": [list(pair) for pair in GAIN.items()], "relevant_from": 1}


def board_of(campaign: Campaign) -> Any:
    return campaign.ada.get("/api/b/py/results").json()["board"]


def by_hand(ranking: list[str], pool: set[str]) -> float:
    """nDCG with the gains of the scale."""

    def dcg(grades: list[int]) -> float:
        return sum(GAIN[grade] / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))

    ideal = sorted((GRADES.get(document, 0) for document in pool), reverse=True)
    return dcg([GRADES.get(document, 0) if document in pool else 0 for document in ranking]) / dcg(ideal)


def test_ndcg_uses_the_gains_of_the_scale(released: Campaign) -> None:
    pools = {topic: {one for run in RUNS.values() for one in run[topic][:2]} for topic in ("09", "9")}
    board = board_of(released)
    for row in board["rows"]:
        expected = [by_hand(ranking, pools[topic]) for topic, ranking in RUNS[row["run"]].items()]
        assert row["values"][0]["value"] == pytest.approx(sum(expected) / 2, abs=1e-12)
    values = [row["values"][0]["value"] for row in board["rows"]]
    assert values == sorted(values, reverse=True)
    assert all(row["pooled"] for row in board["rows"])
    assert {row["team"] for row in board["rows"]} == {"Team P"}


def written(folder: Path, quality: dict[str, float], *, relevant: int = 5) -> tuple[dict[str, str], str]:
    """Runs of 20 topics that rank each relevant document in front with a probability, and their qrels."""
    chance, runs = random.Random(3), {}
    for name, probability in quality.items():
        lines = []
        for topic in range(20):
            front = [f"r{n}" for n in range(5) if chance.random() < probability]
            listed = front + [f"n{n}" for n in range(20)]
            lines += [f"{topic} Q0 {document} {rank} {-rank} x\n" for rank, document in enumerate(listed, 1)]
        runs[name] = str(folder / name)
        Path(runs[name]).write_text("".join(lines))
    qrels = [f"{topic} 0 r{n} {int(n < relevant)}\n" for topic in range(20) for n in range(5)]
    (folder / "qrels").write_text("".join(qrels))
    return runs, str(folder / "qrels")


def test_runs_that_are_not_significantly_different_share_a_tier(tmp_path: Path) -> None:
    runs, qrels = written(tmp_path, {"good": 0.9, "fine": 0.88, "poor": 0.1})
    rows = boards.board(runs, qrels, ["AP"], SCALE)["rows"]
    assert [(row["run"] == "poor", row["tiers"]) for row in rows] == [(False, [1]), (False, [1]), (True, [2])]


def test_undefined_results_are_listed_apart_and_never_ranked(tmp_path: Path) -> None:
    runs, qrels = written(tmp_path, {"a": 0.5, "b": 0.4}, relevant=0)
    found = boards.board(runs, qrels, ["AP"], SCALE)
    assert found["rows"] == []
    assert found["apart"] == [{"run": name, "reason": "AP is undefined on all 20 topics"} for name in ("a", "b")]


def test_one_run_and_one_topic_make_a_board(tmp_path: Path) -> None:
    runs, _ = written(tmp_path, {"a": 0.9})
    (tmp_path / "one").write_text("3 0 r1 2\n")
    with pytest.warns(CranfieldWarning, match="19 queries without judgments"):
        found = boards.board(runs, str(tmp_path / "one"), ["nDCG@10"], SCALE)
    assert found["warnings"] == ["a: 19 queries without judgments, left out"]
    assert [(row["run"], row["tiers"]) for row in found["rows"]] == [("a", [1])]


def test_after_an_upgrade_the_leaderboard_is_computed_again_and_the_frozen_one_stays(
    judged: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = board_of(judged)
    upgraded = software() | {"numpy": "99.0"}
    monkeypatch.setattr("cranfield.campaign.web.cache.software", lambda: upgraded)
    monkeypatch.setattr("cranfield.campaign.web.screens.leaderboards.software", lambda: upgraded)
    after = board_of(judged)
    assert (before["software"], after["software"]) == (software(), upgraded)
    assert after["digest"] != before["digest"]
    assert judged.ada.get(f"/api/b/py/boards/{before['digest']}").json()["board"]["software"] == software()


def test_a_frozen_board_never_changes(judged: Campaign) -> None:
    before = board_of(judged)
    link = f"/b/py/boards/{before['digest']}"
    run = judged.people["pia"].get("/api/b/py/runs").json()["runs"][0]
    judged.people["pia"].ok(f"/b/py/runs/{run['id']}/withdraw")
    judge_all(judged.people["bob"], {"d3": 3})
    judged.ada.ok("/b/py/qrels", {"rule": "highest"})
    assert board_of(judged) != before
    assert judged.ada.get(f"/api{link}").json()["board"] == before
    assert before["qrels"] in judged.ada.get(link).text
    assert judged.ada.get("/b/py/boards/" + "0" * 64).status_code == 404


def test_a_board_of_another_benchmark_is_not_found(judged: Campaign) -> None:
    digest = board_of(judged)["digest"]
    judged.ada.ok("/benchmarks", {"name": "Other", "slug": "other"})
    assert judged.ada.get(f"/api/b/other/boards/{digest}").status_code == 404


def test_boards_are_saved_as_csv_json_and_latex_without_formulas(judged: Campaign) -> None:
    change = update(schema.run).values(team="=HYPERLINK(1)")
    judged.served.store.write(lambda connection: connection.execute(change))
    board = board_of(judged)
    link = f"/b/py/boards/{board['digest']}"
    rows = list(csv.DictReader(io.StringIO(judged.ada.get(f"{link}/csv").text)))
    assert [row["run"] for row in rows] == [row["run"] for row in board["rows"]]
    assert {row["team"] for row in rows} == {"'=HYPERLINK(1)"}
    assert [float(row["AP"]) for row in rows] == [row["values"][1]["value"] for row in board["rows"]]
    assert json.loads(judged.ada.get(f"{link}/json").text) == board
    latex = judged.ada.get(f"{link}/tex").text
    assert latex.startswith(r"\begin{tabular}")
    assert all(name in latex for name in RUNS)
    assert judged.ada.get(f"{link}/exe").status_code == 422


def test_a_run_submitted_twice_has_a_page_under_each_name(judged: Campaign) -> None:
    runs = {run["name"]: run for run in judged.ada.get("/api/b/py/runs").json()["runs"]}
    first = judged.ada.get(f"/api/b/py/results/runs/{runs['bm25']['id']}").json()
    judged.people["pia"].ok("/b/py/runs", {"name": "copy"}, files={"file": ("copy.run", run_file("bm25"))})
    copy = next(run for run in judged.ada.get("/api/b/py/runs").json()["runs"] if run["name"] == "copy")
    assert copy["hash"] == runs["bm25"]["hash"]
    second = judged.ada.get(f"/api/b/py/results/runs/{copy['id']}").json()
    assert [one["cells"] for one in second["topics"]] == [one["cells"] for one in first["topics"]]


def test_a_run_stands_beside_median_and_best(released: Campaign) -> None:
    runs = {run["name"]: run["id"] for run in released.ada.get("/api/b/py/runs").json()["runs"]}
    found = {name: released.ada.get(f"/api/b/py/results/runs/{key}").json() for name, key in runs.items()}
    value = {name: {one["topic"]: one["value"] for one in page["topics"]} for name, page in found.items()}
    for page in found.values():
        for one in page["topics"]:
            own = sorted(value[name][one["topic"]] for name in runs)
            assert (one["median"], one["best"]) == (own[1], own[2])
        assert [recall for recall, _ in page["curve"]] == [level / 10 for level in range(11)]
    assert released.ada.get(f"/b/py/results/runs/{runs['bm25']}").status_code == 200


def test_two_runs_differ_topic_by_topic_and_their_lists_stand_side_by_side(released: Campaign) -> None:
    runs = {run["name"]: run["id"] for run in released.ada.get("/api/b/py/runs").json()["runs"]}
    path = f"/b/py/results/compare?first={runs['bm25']}&second={runs['secretrun']}"
    found = released.ada.get(f"/api{path}").json()
    values = {row["run"]: row["values"][0]["value"] for row in board_of(released)["rows"]}
    differences = [one["difference"] for one in found["contrast"]["topics"]]
    assert differences == sorted(differences, reverse=True)
    assert sum(differences) / 2 == pytest.approx(values["bm25"] - values["secretrun"])
    assert found["contrast"]["tested"]["difference"] == pytest.approx(sum(differences) / 2)
    most = max(found["contrast"]["topics"], key=lambda one: abs(one["difference"]))["topic"]
    listed = {own["run"]: own["documents"] for own in found["lists"]["lists"]}
    assert [one["document"] for one in listed["bm25"]] == RUNS["bm25"][most]
    assert "Sleep for some seconds" in listed["bm25"][0]["text"]
    assert [one["other_rank"] for one in listed["bm25"]] == [
        RUNS["secretrun"][most].index(one) + 1 if one in RUNS["secretrun"][most] else None for one in RUNS["bm25"][most]
    ]
    assert released.ada.get(path).status_code == released.ada.get("/b/py/results/compare").status_code == 200
    swapped = f"/api/b/py/results/compare?first={runs['secretrun']}&second={runs['bm25']}"
    turned = released.ada.get(swapped).json()["contrast"]
    assert {one["topic"]: -one["difference"] for one in turned["topics"]} == {
        one["topic"]: one["difference"] for one in found["contrast"]["topics"]
    }
    assert turned["tested"]["difference"] == pytest.approx(-found["contrast"]["tested"]["difference"])


def test_a_topic_shows_the_grades_of_every_run_and_opens_documents(released: Campaign) -> None:
    compared = released.ada.get("/api/b/py/results/runs/1").json()["topics"]
    topic = next(one["id"] for one in compared if one["topic"] == "09")
    found = released.ada.get(f"/api/b/py/results/topics/{topic}").json()
    assert {row["run"]: [cell["document"] for cell in row["cells"]] for row in found["rows"]} == {
        name: run["09"] for name, run in RUNS.items()
    }
    pool = {one for run in RUNS.values() for one in run["09"][:2]}
    assert all(
        cell["grade"] == (GRADES.get(cell["document"], 0) if cell["document"] in pool else None)
        for row in found["rows"]
        for cell in row["cells"]
    )
    page = released.ada.get(f"/b/py/results/topics/{topic}").text
    assert f"/b/py/results/topics/{topic}/document?name=d8" in page
    shown = released.ada.get(f"/api/b/py/results/topics/{topic}/document", params={"name": "d1"}).json()
    assert (shown["grade"], shown["label"]) == (3, "Highly relevant")
    assert shown["ranks"] == [{"run": "bm25", "rank": 1}, {"run": "dense", "rank": 2}, {"run": "secretrun", "rank": 4}]
    assert released.ada.get(f"/b/py/results/topics/{topic}/document?name=d1").status_code == 200
    assert released.ada.get(f"/b/py/results/topics/{topic}/document?name=nothing").status_code == 404


def test_the_report_is_served_in_a_sandbox(campaign: Campaign) -> None:
    """It runs scripts of its own, and must not act as the person who looks at it."""
    judge_all(campaign.people["ann"], {"d1": 3, "d6": 2})
    campaign.ada.ok("/b/py/qrels", {})
    answer = campaign.ada.get("/b/py/results/report")
    assert answer.status_code == 200
    assert "<title>Python search, qrels version 1" in answer.text
    (policy,) = answer.headers.get_list("content-security-policy")
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_board_shows_what_unjudged_documents_could_change(tmp_path: Path) -> None:
    """By hand: P@2 of three runs on one topic, if unjudged documents are skipped or relevant."""
    rankings = {"safe": "a n1 b", "bold": "x1 a b", "poor": "n1 n2 x2"}  # a and b are relevant, x1 and x2 unjudged
    runs = {}
    for name, ranking in rankings.items():
        lines = [f"q Q0 {document} {rank} {-rank} x\n" for rank, document in enumerate(ranking.split(), 1)]
        runs[name] = str(tmp_path / name)
        Path(runs[name]).write_text("".join(lines))
    (tmp_path / "qrels").write_text("q 0 a 3\nq 0 b 1\nq 0 n1 0\nq 0 n2 0\n")
    board = boards.board(runs, str(tmp_path / "qrels"), ["P@2"], SCALE)
    assert [row["run"] for row in board["rows"]] == ["bold", "safe", "poor"]
    assert [row.pop("not_relevant") for row in board["unjudged"]] == [0.5, 0.5, 0.0]
    assert [row.pop("not_relevant_rank") for row in board["unjudged"]] == [1, 2, 3]
    assert board["unjudged"] == [
        {"run": "bold", "left_out": 1.0, "top_grade": 1.0, "left_out_rank": 1, "top_grade_rank": 1},
        {"run": "safe", "left_out": 0.5, "top_grade": 0.5, "left_out_rank": 2, "top_grade_rank": 2},
        {"run": "poor", "left_out": 0.0, "top_grade": 0.0, "left_out_rank": 3, "top_grade_rank": 3},
    ]
    assert boards.board(runs, str(tmp_path / "qrels"), ["P(unjudged='skip')@2"], SCALE)["unjudged"] == []


def late_submission(folder: Path) -> tuple[dict[str, str], str]:
    """Over 20 topics, good and poor are judged down to rank 4, and late has one judged document among four."""
    rankings = {"good": "r1 r2 r3 n1", "poor": "n1 n2 n3 r1", "late": "r1 x1 x2 x3"}
    runs = {}
    for name, ranking in rankings.items():
        lines = [f"{topic} Q0 {document} {rank} {-rank} x\n" for topic in range(20)
                 for rank, document in enumerate(ranking.split(), 1)]  # fmt: skip
        runs[name] = str(folder / name)
        Path(runs[name]).write_text("".join(lines))
    judged = {"r1": 3, "r2": 3, "r3": 3, "n1": 0, "n2": 0, "n3": 0}
    (folder / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t in range(20) for d, g in judged.items()))
    return runs, str(folder / "qrels")


def test_a_run_is_not_ranked_if_its_unjudged_documents_could_reverse_a_significant_difference(tmp_path: Path) -> None:
    runs, qrels = late_submission(tmp_path)
    board = boards.board(runs, qrels, ["P@4"], SCALE)
    assert [(row["run"], row["tiers"]) for row in board["rows"]] == [("good", [1]), ("poor", [2])]
    (late,) = board["unsettled"]
    assert (late["run"], late["tiers"], late["values"][0]["value"], late["top_grade"]) == ("late", [], 0.25, 1.0)
    assert board["depth"] == 4
    judged = Path(qrels).read_text() + "".join(f"{t} 0 x{n} 0\n" for t in range(20) for n in (1, 2, 3))
    Path(qrels).write_text(judged)  # once they are judged, the difference stands
    after = boards.board(runs, qrels, ["P@4"], SCALE)
    assert (after["unsettled"], len(after["rows"])) == ([], 3)


def test_the_leaderboard_says_what_unjudged_documents_could_reverse_and_pools_them(judged: Campaign) -> None:
    """The page with a run that was submitted after the pool, of which nothing is judged."""
    late = b"".join(f"{t} Q0 {t}{n} {n} {-n} late\n".encode() for t in ("09", "9") for n in range(1, 5))
    judged.ada.ok("/b/py/runs", {"name": "late"}, files={"file": ("late.run", late)})
    key = next(run["id"] for run in judged.ada.get("/api/b/py/runs").json()["runs"] if run["name"] == "late")
    board = board_of(judged)
    table = schema.score
    row = next(row for row in board["rows"] if row["run"] == "late")
    board["rows"].remove(row)  # with two topics, nothing is significant
    board["unsettled"] = [row | {"tiers": [], "top_grade": 1.0}]
    changed = update(table).where(table.c.key == board["digest"]).values(value=json.dumps(board))
    judged.served.store.write(lambda connection: connection.execute(changed))
    page = judged.ada.get("/b/py/results").text
    assert "unjudged documents could reverse a significant difference" in page
    assert '<details class="more" open>' in page
    assert "Pool the unjudged documents of late" in page
    assert "Pool the unjudged" not in judged.ada.get(f"/b/py/boards/{board['digest']}").text
    before = judged.ada.get("/api/b/py/pool").json()["waves"]
    judged.ada.ok("/b/py/pool", {"run": key, "depth": board["depth"]})
    wave = judged.ada.get("/api/b/py/pool").json()["waves"][len(before)]
    assert (wave["settings"]["runs"], wave["n_documents"]) == (["late"], 8)
    listed = list(csv.DictReader(io.StringIO(judged.ada.get(f"/b/py/boards/{board['digest']}/csv").text)))
    assert {one["run"]: one["tiers"] for one in listed}["late"] == ""


def test_pages_name_measures_as_the_settings_do(judged: Campaign) -> None:
    shown = judged.ada.get("/b/py/results/runs/1").text
    assert '<th scope="row">nDCG@10<br><span class="note">nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7})@10</span></th>' in shown
    assert "gain" not in judged.ada.get("/b/py/pool/quality").text
    board = board_of(judged)
    assert not any("gain" in words for words in board["warnings"])


def test_a_board_of_an_earlier_release_is_still_shown(judged: Campaign) -> None:
    board = board_of(judged)
    older = {name: value for name, value in board.items() if name != "unjudged"}
    values = {"value": json.dumps(older)}
    table = schema.score
    judged.served.store.write(
        lambda connection: connection.execute(update(table).where(table.c.key == board["digest"]).values(**values))
    )
    assert judged.ada.get(f"/b/py/boards/{board['digest']}").status_code == 200


def test_two_different_runs_are_suggested_for_a_comparison(released: Campaign) -> None:
    data = released.ada.get("/api/b/py/results/compare").json()
    assert data["second"] not in (None, data["runs"][0]["id"])
    assert released.ada.get("/b/py/results/compare").text.count(" selected") == 1


def test_the_page_of_a_run_shows_its_card(judged: Campaign) -> None:
    values = {"system": "Faiss 1.9", "models": '["encoder-a"]', "tags": '["two-stage"]'}
    judged.served.store.write(lambda connection: connection.execute(update(schema.run).values(**values)))
    shown = judged.ada.get("/b/py/results/runs/1").text
    assert all(words in shown for words in ("System: Faiss 1.9.", "Models: encoder-a.", ">two-stage</span>"))
