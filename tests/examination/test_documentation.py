"""Every rule is documented, and every documented rule exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cranfield.present.findings.rules import SEVERITIES, known_rules

REPOSITORY = Path(__file__).parents[2]


def page() -> str:
    (path,) = {rule.link.partition("#")[0] for rule in known_rules().values()}
    return (REPOSITORY / path).read_text(encoding="utf-8")


def test_the_page_has_every_rule_and_no_other():
    assert re.findall(r"^### (\S+)$", page(), re.MULTILINE) == list(known_rules())


@pytest.mark.parametrize("name", known_rules())
def test_a_rule_is_documented_with_its_limits(name):
    rule = known_rules()[name]
    section = page().partition(f"\n### {name}\n")[2].partition("\n### ")[0]
    assert all(f"`{limit}` = {value:,}" in section for limit, value in rule.settings.items())
    assert all(f"`{limit}`" in f"{rule.definition} {rule.remarks}" for limit in rule.settings)


@pytest.mark.parametrize("name", known_rules())
def test_a_rule_has_a_title_a_severity_a_reason_and_an_action(name):
    rule = known_rules()[name]
    assert rule.severity in SEVERITIES
    assert rule.definition.endswith(".")
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert rule.action.endswith(".")
