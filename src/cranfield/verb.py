"""Verbs: public functions whose settings are declared once, in their signature.

From a declaration follow the check of the value, the paragraph of the docstring, the option of the command line and its
help (`commands.options`), the settings in the provenance, and the refusal of a setting that has no effect.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_type_hints

from cranfield.errors import BadSetting
from cranfield.settings import Setting, declared

Verb = TypeVar("Verb", bound=Callable[..., Any])


def verb(function: Verb) -> Verb:
    """A function whose declared settings are checked when it is called, and described in its docstring.

    A parameter is declared if its hint says what it `Means`; others, such as the data, are described in the docstring.
    """
    signature = inspect.signature(function)
    settings = _declared_in(function, signature)

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        call = signature.bind(*args, **named)
        call.apply_defaults()
        for setting in settings.values():
            _require_allowed(setting, call.arguments)
        return function(*args, **named)

    called.__doc__ = _described(function.__doc__ or "", settings, list(signature.parameters))
    called.settings = settings  # type: ignore[attr-defined]
    return called  # type: ignore[return-value]


def settings_of(function: Callable[..., Any]) -> dict[str, Setting]:
    """The declared settings of a verb."""
    return function.settings  # type: ignore[attr-defined]


def in_effect(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that have an effect with these arguments of a verb: those that its result is saved with."""
    return {name: arguments[name] for name, setting in settings_of(function).items() if _has_effect(setting, arguments)}


def _declared_in(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Setting]:
    hints = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    annotated = type(
        function.__name__, (), {"__annotations__": hints}
    )  # what is returned may be known to checkers alone
    known = get_type_hints(annotated, function.__globals__, include_extras=True)
    every = {name: declared(one, known[name]) for name, one in signature.parameters.items()}
    return {name: setting for name, setting in every.items() if setting.means}


def _require_allowed(setting: Setting, arguments: Mapping[str, Any]) -> None:
    value = arguments[setting.name]
    if value is setting.default:
        return
    if (setting.ranges or setting.choices) and not setting.several:
        setting.checked(value)
    if value != setting.default and not _has_effect(setting, arguments):
        raise BadSetting(f"{setting.name} has an effect only with {setting.only}")


def _has_effect(setting: Setting, arguments: Mapping[str, Any]) -> bool:
    return setting.only is None or arguments[setting.only.name] in setting.only.values


_TITLE = re.compile(r"^(?:Parameters|Returns|Raises|Examples)\n-{3,}\n", re.MULTILINE)
_PARAGRAPH = re.compile(r"^(\S.*)\n((?:[ ].*\n|\n(?=[ ]))+)", re.MULTILINE)  # names, and the indented lines below
WIDTH = 110  # of a paragraph


def _described(text: str, settings: Mapping[str, Setting], order: list[str]) -> str:
    """The docstring with a paragraph for each declared setting, in the order of the signature."""
    plain = inspect.cleandoc(text)
    titles = [match[0] for match in _TITLE.finditer(plain)]
    head, *bodies = _TITLE.split(plain)
    sections = dict(zip(titles, bodies, strict=True))
    written = sections.pop(_PARAMETERS, "")
    paragraphs = {names: f"{names}\n{body}" for names, body in _PARAGRAPH.findall(written)}
    for name, setting in settings.items():
        usual = setting.means.default if setting.means else ""
        meaning = f"{setting.meaning} Default: {usual}." if usual else setting.meaning
        meaning = textwrap.fill(meaning, WIDTH, initial_indent="    ", subsequent_indent="    ")
        paragraphs[name] = f"{name}\n{meaning}\n"
    listed = sorted(paragraphs, key=lambda names: order.index(names.partition(",")[0].lstrip("*")))
    parameters = "".join(paragraphs[names] for names in listed)
    return f"{head}{_PARAMETERS}{parameters}\n" + "".join(title + body for title, body in sections.items())


_PARAMETERS = "Parameters\n----------\n"
