"""`python -m cranfield`: the same as the command `cranfield`."""

from __future__ import annotations

import sys

from cranfield.commands.process import main

if __name__ == "__main__":
    sys.exit(main())
