"""Types of arguments and options: files, measures, lists of numbers, and names from a catalogue.

Decided here: which names a shell completes.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click
from click.core import ParameterSource

from cranfield.errors import BadSetting, did_you_mean
from cranfield.frozen import cached_property

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


# Completion of commands, options, measures and file names by the shell


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


# creates a command's parameter, or those of a verb; partial(declared, default=…) overrides the first
Declared = Callable[..., click.Parameter | list[click.Parameter]]


def parameters_of(declared: Iterable[Declared]) -> list[click.Parameter]:
    """The parameters that are declared, in order."""
    made = (declare() for declare in declared)
    return [one for parameters in made for one in (parameters if isinstance(parameters, list) else [parameters])]


def flag(name: str) -> str:
    """The option or argument of the running command that sets a parameter, spelled as on the command line."""
    parameters = click.get_current_context().command.params
    parameter = next(parameter for parameter in parameters if parameter.name == name)
    return name.upper() if isinstance(parameter, click.Argument) else parameter.opts[-1]


def is_given(name: str) -> bool:
    """Whether a parameter of the running command was given explicitly."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def refuse_given(names: Iterable[str], reason: str) -> None:
    """Refuse the first of these parameters that was given explicitly."""
    for name in names:
        if is_given(name):
            raise BadSetting(f"{flag(name)} {reason}")


class InputFile(click.ParamType[str]):
    """A file or folder to read, or - for standard input; the shell completes its name."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Leave completion to the shell, which knows the files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class MeasureName(click.ParamType[str]):
    """A measure, or several separated by commas."""

    name = "measure"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The measures that begin with the text, with their titles."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=title) for name, title in measure_names(incomplete)]


class Numbers(click.ParamType[list[float]]):
    """Numbers separated by commas."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[float]:
        """The numbers in the text."""
        try:
            return [float(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers such as 5,10,20", param, ctx)


def imported(reference: str) -> Any:
    """What `module:name` refers to."""
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)


class Constant(NamedTuple):
    """A constant of the library as the default of an option, written `module:name` and imported on demand.

    As `show_default` it is shown, and followed by the exception.
    """

    reference: str
    exception: str = ""


class OneOf(click.Choice[str]):
    """One of the names in a catalogue of the library.

    The catalogue is a Literal, a collection of names or a function that returns one; written `module:name`, it is
    imported on demand, so declaring an option is cheap.
    """

    def __init__(self, catalogue: Any, *more: str) -> None:
        self._catalogue, self._more, self.case_sensitive = catalogue, more, False

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names, in the order of the catalogue."""
        return (*self._entries, *self._more)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The names with their titles, if the catalogue has titles."""
        entries = self._entries.items() if isinstance(self._entries, Mapping) else ()
        titles = {name: entry if isinstance(entry, str) else getattr(entry, "title", None) for name, entry in entries}
        return {name: title for name, title in titles.items() if title}

    @cached_property
    def _entries(self) -> Any:
        names = imported(self._catalogue) if isinstance(self._catalogue, str) else self._catalogue
        return get_args(names) or (names() if callable(names) else names)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """All names, and those that resemble the given one."""
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + did_you_mean(value, self.choices)


class Argument(click.Argument):
    """A positional argument whose help lists its choices."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Its name and its help."""
        name, text = super().get_help_record(ctx)
        return name, f"{text} One of {', '.join(self.type.choices)}." if isinstance(self.type, OneOf) else text


class Option(click.Option):
    """An option whose default may be a constant of the library, and whose help lists its choices with their titles."""

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        """The default, or the value of the constant."""
        default = super().get_default(ctx, call=call)
        return imported(default.reference) if isinstance(default, Constant) else default

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its names and its help."""
        if isinstance(self.show_default, Constant):
            self.show_default = f"{imported(self.show_default.reference)}{self.show_default.exception}"
        if not isinstance(self.type, OneOf) or not self.type.titles:
            return super().get_help_record(ctx)
        listed = ", ".join(f"{name} ({title})" for name, title in self.type.titles.items())
        text, self.help = self.help, f"{self.help} One of {listed}."
        try:
            return super().get_help_record(ctx)
        finally:
            self.help = text


def argument(name: str, **settings: Any) -> Declared:
    """Declare a positional argument for commands."""
    return partial(Argument, (name,), **settings)


def option(*names: str, **settings: Any) -> Declared:
    """Declare an option for commands; a name without dashes is that of the function's parameter."""
    return partial(Option, names, **{"show_default": True} | settings)
