"""Findings as text, Markdown, LaTeX and HTML: the sentence first, then why it matters and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from cranfield.findings.finding import Finding
from cranfield.findings.rules import Rule, known_rules
from cranfield.present.html import escaped as in_html
from cranfield.present.latex import escaped as in_latex
from cranfield.present.markdown import escaped as in_markdown
from cranfield.present.markdown import prose
from cranfield.present.table import visible

WIDTH = 100
_INDENT = " " * 9  # the widest severity and a gap


def plain(findings: Sequence[Finding], width: int = WIDTH) -> str:
    """The findings as paragraphs, no line of them wider than this."""
    if not findings:
        return "Findings: none\n"
    return "\n".join(["Findings", "", *(_paragraph(finding, width) for finding in findings)])


def _paragraph(finding: Finding, width: int) -> str:
    first = _filled(finding.sentence, width, f"{finding.severity:<{len(_INDENT)}}")
    rest = (f"Why: {finding.why}", f"What to do: {finding.action}", f"({rule_name(finding)}; {finding.link})")
    return "\n".join([first, *(_filled(text, width, _INDENT) for text in rest)]) + "\n"


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
    """The rule with the limits it spoke from: `one-query(change=0.2)`."""
    return f"{finding.rule}({', '.join(f'{name}={value:g}' for name, value in finding.settings.items())})"


def markdown(findings: Sequence[Finding]) -> str:
    """The findings as a list."""
    if not findings:
        return "**Findings:** none\n"
    items = (
        f"- **{finding.severity}:** {in_markdown(finding.sentence)} *{in_markdown(finding.why)}* "
        f"{in_markdown(finding.action)} (`{rule_name(finding)}`)"
        for finding in findings
    )
    return "\n".join(["**Findings**", "", *items]) + "\n"


def latex(findings: Sequence[Finding]) -> str:
    """The findings as a description list."""
    if not findings:
        return "Findings: none\n"
    items = (
        rf"\item[{finding.severity}] {in_latex(finding.sentence)} {in_latex(finding.why)} {in_latex(finding.action)}"
        for finding in findings
    )
    return "\n".join([r"\begin{description}", *items, r"\end{description}"]) + "\n"


def html(findings: Sequence[Finding]) -> str:
    """The findings as a list, to stand in a page; what to do unfolds under each sentence."""
    if not findings:
        return '<p class="findings">Findings: none</p>\n'
    return "\n".join(['<ul class="findings">', *map(_item, findings), "</ul>"]) + "\n"


def _item(finding: Finding) -> str:
    return (
        f'<li class="{finding.severity}" data-rule="{in_html(finding.rule)}"><details><summary>'
        f"<strong>{finding.severity}:</strong> {in_html(finding.sentence)}</summary>"
        f"<p>{in_html(finding.why)}</p><p>{in_html(finding.action)}</p>"
        f"<p><code>{in_html(rule_name(finding))}</code> {in_html(finding.link)}</p></details></li>"
    )


def catalogue() -> str:
    """Every rule in Markdown, by subject: when it speaks, from which limits, why, and what to do."""
    sections: dict[str, list[Rule]] = {}
    for rule in known_rules().values():
        sections.setdefault(rule.subject, []).append(rule)
    return "".join(f"\n## {subject}\n" + "".join(map(_card, rules)) for subject, rules in sections.items())


def _card(rule: Rule) -> str:
    limits = ", ".join(f"`{name}` = {value:,}" for name, value in rule.settings.items())
    parts = (
        f"{in_markdown(rule.title)} ({rule.severity}).",
        f"**When:** {prose(rule.definition)}",
        prose(rule.remarks),
        f"**Limits:** {limits}",
        f"**Why:** {prose(rule.why)}",
        f"**What to do:** {prose(rule.action)}",
    )
    return f"\n### {rule.name}\n\n" + "\n\n".join(part for part in parts if part) + "\n"
