"""Questions other than the grade of a document: preferences, nuggets, and the support of citations."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from importlib import resources
from itertools import combinations
from typing import Annotated, Any, NamedTuple

from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.labelling.asking import (
    Asking,
    AtOnce,
    Budget,
    Degrees,
    Limits,
    Most,
    Patience,
    PerMinute,
    Price,
    Question,
    Told,
)
from cranfield.labelling.endpoint import SECONDS, Endpoint
from cranfield.labelling.journal import Journal
from cranfield.labelling.label import pooled_pairs, texts_of_documents, texts_of_topics
from cranfield.labelling.model_answers import objects_in
from cranfield.labelling.prompts import LONGEST_TEXT, Message, as_json, filled, sections, shown_document, shown_topic
from cranfield.labelling.result import ModelLabels
from cranfield.results.shape import Columns, Schema, texts
from cranfield.results.writing import save
from cranfield.settings import Count, Means
from cranfield.tables.answers import SUPPORT
from cranfield.tables.label_journals import Label
from cranfield.verb import in_effect, verb

MOST_NUGGETS = 30  # of a query
PREFERENCES = Schema("preferences", "Preferences, asked in both orders", texts("query", "first", "second", "preferred"))
NUGGETS = Schema("nuggets", "Support of nuggets", texts("query", "system", "nugget", "importance", "support", "length"))
CITATIONS = Schema("citations", "Support of citations", texts("query", "system", "sentence", "citation", "support"))
IMPORTANCE = ("vital", "okay")
SUPPORTS = ("support", "partial_support", "not_support")
Read = Callable[[str], Mapping[str, Any]]


@frozen
class Task:
    """A kind of question: its prompt, the form of its answer, and what each text of the prompt is."""

    name: str
    form: str
    schema: Mapping[str, Any]
    texts: tuple[str, ...]  # placeholders

    @property
    def template(self) -> tuple[str, str]:
        """The system message, and the template of the user message."""
        text = (resources.files("cranfield.labelling") / "presets" / f"{self.name}.txt").read_text("utf-8")
        parts = sections(text, self.name)
        return filled(parts["system"], {"form": self.form}), parts["user"]

    @property
    def digest(self) -> str:
        """SHA-256 of what is the same for all questions."""
        return sha256(as_json([*self.template, LONGEST_TEXT]).encode()).hexdigest()

    def record(self) -> dict[str, Any]:
        """What is stored once for all labels of the task."""
        system, user = self.template
        return {"prompt": self.digest, "name": self.name, "system": system, "user": user, "grades": []}

    def question(self, about: Mapping[str, Any], contents: Callable[[int], Mapping[str, Any]], read: Read) -> Question:
        """A question; `contents(n)` are the texts, cut to LONGEST_TEXT / 2**n characters."""
        system, user = self.template

        def messages(n: int) -> list[Message]:
            content = filled(user, {name: as_json(value) for name, value in contents(n).items()})
            return [{"role": "system", "content": system}, {"role": "user", "content": content}]

        text = "\n".join(str(value) for value in contents(0).values())
        named = {"repeat": 1, "seed": None, **about, "prompt": self.digest}
        return Question(named, messages, read, self.schema, self.form, text)


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


_WORDS = {"type": "array", "items": {"type": "string"}}
_NUGGET = _object(nugget={"type": "string"}, importance={"enum": [*IMPORTANCE]})
COMPARE = Task(
    "preferences",
    'Answer with one JSON object and nothing else: {"preferred": "first"} or {"preferred": "second"}.',
    _object(preferred={"enum": ["first", "second"]}),
    ("topic", "first", "second"),
)
COLLECT = Task(
    "nuggets",
    'Answer with one JSON object and nothing else: {"nuggets": ["…", "…"]}.',
    _object(nuggets=_WORDS),
    ("topic", "document"),
)
MERGE = Task(
    "merging",
    'Answer with one JSON object and nothing else: {"nuggets": [{"nugget": "…", "importance": "vital"}, …]}, with '
    f"at most {MOST_NUGGETS} nuggets.",
    _object(nuggets={"type": "array", "items": _NUGGET}),
    ("topic", "statements"),
)
ASSIGN = Task(
    "assignment",
    'Answer with one JSON object and nothing else: {"support": ["support", …]}, with one word per fact.',
    _object(support={"type": "array", "items": {"enum": [*SUPPORTS]}}),
    ("topic", "answer", "statements"),
)
CITE = Task(
    "citations",
    'Answer with one JSON object and nothing else: {"support": "full"}, {"support": "partial"} or {"support": "no"}.',
    _object(support={"enum": ["full", "partial", "no"]}),
    ("sentence", "document"),
)


class Sentence(NamedTuple):
    """A sentence of an answer, with the documents that it cites."""

    text: str
    citations: tuple[str, ...]


Answers = Mapping[tuple[str, str], Sequence[Sentence]]  # by query and system


@verb
def label_preferences(
    topics: Any,
    documents: Any,
    runs: Any,
    output: str | None = None,
    *,
    endpoint: str,
    model: str,
    depth: Annotated[Count, Means("Compare all documents that any run has at this rank or above.")] = 2,
    temperature: Degrees = 0.0,
    concurrency: AtOnce = 4,
    rate: PerMinute = None,
    timeout: Patience = SECONDS,
    price: Price = None,
    budget: Budget = None,
    most: Most = None,
    progress: Told | None = None,
) -> ModelLabels:
    """Which of two retrieved documents a language model prefers, asked in both orders.

    Parameters
    ----------
    topics, documents, runs, endpoint, model, price, progress
        As for `label`.
    output
        A CSV file, which `audit` reads as `preferences`; the journal has the same name and `.jsonl`.

    Returns
    -------
    ModelLabels
        One row per question.

    Examples
    --------
    >>> where = {"endpoint": "http://127.0.0.1:8080/v1", "model": "small"}
    >>> result = label_preferences({"1": "bears"}, {"d1": "Black bears."}, {"1": {"d1": 1.0}}, **where)
    >>> result.answer                                                # there is nothing to compare
    'small gave 0 labels (nothing was asked).'
    """
    settings = in_effect(label_preferences, locals()) | {"model": model}
    known = texts_of_topics(topics)
    pairs = pooled_pairs(known, runs, depth)
    passages = texts_of_documents(documents, {name for _, name in pairs})
    by_query: dict[str, list[str]] = {}
    for query, name in pairs:
        if name in passages:
            by_query.setdefault(query, []).append(name)
    both_orders = [
        (query, *order)
        for query, names in by_query.items()
        for one, other in combinations(sorted(names), 2)
        for order in ((one, other), (other, one))
    ]

    def question(query: str, first: str, second: str) -> Question:
        def contents(n: int) -> dict[str, Any]:
            pair = {
                name: shown_document(passages[one], LONGEST_TEXT >> n)
                for name, one in (("first", first), ("second", second))
            }
            return {"topic": shown_topic(known[query]), **pair}

        about = {"query": query, "document": first, "second": second}
        return COMPARE.question(about, contents, _choice("preferred", ("first", "second")))

    with _Session(output, endpoint, model, temperature, rate, timeout, Limits(price, budget, most)) as session:
        labels = session.ask(COMPARE, [question(*one) for one in both_orders], concurrency, progress)
    rows = [
        (one["query"], one["document"], one["second"], one["document" if one["preferred"] == "first" else "second"])
        for one in labels if one["preferred"]
    ]  # fmt: skip
    return session.delivered(PREFERENCES.of(sorted(rows)), len(both_orders), settings)


@verb
def label_nuggets(
    topics: Any,
    documents: Any,
    runs: Any,
    answers: Any,
    output: str | None = None,
    *,
    endpoint: str,
    model: str,
    depth: Annotated[Count, Means("Collect nuggets from the first documents of every run, down to this rank.")] = 5,
    temperature: Degrees = 0.0,
    concurrency: AtOnce = 4,
    rate: PerMinute = None,
    timeout: Patience = SECONDS,
    price: Price = None,
    budget: Budget = None,
    most: Most = None,
    progress: Told | None = None,
) -> ModelLabels:
    """Which facts the answers of systems contain: nuggets are collected from documents, merged, and looked for.

    Parameters
    ----------
    topics, documents, runs, endpoint, model, price, progress
        As for `label`.
    answers
        A file with one answer per line, as JSON: `{"query": "1", "system": "a", "answer": "…"}`, where the answer is a
        text or a list of `{"text": "…", "citations": ["d1"]}`.
    output
        A CSV file that `evaluate_answers` reads; the journal has the same name and `.jsonl`.

    Returns
    -------
    ModelLabels
        One row per nugget and answer.

    Examples
    --------
    >>> answers = [{"query": "1", "system": "a", "answer": "Bears sleep in winter."}]
    >>> where = {"endpoint": "http://127.0.0.1:8080/v1", "model": "small", "price": (1.0, 4.0)}
    >>> texts = {"1": "bears"}, {"d1": "Black bears."}, {"1": {"d1": 1.0}}
    >>> label_nuggets(*texts, answers, **where, budget=1e-9).notes[0]
    'stopped at the budget of 1e-09'
    """
    settings = in_effect(label_nuggets, locals()) | {"model": model}
    known, given_answers = texts_of_topics(topics), read_answers(answers)
    asked_queries = {query for query, _ in given_answers}
    pairs = [pair for pair in pooled_pairs(known, runs, depth) if pair[0] in asked_queries]
    passages = texts_of_documents(documents, {name for _, name in pairs})
    pairs = [pair for pair in pairs if pair[1] in passages]
    missing = sorted(asked_queries - {query for query, _ in pairs})
    if missing:
        raise BadInput(f"{len(missing)} queries of the answers have no retrieved document, such as {missing[0]!r}")

    def from_document(query: str, name: str) -> Question:
        def contents(n: int) -> dict[str, Any]:
            return {"topic": shown_topic(known[query]), "document": shown_document(passages[name], LONGEST_TEXT >> n)}

        return COLLECT.question({"query": query, "document": name}, contents, _texts_read)

    def merged(query: str, statements: Sequence[str]) -> Question:
        def contents(n: int) -> dict[str, Any]:
            return {"topic": shown_topic(known[query]), "statements": list(statements)[: max(1, len(statements) >> n)]}

        return MERGE.question({"query": query, "item": _digest(statements)}, contents, _nuggets_read)

    def assigned(query: str, system: str, nuggets: Sequence[Sequence[str]]) -> Question:
        statements, text = [nugget for nugget, _ in nuggets], _text(given_answers[query, system])

        def contents(n: int) -> dict[str, Any]:
            return {"topic": shown_topic(known[query]), "answer": text[: LONGEST_TEXT >> n], "statements": statements}

        about = {"query": query, "system": system, "item": _digest([text, *statements])}
        return ASSIGN.question(about, contents, _supports_read(len(statements)))

    rows = []
    with _Session(output, endpoint, model, temperature, rate, timeout, Limits(price, budget, most)) as session:
        collected: dict[str, list[str]] = {}
        for one in session.ask(COLLECT, [from_document(*pair) for pair in pairs], concurrency, progress):
            collected.setdefault(one["query"], []).extend(one["nuggets"] or ())
        questions = [merged(query, list(dict.fromkeys(some))) for query, some in sorted(collected.items()) if some]
        nuggets = {
            one["query"]: one["nuggets"]
            for one in session.ask(MERGE, questions, concurrency, progress)
            if one["nuggets"]
        }
        questions = [assigned(*key, nuggets[key[0]]) for key in sorted(given_answers) if key[0] in nuggets]
        for one in session.ask(ASSIGN, questions, concurrency, progress):
            for (nugget, importance), support in zip(nuggets[one["query"]], one["supports"] or (), strict=False):
                length = str(len(_text(given_answers[one["query"], one["system"]])))
                rows.append((one["query"], one["system"], nugget, importance, support, length))
    return session.delivered(NUGGETS.of(sorted(rows)), len(given_answers), settings)


@verb
def label_citations(
    documents: Any,
    answers: Any,
    output: str | None = None,
    *,
    endpoint: str,
    model: str,
    temperature: Degrees = 0.0,
    concurrency: AtOnce = 4,
    rate: PerMinute = None,
    timeout: Patience = SECONDS,
    price: Price = None,
    budget: Budget = None,
    most: Most = None,
    progress: Told | None = None,
) -> ModelLabels:
    """Whether the documents that answers cite support their sentences, according to a language model.

    Parameters
    ----------
    documents, endpoint, model, price, progress
        As for `label`.
    answers
        As for `label_nuggets`, with citations.
    output
        A CSV file that `evaluate_answers` reads; the journal has the same name and `.jsonl`.

    Returns
    -------
    ModelLabels
        One row per citation, and one per sentence without citations.

    Examples
    --------
    >>> answers = [{"query": "1", "system": "a", "answer": [{"text": "Bears sleep.", "citations": ["d9"]}]}]
    >>> label_citations({}, answers, endpoint="http://127.0.0.1:8080/v1", model="small").labels[0].support
    'no'
    """
    settings = in_effect(label_citations, locals()) | {"model": model}
    given_answers = read_answers(answers)
    cited = {name for sentences in given_answers.values() for one in sentences for name in one.citations}
    passages = texts_of_documents(documents, cited)
    places = [
        (query, system, number, name)
        for (query, system), sentences in sorted(given_answers.items())
        for number, one in enumerate(sentences, 1)
        for name in one.citations or ("",)
    ]

    def question(query: str, system: str, number: int, name: str) -> Question:
        sentence = given_answers[query, system][number - 1].text

        def contents(n: int) -> dict[str, Any]:
            return {"sentence": sentence, "document": shown_document(passages[name], LONGEST_TEXT >> n)}

        about = {"query": query, "system": system, "document": name, "item": f"{number} {_digest([sentence])}"}
        return CITE.question(about, contents, _choice("support", ("full", "partial", "no")))

    askable = [place for place in places if place[3] in passages]
    with _Session(output, endpoint, model, temperature, rate, timeout, Limits(price, budget, most)) as session:
        labels = session.ask(CITE, [question(*place) for place in askable], concurrency, progress)
    support = {
        (one["query"], one["system"], int(one["item"].split()[0]), one["document"]): one["support"] for one in labels
    }
    rows = []
    for query, system, number, name in places:
        if not name:
            rows.append((query, system, str(number), "", ""))
        elif name not in passages:  # a document that does not exist supports nothing
            rows.append((query, system, str(number), name, "no"))
        elif answer := support.get((query, system, number, name)):
            rows.append((query, system, str(number), name, answer))
    unknown = sorted(cited - passages.keys())
    notes = (
        [f"{len(unknown)} cited documents do not exist, such as {unknown[0]!r}; they support nothing"]
        if unknown
        else []
    )
    return session.delivered(CITATIONS.of(rows), len(askable), settings, notes)


class _Session:
    """The questions of a verb: one endpoint, one journal, one budget."""

    def __init__(
        self, output: str | None, endpoint: str, model: str, temperature: float, rate: float | None, timeout: float,
        limits: Limits,
    ) -> None:  # fmt: skip
        self._output, self._limits = output, limits
        self._settings = {"model": model, "temperature": temperature}
        self._endpoint = Endpoint(endpoint, model, rate=rate, seconds=timeout)
        self._journal = Journal.beside(output)
        self._notes: list[str] = []

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._endpoint.close()
        self._journal.close()

    def ask(self, task: Task, questions: Sequence[Question], concurrency: int, progress: Told | None) -> list[Label]:
        """The labels that answer the questions, asked for now or earlier."""
        if task.digest not in self._journal.prompts:
            self._journal.add(task.record())
        asking = Asking(self._endpoint, self._journal, self._limits, self._settings, progress)
        self._notes += asking.run(questions, concurrency)
        labels = self._journal.answers({**self._settings, **one.about} for one in questions)
        without = sum(bool(one["problem"]) for one in labels)
        self._notes += [f"{without} answers ({task.name}) could not be read"] if without else []
        return labels

    def delivered(
        self, columns: Columns, n_asked: int, settings: Mapping[str, Any], notes: Sequence[str] = ()
    ) -> ModelLabels:
        """The result, written as CSV."""
        made = ModelLabels(columns, n_asked, self._limits.spent(), settings=settings, notes=(*notes, *self._notes))
        if self._output is not None and len(columns):
            save(self._output, made.to_csv())
        return made


def read_answers(source: Any) -> dict[tuple[str, str], tuple[Sentence, ...]]:
    """The answers of systems, by query and system: from lines of JSON, or rows."""
    if isinstance(source, tuple | list) and source and all(isinstance(one, str | os.PathLike) for one in source):
        return _together([read_answers(one) for one in source])
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        with open(source, encoding="utf-8") as file:
            rows = [*_lines(file, name)]
    else:
        name, rows = "answers", list(enumerate(source, 1))
    answers: dict[tuple[str, str], tuple[Sentence, ...]] = {}
    for number, row in rows:
        if not isinstance(row, Mapping) or not {"query", "answer"} <= row.keys():
            known = ", ".join(row) if isinstance(row, Mapping) else type(row).__name__
            raise BadInput(f"{name}, line {number}: an answer needs query, answer and, optionally, system; got {known}")
        key = (str(row["query"]), str(row.get("system", "answers")))
        if key in answers:
            raise BadInput(f"{name}, line {number}: a second answer of {key[1]} to query {key[0]!r}")
        answers[key] = tuple(_sentences(row["answer"], f"{name}, line {number}"))
    if not answers:
        raise BadInput(f"{name}: no answers")
    return answers


def _together(several: Sequence[Answers]) -> dict[tuple[str, str], tuple[Sentence, ...]]:
    """The answers of several files."""
    answers: dict[tuple[str, str], tuple[Sentence, ...]] = {}
    for one in several:
        twice = next((key for key in one if key in answers), None)
        if twice is not None:
            raise BadInput(f"the answer of {twice[1]} to query {twice[0]!r} is in two files")
        answers |= {key: tuple(sentences) for key, sentences in one.items()}
    return answers


def _lines(file: Any, name: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                raise BadInput(f"{name}, line {number}: not a JSON object") from None


def _sentences(answer: Any, where: str) -> Iterator[Sentence]:
    if isinstance(answer, str):
        yield Sentence(answer, ())
        return
    if not isinstance(answer, list):
        raise BadInput(f"{where}: an answer is a text, or a list of sentences with text and citations")
    for one in answer:
        if not isinstance(one, Mapping) or not isinstance(one.get("text"), str):
            raise BadInput(f"{where}: a sentence needs a text and, optionally, citations")
        yield Sentence(one["text"], tuple(dict.fromkeys(map(str, one.get("citations") or ()))))


def _text(sentences: Sequence[Sentence]) -> str:
    return " ".join(one.text for one in sentences)


def _digest(texts: Sequence[str]) -> str:
    return sha256(as_json(list(texts)).encode()).hexdigest()[:16]


# reading


def _single(answer: str, key: str) -> Any:
    """The value of a key that is the same in all objects of an answer; None if there is none."""
    values = [one[key] for one in objects_in(answer) if key in one]
    return values[0] if values and all(value == values[0] for value in values) else None


def _choice(key: str, choices: Sequence[str]) -> Read:
    def read(answer: str) -> dict[str, Any]:
        value = _single(answer, key)
        value = value.strip().lower() if isinstance(value, str) else None
        known = value in choices
        return {key: value if known else None, "problem": "" if known else f"{key} is not one of {', '.join(choices)}"}

    return read


def _texts_read(answer: str) -> dict[str, Any]:
    values = _single(answer, "nuggets")
    known = isinstance(values, list) and all(isinstance(one, str) and one.strip() for one in values)
    lines = [" ".join(one.split()) for one in values][:MOST_NUGGETS] if known else None
    return {"nuggets": lines, "problem": "" if known else "nuggets is not a list of texts"}


def _nuggets_read(answer: str) -> dict[str, Any]:
    values = _single(answer, "nuggets")
    known = isinstance(values, list) and all(
        isinstance(one, dict) and isinstance(one.get("nugget"), str) and one.get("importance") in IMPORTANCE
        for one in values
    )
    named = {" ".join(one["nugget"].split()): one["importance"] for one in values} if known else {}
    pairs = [[nugget, importance] for nugget, importance in named.items() if nugget][:MOST_NUGGETS]
    return {"nuggets": pairs, "problem": "" if known else "nuggets is not a list of nuggets with their importance"}


def _supports_read(n: int) -> Read:
    def read(answer: str) -> dict[str, Any]:
        values = _single(answer, "support")
        known = isinstance(values, list) and len(values) == n and all(value in SUPPORT for value in values)
        return {
            "supports": values if known else None,
            "problem": "" if known else f"support is not a list of {n} words",
        }

    return read
