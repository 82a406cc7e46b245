"""Points of precision against recall, as the verb returns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.curves.precision_recall import PrecisionRecall
from cranfield.frozen import frozen
from cranfield.results.provenance import NOTHING_READ, Provenance
from cranfield.results.verb_result import Records, VerbResult
from cranfield.results.writing import decoded

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("system", "query", "rank", "recall", "precision")


@frozen(eq=False)
class PrecisionRecallCurves(VerbResult):
    """The curve of each system: points of recall and precision, of one query each or averaged over queries."""

    kind = "precision-recall"

    curves: dict[str, PrecisionRecall]
    queries: Sequence[str]
    provenance: Provenance = NOTHING_READ

    def table(self, *_: Any) -> pa.Table:
        """One row per point; null where an average has no query or rank, or a figure is undefined."""
        import pyarrow as pa

        return pa.concat_tables([self._points(decoded(system), curve) for system, curve in self.curves.items()])

    def __getitem__(self, column: str) -> Any:
        """One column of the points: system, query, rank, recall or precision."""
        return self.table()[column]

    def records(self) -> Records:
        """One row per point."""
        return {"points": self.table().to_pylist()}

    def _points(self, system: str, curve: PrecisionRecall) -> pa.Table:
        import pyarrow as pa

        queries = [decoded(self.queries[unit]) if unit >= 0 else None for unit in curve.unit]
        columns = {
            "system": pa.array([system] * len(curve), pa.string()),
            "query": pa.array(queries, pa.string()),
            "rank": pa.array([rank or None for rank in curve.rank.tolist()], pa.int64()),
            "recall": pa.array(curve.recall, mask=np.isnan(curve.recall)),
            "precision": pa.array(curve.precision, mask=np.isnan(curve.precision)),
        }
        return pa.table(columns)
