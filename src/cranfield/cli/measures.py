"""`cranfield measures`: the catalogue, listed or explained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cranfield.cli import options as o
from cranfield.cli.command import command

if TYPE_CHECKING:
    from cranfield.measures.declaration import Declaration
    from cranfield.present.table import Table

EXAMPLES = """
  cranfield measures
  cranfield measures --kind ranking
  cranfield measures nDCG
  cranfield measures ndcg_cut_10
  cranfield measures --format json
"""


class Catalogue(NamedTuple):
    """Measures to list, or to explain one by one."""

    listed: Sequence[Declaration]
    kind: Any
    explained: bool

    def csv(self, digits: int | None) -> str:
        """One row per measure."""
        from cranfield.results.writing import comma_separated

        records = self.json(digits, False)
        return comma_separated(list(records[0]), [list(map(str, record.values())) for record in records])

    def json(self, digits: int | None, findings: bool) -> list[dict[str, Any]]:
        """One record per measure."""
        from cranfield.present.measure_catalogue import record

        return [record(declared) for declared in self.listed]

    def tables(self, digits: int) -> Iterable[Table]:
        """A card for each measure, or a list for each subject."""
        from cranfield.present.measure_catalogue import card, lists

        return map(card, self.listed) if self.explained else lists(self.kind)

    def below(self, format: str, findings: bool) -> list[str]:  # noqa: A002
        """No text."""
        return []


@command(o.NAMES, o.KIND, o.FORMAT, o.OUTPUT, o.DIGITS, examples=EXAMPLES)
def run(names: Sequence[str] = (), kind: Any = None) -> Catalogue:
    """List the measures, or explain some of them."""
    from cranfield.present.measure_catalogue import everything, known_as

    explained = [declared for name in names for declared in known_as(name, kind)]
    return Catalogue(explained or everything(kind), kind, bool(explained))
