"""The page of a report: one file that holds its style, its script, its pictures and its data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import bidirectional

from cranfield.errors import MissingExtra
from cranfield.findings.finding import SEVERITIES, Finding
from cranfield.findings.rules import require_rule
from cranfield.present.report.content import Content
from cranfield.present.report.figures import colour_names
from cranfield.present.table import visible
from cranfield.results.writing import decoded

if TYPE_CHECKING:
    from jinja2 import Template

ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


@dataclass(frozen=True)
class Report:
    """A report, ready to be read in a browser without a network."""

    content: Content

    @property
    def html(self) -> str:
        """The page."""
        return _template().render(
            content=self.content,
            kinds=_by_rule(self.content.findings),
            severities=SEVERITIES,
            colours=colour_names(),
            style=_file("report.css"),
            script="".join(map(_file, ("tables.js", f"{self.content.explored}.js"))),
            payload=script_literal(self.content.explorer),
        )

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        Path(path).write_text(self.html, encoding="utf-8", errors="backslashreplace")


def script_literal(content: Any) -> str:
    """The content as JSON that no text within can end, wherever in a page it stands."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return decoded(text).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _isolated(text: str) -> str:
    """The text, words that are written from right to left kept from moving the figures beside them."""
    if not any(map(_leftward, text)):
        return text
    return " ".join(f"{ISOLATE}{word}{END}" if any(map(_leftward, word)) else word for word in text.split(" "))


def _leftward(sign: str) -> bool:
    return bidirectional(sign) in ("R", "AL")


def _by_rule(findings: tuple[Finding, ...]) -> list[dict[str, Any]]:
    """Findings of one rule together: why it matters and what to do is said once."""
    return [
        {"rule": require_rule(name), "severity": found[0].severity, "found": found}
        for name, found in ((name, list(same)) for name, same in groupby(findings, lambda finding: finding.rule))
    ]


def _file(name: str) -> str:
    return resources.files("cranfield.present.report").joinpath(name).read_text("utf-8")


@cache
def _template() -> Template:
    try:
        from jinja2 import DictLoader, Environment, StrictUndefined
    except ImportError:
        raise MissingExtra("reports need Jinja2: pip install 'cranfield[report]'") from None
    environment = Environment(
        loader=DictLoader({"report.html": _file("report.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: _isolated(visible(value)) if type(value) is str else value,
    )
    return environment.get_template("report.html")
