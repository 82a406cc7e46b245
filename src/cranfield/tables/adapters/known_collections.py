"""Test collections by name or by layout: ids of ir_datasets (irds:…), and folders in BEIR's layout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cranfield.errors import BadInput, MissingExtra
from cranfield.tables.column_roles import Kind

if TYPE_CHECKING:
    from cranfield.tables.adapters.rows import RowChunk

_PREFIX = "irds:"
_PARTS: dict[Kind, tuple[str, str]] = {"qrels": ("qrels", "judgments"), "run": ("scoreddocs", "run")}


def is_dataset_id(path: str) -> bool:
    """Whether a path is the id of an ir_datasets collection, such as irds:beir/scifact/test."""
    return path.startswith(_PREFIX)


def dataset_rows(path: str, kind: Kind) -> RowChunk:
    """The judgments of an ir_datasets collection, or its run to rerank; ir_datasets downloads missing data."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtra(f"{path} needs ir_datasets: pip install ir-datasets") from None
    part, called = _PARTS[kind]
    try:
        dataset = ir_datasets.load(path.removeprefix(_PREFIX))
    except KeyError:
        raise BadInput(f"{path}: ir_datasets has no collection of this name; see its catalogue") from None
    if not getattr(dataset, f"has_{part}")():
        raise BadInput(f"{path}: this collection has no {called}; its parts may, such as {path}/test")
    from cranfield.tables.adapters.rows import items  # not needed for files

    return items(_downloaded(dataset, part, path), kind, path)


def _downloaded(dataset: Any, part: str, path: str) -> Iterator[Any]:
    """The rows of a part of a collection; a failed download is explained."""
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except (OSError, RuntimeError, SystemExit) as error:
        raise BadInput(
            f"{path}: ir_datasets has to download this collection and could not ({error or type(error).__name__}); "
            f"run `ir_datasets export {path.removeprefix(_PREFIX)} {part}` where there is a network"
        ) from None


def judgments_path(path: str) -> str:
    """The path of judgments; in a folder with BEIR's layout, qrels/test.tsv or the only file in qrels."""
    folder = os.path.join(path, "qrels")
    if not os.path.isdir(folder):
        return path
    splits = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    chosen = "test.tsv" if "test.tsv" in splits else splits[0] if len(splits) == 1 else None
    if chosen is None:
        raise BadInput(f"{path}: choose one of the judgments in {folder}: {', '.join(splits) or 'none found'}")
    return os.path.join(folder, chosen)


def texts_path(path: str, file: str) -> str:
    """The path of texts; in a folder with BEIR's layout, its file queries.jsonl or corpus.jsonl."""
    inside = os.path.join(path, file)
    return inside if os.path.isfile(inside) else path
