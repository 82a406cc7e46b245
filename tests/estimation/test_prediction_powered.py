"""Estimates from few human and many machine judgments: by hand in fractions, by simulation, and through every door."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.statistics.intervals import bounded_interval
from cranfield.statistics.sampling import powered_mean

HUMAN = {"q01": "0.2", "q3": "0.31", "q5": "0.44", "q80": "0.55", "q9": "0.62", "query-10": "0.7"}
MACHINE = {"q01": "0.5", "q3": "0.4", "q5": "0.6", "q80": "0.75", "q9": "0.7", "query-10": "0.9", "x": "0.3",
           "y": "0.9", "ζ": "1.0", "a long query id": "0.55"}  # fmt: skip


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def by_hand(human: dict[str, str], machine: dict[str, str]) -> tuple[float, float, float]:
    """The estimate, its half-width and the weight, in fractions up to the square root and the quantile."""
    h, m = ([Fraction(values[query]) for query in human] for values in (human, machine))
    rest = [Fraction(value) for query, value in machine.items() if query not in human]
    n, n_rest = len(h), len(rest)
    slope = sum((x - mean(h)) * (y - mean(m)) for x, y in zip(h, m, strict=True)) / sum((y - mean(m)) ** 2 for y in m)
    weight = max(slope, Fraction(0)) / (1 + Fraction(n, n_rest))
    left = [x - weight * y for x, y in zip(h, m, strict=True)]
    leverage = [(y - mean(m)) ** 2 / sum((z - mean(m)) ** 2 for z in m) for y in m]
    residual = [(x - mean(left)) / (1 - pull) for x, pull in zip(left, leverage, strict=True)]
    every = m + rest
    spread = sum((y - mean(every)) ** 2 for y in every) / (len(every) - 1)
    variance = sum(x**2 for x in residual) / (n - 1) / n + weight**2 * spread / n_rest
    value = mean(h) - weight * (mean(m) - mean(rest))
    alone = float(stats.t.ppf(0.975, n - 1)) * sqrt(sum((x - mean(h)) ** 2 for x in h) / (n - 1) / n)
    return float(value), min(float(stats.t.ppf(0.975, n - 2)) * sqrt(variance), 1.1 * alone), float(weight)


def numbers(values: dict[str, str]) -> dict[str, float]:
    return {query: float(value) for query, value in values.items()}


def test_the_estimate_is_the_corrected_mean_of_the_machine():
    row = cranfield.estimate({"s": numbers(HUMAN)}, {"s": numbers(MACHINE)}).rows[0]
    value, half, weight = by_hand(HUMAN, MACHINE)
    assert (row.estimate, row.low, row.high) == tuple(map(pytest.approx, (value, value - half, value + half)))
    assert row.weight == pytest.approx(weight)
    assert row.bias == pytest.approx(float(mean([Fraction(MACHINE[q]) - Fraction(HUMAN[q]) for q in HUMAN])))
    assert row.machine == pytest.approx(float(mean(list(map(Fraction, MACHINE.values())))))


def test_the_order_of_queries_and_systems_does_not_matter():
    source = random.Random(3)
    human = {"a": numbers(HUMAN), "b": {query: value / 2 for query, value in numbers(HUMAN).items()}}
    machine = {"a": numbers(MACHINE), "b": {query: value**2 for query, value in numbers(MACHINE).items()}}
    first = cranfield.estimate(human, machine, "b")

    def shuffled(values):
        names = sorted(values, key=lambda _: source.random())
        return {name: dict(sorted(values[name].items(), key=lambda _: source.random())) for name in names}

    second = cranfield.estimate(shuffled(human), shuffled(machine), "b")
    expected = {(row.system, row.baseline): row.estimate for row in first.rows}
    assert {(row.system, row.baseline): pytest.approx(row.estimate) for row in second.rows} == expected
    assert expected["a", "b"] == pytest.approx(cranfield.estimate(
        {"d": {q: human["a"][q] - human["b"][q] for q in HUMAN}},
        {"d": {q: machine["a"][q] - machine["b"][q] for q in MACHINE}},
    ).rows[0].estimate)  # fmt: skip


@pytest.mark.parametrize("machine", [[0.5] * 12, [0.9 - 0.05 * n for n in range(12)]])
def test_a_machine_that_says_nothing_leaves_the_human_mean(machine):
    human = np.array([0.1, 0.2, 0.25, 0.3, 0.5, 0.45])
    found = powered_mean(human, np.array(machine[:6]), np.array(machine[6:]))
    low, high = stats.t.interval(0.95, 5, human.mean(), human.std(ddof=1) / sqrt(6))
    assert found.weight == 0
    assert (found.value, found.low, found.high) == tuple(map(pytest.approx, (human.mean(), low, high)))


def test_a_machine_that_judges_no_more_queries_cannot_help():
    same = {query: MACHINE[query] for query in HUMAN}
    row = cranfield.estimate({"s": numbers(HUMAN)}, {"s": numbers(same)}).rows[0]
    assert (row.weight, row.estimate) == (0, pytest.approx(row.human))


def test_the_judgments_needed_give_the_half_width_asked_for():
    rng = np.random.default_rng(5)
    human = rng.beta(2, 3, 4_000)
    machine = np.clip(human + 0.2 + rng.normal(0, 0.1, 4_000), 0, 1)
    needed = powered_mean(human[:400], machine[:400], machine[400:], half_width=0.012).needed
    found = powered_mean(human[:needed], machine[:needed], machine[needed:])
    assert (found.high - found.low) / 2 == pytest.approx(0.012, rel=0.1)
    assert powered_mean(human[:400], machine[:400], machine[400:], half_width=1e-6).needed is None


@pytest.mark.parametrize("half_width", [0.05, 0.08, 0.1, 0.15])
def test_the_judgments_needed_are_the_fewest_by_the_correlation_of_both(half_width):
    human, machine = np.array([0.1, 0.5, 0.3, 0.9, 0.6, 0.2]), np.array([0.2, 0.4, 0.5, 0.8, 0.9, 0.1])
    n_units, variance = 200, stats.tvar(human)
    explained = stats.pearsonr(human, machine).statistic ** 2
    reach = stats.norm.ppf(0.975)
    widths = {n: reach * sqrt(variance * ((1 - explained) / n + explained / n_units)) for n in range(3, n_units + 1)}
    expected = min((n for n, width in widths.items() if width <= half_width), default=None)
    assert powered_mean(human, machine, np.full(n_units - 6, 0.5), half_width=half_width).needed == expected


@pytest.mark.parametrize("confidence", [0.5, 0.8])
def test_what_people_alone_would_say_and_what_the_machine_is_worth(confidence):
    human, machine = (np.array([float(values[q]) for q in HUMAN]) for values in (HUMAN, MACHINE))
    rest = np.array([float(value) for query, value in MACHINE.items() if query not in HUMAN])
    found = powered_mean(human, machine, rest, confidence)
    low, high = stats.t.interval(confidence, 5, human.mean(), stats.sem(human))
    assert (found.human, found.human_low, found.human_high) == pytest.approx((human.mean(), low, high))
    variance = ((found.high - found.low) / 2 / stats.t.ppf((1 + confidence) / 2, 4)) ** 2
    assert found.worth == pytest.approx(human.var(ddof=1) / variance)
    assert found.difference == pytest.approx((machine - human).mean())
    assert found.machine == pytest.approx(np.concatenate([machine, rest]).mean())
    assert found.needed is None


def test_two_values_are_too_few_for_a_slope_and_three_are_enough():
    human, machine, rest = np.array([0.1, 0.5, 0.7]), np.array([0.2, 0.4, 0.9]), np.array([0.3, 0.6])
    assert powered_mean(human[:2], machine[:2], rest).weight == 0
    slope = stats.linregress(machine, human).slope
    assert powered_mean(human, machine, rest).weight == pytest.approx(slope / (1 + 3 / 2))


@pytest.mark.parametrize(
    "human", [np.full(5, 0.5), np.zeros(5), np.array([0.3, 0.4, 0.5, 0.6, 0.7]) - np.arange(3, 8) / 10]
)
def test_values_without_variance_have_neither_worth_nor_interval(human):
    found = powered_mean(human + 0.25, np.array([0.1, 0.2, 0.3, 0.4, 0.1]), np.array([0.5]), half_width=0.1)
    assert (found.value, found.weight) == (pytest.approx(human[0] + 0.25), 0)
    assert np.isnan([found.low, found.high, found.human_low, found.human_high, found.worth]).all()
    people = {"a": {f"q{n}": 0.25 + value for n, value in enumerate(human)}}
    judge = {"a": {f"q{n}": 0.1 * n for n in range(8)}}
    assert "value, a: no interval: people's values are all the same" in str(cranfield.estimate(people, judge))


def test_the_judgments_needed_are_at_least_three_and_at_most_all():
    human, machine = np.array([0.1, 0.5, 0.3, 0.9, 0.6, 0.2]), np.array([0.9, 0.5, 0.7, 0.1, 0.4, 0.8])
    rest, variance = np.full(14, 0.5), stats.tvar(human)  # the machine is wrong, hence of no use
    reach = stats.norm.ppf(0.975)

    def needed(half_width: float) -> int | None:
        return powered_mean(human, machine, rest, half_width=half_width).needed

    assert needed(10.0) == 3
    assert needed(reach * sqrt(variance / 20) * (1 + 1e-9)) == 20
    assert needed(reach * sqrt(variance / 20) * (1 - 1e-9)) is None
    constant = powered_mean(human, np.full(6, 0.5), rest, half_width=reach * sqrt(variance / 10.5))
    assert constant.needed == 11


def test_a_half_width_that_the_machines_values_alone_exceed_is_out_of_reach():
    human = np.array([0.1, 0.5, 0.3, 0.9])
    reach, variance = stats.norm.ppf(0.975), stats.tvar(human)
    least = reach * sqrt(variance / 10)  # the machine is right on all ten
    assert powered_mean(human, human, np.full(6, 0.5), half_width=least * 0.999).needed is None
    assert powered_mean(human, human, np.full(6, 0.5), half_width=least * 1.001).needed == 3


def test_a_sample_that_is_not_random_is_pointed_out():
    machine = {"s": {f"q{n}": 0.1 + 0.8 * (n < 15) + 0.001 * n for n in range(40)}}
    human = {"s": {f"q{n}": 0.5 + 0.01 * n for n in range(12)}}
    assert any("not a random sample" in note for note in cranfield.estimate(human, machine).notes)
    even = {"s": {f"q{n}": 0.5 + 0.01 * n for n in range(0, 40, 3)}}
    assert not any("not a random sample" in note for note in cranfield.estimate(even, machine).notes)


@pytest.mark.parametrize(
    ("human", "machine", "settings", "error"),
    [
        ({"s": {"q1": 0.5}}, {"s": {"q1": 0.5, "q2": 0.1}}, {}, "at least 5"),
        ({"s": numbers(HUMAN)}, {"s": {"q1": 0.5}}, {}, "none by the machine"),
        ({"s": numbers(HUMAN)}, {"t": numbers(MACHINE)}, {}, "other systems"),
        ({"s": numbers(HUMAN)}, {"s": numbers(MACHINE)}, {"half_width": 0}, "half_width"),
        ({"s": numbers(HUMAN)}, {"s": numbers(MACHINE)}, {"baseline": "t"}, "no system 't'"),
    ],
)
def test_what_cannot_be_estimated_is_refused(human, machine, settings, error):
    with pytest.raises((BadInput, BadSetting), match=error):
        cranfield.estimate(human, machine, **settings)


def test_runs_are_evaluated_on_both_kinds_of_judgments(tmp_path, capsys):
    source = random.Random(1)
    queries = [f"{n:03}" for n in range(12)]
    run = "".join(f"{q} Q0 d{d} {d} {9 - d} t\n" for q in queries for d in range(1, 6))
    people = "".join(f"{q} 0 d{d} {source.randint(0, 1)}\n" for q in queries[::2] for d in range(1, 6))
    model = "".join(f"{q} 0 d{d} {source.randint(0, 1)}\n" for q in queries for d in range(1, 6))
    for name, text in (("t.run", run), ("people.qrels", people), ("model.qrels", model)):
        (tmp_path / name).write_text(text)
    files = ["--human", str(tmp_path / "people.qrels"), "--machine", str(tmp_path / "model.qrels")]
    assert main(["estimate", *files, str(tmp_path / "t.run"), "-m", "P@3", "-f", "json"]) == 0
    row = json.loads(capsys.readouterr().out)["estimates"][0]
    with pytest.warns(CranfieldWarning, match="6 queries without judgments"):
        alone = cranfield.evaluate(str(tmp_path / "people.qrels"), str(tmp_path / "t.run"), "P@3")
    assert row["human"] == pytest.approx(alone["P@3"])
    assert main(["estimate", *files]) == 1  # judgments are no tables of values
    assert main(["estimate", *files, "-m", "AP"]) == 2


JUDGES = {
    "lenient": lambda rng, human: np.clip(0.3 + 0.7 * human + rng.normal(0, 0.08, human.shape), 0, 1),
    "noisy": lambda rng, human: np.clip(human + rng.normal(0, 0.3, human.shape), 0, 1),
    "useless": lambda rng, human: rng.random(human.shape),
    "coarse": lambda rng, human: np.round(human * 2) / 2,
}


SHAPES = {
    "AP": lambda rng, size: rng.beta(1, 2, size),
    "AP, hard topics": lambda rng, size: rng.beta(0.25, 2.25, size),
    "nDCG, easy topics": lambda rng, size: rng.beta(5, 1, size),
    "RR, 70 % zeros": lambda rng, size: np.where(rng.random(size) < 0.7, 0, 1 / rng.geometric(0.35, size)),
    "P@10, hard topics": lambda rng, size: rng.binomial(10, rng.beta(0.3, 2.7, size)) / 10,
}


@pytest.mark.parametrize("sizes", [(20, 80), (30, 20), (60, 240)])
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.simulation
def test_intervals_cover_and_are_never_much_wider_than_those_of_people(shape, judge, sizes):
    rng = np.random.default_rng(11)
    true = SHAPES[shape](rng, 1_000_000).mean()
    n, n_rest = sizes
    covered, ratio = [], []
    for human in SHAPES[shape](rng, (2_000, n + n_rest)):
        machine = JUDGES[judge](rng, human)
        if human[:n].std():
            found = powered_mean(human[:n], machine[:n], machine[n:], bounds=(0, 1))
            covered.append(found.low <= true <= found.high)
            ratio.append((found.high - found.low) / (found.human_high - found.human_low))
    assert 0.93 <= np.mean(covered) <= (0.97 if n >= 60 else 0.985 if n >= 30 else 1)
    assert max(ratio) <= 1.1 + 1e-9


def test_a_measure_with_bounds_has_the_interval_of_eval_if_the_machine_says_nothing():
    human = {f"q{n}": n / 30 for n in range(12)}
    machine = {f"q{n}": 0.5 for n in range(40)}
    tables = [
        pd.DataFrame({"query": list(values), "system": "s", "measure": "AP", "value": list(values.values())})
        for values in (human, machine)
    ]
    row = cranfield.estimate(*tables).rows[0]
    expected = bounded_interval(np.array(list(human.values()))[:, None], (0, 1))
    assert (row.low, row.high) == (row.human_low, row.human_high) == (expected.low[0], expected.high[0])


def test_an_interval_keeps_the_shape_of_that_of_people_and_the_bounds_of_the_measure():
    human = np.array([0.0, 0, 0, 0.3, 0.1, 0, 0.5, 0, 0.2, 0])
    machine = human + np.tile([0.05, 0.1], 5)
    found = powered_mean(human, machine, np.tile([0.0, 0.1, 0.6], 10), bounds=(0, 1))
    below, above = found.human - found.human_low, found.human_high - found.human
    assert above > 1.5 * below
    assert (found.high - found.value) / above == pytest.approx((found.value - found.low) / below)
    low = powered_mean(human, machine, np.zeros(30), bounds=(0, 1))
    assert low.low == low.value < 0  # unbiased, hence not clipped
    assert powered_mean(human, machine, np.full(30, 0.05), bounds=(0, 1)).low == 0


@pytest.mark.simulation
def test_differences_are_unbiased_though_the_judge_favours_a_system():
    rng = np.random.default_rng(12)
    covered, errors = 0, []
    for _ in range(2_000):
        topic = rng.beta(1.2, 1.8, 150)
        first, second = (np.clip(topic + rng.normal(shift, 0.15, 150), 0, 1) for shift in (0.05, 0.0))
        difference = first - second
        machine = difference + 0.2 + rng.normal(0, 0.05, 150)
        found = powered_mean(difference[:40], machine[:40], machine[40:])
        errors.append(found.value)
        covered += found.low <= 0.0446 <= found.high
    assert np.mean(errors) == pytest.approx(0.0446, abs=0.003)
    assert 0.93 <= covered / 2_000 <= 0.97


@pytest.mark.parametrize("role", ["human", "machine"])
@pytest.mark.parametrize("form", [dict, pd.DataFrame])
def test_values_without_the_names_of_their_queries_are_refused(form, role):
    data = {"human": {"s": {"q1": 0.2, "q2": 0.4, "q3": 0.3}}, "machine": {"s": {f"q{n}": 0.1 * n for n in range(9)}}}
    data[role] = form({"s": [0.2, 0.4, 0.3]})
    with pytest.raises(BadInput, match=f"{role}: queries have no names"):
        cranfield.estimate(data["human"], data["machine"])


def test_the_index_of_a_frame_names_the_queries():
    machine = pd.DataFrame({"s": np.arange(9) / 10}, index=[f"q{n}" for n in range(9)])
    human = machine.loc[["q7", "q2", "q5", "q1", "q4"]] / 2
    assert cranfield.estimate(human, machine).rows[0].bias == pytest.approx(0.38 - 0.19)


def test_ids_read_as_floats_are_the_integers_that_they_were():
    people = pd.DataFrame({"query": [1.0, 2.0, 3.0, 5.0, 8.0], "a": [0.2, 0.5, 0.4, 0.9, 0.6]})
    judge = pd.DataFrame({"query": range(1, 9), "a": [0.3, 0.5, 0.6, 0.7, 0.9, 0.1, 0.2, 0.8]})
    assert cranfield.estimate(people, judge).n_judged == 5


def test_the_same_judgments_passed_twice_are_pointed_out():
    values = {"a": {"q1": 0.2, "q2": 0.5, "q3": 0.4, "q4": 0.9, "q5": 0.1}}
    assert any("were the same judgments passed twice" in note for note in cranfield.estimate(values, values).notes)


def test_both_kinds_of_judgments_need_the_same_runs_and_settings(tmp_path):
    qrels = {f"q{n}": {"d1": n % 2, "d2": 1} for n in range(5)}
    for name, scores in (("good", (2, 1)), ("other", (1, 2))):
        lines = [
            f"q{n} Q0 d{d} 0 {scores[d - 1]} x\n"
            for n in range(5)
            for d in sorted((1, 2), key=lambda d: -scores[d - 1])
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    people = cranfield.evaluate(qrels, {"run": tmp_path / "good.run"}, "P@1")
    with pytest.raises(BadInput, match="human was evaluated with depth=None, but machine with depth=1"):
        cranfield.estimate(people, cranfield.evaluate(qrels, {"run": tmp_path / "good.run"}, "P@1", depth=1))
    other = cranfield.evaluate(qrels, {"run": tmp_path / "other.run"}, "P@1")
    with pytest.raises(BadInput, match="the run run of human and that of machine have different content"):
        cranfield.estimate(people, other)
    swapped = [
        cranfield.evaluate(qrels, {"a": tmp_path / f"{a}.run", "b": tmp_path / f"{b}.run"}, "P@1")
        for a, b in (("good", "other"), ("other", "good"))
    ]
    assert "have different content" in str(cranfield.correlate({"people": swapped[0], "llm": swapped[1]}))
    roles = [origin.role for origin in cranfield.estimate(people, people).provenance.inputs]
    assert roles == ["qrels of human", "run of human", "qrels of machine", "run of machine"]


@pytest.mark.parametrize(("prevalence", "n"), [(0.15, 5), (0.15, 10), (0.15, 30), (0.5, 10)])
def test_few_human_values_have_an_interval_that_covers_though_the_machine_agrees_with_them(prevalence, n):
    """Scaled by the estimated ratio, it covered 70 to 91 %: a few values hardly show how often the machine errs."""
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(300):
        truth = (rng.random(n + 500) < prevalence) * 1.0
        machine = np.clip(truth + rng.normal(0, 0.15, n + 500), 0, 1)
        found = powered_mean(truth[:n], machine[:n], machine[n:], bounds=(0, 1))
        if not np.isnan(found.low):
            covered.append(found.low <= prevalence <= found.high)
    assert np.mean(covered) > 0.93


@pytest.mark.simulation
@pytest.mark.parametrize(("n_judged", "most"), [(10, 0.013), (60, 0.004)])
@pytest.mark.parametrize("measure", ["RR", "nDCG"])
def test_the_estimate_is_consistent_and_hardly_biased_with_few_queries(measure, n_judged, most):
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(2_000):
        human = 1 / rng.geometric(0.4, 300) if measure == "RR" else rng.beta(2, 2, 300)
        lenient = np.where(rng.random(300) < 0.4, 1.0, human)
        machine = lenient if measure == "RR" else np.clip(human + 0.2 + rng.normal(0, 0.15, 300), 0, 1)
        found = powered_mean(human[:n_judged], machine[:n_judged], machine[n_judged:], bounds=(0, 1))
        errors.append(found.value - human.mean())
    assert abs(np.mean(errors)) < most
