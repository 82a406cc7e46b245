"""What do the figures hide?"""

from __future__ import annotations

from typing import Any

from cranfield.examination.evidence import Limits, findings_in
from cranfield.present.findings.rules import Findings
from cranfield.results.provenance import NOTHING_READ
from cranfield.results.verb_result import VerbResult


def examine(*things: Any, limits: Limits | None = None) -> Findings:
    """Findings about what the figures hide, in plain sentences: most serious first, causes before consequences.

    Parameters
    ----------
    things
        Results of other functions, or bare evidence: a confusion matrix, the counts of a binary decision, the scores
        of positives and negatives. The systems of a result are compared with each other unless a comparison is given:
        with the default test and correction of `compare`.
    limits
        Limits of rules that replace the defaults:
        `{"extreme-prevalence": {"low": 0.05}}`.

    Returns
    -------
    Findings
        A sequence of findings; empty if no rule applies.

    Examples
    --------
    >>> from cranfield.evidence.cells import cells
    >>> for finding in examine(cells(tp=20, fp=180, fn=10, tn=1820)):
    ...     print(finding.severity, finding.rule)
    serious accuracy-below-constant
    serious low-precision
    caution extreme-prevalence
    note rule-out
    """
    provenance = next((thing.provenance for thing in things if isinstance(thing, VerbResult)), NOTHING_READ)
    return Findings(findings_in(*things, limits=limits), provenance)
