"""Generated requests to every operation of the API: whatever is sent, the server never fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

from campaign.web.campaign import judge_all, pooled
from campaign_server import serving
from cranfield.campaign.store.database import Store

ENDING = ("/api/logout", "/api/account/sign-out", "/api/account/password")  # they would end the session that asks
CASES = 3  # per operation


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The schema of a campaign with judgments and results, and the headers of its administrator."""
    store = Store(tmp_path_factory.mktemp("fuzzed") / "campaigns")
    with serving(store) as served:
        campaign = pooled(served)
        judge_all(campaign.people["ann"], {"d1": 3})
        campaign.ada.ok("/api/b/py/qrels", {})
        campaign.ada.ok("/api/b/py/machines", {"name": "robo"})
        secret = campaign.ada.ok("/api/account/tokens", {"name": "x"}).json()["secret"]
        schema = schemathesis.openapi.from_url(f"{served.address}/api/openapi.json")
        yield schema.exclude(path=ENDING), {"authorization": f"Bearer {secret}"}
    store.close()


def test_no_request_makes_the_server_fail(api: Any) -> None:
    schema, headers = api
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) > 60
    statuses: set[int] = set()
    for operation in operations:
        for path in ({"slug": "py"}, {}):  # a benchmark that exists, and anything else
            _try(operation, headers, path, statuses)
    assert {200, 201, 422} <= statuses


def _try(operation: Any, headers: dict[str, str], path: dict[str, str], statuses: set[int]) -> None:
    checked = {"max_examples": CASES, "database": None, "deadline": None, "phases": [Phase.generate]}

    @seed(7)
    @settings(**checked, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def tried(case: Any) -> None:
        if "slug" in case.path_parameters:
            case.path_parameters |= path
        elif path:
            return
        response = case.call(headers=headers)
        statuses.add(response.status_code)
        assert response.status_code < 500, (case.as_curl_command(), response.text)
        if response.status_code >= 400:
            assert response.json()["error"]  # in words

    tried()
