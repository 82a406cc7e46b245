"""Running the server: the store, the application, and the link that creates the administrator."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from cranfield.campaign.store import accounts
from cranfield.campaign.store.database import Store
from cranfield.campaign.web.application import Settings, create_app
from cranfield.campaign.web.engines import read_engines
from cranfield.campaign.web.worker_processes import nursery
from cranfield.errors import BadInput
from cranfield.releases.store import Store as Releases

_OBJECTS = 700  # created between two garbage collections, Python's default: a server must not keep garbage


def serve(
    folder: Path, *, host: str, port: int, database: str | None, address: str, announce: Callable[[str], None],
    proxy: str = "", engines: str = "", history: str = "", prepare: Callable[[Store], str] | None = None,
) -> None:  # fmt: skip
    """Serve the campaigns in a folder until interrupted; `announce` receives messages for the person who started it.

    Forwarded headers are believed only from the addresses in `proxy`, which are separated by commas.
    `engines` is a file of engines from which coordinators may fetch runs, `history` a store of releases. `prepare`
    fills a new store before it is served, and returns a message to announce.
    """
    listed = read_engines(engines) if engines else {}
    if history:
        Releases(history).require()
    store = Store(folder, database)
    try:
        prepared = prepare(store) if prepare else None
        secret = accounts.new_secret()
        listening = _listening(host, port)
        shown = f"[{host}]" if ":" in host else host
        base = address.rstrip("/") or f"http://{shown}:{listening.getsockname()[1]}"
        announce(f"serving {folder} at {base}")
        if prepared:
            announce(prepared)
        with store.read() as connection:
            if not accounts.n_accounts(connection):
                announce(f"create the administrator at {base}/setup/{secret} (this link works once)")
        app = create_app(store, Settings(secret, address.rstrip("/"), engines=listed, history=history))
        # no access log: URLs contain the secrets of invitations
        config = uvicorn.Config(
            app, access_log=False, log_level="warning", server_header=False, timeout_keep_alive=30,
            proxy_headers=bool(proxy), forwarded_allow_ips=proxy,
        )  # fmt: skip
        nursery.prepare()
        gc.freeze()  # what was imported is no garbage, and need not be looked at again while people judge
        gc.set_threshold(_OBJECTS)  # commands, which end soon, collect less often
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        store.close()


def _listening(host: str, port: int) -> socket.socket:
    """The listening socket, opened before anything is announced."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BadInput(f"cannot listen on {host}, port {port}: {error.strerror}; choose another with --port") from None
