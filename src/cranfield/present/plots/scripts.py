"""The scripts that draw a plot in a page, put together once and kept for the next time."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from cranfield.present.plots.vega import vl_convert

_UNKEPT = (OSError, UnicodeError, RuntimeError)  # no such folder, not ours to write to, or no home at all


@cache
def scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that a page can hold.

    Putting them together takes more than a second, longer than all else in a plot, so the text is kept in the user's
    folder for such things. Where it cannot be kept, it is made anew.
    """
    with suppress(*_UNKEPT):
        return _place().read_text(encoding="utf-8")
    made = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")).replace("</script", "<\\/script")
    with suppress(*_UNKEPT):
        _keep(made, _place())
    return made


def _place() -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "cranfield" / f"vega-{version('vl-convert-python')}.js"


def _keep(text: str, place: Path) -> None:
    """Write the text so that nobody ever reads half of it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, delete=False) as file:
        file.write(text)
    os.replace(file.name, place)
