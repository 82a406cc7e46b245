"""From several assessors' judgments to one label: agreement, adjudication, a rule, or an open conflict.

Decided here: which label a document with several judgments has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from cranfield.campaign.rules.events import WITHOUT_GRADE, Judged, Kind
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.labelling.scale import Scale

Rule = Literal["majority", "highest", "lowest"]
RULES: tuple[Rule, ...] = get_args(Rule)
Ties = Literal["unresolved", "higher", "lower"]
TIES: tuple[Ties, ...] = get_args(Ties)
Reason = Literal[
    "one assessor", "agreed", "adjudicated", "majority", "tie", "highest", "lowest", "conflict", "no grade"
]


@frozen
class Opinion:
    """The current label of a document by one assessor."""

    account: int
    assessor: str
    judged: Judged
    at: int = 0  # time of the last judgment
    kind: str = "person"


@frozen
class Adjudication:
    """A decision on a document, with its reason; `kind` is "grade", or "undo" to cancel the last one."""

    kind: Kind
    grade: int | None
    note: str
    account: int
    adjudicator: str
    at: int = 0


@frozen
class JudgedDocument:
    """A pooled document with the opinion of each of its assessors and the current adjudication."""

    id: int
    topic: str
    document: str
    opinions: tuple[Opinion, ...]
    adjudication: Adjudication | None = None

    @property
    def grades(self) -> list[int]:
        """The grades of the assessors who gave one."""
        return [opinion.judged.grade for opinion in self.opinions if opinion.judged.grade is not None]

    @property
    def is_conflict(self) -> bool:
        """Whether the grades differ, or all assessors have finished without giving a grade."""
        return len(set(self.grades)) > 1 or self.is_without_grade

    @property
    def is_without_grade(self) -> bool:
        """Whether all assessors have finished without giving a grade."""
        return bool(self.opinions) and all(opinion.judged.kind in WITHOUT_GRADE for opinion in self.opinions)


@frozen
class Decision:
    """The label of a document, if any, and the reason."""

    grade: int | None
    reason: Reason


def decided(document: JudgedDocument, rule: Rule, ties: Ties) -> Decision:
    """The label of a document; adjudication takes precedence over the rule, and the rule over the setting for ties."""
    grades = document.grades
    if document.adjudication is not None:
        return Decision(document.adjudication.grade, "adjudicated")
    if not grades:
        return Decision(None, "no grade")
    if len(set(grades)) == 1:
        return Decision(grades[0], "agreed" if len(grades) > 1 else "one assessor")
    if rule != "majority":
        return Decision(max(grades) if rule == "highest" else min(grades), rule)
    return _majority(grades, ties)


def _majority(grades: Sequence[int], ties: Ties) -> Decision:
    """The most frequent grade; ties are resolved by the setting for ties."""
    count = Counter(grades)
    most = sorted(grade for grade, n in count.items() if n == max(count.values()))
    if len(most) == 1:
        return Decision(most[0], "majority")
    if ties == "unresolved":
        return Decision(None, "conflict")
    return Decision(most[-1] if ties == "higher" else most[0], "tie")


def rule_in_words(rule: Rule, ties: Ties) -> str:
    """A description of the rule that combines several grades, recorded in each version of the qrels."""
    if rule != "majority":
        return f"{rule} grade"
    return "most frequent grade; " + ("ties left out" if ties == "unresolved" else f"{ties} grade if tied")


RULE_IN_WORDS = {rule_in_words(rule, ties): (rule, ties) for rule in RULES for ties in TIES}


def size(document: JudgedDocument, scale: Scale) -> int:
    """The distance between the lowest and the highest grade in steps of the scale."""
    order = [grade.value for grade in scale.grades]
    places = [order.index(grade) for grade in document.grades]
    return max(places) - min(places) if places else 0


def conflicts(documents: Iterable[JudgedDocument], scale: Scale) -> list[JudgedDocument]:
    """The documents that need or have a decision, largest disagreement first."""
    conflicting = [document for document in documents if document.is_conflict]
    return sorted(conflicting, key=lambda one: (-size(one, scale), one.topic, one.document))


def is_left_out(document: JudgedDocument, rule: Rule, ties: Ties) -> bool:
    """Whether qrels by this rule have no label for a conflict."""
    return document.is_conflict and decided(document, rule, ties).grade is None


def is_open(document: JudgedDocument) -> bool:
    """Whether a conflict has no label: it was not adjudicated, and no single grade is the most frequent."""
    return is_left_out(document, "majority", "unresolved")


def check_adjudicator(document: JudgedDocument, account: int) -> None:
    """Refuse a decision by one of the document's assessors."""
    if any(opinion.account == account for opinion in document.opinions):
        raise BadInput("you judged this document yourself; somebody else has to decide")


def check_adjudication(document: JudgedDocument, grade: int, reason: str, scale: Scale) -> None:
    """Refuse a decision without a conflict, with a grade that is not on the scale, or without a reason."""
    if not document.is_conflict:
        raise BadInput("the assessors of this document agree; there is nothing to decide")
    scale.require(grade)
    if not reason:
        raise BadInput("give a reason for the decision; it is stored with it")
