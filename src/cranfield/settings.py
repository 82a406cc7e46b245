"""Settings, declared once in a signature: their allowed values, what they mean, and where they have an effect.

rope: Annotated[float, NON_NEGATIVE, Means("Mean differences up to this size are negligible.")] = 0.01

Decided here: which values a setting of a measure may have, and the default confidence level.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from cranfield.errors import BadSetting
from cranfield.frozen import frozen

CONFIDENCE = 0.95  # the level of every interval, unless another is requested

Value = int | float | str | bool | tuple[tuple[float, float], ...] | tuple[float, ...] | None


@frozen
class Range:
    """The range of numbers allowed for a setting."""

    what: str
    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    at: bool = False  # written after the name as @value
    open: bool = False  # the bounds are excluded
    infinite: bool = False  # infinity is included

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        inside = self.low < value < self.high if self.open else self.low <= value <= self.high
        return (
            inside
            and (math.isfinite(value) or (self.infinite and value > 0))
            and (not self.whole or isinstance(value, int))
        )


@frozen
class Means:
    """What a setting of a verb means: the paragraph of its docstring, and the help of its option."""

    text: str
    metavar: str = ""  # how help writes the value, such as NUMBER
    letter: str = ""  # of a short option
    default: str = ""  # in words, where it depends on the data


@frozen
class Only:
    """Where a setting has an effect: where another setting has one of these values."""

    name: str
    values: tuple[Value, ...]

    def __str__(self) -> str:
        return f"{self.name}={' or '.join(map(repr, self.values))}"


Cutoff = Annotated[int, Range("a positive integer", low=1, whole=True, at=True)]
Level = Annotated[float, Range("a grade", low=-math.inf)]
Recall = Annotated[float, Range("a recall from 0 to 1", low=0, high=1, at=True)]
Proportion = Annotated[float, Range("a number from 0 to 1", low=0, high=1)]
Persistence = Annotated[float, Range("a number between 0 and 1", low=0, high=1, open=True)]
Positive = Annotated[float, Range("a number above 0", low=0, open=True)]
TopGrade = Positive | Literal["judgments", "query"]  # the highest grade of all judgments, or of those of the query
NonNegative = Annotated[float, Range("a non-negative number", low=0)]
Beta = Annotated[float, Range("a non-negative number, or inf", low=0, infinite=True)]
Number = Annotated[float, Range("a number")]
Count = Annotated[int, Range("a positive integer", low=1, whole=True)]
Numbers = Annotated[tuple[float, ...], "numbers"]
GainTable = Annotated[tuple[tuple[float, float], ...], "gains"]

# settings that many verbs have
Baseline = Annotated[
    str | None,
    Means("The system that all others are compared with; by default, every pair is compared.", "SYSTEM", "-b"),
]
Confidence = Annotated[
    float, Range("a number between 0 and 1, such as 0.95", low=0, high=1 - 1e-9, open=True), Means("Confidence level.")
]
Significance = Annotated[
    float, Range("a number between 0 and 1, such as 0.05", low=1e-9, high=1, open=True), Means("Significance level.")
]
Power = Annotated[
    float,
    Range("a number between 0 and 1, such as 0.8", low=0, high=1, open=True),
    Means("Desired power: the probability of detecting a true difference."),
]
Seed = Annotated[int, Range("a non-negative integer", low=0, whole=True), Means("Random seed.")]

ELEVEN_RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@frozen
class Setting:
    """One setting of a measure, read from its signature."""

    name: str
    default: Value = None
    required: bool = False
    ranges: tuple[Range, ...] = ()
    choices: tuple[Value, ...] = ()
    numbers: bool = False  # a list of numbers
    gains: bool = False  # a table of gains by grade
    name_of: str = ""  # what a text names: a measure or a system
    means: Means | None = None
    only: Only | None = None
    several: bool = False  # any number of values
    type: Any = str  # of a value

    @property
    def at(self) -> bool:
        """Whether it is written after the name, as in `P@10`."""
        return any(allowed.at for allowed in self.ranges)

    @property
    def meaning(self) -> str:
        """What it means, and where it has an effect."""
        text = self.means.text if self.means else ""
        return f"With {self.only}: {text}" if self.only else text

    @property
    def example(self) -> str:
        """A number to write after the name."""
        return "10" if any(allowed.whole for allowed in self.ranges) else "0.5"

    @property
    def what(self) -> str:
        """A description of the allowed values."""
        words = [allowed.what for allowed in self.ranges] + [
            repr(choice) for choice in self.choices if choice is not None
        ]
        words += ["a list of numbers"] * self.numbers + ["a table {grade: gain}"] * self.gains
        words += [f"the name of {self.name_of}"] * bool(self.name_of)
        return " or ".join(words)

    def checked(self, value: Any, measure: str = "", printed: Callable[[str], str] = str) -> Value:
        """The value in canonical form, or an error with the allowed values; a setting of a verb has no measure.

        `printed` gives the name of a measure as it prints.
        """
        name = f"{measure}: {self.name}" if measure else self.name
        if value is None and not self.required and self.default is None:
            return None
        if any(value == choice and type(value) is type(choice) for choice in self.choices):
            return value
        if self.name_of:
            return self._checked_name(value, measure, printed)
        if isinstance(value, float) and value.is_integer() and any(allowed.whole for allowed in self.ranges):
            value = int(value)
        if value == "inf" and any(allowed.infinite for allowed in self.ranges):
            value = math.inf
        if isinstance(value, int) and abs(value) >= 1 << 63:
            raise BadSetting(f"{name} must be {self.what} below 2**63")
        if any(value in allowed for allowed in self.ranges):
            return value
        table = dict(value) if isinstance(value, tuple) and all(isinstance(pair, tuple) for pair in value) else value
        if self.gains and isinstance(table, Mapping) and all(n in Range("") for pair in table.items() for n in pair):
            return tuple(sorted((float(grade), float(gain)) for grade, gain in table.items()))
        if self.numbers and isinstance(value, list | tuple) and value and all(value_ in Range("") for value_ in value):
            return tuple(value)
        raise BadSetting(f"{name} must be {self.what}, not {value!r}")

    def _checked_name(self, value: Any, measure: str, printed: Callable[[str], str]) -> str:
        """The name of a system, or that of a measure as it prints."""
        text = str(value) if self.name_of == "a measure" else value
        if not isinstance(text, str) or not text:
            raise BadSetting(f"{measure}: {self.name} must be {self.what}, not {value!r}")
        return text if self.name_of == "a system" else printed(text)


def require_one_weight(measure: str, beta: float, alpha: float | None) -> None:
    """Refuse both of the two ways to weight precision and recall."""
    if alpha is not None and beta != 1:
        raise BadSetting(f"{measure} takes beta or alpha, not both: alpha is 1/(1 + beta²)")


def declared_settings(function: Callable[..., Any]) -> dict[str, Setting]:
    """The settings that the keyword arguments of a measure's function declare."""
    hints = get_type_hints(function, include_extras=True)
    _, *parameters = inspect.signature(function).parameters.values()
    return {parameter.name: declared(parameter, hints[parameter.name]) for parameter in parameters}


def declared(parameter: inspect.Parameter, hint: Any) -> Setting:
    """The setting that a parameter with this hint declares."""
    outer = list(hint.__metadata__) if get_origin(hint) is Annotated else []
    hint = get_args(hint)[0] if outer else hint
    alternatives = () if get_origin(hint) in (Annotated, Literal) else get_args(hint)
    choices: list[Value] = []
    extras: list[object] = outer
    types: list[Any] = []
    for part in alternatives or (hint,):
        if get_origin(part) is Annotated:
            extras += part.__metadata__
            types.append(get_args(part)[0])
        elif get_origin(part) is Literal:
            choices += get_args(part)
        elif part is bool:
            choices += [False, True]
            types.append(bool)
        elif part is not type(None):
            types.append(part)
    required = parameter.default is parameter.empty
    return Setting(
        parameter.name,
        None if required else parameter.default,
        required,
        tuple(extra for extra in extras if isinstance(extra, Range)),
        tuple(choices),
        "numbers" in extras,
        "gains" in extras,
        means=next((extra for extra in extras if isinstance(extra, Means)), None),
        only=next((extra for extra in extras if isinstance(extra, Only)), None),
        several=any(get_origin(part) not in (None, Annotated, Literal) for part in types),
        type=next((part for part in types if isinstance(part, type)), str),
    )
