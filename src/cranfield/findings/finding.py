"""A finding: what a number hides, in a sentence, with why it matters and what to do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

Severity = Literal["serious", "caution", "note"]

SEVERITIES: dict[Severity, str] = {
    "serious": "the figure misleads as it stands",
    "caution": "the figure is to be read with care",
    "note": "the figure allows something that is easily missed",
}


class Said(NamedTuple):
    """What a rule says: a sentence with its figures, and what it is about, such as a system, a measure or a query."""

    sentence: str
    subject: Mapping[str, str]
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """What one rule found of one subject; `settings` are the limits from which the rule speaks."""

    rule: str
    severity: Severity
    sentence: str
    why: str
    action: str
    link: str
    subject: Mapping[str, str]
    figures: Mapping[str, Any]
    settings: Mapping[str, float]

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON; None where a figure is not finite."""
        return {name: _plain(value) for name, value in vars(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(own) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(own) for own in value]
    number = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def said(sentence: str, figures: Mapping[str, Any], **subject: str) -> Said:
    """A sentence, its figures and its subject."""
    return Said(sentence, subject, figures)
