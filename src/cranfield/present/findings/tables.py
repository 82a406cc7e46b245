"""Findings as text, Markdown, LaTeX and HTML: the sentence first, then why it matters and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from cranfield.present.findings.rules import SEVERITIES, Finding, Rule, known_rules, worded
from cranfield.present.formats import in_html, in_latex, in_markdown, prose
from cranfield.present.formats import in_markdown as escaped
from cranfield.present.table import Column, Table, row, visible

WIDTH = 100
MOST = 3  # findings in one line each
_INDENT = " " * 9  # the widest severity and a gap


def tables(_: Sequence[Finding], **_options: int) -> tuple[Table, ...]:
    """No tables: findings are sentences, shown below the tables they refer to."""
    return ()


def by_rule(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings grouped by rule: within a group only the sentences differ."""
    return [list(same) for _, same in groupby(findings, key=lambda finding: finding.rule)]


def plain(findings: Sequence[Finding], width: int = WIDTH) -> str:
    """The findings as paragraphs, wrapped to this width."""
    if not findings:
        return "Findings: none\n"
    return "\n".join(["Findings", "", *(_paragraph(same, width) for same in by_rule(findings))])


def brief(findings: Sequence[Finding], width: int = WIDTH) -> str:
    """The headlines of the first findings that need care, one per rule, serious ones first; wrapped to this width."""
    lines = (_filled(finding.headline, width, f"{finding.severity:<{len(_INDENT)}}") for finding in first(findings))
    return "".join(f"{line}\n" for line in lines)


def first(findings: Sequence[Finding]) -> list[Finding]:
    """The first finding of each of the first rules, serious ones first; no notes."""
    careful = [same[0] for same in by_rule(findings) if same[0].severity != "note"]
    return sorted(careful, key=lambda finding: list(SEVERITIES).index(finding.severity))[:MOST]


def _paragraph(same: Sequence[Finding], width: int) -> str:
    one = same[0]
    beginnings = [f"{one.severity:<{len(_INDENT)}}", *[_INDENT] * (len(same) - 1)]
    sentences = (_filled(finding.sentence, width, start) for finding, start in zip(same, beginnings, strict=True))
    rest = (f"Why: {one.why}", f"What to do: {one.action}", f"({rule_name(one)}; see cranfield findings {one.rule})")
    return "\n".join([*sentences, *(_filled(text, width, _INDENT) for text in rest)]) + "\n"


def _filled(text: str, width: int, beginning: str) -> str:
    return textwrap.fill(
        visible(text),
        max(width, 2 * len(_INDENT)),
        initial_indent=beginning,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def rule_name(finding: Finding) -> str:
    """The rule with its limits: `one-query(change=0.2)`."""
    return f"{finding.rule}({', '.join(f'{name}={value:.10g}' for name, value in finding.settings.items())})"


def markdown(findings: Sequence[Finding]) -> str:
    """The findings as a list."""
    if not findings:
        return "**Findings:** none\n"
    items = (
        f"- **{same[0].severity}:** {' '.join(in_markdown(finding.sentence) for finding in same)} "
        f"*{in_markdown(same[0].why)}* {in_markdown(same[0].action)} (`{rule_name(same[0])}`)"
        for same in by_rule(findings)
    )
    return "\n".join(["**Findings**", "", *items]) + "\n"


def latex(findings: Sequence[Finding]) -> str:
    """The findings as a description list."""
    if not findings:
        return "Findings: none\n"
    items = (
        rf"\item[{same[0].severity}] {' '.join(in_latex(finding.sentence) for finding in same)} "
        f"{in_latex(same[0].why)} {in_latex(same[0].action)}"
        for same in by_rule(findings)
    )
    return "\n".join([r"\begin{description}", *items, r"\end{description}"]) + "\n"


def html(findings: Sequence[Finding]) -> str:
    """The findings as an HTML list; explanations unfold below the sentences."""
    if not findings:
        return '<p class="findings">Findings: none</p>\n'
    return "\n".join(['<ul class="findings">', *map(_item, by_rule(findings)), "</ul>"]) + "\n"


def _item(same: Sequence[Finding]) -> str:
    one = same[0]
    sentences = "<br>".join(in_html(finding.sentence) for finding in same)
    return (
        f'<li class="{one.severity}" data-rule="{in_html(one.rule)}"><details><summary>'
        f"<strong>{one.severity}:</strong> {sentences}</summary><p>{in_html(one.why)}</p><p>{in_html(one.action)}</p>"
        f"<p><code>{in_html(rule_name(one))}</code> {in_html(one.link)}</p></details></li>"
    )


# The catalogue of rules behind findings: a list by subject, a card for each, and the page of the documentation


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
