"""cranfield beside its peers: `python -m benchmarks [NAME …]`, where a name is a module of benchmarks or a case."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from benchmarks import BENCHMARKS, costs
from benchmarks.cases import Case
from benchmarks.running import Setting, measure
from benchmarks.scaling import points, starts
from benchmarks.table import as_json, figures, machine, markdown, targets, text


def main() -> None:
    """Run what was asked for and print the tables."""
    options = _options()
    chosen = list(_chosen(options.names, options.quick))
    if not chosen:
        sys.exit(f"no benchmark or case is called {' or '.join(options.names)}; there are {', '.join(BENCHMARKS)}")
    setting = Setting(options.data.resolve(), options.quick, options.repeat, options.tool, _progress)
    shown = markdown if options.markdown else text
    print(_machine(), end="\n\n")
    measured = []
    for benchmark, case in chosen:
        measured.append(measure(benchmark, case, setting))
        _progress("")
        print(shown(figures(measured[-1])), end="\n\n", flush=True)
    if not options.quick:  # small data is all starting up, of which the targets do not speak
        print(shown(targets(measured)))
    curves = list(points(measured, options.quick, setting.data))
    if curves:
        print("", shown(costs.table(curves, starts(measured))), sep="\n")
    if curves and options.docs:
        costs.write(curves, starts(measured), options.docs, f"Measured on {date.today():%-d %B %Y}: {_machine()}")
    if options.json:
        options.json.write_text(json.dumps(as_json(measured), indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="cranfield beside its peers, in one run")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)}, or a case; all if none")
    parser.add_argument("--quick", action="store_true", help="small data: shows that all works, not how fast")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each tool, the best counts (3)")
    parser.add_argument("--tool", action="append", default=[], metavar="TOOL", help="only this tool; may be repeated")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to a file")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="write the curves into this documentation")
    parser.add_argument("--data", type=Path, default=Path("bench-data"), metavar="FOLDER", help="where data is kept")
    return parser.parse_args()


def _chosen(names: list[str], quick: bool) -> Iterator[tuple[str, Case]]:
    for benchmark in BENCHMARKS:
        for case in importlib.import_module(f"benchmarks.{benchmark}").cases(quick):
            if not names or benchmark in names or case.name in names:
                yield benchmark, case


def _progress(message: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{message}", end="", file=sys.stderr, flush=True)


def _machine() -> str:
    here = machine()
    packages = ", ".join(f"{name} {version}" for name, version in here["packages"].items())
    return f"{here['processors']} processors, {here['system']}, Python {here['python']}; {packages}"


if __name__ == "__main__":
    main()
