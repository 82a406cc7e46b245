"""Results are saved and loaded bit for bit; nothing else is ever made by loading a file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput
from cranfield.results import storage
from laws.verb_calls import called, result_of


@called
def test_it_is_saved_and_loaded_bit_for_bit(name: str, tmp_path: Path) -> None:
    result = result_of(name)
    for place in ("first", "again"):
        result.save(tmp_path / place)
    same = cranfield.load(tmp_path / "first")
    same.save(tmp_path / "second")
    assert type(same) is type(result)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "again").read_bytes() == (tmp_path / "second").read_bytes()
    assert str(same) == str(result)
    assert same.to_json() == result.to_json()
    assert same.to_csv() == result.to_csv()
    assert same.findings().to_json() == result.findings().to_json()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    result_of("evaluate").save(tmp_path / "result")
    return tmp_path / "result"


def test_a_newer_format_is_refused_by_its_number(saved: Path) -> None:
    rewrite(saved, lambda content: {**content, "format": storage.FORMAT + 1})
    with pytest.raises(BadInput, match=rf"format {storage.FORMAT + 1} .* reads format {storage.FORMAT}"):
        cranfield.load(saved)


def test_a_result_saved_before_a_field_with_a_default_was_added_loads(saved: Path) -> None:
    rewrite(saved, lambda content: without(content, "bounded"))
    assert cranfield.load(saved).to_json() == result_of("evaluate").to_json()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: without(content, "values"), "missing a required argument: 'values'"),
        (lambda content: content["result"]["fields"].update(later=1) or content, "unexpected keyword argument 'later'"),
    ],
)
def test_a_result_with_other_fields_is_refused_with_its_version(change: Any, reason: str, saved: Path) -> None:
    rewrite(saved, change)
    expected = rf"by cranfield '.*', where a Result had different fields \(.*{reason}.*compute it"
    with pytest.raises(BadInput, match=expected):
        cranfield.load(saved)


def without(content: dict[str, Any], field: str) -> dict[str, Any]:
    del content["result"]["fields"][field]
    return content


def test_the_fields_that_files_must_have_change_only_with_the_number_of_the_format(golden: Any) -> None:
    fields = json.dumps({"fields": required_fields(), "format": storage.FORMAT}, indent=1)
    golden("saved_fields.json", f"{fields}\n")  # to change them: a default for the new field, or another FORMAT


def required_fields() -> dict[str, list[str]]:
    """The fields without a default of every class that can be saved."""
    return {
        name: [field.name for field in signature(saved_class(name)).parameters.values() if field.default is field.empty]
        for name in sorted(storage._CLASSES)
    }


def saved_class(name: str) -> Any:
    return getattr(import_module(f"cranfield.{storage._CLASSES[name]}"), name)


@pytest.mark.parametrize(
    "result",
    [
        {"$class": "Path", "fields": {}},
        {"$class": "Result", "fields": {}},
        {"$class": "Origin", "fields": {"role": "a", "name": "b", "form": "c"}},
        {"$array": 99, "scalar": False},
        {"$init__": 1},
        {"$archive": 1},
        {"$_class__": 1},
        {"$measure": "AP", "kind": "nothing"},
        [1],
        None,
        {},
        3,
    ],
)
def test_no_other_class_and_no_other_content_is_made(result: Any, saved: Path) -> None:
    rewrite(saved, lambda content: {**content, "result": result})
    with pytest.raises(BadInput, match="result"):
        cranfield.load(saved)


def rewrite(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """The same archive with another document."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries["result.json"] = json.dumps(change(json.loads(entries["result.json"]))).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


@pytest.mark.parametrize("kept", [0, 10, 0.5, 0.99])
def test_a_file_that_was_cut_is_refused(kept: float, saved: Path) -> None:
    data = saved.read_bytes()
    saved.write_bytes(data[: kept if isinstance(kept, int) else int(len(data) * kept)])
    with pytest.raises(BadInput, match="damaged"):
        cranfield.load(saved)


def test_a_file_with_a_changed_byte_is_the_same_or_refused(tmp_path: Path) -> None:
    result, saved = cranfield.evaluate({"q": {"a": 1}}, {"q": {"a": 1.5}}, "AP"), tmp_path / "result"
    result.save(saved)
    data, whole = saved.read_bytes(), result.to_json()
    directory = data.index(b"PK\x01\x02")  # offsets and sizes stand there: every byte of it
    for place in [*range(0, directory, max(1, directory // 300)), *range(directory, len(data))]:
        saved.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        with suppress(BadInput):
            assert cranfield.load(saved).to_json() == whole


def test_a_compressed_or_pickled_entry_is_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    with pytest.raises(BadInput, match="compressed"):
        cranfield.load(saved)


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        cranfield.load(tmp_path / "nowhere")


def test_numbers_are_kept_to_the_last_bit(tmp_path: Path) -> None:
    values = {"a": [0.1 + 0.2, 5e-324, -0.0, 1e70], "b": [1 / 3, np.pi, 0.0, 2.0]}
    found = cranfield.compare(values)
    found.save(tmp_path / "found")
    again = cranfield.load(tmp_path / "found")
    assert again.samples["value"].values.tobytes() == found.samples["value"].values.tobytes()
    assert [np.float64(row.p).tobytes() for row in again.rows] == [np.float64(row.p).tobytes() for row in found.rows]
    with pytest.raises(ValueError, match="read-only"):
        again.samples["value"].values[0, 0] = 1


def test_names_that_are_no_utf8_are_kept(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"q\xff 0 d 1\n")
    (tmp_path / "run").write_bytes(b"q\xff Q0 d 1 1 t\n")
    result = cranfield.evaluate(str(tmp_path / "qrels"), str(tmp_path / "run"), "AP")
    result.save(tmp_path / "saved")
    assert list(cranfield.load(tmp_path / "saved").units) == list(result.units) == ["q\udcff"]
