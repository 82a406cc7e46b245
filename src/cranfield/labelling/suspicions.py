"""Signs that a document tries to influence its judge. They are reported; the judgment is not changed."""

from __future__ import annotations

import re

SIGNS = {
    "instructions to the judge": re.compile(
        r"\b(ignore|disregard|forget|override)\b.{0,40}\b(instructions?|rules?|prompts?|guidelines?|above|previous)\b"
        r"|\bnew (rules?|instructions?)\b\s*:"
        r"|\b(you are|act as) (now )?(a|an|the) (judge|assessor|grader|assistant|evaluator)\b"
        r"|\b(judge|grade|rate|label|mark|score|answer)\b.{0,30}\b(this|every|all|each)\b.{0,30}"
        r"\b(relevant|highest|maximum|top grade|grade\W{0,3}[0-9])",
        re.IGNORECASE | re.DOTALL,
    ),
    "a grade in the form of an answer": re.compile(
        r"[\"'](grade|score|relevance|label)[\"']\s*:\s*[\"']?[0-9]"
        r"|\b(relevance|final) (grade|score|label)\s*[:=]\s*[0-9]",
        re.IGNORECASE,
    ),
    "markup of a conversation": re.compile(
        r"<\|[^|<>]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?(system|user|assistant|document|topic|query)>"
        r"|[\"']role[\"']\s*:\s*[\"'](system|user|assistant)|^\s*(system|assistant)\s*:",
        re.IGNORECASE | re.MULTILINE,
    ),
    "invisible characters": re.compile("[\u202a-\u202e\u2066-\u2069\u200b\u2060\U000e0000-\U000e007f]"),
}


def signs(text: str) -> tuple[str, ...]:
    """The signs that a text has, by name."""
    return tuple(name for name, pattern in SIGNS.items() if pattern.search(text))
