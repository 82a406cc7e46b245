"""`make fuzz-native`: the targets of rankings on an extension that was built with sanitizers.

The first argument is the extension, the others are those of `make fuzz`; without any, all targets of rankings run.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys

import cranfield
from fuzz.__main__ import main
from fuzz.target import every_target

RANKINGS = ("engines", "rankings", "routes", "diversity", "judgment_groups", "damaged_files")


def use(path: str) -> None:
    """Load the extension in place of the installed one."""
    name = "cranfield._native"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    cranfield._native = sys.modules[name] = importlib.util.module_from_spec(spec)  # type: ignore[attr-defined]


if __name__ == "__main__":
    use(sys.argv[1])
    about = [name for name, each in every_target().items() if each.check.__module__.rpartition(".")[2] in RANKINGS]
    sys.exit(main(sys.argv[2:] or about))
