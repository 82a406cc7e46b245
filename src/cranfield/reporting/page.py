"""The HTML page of a report: one file with its style, scripts, figures and data."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from cranfield.errors import MissingExtra, pip_line
from cranfield.frozen import frozen
from cranfield.present.findings.rules import SEVERITIES
from cranfield.present.findings.tables import by_rule
from cranfield.present.formats import script_literal
from cranfield.present.plots.theme import Theme
from cranfield.present.table import visible
from cranfield.reporting.content import MOST_FINDINGS, Content
from cranfield.reporting.figures import colour_names
from cranfield.results import writing as atomic_files

if TYPE_CHECKING:
    from jinja2 import Template

SCRIPTS = ("elements.js", "view.js", "tables.js", "page.js")
EXPLORERS = {"queries": ("charts.js", "board.js", "rankings.js", "queries.js"), "items": ("items.js",)}
_TOKENS = re.compile(
    r"/\*.*?\*/\s*:root \{(?P<light>[^}]*)\}\s*"
    r"@media \(prefers-color-scheme: dark\) \{\s*:root \{(?P<dark>[^}]*)\}\s*\}(?P<rest>.*)",
    re.DOTALL,
)
ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


@frozen
class Report:
    """A report as a self-contained HTML page."""

    content: Content

    @property
    def html(self) -> str:
        """The page as HTML."""
        return _template().render(
            content=self.content,
            findings=by_rule(self.content.findings),
            severities=SEVERITIES,
            most=MOST_FINDINGS,
            style=_style(),
            script="".join(map(_file, (*SCRIPTS, *EXPLORERS[self.content.explored]))),
            payload=script_literal(self.content.explorer),
        )

    def __repr__(self) -> str:
        return f"Report: {self.content.title} ({self.content.subtitle})"

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        atomic_files.save(path, self.html)


def _isolated(text: str) -> str:
    """The text with right-to-left words isolated, so that they do not reorder adjacent numbers."""
    if not any(map(_leftward, set(text))):  # each character once, since a text may be a file of megabytes
        return text
    return " ".join(f"{ISOLATE}{word}{END}" if any(map(_leftward, word)) else word for word in text.split(" "))


def _unbroken(text: str) -> str:
    """The text without line breaks between a number and its percent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _leftward(sign: str) -> bool:
    return bidirectional(sign) in ("R", "AL")


def _style() -> str:
    """The style sheet: colours for light, dark and printed pages, then the layout."""
    (light, dark), rest = _themes(_file("style/tokens.css", "cranfield.present"))
    colours = {theme: _colours(theme) for theme in ("light", "dark")}
    return (
        f":root {{{light}{colours['light']}}}\n"
        f"@media screen {{ :root[data-theme=dark] {{{dark}{colours['dark']}}} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ "
        f":root:not([data-theme=light]) {{{dark}{colours['dark']}}} }}\n"
        f"{rest}{_file('report.css')}"
    )


def _themes(tokens: str) -> tuple[tuple[str, str], str]:
    """The declarations of both themes, and the other rules of the style tokens shared with campaigns."""
    parts = _TOKENS.fullmatch(tokens)
    if parts is None:
        raise ValueError("tokens.css must start with :root and its dark variant")
    return (parts["light"], parts["dark"]), parts["rest"]


def _colours(theme: Theme) -> str:
    """The plot colours that are not tokens."""
    of_plots = {name: shade for name, shade in colour_names().items() if name.startswith(("plot-", "series-"))}
    return "".join(f" --{name}: {shade[theme]};" for name, shade in of_plots.items())


def _file(name: str, package: str = "cranfield.reporting") -> str:
    return resources.files(package).joinpath(name).read_text("utf-8")


@cache
def _template() -> Template:
    try:
        from jinja2 import DictLoader, Environment, StrictUndefined
    except ImportError:
        raise MissingExtra(f"reports need Jinja2: {pip_line('report')}") from None
    environment = Environment(
        loader=DictLoader({"report.html": _file("report.html")}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: _unbroken(_isolated(visible(value))) if type(value) is str else value,
    )
    return environment.get_template("report.html")
