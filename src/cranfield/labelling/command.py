"""`cranfield label`: labels by a language model: grades of documents, preferences, nuggets, support of citations."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import quiet
from cranfield.commands.output import show, write
from cranfield.commands.parameters import OneOf, flag, imported, is_given, option
from cranfield.commands.progress import progress_shown
from cranfield.errors import BadSetting
from cranfield.present.table import listed
from cranfield.tables.label_journals import journal_of

LABEL_EXAMPLES = """
  cranfield label *.run --topics topics.tsv --documents docs.jsonl --endpoint URL --model NAME --dry-run
  cranfield label *.run --topics topics.tsv --documents docs.jsonl --endpoint URL --model NAME -o llm.qrels
  cranfield label *.run --topics topics.tsv --documents docs/ … --qrels people.qrels --judged --repeats 3 -o llm.qrels
  cranfield label *.run --topics topics.tsv --documents docs/ … --price 0.5,1.5 --budget 20 -o llm.qrels
  cranfield label *.run --topics topics.tsv --documents docs/ … --task nuggets --answers answers.jsonl -o nuggets.csv
"""
LABEL_VERB = "cranfield.labelling.label:label"
NAMES = ("grades", "preferences", "nuggets", "citations")
TASKS = {name: f"cranfield.labelling.tasks:label_{name}" for name in NAMES[1:]}
# fmt: off
TASK = option(
    "--task", type=OneOf("cranfield.labelling.command:NAMES"), default="grades",
    help="Grades of documents; preferences between documents, in both orders; nuggets of answers: made from documents, "
    "merged and assigned; or the support of citations in answers.")
TOPICS = option(
    "--topics", type=o.FILE, required=True, metavar="FILE", help="Topics: INEX or TREC topics, JSON Lines, CSV or TSV.")
DOCUMENTS = option(
    "--documents", type=o.FILE, required=True, metavar="FILE",
    help="Documents: TREC documents, INEX articles, JSON Lines, CSV, or a folder of text or HTML files.")
ENDPOINT = option(
    "--endpoint", required=True, metavar="URL", help="An OpenAI-compatible endpoint, as in http://127.0.0.1:8080/v1.")
MODEL = option("--model", required=True, metavar="NAME", help="Name of the model at the endpoint.")
ANSWERS = option(
    "--answers", type=o.FILE, multiple=True, metavar="FILE",
    help="Answers of systems, one per line as JSON: query, system and answer, which is a text or a list of sentences "
    "with text and citations. For --task nuggets and citations.")
QRELS = option(
    "judgments", "--qrels", type=o.FILE, metavar="QRELS",
    help="Judgments by people; these documents are left out unless --judged.")
SCALE = option(
    "--scale", type=o.FILE, metavar="FILE", show_default="that of the prompt",
    help="The grades, one per line, such as '0 Not relevant', and optionally 'relevant from 1'.")
GUIDELINES = option(
    "--guidelines", type=o.FILE, metavar="FILE", help="Guidelines for assessors, which the prompt shows.")
PRICE = option(
    "--price", type=o.NUMBERS, metavar="IN,OUT", help="Cost of a million tokens sent and a million received.")
DRY_RUN = option(
    "--dry-run", is_flag=True, help="Ask nothing: count the calls, estimate the tokens, and show one prompt.")
WRITTEN = option(
    "-o", "--output", metavar="FILE",
    help="Write the labels: grades as qrels, others as CSV. A journal of all answers is kept beside them (FILE.jsonl).")
# fmt: on


@command(
    "label",
    o.RUNS, TASK, TOPICS, DOCUMENTS, ANSWERS, QRELS, ENDPOINT, MODEL, o.options_of(LABEL_VERB), SCALE, GUIDELINES,
    PRICE, DRY_RUN, WRITTEN, examples=LABEL_EXAMPLES,
)  # fmt: skip
def label_command(
    runs: Sequence[str],
    *,
    task: str,
    price: Sequence[float] | None = None,
    output: str | None = None,
    dry_run: bool = False,
    **settings: Any,
) -> None:
    """Label retrieved documents, or answers, with a language model.

    Asks an endpoint with OpenAI's chat completions protocol about each retrieved document that nobody has judged, best
    ranks first. Every answer is kept in a journal beside the labels: the same command resumes, and never asks twice.
    """
    if output is None and not dry_run:
        raise BadSetting("--output is missing: the file of the labels, such as llm.qrels; or try --dry-run")
    settings |= {"output": output, "price": price_of(price), "runs": list(runs)}
    with progress_shown(1, quiet()) as advance:
        settings["progress"] = None if advance is None else lambda done, n_all: advance("labels", done, n_all)
        result = _grades(dry_run, **settings) if task == "grades" else _others(task, dry_run, settings)
    write(f"{result.answer}\n", None)
    if dry_run:
        write(f"\n{result.prompt}\n", None)
    elif task == "grades" and len(result.labels):
        show([listed(result.grades, digits=2)], "table", None, "")
    for note in result.notes:
        write(f"- {note}\n", None)
    if not dry_run:
        write(f"\nLabels: {output}   Answers: {journal_of(str(output))}\n", None)


def price_of(numbers: Sequence[float] | None) -> tuple[float, float] | None:
    """The price of tokens sent and received."""
    if numbers is None:
        return None
    if len(numbers) != 2:
        raise BadSetting("--price takes two numbers: the cost of a million tokens sent, and of a million received")
    return numbers[0], numbers[1]


def _grades(
    dry_run: bool,
    *,
    guidelines: str | None = None,
    answers: Sequence[str] = (),
    judgments: str | None = None,
    **settings: Any,
) -> Any:
    if answers:
        raise BadSetting("--answers requires --task nuggets or --task citations")
    if guidelines is not None:
        with open(guidelines, encoding="utf-8") as file:
            settings["guidelines"] = file.read().strip()
    return imported(LABEL_VERB)(dry_run=dry_run, qrels=judgments, **settings)


def _others(task: str, dry_run: bool, settings: dict[str, Any]) -> Any:
    """The labels of another task; options of grades are refused."""
    verb = imported(TASKS[task])
    if dry_run:
        raise BadSetting("--dry-run requires --task grades")
    if task != "preferences" and "answers" not in settings:
        raise BadSetting(f"--task {task} needs --answers: the answers of systems")
    taken = {name: value for name, value in settings.items() if name in signature(verb).parameters}
    for name in settings.keys() - taken.keys() - {"runs", "topics"}:
        if is_given(name):
            raise BadSetting(f"{flag(name)} cannot be combined with --task {task}")
    return verb(**{name: value for name, value in taken.items() if name != "depth" or is_given(name)})
