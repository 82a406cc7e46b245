"""Completion of commands, options, measures and file names by the shell."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click

from cranfield.errors import BadSetting

CUTOFFS = (1, 5, 10, 20, 100, 1000)
_FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/cranfield.fish"}
_LINES = {
    "bash": 'eval "$(_CRANFIELD_COMPLETE=bash_source cranfield)"',
    "zsh": 'eval "$(_CRANFIELD_COMPLETE=zsh_source cranfield)"',
    "fish": "_CRANFIELD_COMPLETE=fish_source cranfield | source",
}


def measure_names(incomplete: str) -> Iterator[tuple[str, str]]:
    """The names of measures that begin with this text, with their titles; after `@`, the usual cutoffs."""
    from cranfield.measures.registry import declarations

    start, at, _ = incomplete.partition("@")
    for declared in declarations().values():
        for name in (declared.name, *declared.names):
            if not at and name.startswith(start):
                yield name, declared.title
            if at and name == start and "k" in declared.settings:
                yield from ((f"{name}@{cutoff}", f"{declared.title} at {cutoff}") for cutoff in CUTOFFS)


def install_completion(context: click.Context, _: click.Parameter, requested: bool) -> None:
    """Add a line to the start-up file of the user's shell, unless it is there."""
    if not requested:
        return
    shell = os.path.basename(os.environ.get("SHELL", ""))
    if shell not in _FILES:
        raise BadSetting(f"completion is available for {', '.join(_FILES)}; the shell is {shell or 'unknown'!r}")
    path, line = os.path.expanduser(_FILES[shell]), _LINES[shell]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a+") as file:
        file.seek(0)
        text = file.read()
        if line not in text.splitlines():
            file.write(f"{line}\n" if not text or text.endswith("\n") else f"\n{line}\n")
    click.echo(f"{path}: completion is installed; it works in new shells")
    context.exit()
