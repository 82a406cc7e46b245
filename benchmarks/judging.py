"""From a key press to the next document on the judging screen, in Chromium: `python -m benchmarks.judging`."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.serving import DOCUMENTS, SLUG, prepared, served

# from the key event to the frame after the one in which the next document is drawn
WATCH = """() => {
  window.times = [];
  let pressed = 0;
  addEventListener("keydown", () => { pressed = performance.now(); }, { capture: true });
  const screen = document.getElementById("screen");
  const drawn = () => {
    if (!screen.dataset.shown) return;  // the next document is still loading
    requestAnimationFrame(() => requestAnimationFrame(() => times.push(performance.now() - pressed)));
  };
  new MutationObserver(drawn).observe(screen, { attributes: true, attributeFilter: ["data-shown"] });
}"""


def main() -> None:
    """Judge a queue by keyboard and print the percentiles."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging", description="the judging screen")
    parser.add_argument("--database", metavar="URL", help="PostgreSQL instead of a file, as postgresql://…")
    url = parser.parse_args().database
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        assessor = prepared(Path(folder), url)[0]
        with served(Path(folder), url) as (host, port), sync_playwright() as playwright:
            program = os.environ.get("CHROMIUM") or shutil.which("chromium")
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
            address = f"http://{host}:{port}"
            page = browser.new_page(base_url=address, viewport={"width": 1280, "height": 800})
            page.context.add_cookies([{"name": "cranfield_session", "value": assessor.session, "url": address}])
            page.goto(f"/b/{SLUG}/judge")
            page.wait_for_selector("#screen[data-shown]")
            page.evaluate(WATCH)
            for place in range(DOCUMENTS - 1):
                page.keyboard.press(str(place % 4))
                page.wait_for_function("n => times.length === n", arg=place + 1)
            milliseconds = page.evaluate("times")
            browser.close()
    p50, p95, p99 = np.percentile(milliseconds, [50, 95, 99])
    print(f"{'key to next document, p50, p95, p99':<58} {f'{p50:.0f}, {p95:.0f}, {p99:.0f} ms':>22}   p95 ≤ 100 ms")


if __name__ == "__main__":
    main()
