"""How every command is declared, checked, run and delivered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import click

from cranfield.commands.options import EVERYWHERE
from cranfield.commands.output import Delivery, require_place, warnings_told
from cranfield.commands.parameters import Declared, InputFile, imported, parameters_of
from cranfield.commands.progress import working
from cranfield.commands.statuses import NOT_PASSED
from cranfield.errors import BadSetting, MissingExtra, pip_line

Function = Callable[..., Any]


def command(name: str, *declared: Declared, examples: str) -> Callable[[Function], Callable[[], click.Command]]:
    """Turn a function that returns an answer into a command, made when it is called; its docstring is the help.

    The function receives the options that are set or have a default, except the delivery options.
    """

    def declared_by(function: Function) -> Callable[[], click.Command]:
        @cache
        def made() -> click.Command:
            text = str(function.__doc__)
            lines = "".join(f"  {line.strip()}\n" for line in examples.strip().splitlines())
            return click.Command(
                name,
                callback=partial(_run, function),
                params=parameters_of((*declared, *EVERYWHERE)),
                help=text,
                short_help=text.partition("\n")[0],
                epilog=f"\b\nExamples:\n{lines}",
            )

        made.__doc__ = function.__doc__
        return made

    return declared_by


def of_campaigns(reference: str, needing: str) -> Any:
    """What `module:name` refers to, in the server of campaigns or its database, whose packages are an extra."""
    try:
        return imported(reference)
    except ImportError as error:
        raise MissingExtra(f"{needing} {error.name}: {pip_line('web')}") from None


def _run(function: Function, /, **values: Any) -> None:
    files = list(_input_files(values))
    if files.count("-") > 1:
        raise BadSetting("standard input (-) can be read only once")
    require_place(values.get("output"), *files)
    quiet = values.pop("quiet")
    delivery = Delivery.requested(values) if "format" in values else None
    silent = delivery is None and not values.get("output")  # commands that print while they work
    with warnings_told(quiet), working(quiet or silent, since=click.get_current_context().obj):
        answer = function(**{name: value for name, value in values.items() if value is not None and value != ()})
        deliver = delivery.prepared(answer) if delivery else None
    if deliver:
        deliver()
    if not getattr(answer, "passed", True):
        click.get_current_context().exit(NOT_PASSED)


def _input_files(values: dict[str, Any]) -> Iterator[str]:
    """The files that the command reads: every value of a parameter that is an input file."""
    for parameter in click.get_current_context().command.params:
        if isinstance(parameter.type, InputFile) and (value := values.get(str(parameter.name))):
            yield from (value,) if isinstance(value, str) else value
