"""The versions of trec_eval that can be emulated, and how they differ."""

from __future__ import annotations

from functools import cache

from cranfield.engines.protocol import Precision
from cranfield.frozen import frozen
from cranfield.measures.ranking import Rounding
from cranfield.measures.trec_names import TABLE


@frozen
class Version:
    """How a version of trec_eval differs from others."""

    shown: str  # what -v prints
    precision: Precision  # precision in which scores are compared
    rounding: Rounding  # rounding of a recall level to a number of documents
    newer: bool  # 10: five more measures, comments, standard input, and no judged topic may be missing


VERSIONS = {
    "10.0": Version("10.0-rc3", "double", "trec10", True),
    "9.0.8": Version("9.0.8", "double", "trec9", False),
    "pytrec_eval": Version("9.0.7", "single", "trec9", False),
}


@cache
def names(version: Version) -> frozenset[str]:
    """The measures of a version."""
    return frozenset(listed.name for listed in TABLE if version.newer or not listed.new)
