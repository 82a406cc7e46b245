"""Precision-recall curves of rankings."""

import numpy as np
import pytest

from cranfield.evidence.hits import Hits
from cranfield.rankings.precision_recall import at_every_rank, averaged_at_cutoffs, averaged_at_recalls, interpolated


def query(picture: str, missed: int = 0, name: bytes = b"q") -> Hits:
    """The hits of a ranking: + relevant, anything else not judged."""
    rank = np.array([place for place, mark in enumerate(picture, 1) if mark == "+"], np.int64)
    pool = np.ones(len(rank) + missed)
    zeros = np.zeros(len(rank), np.int64)
    one = np.ones(1, np.int64)
    return Hits(
        queries=(name,),
        n_retrieved=np.array([len(picture)]),
        unit=zeros,
        rank=rank,
        grade=np.ones(len(rank)),
        pool_unit=np.zeros(len(pool), np.int64),
        pool_grade=pool,
        tie_start=rank,
        tie_size=np.ones_like(rank),
        size=one,
    )


FOURTEEN = "++.+.+......+."


def test_the_points_after_every_document_are_those_of_the_lecture():
    curve = at_every_rank(query(FOURTEEN))
    assert curve.precision == pytest.approx(
        [1, 1, 2 / 3, 3 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8, 4 / 9, 4 / 10, 4 / 11, 4 / 12, 5 / 13, 5 / 14]
    )
    assert curve.recall == pytest.approx([0.2, 0.4, 0.4, 0.6, 0.6, *[0.8] * 7, 1, 1])
    assert curve.rank.tolist() == list(range(1, 15))


def test_interpolated_precision_never_rises_with_recall():
    curve = interpolated(query("..+.++", missed=1))
    assert curve.recall == pytest.approx([1 / 4, 2 / 4, 3 / 4])
    assert curve.precision == pytest.approx([3 / 6, 3 / 6, 3 / 6])


def test_curves_of_several_queries_do_not_mix():
    both = query("+.+", name=b"a") + query(".+", name=b"b")
    curve = at_every_rank(both)
    assert curve.unit.tolist() == [0, 0, 0, 1, 1]
    assert curve.precision == pytest.approx([1, 1 / 2, 2 / 3, 0, 1 / 2])
    assert interpolated(both).unit.tolist() == [0, 0, 1]


def test_a_query_with_nothing_relevant_has_no_curve_and_spoils_no_average():
    both = query("+.", name=b"a") + query("..", name=b"b")
    assert set(at_every_rank(both).unit) == {0}
    assert averaged_at_cutoffs(both, cutoffs=[1, 2]).precision == pytest.approx([1, 1 / 2])
    assert averaged_at_recalls(both, levels=[0, 1]).precision == pytest.approx([1, 1])


def test_averaging_at_cutoffs_takes_means_of_both():
    both = query("+.", name=b"a") + query(".+", missed=1, name=b"b")
    curve = averaged_at_cutoffs(both, cutoffs=[1, 2])
    assert curve.precision == pytest.approx([1 / 2, 1 / 2])
    assert curve.recall == pytest.approx([1 / 2, 3 / 4])


def test_averaging_at_recalls_takes_the_mean_of_interpolated_precision():
    both = query(FOURTEEN, name=b"a") + query(".+", name=b"b")
    eleven = [1, 1, 1, 1, 1, 0.75, 0.75, 2 / 3, 2 / 3, 5 / 13, 5 / 13]
    assert averaged_at_recalls(both).precision == pytest.approx([(p + 0.5) / 2 for p in eleven])


def test_no_query_gives_an_undefined_average_not_an_error():
    assert np.isnan(averaged_at_recalls(query("..")).precision).all()
