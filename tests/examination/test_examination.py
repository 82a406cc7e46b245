"""What the verb gives: the most serious first, with all that a reader needs, and nothing on clean data."""

from __future__ import annotations

import json
from dataclasses import replace
from warnings import catch_warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from classification.examples import ALWAYS_NO, PEOPLE, VIRUS, twenty
from counted_ratings import from_table
from cranfield import agree, evaluate, examine, regress
from cranfield.agreement.result import agreement, standard_measures
from cranfield.classification.classify import classify
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.cells import cells
from cranfield.evidence.confusion import Confusion
from cranfield.examination.evidence import MOST
from cranfield.present.findings.rules import known_rules
from cranfield.present.values import ranked
from cranfield.statistics.thresholds import choose
from examination.answers import CANCER, matrix, scored
from examination.differences import apart, raters
from examination.histories import released
from examination.pictured import pictured
from examination.test_rules import CASES
from examination.values import ACTUAL, EVEN, off
from pictures import evidence, lists_of_rankings

GOOD = [0.95, 0.9, 0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.6, 0.35]
BAD = [1 - score for score in GOOD]

CLEAN = {
    "one ranking system": pictured("AP nDCG@10 RR P@5 R", bm25=["++-+-|+", "+-++-|+", "-+++-", "++--+"] * 5),
    "two ranking systems": pictured(
        "AP nDCG@10 P@5", old=["+-+--|+", "+--+-|+", "-+-+-|+"] * 10, new=["++-+-", "+++-+", "-+-++"] * 10
    ),
    "a comparison": apart(0.1, 50),
    "releases": released(0.0, 0.02, -0.01),
    "raters": raters([[45, 5], [5, 45]]),
    "yes-or-no answers": cells(tp=45, fp=5, fn=5, tn=45),
    "perfect answers": cells(tp=50, fp=0, fn=0, tn=50),
    "classes": matrix([45, 3, 2], [3, 46, 1], [2, 1, 47]),
    "scores": scored([3, 4, 5, 6] * 5, [1, 2, 3, 4] * 5),
    "a threshold": choose(scored([6, 7, 8, 9] * 5, [1, 2, 3, 4] * 5), "Accuracy"),
    "predicted labels": classify(["a"] * 20 + ["b"] * 20, ["a"] * 18 + ["b"] * 20 + ["a"] * 2, positive="b"),
    "predicted values": regress(ACTUAL, {"a": ACTUAL + 5 * EVEN, "b": ACTUAL - 8 * EVEN}),
    "probabilities": classify(
        [1] * 10 + [0] * 10, probability=GOOD + BAD, measures=["Accuracy", "AUC", "AP", "F(beta=2)"]
    ),
}


def rules(*things: object) -> list[str]:
    """The names of the rules that speak."""
    return [finding.rule for finding in examine(*things)]


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_said_of_clean_data(name):
    assert [finding.sentence for finding in examine(CLEAN[name])] == []


@pytest.mark.parametrize("rule", CASES)
def test_a_finding_says_why_and_what_to_do(rule):
    (found,) = [finding for finding in examine(CASES[rule].speaks) if finding.rule == rule]
    assert found.sentence.endswith(".")
    assert found.why.endswith(".")
    assert found.action.endswith(".")
    assert found.link.endswith(f"#{rule}")
    assert found.figures
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_most_serious_comes_first():
    severities = [finding.severity for finding in examine(CANCER)]
    assert severities == sorted(severities, key=["serious", "caution", "note"].index)


def test_what_concerns_the_best_systems_comes_before_what_is_serious_about_the_worst():
    shapes = ["+++++-----", "++++------", "+++-------", "++--------"]
    runs = {f"run{place}": [shapes[(place + q) % 4] for q in range(5)] for place in range(5)}
    found = examine(pictured("P@10", last=["----" + "?" * 6] * 5, **runs))
    order = [finding.rule for finding in found]
    assert found[order.index("unequal-judged")].severity == "serious"
    assert found[order.index("not-significant")].severity == "caution"
    assert order.index("not-significant") < order.index("unequal-judged")


def test_of_three_classifiers_what_concerns_the_best_comes_first():
    actual = list("aabbcc") * 20
    confused = ["b" if label == "a" and place % 5 else label for place, label in enumerate(actual)]
    sure = {label: [0.98 if label == one else 0.01 for one in confused] for label in "abc"}
    shy = {label: [0.5 if label == one else 0.25 for one in ["c", *actual[1:]]] for label in "abc"}
    found = examine(classify(actual, probability={"worst": sure, "best": shy, "also": sure}))
    assert [found[0].rule, found[0].subject["system"]] == ["miscalibration", "best"]
    assert "confused-classes" in [finding.rule for finding in found]


def test_the_cancer_test_is_no_evidence_by_accuracy_but_rules_out():
    assert rules(CANCER) == [
        "accuracy-below-constant",
        "low-precision",
        "extreme-prevalence",
        "rule-out",
    ]


def test_the_virus_test_is_beaten_by_always_no_and_rules_out():
    assert {"accuracy-below-constant", "low-precision", "rule-out"} <= set(rules(VIRUS))


def test_two_answers_are_too_few_to_rule_anything_out():
    assert "rule-out" not in rules(cells(tp=30, fp=968, fn=0, tn=2))


def test_always_no_is_one_sided_and_rules_nothing_out():
    found = rules(ALWAYS_NO)
    assert "one-sided" in found
    assert "rule-out" not in found


def test_causes_and_covered_rules_exist_and_no_rule_is_its_own_cause():
    rules = known_rules()
    assert {name for rule in rules.values() for name in (*rule.explains, *rule.covers)} <= set(rules)

    def causes(name: str, before: tuple[str, ...] = ()) -> None:
        assert name not in before
        for consequence in rules[name].explains:
            causes(consequence, (*before, name))

    for name in rules:
        causes(name)


def probable(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated probabilities and what came true."""
    given = 1 / (1 + np.exp(-1.2 * rng.normal(size=600)))
    return given, rng.random(600) < given


def test_probabilities_that_are_too_low_come_before_what_follows_from_them():
    given, actual = probable(np.random.default_rng(0))
    found = examine(classify(actual, probability=given / 4, positive=True))
    assert [(one.rule, one.severity) for one in found] == [
        ("miscalibration", "caution"),
        ("one-sided", "serious"),
        ("accuracy-below-constant", "serious"),
    ]


def test_probabilities_of_the_other_class_come_before_what_follows_from_them():
    given, actual = probable(np.random.default_rng(0))
    with pytest.warns(CranfieldWarning, match="are these probabilities of the other class"):
        found = examine(classify(actual, probability=1 - given, positive=True))
    assert [one.rule for one in found] == ["below-diagonal", "miscalibration", "accuracy-below-constant"]
    assert "probabilities of the other class" in found[0].action


def test_a_cause_stands_before_its_consequences_in_its_own_system_only():
    given, actual = probable(np.random.default_rng(0))
    always, certain = np.ones(600, np.bool_), given**4 / (given**4 + (1 - given) ** 4)
    two = classify(actual, {"always": always}, probability={"certain": certain}, positive=True, measures="Recall")
    assert [(one.rule, one.subject["system"]) for one in examine(two)] == [
        ("one-sided", "always"),
        ("accuracy-below-constant", "always"),
        ("miscalibration", "certain"),
    ]


def test_women_are_flattered_and_taken_for_children_but_children_are_not():
    found = [(finding.rule, finding.subject["class"]) for finding in examine(PEOPLE) if "class" in finding.subject]
    assert ("flattered-class", "Woman") in found
    assert ("confused-classes", "Woman") in found
    assert ("flattered-class", "Child") not in found


def test_two_thresholds_are_as_close_to_the_corner():
    (tie,) = [f for f in examine(choose(twenty(), "CornerDistance")) if f.rule == "threshold-tie"]
    assert tie.figures["thresholds"] == [0.51, 0.4]


def test_of_many_findings_of_a_rule_the_rest_are_counted():
    many = pictured("RR", **{f"run{place}": ["-----+"] * 7 + ["+"] for place in range(MOST + 3)})
    found = [finding.sentence for finding in examine(many) if finding.rule == "one-query"]
    assert len(found) == MOST + 1
    assert found[-1] == "3 more findings of this kind: one query dominates the mean (run5, run6 and run7)."


def test_limits_can_be_chosen():
    rare = cells(tp=4, fp=0, fn=2, tn=94)
    assert "extreme-prevalence" in rules(rare)
    assert "extreme-prevalence" not in [f.rule for f in examine(rare, limits={"extreme-prevalence": {"low": 0.05}})]


def test_the_limits_are_told():
    (found,) = [f for f in examine(CANCER, limits={"rule-out": {"npv": 0.9}}) if f.rule == "rule-out"]
    assert found.settings == {"npv": 0.9, "ratio": 0.5, "precision": 0.95}


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"rule-up": {}}, "there is no rule 'rule-up'; did you mean rule-out"),
        ({"rule-out": {"nvp": 0.9}}, "the rule 'rule-out' has no setting 'nvp'; it has: npv, ratio, precision"),
        ({"rule-out": {"npv": "high"}}, "the rule 'rule-out': npv must be a number, not 'high'"),
    ],
)
def test_limits_that_are_none_are_refused(limits, reason):
    with pytest.raises(BadSetting, match=reason):
        examine(CANCER, limits=limits)


def test_what_cannot_be_examined_is_refused():
    with pytest.raises(
        BadInput, match="int cannot be examined; pass a result of evaluate, classify, regress, agree or compare"
    ):
        examine(1)


def test_systems_of_a_classification_are_named_where_there_are_several():
    actual = [1] * 4 + [0] * 96
    found = examine(classify(actual, {"never": [0] * 100, "once": [1] + [0] * 99}))
    assert any(finding.sentence.startswith("never: ") for finding in found)
    assert all(finding.subject["system"] in ("never", "once") for finding in found)


def test_what_is_said_of_a_group_names_its_system():
    actual, score = [1, 0, 0, 0, 1, 1, 0, 0] * 40, [4, 3, 2, 1, 4, 3, 2, 1] * 40
    both = classify(actual, score={"a": score, "b": score}, by=(["x"] * 4 + ["y"] * 4) * 40, measures=["AP"])
    found = [finding.sentence[:3] for finding in examine(both) if finding.rule == "precision-baseline"]
    assert found == ["a: ", "b: "]


def test_a_comparison_that_is_given_is_not_made_again():
    result = pictured("RR", old=["-+", "+", "-+"], new=["+", "+", "-+"])
    one_sided = result.compare(baseline="old", correction="none")
    (found,) = [finding for finding in examine(result, one_sided) if finding.rule == "not-significant"]
    assert found.subject["system"] == "new"


def test_evaluation_keeps_what_was_counted():
    with pytest.warns(CranfieldWarning, match="b: no retrieved document is judged"):
        result = evaluate({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}, "b": {"q": {"e": 1.0}}}, ["AP", "RR"])
    assert {name: hits.rank.tolist() for name, hits in result.evidence.items()} == {"a": [1], "b": []}
    assert ranked(result, "AP").evidence is result.evidence
    assert "ideal" not in vars(result.evidence["a"])


def test_a_result_without_evidence_can_be_examined():
    bare = replace(CASES["one-query"].speaks, evidence={})
    assert "one-query" in rules(bare)


@given(first=lists_of_rankings(3, 3), second=lists_of_rankings(3, 3))
def test_any_rankings_can_be_examined(first, second):
    measures = "AP nDCG@3 RR P@2 R F(beta=2)"
    both = pictured(measures, a=["+"] * 3, b=["+"] * 3)
    hits = {"a": replace(evidence(first), queries=both.units), "b": replace(evidence(second), queries=both.units)}
    values = np.array([[measure.values(own) for measure in both.measures] for own in hits.values()])
    found = examine(replace(both, evidence=hits, values=values))
    json.dumps([finding.to_dict() for finding in found], allow_nan=False)


counts = st.integers(0, 30)


@given(tp=counts, fp=counts, fn=counts, tn=counts)
def test_any_answers_can_be_examined(tp, fp, fn, tn):
    assert all("nan" not in finding.sentence for finding in examine(cells(tp, fp, fn, tn)))


@given(st.lists(st.lists(counts, min_size=3, max_size=3), min_size=3, max_size=3))
def test_any_classes_can_be_examined(rows):
    assert all("nan" not in finding.sentence for finding in examine(Confusion.of(("a", "b", "c"), np.array(rows))))


@given(positive=st.lists(counts, max_size=6), negative=st.lists(counts, max_size=6))
def test_any_scores_can_be_examined(positive, negative):
    scores = scored(positive, negative)
    goals = () if scores.one_class else ("Accuracy", "F", "RateGap")
    found = examine(scores, *(choose(scores, goal) for goal in goals))
    assert all("nan" not in finding.sentence for finding in found)


def test_systems_of_a_regression_are_named_where_there_are_several():
    found = examine(regress(ACTUAL, {"even": ACTUAL + EVEN, "high": ACTUAL + 5 + EVEN}))
    assert [(finding.rule, finding.subject["system"]) for finding in found] == [("shifted-predictions", "high")]
    assert found[0].sentence.startswith("high: Predictions are too high by 5.00 on average")


@given(st.lists(st.tuples(counts, counts), max_size=60))
def test_any_values_can_be_examined(pairs):
    actual, predicted = np.array(pairs, float).reshape(-1, 2).T
    assert all("nan" not in finding.sentence for finding in examine(off(predicted - actual, actual)))


@given(st.lists(counts, min_size=4, max_size=4).filter(lambda cells: sum(cells) > 0))
def test_any_ratings_can_be_examined(table):
    rated = from_table([table[:2], table[2:]])
    found = examine(agreement(rated, standard_measures(rated), per=("all",), resamples=2))
    assert all("nan" not in finding.sentence for finding in found)


@given(st.lists(st.tuples(st.booleans(), counts, st.integers(0, 2)), min_size=1, max_size=40), st.booleans())
def test_any_groups_can_be_examined(rows, scored):
    actual, score, group = map(np.array, zip(*rows, strict=True))
    column = {"score": score, "threshold": 10} if scored else {"predicted": score > 10}
    with catch_warnings(action="ignore", category=CranfieldWarning):
        result = classify(actual, labels=[False, True], by=group, positive=True, **column)
        assert all("nan" not in finding.sentence for finding in examine(result))
    result = regress(score, actual * 30, by=group)
    assert all("nan" not in finding.sentence for finding in examine(result))


@given(st.lists(st.lists(st.sampled_from([None, 1, 2, 3]), min_size=4, max_size=4), min_size=1, max_size=20))
def test_any_ratings_of_four_can_be_examined(rows):
    rated = {f"r{r}": {f"d{i}": row[r] for i, row in enumerate(rows) if row[r] is not None} for r in range(4)}
    try:
        result = agree({name: own for name, own in rated.items() if own}, per=("all",), resamples=2)
    except BadInput:  # nothing to compare
        return
    assert all("nan" not in finding.sentence for finding in examine(result))


def test_of_many_systems_that_were_hardly_judged_the_first_are_named():
    five = pictured("P@10", **{f"run{place}": ["+-+" + "?" * 7] for place in range(5)})
    (found,) = [finding for finding in examine(five) if finding.rule == "low-judged"]
    assert "30 % of run2's and less than 80 % of 2 other systems' top 10 documents are judged" in found.sentence


LONG = "a-system-with-a-name-of-more-than-thirty-characters"


def test_a_headline_is_short_whatever_the_names():
    result = pictured("P@10", **{LONG: ["+-+-+-+-+?"] * 3, "old": ["+-+-+-+-+-"] * 3})
    (finding,) = [one for one in examine(result) if one.rule == "unequal-judged"]
    assert (
        finding.headline
        == "Only 90 % of a-system-with…rty-characters's top 10 documents are judged, but 100 % of old's."
    )
    assert LONG in finding.sentence
    assert finding.to_dict()["headline"] == finding.headline


def test_fewer_judged_documents_are_reported_for_the_best_system_first():
    rankings = {"best": ["+++++++++?"], "full": ["++++++++--"], "worst": ["+++???????"]}
    found = {one.rule: one for one in examine(pictured("P@10", **rankings))}
    finding = found["unequal-judged"]
    assert "low-judged" not in found  # implied
    assert finding.sentence.startswith(
        "100 % of full's top 10 documents are judged, but only 90 % of best's and 30 % of worst's;"
    )
    assert finding.subject == {"system": "best"}


def test_the_best_system_and_its_rivals_are_one_headline():
    systems = {
        "best": ["++-", "+--", "+++", "---"],
        "second": ["+--", "++-", "-+-", "+--"],
        "third": ["+--", "---", "+++", "---"],
    }
    (finding,) = [one for one in examine(pictured("P@3", **systems)) if one.rule == "not-significant"]
    assert finding.headline == "best is not significantly better than second or 1 other system in P@3."


def test_one_query_of_a_system_that_is_near_zero_is_not_reported():
    few = ["----------+"] + ["-" * 11] * 49
    assert "one-query" not in rules(pictured("AP", good=["+-+--"] * 50, poor=few))
    assert "one-query" in rules(pictured("AP", good=["+-+--"] * 5, poor=["+----"] + ["-----"] * 4))


def test_a_reciprocal_rank_of_one_alone_is_not_too_good_to_be_true() -> None:
    first = ["+-+-"] * 60
    assert "too-perfect" not in [finding.rule for finding in examine(pictured("AP P@2 RR", good=first))]
    assert "too-perfect" in [finding.rule for finding in examine(pictured("RR", good=first))]


def test_of_many_systems_the_very_top_comes_before_the_upper_third() -> None:
    names = [f"s{number:02}" for number in range(30)]
    systems = {name: ["+" * (40 - n) + "-" * n, "+" * 20 + "-" * 20] for n, name in enumerate(names)}
    systems["s08"] = [*systems["s08"][:1], ""]  # in the upper third, with an empty answer
    found = list({one.rule: one for one in reversed(examine(pictured("P@40", **systems)))}.values())[::-1]
    found = [one for one in found if one.subject.get("system")]  # the first of each rule
    place = {name: n for n, name in enumerate(names)}
    top = [max(place[one.subject["system"]], place.get(one.subject.get("other", ""), 0)) < 3 for one in found]
    assert "s08" in [one.subject["system"] for one in found]
    assert top[0]
    assert top == sorted(top, reverse=True)
