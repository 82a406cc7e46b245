"""`cranfield measures`: the catalogue of measures, listed or explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.delivery import Listing

MEASURES_EXAMPLES = """
  cranfield measures
  cranfield measures --kind ranking
  cranfield measures nDCG
  cranfield measures ndcg_cut_10
  cranfield measures --format json
"""


@command("measures", o.NAMES, o.KIND, o.FORMAT, o.OUTPUT, o.DIGITS, examples=MEASURES_EXAMPLES)
def measures_command(names: Sequence[str] = (), kind: Any = None) -> Listing:
    """List the measures, or explain some of them."""
    from cranfield.present.measure_catalogue import card, everything, known_as, lists, record

    explained = [declared for name in names for declared in known_as(name, kind)]
    return Listing([*map(record, explained or everything(kind))], map(card, explained) if explained else lists(kind))
