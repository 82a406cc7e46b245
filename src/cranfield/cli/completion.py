"""What the shell offers when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Iterator

CUTOFFS = (1, 5, 10, 20, 100, 1000)


def measure_names(incomplete: str) -> list[tuple[str, str]]:
    """The measures that begin so, with their titles; after `@`, the usual cut-offs."""
    return list(_offered(incomplete))


def _offered(incomplete: str) -> Iterator[tuple[str, str]]:
    from cranfield.registry import families

    written, at, _ = incomplete.partition("@")
    for family in families().values():
        for name in (family.name, *family.names):
            if not at and name.startswith(written):
                yield name, family.title
            if at and name == written and "k" in family.settings:
                yield from ((f"{name}@{cutoff}", f"{family.title} at {cutoff}") for cutoff in CUTOFFS)
