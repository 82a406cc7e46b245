"""A machine assessor compared with people, on the documents labelled by both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cranfield.campaign.rules.assessor_labels import Labels, by_topic
from cranfield.campaign.rules.conflicts import JudgedDocument, Rule, Ties, decided
from cranfield.campaign.rules.events import WITHOUT_GRADE
from cranfield.frozen import frozen
from cranfield.labelling.scale import Scale

PEOPLE, MACHINE = "people", "machine"


def by_people(document: JudgedDocument) -> JudgedDocument:
    """The document with the opinions of people only."""
    return replace(document, opinions=tuple(opinion for opinion in document.opinions if opinion.kind == "person"))


def filled(document: JudgedDocument, machine: int) -> JudgedDocument:
    """The document with the opinions of people, or of a machine where no person judged it."""
    people = by_people(document)
    return people if people.opinions or people.adjudication is not None else _by_machine(document, machine)


def _by_machine(document: JudgedDocument, machine: int) -> JudgedDocument:
    return replace(document, opinions=tuple(opinion for opinion in document.opinions if opinion.account == machine))


@frozen
class Compared:
    """The labels of people and of a machine on the same documents."""

    labels: Labels  # of people and of the machine, by topic and document
    n_cannot_tell: int  # documents labelled by people but not by the machine

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """People's grade and the machine's grade for each document."""
        return [
            (grade, self.labels[MACHINE][topic][document])
            for topic, grades in self.labels.get(PEOPLE, {}).items()
            for document, grade in grades.items()
        ]


def compared(documents: Iterable[JudgedDocument], machine: int, rule: Rule, ties: Ties) -> Compared:
    """The documents labelled by both people and the machine; open conflicts are left out."""
    labels: Labels = {PEOPLE: {}, MACHINE: {}}
    n_cannot_tell = 0
    for document in documents:
        label = decided(by_people(document), rule, ties).grade
        by_machine = next((opinion.judged for opinion in document.opinions if opinion.account == machine), None)
        if label is None or by_machine is None:
            continue
        if by_machine.grade is None:
            n_cannot_tell += by_machine.kind in WITHOUT_GRADE
            continue
        labels[PEOPLE].setdefault(document.topic, {})[document.document] = label
        labels[MACHINE].setdefault(document.topic, {})[document.document] = by_machine.grade
    return Compared(labels, n_cannot_tell)


def labels_of_machine(documents: Iterable[JudgedDocument], machine: int) -> dict[str, dict[str, int]]:
    """All grades of a machine, by topic and document."""
    labels = by_topic(_by_machine(document, machine) for document in documents)
    return next(iter(labels.values()), {})


def confusion(pairs: Sequence[tuple[int, int]], scale: Scale) -> list[list[int]]:
    """The confusion matrix of pairs of grades: the first in rows, the second in columns."""
    count = Counter(pairs)
    grades = [grade.value for grade in scale.grades]
    return [[count[grade, other] for other in grades] for grade in grades]


@frozen
class Leniency:
    """How much higher the machine's grades are than people's, in steps of the scale."""

    mean: float
    n_higher: int
    n_lower: int
    n_equal: int
    relevant_people: float  # proportion of the documents
    relevant_machine: float


def leniency(pairs: Sequence[tuple[int, int]], scale: Scale) -> Leniency | None:
    """Whether the machine is more generous than people; None without documents."""
    if not pairs:
        return None
    place = {grade.value: step for step, grade in enumerate(scale.grades)}
    steps = [place[machine] - place[people] for people, machine in pairs]
    relevant = [(scale.relevant(people), scale.relevant(machine)) for people, machine in pairs]
    return Leniency(
        mean=sum(steps) / len(steps),
        n_higher=sum(step > 0 for step in steps),
        n_lower=sum(step < 0 for step in steps),
        n_equal=sum(step == 0 for step in steps),
        relevant_people=sum(people for people, _ in relevant) / len(relevant),
        relevant_machine=sum(machine for _, machine in relevant) / len(relevant),
    )
