"""Form fields: text of limited length, without control characters."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from fastapi import Depends, Form, Path, Query, Request
from pydantic import AfterValidator, Field

from cranfield.campaign.rules.events import LONGEST_KEY
from cranfield.campaign.web.guard import Here


def _line(text: str) -> str:
    return "".join(" " if char.isspace() else char for char in text if char.isspace() or _visible(char)).strip()


def visible_lines(text: str) -> str:
    """The text without control characters and characters that hide or reverse text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in text if char in "\n\t" or _visible(char)).strip()


def _visible(char: str) -> bool:
    """Whether it is not a control character, a lone surrogate, or a character that hides or reverses text."""
    return unicodedata.category(char) not in ("Cc", "Cs", "Cf")


Line = Annotated[str, Form(max_length=200), AfterValidator(_line)]
Lines = Annotated[str, Form(max_length=100_000), AfterValidator(visible_lines)]
EventKey = Annotated[str, Field(min_length=8, max_length=LONGEST_KEY, pattern=r"^[\w-]+$")]  # chosen by the client
LARGEST = 2**53  # neither database nor browsers handle larger numbers
Number = Annotated[int, Path(ge=1, le=LARGEST)]
OptionalNumber = Annotated[int | None, Query(ge=1, le=LARGEST)]
Secret = Annotated[str, Form(max_length=1_000)]


async def _here(request: Request) -> Here:  # a coroutine, so that it needs no thread
    return request.state.here


At = Annotated[Here, Depends(_here)]
