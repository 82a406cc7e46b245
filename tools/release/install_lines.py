"""How README and docs say cranfield is installed, as decided in pyproject.toml ([tool.cranfield])."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINE = re.compile(
    r"(?P<program>\bpip install(?: --\w+)*|\buvx --from) "
    r"(?P<quote>'?)(?:\.|cranfield)(?P<extras>\[[a-z,-]+\])?(?P=quote)(?=[\s`]|$)",
    re.MULTILINE,
)


def requirement() -> str:
    """What pip is asked for, without extras."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cranfield"]["requirement"]


def pages() -> list[Path]:
    """The pages that tell how to install."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def with_requirement(text: str, wanted: str) -> str:
    """A page in which every line that installs cranfield asks for this."""

    def asking(line: re.Match[str]) -> str:
        return f"{line['program']} {line['quote']}{wanted}{line['extras'] or ''}{line['quote']}"

    return LINE.sub(asking, text)


def main() -> None:
    """Write all pages."""
    for page in pages():
        before = page.read_text("utf-8")
        after = with_requirement(before, requirement())
        if after != before:
            page.write_text(after, "utf-8")


if __name__ == "__main__":
    main()
