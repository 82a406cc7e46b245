"""Write the pages of docs/reference that follow from the code: `python docs/generate.py`."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cranfield.cli.main import app, main
from cranfield.present.catalogue import KINDS, card, everything, subjects
from cranfield.present.findings import catalogue
from cranfield.present.markdown import escaped, markdown

REFERENCE = Path(__file__).parent / "reference"

COMMANDS = """\
# The command line

This page is made from the commands themselves by `python docs/generate.py`.

Output goes to standard output, or to the file named by `--output`; warnings, errors and progress go to standard error,
one line each, beginning with `cranfield:`. On a terminal tables are coloured and folded to its width; in a pipe or a
file they are plain and as wide as they are. `NO_COLOR=1` takes the colours away on a terminal too. A progress bar
appears on a terminal when work takes longer than half a second.

`cranfield --install-completion` teaches the shell to complete commands, options, measures and file names.
"""

MEASURES = """\
# Measures

This page is made from the catalogue by `python docs/generate.py`; `cranfield measures NAME` shows one measure.

A measure is written as its name, its settings in parentheses and its cut-off after `@`: `nDCG@10`, `P(rel=2)@5`,
`nDCG(gain='exp2', unjudged='skip')@10`. A setting that is left out has its default. In other tools' names, `{k}` stands
for a number.

trec_eval's names are understood as it reads and prints them, with their parameters: `P.5,10`, `ndcg_1=3,2=9`. A name
may stand for several measures: `ndcg_cut` for all cut-offs that are trec_eval's default, `official` and its other
nicknames for what it prints for them. Only `P` and `recall` alone are not as there, but precision and recall of all
that was retrieved. `runid` and `relstring` are texts: `cranfield trec_eval` prints them.
"""


FINDINGS = """\
# Findings

This page is made from the rules by `python docs/generate.py`.

A finding says in a sentence what a number hides, why that matters and what to do. The option `--findings` of the
commands prints findings below the table; `cranfield.examine(result)` gives them in Python, for what `evaluate`,
`classify`, `regress`, `agree` and `compare` return and for bare evidence such as a confusion matrix. Nothing is said
where there is nothing to say.

- *serious*: the figure misleads as it stands;
- *caution*: the figure is to be read with care;
- *note*: the figure allows something that is easily missed.

Each rule speaks from certain limits on, which every finding prints; others may be chosen:
`cranfield.examine(result, limits={"extreme-prevalence": {"low": 0.05}})`. Of more than five findings of one rule,
the others are counted, and the systems they are of are named.
"""


def command_page() -> str:
    """What each command says with --help."""
    names = [command.name for command in app.registered_commands]
    helps = [("cranfield", ["--help"]), *((f"cranfield {name}", [str(name), "--help"]) for name in names)]
    return COMMANDS + "".join(f"\n## {title}\n\n```\n{_printed(arguments)}```\n" for title, arguments in helps)


def _printed(arguments: list[str]) -> str:
    os.environ["COLUMNS"] = "80"  # the width to which Typer fills lines
    written = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(written, encoding="utf-8")) as text:
        main(arguments)
        text.flush()
        return written.getvalue().decode()


def measure_page() -> str:
    """A card for each measure, by subject."""
    return MEASURES + "".join(_cards())


def _cards() -> Iterator[str]:
    for kind, title in KINDS.items():
        yield f"\n## {title}\n" if everything(kind) else ""
        for subject, members in subjects(kind).items():
            yield f"\n### {escaped(subject)}\n"
            for family in members:
                yield f"\n#### {escaped(family.name)}: {escaped(family.title)}\n\n"
                yield markdown(replace(card(family), title=""))


def findings_page() -> str:
    """When each rule speaks, why, and what to do."""
    return FINDINGS + catalogue()


PAGES = {"cli.md": command_page, "findings.md": findings_page, "measures.md": measure_page}


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
