"""Options that add results to a store of releases."""

from __future__ import annotations

from cranfield.commands.parameters import InputFile, option

RECORD = option(
    "--record", type=InputFile(), metavar="STORE",
    help="Add the runs to this store of releases, which cranfield history shows; it is made if there is none.",
)  # fmt: skip
RELEASE = option(
    "--release", metavar="NAME", show_default="the tag or the commit of the working folder",
    help="With --record: the name of the release.",
)  # fmt: skip
KEEP_FILES = option(
    "--keep-files", is_flag=True,
    help="With --record: copy the runs and judgments into the store, so that old releases can be evaluated with new "
    "judgments.",
)  # fmt: skip
RECORDING = (RECORD, RELEASE, KEEP_FILES)
