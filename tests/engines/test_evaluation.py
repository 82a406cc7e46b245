"""One run against the judgments."""

import pytest

from cranfield import evaluate


@pytest.mark.filterwarnings("ignore:run. 1 of 2 judged queries")
def test_the_micro_average_leaves_out_the_queries_that_are_left_out():
    qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}}
    assert evaluate(qrels, run, "R", missing="skip").aggregated("micro")[0, 0] == 1
    assert evaluate(qrels, run, "R", missing="zero").aggregated("micro")[0, 0] == 0.5
