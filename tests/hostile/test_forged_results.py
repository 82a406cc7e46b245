"""A saved result with values that it cannot have is refused when it is loaded; whatever loads can be shown."""

from __future__ import annotations

import zlib
from contextlib import suppress
from pathlib import Path

import pytest

import cranfield
from cranfield.errors import BadInput
from cranfield.results.verb_result import VerbResult
from hostile.forged import forged
from laws.verb_calls import called, result_of


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("most", [8, pytest.param(400, marks=pytest.mark.thorough)])
@called
def test_a_forged_result_is_refused_or_can_be_shown(name: str, most: int, tmp_path: Path) -> None:
    result_of(name).save(tmp_path / "saved")
    for what, data in forged(tmp_path / "saved", zlib.crc32(name.encode()), most):
        (tmp_path / "forged").write_bytes(data)
        with suppress(BadInput):
            shown(cranfield.load(tmp_path / "forged"), what)


def shown(result: VerbResult, what: str) -> None:
    try:
        str(result), result.to_json(), result.to_csv()
    except Exception as error:
        pytest.fail(f"{what}: {type(error).__name__}: {error}")
