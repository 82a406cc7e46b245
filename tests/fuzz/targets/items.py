"""Measures of items and of risk: runs and tables of items as files, against their definitions."""

from __future__ import annotations

import csv
import io
import math
import random
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranfield import evaluate
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from fuzz.targets.rankings import close
from generators.rankings import Collection, Retrieved, collections
from oracles import recommendation as papers
from oracles import risk

Item = tuple[str, float, str, str]  # name, popularity, group, genres


@dataclass(frozen=True)
class Recommended:
    """Judgments, two runs and a table of items."""

    plain: Collection
    other: list[Retrieved]
    items: list[Item]

    def items_file(self) -> bytes:
        """The items as CSV."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([("item", "popularity", "group", "genres"), *self.items])
        return out.getvalue().encode()


def recommended(source: random.Random) -> Recommended:
    """A collection, another run of the same documents in another order, and most of its documents as items."""
    made = collections(source, text=True)
    scores = source.sample([score for *_, score in made.run], len(made.run))
    other = [(query, name, score) for (query, name, _), score in zip(made.run, scores, strict=True)]
    names = sorted({row[1] for row in [*made.qrels, *made.run]})
    items = [
        (
            name,
            source.choice((0, 1, 1, 2, 7.5, 100)),
            source.choice(("", "a", "b", "c")),
            "|".join(source.sample(("x", "y ", "z"), source.randrange(4))),
        )
        for name in names
        if source.random() < 0.9
    ]
    return Recommended(made, other, items or [(names[0], 1, "a", "x")])


def table(rows: list[Any]) -> dict[str, dict[str, float]]:
    """Rows of query, document and number by query."""
    by_query: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        by_query.setdefault(query, {})[document] = float(number)
    return by_query


def evaluated(case: Recommended, measures: list[str], **settings: Any) -> Any:
    """The result of both runs as files."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        paths = [Path(folder, name) for name in ("qrels.txt", "one.run", "other.run", "items.csv")]
        contents = case.plain.qrels_file(), case.plain.run_file(), Collection([], case.other).run_file()
        for path, content in zip(paths, (*contents, case.items_file()), strict=True):
            path.write_bytes(content)
        if "item_info" in settings:
            settings["item_info"] = paths[3]
        return evaluate(paths[0], paths[1:3], measures, **settings)


@target(recommended, seeds=20)
def items_are_measured_as_defined(case: Recommended) -> None:
    """Values of all users and of each user, at a cutoff."""
    assume(case.plain.is_valid and len({name for name, *_ in case.items}) == len(case.items) > 0)
    qrels, items = table(case.plain.qrels), {n: {"popularity": p, "group": g, "genres": t} for n, p, g, t in case.items}
    assume(any(item["popularity"] for item in items.values()) and any(papers.tags(name, items) for name in items))
    assume(any(item["group"] for item in items.values()))
    measures = ["ItemCoverage@3", "ItemGini@3", "ItemEntropy@3", "Novelty@3", "ILD@3", "AWRF@3"]
    result = evaluated(case, measures, item_info=True)
    fair = {"p": None, "target": "catalogue", "divergence": "js"}
    for s, run in enumerate(map(table, (case.plain.run, case.other))):
        shown = papers.lists(qrels, run, items, 3)
        whole = [papers.coverage(shown, items), papers.gini(shown, items), papers.entropy(shown, items)]
        assert all(map(close, result.micro[s, :3], whole)), f"{result.micro[s, :3]}, not {whole}"
        for q, query in enumerate(sorted(qrels, key=str.encode)):
            wanted = [
                papers.novelty(shown[q], items, None),
                papers.diversity(shown[q], items, "cosine"),
                papers.fairness(risk.ranking(run.get(query, {}))[:3], items, qrels[query], **fair),
            ]
            known = result.values[s, 3:, q].tolist()
            assert all(map(close, known, wanted)), f"{query!r}: {known}, not {wanted}"


@target(recommended, seeds=20)
def risk_is_measured_as_defined(case: Recommended) -> None:
    """A run against another, and both together."""
    assume(case.plain.is_valid)
    qrels, runs = table(case.plain.qrels), [table(case.plain.run), table(case.other)]
    values = [[risk.average_precision(qrels[q], run.get(q, {})) for q in qrels] for run in runs]
    result = evaluated(case, ["RI", "URisk(alpha=3)", "TRisk", "ZRisk", "GeoRisk"], baseline="other")
    wanted = [
        risk.robustness_index(*values),
        risk.utility(*values, 3),
        risk.studentised(*values, 1),
        risk.standardised(values, 0, 1),
        risk.geometric(values, 0, 1),
    ]
    known = result.aggregated()[0].tolist()
    assume(math.isnan(wanted[2]) == math.isnan(known[2]) or abs(wanted[2]) < 1e6)  # gains that vary by rounding alone
    assert all(map(close, known, wanted)), f"{known}, not {wanted}"
