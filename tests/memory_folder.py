"""A file system in memory, where a database does not wait for a disk."""

from __future__ import annotations

import os
import shutil


def folder_in_memory() -> str | None:
    """Its folder, if there is one with room: the tests make hundreds of databases of up to 8 MB and delete them."""
    memory = "/dev/shm"
    return memory if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 << 30 else None
