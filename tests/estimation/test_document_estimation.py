"""Estimates from few human and many machine labels of documents: by hand, against evaluate, and by simulation."""

from __future__ import annotations

import csv
from itertools import combinations

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.sampling import LabelledSample, neyman_allocation, sampled_total

N_TOPICS, N_DOCUMENTS = 20, 30


def collection(seed: int = 0, judge: str = "lenient", grades: int = 2) -> tuple[dict, dict, dict]:
    """Human and machine labels of all documents, and two runs; ids of several scripts and lengths."""
    rng = np.random.default_rng(seed)
    human, machine, runs = {}, {}, {"a": {}, "b": {}}
    for topic in range(N_TOPICS):
        query, names = f"q{topic}", [f"d{'é' * (n % 2)}{n}" for n in range(N_DOCUMENTS)]
        grade = rng.binomial(grades, rng.beta(0.8, 1.5), N_DOCUMENTS)
        wrong = rng.random(N_DOCUMENTS) < (0.3 if judge == "lenient" else 0.5)
        human[query] = dict(zip(names, grade.tolist(), strict=True))
        machine[query] = dict(zip(names, np.where(wrong, np.minimum(grade + 1, grades), grade).tolist(), strict=True))
        for place, run in enumerate(runs.values()):
            run[query] = dict(zip(names, (grade * (0.3 + 0.3 * place) + rng.normal(size=N_DOCUMENTS)), strict=True))
    return human, machine, runs


def some(human: dict, n: int, seed: int = 0) -> dict:
    """A simple random sample of the human labels."""
    rng = np.random.default_rng(seed)
    rows = [(query, name, grade) for query, labels in human.items() for name, grade in labels.items()]
    kept: dict = {}
    for place in rng.choice(len(rows), n, replace=False):
        query, name, grade = rows[place]
        kept.setdefault(query, {})[name] = grade
    return kept


MEASURES = ["P@10", "P(rel=2)@5", "CG@7", "DCG@10", "DCG(gain='exp2', discount='log(i)', base=3)@20", "RBP(p=0.7)"]


@pytest.mark.parametrize("measure", MEASURES)
def test_all_labels_give_the_value_of_the_measure_whatever_the_machine_says(measure):
    human, machine, runs = collection()
    estimate = cranfield.estimate_documents(human, machine, runs, measure, "a")
    truth = cranfield.evaluate(human, runs, measure)
    assert estimate.rows[0].estimate == pytest.approx(truth["a", measure])
    assert estimate.rows[1].estimate == pytest.approx(truth["b", measure])
    assert estimate.rows[2].estimate == pytest.approx(truth["b", measure] - truth["a", measure])
    assert estimate.rows[0].low == pytest.approx(estimate.rows[0].high)
    assert estimate.rows[0].machine == pytest.approx(cranfield.evaluate(machine, runs, measure)["a", measure])


def test_recall_with_all_labels_is_that_of_all_queries_pooled():
    human, machine, runs = collection()
    row = cranfield.estimate_documents(human, machine, runs, "R@10").rows[0]
    result = cranfield.evaluate(human, runs, "R@10")
    assert row.estimate == pytest.approx(result.micro[0, 0])
    assert row.machine == pytest.approx(cranfield.evaluate(machine, runs, "R@10").micro[0, 0])


def test_the_estimate_without_a_machine_is_the_expansion_estimator_by_hand():
    human, scale = np.array([1.0, 0, 1, 1]), np.array([1.0, 1, 1, 1, 1, 1, 1, 1])
    sample = LabelledSample(np.arange(4), np.full(4, 0.5), np.zeros(4, np.int64))
    total = sampled_total(human, np.zeros(8), scale, sample)
    assert total.value == pytest.approx(6)  # 3 of 4, of 8 documents
    assert total.weight == 0
    variance = 8**2 * (1 - 0.5) * np.var(human, ddof=1) / 4
    unseen = 1.5 * (1 / 0.5) ** 2 * (1 - 0.5)  # documents with labels as far apart as 0 and 1
    assert total.high - total.value == pytest.approx(3.182446305284263 * np.sqrt(variance + unseen))


@pytest.mark.parametrize("half_width", [0.5, 1, 2, 3, 4.5])
def test_the_sample_that_is_needed_is_the_smallest_whose_interval_is_short_enough(half_width):
    human = np.array([1.0, 0, 1, 1])
    sample = LabelledSample(np.arange(4), np.full(4, 0.5), np.zeros(4, np.int64))
    total = sampled_total(human, np.zeros(8), np.ones(8), sample, half_width=half_width)
    short = [n for n in range(1, 9) if 1.959964 * np.sqrt(8**2 * (1 / n - 1 / 8) * np.var(human, ddof=1)) <= half_width]
    assert total.needed == short[0]


def test_expansion_is_unbiased_and_its_variance_estimate_too_over_all_samples():
    values = np.array([0.0, 1, 1, 3, 7])
    totals, variances = [], []
    for row in combinations(range(5), 3):
        sample = LabelledSample(np.array(row), np.full(3, 0.6), np.zeros(3, np.int64))
        totals.append(sample.expanded(values[list(row)]))
        variances.append((sample.scattered(values[list(row), None]) ** 2).sum())
    assert np.mean(totals) == pytest.approx(values.sum())
    assert np.mean(variances) == pytest.approx(np.var(totals))


def test_the_machine_makes_intervals_shorter_and_never_longer():
    human, machine, runs = collection()
    for judge in (machine, {query: dict.fromkeys(labels, 1) for query, labels in machine.items()}):
        for row in cranfield.estimate_documents(some(human, 200), judge, runs, ["P@10", "R@10"], "a").rows:
            assert row.high - row.low <= 1.1 * (row.human_high - row.human_low)
    best = cranfield.estimate_documents(some(human, 200), human, runs, "P@10").rows[0]
    assert best.worth == pytest.approx(N_TOPICS * N_DOCUMENTS)  # a machine that is always right is worth all labels


def enriched(human: dict, machine: dict) -> dict:
    """The human labels of all documents that the machine calls relevant, and of every third other; probabilities."""
    others = iter(range(10**6))
    return {
        query: {
            name: 1 if machine[query][name] else 1 / 3
            for name in labels
            if machine[query][name] or next(others) % 3 == 0
        }
        for query, labels in human.items()
    }


def test_a_sample_that_is_not_random_is_refused_unless_its_probabilities_are_known():
    human, machine, runs = collection()
    probability = enriched(human, machine)
    labels = {query: {name: human[query][name] for name in names} for query, names in probability.items()}
    with pytest.raises(BadInput, match="not a random sample of the 600 that the machine judged: the machine's grades"):
        cranfield.estimate_documents(labels, machine, runs)
    rows = [{"query": q, "document": n, "probability": p} for q, names in probability.items() for n, p in names.items()]
    assert cranfield.estimate_documents(labels, machine, runs, sample=rows).n_judged == len(rows)


def test_a_sample_that_does_not_represent_the_documents_is_refused():
    human, machine, runs = collection()
    labels = some(human, 300)
    rows = [{"query": query, "document": name, "probability": 0.5} for query, names in labels.items() for name in names]
    assert cranfield.estimate_documents(labels, machine, runs, sample=rows).n_judged == 300
    with pytest.raises(
        BadInput, match=r"P@10 of a counts 200 documents, but .* represents \d+: were documents removed"
    ):
        cranfield.estimate_documents(labels, machine, runs, sample=rows[::2])
    planned = cranfield.plan_judging(machine, runs, "P@5", half_width=0.1)
    with pytest.raises(BadInput, match="was it drawn for other measures"):
        cranfield.estimate_documents(human, machine, runs, "P@20", sample=planned)


def test_all_documents_of_some_queries_are_no_random_sample_of_documents():
    human, machine, runs = collection()
    with pytest.raises(BadInput, match=r"concentrated in some queries .* if people judged whole queries"):
        cranfield.estimate_documents({q: human[q] for q in ("q3", "q7", "q8", "q14")}, machine, runs)
    for seed in range(20):
        assert cranfield.estimate_documents(some(human, 120, seed), machine, runs).n_judged == 120


def test_what_is_missing_is_named():
    human, machine, runs = collection()
    with pytest.raises(BadInput, match="people judged 1 document that the machine did not, such as 'x' for query 'q3'"):
        cranfield.estimate_documents({"q3": {"x": 1}}, machine, runs)
    with pytest.raises(BadInput, match="at least 10 documents"):
        cranfield.estimate_documents(some(human, 9), machine, runs)
    with pytest.raises(BadSetting, match="nDCG@10 is not a sum over documents"):
        cranfield.estimate_documents(some(human, 100), machine, runs, "nDCG@10")


def test_a_bad_sample_is_refused():
    _, machine, runs = collection()
    row = {"query": "q1", "document": "d0", "probability": 0.5}
    for rows, message in (
        ([row, {**row, "document": "d2"}], "that people did not judge, such as 'd2'"),
        ([{**row, "document": "x"}], "that the machine did not judge, such as 'x'"),
        ([{**row, "probability": 1.5}], r"probability 1\.5 is not in"),
        ([{"query": "q1", "document": "d0"}], "a sample needs the column 'probability'"),
        ([row, {**row, "probability": 0.25}], "row 1: document 'd0' of query 'q1' is repeated"),
        ([{**row, "probability": "half"}], "row 0: probability 'half' is not a number"),
    ):
        with pytest.raises(BadInput, match=message):
            cranfield.estimate_documents({"q1": {"d0": 1}}, machine, runs, sample=rows)


@pytest.mark.parametrize(("inside", "outside"), [(1, 0), (1.0, 0.0), (True, False), ("1.0", "0.0"), ("True", "false")])
def test_documents_that_were_not_selected_are_not_in_the_sample(inside, outside):
    human, machine, runs = collection()
    labels = some(human, 200)
    row = {"probability": 0.3, "selected": inside}
    rows = [{"query": query, "document": name, **row} for query, names in labels.items() for name in names]
    left_out = [{**row, "selected": outside} for row in rows[-20:]]
    assert cranfield.estimate_documents(labels, machine, runs, sample=rows[:-20] + left_out).n_judged == len(rows) - 20


def test_leniency_and_savings_are_reported():
    human, machine, runs = collection()
    text = str(cranfield.estimate_documents(some(human, 200), machine, runs, "P@10"))
    assert "on 200 doubly judged documents, the machine is lenient by" in text
    assert "the machine saved" in text
    assert "assumed to be a simple random sample" in text


def test_a_sample_of_the_size_that_the_interval_is_worth_has_that_interval_without_a_machine():
    human, machine, runs = collection(seed=3)
    n_documents = sum(map(len, machine.values()))
    for seed in range(3):
        row = cranfield.estimate_documents(some(human, 200, seed), machine, runs, "P@10").rows[0]
        assert 200 < row.worth < n_documents
        alone = [
            cranfield.estimate_documents(some(human, round(row.worth), other), machine, runs, "P@10").rows[0]
            for other in range(10, 16)
        ]
        lengths = [one.human_high - one.human_low for one in alone]
        assert np.mean(lengths) == pytest.approx(row.high - row.low, rel=0.1)


def test_a_plan_reaches_the_half_width_that_was_asked_for():
    human, machine, runs = collection()
    plan = cranfield.plan_judging(machine, runs, "P@10", "a", half_width=0.05, human=some(human, 150))
    assert plan.notes[0] == f"for intervals of ±0.05, judge these {len(plan)} documents"
    rows = plan.records()["documents"]
    labels: dict = {}
    for row in rows:
        labels.setdefault(row["query"], {})[row["document"]] = human[row["query"]][row["document"]]
    for sample in (plan, rows):
        found = cranfield.estimate_documents(labels, machine, runs, "P@10", "a", sample=sample)
        assert max(row.high - row.low for row in found.rows) < 2 * 0.05 * 1.4


def test_a_narrower_interval_needs_more_and_a_pilot_fewer_documents():
    human, machine, runs = collection()
    wide, narrow = (len(cranfield.plan_judging(machine, runs, "P@10", half_width=half)) for half in (0.05, 0.03))
    piloted = len(cranfield.plan_judging(machine, runs, "P@10", half_width=0.03, human=some(human, 300)))
    assert wide < narrow
    assert piloted < narrow
    every = cranfield.plan_judging(machine, runs, "P@10", half_width=1e-6)
    assert len(every) == sum(one.documents for one in every.strata) < N_TOPICS * N_DOCUMENTS


def test_the_allocation_is_as_small_as_the_best_of_all_allocations():
    size, spread = np.array([6, 5, 7]), np.array([[0.9], [0.2], [0.5]])
    target = np.array([3.0])
    chosen = neyman_allocation(size, spread, target)

    def variance(n: tuple[int, ...]) -> float:
        return sum(N * N * (1 / k - 1 / N) * s * s for N, k, s in zip(size, n, spread[:, 0], strict=True))

    options = [(a, b, c) for a in range(2, 7) for b in range(2, 6) for c in range(2, 8)]
    least = min(sum(n) for n in options if variance(n) <= 3.0)
    assert variance(tuple(chosen)) <= 3.0
    assert least <= chosen.sum() <= least + 2  # rounded up in each stratum


@pytest.mark.parametrize("n", [5, 20, 100])
@pytest.mark.parametrize(("prevalence", "errors"), [(0.2, 0.02), (0.05, 0.05), (0.5, 0.1)])
def test_an_interval_covers_though_the_machine_agrees_on_all_documents_that_people_judged(prevalence, errors, n):
    """Without documents that could differ, it covered 7 to 85 %, and often had no width."""
    rng, inside = np.random.default_rng(4), []
    for _ in range(200):
        human = (rng.random(1_000) < prevalence) * 1.0
        machine = np.where(rng.random(1_000) < errors, 1 - human, human)
        row, scale = np.sort(rng.choice(1_000, n, replace=False)), np.full(1_000, 0.001)
        sample = LabelledSample(row, np.full(n, n / 1_000), np.zeros(n, np.int64))
        found = sampled_total(scale[row] * human[row], scale * machine, scale, sample)
        assert found.low < found.high
        inside.append(found.low <= human.mean() <= found.high)
    assert np.mean(inside) > 0.92


@pytest.mark.simulation
@pytest.mark.parametrize("design", ["simple", "stratified"])
@pytest.mark.parametrize("judge", ["lenient", "noisy", "partial", "useless"])
def test_intervals_cover_and_are_not_wider_than_those_of_people_alone(judge, design):
    """2,000 samples; the partial judge favours the second system."""
    rng = np.random.default_rng(11)
    hard = rng.beta(0.5, 1.5, (60, 1))
    relevant = (rng.random((60, 60)) < hard * np.linspace(1.3, 0.2, 60)).astype(float)
    ranks = [(-(relevant * q + rng.normal(0, 0.5, relevant.shape))).argsort(1).argsort(1).ravel() for q in (0.6, 0.9)]
    relevant = relevant.ravel()
    weights = [(rank < 10) / 600 for rank in ranks]
    weights.append(weights[1] - weights[0])
    chance = {
        "lenient": np.where(relevant == 1, 0.95, 0.35),
        "noisy": np.where(relevant == 1, 0.7, 0.3),
        "partial": np.where(relevant == 1, 0.9, np.where(ranks[1] < 10, 0.6, 0.1)),
        "useless": np.full(len(relevant), 0.5),
    }[judge]
    machine = (rng.random(len(relevant)) < chance).astype(float)
    counts = np.maximum(weights[0], weights[1]) > 0
    stratum = np.zeros(len(relevant), np.int64) if design == "simple" else 1 + machine.astype(np.int64)
    frame = (
        [np.arange(len(relevant))] if design == "simple" else [np.flatnonzero(counts & (stratum == h)) for h in (1, 2)]
    )
    covered, widths = np.zeros(3), []
    for _ in range(2_000):
        parts = [rng.choice(rows, 500 if design == "simple" else 90, replace=False) for rows in frame]
        row = np.concatenate(parts)
        probability = np.concatenate(
            [np.full(len(part), len(part) / len(rows)) for part, rows in zip(parts, frame, strict=True)]
        )
        sample = LabelledSample(row, probability, stratum[row])
        for place, weight in enumerate(weights):
            found = sampled_total((weight * relevant)[row], weight * machine, weight, sample)
            covered[place] += found.low <= (weight * relevant).sum() <= found.high
            widths.append((found.high - found.low) / (found.human_high - found.human_low))
    assert ((covered / 2_000 >= 0.93) & (covered / 2_000 <= 0.97)).all(), covered / 2_000
    assert max(widths) <= 1.1


def test_the_command_line_chooses_and_estimates(tmp_path, capsys):
    from cranfield.cli.main import main

    human, machine, runs = collection()
    for name, labels in (("llm.qrels", machine), ("pilot.qrels", some(human, 150))):
        lines = [f"{q} 0 {n} {g}" for q, grades in labels.items() for n, g in grades.items()]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, run in runs.items():
        lines = [f"{q} Q0 {n} 1 {score} {name}" for q, scores in run.items() for n, score in scores.items()]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("llm.qrels", "a.run", "b.run", "judge.csv", "people.qrels")]
    chosen = ["estimate", "--machine", *files[:3], "-m", "P@10", "--half-width", "0.05", "--choose", "-o", files[3]]
    assert not main(chosen)
    with open(files[3], encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    lines = [f"{row['query']} 0 {row['document']} {human[row['query']][row['document']]}" for row in rows]
    (tmp_path / "people.qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
    capsys.readouterr()
    over = ["-m", "P@10", "--documents", "--sample", files[3]]
    assert not main(["estimate", "--human", files[4], "--machine", *files[:3], *over])
    assert f"{len(rows)} documents judged by people and by the machine, of 600" in capsys.readouterr().out
