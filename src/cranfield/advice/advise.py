"""Which measure to use: the next of the `advice_questions`, or the recommended measures as a table."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from cranfield.advice.questions import QUESTIONS, Advice, Answer, Question
from cranfield.errors import BadSetting
from cranfield.measures.naming import parse
from cranfield.present.formats import markdown, prose
from cranfield.present.table import Column, Table, row


def chosen(question: Question, word: str) -> Answer:
    """The answer with this word or number."""
    numbered = {str(place): answer for place, answer in enumerate(question.answers, 1)}
    by_word = {answer.word: answer for answer in question.answers} | numbered
    if word not in by_word:
        words = ", ".join(answer.word for answer in question.answers)
        raise BadSetting(f"{question.text} {word!r} is not an answer; use one of {words}")
    return by_word[word]


def followed(words: Sequence[str]) -> tuple[list[Answer], Question | Advice]:
    """The answers for these words, and the resulting advice or next question."""
    answers: list[Answer] = []
    place: Question | Advice = QUESTIONS
    for word in words:
        if isinstance(place, Advice):
            raise BadSetting(
                f"{word!r} answers no question: {' '.join(words[: len(answers)])} already answers all of them"
            )
        answers.append(chosen(place, word))
        place = answers[-1].leads_to
    return answers, place


def command(advice: Advice) -> str:
    """The command that computes the measures."""
    return " ".join([advice.command, *(f"-m {_quoted(name)}" for name, _ in advice.measures)])


def _quoted(name: str) -> str:
    """The name for a shell; settings have single quotes, so double quotes are easier to read."""
    return f'"{name}"' if "'" in name else shlex.quote(name)


def question_table(question: Question, words: Sequence[str] = ()) -> Table:
    """The answers to a question, each with its command."""
    rows = tuple(row(answer.word, answer.meaning) for answer in question.answers)
    example = " ".join(["cranfield advise", *words, question.answers[0].word])
    return Table((Column("answer"), Column("meaning")), rows, title=question.text, notes=(f"for example: {example}",))


def advice_table(advice: Advice, answers: Sequence[Answer] = ()) -> Table:
    """The recommended measures, each with the reason."""
    rows = tuple(row(name, parse(name, advice.kinds).declaration.title, why) for name, why in advice.measures)
    return Table(
        (Column("measure"), Column("title"), Column("what it shows")),
        rows,
        title="; ".join(answer.meaning for answer in answers),
        notes=(f"beware: {advice.beware}", f"compute: {command(advice)}", "explain: cranfield measures NAME"),
    )


def record(words: Sequence[str]) -> dict[str, Any]:
    """The advice, or the next question, for JSON."""
    answers, place = followed(words)
    words = [answer.word for answer in answers]
    if isinstance(place, Question):
        options = [{"answer": answer.word, "meaning": answer.meaning} for answer in place.answers]
        return {"answers": words, "question": place.text, "options": options}
    measures = [{"measure": str(parse(name, place.kinds)), "why": why} for name, why in place.measures]
    return {"answers": words, "measures": measures, "beware": place.beware, "command": command(place)}


def leaves(question: Question = QUESTIONS, before: tuple[Answer, ...] = ()) -> Iterator[tuple[Answer, ...]]:
    """Every path through the questions."""
    for answer in question.answers:
        path = (*before, answer)
        if isinstance(answer.leads_to, Question):
            yield from leaves(answer.leads_to, path)
        else:
            yield path


def page() -> str:
    """All questions with their answers, for the documentation."""
    return "".join(_sections(QUESTIONS, 2)).lstrip("\n")


def _sections(question: Question, depth: int) -> Iterator[str]:
    yield f"\n*{question.text}*\n"
    for answer in question.answers:
        yield f"\n{'#' * depth} {prose(answer.meaning[:1].upper() + answer.meaning[1:])}\n"
        if isinstance(answer.leads_to, Question):
            yield from _sections(answer.leads_to, depth + 1)
        else:
            yield from _advised(answer.leads_to)


def _advised(advice: Advice) -> Iterator[str]:
    yield f"\n{markdown(replace(advice_table(advice), notes=()))}"
    yield f"\n{prose(advice.beware)}\n\n```sh\n{command(advice)}\n```\n"
