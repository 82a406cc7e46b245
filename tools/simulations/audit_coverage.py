"""How often the intervals of an audit hold the true figure, for judges with known faults.

`python -m tools.simulations.audit_coverage 1000` prints the table of docs/explanation/audits.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from cranfield.auditing import paired_labels as labels
from cranfield.auditing.audit import agreement_figures, bias_figures, leniency_figures, mean_of, repeatability_figures
from cranfield.auditing.paired_labels import paired_labels
from cranfield.statistics.intervals import t_interval
from tools.simulations.judges import JUDGES, SYSTEMS, Judge, Labelled, labelled

DOCUMENTS = 20  # per topic, labelled by the machine
POPULATION = 6_000  # topics of which the true figures are
TOPICS = (10, 20, 50)
TOP = 10
Figures = dict[str, tuple[float, float, float]]


def figures_of(data: Labelled) -> Figures:
    """Every figure of an audit of these labels, with its interval."""
    pairs = [(f"q{topic}", f"d{place}") for place, topic in enumerate(data.topic.tolist())]

    def by_pair(values: np.ndarray) -> dict[tuple[str, str], float]:
        return dict(zip(pairs, values.astype(float).tolist(), strict=True))

    best = np.log2(np.min(list(data.ranks.values()), axis=0))
    columns = {"rank": best, "retrieved by a system": data.ranks["good"] <= TOP, "length": data.length}
    columns["of the topic"] = np.sin(data.topic)  # the same for all documents of a topic
    human, second, first = map(by_pair, (data.human, data.second, data.trials[0]))
    trials = [*map(by_pair, data.trials)]
    scale = (0.0, 1.0, 2.0, 3.0)
    both = paired_labels(human, first, trials, scale, {name: by_pair(one) for name, one in columns.items()}, 0.95)
    listed = [*repeatability_figures(both), *leniency_figures(both), *bias_figures(both)]
    listed += agreement_figures(both, {"ann": human, "bob": second}, human, first, 1)
    return {f"{part}: {name}": (value, low, high) for part, name, value, low, high, *_ in listed} | _others(data)


def _others(data: Labelled) -> Figures:
    """Consistency over orders of presentation, and the changes of differences between systems."""
    queries = [f"q{topic}" for topic in data.topic[::2]]
    same = (data.trials[0] > data.trials[1])[::2] == (data.trials[0] > data.trials[2])[::2]
    one = mean_of(queries, same.astype(float))
    found = {"order of presentation: same preference": (one.value, one.low, one.high)}
    n_topics, pairs = int(data.topic[-1]) + 1, list(combinations(SYSTEMS, 2))

    def precision(grades: np.ndarray, system: str) -> np.ndarray:
        return ((grades > 0) & (data.ranks[system] <= TOP)).reshape(n_topics, -1).sum(axis=1) / TOP

    for first, second in pairs:
        by_people, by_machine = (
            precision(grades, first) - precision(grades, second) for grades in (data.human, data.trials[0])
        )
        change = by_machine - by_people
        low, high, _ = t_interval(change[:, None], 1 - 0.05 / len(pairs)).of_one
        found[f"ranking: {first}, {second}"] = (float(change.mean()), low, high)
    return found


def true_figures(judge: Judge) -> dict[str, float]:
    """The figures of a large population."""
    data = labelled(np.random.default_rng(0), judge, POPULATION, DOCUMENTS)
    least, labels.LEAST_TOPICS = labels.LEAST_TOPICS, 10**9  # no intervals, which would take long
    try:
        return {name: figure[0] for name, figure in figures_of(data).items()}
    finally:
        labels.LEAST_TOPICS = least


def coverage(judge: Judge, n_topics: int, n_sets: int) -> Iterator[tuple[str, float, int]]:
    """For each figure, how often its interval holds the true one, and in how many sets it has an interval."""
    true, rng = true_figures(judge), np.random.default_rng(n_topics)
    held: dict[str, list[bool]] = {}
    together = "ranking: all pairs"
    for _ in range(n_sets):
        inside: list[bool] = []
        for name, (_, low, high) in figures_of(labelled(rng, judge, n_topics, DOCUMENTS)).items():
            if name in true and not (np.isnan(low) or np.isnan(high)):
                within = bool(low <= true[name] <= high)
                inside += [within] if name.startswith("ranking") else []
                held.setdefault(name, []).append(within)
        held.setdefault(together, []).append(all(inside))
    for name, hits in held.items():
        if not name.startswith("ranking") or name == together:
            yield name, float(np.mean(hits)), len(hits)


def main(n_sets: int) -> None:
    """Print the lowest and the highest coverage over judges, by figure and number of topics."""
    rows: dict[str, dict[int, list[float]]] = {}
    for judge in JUDGES.values():
        for n_topics in TOPICS:
            for name, held, n in coverage(judge, n_topics, n_sets):
                if n >= n_sets / 2:
                    rows.setdefault(name, {}).setdefault(n_topics, []).append(held)
    print("| figure | " + " | ".join(f"{n} topics" for n in TOPICS) + " |")
    print("|---" * (len(TOPICS) + 1) + "|")
    for name, by_size in rows.items():
        cells = [f"{min(by_size[n]):.3f}–{max(by_size[n]):.3f}" if n in by_size else "–" for n in TOPICS]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
