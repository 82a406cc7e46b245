"""Every rule speaks where it must and is silent where it must not; nothing is said of clean data."""

from __future__ import annotations

import pytest

from cranfield import examine
from cranfield.present.findings.rules import known_rules
from examination.answers import LABELS
from examination.differences import DIFFERENCES
from examination.histories import HISTORIES
from examination.rankings import RANKINGS
from examination.values import VALUES

CASES = RANKINGS | DIFFERENCES | LABELS | VALUES | HISTORIES


def told(rule: str, *things: object) -> list[str]:
    """The sentences of one rule."""
    return [finding.sentence for finding in examine(*things) if finding.rule == rule]


def test_every_rule_has_both_sides():
    assert set(CASES) == set(known_rules())


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_speaks_where_it_must(rule):
    assert told(rule, CASES[rule].speaks) == [CASES[rule].sentence]


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_silent_where_it_must(rule):
    assert told(rule, CASES[rule].silent) == []
