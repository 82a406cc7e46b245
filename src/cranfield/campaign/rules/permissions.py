"""Permissions: one table of all actions of a campaign and the roles that may take them.

Decided here: who may do what in a campaign.
"""

from __future__ import annotations

from typing import Literal, get_args

from cranfield.frozen import frozen

Role = Literal["coordinator", "participant", "assessor", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
EVERYONE = frozenset(ROLES)


@frozen
class Rule:
    """Who may take an action: anyone, people who are signed in, the administrator, or roles in the benchmark."""

    who: Literal["anyone", "signed in", "administrator", "members"]
    roles: frozenset[Role] = frozenset()
    after_release: frozenset[Role] = frozenset()  # roles that also may, once the results are released


def members(*roles: Role, after_release: frozenset[Role] = frozenset()) -> Rule:
    """The rule for an action that belongs to a benchmark."""
    return Rule("members", frozenset(roles), after_release)


PERMISSIONS: dict[str, Rule] = {
    "sign in": Rule("anyone"),
    "use your account": Rule("signed in"),
    "create benchmarks": Rule("administrator"),
    "see the benchmark": members(*ROLES),
    "see topics": members(*ROLES),
    "invite people": members("coordinator"),
    "set up": members("coordinator"),
    "propose topics": members("coordinator", "participant"),
    "submit runs": members("coordinator", "participant"),
    "download runs": members("coordinator", "participant", after_release=EVERYONE),
    "pool": members("coordinator"),
    "assign": members("coordinator"),
    "judge": members("coordinator", "participant", "assessor"),
    "see judgments": members("coordinator"),
    "adjudicate": members("coordinator"),
    "release results": members("coordinator"),
    "see results": members("coordinator", after_release=EVERYONE),
}


MACHINES = frozenset({"see the benchmark", "see topics", "judge"})  # the only actions of machine assessors


def may(action: str, *, administrator: bool, role: Role | None, released: bool = False, machine: bool = False) -> bool:
    """Whether an account may take the action; the administrator may do everything a coordinator may."""
    if machine and action not in MACHINES:
        return False
    rule = PERMISSIONS[action]
    if rule.who != "members":
        return rule.who in ("anyone", "signed in") or administrator
    allowed = rule.roles | (rule.after_release if released else frozenset())
    return (administrator and "coordinator" in allowed) or role in allowed
