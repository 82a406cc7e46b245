"""Exit statuses of the commands, and what each means."""

from __future__ import annotations

SUCCESS, FAILED, USAGE, FAULT, NOT_PASSED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 4, 130, 141

MEANING = {
    SUCCESS: "success",
    FAILED: "a file cannot be used, whatever is wrong with its content, or the output cannot be written",
    USAGE: "usage error on the command line: an unknown option or measure, a setting out of range",
    FAULT: "a bug in cranfield (CRANFIELD_DEBUG=1 shows where)",
    NOT_PASSED: "a release gate was not passed (cranfield check)",
    INTERRUPTED: "interrupted",
    PIPE_CLOSED: "the output pipe was closed, for example by | head",
}
