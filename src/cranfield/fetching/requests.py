"""What is asked: the request of an engine with its placeholders, filled with a topic; and secrets, which stay secret.

A placeholder is `{{query}}`, another field of the topic, `{{k}}`, `{{env:NAME}}` for a variable of the environment or
`{{file:PATH}}` for the content of a file. Only the last two can hold a secret.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from cranfield.errors import BadInput, BadSetting
from cranfield.frozen import frozen
from cranfield.outgoing import Secrets

TOPIC = ("query", "id", "description", "narrative", "keywords")  # the fields of a topic
_PLACE = re.compile(r"\{\{\s*(?P<kind>env:|file:)?(?P<name>[^{}]+?)\s*\}\}")
_SECRET = re.compile(r"authorization|cookie|api[-_]?key|access[-_]?key|token|secret|passw|signature|credential", re.I)
_METHODS = ("GET", "POST")


@frozen
class Request:
    """A request with placeholders: method and path with parameters, the JSON body, and headers."""

    method: str
    target: str  # a path below the address of the engine, with parameters
    body: Any = None
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """Everything that is sent, with placeholders instead of values: what is hashed."""
        return json.dumps([self.method, self.target, self.body, self.headers], sort_keys=True, ensure_ascii=False)


@frozen
class Filled:
    """A request as it is sent."""

    method: str
    target: str
    body: bytes | None
    headers: Mapping[str, str]


def within(value: Any, folder: str) -> Any:
    """The text, or the texts of a list, with `{{file:PATH}}` relative to a folder."""
    if isinstance(value, list):
        return [within(one, folder) for one in value]
    if not isinstance(value, str):
        return value

    def located(match: re.Match[str]) -> str:
        if match["kind"] != "file:":
            return match[0]
        return "{{file:" + os.path.join(folder, match["name"]) + "}}"

    return _PLACE.sub(located, value)


def request_line(text: str) -> tuple[str, str]:
    """The method and the target of `POST /search?k={{k}}`; without a method, GET."""
    method, _, target = text.strip().rpartition(" ")
    method = (method.strip() or "GET").upper()
    if method not in _METHODS or not target.startswith("/"):
        raise BadSetting(f"request is {text!r}; write a method and a path, such as 'GET /search?q={{{{query}}}}'")
    _refuse_literal_secrets(parse_qsl(urlsplit(target).query), "parameter")
    return method, target


def header(text: str) -> tuple[str, str]:
    """The name and the value of `Name: value`."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or not name.strip().isascii():
        raise BadSetting(f"a header is written 'Name: value', not {name.strip()!r}")
    pair = (name.strip(), value.strip())
    _refuse_literal_secrets([pair], "header")
    return pair


def login(text: str) -> tuple[str, str]:
    """The user and the password, which must be a placeholder, of `admin:{{env:NAME}}`."""
    user, _, password = text.partition(":")
    if not _PLACE.fullmatch(password) or not user:
        raise BadSetting("login is a user and a reference to the password, such as 'admin:{{env:ENGINE_PASSWORD}}'")
    return user, password


def _refuse_literal_secrets(pairs: Iterable[tuple[str, str]], what: str) -> None:
    """Refuse secrets that are written out, so that they are not in commands, histories and repositories."""
    for name, value in pairs:
        if _SECRET.search(name) and value and not any(match["kind"] for match in _PLACE.finditer(value)):
            raise BadSetting(
                f"the {what} {name} looks like a secret, which must not be written here: put it into a variable of the "
                f"environment and write '{name}: {{{{env:VARIABLE}}}}', or into a file and write {{{{file:PATH}}}}"
            )


def template(path: str) -> Any:
    """The JSON of a template file."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (ValueError, RecursionError) as error:
        raise BadInput(f'{path}: not JSON: {error}; placeholders are within quotes: "{{{{query}}}}"') from None


def require_placeholders(request: Request) -> None:
    """Refuse unknown placeholders, and a request that is the same for all topics."""
    names = [match["name"] for match in _PLACE.finditer(request.text) if not match["kind"]]
    unknown = next((name for name in names if name not in (*TOPIC, "k")), None)
    if unknown is not None:
        known = ", ".join(f"{{{{{name}}}}}" for name in (*TOPIC, "k", "env:NAME", "file:PATH"))
        raise BadSetting(f"there is no placeholder {{{{{unknown}}}}}; available: {known}")
    if not set(names) - {"k", "id"}:
        raise BadSetting("the request is the same for all queries: write {{query}} where the words of the query belong")


def filled(request: Request, topic: Mapping[str, str], k: int, secrets: Secrets, user: Sequence[str] = ()) -> Filled:
    """The request for a topic."""

    def value(match: re.Match[str]) -> str:
        if match["kind"]:
            return secrets.value(match["kind"], match["name"])
        return str(k) if match["name"] == "k" else topic.get(match["name"], "")

    headers = {name: _PLACE.sub(value, text) for name, text in request.headers}
    if user:
        name, password = user
        pair = base64.b64encode(f"{name}:{_PLACE.sub(value, password)}".encode()).decode()
        secrets.also(pair)
        headers["Authorization"] = f"Basic {pair}"
    if any("\n" in text or "\r" in text for text in headers.values()):
        raise BadInput("the value of a header has more than one line")
    target = _PLACE.sub(lambda match: quote(value(match), safe=""), request.target)
    body = None if request.body is None else json.dumps(_in_json(request.body, value, k), ensure_ascii=False).encode()
    return Filled(
        request.method, target, body, headers | ({} if body is None else {"Content-Type": "application/json"})
    )


def _in_json(content: Any, value: Callable[[re.Match[str]], str], k: int) -> Any:
    if isinstance(content, dict):
        return {key: _in_json(one, value, k) for key, one in content.items()}
    if isinstance(content, list):
        return [_in_json(one, value, k) for one in content]
    if not isinstance(content, str):
        return content
    whole = _PLACE.fullmatch(content)
    return k if whole and whole["name"] == "k" and not whole["kind"] else _PLACE.sub(value, content)
