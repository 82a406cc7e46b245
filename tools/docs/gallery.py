"""Draw the plots of docs/reference/plots.md when the site is built: MkDocs calls these functions."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

import cranfield
from cranfield.cli.main import main
from cranfield.errors import CranfieldWarning

PAGE = "reference/plots.md"
ROOT = Path(__file__).parents[2]
THEMES = ("light", "dark")
_BLOCK = re.compile(r"```(sh|python)\n(.*?)```\n", re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Add the picture of every plot of the page, for light and dark pages."""
    text = (Path(config.docs_dir) / PAGE).read_text("utf-8")
    for place, (language, code) in enumerate(_BLOCK.findall(text)):
        for theme in THEMES:
            files.append(File.generated(config, _picture(place, theme), content=_drawn(language, code, theme)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with each picture below the code that draws it."""
    if page.file.src_uri != PAGE:
        return markdown
    places = iter(range(len(_BLOCK.findall(markdown))))
    return _BLOCK.sub(lambda block: block[0] + "".join(_shown(next(places))), markdown)


def _picture(place: int, theme: str) -> str:
    return f"images/plots/{place:02}-{theme}.svg"


def _shown(place: int) -> Iterator[str]:
    for theme in THEMES:
        yield f"\n![The plot that this draws](../{_picture(place, theme)}#only-{theme})\n"


def _drawn(language: str, code: str, theme: Any) -> str:
    """The picture that a command or the last expression of a Python example draws."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        if language == "python":
            (*_, expression) = re.findall(r"^>>> (.*)$", code, re.MULTILINE)
            return str(eval(_on_files(expression), {"cranfield": cranfield}).to_svg(theme=theme))
        return _of_command(_on_files(code), theme)


def _on_files(code: str) -> str:
    """The code with absolute paths, since a site may be built from any folder."""
    return code.replace("examples/", f"{ROOT.as_posix()}/examples/")


def _of_command(line: str, theme: str) -> str:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "plot.svg"
        if main([*shlex.split(line)[1:], "-o", str(path), "--theme", theme, "--quiet"]) != 0:
            raise SystemExit(f"not drawn: {line}")
        return path.read_text("utf-8")
