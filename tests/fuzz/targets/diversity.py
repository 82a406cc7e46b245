"""Measures of diversity: judgments by subtopic, against the reference evaluator."""

from __future__ import annotations

import random
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

from cranfield import evaluate
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from fuzz.targets.rankings import close
from generators.ids import encoded, ids
from generators.rankings import Collection, Retrieved, collections
from reference import diversity


@dataclass(frozen=True)
class Diverse:
    """Judgments (query, subtopic, document, grade) and a run."""

    qrels: list[tuple[str, str, str, int]]
    run: list[Retrieved]

    def qrels_file(self) -> bytes:
        """The judgments as a file of lines."""
        return b"".join(encoded(" ".join(map(str, row)) + "\n") for row in self.qrels)


def diverse(source: random.Random) -> Diverse:
    """Each judgment of a collection for a few subtopics."""
    made, subtopics = collections(source), ids(source, 4)
    qrels = [
        (query, subtopic, document, max(-1, grade - source.randrange(2)))
        for query, document, grade in made.qrels
        for subtopic in source.sample(subtopics, source.randrange(1, 5))
    ]
    return Diverse(qrels, made.run)


@target(diverse, seeds=30)
def diversity_is_as_in_the_reference(case: Diverse) -> None:
    """Every measure of diversity, query by query."""
    plain = Collection([(query, document, grade) for query, _, document, grade in case.qrels], case.run)
    assume(Collection(list(dict.fromkeys((*row[:2], 0) for row in plain.qrels)), case.run).is_valid)
    assume(len({row[:3] for row in case.qrels}) == len(case.qrels) and all(all(row[:3]) for row in case.qrels))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        qrels, run = Path(folder, "qrels.txt"), Path(folder, "run.txt")
        qrels.write_bytes(case.qrels_file())
        run.write_bytes(plain.run_file())
        result = evaluate(qrels, run, list(diversity.MEASURES))
    for measure in diversity.MEASURES:
        wanted = diversity.per_query(case.qrels_file(), plain.run_file(), measure)
        for query, value in result.per_query(measure).items():
            known = wanted[encoded(query)]
            assert close(value, known), f"{measure} of {query!r} is {known}, not {value}"
