"""A language model behind an endpoint with OpenAI's chat completions protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.labelling.prompts import Message, tokens_of
from cranfield.outgoing import (
    AskingRules,
    Caller,
    HttpReply,
    ReplyTooLarge,
    Secrets,
    Unreachable,
    require_httpx,
    secret,
)

KEY = "CRANFIELD_ENDPOINT_KEY"
TRIES = 6
SECONDS = 120.0  # to wait for an answer
RULES = AskingRules(
    passing=frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529}), errors=("HTTPError", "InvalidURL"),
    first_pause=1.0, longest_wait=600.0, largest=4 << 20,
)  # fmt: skip
FORMS = ("schema", "object", "text")  # how strictly the endpoint enforces JSON, strictest first


@frozen
class Completion:
    """A model's answer, and what it took."""

    text: str
    tokens_in: int
    tokens_out: int
    counted: bool  # by the endpoint; otherwise estimated
    form: str
    tries: int
    milliseconds: int

    @property
    def usage(self) -> dict[str, Any]:
        """What is stored with each label."""
        used = {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "tokens_counted": self.counted}
        return used | {"milliseconds": self.milliseconds, "tries": self.tries, "form": self.form}


class TooLong(BadInput):
    """Messages that are longer than the model's context."""


class Endpoint:
    """A model at an endpoint; several threads may ask it."""

    def __init__(
        self, address: str, model: str, *, rate: float | None = None, tries: int = TRIES, seconds: float = SECONDS
    ) -> None:
        require_httpx("calls to other servers need")
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSetting(f"{address!r} is not the address of an endpoint, such as http://127.0.0.1:8080/v1")
        self._secrets, self._headers = Secrets(), {"Content-Type": "application/json"}
        if key := secret(KEY):
            self._secrets.also(key)
            self._headers["Authorization"] = f"Bearer {key}"
        self.model, per_second = model, rate / 60 if rate else None
        self._caller = Caller(address.rstrip("/"), RULES, self._secrets, timeout=seconds, tries=tries, rate=per_second)
        self._form = 0  # the strictest that the endpoint is known to accept

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._caller.close()

    def stop(self) -> None:
        """Send nothing more."""
        self._caller.stop()

    def complete(self, messages: Sequence[Message], *, schema: Mapping[str, Any], **settings: Any) -> Completion:
        """The model's answer to messages: as JSON of this schema, if the endpoint can enforce one."""
        body = {"model": self.model, "messages": list(messages)}
        body |= {name: value for name, value in settings.items() if value is not None}
        while True:
            form = self._form
            answered = self._sent(body | _response_format(form, schema))
            if answered.status == 400 and _too_long(answered.content):
                raise TooLong(f"{self._caller.address}: the document is longer than the context of {self.model}")
            if answered.status in (400, 404, 422, 501) and form < len(FORMS) - 1 and _of_format(answered.content):
                self._form = max(self._form, form + 1)
                continue
            return self._completion(answered, messages, FORMS[form])

    def _sent(self, content: Mapping[str, Any]) -> HttpReply:
        """The reply to JSON; an endpoint that is still busy after all tries is unreachable."""
        body = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        address = self._caller.address
        try:
            reply = self._caller.ask("POST", "/chat/completions", body, self._headers)
        except ReplyTooLarge:
            raise BadInput(f"{address} answers with more than {RULES.largest >> 20} MB") from None
        except Unreachable as error:
            if not error.tries:
                raise
            raise Unreachable(f"{address} failed {error.tries} times: {error.why}") from None
        if reply.status in RULES.passing:
            why = f"status {reply.status}: {self._excerpt(reply)}"
            raise Unreachable(f"{address} failed {reply.tries} times: {why}")
        return reply

    def _excerpt(self, reply: HttpReply) -> str:
        return self._secrets.hidden(reply.content.decode(errors="replace"))[:200]

    def _completion(self, answered: HttpReply, messages: Sequence[Message], form: str) -> Completion:
        address = self._caller.address
        if answered.status >= 400:
            raise BadInput(f"the endpoint {address} returned status {answered.status}: {self._excerpt(answered)}")
        try:
            reply = json.loads(answered.content)
            text: Any = reply["choices"][0]["message"].get("content")
            usage = reply.get("usage") or {}
            prompt_tokens: Any = usage.get("prompt_tokens")
            completion_tokens: Any = usage.get("completion_tokens")
        except (ValueError, LookupError, TypeError, AttributeError):
            text = prompt_tokens = completion_tokens = False
        if text is not None and not isinstance(text, str):
            raise BadInput(f"the endpoint {address} does not answer in OpenAI's chat completions format")
        answer = text or ""  # a model that refuses says nothing
        counted = type(prompt_tokens) is int and type(completion_tokens) is int
        tokens_in = prompt_tokens if counted else tokens_of(messages)
        tokens_out = completion_tokens if counted else len(answer.encode("utf-8", "replace")) // 4
        return Completion(answer, tokens_in, tokens_out, counted, form, answered.tries, round(answered.milliseconds))


def _response_format(form: int, schema: Mapping[str, Any]) -> dict[str, Any]:
    if FORMS[form] == "schema":
        named = {"name": "answer", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if FORMS[form] == "object" else {}


def _of_format(reply: bytes) -> bool:
    """Whether an error is about the response format."""
    text = reply.lower()
    return any(word in text for word in (b"response_format", b"json_schema", b"json_object", b"schema", b"grammar"))


def _too_long(reply: bytes) -> bool:
    text = reply.lower()
    return (
        b"context_length" in text or b"context length" in text or b"maximum context" in text or b"context size" in text
    )
