"""The catalogue of rules behind findings: a list by subject, a card for each, and the page of the documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cranfield.findings.rules import Rule, known_rules, worded
from cranfield.present.markdown import escaped, prose
from cranfield.present.table import Column, Table, row


def record(rule: Rule) -> dict[str, Any]:
    """Everything known about a rule, for JSON and CSV."""
    return {
        "rule": rule.name,
        "title": rule.title,
        "severity": rule.severity,
        "subject": rule.subject,
        "when": " ".join(filter(None, (rule.definition, rule.remarks))),
        "limits": dict(rule.settings),
        "why": worded(rule.why),
        "action": worded(rule.action),
    }


def lists(rules: Sequence[Rule]) -> Iterator[Table]:
    """One table per subject: each rule with its severity and title."""
    for subject in dict.fromkeys(rule.subject for rule in rules):
        rows = [row(rule.name, rule.severity, rule.title) for rule in rules if rule.subject == subject]
        yield Table((Column("rule"), Column("severity"), Column("what it reports")), tuple(rows), title=subject)


def card(rule: Rule) -> Table:
    """When a rule applies, its limits, why it matters and what to do."""
    about = record(rule)
    limits = ", ".join(f"{name} = {value:g}" for name, value in rule.settings.items())
    fields = {"severity": rule.severity, "when": about["when"], "limits": limits or "none", "why": about["why"]}
    name, value = next(iter(rule.settings.items()), ("", 0))
    change = {"other limits": f"cranfield.examine(result, limits={{{rule.name!r}: {{{name!r}: {value:g}}}}})"}
    fields |= {"what to do": about["action"]} | (change if name else {})
    rows = [row(name, text) for name, text in fields.items()]
    return Table((Column("rule"), Column(rule.name)), tuple(rows), title=rule.title)


def page() -> str:
    """Every rule in Markdown, by subject: when it applies, its limits, why it matters and what to do."""
    sections: dict[str, list[Rule]] = {}
    for rule in known_rules().values():
        sections.setdefault(rule.subject, []).append(rule)
    return "".join(f"\n## {subject}\n" + "".join(map(_section, rules)) for subject, rules in sections.items())


def _section(rule: Rule) -> str:
    limits = ", ".join(f"`{name}` = {value:,}" for name, value in rule.settings.items())
    parts = (
        f"{escaped(rule.title)} ({rule.severity}).",
        f"**When:** {prose(rule.definition)}",
        prose(rule.remarks),
        f"**Limits:** {limits}" if limits else "",
        f"**Why:** {prose(worded(rule.why))}",
        f"**What to do:** {prose(worded(rule.action))}",
        f"**What to do for folds:** {prose(rule.on_folds)}" if rule.on_folds else "",
    )
    return f"\n### {rule.name}\n\n" + "\n\n".join(part for part in parts if part) + "\n"
