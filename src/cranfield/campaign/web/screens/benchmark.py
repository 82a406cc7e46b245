"""The list of benchmarks, and the settings and people of one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Form, Request

from cranfield.campaign.rules.permissions import ROLES, Role
from cranfield.campaign.store import accounts, benchmarks
from cranfield.campaign.web.fields import At, Line, Lines
from cranfield.campaign.web.guard import now
from cranfield.campaign.web.replies import Done, Page, address_of
from cranfield.engines.baselines import sees_systems
from cranfield.engines.evaluation import sees_items
from cranfield.errors import BadInput, BadSetting
from cranfield.labelling.scale import Grade, Scale
from cranfield.measures.naming import measures_named
from cranfield.measures.registry import Measure


def home(request: Request, here: At) -> Page:
    """The benchmarks that the person can see."""
    with here.store.read() as connection:
        listed = benchmarks.of_account(connection, here.me.id, everything=here.me.administrator)
    shown = [{"slug": one.slug, "name": one.name, "purpose": one.purpose, "role": role} for one, role in listed]
    return Page("home.html", {"benchmarks": shown, "history": bool(request.app.state.history)})


def create(here: At, name: Line, slug: Line, purpose: Line = "") -> Done:
    """A new benchmark."""
    if not name:
        raise BadInput("a benchmark needs a name")
    values: dict[str, Any] = {"name": name, "slug": slug, "purpose": purpose, "by": here.me.id, "now": now()}
    here.store.write(lambda connection: benchmarks.create(connection, **values))
    return Done(f"/b/{slug}", {"slug": slug})


def settings_page(here: At) -> Page:
    """Purpose, licence, guidelines, scale and measures."""
    frozen = here.read(benchmarks.is_judged)
    return Page("settings.html", described(here) | {"frozen": frozen, "seen": benchmarks.settings_digest(here.at)})


def set_up(here: At, scale: Lines, relevant_from: Annotated[int, Form()], measures: Line, purpose: Line = "",
           guidelines: Lines = "", licence: Line = "", seen: Line = "") -> Done:  # fmt: skip
    """Change purpose, licence, guidelines, scale and measures.

    With `seen`, which the settings page gives, the change is refused if somebody else has changed them since.
    """
    chosen = [str(_of_one_run(measure)) for measure in measures_named(measures, "ranking", ())]
    grades = Scale(tuple(map(_grade, filter(None, scale.splitlines()))), relevant_from)
    texts = {"purpose": purpose, "licence": licence, "guidelines": guidelines}
    here.write(benchmarks.set_up, **texts, scale=grades, measures=chosen, seen=seen or None)
    return Done(f"/b/{here.at.slug}/settings")


def _of_one_run(measure: Measure) -> Measure:
    """The measure, if it has a value per topic that depends on judgments and one run alone."""
    if not measure.declaration.per_unit or sees_items(measure) or sees_systems(measure):
        raise BadSetting(f"{measure} cannot be shown on a leaderboard; choose a measure with a value for each topic")
    return measure


def people_page(here: At) -> Page:
    """The members and the invitation form."""
    return _people(here, None)


def invite(request: Request, here: At, role: Annotated[Role, Form()], note: Line = "") -> Page:
    """A new invitation link, shown once."""
    values: dict[str, Any] = {"benchmark": here.at.id, "role": role, "note": note, "by": here.me.id, "now": now()}
    secret = here.store.write(lambda connection: accounts.invite(connection, **values))
    return _people(here, f"{address_of(request)}/join/{secret}")


def described(here: Any) -> dict[str, Any]:
    """The facts about a benchmark that all members may see."""
    texts = {name: getattr(here.at, name) for name in ("purpose", "guidelines", "licence", "released")}
    return texts | {"scale": asdict(here.at.scale), "measures": list(here.at.measures)}


def _people(here: Any, link: str | None) -> Page:
    members = here.read(benchmarks.people)
    data = {"people": members, "roles": list(ROLES), "link": link}
    return Page("people.html", data, status=200 if link is None else 201)


def _grade(line: str) -> Grade:
    """The grade on a line `value, label, gain`."""
    parts = [part.strip() for part in line.split(",")]
    try:
        value, label, gain = int(parts[0]), parts[1], float(parts[2]) if len(parts) > 2 else float(parts[0])
    except (ValueError, IndexError):
        raise BadInput(
            f"the grade {line!r} must be a whole number, a label and a gain, as in: 2, Relevant, 3"
        ) from None
    return Grade(value, label, gain)
