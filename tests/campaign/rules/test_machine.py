"""A machine assessor is compared with people, and never outvotes them."""

from __future__ import annotations

from cranfield.campaign.rules.conflicts import Adjudication, JudgedDocument, Opinion, decided
from cranfield.campaign.rules.events import Judged
from cranfield.campaign.rules.machine_comparison import by_people, compared, confusion, filled, leniency
from cranfield.labelling.scale import FOUR_GRADES


def judged(key: int, people: list[int], machine: int | None, adjudicated: int | None = None) -> JudgedDocument:
    own = [Opinion(place, f"p{place}", Judged("grade", grade)) for place, grade in enumerate(people)]
    said = Judged("cannot tell") if machine is None else Judged("grade", machine)
    decision = None if adjudicated is None else Adjudication("grade", adjudicated, "", 9, "c")
    return JudgedDocument(key, "t", f"d{key}", (*own, Opinion(7, "m (7)", said, kind="model")), decision)


DOCUMENTS = [judged(1, [3, 3], 3), judged(2, [0], 2), judged(3, [1, 0], 3), judged(4, [2], None), judged(5, [], 3),
             judged(6, [2, 0], 0, adjudicated=2), judged(7, [0], 1)]  # fmt: skip


def test_a_machine_is_compared_with_people_where_both_have_a_label():
    found = compared(DOCUMENTS, 7, "majority", "unresolved")
    assert found.pairs == [(3, 3), (0, 2), (2, 0), (0, 1)]
    assert found.n_cannot_tell == 1
    assert confusion(found.pairs, FOUR_GRADES) == [[0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    generous = leniency(found.pairs, FOUR_GRADES)
    assert generous is not None
    assert (generous.mean, generous.n_higher, generous.n_lower, generous.n_equal) == (0.25, 2, 1, 1)
    assert (generous.relevant_people, generous.relevant_machine) == (0.5, 0.75)
    assert leniency([], FOUR_GRADES) is None


def test_a_machine_never_outvotes_people():
    assert [decided(by_people(one), "majority", "unresolved").grade for one in DOCUMENTS] == [3, 0, None, 2, None, 2, 0]
    filling = [decided(filled(one, 7), "highest", "higher").grade for one in DOCUMENTS]
    assert filling == [3, 0, 1, 2, 3, 2, 0]  # the fifth alone is the machine's
