"""`cranfield advise`: which measure to use, by questions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cranfield.cli import options as o
from cranfield.cli.command import command

if TYPE_CHECKING:
    from cranfield.present.advice_questions import Question
    from cranfield.present.table import Table

EXAMPLES = """
  cranfield advise
  cranfield advise ranking sparse
  cranfield advise labels two rule-out
  cranfield advise scores any --format json
"""


class Advised(NamedTuple):
    """The answers given so far, and what they lead to: measures, or the next question."""

    words: Sequence[str]

    def csv(self, digits: int | None) -> str:
        """One row per measure, or per possible answer."""
        from cranfield.results.writing import comma_separated

        document = self.json(digits, False)
        records = document.get("measures") or document["options"]
        return comma_separated(list(records[0]), [list(record.values()) for record in records])

    def json(self, digits: int | None, findings: bool) -> dict[str, Any]:
        """The answers, and the measures or the next question."""
        from cranfield.present.advice import record

        return record(self.words)

    def tables(self, digits: int) -> Iterable[Table]:
        """The measures, or the next question."""
        from cranfield.present.advice import advice_table, followed, question_table
        from cranfield.present.advice_questions import Advice

        answers, place = followed(self.words)
        yield advice_table(place, answers) if isinstance(place, Advice) else question_table(place, self.words)

    def below(self, format: str, findings: bool) -> list[str]:  # noqa: A002
        """No text."""
        return []


@command(o.ANSWERS, o.FORMAT, o.OUTPUT, o.DIGITS, examples=EXAMPLES)
def run(answers: Sequence[str] = ()) -> Advised:
    """Recommend measures for a task, based on a few questions.

    On a terminal, the questions are asked interactively; otherwise the next question is printed with its possible
    answers, until all are given.
    """
    from cranfield.present.advice import followed

    words = [answer.word for answer in followed(answers)[0]]
    if sys.stdin.isatty() and sys.stderr.isatty():
        _ask(words)
    return Advised(words)


def _ask(words: list[str]) -> None:
    """Ask until the answers lead to measures, on standard error, which leaves the output clean."""
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
    """The word of an answer; Click asks again after a usage error."""
    from cranfield.errors import BadSetting
    from cranfield.present.advice import chosen

    try:
        return chosen(question, text.strip()).word
    except BadSetting as error:
        raise click.UsageError(str(error)) from None
