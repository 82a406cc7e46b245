"""INEX highlighted passages: how much of a document is about the topic (specificity).

Exhaustivity, how thoroughly it discusses the topic, is the grade of the judgment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cranfield.errors import BadInput

Span = tuple[int, int]  # first character, and one past the last
MOST = 1_000


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans merged so that they neither overlap nor touch, in order."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)


def checked_spans(spans: Sequence[Span], length: int) -> tuple[Span, ...]:
    """The merged spans, after checking that all are within a text of this length."""
    if len(spans) > MOST:
        raise BadInput(f"at most {MOST:,} passages are allowed; got {len(spans):,}")
    for start, end in spans:
        if not 0 <= start < end <= length:
            raise BadInput(f"the passage {start} to {end} is not within the {length:,} characters of the document")
    return merged(spans)


def specificity(spans: Iterable[Span], length: int) -> float | None:
    """The proportion of highlighted characters; None for an empty text."""
    return sum(end - start for start, end in merged(spans)) / length if length else None
