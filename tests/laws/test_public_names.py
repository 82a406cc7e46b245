"""Every public verb is tried, and every public name is documented with an example."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import cranfield
from laws.verb_calls import CALLS, NOT_VERBS

KERNEL = {"tables", "evidence", "measures", "statistics", "results"}  # folders whose functions are no verbs


def test_every_public_verb_is_called() -> None:
    verbs = {name for name in cranfield.__all__ if inspect.isfunction(getattr(cranfield, name))} - NOT_VERBS
    assert verbs <= {name.split()[0] for name in CALLS}
    exempt = {name for name in NOT_VERBS if getattr(cranfield, name).__module__.split(".")[1] not in KERNEL}
    # make pages, write to a store, and ask a server
    assert exempt == {"report", "report_collections", "record", "fetch"}


def public(is_one: Callable[[Any], bool]) -> list[str]:
    return [name for name in cranfield.__all__ if is_one(getattr(cranfield, name))]


@pytest.mark.parametrize("name", public(inspect.isfunction))
def test_every_public_function_documents_what_it_takes_and_returns(name: str) -> None:
    text = inspect.getdoc(getattr(cranfield, name)) or ""
    for section in ("Parameters", "Returns", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text, section


@pytest.mark.parametrize("name", public(inspect.isclass))
def test_every_public_class_has_an_example(name: str) -> None:
    assert "\nExamples\n--------\n" in (inspect.getdoc(getattr(cranfield, name)) or "")


def test_the_version_is_that_of_the_package() -> None:
    assert cranfield.__version__ == importlib.metadata.version("cranfield")
