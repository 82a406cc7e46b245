"""`cranfield demo`: a complete experiment on data that are already installed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import textwrap
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from cranfield.campaign.commands import PORT, SERVE
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import quiet
from cranfield.commands.output import show, write
from cranfield.commands.parameters import imported, option
from cranfield.commands.progress import working

if TYPE_CHECKING:
    from cranfield.demo.experiments import Classifiers, Rankings
    from cranfield.reporting.page import Report

DEMO_EXAMPLES = """
  cranfield demo
  cranfield demo --serve
  cranfield demo --label
  cranfield demo --folder first-experiment
"""
NEXT = """
cranfield compare {0}/qrels.txt {0}/*.run -m nDCG@10 --baseline bm25
cranfield eval {0}/qrels.txt {0}/*.run -m nDCG@10 -m "nDCG(gain='exp2')@10" --bounds
cranfield plan {0}/qrels.txt {0}/*.run -m nDCG@10
cranfield classify {0}/breast-cancer.csv --actual actual --probability logistic --positive malignant
cranfield plot calibration {0}/breast-cancer.csv --actual actual --probability bayes --positive malignant
cranfield demo --serve --folder {0}    # judge the same collection in the browser
cranfield advise                       # which measure to use
"""
CAMPAIGN = "campaign"  # folder of the served benchmark
WIDEST = 100  # maximum line width
LABELS = "labels"  # folder of the labels by a model
LABEL = option(
    "--label", is_flag=True,
    help="Instead, have a small embedding model label the pool of the same collection, and audit its labels.",
)  # fmt: skip
FINDINGS = 3  # findings per report, one per rule


@command("demo", partial(o.FOLDER, default="cranfield-demo"), SERVE, PORT, LABEL, examples=DEMO_EXAMPLES)
def demo_command(*, folder: str, serve: bool, port: int, label: bool) -> None:
    """Run a complete experiment with search engines and classifiers on data that are already installed.

    Retrieval models rank the docstrings of Python's standard library, and three classifiers are trained on data sets
    of scikit-learn; both are evaluated, compared and reported. No network is needed. --serve opens a campaign on the
    same collection in the browser, with judging under way. --label has a small embedding model label the pool, and
    audits its labels.
    """
    if label:
        _label(folder)
        return
    if serve:
        _serve(folder, port)
        return
    from cranfield.demo import experiments
    from cranfield.demo.classifiers import DATA, FOLDS
    from cranfield.demo.written_files import clear_record, require_own, save_files

    experiments.require_extra()
    require_own(folder, beside=[CAMPAIGN, LABELS])
    _heading(f"Search: the standard library of Python {platform.python_version()}")
    with working(quiet()):
        rankings = experiments.rankings()
    _tell_rankings(rankings)
    save_files(folder, rankings.files())
    for name in DATA:
        _heading(f"Classification: {name}, {FOLDS}-fold cross-validation")
        with working(quiet()):
            classified = experiments.classification(name)
        _tell_classifiers(classified)
        save_files(folder, classified.files())
    clear_record(folder)
    _heading("Written")
    _say("Open these pages in a browser:")
    write("".join(f"{folder}/{name}.html\n" for name in ("report", *DATA)) + "\n", None)
    _heading("What to try next")
    write(activation() + NEXT.format(folder).lstrip(), None)


def activation() -> str:
    """The command that puts cranfield on the PATH, if it is in a virtual environment that is not active."""
    script = os.path.join(sys.prefix, "bin", "activate")
    if shutil.which("cranfield") or not os.path.exists(script):
        return ""
    return f"source {os.path.relpath(script)}    # puts cranfield on the PATH\n"


def _serve(folder: str, port: int) -> None:
    """Serve the benchmark from its own folder, which is reused by later starts."""
    from cranfield.campaign.commands import serve_campaigns

    campaign, prepare = os.path.join(folder, CAMPAIGN), "cranfield.demo.served_campaign:prepare_once"
    serve_campaigns(campaign, host="127.0.0.1", port=port, prepare=lambda store: imported(prepare)(store))


def _label(folder: str) -> None:
    """Label the pool with a small model, and audit the labels."""
    from cranfield.demo import experiments

    experiments.require_extra()
    with working(quiet()):
        made = imported("cranfield.demo.embedding_judge:labelled")(os.path.join(folder, LABELS))
    _say(made.labels.answer)
    _say(made.audit.answer)
    _say("Open this page in a browser:")
    write(f"{made.page}\n", None)


def _tell_rankings(rankings: Rankings) -> None:
    data = rankings.collection
    _say(
        f"{len(data.documents):,} docstrings, {len(data.queries)} topics, {data.n_judgments:,} judgments with grades "
        f"from 0 to 3. {left_out(data.n_left_out)}"
    )
    _say(
        f"Five models rank them: words (bm25, tfidf), letter n-grams (characters), word embeddings (dense), and "
        f"reciprocal-rank fusion of these four. Their top ten documents for each topic form a pool of "
        f"{rankings.n_pooled:,}; {rankings.n_unjudged} of these are unjudged."
    )
    from cranfield.text import percent

    agreed, kappa, alpha = (row.value for row in rankings.agreement.rows)
    _say(
        f"Every document of the pool was judged twice, independently: the passes agree on {percent(agreed)} of the "
        f"grades (Kappa {kappa:.2f}, ordinal Alpha {alpha:.2f}); disagreements were adjudicated."
    )
    _tell_report(rankings.report)


def left_out(n_judgments: int) -> str:
    """A sentence on the number of judgments for names without a docstring in the running Python."""
    from cranfield.text import count

    if not n_judgments:
        return "Every judged name is documented in this Python."
    return f"Left out because this Python does not document the names: {count(n_judgments, 'judgment')}."


def _tell_classifiers(classified: Classifiers) -> None:
    items, classes = len(classified.predicted.actual), len(classified.predicted.labels)
    _say(f"{items:,} items of {classes} classes; every item is predicted by a model that was not trained on it.")
    _tell_report(classified.report)
    apart = [f"{row.system} and {row.baseline}" for row in classified.folds.rows if row.significant]
    differ = f"significant differences in accuracy ({'; '.join(apart)})" if apart else "no significant difference"
    _say(
        "McNemar's test takes the trained models as given. The corrected resampled t-test over folds (level 0.05, "
        f"Holm) also takes the variation between training sets into account; it finds {differ}."
    )


def _tell_report(report: Report) -> None:
    from dataclasses import replace

    show([replace(report.content.board, title="")], "table", None, "")
    write("\n", None)
    _say(" ".join(report.content.lead))
    _say("Findings:")
    first: dict[str, str] = {}
    for finding in report.content.findings:
        first.setdefault(finding.rule, finding.sentence)
    _bullets(list(first.values())[:FINDINGS])


def _bullets(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        write(textwrap.fill(sentence, _width(), initial_indent="- ", subsequent_indent="  ") + "\n", None)
    write("\n", None)


def _heading(text: str) -> None:
    write(f"{text}\n{'=' * len(text)}\n\n", None)


def _say(text: str) -> None:
    write(textwrap.fill(text, _width()) + "\n\n", None)


def _width() -> int:
    """The line width, limited to that of the terminal."""
    return min(WIDEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDEST
