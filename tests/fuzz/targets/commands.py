"""The commands print what the library computes, and what trec_eval would."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import tempfile
from pathlib import Path

from cranfield.cli.main import main
from fuzz.target import assume, target
from fuzz.targets.rankings import TREC_EVAL, evaluated, single
from generators.rankings import Collection, collections, text_collections
from reference import rankings as reference
from trec_eval.running import run as trec_eval

SHOWN = ("AP", "nDCG@10", "RR", "P@5", "Bpref", "NumRet")


def files(folder: str, case: Collection) -> tuple[str, str]:
    """The collection as two TREC files."""
    qrels, run = Path(folder, "judged.qrels"), Path(folder, "system.run")
    qrels.write_bytes(case.qrels_file())
    run.write_bytes(case.run_file())
    return str(qrels), str(run)


@target(text_collections, seeds=10)
def the_command_prints_what_the_library_computes(case: Collection) -> None:
    """`cranfield eval -q -f json`, to the last digit."""
    assume(case.is_valid and case.is_text)
    result = evaluated(case, list(SHOWN))
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            asked = [word for measure in SHOWN for word in ("-m", measure)]
            status = main(["eval", *files(folder, case), *asked, "-q", "-f", "json"])
    assert not status, said.getvalue()
    printed = json.loads(out.getvalue())
    found = {(row["query"], row["measure"]): row["value"] for row in printed["queries"]}
    assert found == {
        (query, measure): None if math.isnan(value) else value
        for measure in SHOWN
        for query, value in result.per_query(measure).items()
    }
    assert {row["measure"]: row["value"] for row in printed["results"]} == {name: result[name] for name in SHOWN}


@target(collections, seeds=30)
def trec_eval_is_printed_as_the_reference_says(case: Collection) -> None:
    """`cranfield trec_eval -q -c`: the queries of both files, then all of them together, to four decimals."""
    case = single(case)
    assume(case.is_valid and all(grade >= 0 for _, _, grade in case.qrels))
    wanted = reference.evaluate(case.qrels_file(), case.run_file())
    with tempfile.TemporaryDirectory() as folder:
        asked = [word for name in TREC_EVAL for word in ("-m", re.sub(r"_(\d)", r".\1", name))]
        ended = trec_eval("-q", "-c", *asked, *files(folder, case))
    assert ended.status == 0, ended.said
    lines = [line.split("\t") for line in ended.out.split("\n")[:-1]]
    printed = {(name.strip(), query): value for name, query, value in lines}
    for name, measure in TREC_EVAL.items():
        values = wanted.values[measure] | {b"all": wanted.mean(measure)}
        for query in [*wanted.answered & set(wanted.rankings), b"all"]:
            known = 0.0 if math.isnan(values[query]) else values[query]
            text = f"{known:.0f}" if name.startswith("num") else f"{known:.4f}"
            found = printed[name, query.decode("utf-8", "surrogateescape")]
            assert found == text or abs(float(found) - known) < 0.5000001e-4, (
                f"{name} of {query!r}: {found}, not {text}"
            )
