"""The printed lines of each measure: values, aggregates, and z-scores relative to other runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cranfield.arrays import Floats
from cranfield.frozen import frozen
from cranfield.measures.registry import LEAST, declared_as
from cranfield.trec_eval.columns import Column
from cranfield.trec_eval.files import Means
from cranfield.trec_eval.options import Options
from cranfield.trec_eval.output import Line
from cranfield.trec_eval.topics import Topics

_NO_MEAN = -1000000.0
# set to 0 for missing topics, but only without parameters
_CLEARED = (b"num_ret", b"utility", b"rbp_resid", b"relstring")


@frozen
class Setting:
    """The inputs of the printed lines besides the topics: the options, and totals over all judged topics."""

    options: Options
    run_name: bytes
    n_judged: int  # topics that have judgments
    n_relevant: int  # documents graded above 0 in all of them
    means: Means | None  # of other runs


def lines(columns: Sequence[Column], topics: Topics, setting: Setting) -> list[Line]:
    """The lines of all measures, in order."""
    return [_line(column, topics, setting) for column in columns]


def _line(column: Column, topics: Topics, setting: Setting) -> Line:
    if column.listed.name == "runid":
        return Line(column.name, total=setting.run_name)
    if column.listed.name == "relstring":
        return Line(column.name, _strings(column, topics) if setting.options.per_query else ())
    prefix, whole = (b"", column.listed.whole) if setting.means is None else (b"Z", False)
    if column.listed.name == "num_q":
        return Line(column.name, (), float(_n_averaged(topics, setting)), whole, prefix)
    values = column.values(topics)
    if column.name in _CLEARED or column.listed.name == "unj":
        values = np.where(topics.judged_ranks.answered, values, 0)
    if setting.means is not None:
        values = _deviations(column.name, values, topics.judged.queries.tolist(), setting.means)
    total = _total(column, values, _n_averaged(topics, setting), setting)
    return Line(column.name, () if column.listed.summary_only else values.tolist(), total, whole, prefix)


def _n_averaged(topics: Topics, setting: Setting) -> int:
    return setting.n_judged if setting.options.complete else len(topics)


def _total(column: Column, values: Floats, n_averaged: int, setting: Setting) -> float:
    """The aggregate of the values, added up in the order of the topics."""
    if column.listed.name == "num_rel" and setting.options.complete:
        return float(setting.n_relevant)
    total = float(np.cumsum(np.append(0.0, values))[-1])
    how = declared_as(column.listed.declared).aggregate
    if how == "geometric":
        return float(np.exp((total + (n_averaged - len(values)) * np.log(LEAST)) / n_averaged))
    return total if how == "sum" else total / n_averaged


def _deviations(name: bytes, values: Floats, topics: Sequence[bytes], means: Means) -> Floats:
    """The z-scores of the values relative to other runs."""
    known = np.array([(topic, name) in means for topic in topics])
    mean, deviation = np.array([means.get((topic, name), (0, 0)) for topic in topics], np.float64).T
    same = np.where(values == mean, 0, _NO_MEAN)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(known, np.where(deviation != 0, (values - mean) / deviation, same), _NO_MEAN)


def _strings(column: Column, topics: Topics) -> list[bytes]:
    """The grades of the first documents of each ranking, one character each, in quotes."""
    hits, strings = topics.hits, []
    for topic, length in enumerate(np.minimum(hits.n_retrieved, column.length)):
        string = bytearray(b"-" * length)
        for row in range(hits.bounds[topic], hits.bounds[topic + 1]):
            if hits.rank[row] <= length:
                string[hits.rank[row] - 1 : hits.rank[row]] = _character(hits.grade[row])
        cleared = column.name in _CLEARED and not topics.judged_ranks.answered[topic]
        strings.append(b"''" if cleared else b"'%s'" % string)
    return strings


def _character(grade: float) -> bytes:
    if grade < 0:
        return b"."
    return b"%d" % grade if grade <= 9 else b">"
