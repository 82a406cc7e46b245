"""One run against the judgments."""

import pytest

from cranfield import evaluate
from cranfield.errors import CranfieldWarning


@pytest.mark.filterwarnings("ignore:run. 1 of 2 judged queries")
def test_the_micro_average_leaves_out_the_queries_that_are_left_out():
    qrels, run = {"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}}
    assert evaluate(qrels, run, "R", missing="skip").aggregated("micro")[0, 0] == 1
    assert evaluate(qrels, run, "R", missing="zero").aggregated("micro")[0, 0] == 0.5


@pytest.mark.parametrize("rows", [False, True], ids=["dict", "rows"])
@pytest.mark.parametrize(("ties", "best_first"), [("trec", "d"), ("name", "b"), ("given", "c")])
def test_each_of_many_ties_of_a_query_is_ordered_on_its_own(ties, best_first, rows):
    scores = {"z": 9.0, "c": 2.0, "y": 1.0, "b": 2.0, "x": 1.0, "d": 2.0, "w": 1.0}
    below = {"trec": "y", "name": "w", "given": "y"}[ties]
    run = [(query, name, score) for query in "qr" for name, score in scores.items()]
    given = run if rows else dict.fromkeys("qr", scores)
    qrels = {"q": {best_first: 1, below: 2}, "r": {below: 1}}
    with pytest.warns(CranfieldWarning):
        result = evaluate(qrels, given, ["RR", "RR(rel=2)"], ties=ties)
    assert result.per_query("RR") == {"q": 1 / 2, "r": 1 / 5}
    assert result.per_query("RR(rel=2)") == {"q": 1 / 5, "r": 0}
