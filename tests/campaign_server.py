"""A server of campaigns on loopback for tests, and people who use it."""

from __future__ import annotations

import atexit
import re
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI

from cranfield.campaign.store.database import Store
from cranfield.campaign.web import passwords
from cranfield.campaign.web import sign_in_attempts as attempts
from cranfield.campaign.web.application import Settings, create_app
from cranfield.campaign.web.jobs import Jobs
from time_limits import HANGS

CHEAP = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)  # the real one takes a tenth of a second
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # httpx would load all it trusts, 20 ms for each client
PASSWORD = "correct horse battery"
SECRET = "the-setup-secret"


@dataclass
class Person:
    """Somebody with a browser, or a program with a token."""

    http: httpx.Client
    csrf: str = ""

    def get(self, path: str, **settings: Any) -> httpx.Response:
        return self.http.get(path, **settings)

    def post(self, path: str, data: dict[str, Any] | None = None, **settings: Any) -> httpx.Response:
        return self.http.post(path, data=data, headers={"x-csrf-token": self.csrf}, **settings)

    def ok(self, path: str, data: dict[str, Any] | None = None, **settings: Any) -> httpx.Response:
        """Post, and require that it worked."""
        answer = self.post(path, data, **settings)
        assert answer.status_code < 400, answer.text
        return answer

    def learn_token(self) -> Person:
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/account").text)
        assert found
        self.csrf = found[1]
        return self


@dataclass
class Served:
    """A running server."""

    address: str
    store: Store
    secret: str
    app: FastAPI
    clients: list[httpx.Client] = field(default_factory=list)

    def client(self, **settings: Any) -> httpx.Client:
        fixed: dict[str, Any] = {"timeout": HANGS, "trust_env": False, "verify": NO_CERTIFICATES}
        self.clients.append(httpx.Client(base_url=self.address, **fixed, **settings))
        return self.clients[-1]

    def visitor(self) -> Person:
        return Person(self.client())

    def program(self, secret: str) -> httpx.Client:
        """Whoever has a token."""
        return self.client(headers={"authorization": f"Bearer {secret}"})

    def administrator(self) -> Person:
        person = self.visitor()
        values = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
        assert person.post(f"/setup/{self.secret}", values).status_code == 303
        return person.learn_token()

    def invited(self, by: Person, slug: str, role: str, name: str, team: str = "") -> Person:
        page = by.ok(f"/b/{slug}/people", {"role": role})
        found = re.search(r"/join/[\w-]+", page.text)
        assert found
        person = self.visitor()
        values = {"name": name, "email": f"{name}@example.org", "password": PASSWORD, "team": team}
        assert person.post(found[0], values).status_code == 303
        return person.learn_token()


IDLE: list[tuple[FastAPI, str]] = []  # applications with their addresses; each has taken a tenth of a second to start


@contextmanager
def serving(store: Store, patience: float = HANGS) -> Iterator[Served]:
    """Serve a store on a free port of this machine, by an application that no other test is using."""
    attempts.PER_ACCOUNT, attempts.PER_ADDRESS = attempts.Attempts(10), attempts.Attempts(1000)
    passwords._hasher = CHEAP
    passwords._NOBODY = CHEAP.hash("nobody")
    app, address = IDLE.pop() if IDLE else _started(store)
    app.state.store, app.state.jobs = store, Jobs(patience)
    app.state.engines, app.state.history = {}, ""
    served = Served(address, store, SECRET, app)
    try:
        yield served
    finally:
        for client in served.clients:
            client.close()
        IDLE.append((app, address))


def _started(store: Store) -> tuple[FastAPI, str]:
    """A new application, served by a thread until the process ends."""
    app = create_app(store, Settings(SECRET))
    server = uvicorn.Server(uvicorn.Config(app, port=0, access_log=False, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    atexit.register(_stopped, server, thread)
    until = time.monotonic() + HANGS
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    return app, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


def _stopped(server: uvicorn.Server, thread: threading.Thread) -> None:
    """End a server before the interpreter ends: an event loop must not run while modules are taken down."""
    server.force_exit = server.should_exit = True
    thread.join(timeout=30)
