"""`cranfield audit`: may the labels of a machine replace those of people?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import only_one
from cranfield.commands.output import Answer
from cranfield.commands.parameters import imported, option

AUDIT_VERB = "cranfield.auditing.audit:audit"
AUDIT_EXAMPLES = """
  cranfield audit --human people.qrels --machine llm.qrels
  cranfield audit --human people.qrels --machine llm.qrels *.run -m nDCG@10 --margin 0.02 --page audit.html
  cranfield audit --human ann.qrels --human bob.qrels --machine llm.qrels --covariates lengths.csv
  cranfield audit --human people.qrels --machine llm.qrels *.run -m P@10 --sample judge.csv --same-family rewriter
"""
# fmt: off
HUMAN = option(
    "--human", type=o.FILE, multiple=True, required=True, metavar="FILE",
    help="Judgments by people; repeat for each person if several judged the same documents.")
MACHINE = option(
    "--machine", type=o.FILE, required=True, metavar="FILE",
    help="Judgments by the machine; a journal beside them (FILE.jsonl) gives its repeats and examples.")
TRIALS = option(
    "--trials", type=o.FILE, multiple=True, metavar="QRELS",
    help="Other judgments by the same machine, in the order of time; may be repeated.")
COVARIATES = option(
    "--covariates", type=o.FILE, metavar="FILE",
    help="What may bias the machine: a table with columns document, optionally query, and others of numbers.")
PREFERENCES = option(
    "--preferences", type=o.FILE, metavar="FILE",
    help="Preferences asked in both orders: a table with columns query, first, second and preferred.")
FAMILY = option(
    "family", "--same-family", multiple=True, metavar="SYSTEM",
    help="A system that shares a model with the judge, or comes from its vendor; may be repeated.")
PAGE = option("--page", metavar="FILE", help="Also write the audit as an HTML page.")
MEASURE = partial(
    o.MEASURES, show_default="nDCG@10, or P@10 if people judged single documents",
    help="Measure that ranks the systems.")
REL = partial(o.REL, help="Documents are relevant at this grade or higher.")
# fmt: on


@command(
    "audit",
    o.OPTIONAL_RUNS, HUMAN, MACHINE, TRIALS, COVARIATES, PREFERENCES, FAMILY, o.SAMPLE, MEASURE, REL,
    o.options_of(AUDIT_VERB, without=("measure", "rel")), PAGE,
    *o.DELIVERY, examples=AUDIT_EXAMPLES,
)  # fmt: skip
def audit_command(
    *,
    human: Sequence[str],
    machine: str,
    runs: Sequence[str] = (),
    page: str | None = None,
    measures: Sequence[str] = (),
    **settings: Any,
) -> Answer:
    """Audit machine labels: may they replace those of people?

    Compares the labels of a machine with those of people on the same documents: agreement beside base rates, stability,
    leniency, bias, and the effect on the ranking of systems, with scores corrected by people's labels. People must have
    judged a random sample of topics or of documents.
    """
    result = imported(AUDIT_VERB)(
        human[0] if len(human) == 1 else list(human), machine, list(runs) or None, only_one(measures), **settings
    )
    if page is not None:
        imported("cranfield.reporting.report:report")(result).save(page)
    return Answer(result)
