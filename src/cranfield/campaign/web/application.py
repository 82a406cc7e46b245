"""The application: guarded routes from the route table, limits on requests, and security headers.

Decided here: how large requests and uploads may be.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import field
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cranfield.campaign.rules.events import OutOfDate
from cranfield.campaign.store.accounts import SESSION_LASTS
from cranfield.campaign.store.database import Store
from cranfield.campaign.web.engines import Engines
from cranfield.campaign.web.guard import COOKIE, Here, authorised
from cranfield.campaign.web.jobs import PATIENCE, Jobs, StillComputing
from cranfield.campaign.web.replies import FOLDER, Answer, Done, page, responded
from cranfield.campaign.web.route_table import ROUTES, Route
from cranfield.errors import CranfieldError, NotSaved, TooBusy, readable
from cranfield.frozen import frozen

POLICY = "; ".join((
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
    "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "object-src 'none'",
))  # fmt: skip
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer, browsers would not send the origin of a form
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
FORM_LIMIT = 1 << 20
ASK_AGAIN = 2  # seconds after which a page reloads while its figures are being computed
UPLOADS = ("/runs", "/documents", "/topics", "/proposals")  # routes that accept files


@frozen
class Settings:
    """The public address of the server, and the maximum size of an upload."""

    setup_secret: str
    address: str = ""  # such as https://judge.example.org; used for invitation links
    upload_limit: int = 2 << 30
    patience: float = PATIENCE  # how many seconds a page waits for its figures
    engines: Engines = field(default_factory=dict)  # from which coordinators may fetch runs
    history: str = ""  # a store of releases


def create_app(store: Store, settings: Settings) -> FastAPI:
    """The application over a store."""
    app = FastAPI(title="cranfield", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.store, app.state.setup_secret, app.state.address = store, settings.setup_secret, settings.address
    app.state.jobs = Jobs(settings.patience)
    app.state.engines, app.state.history = settings.engines, settings.history
    for route in ROUTES:
        if route.page:
            _add(app, route, as_json=False)
        _add(app, route, as_json=True)
    files = StaticFiles(directory=FOLDER / "static", packages=[("cranfield.present", "style")])  # shared with reports
    app.mount("/static", files, name="static")
    for kind in (StarletteHTTPException, RequestValidationError, CranfieldError):
        app.add_exception_handler(kind, _refused)
    app.add_exception_handler(StillComputing, _computing)
    app.add_middleware(Protection, upload_limit=settings.upload_limit)
    return app


def _add(app: FastAPI, route: Route, *, as_json: bool) -> None:
    def respond(answered: Answer, here: Here) -> Response:
        response = responded(answered, here, as_json=as_json)
        if isinstance(answered, Done) and answered.cookie is not None:
            _set_session(response, answered.cookie, secure=here.secure)
        return response

    @wraps(route.answer)
    def answer(**values: Any) -> Response:
        return respond(route.answer(**values), values["here"])

    @wraps(route.answer)
    async def answer_soon(**values: Any) -> Response:
        return respond(await route.answer(**values), values["here"])

    class Guarded(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handler = super().get_route_handler()

            async def guarded(request: Request) -> Response:
                request.state.here = await authorised(request, route.action)
                return await handler(request)

            return guarded

    app.router.add_api_route(
        f"/api{route.path}".rstrip("/") if as_json else route.path,
        answer_soon if iscoroutinefunction(route.answer) else answer, methods=[route.method],
        route_class_override=Guarded, response_model=None, include_in_schema=as_json,
        name=f"{'api ' if as_json else ''}{route.method} {route.path}",
        operation_id=f"{route.answer.__module__.rpartition('.')[2]}_{route.answer.__name__}" if as_json else None,
    )  # fmt: skip


def _set_session(response: Response, secret: str, *, secure: bool) -> None:
    if secret:
        seconds = SESSION_LASTS // 1000
        response.set_cookie(COOKIE, secret, max_age=seconds, httponly=True, samesite="lax", secure=secure)
    else:
        response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=secure)


async def _refused(request: Request, error: Exception) -> Response:
    """The error message as a page or as JSON; people who are not signed in are sent to the login page."""
    status, message = _status_and_words(error)
    words = readable(message)
    if request.url.path.startswith("/api"):
        return JSONResponse({"error": words}, status_code=status)
    if status == 401 and request.method == "GET":
        return RedirectResponse(f"/login?following={quote(request.url.path)}", status_code=303)
    here = getattr(request.state, "here", None)
    return HTMLResponse(page("error.html", here=here, status=status, words=words), status_code=status)


async def _computing(request: Request, error: Exception) -> Response:
    """The progress of a page's figures; the page reloads by itself."""
    assert isinstance(error, StillComputing)
    headers = {"retry-after": str(ASK_AGAIN)}
    data = {"computing": str(error), "seconds": round(error.seconds, 1), "proportion": error.proportion}
    if request.url.path.startswith("/api"):
        return JSONResponse(data, status_code=202, headers=headers)
    shown = page("computing.html", here=request.state.here, ask_again=ASK_AGAIN, **data)
    return HTMLResponse(shown, status_code=202, headers=headers)


def _status_and_words(error: Exception) -> tuple[int, str]:
    if isinstance(error, RequestValidationError):
        wrong = [f"{'.'.join(map(str, one['loc'][1:])) or 'the request'}: {one['msg']}" for one in error.errors()]
        return 422, "; ".join(wrong)
    if isinstance(error, StarletteHTTPException):
        return error.status_code, str(error.detail)
    if isinstance(error, OutOfDate):
        return 409, str(error)
    return (503 if isinstance(error, NotSaved | TooBusy) else 422), str(error)


class TooLarge(HTTPException):
    """A request whose body is larger than its route accepts."""


class Protection:
    """Limits the size of requests and adds security headers to every response."""

    def __init__(self, app: ASGIApp, upload_limit: int) -> None:
        self.app, self.upload_limit = app, upload_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        limit = self.upload_limit if path.endswith(UPLOADS) else FORM_LIMIT
        await self.app(scope, _limited(receive, limit), _protected(send, scope["scheme"] == "https", path))


def _limited(receive: Receive, limit: int) -> Callable[[], Awaitable[Message]]:
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise TooLarge(413, f"the request is larger than {limit:,} bytes")
        return message

    return counted


def _protected(send: Send, secure: bool, path: str) -> Callable[[Message], Awaitable[None]]:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = message.setdefault("headers", [])
            present = {name.lower() for name, _ in headers}  # a generated page has a stricter policy
            headers += [
                (name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in present
            ]
            if not path.startswith("/static/"):
                headers.append((b"cache-control", b"no-store"))
            if secure:
                headers.append((b"strict-transport-security", b"max-age=31536000"))
        await send(message)

    return sent
