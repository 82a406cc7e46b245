"""The scripts of a page are put together once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield.present.plots import plot as module
from cranfield.present.plots.plot import scripts


class Bundler:
    """Counts how often scripts are put together."""

    def __init__(self) -> None:
        self.times = 0

    def javascript_bundle(self, snippet: str) -> str:
        self.times += 1
        return f"{snippet} '</script>'"


@pytest.fixture
def bundler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bundler:
    made = Bundler()
    monkeypatch.setattr(module, "vl_convert", made)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return made


def anew() -> str:
    """The scripts, as another process would get them."""
    scripts.cache_clear()
    try:
        return scripts()
    finally:
        scripts.cache_clear()


def test_scripts_are_put_together_once_and_kept(bundler: Bundler, tmp_path: Path) -> None:
    first, again = anew(), anew()
    assert first == again == "window.vegaEmbed = vegaEmbed; '<\\/script>'"
    assert bundler.times == 1
    assert [file.suffix for file in (tmp_path / "cranfield").iterdir()] == [".js"]


def test_scripts_are_made_anew_where_they_cannot_be_kept(bundler: Bundler, tmp_path: Path) -> None:
    (tmp_path / "cranfield").write_text("a file where the folder should be")
    assert anew() == anew()
    assert bundler.times == 2


def test_without_a_home_scripts_are_made_anew(bundler: Bundler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert anew()
    assert bundler.times == 1
