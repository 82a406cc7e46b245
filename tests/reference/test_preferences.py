"""The reference for preferences is plain Python, and has what can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import evaluate
from reference.preferences import per_query

# one group, one subgroup: a over b over c over d, which is irrelevant; retrieved: b a d, and c never
CLASSES = b"1 g s a 3\n1 g s b 2\n1 g s c 1\n1 g s d 0\n"
RANKED = b"1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n1 Q0 d 3 1 t\n"


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("NumPrefs()", 6),
        ("NumPrefsMet()", 4),  # a over d, b over d; a over c and b over c, which was not retrieved
        ("NumPrefsMet(pairs='both')", 2),
        ("Prefs()", 4 / 6),
        ("Prefs(pairs='both')", 2 / 3),
        ("PrefGroupsEven(form='trec', pairs='all')", (4 + 2 * 2) / (6 + 3 * 2)),  # two more irrelevant documents
    ],
)
def test_four_documents_in_one_order(measure: str, value: float) -> None:
    assert per_query(CLASSES, RANKED, measure) == pytest.approx({b"1": value})


def test_what_follows_from_two_subgroups_is_preferred() -> None:
    both = b"1 g s a 2\n1 g s b 1\n1 g t b 2\n1 g t c 1\n"
    assert per_query(both, RANKED, "NumPrefs()") == {b"1": 3}


def test_of_too_many_irrelevant_documents_trec_eval_compares_the_first_with_all() -> None:
    judged, run = b"1 g s a 1\n1 g s x 0\n1 g s y 0\n", b"1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n1 Q0 y 3 1 t\n"
    assert per_query(judged, run, "PrefGroupsEven(form='trec', pairs='all')") == pytest.approx({b"1": 1 / 3})
    assert per_query(judged, run, "PrefGroupsEven(form='plain', pairs='all')") == {b"1": 1}


BELOW_ZERO = {  # judgments, run and what trec_eval 10 makes of them, worked out by hand from its sources
    "several levels below 1": (
        b"1 g s a 1\n1 g s x 0\n1 g s y -1\n1 g s z -1\n",
        b"1 Q0 a 1 4 t\n1 Q0 x 2 3 t\n1 Q0 y 3 2 t\n1 Q0 z 4 1 t\n",
        3 / 5,  # a over x; a, x, y and z over y, the first document of the lowest level
    ),
    "-1 in one subgroup and above 0 in another": (
        b"1 g s a 2\n1 g s b 1\n1 g t b -1\n1 g t c 0\n",
        b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n",
        1 / 2,  # a over b, but not c over b, which is neither relevant nor irrelevant
    ),
}


@pytest.mark.parametrize("case", BELOW_ZERO)
def test_levels_below_0_are_as_in_trec_eval(case: str, tmp_path: Path) -> None:
    judged, run, value = BELOW_ZERO[case]
    assert per_query(judged, run, "PrefGroupsEven(form='trec', pairs='all')") == pytest.approx({b"1": value})
    paths = tmp_path / "judged.txt", tmp_path / "run.txt"
    for path, data in zip(paths, (judged, run), strict=True):
        path.write_bytes(data)
    assert evaluate(*paths, "prefs_avgjg_Rnonrel", form="prefs")["prefs_avgjg_Rnonrel"] == pytest.approx(value)
