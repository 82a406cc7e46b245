"""Labels by a language model: grades, what they took, and their origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cranfield.frozen import cached_property, frozen
from cranfield.labelling.scale import Scale
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.tables.judgments import qrels_text
from cranfield.tables.label_journals import Label, grade_of
from cranfield.text import counted

LABELS = Schema(
    "labels",
    "Labels",
    (
        *texts("query", "document"),
        *figures("grade", digits=0),
        *figures("answers", "agreeing", digits=0),
        Field("suspicious", kind="text", optional=True),
        Field("problem", kind="text", optional=True),
    ),
)
GRADES = Schema(
    "grades",
    "Grades",
    (*figures("grade", digits=0), *texts("label"), *figures("documents", digits=0), Field("proportion", digits=2)),
)
SUSPICIOUS = Schema(
    "suspicious",
    "Documents that may try to influence the judge",
    (*texts("query", "document", "sign"), *figures("grade", digits=0)),
)


@frozen(eq=False)
class ModelLabels(AnnotatedResult):
    """Labels other than grades: preferences, support of nuggets, or support of citations."""

    kind = "model-labels"

    labels: Columns
    n_asked: int
    usage: Mapping[str, Any]

    @property
    def answer(self) -> str:
        """The labels in one sentence."""
        took = f"{taken(self.usage)}" if self.usage["calls"] else "nothing was asked"
        return f"{self.settings['model']} gave {counted(len(self.labels), 'label')} ({took})."


def taken(usage: Mapping[str, Any]) -> str:
    """What calls took, in words."""
    about, cost = "about " if usage["estimated"] else "", usage["cost"]
    tokens = f"{about}{usage['tokens_in'] + usage['tokens_out']:,} tokens"
    return f"{counted(usage['calls'], 'call')}, {tokens}, {usage['seconds']:.0f} s" + (
        "" if cost is None else f", at a cost of {cost:.2f}"
    )


@frozen(eq=False)
class Labels(AnnotatedResult):
    """The labels of all pairs that were asked about, now or earlier."""

    kind = "labels"

    labels: Columns
    grades: Columns
    suspicious: Columns
    n_asked: int  # pairs that should have a label
    usage: Mapping[str, Any]
    prompt: str = ""  # the first prompt in full, for a dry run

    @cached_property
    def qrels(self) -> dict[str, dict[str, int]]:
        """The grades by topic and document; documents without a grade are left out."""
        qrels: dict[str, dict[str, int]] = {}
        for row in self.labels:
            if row.grade is not None:
                qrels.setdefault(row.query, {})[row.document] = row.grade
        return qrels

    def to_qrels(self) -> str:
        """The grades in TREC's format."""
        return qrels_text(
            {(query, name): grade for query, grades in self.qrels.items() for name, grade in grades.items()}
        )

    @property
    def answer(self) -> str:
        """The labels in one sentence."""
        usage, n_graded = self.usage, sum(map(len, self.qrels.values()))
        if self.settings["dry_run"]:
            tokens = f"about {usage['tokens_in']:,} tokens sent and {usage['tokens_out']:,} received"
            cost = "" if usage["cost"] is None else f", at a cost of {usage['cost']:.2f}"
            return f"Labelling would take {counted(usage['calls'], 'call')}, {tokens}{cost}."
        labelled = f"{self.settings['model']} has labelled {n_graded:,} of {counted(self.n_asked, 'document')}"
        return f"{labelled} ({taken(usage)})." if usage["calls"] else f"{labelled}; nothing was asked."


def labels_of(
    labels: Sequence[Label], scale: Scale, pairs: Sequence[tuple[str, str]], usage: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Labels:  # fmt: skip
    """The result of labels by one model with one prompt."""
    by_pair: dict[tuple[str, str], list[Label]] = {}
    for label in labels:
        by_pair.setdefault((label["query"], label["document"]), []).append(label)
    rows, suspicious = [], []
    for (query, document), answers in sorted(by_pair.items()):
        grade = grade_of(answers)
        agreeing = sum(one["grade"] == grade for one in answers)
        problem = (
            next((one["problem"] or "cannot tell" for one in answers if one["grade"] is None), "")
            if grade is None
            else ""
        )
        signs = ", ".join(answers[0]["suspicious"])
        rows.append((query, document, grade, len(answers), agreeing, signs, problem))
        suspicious += [(query, document, sign, grade) for sign in answers[0]["suspicious"]]
    count = Counter(row[2] for row in rows)
    n_graded = sum(n for grade, n in count.items() if grade is not None)
    grades = [
        (one.value, one.label, count[one.value], count[one.value] / n_graded if n_graded else None)
        for one in scale.grades
    ]
    n_asked = len({*pairs} | by_pair.keys())
    notes = _notes(by_pair, rows, suspicious, settings["repeats"])
    return Labels(
        LABELS.of(rows), GRADES.of(grades), SUSPICIOUS.of(suspicious), n_asked, usage, settings=settings, notes=notes
    )


def _notes(
    by_pair: Mapping[tuple[str, str], Sequence[Label]], rows: Sequence[Any], suspicious: Sequence[Any], repeats: int
) -> tuple[str, ...]:
    answers = [one for labels in by_pair.values() for one in labels]
    without, again = sum(row[2] is None for row in rows), sum(one["unreadable"] is not None for one in answers)
    cut = sum(bool(labels[0]["cut"] or labels[0]["halved"]) for labels in by_pair.values())
    stable = sum(row[4] == row[3] for row in rows)
    names = {row[:2] for row in suspicious}
    notes = [
        f"{counted(without, 'document')} without a grade: the model could not tell, or its answers could not be read"
        if without else "",
        f"{counted(again, 'answer')} could not be read and asked for once more" if again else "",
        f"{counted(cut, 'document')} cut, because of the settings or the context" if cut else "",
        f"all repeats gave the same grade for {stable:,} of {counted(len(rows), 'document')}" if repeats > 1 else "",
        f"{counted(len(names), 'document')} may try to influence the judge: see the list of suspicious documents"
        if names else "",
    ]  # fmt: skip
    return tuple(filter(None, notes))
