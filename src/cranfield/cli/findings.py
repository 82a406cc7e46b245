"""`cranfield findings`: the rules behind findings, listed or explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cranfield.cli import options as o
from cranfield.cli.command import command

if TYPE_CHECKING:
    from cranfield.findings.rules import Rule
    from cranfield.present.table import Table

EXAMPLES = """
  cranfield findings
  cranfield findings short-run
  cranfield findings not-significant unjudged-order
  cranfield findings --format json
"""


class Rules(NamedTuple):
    """Rules to list, or to explain one by one."""

    listed: Sequence[Rule]
    explained: bool

    def csv(self, digits: int | None) -> str:
        """One row per rule."""
        from cranfield.results.writing import comma_separated

        records = self.json(digits, False)
        return comma_separated(list(records[0]), [list(map(str, record.values())) for record in records])

    def json(self, digits: int | None, findings: bool) -> list[dict[str, Any]]:
        """One record per rule."""
        from cranfield.present.rule_catalogue import record

        return [*map(record, self.listed)]

    def tables(self, digits: int) -> Iterable[Table]:
        """A card for each rule, or a list for each subject."""
        from cranfield.present.rule_catalogue import card, lists

        return map(card, self.listed) if self.explained else lists(self.listed)

    def below(self, format: str, findings: bool) -> list[str]:  # noqa: A002
        """No text."""
        return []


@command(o.RULES, o.FORMAT, o.OUTPUT, o.DIGITS, examples=EXAMPLES)
def run(rules: Sequence[str] = ()) -> Rules:
    """List the rules behind findings, or explain some of them."""
    from cranfield.findings.rules import known_rules, require_rule

    return Rules([require_rule(name) for name in rules] or [*known_rules().values()], bool(rules))
