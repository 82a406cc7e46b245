"""Pages opened in a real browser from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cranfield.classification.classify import classify
from cranfield.reporting.report import report
from time_limits import HANGS

EVIL = "<script>window.ran=1</script>"
IMAGE = '"><img src=x onerror=window.ran=1>'


@dataclass
class Opened:
    """A page in the browser, and whatever it asked for or complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


Open = Callable[..., Opened]


@pytest.fixture(scope="session")
def tab(browser: Any) -> Iterator[Any]:
    """One tab for all tests, since a new one takes three times as long as a page."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(1000 * HANGS)
    yield context.new_page()
    context.close()


@pytest.fixture
def opened(tab: Any) -> Iterator[Open]:
    """Open a file; requests are recorded, and none but for the file itself gets through."""
    listeners: list[tuple[str, Any]] = []

    def open_page(path: Path, width: int = 1280, height: int = 720, **media: Any) -> Opened:
        seen = Opened(tab)
        own = path.as_uri()

        def answer(route: Any) -> None:
            seen.requests.append(route.request.url)
            route.continue_() if route.request.url == own else route.abort()

        tab.context.route("**/*", answer)
        listeners.append(("console", lambda message: seen.complaints.append(message.text)))
        listeners.append(("pageerror", lambda error: seen.complaints.append(str(error))))
        for listener in listeners[-2:]:
            tab.on(*listener)
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(**{"media": "screen", "color_scheme": "light", "reduced_motion": "no-preference"} | media)
        tab.goto(own)
        return seen

    yield open_page
    _as_new(tab, listeners)


def _as_new(tab: Any, listeners: list[tuple[str, Any]]) -> None:
    """Take back whatever a test may have left behind in the tab."""
    for listener in listeners:
        tab.remove_listener(*listener)
    tab.evaluate("localStorage.clear()")
    tab.mouse.move(0, 0)
    tab.context.unroute_all()
    for other in tab.context.pages:
        if other is not tab:
            other.close()


def graded(n_queries: int = 45) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments and three runs: the first finds everything first, the last most of it last."""
    qrels = {f"q{q}": {f"d{d}": (d * q) % 3 for d in range(1, 9)} for q in range(1, n_queries + 1)}
    runs: dict[str, dict[str, dict[str, float]]] = {"good": {}, "middling": {}, "poor": {}}
    for q, (query, judged) in enumerate(qrels.items()):
        worst = q % 5 > 0  # in every query, it would be the good run upside down
        documents = [*judged, "u1", "u2"]
        grades = [judged.get(document, 0) for document in documents]
        places = [place / 100 for place in range(len(documents))]
        scores = {
            "good": [grade + place for grade, place in zip(grades, places)],
            "middling": [300 * place + 2 * grade + place for grade, place in zip(grades, places)],
            "poor": [-grade * worst - place for grade, place in zip(grades, places)],
        }
        for name, own in scores.items():
            runs[name][query] = dict(sorted(zip(documents, own), key=lambda pair: -pair[1]))
    return qrels, runs


@pytest.fixture(scope="session")
def rankings_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rankings") / "report.html"
    report(*graded(), ["nDCG@5", "AP", "RR"]).save(path)
    return path


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page on data whose every name would run if it were taken for markup."""
    qrels = {EVIL: {EVIL: 1, IMAGE: 0}, IMAGE: {EVIL: 1, "</script><script>window.ran=1</script>": 2}}
    run = {EVIL: {EVIL: 2.0, IMAGE: 1.0}, IMAGE: {"</script><script>window.ran=1</script>": 3.0, IMAGE: 1.0}}
    other = {EVIL: {IMAGE: 2.0, EVIL: 1.0}, IMAGE: {EVIL: 3.0, "{{ 7 * 7 }}": 1.0}}
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    report(qrels, {EVIL: run, IMAGE: other}, ["AP", "RR"], title=EVIL).save(path)
    return path


@pytest.fixture(scope="session")
def classification_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    actual = [1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
    score = [0.9, 0.8, 0.7, 0.6, 0.2, 0.1, 0.75, 0.3, 0.35, 0.15, 0.05, 0.45]
    path = tmp_path_factory.mktemp("classification") / "report.html"
    report(classify(actual, probability=score)).save(path)
    return path


@pytest.fixture(scope="session")
def items_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two scorers of twelve mails with names that would run if they were taken for markup."""
    actual = ["spam", "ham"] * 6
    scores = {
        "first": [0.9, 0.1, 0.8, 0.95, 0.2, 0.3, 0.7, 0.4, 0.6, 0.45, 0.55, 0.05],
        EVIL: [0.9, 0.1, 0.1, 0.2, 0.8, 0.3, 0.7, 0.6, 0.6, 0.45, 0.55, 0.05],
    }
    both = classify(actual, score=scores, positive="spam", threshold=0.5)
    path = tmp_path_factory.mktemp("items") / "report.html"
    report(both, items=[f"mail {place}" for place in range(11)] + [IMAGE]).save(path)
    return path


@pytest.fixture(scope="session")
def graded_data() -> Any:
    return graded()
