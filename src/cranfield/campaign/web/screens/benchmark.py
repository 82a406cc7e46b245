"""The list of benchmarks, and the settings and people of one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Form, Request
from sqlalchemy import Connection

from cranfield.campaign.rules.permissions import ROLES, Role
from cranfield.campaign.store import accounts, benchmarks
from cranfield.campaign.store.taking_back import note_act, take_back, unanswered
from cranfield.campaign.web.fields import LARGEST, At, Line, Lines, Number
from cranfield.campaign.web.guard import Here, now
from cranfield.campaign.web.replies import Done, Page, address_of
from cranfield.engines.baselines import sees_systems
from cranfield.engines.evaluation import sees_items
from cranfield.errors import BadInput, BadSetting
from cranfield.labelling.scale import Grade, Scale
from cranfield.measures.naming import measures_named
from cranfield.measures.registry import Measure

MOST_INVITED = 1_000  # at once


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
    return _people(here, [])


def invite(request: Request, here: At, role: Annotated[Role, Form()], note: Lines = "") -> Page:
    """New invitation links, shown once: one for each line of the note."""
    notes = [line.strip()[:200] for line in note.splitlines() if line.strip()] or [""]
    if len(notes) > MOST_INVITED:
        raise BadInput(f"at most {MOST_INVITED:,} people can be invited at once; the list has {len(notes):,}")
    values: dict[str, Any] = {"benchmark": here.at.id, "role": role, "by": here.me.id, "now": now()}
    secrets = here.store.write(lambda connection: [accounts.invite(connection, note=one, **values) for one in notes])
    address = address_of(request)
    return _people(here, [{"note": one, "link": f"{address}/join/{secret}"} for one, secret in zip(notes, secrets)])


def withdraw(here: At, invitation: Number) -> Done:
    """Withdraw an invitation that nobody has used."""
    here.write(accounts.withdraw, invitation, now())
    return Done(f"/b/{here.at.slug}/people")


def change_role(here: At, account: Number, role: Annotated[Role, Form()], team: Line = "") -> Done:
    """Give a member another role or team."""
    person = _member(here, account)

    def changed(connection: Connection) -> None:
        benchmarks.change_role(connection, here.at.id, account, role, team)
        action = f"changed the role from {person['role']} to {role}"
        note_act(connection, here.at.id, action=action, subject=person["name"], by=here.me.id, now=now())

    here.store.write(changed)
    return Done(f"/b/{here.at.slug}/people", {"account": account, "role": role})


def remove(here: At, account: Number, expected: Annotated[int | None, Form(ge=0, le=LARGEST)] = None) -> Page | Done:
    """Remove a member: unanswered documents are taken back, judgments and runs stay under the person's name.

    Without `expected`, the number of unanswered documents, nothing changes: the answer says what would be done.
    """
    person = _member(here, account)
    if expected is None:
        planned = here.read(unanswered, account, "", None)
        words = f"{person['name']} can no longer see this benchmark. {planned['n_answered']:,} answers stay; "
        words += f"{planned['n_documents']:,} unanswered documents can be assigned again. An invitation lets them back."
        data = {"title": f"Remove {person['name']}", "tab": "People", "words": words, "back": "/people"}
        fields = {"path": f"/people/{account}/remove", "fields": {"expected": planned["n_documents"]}}
        return Page("confirm.html", data | fields | planned)

    def removed(connection: Connection) -> None:
        who: dict[str, Any] = {"by": here.me.id, "now": now()}
        planned = unanswered(connection, here.at.id, account, "", None)
        if planned["n_documents"] + planned["n_repeats"]:
            take_back(connection, here.at.id, account=account, topic="", to=None, expected=expected, **who)
        benchmarks.remove(connection, here.at.id, account)
        note_act(connection, here.at.id, action="removed", subject=person["name"], **who)

    here.store.write(removed)
    return Done(f"/b/{here.at.slug}/people", {"account": account})


def _member(here: Here, account: int) -> dict[str, Any]:
    """The person with this account, if a member."""
    for one in here.read(benchmarks.people):
        if one["id"] == account and one["kind"] == "person":
            return one
    raise BadInput("this person is not a member of the benchmark")


def described(here: Any) -> dict[str, Any]:
    """The facts about a benchmark that all members may see."""
    texts = {name: getattr(here.at, name) for name in ("purpose", "guidelines", "licence", "released")}
    return texts | {"scale": asdict(here.at.scale), "measures": list(here.at.measures)}


def _people(here: Any, links: list[dict[str, str]]) -> Page:
    members, invitations = here.read(benchmarks.people), here.read(accounts.invitations, now())
    data = {"people": members, "roles": list(ROLES), "links": links, "invitations": invitations}
    return Page("people.html", data, status=201 if links else 200)


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
