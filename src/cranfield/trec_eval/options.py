"""The command line of trec_eval, parsed as by C's `getopt_long`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cranfield.measures.trec_names import NICKNAMES
from cranfield.trec_eval.conventions import VERSIONS, Quit, Version, names, whole

USAGE = """\
Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: Give full help information, including other options
   -q: In addition to summary evaluation, give evaluation for each query
   -m: calculate and print measures indicated by 'measure'
       ('-m all_qrels' prints all qrels measures, '-m official' is default)
"""

_WITH_ARGUMENT = frozenset("mlDNMRTZ")
_LETTERS = frozenset("hvqcnJo") | _WITH_ARGUMENT
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l",
    "nosummary": "n",
    "Debug_level": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M",
    "Rel_info_format": "R",
    "Results_format": "T",
    "Output_old_results_format": "o",
    "Zscore": "Z",
}
_LONG_WITH_ARGUMENT = _WITH_ARGUMENT | {"o"}  # the short -o takes none
_FLAGS = {"h": ("help", True), "q": ("per_query", True), "n": ("summary", False), "c": ("complete", True),
          "J": ("judged_only", True)}  # fmt: skip
_NUMBERS = {"l": "level", "M": "depth", "N": "collection"}
_TEXTS = {"R": "rel_format", "T": "results_format", "Z": "zscores"}


@dataclass
class Options:
    """The options and files on the command line."""

    version: Version = field(default_factory=lambda: VERSIONS["10.0"])
    help: bool = False
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    depth: int | None = None
    collection: int = 0
    query: bytes | None = None
    rel_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, bytes] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def options(arguments: Sequence[str]) -> Options:
    """The options in order; an invalid option, or one that exits, takes precedence over those after it."""
    version, rest = _version(arguments)
    chosen = Options(version=version)
    for letter, argument in _read(rest, chosen.files):
        _follow(chosen, letter, argument)
    if not chosen.help and len(chosen.files) != 2:
        raise Quit(USAGE, 1)
    return chosen


def _follow(chosen: Options, letter: str, argument: str) -> None:
    if letter == "v":
        raise Quit(f"trec_eval version {chosen.version.shown}\n", 0)
    if letter == "m":
        _mark(chosen, argument)
    elif letter == "D":
        _, dot, query = argument.partition(".")
        chosen.query = os.fsencode(query) if dot else chosen.query  # no level prints traces
    elif letter in _FLAGS:
        setattr(chosen, *_FLAGS[letter])
    elif letter in _NUMBERS:
        setattr(chosen, _NUMBERS[letter], whole(os.fsencode(argument)))
    elif letter in _TEXTS:
        setattr(chosen, _TEXTS[letter], argument)


def _version(arguments: Sequence[str]) -> tuple[Version, list[str]]:
    """The version that --compat names, and the arguments without it."""
    rest, name = list(arguments), "10.0"
    end = rest.index("--") if "--" in rest else len(rest)
    for place in range(end - 1, -1, -1):
        if rest[place].startswith("--compat="):
            name = rest.pop(place).partition("=")[2]
        elif rest[place] == "--compat" and place + 1 < len(rest):
            name = rest.pop(place + 1)
            del rest[place]
    if name not in VERSIONS:
        raise Quit(f"trec_eval: --compat takes {', '.join(VERSIONS)}, not '{name}'\n", 1)
    return VERSIONS[name], rest


def _read(arguments: list[str], files: list[str]) -> Iterator[tuple[str, str]]:
    """The letter and argument of each option in turn; every other word is a file."""
    waiting = iter(arguments)
    for word in waiting:
        if word == "--":
            files += waiting
        elif word.startswith("--"):
            yield _long(word[2:], waiting)
        elif word.startswith("-") and word != "-":
            yield from _short(word[1:], waiting)
        else:
            files.append(word)


def _short(letters: str, waiting: Iterator[str]) -> Iterator[tuple[str, str]]:
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in _LETTERS:
            raise _wrong(f"invalid option -- '{letter}'")
        if letter not in _WITH_ARGUMENT:
            yield letter, ""
            continue
        argument = letters or next(waiting, None)
        if argument is None:
            raise _wrong(f"option requires an argument -- '{letter}'")
        yield letter, argument
        return


def _long(word: str, waiting: Iterator[str]) -> tuple[str, str]:
    name, equals, argument = word.partition("=")
    known = [name] if name in _LONG else [full for full in _LONG if full.startswith(name)]
    if not known:
        raise _wrong(f"unrecognized option '--{word}'")
    if len(known) > 1:
        choices = " ".join(f"'--{full}'" for full in known)
        raise _wrong(f"option '--{word}' is ambiguous; possibilities: {choices}")
    letter = _LONG[known[0]]
    if letter not in _LONG_WITH_ARGUMENT:
        if equals:
            raise _wrong(f"option '--{known[0]}' doesn't allow an argument")
        return letter, ""
    if not equals:
        following = next(waiting, None)
        if following is None:
            raise _wrong(f"option '--{known[0]}' requires an argument")
        argument = following
    return letter, argument


def _wrong(what: str) -> Quit:
    return Quit(f"trec_eval: {what}\n{USAGE}", 1)


def _mark(chosen: Options, argument: str) -> None:
    """Request a measure, or all measures of a nickname; if parameters are repeated, the first are used."""
    name, dot, parameters = argument.partition(".")
    if dot and not parameters:
        raise Quit(f"trec_eval: improper measure in parameter '{name}'\ntrec_eval: illegal measure '{name}'\n", 1)
    if dot:
        chosen.parameters.setdefault(name, os.fsencode(parameters))
    known = names(chosen.version)
    if name in NICKNAMES:
        chosen.measures.update(set(NICKNAMES[name]) & set(known))
    elif name in known:
        chosen.measures.add(name)
    else:
        raise Quit(f"trec_eval: illegal measure '{name}'\n", 1)
