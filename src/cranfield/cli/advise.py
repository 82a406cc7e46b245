"""`cranfield advise`: which measure to use, found by a few questions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.delivery import Listing
from cranfield.cli.progress import waiting_for_answers

if TYPE_CHECKING:
    from cranfield.present.advice_questions import Question

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
    from cranfield.present.advice import advice_table, followed, question_table, record
    from cranfield.present.advice_questions import Advice

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
    from cranfield.present.advice import followed
    from cranfield.present.advice_questions import Question

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
    from cranfield.errors import BadSetting
    from cranfield.present.advice import chosen

    try:
        return chosen(question, text.strip()).word
    except BadSetting as error:
        raise click.UsageError(str(error)) from None
