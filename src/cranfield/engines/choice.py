"""The choice of engine: the requested one, or the fastest available.

Decided here: which engine counts.
"""

from __future__ import annotations

from collections.abc import Iterable

from cranfield.engines import local, native
from cranfield.engines.protocol import Engine, EngineName
from cranfield.errors import BadSetting
from cranfield.tables.adapters.spark_inputs import is_spark_run
from cranfield.tables.rankings import RunSource


def engine(name: EngineName = "auto", runs: Iterable[RunSource] = ()) -> Engine:
    """The engine of this name; `"auto"` is Spark if a run is stored there, otherwise the fastest one installed."""
    if name == "spark" or (name == "auto" and any(is_spark_run(run) for run in runs)):
        from cranfield.engines import spark  # rarely needed

        return spark
    if name == "local" or (name == "auto" and not native.is_built()):
        return local
    if not native.is_built():
        raise BadSetting(
            "the engine 'native' was not built, or was built for another version of cranfield; "
            "install a C compiler and reinstall cranfield, or use engine='local'"
        )
    return native
