"""trec_eval itself: pytrec_eval carries the whole of it, and lets out less than that.

What it does not let out is called here, in a copy of the library that it is built into.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_long, c_void_p
from pathlib import Path

import pytest


class Options(Structure):
    """What the command line sets."""

    _fields_ = [
        *((name, c_long) for name in ("per_query", "summary", "debug")),
        ("debug_query", c_char_p),
        *((name, c_long) for name in ("relational", "complete", "judged_only", "n_documents", "level", "depth")),
        *((name, c_char_p) for name in ("judgments_format", "results_format")),
        ("z_scores", c_long),
        ("arguments", c_void_p),
    ]


class Value(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class Values(Structure):
    _fields_ = [
        *(("query", c_char_p), ("n_queries", c_long), ("values", POINTER(Value))),
        *(("n_values", c_long), ("room", c_long)),
    ]


class Results(Structure):
    """The ranking of a query."""

    _fields_ = [(name, c_char_p) for name in ("query", "run", "format")] + [("content", c_void_p)]


class Rankings(Structure):
    _fields_ = [("n", c_long), ("room", c_long), ("each", POINTER(Results))]


class Judged(Structure):
    """The judgments of a query."""

    _fields_ = [("query", c_char_p), ("format", c_char_p), ("content", c_void_p)]


class Judgments(Structure):
    _fields_ = [("n", c_long), ("room", c_long), ("each", POINTER(Judged))]


class Measure(Structure):
    _fields_ = [
        *(("name", c_char_p), ("explanation", c_char_p), ("begin", c_void_p)),
        ("calculate", CFUNCTYPE(c_int, POINTER(Options), POINTER(Judged), POINTER(Results), c_void_p, POINTER(Values))),
        *((name, c_void_p) for name in ("accumulate", "average", "print_query", "print_all", "parameters")),
        ("index", c_long),
    ]


def library(folder: Path) -> ctypes.PyDLL:
    """A copy of the library, if it has what is needed; a copy, as trec_eval keeps what it was asked."""
    module = importlib.util.find_spec("pytrec_eval_ext")
    if module is None or module.origin is None:
        pytest.skip("pytrec_eval is not built into a library here")
    loaded = ctypes.PyDLL(shutil.copy(module.origin, folder))
    if not hasattr(loaded, "te_get_prefs"):
        pytest.skip("pytrec_eval does not show the trec_eval in it here")
    return loaded


def calculated(
    folder: Path, form: str, judgments: str, run: str, measures: dict[str, int]
) -> dict[str, dict[str, list[float]]]:
    """So many values of each measure for each query, given the texts of the two files."""
    trec_eval = library(folder)
    folder.joinpath("judgments").write_text(judgments)
    folder.joinpath("run").write_text(run)
    options = Options(summary=1, level=1, depth=1 << 60, judgments_format=form.encode(), results_format=b"trec_results")
    judged, rankings = Judgments(), Rankings()
    read = getattr(trec_eval, f"te_get_{form}")
    assert read(byref(options), str(folder / "judgments").encode(), byref(judged)) == 1
    assert trec_eval.te_get_trec_results(byref(options), str(folder / "run").encode(), byref(rankings)) == 1
    results = {rankings.each[place].query: rankings.each[place] for place in range(rankings.n)}
    found: dict[str, dict[str, list[float]]] = {}
    for place in range(judged.n):
        own = judged.each[place]
        found[own.query.decode()] = {
            name: _values(trec_eval, options, own, results[own.query], name, n_values)
            for name, n_values in measures.items()
        }
    return found


def _values(
    trec_eval: ctypes.PyDLL, options: Options, judged: Judged, results: Results, name: str, n_values: int
) -> list[float]:
    measure = Measure.in_dll(trec_eval, f"te_meas_{name}")
    measure.index = 0
    room = (Value * n_values)()
    values = Values(judged.query, 0, room, n_values, n_values)
    done = measure.calculate(byref(options), byref(judged), byref(results), ctypes.addressof(measure), byref(values))
    assert done == 1, f"trec_eval cannot calculate {name}"
    return [value.value for value in room]
