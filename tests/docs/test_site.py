"""`make docs` builds a site without a warning, whose pages open as files, link to one another and fetch nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from time_limits import HANGS

ROOT = Path(__file__).parents[2]
FETCHED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}


class Page(HTMLParser):
    """The addresses in a page: what a browser fetches to show it, where its links lead, and what they may lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of a tag."""
        given = dict(attrs)
        self.anchors |= {str(given[name]) for name in ("id", "name") if name in given}
        if tag in FETCHED and FETCHED[tag] in given and given.get("rel") not in ("next", "prev", "canonical"):
            self.fetched.append(str(given[FETCHED[tag]]))
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=HANGS)
    assert (built.returncode, built.stdout) == (0, ""), built.stderr
    assert {line.split()[0] for line in built.stderr.splitlines()} == {"INFO"}  # which --quiet would hide
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_page_of_the_documentation_is_in_the_site(site: Path, pages: dict[Path, Page]) -> None:
    sources = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix("") for path in pages}
    assert built == {Path("index") if source == Path("README") else source for source in sources}


def test_links_lead_to_pages_and_headings_of_the_site(pages: dict[Path, Page]) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            headings = pages[target].anchors | {""} if target in pages else {parts.fragment}
            if not parts.scheme and not (target.is_file() and unquote(parts.fragment) in headings):
                dead.append((path.name, link))
    assert dead == []


def test_pages_fetch_only_files_of_the_site(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for address in page.fetched:
            assert not urlsplit(address).scheme, f"{path.name} fetches {address}"
            assert not address.startswith("//"), f"{path.name} fetches {address}"
            assert (path.parent / unquote(urlsplit(address).path)).is_file(), f"{path.name} fetches {address}"
    for sheet in site.rglob("*.css"):
        assert "@import" not in sheet.read_text("utf-8")
        assert "url(http" not in sheet.read_text("utf-8").replace("'", "").replace('"', "")


def test_markdown_is_rendered_and_not_shown(pages: dict[Path, Page]) -> None:
    for path in pages:
        text = path.read_text("utf-8")
        assert "<p>```" not in text, path.name
        assert "|---|" not in text, path.name


def test_search_works_in_a_page_opened_as_a_file_and_asks_nobody(browser: Any, site: Path) -> None:
    context = browser.new_context()
    try:
        context.set_default_timeout(1000 * HANGS)
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.click("input.md-search__input")
        page.type("input.md-search__input", "kappa")
        page.wait_for_selector(".md-search-result__item")
        assert "raters" in page.inner_text(".md-search-result__list")
        assert all(address.startswith(site.as_uri()) for address in asked)
    finally:
        context.close()
