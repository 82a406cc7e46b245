"""The references stand on their own: no step that they share with the code can hide a mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODULES = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith(("_", "test_")))


def test_they_cover_what_is_computed() -> None:
    assert {"rankings", "labels", "label_sets", "scores", "probabilities", "paired", "agreement"} <= {*MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_a_reference_imports_only_the_standard_library_and_other_references(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(HERE.parent)!r}); import reference.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    plain = subprocess.run([sys.executable, "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True)
    started = {name.partition(".")[0] for name in plain.stdout.split()}  # what the environment loads by itself
    assert loaded - started - {*sys.stdlib_module_names} <= {"reference", "oracles", "kernel"}
