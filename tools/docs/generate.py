"""Write the pages of docs/reference that follow from the code: `python -m tools.docs.generate`."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cranfield.advice.advise import page as advice
from cranfield.advice.measures import KINDS, card, subjects
from cranfield.cli.main import COMMANDS as NAMES
from cranfield.cli.main import main
from cranfield.present.findings.tables import page as rules
from cranfield.present.formats import in_markdown as escaped
from cranfield.present.formats import markdown
from tools.docs import equivalents, measure_examples, python_reference, worked_examples

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"

COMMANDS = """\
# The command line

<!-- written by python -m tools.docs.generate: change the code, not this page -->

Output goes to standard output, or to the file named by `--output`; warnings, errors and progress go to standard error,
one line each, beginning with `cranfield:`. On a terminal, tables are coloured and wrapped to its width; in a pipe or a
file they are plain and not wrapped. `NO_COLOR=1` turns off colours on a terminal but keeps bold. On a
terminal, a progress bar appears when reading takes longer than half a second, and the time when other work takes longer
than a second.

A file named by `--output` is replaced once its new content is complete: naming it is the permission. An input is never
overwritten, nor is a file that was not named, such as the `report.html` of an earlier `cranfield report` or a file in
the folder of `cranfield demo` that was changed since.

`cranfield --install-completion` enables the shell to complete commands, options, measures and file names.
"""

MEASURES = """\
# Measures

<!-- written by python -m tools.docs.generate: change the code, not this page -->

For each measure, this page gives its definition, its formula in Python's notation (with further definitions after
`where`, and what is different with some settings after `With`), its settings, its value on an example, its range, when
it is undefined, how queries are aggregated, its names in other tools, its publication, and which other tools compute
it. Tests evaluate the formulas as printed, with every setting at and away from its default. An undefined value counts
as 0 in a mean over queries, or is left out (`--undefined skip`): see [conventions](../explanation/conventions.md).
`cranfield measures NAME` shows one measure in the terminal.

A measure is written as its name, its settings in parentheses and its cutoff after `@`: `nDCG@10`, `P(rel=2)@5`,
`nDCG(gain='exp2', unjudged='skip')@10`. Omitted settings have their defaults. In other tools' names, `{k}` stands for a
number.

trec_eval's names are accepted as trec_eval reads and prints them, with their parameters: `P.5,10`, `ndcg_1=3,2=9`. A
name may stand for several measures: `ndcg_cut` for all of trec_eval's default cutoffs, `official` and its other
nicknames for the measures that they print. The only exceptions are `P` and `recall` without a cutoff, which are
precision and recall of all retrieved documents. `runid` and `relstring` are text: only `cranfield trec_eval` prints
them.
"""


ADVICE = """\
# Which measure should I use?

<!-- written by python -m tools.docs.generate: change the code, not this page -->

Answer the questions from the top. In a terminal, `cranfield advise` asks them one by one, and `cranfield advise ranking
sparse` answers them in advance. The first measure of each table is the one to report if there is room for only one.
[Which measure for which goal](../explanation/choosing-measures.md) explains the reasons at length, and
[the reference](../reference/measures.md) defines every measure.

"""

FINDINGS = """\
# Findings

<!-- written by python -m tools.docs.generate: change the code, not this page -->

A finding states in one sentence what a number hides, why it matters and what to do about it. The option `--findings`
prints findings below the table; `cranfield.examine(result)` returns them in Python, for results of `evaluate`,
`classify`, `regress`, `agree` and `compare` and for bare evidence such as a confusion matrix.

- *serious*: the value is misleading;
- *caution*: the value must be interpreted with care;
- *note*: something useful that is easily missed.

Findings about the best systems come first, then serious ones before cautions and notes. A finding that may be the cause
of another stands directly before it: scores that are inverted before an accuracy that is low because of that. Groups,
such as folds or sites, are examined if items have them (`by=`, `--by`).

Every rule has limits, which are printed with each finding. To change them, pass
`cranfield.examine(result, limits={"extreme-prevalence": {"low": 0.05}})`. At most five findings of each rule are shown;
the others are counted, and their systems named.
"""


def command_page() -> str:
    """What each command says with --help."""
    helps = [("cranfield", ["--help"]), *((f"cranfield {name}", [name, "--help"]) for name in NAMES)]
    return COMMANDS + "".join(f"\n## {title}\n\n```\n{_printed(arguments)}```\n" for title, arguments in helps)


def _printed(arguments: list[str]) -> str:
    os.environ["COLUMNS"] = "80"  # the width to which Click fills lines
    written = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(written, encoding="utf-8")) as text:
        main(arguments)
        text.flush()
        return written.getvalue().decode()


def measure_page() -> str:
    """An index, and a card for each measure, by subject."""
    return MEASURES + "".join([*_index(), *_cards()])


def _index() -> Iterator[str]:
    """The names of all measures by subject, linked to their cards."""
    times: Counter[str] = Counter()
    yield "\n## All measures\n"
    for kind, title in KINDS.items():
        yield f"\n**{title}**\n\n"
        for subject, members in subjects(kind).items():
            links = []
            for declared in members:
                anchor = _anchor(f"{declared.name}: {declared.title}")
                links.append(f"[{escaped(declared.name)}](#{anchor}{f'_{times[anchor]}' if times[anchor] else ''})")
                times[anchor] += 1
            yield f"- {escaped(subject.partition(':')[0])}: {', '.join(links)}\n"


def _anchor(heading: str) -> str:
    """The anchor that MkDocs gives to a heading."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip())


def _cards() -> Iterator[str]:
    for kind, title in KINDS.items():
        yield f"\n## {title}\n\n{measure_examples.INTRODUCTION[kind]}"
        for subject, members in subjects(kind).items():
            yield f"\n### {escaped(subject)}\n"
            for declared in members:
                yield f"\n#### {escaped(declared.name)}: {escaped(declared.title)}\n\n"
                shown = card(declared)
                notes = [
                    f"example: {measure_examples.example(declared)}",
                    f"undefined: {measure_examples.undefined(declared)}",
                    *(note for note in shown.notes if not note.startswith("undefined: ")),
                    f"also computed by: {equivalents.computed_by(kind, declared.name)}",
                ]
                yield markdown(replace(shown, title="", notes=tuple(notes)))


def advice_page() -> str:
    """The questions of `cranfield advise` with all answers."""
    return ADVICE + advice()


def findings_page() -> str:
    """When each rule speaks, why, and what to do."""
    return FINDINGS + rules()


PAGES = {
    "cli.md": command_page,
    "equivalents.md": equivalents.page,
    "findings.md": findings_page,
    "measures.md": measure_page,
    "python.md": python_reference.page,
    "../explanation/worked-examples.md": worked_examples.page,
    "../howto/choose-measures.md": advice_page,
}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
