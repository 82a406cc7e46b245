"""`python -m tools.mutants`: try a sample of mutants, print the share that the tests killed and those that survived."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tools.mutants.forks import Outcome
from tools.mutants.running import Copy, noticing
from tools.mutants.sampling import Mutant, sample
from tools.mutants.targets import TESTS

ENOUGH = 0.9


def main() -> None:
    """Try the sample; mutants that were killed before, with the code as it is, are not tried again."""
    asked = _options()
    mutants = [each for each in sample(asked.size, asked.seed) if asked.only in str(each.module)]
    asked.folder.mkdir(exist_ok=True)
    known = _known(asked.folder / "outcomes.jsonl")
    left = [mutant for mutant in mutants if known.get(mutant.key, "survived") == "survived"]
    print(f"{len(mutants)} mutants, {len(mutants) - len(left)} of them killed before", flush=True)
    if left:
        with TemporaryDirectory() as folder:
            copy = Copy(Path(folder))
            _try(left, copy, _seen(copy, asked), known, asked.folder / "outcomes.jsonl")
    survivors = [mutant for mutant in mutants if known[mutant.key] == "survived"]
    share = 1 - len(survivors) / len(mutants)
    print(*sorted(f"survived  {mutant.change}" for mutant in survivors), sep="\n")
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} mutants killed ({share:.1%}), seed {asked.seed}")
    sys.exit(share < ENOUGH)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--size", type=int, default=300, help="how many mutants are tried")
    parser.add_argument("--seed", type=int, default=0, help="which sample is drawn")
    parser.add_argument("--only", default="", help="a part of the paths of the modules to keep to")
    parser.add_argument("--folder", type=Path, default=Path("mutants-data"), help="where outcomes are kept")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="the folders of the tests that may notice")
    parser.add_argument("--seen", action="store_true", help="trust what was seen of the tests the last time")
    return parser.parse_args()


def _seen(copy: Copy, asked: argparse.Namespace) -> dict[str, Any]:
    kept: Path = asked.folder / "seen.json"
    if not (asked.seen and kept.exists()):
        kept.write_text(json.dumps(copy.watched(asked.tests)), encoding="utf-8")
    return json.loads(kept.read_text("utf-8"))


def _try(mutants: list[Mutant], copy: Copy, seen: dict[str, Any], known: dict[str, str], kept: Path) -> None:
    """Swap functions, which is quick; import modules anew where that is not possible."""
    tried = [(mutant, noticing(mutant, seen)) for mutant in mutants]
    with kept.open("a", encoding="utf-8") as file:

        def report(mutant: Mutant, outcome: Outcome) -> None:
            print(f"{outcome:8}  {mutant.change}", flush=True)
            file.write(json.dumps({"key": mutant.key, "outcome": outcome}) + "\n")
            file.flush()

        started = kept.stat().st_size
        copy.swap(tried, report)
        swapped = _known(kept, started)
        left = [(mutant, names) for mutant, names in tried if mutant.key not in swapped]
        print(f"{len(left)} of {len(tried)} are left, whose modules are imported anew", flush=True)
        unchanged = [(mutant.unchanged, names) for mutant, names in left[:: max(1, len(left) // 5)]]
        copy.replace(unchanged, _require_survival)
        copy.replace(left, report)
    known.update(_known(kept))


def _require_survival(mutant: Mutant, outcome: Outcome) -> None:
    if outcome != "survived":
        sys.exit(f"tests fail on code that was not changed: those that run {mutant.module}, line {mutant.line}")


def _known(kept: Path, start: int = 0) -> dict[str, str]:
    lines = map(json.loads, kept.read_bytes()[start:].splitlines()) if kept.exists() else ()
    return {line["key"]: line["outcome"] for line in lines}


if __name__ == "__main__":
    main()
