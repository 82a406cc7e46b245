"""`cranfield findings`: the rules behind findings, listed or explained."""

from __future__ import annotations

from collections.abc import Sequence

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.delivery import Listing

FINDINGS_EXAMPLES = """
  cranfield findings
  cranfield findings short-run
  cranfield findings not-significant unjudged-order
  cranfield findings --format json
"""


@command("findings", o.RULES, o.FORMAT, o.OUTPUT, o.DIGITS, examples=FINDINGS_EXAMPLES)
def findings_command(rules: Sequence[str] = ()) -> Listing:
    """List the rules behind findings, or explain some of them."""
    from cranfield.findings.rules import known_rules, require_rule
    from cranfield.present.rule_catalogue import card, lists, record

    listed = [require_rule(name) for name in rules] or [*known_rules().values()]
    return Listing([*map(record, listed)], map(card, listed) if rules else lists(listed))
