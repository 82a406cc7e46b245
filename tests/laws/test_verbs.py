"""Verbs whose settings are declared once: checks, docstrings, options and refusals follow from the declaration."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import click
import pytest
from click.testing import CliRunner

from cranfield.commands.options import options_of
from cranfield.commands.parameters import parameters_of
from cranfield.errors import BadSetting
from cranfield.settings import Count, Means, NonNegative, Only
from cranfield.verb import in_effect, settings_of, verb


@verb
def boil(
    egg: Any,
    *,
    minutes: Annotated[NonNegative, Means("How long it is boiled.")] = 4.0,
    way: Annotated[Literal["soft", "poached"], Means('`"soft"`, in the shell, or `"poached"`.', letter="-w")] = "soft",
    vinegar: Annotated[Count | None, Only("way", ("poached",)), Means("Spoons of vinegar.")] = None,
    salt: Annotated[bool, Means("Add salt.")] = False,
) -> dict[str, Any]:
    """An egg, boiled.

    Parameters
    ----------
    egg
        The egg.

    Returns
    -------
    dict
        Its settings.
    """
    return in_effect(boil, locals())


def test_values_are_checked() -> None:
    with pytest.raises(BadSetting, match="minutes must be a non-negative number, not -1"):
        boil("egg", minutes=-1)
    with pytest.raises(BadSetting, match="way must be 'soft' or 'poached', not 'fried'"):
        boil("egg", way="fried")


def test_a_setting_without_effect_is_refused_unless_it_is_the_default() -> None:
    with pytest.raises(BadSetting, match="vinegar has an effect only with way='poached'"):
        boil("egg", vinegar=2)
    assert boil("egg", vinegar=None) == {"minutes": 4.0, "way": "soft", "salt": False}
    assert boil("egg", way="poached", vinegar=2)["vinegar"] == 2


def test_the_docstring_describes_every_setting_in_the_order_of_the_signature() -> None:
    described = str(boil.__doc__)
    places = [described.index(f"\n{name}\n    ") for name in ("egg", "minutes", "way", "vinegar", "salt", "dict")]
    assert places == sorted(places)
    assert "With way='poached': Spoons of vinegar." in described


def test_options_follow() -> None:
    def echo(**settings: Any) -> None:
        click.echo(dict(sorted(settings.items())))

    made = click.Command("boil", params=parameters_of([options_of(f"{__name__}:boil")]), callback=echo)
    helped = " ".join(CliRunner().invoke(made, ["--help"]).output.split())
    assert "--minutes NUMBER How long it is boiled. [default: 4.0]" in helped
    assert "With --way poached: spoons of vinegar." in helped
    assert "-w, --way [soft|poached] soft, in the shell, or poached. [default: soft]" in helped
    given = CliRunner().invoke(made, ["-w", "poached", "--vinegar", "2", "--salt"]).output
    assert given.strip() == str({"minutes": 4.0, "salt": True, "vinegar": 2, "way": "poached"})
    assert list(settings_of(boil)) == ["minutes", "way", "vinegar", "salt"]
