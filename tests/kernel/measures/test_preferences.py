"""Measures of preference agree with trec_eval and with what can be counted by hand, and their evidence adds."""

from __future__ import annotations

import random
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import BadInput
from cranfield.evidence import preferences as pairs
from cranfield.evidence.preferences import Preferences, preferences
from cranfield.evidence.subtopics import Groups, groups
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from kernel.measures.oracles_trec_eval import calculated
from kernel.measures.rows import Row, Run, found, judged

PREFERENCE = [name for name, declared in declarations().items() if declared.evidence is Preferences]
BY_GROUPS = [name for name, declared in declarations().items() if declared.evidence is Groups]
TREC = (
    *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
    *("prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel"),
    *("prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret"),
    *("prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
)

Subgrouped = tuple[list[Row], list[str]]


def collection(
    seed: int, n_queries: int = 5, subgroups: bool = False, lowest: int = 0
) -> tuple[Subgrouped, dict[str, dict[str, float]]]:
    """Judgment groups that agree and disagree, some split into subgroups; runs with ties and gaps.

    With a lowest level below 0, a document may be alone in a subgroup, at that level whatever others say of it.
    """
    chance = random.Random(seed)
    rows: list[Row] = []
    names: list[str] = []
    run = {}
    for number in range(n_queries):
        query, documents = f"q{number}", [f"d{place}" for place in range(chance.randint(1, 9))]
        for group in range(chance.randint(1, 3)):
            grades = {document: chance.randint(lowest, 3) for document in documents}
            for subgroup in range(chance.randint(1, 3) if subgroups else 1):
                own = [document for document in documents if chance.random() < 0.7] or documents[:1]
                rows += [(query, f"g{group}", document, grades[document]) for document in own]
                names += [f"s{subgroup}"] * len(own)
            if subgroups and lowest < 0:
                rows.append((query, f"g{group}", documents[0], lowest))
                names.append(chance.choice(("a", "z")))
        retrieved = [document for document in [*documents, "u1", "u2"] if chance.random() < 0.7] or ["u3"]
        run[query] = {document: float(chance.randint(0, 4)) for document in retrieved}
    return (rows, names), run


def built(judgments: Subgrouped, run: Run) -> Preferences:
    read = judged(*judgments)
    return preferences(read, found(read, run))


def ordered(better: str, run: str, worth: str = "") -> Preferences:
    """The preferences of one who would have documents in this order, and what a run makes of them."""
    rows: list[Row] = [("q", "g", name, len(better) - place) for place, name in enumerate(better)]
    rows += [("q", "g", name, 0) for name in worth]
    return built((rows, ["s"] * len(rows)), {"q": {name: -float(place) for place, name in enumerate(run)}})


def stated(*groups: str, run: str) -> Preferences:
    """The preferences of groups of subgroups, as `ab bc` says a over b and b over c; and what a run makes of them."""
    rows: list[Row] = []
    names: list[str] = []
    for number, group in enumerate(groups):
        for place, subgroup in enumerate(group.split()):
            rows += [("q", f"g{number}", name, len(subgroup) - at) for at, name in enumerate(subgroup)]
            names += [f"s{place}"] * len(subgroup)
    return built((rows, names), {"q": {name: -float(place) for place, name in enumerate(run)}})


def value(name: str, evidence: Preferences | Groups) -> float:
    return float(parse(name).values(evidence)[0])


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_measure_is_that_of_trec_eval(form: str, seed: int, tmp_path: Path) -> None:
    judgments, run = collection(seed, n_queries=60, subgroups=form == "prefs")
    lines = [f"{q} {g} {s}{d} {grade}" for (q, g, d, grade), s in zip(*spaced(judgments, form), strict=True)]
    theirs = calculated(tmp_path, form, written(lines), trec_run(run), dict.fromkeys(TREC, 1))
    evidence = built(judgments, run)
    for name in TREC:
        wanted = [theirs[query.decode()][name][0] for query in evidence.queries]
        np.testing.assert_allclose(np.nan_to_num(parse(name).values(evidence)), wanted, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("form", ["prefs", "qrels_prefs"])
@pytest.mark.parametrize("seed", range(6))
def test_negative_levels_are_those_of_trec_eval(form: str, seed: int, tmp_path: Path) -> None:
    judgments, run = collection(seed, n_queries=60, subgroups=form == "prefs", lowest=-2)
    lines = [f"{q} {g} {s}{d} {grade}" for (q, g, d, grade), s in zip(*spaced(judgments, form), strict=True)]
    theirs = calculated(tmp_path, form, written(lines), trec_run(run), dict.fromkeys(TREC, 1))
    evidence = built(judgments, run)
    defined = [not overrun(judgments, query.decode()) for query in evidence.queries]
    assert sum(defined) > 20
    for name in TREC:
        wanted = np.array([theirs[query.decode()][name][0] for query in evidence.queries])[defined]
        mine = np.nan_to_num(parse(name).values(evidence))[defined]
        np.testing.assert_allclose(mine, wanted, atol=1e-12, err_msg=name)


def overrun(judgments: Subgrouped, query: str) -> bool:
    """Whether a group without subgroups has several levels up to 0, the lowest with fewer documents than are relevant.

    trec_eval may then read as many as it has relevant ones all the same, from whatever comes next in memory.
    """
    groups: dict[str, list[tuple[float, str]]] = {}
    for (q, g, _, grade), subgroup in zip(*judgments, strict=True):
        if q == query:
            groups.setdefault(g, []).append((grade, subgroup))
    return any(
        len({subgroup for _, subgroup in group}) == 1
        and sum(grade == min(group)[0] for grade, _ in group) < sum(grade > 0 for grade, _ in group)
        and len({grade for grade, _ in group if grade <= 0}) > 1
        for group in groups.values()
    )


def test_a_document_has_the_level_of_its_last_subgroup() -> None:
    """trec_eval cuts documents at 0 where they are too many: x is at 0, or at -1 and then no longer one of them."""
    rows: list[Row] = [("q", "g", "a", 1), ("q", "g", "x", 0), ("q", "g", "y", 0), ("q", "g", "x", -1)]
    run = {"q": {"x": 3.0, "y": 2.0, "a": 1.0}}
    assert value("PrefGroupsEven", built((rows, ["2", "2", "2", "1"]), run)) == 0
    last = built((rows, ["2", "2", "2", "3"]), run)
    assert last.n_other.tolist() == [[1, 1]]
    assert last.n_relevant.tolist() == [[1, 1]]


def test_a_document_below_0_in_one_subgroup_and_above_0_in_another_is_taken() -> None:
    rows: list[Row] = [("q", "g", "a", 1), ("q", "g", "b", 0), ("q", "g", "a", -1), ("q", "g", "c", -1)]
    assert value("Prefs", built((rows, ["1", "1", "2", "2"]), {"q": {"a": 2.0, "b": 1.0}})) == 1


def spaced(judgments: Subgrouped, form: str) -> Subgrouped:
    return judgments[0], [f"{name} " if form == "prefs" else "" for name in judgments[1]]


def written(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def trec_run(run: Run) -> str:
    return written([f"{q} Q0 {d} 1 {score} tag" for q, own in run.items() for d, score in own.items()])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_mean_over_judgment_groups_is_that_of_trec_eval(seed: int, tmp_path: Path) -> None:
    (rows, _), run = collection(seed, n_queries=60)
    lines = [f"{q} {g} {d} {grade}" for q, g, d, grade in rows]
    n_values = {"map_avgjg": 1, "P_avgjg": 9, "Rprec_mult_avgjg": 10}
    theirs = calculated(tmp_path, "qrels_jg", written(lines), trec_run(run), n_values)
    read = judged(rows)
    evidence = groups(read, found(read, run))
    cutoffs = {f"P_avgjg_{k}": ("P_avgjg", at) for at, k in enumerate((5, 10, 15, 20, 30, 100, 200, 500, 1000))}
    multiples = {f"Rprec_mult_avgjg_{at / 5 + 0.2:.2f}": ("Rprec_mult_avgjg", at) for at in range(10)}
    for name, (of, at) in ({"map_avgjg": ("map_avgjg", 0)} | cutoffs | multiples).items():
        wanted = [theirs[query.decode()][of][at] for query in evidence.queries]
        np.testing.assert_allclose(np.nan_to_num(parse(name).values(evidence)), wanted, atol=1e-12, err_msg=name)


def test_seven_of_ten_pairs_stand_in_the_preferred_order() -> None:
    evidence = ordered("LJBPD", run="LPBJD")
    assert [value(name, evidence) for name in ("Prefs", "PrefPairs", "PrefGroups")] == pytest.approx([0.7] * 3)
    assert value("NumPrefs", evidence) == 10


@pytest.mark.parametrize(("run", "tau"), [("LPBJD", 0.4), ("LJDPB", 0.4), ("LJBPD", 1.0), ("DPBJL", -1.0)])
def test_the_share_of_pairs_is_kendalls_tau_on_another_scale(run: str, tau: float) -> None:
    assert 2 * value("Prefs", ordered("LJBPD", run=run)) - 1 == pytest.approx(tau)


def test_a_missing_document_comes_after_those_found_and_an_unjudged_one_does_not_count() -> None:
    evidence = ordered("LJBPD", run="LJXBP")
    assert value("Prefs", evidence) == 1
    assert value("NumPrefsMet(pairs='both')", evidence) == 6


def test_of_two_missing_documents_neither_comes_first() -> None:
    evidence = ordered("abc", run="a")
    assert value("Prefs", evidence) == pytest.approx(2 / 3)
    assert value("Prefs(pairs='either')", evidence) == 1
    assert np.isnan(value("Prefs(pairs='both')", evidence))


def test_a_missing_better_document_is_a_preference_not_met() -> None:
    assert value("Prefs", ordered("ab", run="b")) == 0


def test_equal_grades_state_no_preference() -> None:
    assert np.isnan(value("Prefs", ordered("", run="ab", worth="ab")))


def test_equal_scores_are_taken_by_name_the_first_first_unless_as_found() -> None:
    read = judged([("q", "g", "a", 2), ("q", "g", "b", 1)])
    tied = found(read, {"q": {"a": 1.0, "b": 1.0}})
    assert value("Prefs", preferences(read, tied)) == 1
    assert value("Prefs", preferences(read, tied, ties="ranked")) == 0


def test_what_follows_from_two_subgroups_is_a_preference_too() -> None:
    assert value("NumPrefs", stated("ab bc", run="abc")) == 3
    assert value("NumPrefs", stated("ab cd", run="abcd")) == 2
    assert value("Prefs", stated("ab bc cd", run="dcba")) == 0
    assert value("NumPrefs", stated("ab bc cd de ef fg", run="abc")) == 21


def test_groups_may_contradict_each_other() -> None:
    evidence = stated("ab", "ab", "ba", run="ab")
    assert value("Prefs", evidence) == pytest.approx(2 / 3)
    assert value("PrefPairs", evidence) == pytest.approx(2 / 3)


def test_a_pair_weighs_the_same_however_many_state_a_preference_on_it() -> None:
    evidence = stated("ab", "ab", "ba cd", run="abdc")
    assert value("Prefs", evidence) == pytest.approx(2 / 4)
    assert value("PrefPairs", evidence) == pytest.approx((2 / 3 + 0) / 2)
    assert value("PrefGroups", evidence) == pytest.approx((1 + 1 + 0) / 3)


@pytest.mark.parametrize("seed", range(3))
def test_a_pair_of_many_documents_weighs_the_same_however_many_state_it(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"d{place}" for place in range(40)]
    rows: list[Row] = [("q", "g0", name, chance.randint(0, 3)) for name in names]
    again: list[Row] = [("q", "g1", name, grade) for _, _, name, grade in rows]
    run = {"q": {name: chance.random() for name in names if chance.random() < 0.8}}
    once, twice = built((rows, ["s"] * 40), run), built((rows + again, ["s"] * 80), run)
    assert value("PrefPairs", twice) == pytest.approx(value("PrefPairs", once), abs=1e-12)
    assert value("PrefPairs", once) == pytest.approx(value("Prefs", once), abs=1e-12)


def test_hits_of_judgment_groups_are_called_by_query_and_group() -> None:
    read = judged([("q", "g1", "a", 1), ("q", "g0", "a", 0), ("p", "g1", "a", 2)])
    made = groups(read, found(read, {"q": {"a": 1.0}, "p": {"a": 1.0}}))
    assert made.hits.queries == (b"p g1", b"q g0", b"q g1")
    assert made.hits.grade.tolist() == [2, 0, 1]


def test_only_the_first_irrelevant_documents_count_where_they_are_too_many() -> None:
    best, late = ordered("a", run="axyz", worth="xyz"), ordered("a", run="xayz", worth="xyz")
    assert value("PrefGroupsEven(form='plain')", best) == 1
    assert value("PrefGroupsEven(form='plain')", late) == 0
    assert value("PrefGroupsEven", best) == pytest.approx(1 / 4)  # as trec_eval has it: x is compared with x, y and z


def test_irrelevant_documents_that_are_lacking_are_taken_to_be_last() -> None:
    assert value("PrefGroupsEven(form='plain')", ordered("ab", run="ab")) == 1
    assert value("PrefGroupsEven(form='plain')", ordered("ab", run="a")) == pytest.approx((1 + 2) / (1 + 4))
    assert value("PrefGroupsEven(form='plain', pairs='both')", ordered("ab", run="a")) == 1


@pytest.mark.parametrize("circle", ["ab bc ca", "ab ba", "xa ab bc cd db dy"])
def test_preferences_that_go_in_a_circle_are_refused(circle: str) -> None:
    with pytest.raises(BadInput, match=r"query 'q', judgment group 'g0': '[a-d]' is preferred to '[a-d]', and"):
        stated(circle, run="abc")


def test_two_documents_of_a_circle_are_named() -> None:
    with pytest.raises(BadInput, match="'a' is preferred to 'b', and 'b' to 'a'; put contradictory"):
        stated("xa ab ba", run="xab")


def test_a_document_that_is_relevant_and_is_not_is_refused() -> None:
    rows: list[Row] = [("q", "g", "a", 1), ("q", "g", "b", 0), ("q", "g", "a", 0), ("q", "g", "c", 0)]
    with pytest.raises(BadInput, match="'a' is graded 0 in one subgroup and above 0 in another"):
        built((rows, ["1", "1", "2", "2"]), {"q": {"a": 1.0}})


def test_the_document_that_is_relevant_and_is_not_is_named_wherever_it_stands() -> None:
    rows: list[Row] = [("q", "g", name, grade) for name, grade in (("a", 1), ("b", 0), ("c", 0), ("d", 2), ("c", 1))]
    with pytest.raises(BadInput, match=r"^query 'q', judgment group 'g': 'c' is graded 0 in one subgroup"):
        built((rows, ["1", "1", "1", "1", "2"]), {"q": {name: float(place) for place, name in enumerate("dcba")}})


def test_a_document_judged_twice_in_a_group_is_refused() -> None:
    read = judged([("q", "g", "a", 1), ("q", "g", "a", 0)], ["1", "2"])
    with pytest.raises(BadInput, match="judgment group 'g': document 'a' is judged more than once"):
        groups(read, found(read, {"q": {"a": 1.0}}))


@pytest.mark.parametrize("name", [*PREFERENCE, *BY_GROUPS])
@given(seed=st.integers(0, 10**6), subgroups=st.booleans())
def test_a_query_is_scored_alone_and_evidence_adds(name: str, seed: int, subgroups: bool) -> None:
    measure = parse(name)
    judgments, run = collection(seed, 4, subgroups and name in PREFERENCE)
    alone = [evidence_of(name, own, run) for own in apart(judgments)]
    together = measure.values(evidence_of(name, judgments, run))
    assert np.array_equal(together, measure.values(reduce(add, alone)), equal_nan=True)
    assert np.array_equal(together, np.concatenate([measure.values(query) for query in alone]), equal_nan=True)


def evidence_of(name: str, judgments: Subgrouped, run: Run) -> Preferences | Groups:
    read = judged(*judgments)
    return (preferences if name in PREFERENCE else groups)(read, found(read, run))


def apart(judgments: Subgrouped) -> list[Subgrouped]:
    """The judgments of each query."""
    both = list(zip(*judgments, strict=True))
    return [
        ([row for row, _ in both if row[0] == query], [name for row, name in both if row[0] == query])
        for query in sorted({row[0] for row in judgments[0]})
    ]


@given(seed=st.integers(0, 10**6), block=st.sampled_from((1, 3, 10)))
def test_the_size_of_the_blocks_does_not_matter(seed: int, block: int) -> None:
    judgments, run = collection(seed, 4, subgroups=True)
    whole = built(judgments, run)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pairs, "_BLOCK", block)
        parts = built(judgments, run)
    for field in ("stated", "met", "even_stated", "even_met", "n_pairs", "pairs_met"):
        assert np.array_equal(getattr(whole, field), getattr(parts, field)), field


@pytest.mark.parametrize("name", [*PREFERENCE, *BY_GROUPS])
@given(seed=st.integers(0, 10**6))
def test_values_stay_within_the_declared_bounds(name: str, seed: int) -> None:
    judgments, run = collection(seed)
    values = parse(name).values(evidence_of(name, judgments, run))
    known = values[~np.isnan(values)]
    low, high = declarations()[name].bounds
    assert ((known >= low) & (known <= high + 1e-12)).all()


@given(seed=st.integers(0, 10**6))
def test_turning_a_ranking_around_turns_every_preference_between_found_documents(seed: int) -> None:
    judgments, run = collection(seed, subgroups=True)
    distinct = {query: {d: place for place, d in enumerate(sorted(own))} for query, own in run.items()}
    around = {query: {d: -score for d, score in own.items()} for query, own in distinct.items()}
    for name in ("Prefs(pairs='both')", "PrefPairs(pairs='both')"):
        both = parse(name).values(built(judgments, distinct)) + parse(name).values(built(judgments, around))
        assert both[~np.isnan(both)] == pytest.approx(1)


def test_a_group_without_relevant_documents_counts_0_if_another_has_some() -> None:
    read = judged([("q", "1", "a", 1), ("q", "2", "a", 0), ("r", "1", "a", 0)])
    run = {"q": {"a": 1.0}, "r": {"a": 1.0}}
    assert parse("AP_JG").values(groups(read, found(read, run))) == pytest.approx([0.5, np.nan], nan_ok=True)


def test_leaving_out_the_unjudged_is_done_group_by_group() -> None:
    read = judged([("q", "1", "a", 1), ("q", "2", "b", 1)])
    evidence = groups(read, found(read, {"q": {"b": 2.0, "a": 1.0}}))
    assert value("AP_JG", evidence) == pytest.approx((1 / 2 + 1) / 2)
    assert value("AP_JG(unjudged='skip')", evidence) == 1
