"""`make fuzz`: random seeds for FUZZ_SECONDS; arguments are names of targets, or one name and a seed to run again."""

from __future__ import annotations

import os
import sys

from fuzz.isolated import Isolated
from fuzz.running import failed, fuzz
from fuzz.target import every_target


def main(arguments: list[str]) -> int:
    """The exit status: 1 if any target failed."""
    targets = every_target()
    if len(arguments) == 2 and arguments[1].isdigit():
        message = failed(targets[arguments[0]], int(arguments[1]))
        _say(message or "no failure")
        return int(message is not None)
    chosen = [targets[name] for name in arguments or targets]
    seconds = float(os.environ.get("FUZZ_SECONDS", "300"))
    with Isolated(chosen, seconds) as isolated:
        return int(fuzz(chosen, seconds, _say, failure=isolated.failure) > 0)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
