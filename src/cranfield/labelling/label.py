"""Which of the retrieved documents are relevant, according to a language model?"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.labelling.asking import (
    ANSWER_TOKENS,
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
from cranfield.labelling.model_answers import reply_of
from cranfield.labelling.prompts import (
    LONGEST_TEXT,
    Example,
    Message,
    Pair,
    Prompt,
    prompt_of,
    read_scale,
    schema_of,
    tokens_of,
)
from cranfield.labelling.result import Labels, labels_of
from cranfield.labelling.scale import Scale
from cranfield.pools.pool import pool
from cranfield.results.provenance import Origin, Provenance
from cranfield.results.writing import save
from cranfield.settings import Count, Means, Range
from cranfield.tables.collections.documents import read_documents
from cranfield.tables.collections.topics import read_topic_file
from cranfield.tables.label_journals import Label
from cranfield.tables.names import decode
from cranfield.tables.sources import as_judgments
from cranfield.text import counted
from cranfield.verb import in_effect, verb

DEPTH = 10

Seed = Annotated[int, Range("a non-negative integer", low=0, whole=True)]
Examples = Annotated[int, Range("a non-negative integer", low=0, whole=True)]


@verb
def label(
    topics: Any,
    documents: Any,
    runs: Any,
    output: str | None = None,
    *,
    endpoint: str,
    model: str,
    qrels: Any = None,
    prompt: Annotated[str, Means("A preset (`cranfield`, `umbrela`, `trec` or `binary`) or a file.")] = "cranfield",
    scale: Any = None,
    guidelines: str = "",
    depth: Annotated[Count, Means("Label the first documents of every run, down to this rank.")] = DEPTH,
    judged: Annotated[
        bool, Means("Also label the documents that people judged, which an audit and `estimate` need.")
    ] = False,
    examples: Annotated[
        Examples, Means("Number of judged documents, drawn at random, that the prompt shows as examples.")
    ] = 0,
    repeats: Annotated[Count, Means("Number of times to ask about each document; its label is the median.")] = 1,
    temperature: Degrees = 0.0,
    seed: Annotated[
        Seed | None, Means("Seed sent to the model, plus the number of the repeat; also of examples.")
    ] = None,
    longest: Annotated[
        Count, Means("Longest text sent, in characters; what follows is cut, and the model is told so.")
    ] = LONGEST_TEXT,
    concurrency: AtOnce = 4,
    rate: PerMinute = None,
    timeout: Patience = SECONDS,
    price: Price = None,
    budget: Budget = None,
    most: Most = None,
    dry_run: bool = False,
    progress: Told | None = None,
) -> Labels:
    """Labels of retrieved documents by a language model, asked only about what nobody has judged.

    The model is asked at an endpoint with OpenAI's chat completions protocol. With `output`, the labels are written as
    qrels, and every answer is kept in a journal beside them: asking again with the same settings resumes.

    Parameters
    ----------
    topics, documents
        Files of topics and documents, as for campaigns; or `{topic: title}` and `{document: text}`.
    runs
        As for `evaluate`.
    output
        The file of the qrels; the journal has the same name and `.jsonl`.
    endpoint, model
        The address of the endpoint, such as `http://127.0.0.1:8080/v1`, and the name of the model. A key is read from
        `CRANFIELD_ENDPOINT_KEY`, or from the file that `CRANFIELD_ENDPOINT_KEY_FILE` names.
    qrels
        Judgments by people, as for `evaluate`: these documents are left out unless `judged`.
    scale
        The grades: a `Scale`, or a file with lines such as `0 Not relevant`; by default, those of the prompt.
    guidelines
        Guidelines for assessors, which the prompt shows.
    price
        Cost of a million tokens sent and a million received.
    dry_run
        Ask nothing: count the calls, estimate the tokens, and show one prompt.
    progress
        Called with the number of calls done and that of all calls.

    Returns
    -------
    Labels
        One row per document; `result.qrels` are the judgments, as `{topic: {document: grade}}`.

    Examples
    --------
    >>> topics, documents = {"1": "black bears"}, {"d1": "Black bears live in forests.", "d2": "White swans."}
    >>> run = {"1": {"d1": 2.0, "d2": 1.0}}
    >>> where = {"endpoint": "http://127.0.0.1:8080/v1", "model": "small"}
    >>> label(topics, documents, run, **where, dry_run=True).usage["calls"]
    2
    """
    known_topics, by_people = texts_of_topics(topics), None if qrels is None else as_judgments(qrels)
    people = {} if by_people is None else _grades(by_people)
    limits = Limits(price, budget, most)
    if (judged or examples) and not people:
        raise BadSetting(f"{'judged' if judged else 'examples'} needs qrels: judgments by people")
    chosen = pooled_pairs(known_topics, runs, depth)
    texts = texts_of_documents(documents, {name for _, name in chosen} | _judged_names(people, examples))
    base = prompt_of(prompt, scale=_scale(scale), guidelines=guidelines, longest=longest)
    shown = _examples(known_topics, texts, people, examples, seed or 0, base.scale)
    complete = replace(base, examples=tuple(one for _, one in shown))
    reserved = {pair for pair, _ in shown}
    asks = _Asks(known_topics, texts, complete, repeats, seed)
    made_with = {"model": model, "prompt": complete.digest, "temperature": temperature}
    missing = [pair for pair in chosen if pair[1] not in texts]
    if len(missing) == len(chosen):
        raise BadInput(
            f"none of the {len(chosen):,} retrieved documents is among the documents, such as {missing[0][1]!r}"
        )
    pairs = [
        pair for pair in chosen
        if pair[1] in texts and pair not in reserved and (judged or pair[1] not in people.get(pair[0], {}))
    ]  # fmt: skip
    settings = in_effect(label, locals()) | {"model": model, "dry_run": dry_run, "price": price and list(price)}
    notes = _notes(chosen, missing, reserved)
    if dry_run:
        return _previewed(asks, pairs, limits, settings, notes)
    with Journal.beside(output) as journal:
        if complete.digest not in journal.prompts:
            journal.add(complete.record() | {"examples": [list(pair) for pair, _ in shown]})
        try:
            with Endpoint(endpoint, model, rate=rate, seconds=timeout) as assessor:
                stop = Asking(assessor, journal, limits, made_with, progress).run([*asks.of(pairs)], concurrency)
        finally:
            labels = [one for one in journal.labels.values() if asks.include(one, made_with)]
            made = labels_of(labels, complete.scale, pairs, limits.spent(), settings)
            if output is not None and made.qrels:
                save(output, made.to_qrels())
    inputs = () if by_people is None else (Origin.of("qrels", by_people),)
    return replace(made, notes=(*notes, *made.notes, *stop), provenance=Provenance(inputs, settings))


@frozen(eq=False)
class _Asks:
    """What is asked about pairs: their texts, and the prompt with its settings."""

    topics: Mapping[str, Mapping[str, Any]]
    texts: Mapping[str, Mapping[str, Any]]
    prompt: Prompt
    repeats: int
    seed: int | None

    def of(self, pairs: Sequence[tuple[str, str]]) -> Iterator[Question]:
        """All questions, in order of the repeats, so that whoever stops early has asked about most pairs."""
        for repeat in range(1, self.repeats + 1):
            for query, document in pairs:
                about = {"query": query, "document": document, "repeat": repeat, "seed": self._seed_of(repeat)}
                yield question_about(self.prompt, Pair(self.topics[query], self.texts[document]), about)

    def _seed_of(self, repeat: int) -> int | None:
        return None if self.seed is None else self.seed + repeat - 1

    def include(self, label: Label, made_with: Mapping[str, Any]) -> bool:
        """Whether a label answers one of these questions, about whatever pair."""
        expected = {**made_with, "seed": self._seed_of(label["repeat"])}
        return label["repeat"] <= self.repeats and all(label[name] == value for name, value in expected.items())


def question_about(prompt: Prompt, pair: Pair, about: Mapping[str, Any]) -> Question:
    """The question about the relevance of a document."""
    text = f"{pair.document.get('title') or ''}\n{pair.document.get('text') or ''}"
    size = len(pair.document.get("text") or "")

    def shortened(n: int) -> Prompt:
        return replace(prompt, longest=min(prompt.longest, size) >> n) if n else prompt

    def reply(answer: str) -> dict[str, Any]:
        return asdict(reply_of(answer, prompt.scale, text))

    def messages(n: int) -> list[Message]:
        return shortened(n).messages(pair)

    return Question(
        {**about, "cut": size > prompt.longest}, messages, reply, schema_of(prompt.scale), prompt.form, text
    )


def _previewed(
    asks: _Asks, pairs: Sequence[tuple[str, str]], limits: Limits, settings: Mapping[str, Any], notes: tuple[str, ...]
) -> Labels:
    """What labelling would take, and the first prompt."""
    questions = [*asks.of(pairs)]
    tokens, n_calls = sum(tokens_of(one.messages(0)) for one in questions), len(questions)
    usage = limits.spent() | {"calls": n_calls, "tokens_in": tokens, "tokens_out": ANSWER_TOKENS * n_calls}
    if usage["cost"] is not None:
        usage["cost"] = limits.cost(tokens, ANSWER_TOKENS * n_calls)
    messages = questions[0].messages(0) if questions else []
    first = "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in messages)
    preview = labels_of([], asks.prompt.scale, pairs, usage, settings)
    return replace(preview, prompt=first, notes=notes)


def texts_of_topics(topics: Any) -> dict[str, dict[str, Any]]:
    """The fields of each topic."""
    if isinstance(topics, Mapping):
        return {
            str(name): dict(one) if isinstance(one, Mapping) else {"title": str(one)} for name, one in topics.items()
        }
    return {topic.id: asdict(topic) for topic in read_topic_file(os.fspath(topics))}


def texts_of_documents(documents: Any, needed: set[str]) -> dict[str, dict[str, Any]]:
    """The texts of the documents that are needed."""
    if isinstance(documents, Mapping):
        return {
            name: dict(one) if isinstance(one, Mapping) else {"text": str(one)}
            for name, one in documents.items() if name in needed
        }  # fmt: skip
    read = read_documents(os.fspath(documents))
    return {one.id: {"title": one.title, "text": one.text} for one in read if one.id in needed}


def pooled_pairs(topics: Mapping[str, Any], runs: Any, depth: int) -> list[tuple[str, str]]:
    """The pairs to label: by rank first, so that whoever stops early has a shallower pool of all topics."""
    pooled = [(row.order, row.topic, row.document) for row in pool(runs, depth=depth)]
    unknown = sorted({topic for _, topic, _ in pooled} - topics.keys())
    if unknown:
        raise BadInput(f"{len(unknown)} topics of the runs are not among the topics, such as {unknown[0]!r}")
    return [(topic, document) for _, topic, document in sorted(pooled, key=lambda one: one[0])]


def _grades(judgments: Any) -> dict[str, dict[str, float]]:
    """The judgments by query and document; a negative grade means unjudged."""
    judgments.require_once("the judgments")
    return {
        decode(query): {decode(name): grade for name, grade in judgments.grades_of(place).items() if grade >= 0}
        for place, query in enumerate(judgments.queries.tolist())
    }


def _judged_names(people: Mapping[str, Mapping[str, float]], n_examples: int) -> set[str]:
    return {name for grades in people.values() for name in grades} if n_examples else set()


def _scale(scale: Any) -> Scale | None:
    return scale if scale is None or isinstance(scale, Scale) else read_scale(os.fspath(scale))


def _examples(
    topics: Mapping[str, Mapping[str, Any]], texts: Mapping[str, Mapping[str, Any]],
    people: Mapping[str, Mapping[str, float]], n: int, seed: int, scale: Scale,
) -> list[tuple[tuple[str, str], Example]]:  # fmt: skip
    """Judged documents drawn at random, all grades alike; they are neither labelled nor part of an audit."""
    if not n:
        return []
    by_grade: dict[int, list[tuple[str, str]]] = {}
    for query, grades in sorted(people.items()):
        for document, grade in sorted(grades.items()):
            if query in topics and document in texts and grade in scale:
                by_grade.setdefault(int(grade), []).append((query, document))
    chance = random.Random(seed)
    for pairs in by_grade.values():
        chance.shuffle(pairs)
    examples: list[tuple[tuple[str, str], Example]] = []
    while len(examples) < n and any(by_grade.values()):
        for grade in sorted(by_grade):
            if by_grade[grade] and len(examples) < n:
                query, document = by_grade[grade].pop()
                examples.append(((query, document), Example(Pair(topics[query], texts[document]), grade)))
    if len(examples) < n:
        raise BadSetting(
            f"examples: only {len(examples)} judged documents have a topic, a text and a grade on the scale"
        )
    return examples


def _notes(
    chosen: Sequence[tuple[str, str]], missing: Sequence[tuple[str, str]], examples: set[tuple[str, str]]
) -> tuple[str, ...]:
    notes = []
    if missing:
        n_topics, of_all = (
            len({query for query, _ in missing}),
            f"{len(missing):,} of {len(chosen):,} retrieved documents",
        )
        notes.append(f"{of_all}, of {counted(n_topics, 'topic')}, have no text and are not labelled")
    if examples:
        shown = f"{counted(len(examples), 'judged document')} shown as examples in the prompt"
        notes.append(f"{shown}: they are not labelled, and audits leave them out")
    return tuple(notes)
