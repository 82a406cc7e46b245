"""The responses of screens: a page that is also available as JSON, or a change that redirects to another page."""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nh3
from fastapi import Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.background import BackgroundTask

from cranfield.frozen import frozen
from cranfield.tables.collections.documents import DOCUMENT_FORMATS
from cranfield.tables.collections.topics import TOPIC_FORMATS

FOLDER = Path(__file__).parent
_markdown = MarkdownIt("commonmark", {"html": False})
_TAGS = {"p", "em", "strong", "ul", "ol", "li", "h1", "h2", "h3", "h4", "code", "pre", "blockquote", "br", "hr", "a"}


def rendered(markdown: str) -> Markup:
    """Markdown as HTML, without scripts."""
    return Markup(nh3.clean(_markdown.render(markdown), tags=_TAGS, attributes={"a": {"href"}}, url_schemes={"https"}))


templates = Environment(
    loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
    lstrip_blocks=True,
)  # fmt: skip
templates.filters["markdown"] = rendered
templates.filters["zip"] = zip
templates.filters["decimals"] = lambda value, digits: f"{value:.{digits}f}".replace("-", "−")
templates.filters["signed"] = lambda value, digits: f"{value:+.{digits}f}".replace("-", "−")
templates.tests["contains_first"] = lambda tiers, first: bool(first) and first[0] in tiers
templates.filters["moment"] = lambda at: datetime.fromtimestamp(at / 1000, UTC).strftime("%d %b %Y")
templates.globals |= {"TOPIC_FORMATS": TOPIC_FORMATS, "DOCUMENT_FORMATS": DOCUMENT_FORMATS}
templates.globals["TABS"] = (  # the pages of a benchmark, in groups: path, label and action of each
    ("Overview", (("", "Overview", "see the benchmark"),)),
    ("Set up", (
        ("/topics", "Topics", "see topics"), ("/proposals", "Proposals", "propose topics"),
        ("/runs", "Runs", "submit runs"), ("/people", "People", "invite people"), ("/settings", "Settings", "set up"),
    )),
    ("Judge", (
        ("/pool", "Pool", "pool"), ("/judge", "Judge", "judge"), ("/prefer", "Prefer", "judge"),
        ("/conflicts", "Conflicts", "see judgments"), ("/agreement", "Agreement", "see judgments"),
        ("/preferences", "Preference results", "see judgments"), ("/machines", "Machines", "see judgments"),
    )),
    ("Results", (("/results", "Results", "see results"),)),
    ("Audit", (("/audit", "Audit", "see judgments"),)),
)  # fmt: skip


@frozen
class Page:
    """A page: its template and its data, which the API returns as JSON with the names of the benchmark."""

    template: str
    data: dict[str, Any] = field(default_factory=dict)
    status: int = 200


@frozen
class Done:
    """A completed change: where the browser is redirected, and what the API returns."""

    location: str
    data: dict[str, Any] = field(default_factory=dict)
    cookie: str | None = None  # the secret of a new session; empty to end it


@frozen
class Download:
    """A file, identical for browsers and programs."""

    name: str
    content: bytes
    media_type: str = "text/plain; charset=utf-8"


@frozen
class StoredFile:
    """A file on disk, sent piece by piece; a temporary one is removed afterwards."""

    name: str
    path: Path
    media_type: str = "application/octet-stream"
    temporary: bool = False


@frozen
class GeneratedPage:
    """A complete HTML page with its own scripts: sandboxed, without access to our cookies."""

    html: str


SANDBOX = "; ".join((
    "sandbox allow-scripts allow-downloads", "default-src 'none'", "script-src 'unsafe-inline' 'unsafe-eval'",
    "style-src 'unsafe-inline'", "img-src data: blob:", "font-src data:", "form-action 'none'", "base-uri 'none'",
    "frame-ancestors 'none'",
))  # fmt: skip
Answer = Page | Done | Download | StoredFile | GeneratedPage


def responded(answer: Answer, here: Any, *, as_json: bool) -> Response:
    """The response as HTML for browsers, or as JSON for programs."""
    if isinstance(answer, Download):
        headers = {"Content-Disposition": f'attachment; filename="{answer.name}"'}
        return Response(answer.content, media_type=answer.media_type, headers=headers)
    if isinstance(answer, StoredFile):
        remove = BackgroundTask(answer.path.unlink, missing_ok=True) if answer.temporary else None
        return FileResponse(answer.path, media_type=answer.media_type, filename=answer.name, background=remove)
    if isinstance(answer, GeneratedPage):
        return HTMLResponse(answer.html, headers={"content-security-policy": SANDBOX})
    if isinstance(answer, Done):
        if as_json:
            return JSONResponse(answer.data, status_code=201)
        return RedirectResponse(answer.location, status_code=303)
    in_benchmark = answer.template and here.benchmark is not None
    data = ({"slug": here.at.slug, "name": here.at.name} if in_benchmark else {}) | answer.data
    if as_json:
        return JSONResponse(data, status_code=answer.status)
    return HTMLResponse(page(answer.template, here=here, **data), status_code=answer.status)


def address_of(request: Request) -> str:
    """The public address of the server, or the one that it listens on; never what the sender calls it."""
    host, port = request.scope["server"]
    shown = f"[{host}]" if ":" in host else host
    return request.app.state.address or f"{request.url.scheme}://{shown}:{port}"


def page(template: str, **data: Any) -> str:
    """A page as HTML."""
    return templates.get_template(template).render(**data)
