"""Make the pictures of the README with the program itself: `python -m tools.docs.pictures` (needs Chromium)."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cranfield.cli.main import main

IMAGES = Path(__file__).parents[2] / "docs" / "images"
WIDTH, HEIGHT, COLOURS = 1280, 860, 96


def make() -> None:
    """Run the demonstration, photograph its report, draw a plot of its files, and photograph the judging screen."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        _run("demo", "--folder", str(demo))
        _photographed(demo / "report.html", IMAGES / "report.png")
        columns = ("--probability", "logistic", "--probability", "forest", "--positive", "malignant")
        _run("plot", "calibration", str(demo / "breast-cancer.csv"), "--actual", "actual", *columns,
             "-o", str(IMAGES / "calibration.svg"))  # fmt: skip
        _judging(Path(folder) / "campaign", IMAGES / "judging.png")


def _run(*words: str) -> None:
    status = main(words)
    if status:
        raise SystemExit(status)


def _photographed(page: Path, image: Path) -> None:
    with _page(WIDTH, HEIGHT) as view:
        view.goto(page.as_uri())
        view.wait_for_timeout(1500)  # until the figures are drawn
        _save(view.screenshot(), image)


def _judging(folder: Path, image: Path) -> None:
    """The judging screen of the demonstration, after one judgment."""
    start = "from cranfield.commands.process import main; main()"
    command = [sys.executable, "-c", start, "serve", str(folder), "--demo", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, _page(1180, 700) as view:
        assert server.stdout
        address = server.stdout.readline().split()[-1]
        password = re.findall(r"\S+", server.stdout.readline())[-1]
        try:
            view.goto(f"{address}/login")
            view.fill("#email", "ann@example.org")
            view.fill("#password", password)
            view.click("main button")
            view.goto(f"{address}/b/python-search/judge")
            view.wait_for_selector("#screen[data-shown]")
            _open_longest(view)
            view.keyboard.press("1")
            view.wait_for_selector("#screen[data-saved='1']")
            _open_longest(view)
            view.wait_for_timeout(300)  # colours change gradually
            _save(view.screenshot(), image)
        finally:
            server.terminate()


def _open_longest(view: Any) -> None:
    """Go back to the document, of the last twenty, that has the most text."""
    lengths: dict[str, int] = {}
    for _ in range(20):
        lengths[view.get_attribute("#screen", "data-shown")] = len(view.inner_text("#text"))
        shown = view.get_attribute("#screen", "data-shown")
        view.keyboard.press("ArrowLeft")
        view.wait_for_selector(f"#screen:not([data-shown='{shown}'])")
    longest = max(lengths, key=lambda one: lengths[one])
    while view.get_attribute("#screen", "data-shown") != longest:
        shown = view.get_attribute("#screen", "data-shown")
        view.keyboard.press("ArrowRight")
        view.wait_for_selector(f"#screen:not([data-shown='{shown}'])")


@contextmanager
def _page(width: int, height: int) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        browser.close()


def _save(taken: bytes, image: Path) -> None:
    from PIL import Image

    Image.open(io.BytesIO(taken)).quantize(COLOURS).save(image, optimize=True)


if __name__ == "__main__":
    make()
