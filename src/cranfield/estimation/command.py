"""`cranfield estimate`: how good are systems, from a few human and many machine judgments?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import require_runs, taken
from cranfield.commands.output import Answer
from cranfield.commands.parameters import refuse_given
from cranfield.errors import BadSetting
from cranfield.rankings.inputs import evaluated

ESTIMATE_EXAMPLES = """
  cranfield estimate --human qrels.txt --machine llm.qrels *.run -m nDCG@10
  cranfield estimate --human qrels.txt --machine llm.qrels *.run -m AP -b bm25 --half-width 0.02
  cranfield estimate --human people.csv --machine llm.csv
  cranfield estimate --machine llm.qrels *.run -m P@10 --half-width 0.02 --choose -o judge.csv
  cranfield estimate --human people.qrels --machine llm.qrels *.run -m P@10 --documents --sample judge.csv
"""


@command(
    "estimate",
    o.OPTIONAL_RUNS, o.HUMAN, o.MACHINE, o.MEASURES, o.options_of("cranfield.estimation.estimate:estimate"),
    o.OVER_DOCUMENTS, o.SAMPLE, o.CHOOSE, o.SEED, *o.EVALUATION, *o.DELIVERY, examples=ESTIMATE_EXAMPLES,
)  # fmt: skip
def estimate_command(
    *,
    machine: str,
    documents: bool,
    choose: bool,
    human: str | None = None,
    runs: Sequence[str] = (),
    measures: Sequence[Any] = (),
    sample: str | None = None,
    seed: int = 0,
    **settings: Any,
) -> Answer:
    """Estimate means over all queries from human judgments of some queries and machine judgments of all.

    With runs, the two files are judgments; without runs, tables of values. With --documents, people judged a random
    sample of the documents instead of some queries; --choose draws this sample.
    """
    from cranfield.estimation.estimate import estimate

    verb_settings = taken(settings, ("baseline", "confidence", "half_width"))
    if documents or choose:
        files = {"human": human, "machine": machine, "runs": list(runs), "measures": [*measures] or None}
        refuse_given(("ties", "missing", "undefined", "depth"), "does not apply to estimates over documents")
        if not runs:
            raise BadSetting("estimates over documents need runs")
        return _chosen(files, seed, verb_settings) if choose else _over_documents(files, sample, verb_settings)
    refuse_given(("sample", "seed"), "requires --documents or --choose")
    if human is None:
        raise BadSetting("--human is missing: human judgments of some queries, or a table of values")
    if runs:
        people, judge = (evaluated(qrels, runs, measures, **settings) for qrels in (human, machine))
        return Answer(estimate(people, judge, **verb_settings))
    require_runs(("measures", *settings))
    return Answer(estimate(human, machine, **verb_settings))


def _over_documents(files: dict[str, Any], sample: str | None, verb_settings: dict[str, Any]) -> Answer:
    """The estimates over documents."""
    from cranfield.estimation.estimate import estimate_documents

    if files["human"] is None:
        raise BadSetting("--human is missing: human judgments of a random sample of the documents")
    return Answer(estimate_documents(**files, sample=sample, **verb_settings))


def _chosen(files: dict[str, Any], seed: int, verb_settings: dict[str, Any]) -> Answer:
    """The documents that people should judge."""
    from cranfield.estimation.estimate import plan_judging

    if verb_settings.get("half_width") is None:
        raise BadSetting("--choose needs the desired precision of the estimates: --half-width, such as 0.02")
    return Answer(plan_judging(**files, seed=seed, **verb_settings))
