"""Cells of a text file, whose type is inferred from their spelling.

Decided here: when two spellings of a label are the same class (`01` and `1`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any, Literal
from unicodedata import category, normalize

import pyarrow as pa

from cranfield.frozen import cached_property, frozen
from cranfield.tables.numbers import is_number

CellKind = Literal["whole", "truth", "text"]

MISSING = ("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "#N/A")  # spellings used by other tools
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,4299}")  # Python's limit on the digits of an integer
_FLOATING = re.compile(rf"({WHOLE.pattern})\.0")
_PADDED = re.compile(r"\s*[+-]?0[0-9].*")
_SAME_SHAPE = str.maketrans("АВЕКМНОРСТУХІЅЈаеорсухіѕјΑΒΕΖΗΙΚΜΝΟΡΤΥΧο−", "ABEKMHOPCTYXISJaeopcyxisjABEZHIKMNOPTYXo-")
_TRUTHS = ({"false", "true"}, {"False", "True"}, {"FALSE", "TRUE"})


@frozen
class TextColumn:
    """A column of cells, null where a cell is empty."""

    texts: pa.Array

    @cached_property
    def encoded(self) -> pa.DictionaryArray:
        """The distinct cells, and the index of each row's cell."""
        return self.texts.dictionary_encode()

    @cached_property
    def _distinct(self) -> list[str]:
        return self.encoded.dictionary.to_pylist()

    @cached_property
    def _present(self) -> list[str]:
        return [text for text in self._distinct if text not in MISSING]

    @cached_property
    def kind(self) -> CellKind:
        """The kind of the cells as labels: `01` makes them text, as do `1` and `1.0` in one column."""
        present = self._present
        if present and any(all(map(form.fullmatch, present)) for form in (WHOLE, _FLOATING)):
            return "whole"
        return "truth" if present and any(set(present) <= both for both in _TRUTHS) else "text"

    @property
    def labels(self) -> list[str | int | None]:
        """The distinct cells as labels of their kind; None for a missing label."""
        if self.kind == "text":
            return list(self._distinct)
        truth = self.kind == "truth"
        read = (lambda text: text.casefold() == "true") if truth else (lambda text: int(text.removesuffix(".0")))
        return [None if text in MISSING else read(text) for text in self._distinct]

    @property
    def fraction(self) -> str | None:
        """A cell that is not an integer, if all cells are numbers: they are then scores, not labels."""
        fractions = (text for text in self._present if not float(text).is_integer())
        return next(fractions, None) if all(map(is_number, self._present)) else None

    @property
    def typed(self) -> pa.Array:
        """The cells as numbers if all are numbers without leading zeros; otherwise as text."""
        present = self._present
        if not all(map(is_number, present)) or any(map(_PADDED.fullmatch, present)):
            return self.texts
        whole = all(map(WHOLE.fullmatch, present)) and all(abs(int(text)) < 2**63 for text in present)
        values: list[Any] = [None if text in MISSING else (int if whole else float)(text) for text in self._distinct]
        return pa.array(values, pa.int64() if whole else pa.float64()).take(self.encoded.indices)


def of_one_kind(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns, all as text if any is text: what looks like a number may be a name."""
    if not any(isinstance(column, TextColumn) and column.kind == "text" for column in columns.values()):
        return columns
    return {name: column.texts if isinstance(column, TextColumn) else column for name, column in columns.items()}


def alike(labels: Iterable[object]) -> list[tuple[str, str]]:
    """Pairs of labels that look the same: they differ only in case, blanks, invisible characters, kinds of dashes,
    letters of another script, or the spelling of a number, such as 1 and 01."""
    first: dict[object, str] = {}
    pairs = []
    for label in labels:
        if isinstance(label, str):
            key = _value(_shape(label))
            if first.setdefault(key, label) != label:
                pairs.append((first[key], label))
    return pairs


def _shape(label: str) -> str:
    """The label as a reader sees it."""
    plain = normalize("NFKC", label)
    if not plain.isascii():
        kinds = ((character, category(character)) for character in plain.translate(_SAME_SHAPE))
        plain = "".join("-" if kind == "Pd" else character for character, kind in kinds if kind != "Cf")
    return " ".join(plain.split()).casefold()


def _value(label: str) -> object:
    """The label as a number if it is one, otherwise unchanged."""
    try:
        return Decimal(label) if is_number(label) else label
    except InvalidOperation:  # an exponent of 19 digits or more
        return label
