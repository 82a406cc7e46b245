"""Labels of all sorts through every door: two items are of one class if, and only if, their labels are the same."""

from __future__ import annotations

import datetime
import random
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classification.routes import ROUTES
from cranfield import classify
from cranfield.errors import BadInput, CranfieldWarning
from fuzz.target import assume, target

PIECES = (
    *(
        " ",
        "0",
        "1",
        "01",
        "1.0",
        ".",
        "-",
        "+",
        "e",
        "x",
        "_",
        "\uff12",
        "a",
        "A",
        "\u00e9",
        "e\u0301",
        "\u65e5\u672c",
    ),
    *(",", ";", "\t", '"', "'", "\n", "|", "NA", "nan", "null", "true", "True", "2024-01-01", "\ufeff", "#"),
)
DIGITS = ("1", "01", "001", "10", "010", "0", "00", str(2**63), str(2**63 + 1))
CODES = (*DIGITS, "+1", "1_0", "0x1", "0xA", "1e0", str(2**64 + 1))
TEXT_FILES = ("CSV", "CSV, quoted", "TSV")


@dataclass(frozen=True)
class Labels:
    """True and predicted labels, and the way they go in."""

    actual: list[Any]
    predicted: list[Any]
    route: str


def labels(chance: random.Random) -> Labels:
    """Texts of odd chunks, codes of digits, integers of any size that 64 bits hold, truth values or dates."""
    make = chance.choice(
        [
            lambda: "".join(chance.choices(PIECES, k=chance.randint(1, 3))),
            lambda: chance.choice(CODES),
            lambda: chance.choice(DIGITS),
            lambda: chance.choice([0, 1, -1, chance.randint(-(2**63), 2**63 - 1), 2**53 + chance.randint(0, 3)]),
            lambda: chance.random() < 0.5,
            lambda: datetime.date(2024, 1, 1) + datetime.timedelta(chance.randint(0, 40)),
        ]
    )
    known = [make() for _ in range(chance.randint(1, 6))]
    n = chance.randint(1, 12)
    return Labels(chance.choices(known, k=n), chance.choices(known, k=n), chance.choice(list(ROUTES)))


@target(labels, seeds=150)
def items_are_of_one_class_if_their_labels_are_the_same(case: Labels) -> None:
    """Whatever the route; a text file may refuse numbers with a fraction, and words for what is missing."""
    assume(len(case.actual) == len(case.predicted) > 0)
    columns = {"y": case.actual, "p": case.predicted, "last": [0] * len(case.actual)}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        try:
            found = classify("y", "p", data=ROUTES[case.route](columns, Path(folder)), measures="Accuracy")
        except BadInput as error:
            refused = "is it a score?" in str(error) or "is missing" in str(error)
            assume(not (refused and case.route in TEXT_FILES))
            raise
    given = found.of().predictions
    assert given.predicted is not None
    codes = [*given.actual.tolist(), *given.predicted.tolist()]
    pairs = set(zip([*case.actual, *case.predicted], codes, strict=True))
    assert len(pairs) == len({label for label, _ in pairs}) == len({code for _, code in pairs})
    right = sum(y == p for y, p in zip(case.actual, case.predicted, strict=True))
    assert found["Accuracy"] == right / len(case.actual)
