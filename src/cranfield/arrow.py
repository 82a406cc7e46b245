"""PyArrow, imported when it is first used: that takes longer than evaluating a small run, and TREC text needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["pa"]

if TYPE_CHECKING:
    import pyarrow as pa
else:

    class _OnDemand:
        def __getattr__(self, name: str) -> Any:
            import pyarrow

            return getattr(pyarrow, name)

    pa = _OnDemand()
