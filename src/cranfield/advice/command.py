"""`cranfield advise`: which measure to use, found by a few questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.output import Listing
from cranfield.commands.progress import waiting_for_answers

if TYPE_CHECKING:
    from cranfield.advice.questions import Question


ADVISE_EXAMPLES = """
  cranfield advise
  cranfield advise ranking sparse
  cranfield advise labels two rule-out
  cranfield advise scores any --format json
"""


@command("advise", o.QUESTIONS_ANSWERED, o.FORMAT, o.OUTPUT, o.DIGITS, examples=ADVISE_EXAMPLES)
def advise_command(answers: Sequence[str] = ()) -> Listing:
    """Recommend measures for a task, based on a few questions.

    On a terminal, the questions are asked interactively; otherwise the next question and its possible answers are
    printed until all have been answered.
    """
    from cranfield.advice.advise import advice_table, followed, question_table, record
    from cranfield.advice.questions import Advice

    words = [answer.word for answer in followed(answers)[0]]
    if sys.stdin.isatty() and sys.stderr.isatty():
        with waiting_for_answers():
            _ask(words)
    path, place = followed(words)
    table = advice_table(place, path) if isinstance(place, Advice) else question_table(place, words)
    document = record(words)
    return Listing(document.get("measures") or document["options"], [table], document)


def _ask(words: list[str]) -> None:
    """Ask, on standard error to keep the output clean, until the answers lead to measures."""
    from cranfield.advice.advise import followed
    from cranfield.advice.questions import Question

    while isinstance(place := followed(words)[1], Question):
        click.echo(f"\n{place.text}", err=True)
        wide = max(len(answer.word) for answer in place.answers)
        for number, answer in enumerate(place.answers, 1):
            click.echo(f"  {number}  {answer.word:{wide}}  {answer.meaning}", err=True)
        try:
            words.append(click.prompt("Answer", err=True, value_proc=partial(_understood, place)))
        except click.Abort:
            raise KeyboardInterrupt from None
    click.echo(err=True)


def _understood(question: Question, text: str) -> str:
    """The word for an answer; Click asks again after a usage error."""
    from cranfield.advice.advise import chosen
    from cranfield.errors import BadSetting

    try:
        return chosen(question, text.strip()).word
    except BadSetting as error:
        raise click.UsageError(str(error)) from None


# `cranfield findings`: the rules behind findings, listed or explained


FINDINGS_EXAMPLES = """
  cranfield findings
  cranfield findings short-run
  cranfield findings not-significant unjudged-order
  cranfield findings --format json
"""


@command("findings", o.RULES, o.FORMAT, o.OUTPUT, o.DIGITS, examples=FINDINGS_EXAMPLES)
def findings_command(rules: Sequence[str] = ()) -> Listing:
    """List the rules behind findings, or explain some of them."""
    from cranfield.present.findings.rules import known_rules, require_rule
    from cranfield.present.findings.tables import card, lists, record

    listed = [require_rule(name) for name in rules] or [*known_rules().values()]
    return Listing([*map(record, listed)], map(card, listed) if rules else lists(listed))


# `cranfield measures`: the catalogue of measures, listed or explained


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
    from cranfield.advice.measures import card, everything, known_as, lists, record

    explained = [declared for name in names for declared in known_as(name, kind)]
    return Listing([*map(record, explained or everything(kind))], map(card, explained) if explained else lists(kind))
