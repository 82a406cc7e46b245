"""The harness of the benchmarks, on small data and without the peers, which need not be installed."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
CASES = ("import", "sparse", "dense-dicts", "growth-queries", "report-2")


def benchmarks(*words: str) -> str:
    """What `python -m benchmarks` prints."""
    command = [sys.executable, "-m", "benchmarks", "--quick", "--repeat", "1", "--tool", "cranfield", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict]:
    folder = tmp_path_factory.mktemp("bench")
    text = benchmarks(*CASES, "--data", str(folder / "data"), "--json", str(folder / "figures.json"))
    return text, json.loads((folder / "figures.json").read_text())


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(ROOT)

    def imported(name: str) -> ModuleType:
        return importlib.import_module(f"benchmarks.{name}")

    return imported


def test_every_case_has_a_table(printed):
    text, _ = printed
    for case in CASES:
        assert f"\n{case}: " in text
    assert text.count("\ntool ") == len(CASES)
    assert "\ncranfield 4× " in text


def test_every_tool_was_measured(printed):
    _, figures = printed
    assert [case["case"] for case in figures["cases"]] == list(CASES)
    for case in figures["cases"]:
        for tool in case["tools"].values():
            assert tool["fault"] is None
            assert all(run["wall"] > 0 and run["peak"] > 10 for run in tool["runs"])


def test_one_of_a_case_has_a_second_call(printed):
    _, figures = printed
    runs = {case["case"]: case["tools"] for case in figures["cases"]}
    assert runs["sparse"]["cranfield"]["runs"][0]["warm"] > 0
    assert "warm" not in runs["import"]["cranfield"]["runs"][0]


def test_an_unknown_name_is_refused():
    with pytest.raises(subprocess.CalledProcessError) as error:
        benchmarks("nothing")
    assert "no benchmark or case is called nothing" in error.value.stderr


def measured(module, values: list[float], wall: float, fault: str = ""):
    """Two tools on a case: the first found 0.5 and 1 in a second."""
    cases, running = module("cases"), module("running")
    work = cases.Tool(lambda _: lambda: dict)
    bound = cases.Target("peer", at_least=5)
    case = cases.Case("case", "a title", {"cranfield": work, "peer": work}, targets=(bound,))
    first = running.Runs([{"wall": 1.0, "cpu": 1.0, "peak": 50.0}], {"AP": np.array([0.5, 1.0])})
    figures = [] if fault else [{"wall": wall + 1, "cpu": 1.0, "peak": 70.0}, {"wall": wall, "cpu": 2.0, "peak": 60.0}]
    peer = running.Runs(figures, {"AP": np.array(values)}, fault)
    return running.Measured("benchmark", case, {"cranfield": first, "peer": peer})


def test_the_best_of_the_runs_is_set_beside_the_first_tool(module):
    table = module("table")
    shown = table.text(table.figures(measured(module, [0.5, 1.0], wall=6.0)))
    assert shown.splitlines()[-1].split() == ["peer", "6.00", "1.00", "70", "6.00", "1.00", "2", "0", "0", "of", "2"]


def test_values_that_differ_are_counted(module):
    assert measured(module, [0.5, 0.75], wall=6.0).difference("peer") == (0.25, 1, 2)


@pytest.mark.parametrize(("wall", "met"), [(6.0, "yes"), (4.0, "NO")])
def test_a_target_is_met_or_not(module, wall, met):
    table = module("table")
    row = table.targets([measured(module, [0.5, 1.0], wall)]).rows[0]
    assert row == ["case", "peer", "wall", "≥ 5×", f"{wall:.2f}×", met]


def test_a_tool_that_cannot_run_is_shown_with_the_reason(module):
    table = module("table")
    broken = measured(module, [], wall=1.0, fault="ModuleNotFoundError: No module named 'peer'")
    assert "No module named 'peer'" in table.text(table.figures(broken))
    assert table.targets([broken]).rows[0][-2:] == ["not measured", ""]


def test_tables_are_markdown_too(module):
    table = module("table")
    lines = table.markdown(table.figures(measured(module, [0.5, 1.0], wall=6.0))).splitlines()
    assert lines[0] == "**case: a title**"
    assert lines[2].startswith("| tool | wall s |")
    assert lines[3].startswith("| :-- | --: |")


def test_the_data_are_the_same_wherever_they_are_made(module, tmp_path):
    shape = module("rankings").dense(3, 20)
    for folder in ("one", "other"):
        module("collection").write_collection(tmp_path / folder, shape)
    for name in ("qrels.txt", "run.txt"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    run = [line.split() for line in (tmp_path / "one" / "run.txt").read_text().splitlines()]
    assert len({(query, document) for query, _, document, *_ in run}) == 60
    assert len((tmp_path / "one" / "qrels.txt").read_text().splitlines()) == 3 * 24


def test_every_judgment_under_load_is_kept_once() -> None:
    command = [sys.executable, "-m", "benchmarks.serving", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "judgments in the database / acknowledged" in done.stdout


def points_of(module, engine: str, costs: tuple[float, float, float, float]) -> list:
    """Points that cost exactly this for a byte, a judged document, a query and a run."""
    point = module("scaling").Point
    sizes = [(1e8, 1e3, 500, 1), (2e8, 1e3, 500, 1), (2e8, 4e3, 2000, 1), (3e7, 9e5, 700, 7), (6e7, 2e6, 1500, 15)]
    return [
        point(curve, engine, n_bytes // 36, n_queries, n_judged, n_bytes, np.dot(costs, size), n_runs)
        for curve, size in zip(("lines", "lines", "queries", "runs", "runs"), sizes, strict=True)
        for n_bytes, n_judged, n_queries, n_runs in [size]
    ]


def test_the_costs_are_those_that_the_points_were_made_from(module):
    points = points_of(module, "native", (2e-9, 3e-7, 1e-5, 0.01)) + points_of(module, "local", (8e-9, 0, 2e-5, 0.02))
    native, local = module("costs").fitted(points)
    assert native[1:] == pytest.approx((2e-9, 3e-7, 1e-5, 0.01, 0), rel=1e-6, abs=1e-9)
    assert local[1:] == pytest.approx((8e-9, 0, 2e-5, 0.02, 0), rel=1e-6, abs=1e-9)
    hours = (10**10 * 36 * 2e-9 + 2 * 10**7 * 3e-7 + 10**7 * 1e-5 + 0.01) / 3600
    row = module("costs").table(points, {"native": 36.0}).rows[0]
    assert row[1] == "36.0"
    assert row[-2:] == (f"{hours + 0.01:.2f}", f"{hours * 60 / 64 + 0.6:.1f}")


def test_the_curves_are_drawn_into_the_documentation_and_again_in_their_place(module, tmp_path):
    costs = module("costs")
    (tmp_path / "explanation").mkdir()
    (tmp_path / "images").mkdir()
    page = tmp_path / "explanation" / "speed.md"
    page.write_text(f"# Speed\n\n{costs.BEGIN}\n{costs.END}\n\n## More\n")
    points = points_of(module, "native", (2e-9, 3e-7, 1e-5, 0.01))
    for where in ("Yesterday", "Today"):
        costs.write(points, {"native": 0.2}, tmp_path, where)
    text = page.read_text()
    assert text.startswith("# Speed\n")
    assert text.endswith("## More\n")
    assert "Today" in text
    assert "Yesterday" not in text
    assert text.count("| native |") == 1
    assert [f"speed-{curve}.svg" in text for curve in costs.CURVES] == [True] * 3
    assert all((tmp_path / "images" / f"speed-{curve}.svg").read_text().startswith("<svg") for curve in costs.CURVES)


def test_what_starting_takes_is_the_first_call_less_a_later_one(module):
    running, scaling = module("running"), module("scaling")
    case = next(case for case in scaling.cases(quick=True) if case.name == "growth-lines")
    cpu = {"spark start": 9.0, "spark 1×": 2.0, "cranfield 1×": 0.1}
    runs = {tool: running.Runs([{"cpu": seconds}]) for tool, seconds in cpu.items()}
    assert scaling.starts([running.Measured("scaling", case, runs)]) == {"spark": 7.0}


def test_tools_of_a_session_share_a_process_and_take_turns(module, tmp_path):
    case = next(case for case in module("scaling").cases(quick=True) if case.name == "growth-lines")
    assert {tool for tool, one in case.tools.items() if one.session} == {f"spark {times}×" for times in (1, 2, 4, 8)}
    case.make(tmp_path)
    words = ["scaling", "growth-lines", "cranfield 1×|cranfield start|cranfield 1×", str(tmp_path), "quick"]
    command = [sys.executable, "-m", "benchmarks.worker", *words, str(tmp_path / "out"), "1"]
    (tmp_path / "out").mkdir()
    subprocess.run(command, cwd=ROOT, check=True)
    figures = [json.loads((tmp_path / "out" / str(i) / "figures.json").read_text()) for i in range(3)]
    assert all(one["cpu"] > 0 for one in figures)
