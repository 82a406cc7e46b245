"""`make fuzz-native`: the targets of rankings on an extension that was built with sanitizers.

The first argument is the extension, the others are those of `make fuzz`; without any, all targets of rankings run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import extension_file
from fuzz.__main__ import main
from fuzz.target import every_target

RANKINGS = ("changes", "engines", "rankings", "routes", "diversity", "judgment_groups", "damaged_files")


if __name__ == "__main__":
    os.environ[extension_file.VARIABLE] = str(Path(sys.argv[1]).resolve())  # for commands in other processes too
    extension_file.use()
    about = [name for name, each in every_target().items() if each.check.__module__.rpartition(".")[2] in RANKINGS]
    sys.exit(main(sys.argv[2:] or about))
