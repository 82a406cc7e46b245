"""The examples of lectures and textbooks, figure by figure."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from cranfield import evaluate
from cranfield.evidence.hits import Hits
from cranfield.measures.graded import discounted_cumulative_gain, divisor
from cranfield.measures.naming import parse
from pictures import ranked, several

approx = pytest.approx

FOURTEEN = "++-+-+------+-"  # five relevant documents, all found, the last at rank 13
TEN = "0213020313"  # grades; the collection holds five documents of grade 3 and ten of grade 2
NOT_FOUND = "33" + "2" * 8
ELEVEN = "4342000110"
DOCTORS = "++-+++--+-+-+---+-+-"  # ten positives among twenty, by descending score


def value(measure: str, hits: Hits) -> float:
    return float(parse(measure).values(hits)[0])


def at_each(measure: str, hits: Hits, ks: range) -> list[float]:
    return [value(f"{measure}@{k}", hits) for k in ks]


class TestFourteenDocuments:
    """Weber: a ranking of fourteen with its precision and recall at each rank."""

    hits = ranked(FOURTEEN)

    def test_precision_at_each_rank(self) -> None:
        wanted = [1, 1, 2 / 3, 3 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8, 4 / 9, 4 / 10, 4 / 11, 4 / 12, 5 / 13, 5 / 14]
        assert at_each("P", self.hits, range(1, 15)) == approx(wanted)

    def test_recall_at_each_rank(self) -> None:
        wanted = [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 1, 1]
        assert at_each("R", self.hits, range(1, 15)) == approx(wanted)

    def test_average_precision_is_the_sum_of_precision_times_the_rise_of_recall(self) -> None:
        assert value("AP", self.hits) == approx(593 / 780)
        assert value("AUPR(rule='step')", self.hits) == approx(593 / 780)

    def test_area_under_lines_from_precision_1_on(self) -> None:
        assert value("AUPR", self.hits) == approx(0.7401282051282051)

    def test_system_efficiency_is_that_of_the_point_nearest_to_perfection(self) -> None:
        distance = sqrt((1 - 0.8) ** 2 + (1 - 4 / 6) ** 2)  # at rank 6
        assert value("SysEff", self.hits) == approx(1 - distance / sqrt(2))
        assert value("SysEff", self.hits) == approx(0.7251262916254892)

    @pytest.mark.parametrize("reading", ["first", "highest"])
    def test_precision_once_a_recall_is_reached(self, reading: str) -> None:
        wanted = [1, 1, 3 / 4, 2 / 3, 5 / 13]
        levels = (0.2, 0.4, 0.6, 0.8, 1.0)
        assert [value(f"PAtR(reading={reading!r})@{r}", self.hits) for r in levels] == approx(wanted)

    def test_r_precision_is_the_break_even_point(self) -> None:
        assert value("Rprec", self.hits) == value("BEP", self.hits) == value("R@5", self.hits) == approx(0.6)

    def test_interpolated_precision_at_eleven_levels(self) -> None:
        wanted = [1, 1, 1, 1, 1, 3 / 4, 3 / 4, 2 / 3, 2 / 3, 5 / 13, 5 / 13]
        for rounding in ("exact", "trec9"):
            found = [value(f"IPrec(rounding={rounding!r})@{level / 10}", self.hits) for level in range(11)]
            assert found == approx(wanted)
        assert value("IAP", self.hits) == approx(sum(wanted) / 11) == approx(0.782051282051282)

    def test_precision_and_recall_at_three(self) -> None:
        assert (value("P@3", self.hits), value("R@3", self.hits)) == approx((2 / 3, 2 / 5))


def test_the_two_readings_of_precision_at_a_recall_differ() -> None:
    hits = ranked("-+++")
    assert value("PAtR@0.3333333333333333", hits) == approx(1 / 2)
    assert value("PAtR(reading='highest')@0.3333333333333333", hits) == approx(3 / 4)


class TestGradesOfTenDocuments:
    """Weber: ten documents with grades up to 3, and an ideal ranking from the whole collection."""

    hits = ranked(TEN, missed=NOT_FOUND)
    ks = range(1, 11)

    def test_cumulative_gain(self) -> None:
        assert at_each("CG", self.hits, self.ks) == [0, 2, 3, 6, 6, 8, 8, 11, 12, 15]

    def test_normalised_cumulative_gain_is_a_share_of_the_top_grade_at_every_rank(self) -> None:
        wanted = [0, 2 / 6, 3 / 9, 6 / 12, 6 / 15, 8 / 18, 8 / 21, 11 / 24, 12 / 27, 15 / 30]
        assert at_each("nCG(top=3)", self.hits, self.ks) == approx(wanted)

    def test_discount(self) -> None:
        wanted = [1, 0.6309297535714575, 0.5, 0.43067655807339306, 0.38685280723454163]
        assert (1 / divisor(np.arange(1, 6), "log(i+1)", 2)).tolist() == approx(wanted)

    def test_discounted_cumulative_gain(self) -> None:
        wanted = [0, 1.261859507142915, 1.761859507142915, 3.053889181363094, 3.053889181363094, 3.7663035555791384]
        wanted += [3.7663035555791384, 4.712698185936325, 5.013728181600306, 5.88092266055397]
        assert at_each("DCG", self.hits, self.ks) == approx(wanted)

    def test_ideal_gain_comes_from_the_collection(self) -> None:
        wanted = [3, 4.892789260714372, 6.392789260714372, 7.684818934934551, 8.845377356638176, 9.55779173085422]
        wanted += [10.224458397520886, 10.855388151092344, 11.457448142420306, 12.035577795056081]
        assert at_each("IDCG", self.hits, self.ks) == approx(wanted)
        assert value("nDCG@10", self.hits) == approx(0.4886281955628011)
        assert value("nDCG@4", self.hits) == approx(0.3973924704302878)

    def test_exponential_gain(self) -> None:
        assert value("DCG(gain='exp2')@10", self.hits) == approx(11.008884645941489)
        assert value("IDCG(gain='exp2')@10", self.hits) == approx(25.424514489782606)
        wanted = [0, 0.16579406024337498, 0.16041215655842486, 0.30156999215943764, 0.26200247796276227]
        wanted += [0.298332220194436, 0.2851943664525467, 0.3671394442897017, 0.36589623207068217, 0.43300274820845247]
        assert at_each("nDCG(gain='exp2')", self.hits, self.ks) == approx(wanted)

    def test_ideal_from_what_was_retrieved_flatters(self) -> None:
        wanted = [0, 0.2579018714896944, 0.2756010616477029, 0.42098555869322507, 0.38041193413990576]
        wanted += [0.44922218132165315, 0.4320449353029614, 0.5406089426406192, 0.5751410729061779, 0.674619773182372]
        assert at_each("nDCG(ideal='retrieved')", self.hits, self.ks) == approx(wanted)

    def test_any_grade_is_relevant(self) -> None:
        assert value("P@10", self.hits) == approx(0.7)


class TestFourFormsOfDiscountedGain:
    """Bhattacharya: rel_1 + sum of rel_i/log2(i), and the three other forms, ideal from the retrieved."""

    hits = ranked(ELEVEN)
    ks = range(1, 11)

    def test_logarithm_of_the_rank_itself(self) -> None:
        form = "(discount='log(i)')"
        wanted = [4, 7, 9.523719014285831, 10.523719014285831, 10.523719014285831, 10.523719014285831]
        wanted += [10.523719014285831, 10.857052347619165, 11.172517224404894, 11.172517224404894]
        assert at_each(f"DCG{form}", self.hits, self.ks) == approx(wanted)
        wanted = [4, 8, 9.892789260714373, 10.892789260714373, 11.323465818787767] + [11.710318626022309] * 5
        assert at_each(f"IDCG{form}", self.hits, self.ks) == approx(wanted)
        wanted = [1, 0.875, 0.962693004298174, 0.9661179301650845, 0.9293726128289269, 0.8986705955976593]
        wanted += [0.8986705955976593, 0.9271355199074565, 0.9540745714277723, 0.9540745714277723]
        assert at_each(f"nDCG{form}", self.hits, self.ks) == approx(wanted)

    @pytest.mark.parametrize(
        ("form", "gained", "share"),
        [
            ("", 9.37063724931087, 0.9732559885835256),
            ("(gain='exp2')", 28.825032821670092, 0.9608653040866042),
            ("(gain='exp2', discount='log(i)')", 33.61274451369092, 0.9150299469614461),
        ],
    )
    def test_the_other_forms(self, form: str, gained: float, share: float) -> None:
        assert value(f"DCG{form}@10", self.hits) == approx(gained)
        assert value(f"nDCG{form}@10", self.hits) == approx(share)

    @pytest.mark.parametrize(
        ("answer", "gained", "share"),
        [
            ("52341", [5, 7, 8.892789260714373, 10.892789260714373, 11.323465818787767], 0.9188539965376098),
            ("54123", [5, 9, 9.630929753571458, 10.630929753571458, 11.922959427791637], 0.9675005070095186),
            ("54?32", [5, 9, 9, 10.5, 11.361353116146786], 0.9219283993002853),
            ("54321", [5, 9, 10.892789260714373, 11.892789260714373, 12.323465818787767], 1),
        ],
    )
    def test_capitals_near_kanpur(self, answer: str, gained: list[float], share: float) -> None:
        """Method 3 names a place that is no answer, and leaves out the one of grade 1."""
        hits = ranked(answer, missed="" if "1" in answer else "1")
        assert at_each("DCG(discount='log(i)')", hits, range(1, 6)) == approx(gained)
        assert value("nDCG(discount='log(i)')@5", hits) == approx(share)


@pytest.mark.parametrize(
    ("picture", "missed", "average", "at_r", "reciprocal"),
    [
        ("+-+--+--++", "", 28 / 45, 0.4, 1),
        ("-+--+++---", "+", 69 / 175, 0.4, 0.5),  # the fifth comes after rank 10: all five count
        ("-+++++----", "", 71 / 100, 0.8, 0.5),
        ("+++++-----", "", 1, 1, 1),
    ],
)
def test_order_of_answers(picture: str, missed: str, average: float, at_r: float, reciprocal: float) -> None:
    hits = ranked(picture, missed)
    assert value("AP@10", hits) == approx(average)
    assert value("Rprec", hits) == approx(at_r)
    assert value("RR", hits) == approx(reciprocal)


@pytest.mark.parametrize(
    ("picture", "missed", "wanted"), [("-+--", "+", 1 / 4), ("-+??+-", "", 1 / 2), ("-+??+-+-", "", 5 / 9)]
)
def test_binary_preference(picture: str, missed: str, wanted: float) -> None:
    hits = ranked(picture, missed)
    assert value("Bpref", hits) == approx(wanted)
    assert value("Bpref(form='plain')", hits) == approx(wanted)


def test_binary_preference_needs_a_cap() -> None:
    hits = ranked("----+")
    assert value("Bpref(form='plain', capped=False)", hits) == -3
    assert value("Bpref(form='plain')", hits) == value("Bpref", hits) == 0


class TestEightDocuments:
    """Bhattacharya: of eight documents three are relevant, four were retrieved, two are both."""

    hits = ranked("+-+-", missed="+")

    @pytest.mark.parametrize(
        ("measure", "wanted"),
        [
            ("P", 1 / 2),
            ("R", 2 / 3),
            ("F", 4 / 7),
            ("Dice", 4 / 7),
            ("Jaccard", 2 / 5),
            ("GMeasure", 1 / sqrt(3)),
            ("Fallout(collection=8)", 2 / 5),
            ("Generality(collection=8)", 3 / 8),
            ("SetAccuracy(collection=8)", 5 / 8),
        ],
    )
    def test_set_measures(self, measure: str, wanted: float) -> None:
        assert value(measure, self.hits) == approx(wanted)

    def test_f_is_the_accuracy_of_whom_leaves_out_as_many_rightly_as_it_finds(self) -> None:
        assert value("F", self.hits) == approx(value("SetAccuracy(collection=7)", self.hits))
        assert value("Jaccard", self.hits) == approx(value("SetAccuracy(collection=5)", self.hits))

    @pytest.mark.parametrize(
        ("beta", "wanted"), [(0, 1 / 2), (0.5, 10 / 19), (1, 4 / 7), (2, 5 / 8), (1_000_000_000, 2 / 3)]
    )
    def test_beta_above_1_favours_recall(self, beta: float, wanted: float) -> None:
        assert value(f"F(beta={beta})", self.hits) == approx(wanted)
        assert value(f"F(alpha={1 / (1 + beta**2)})", self.hits) == approx(wanted)

    def test_a_beta_of_one_half_weighs_precision_four_times(self) -> None:
        assert value("F(beta=0.5)", self.hits) == value("F(alpha=0.8)", self.hits)


def screening() -> Hits:
    """A test for cancer as a retrieval: 200 of 2030 found, 20 of 30 rightly."""
    return ranked("+" * 20 + "-" * 180, missed="+" * 10)


def test_fallout_precision_recall_and_generality_of_a_screening() -> None:
    hits = screening()
    f, g = value("Fallout(collection=2030)", hits), value("Generality(collection=2030)", hits)
    p, r = value("P", hits), value("R", hits)
    assert (f, g, p, r) == approx((0.09, 30 / 2030, 0.1, 2 / 3))
    assert f * p * (1 - g) == approx(0.008866995073891626) == approx(r * g * (1 - p))
    assert value("SetAccuracy(collection=2030)", hits) == approx(1840 / 2030)


def test_one_query_with_a_single_relevant_document_weighs_less_in_the_micro_average() -> None:
    hits = several(
        "-" * 10 + "|+",
        "+" * 80 + "-" * 20 + "|" + "+" * 20,
        "+" * 90 + "-" * 10 + "|" + "+" * 30,
    )
    assert mean("P", hits) == approx(17 / 30)
    assert mean("R", hits) == approx(31 / 60)
    assert parse("P").micro(hits) == approx(170 / 210)
    assert parse("R").micro(hits) == approx(170 / 221)


def mean(measure: str, hits: Hits) -> float:
    return float(parse(measure).values(hits).mean())


def test_average_precision_of_twenty_patients() -> None:
    assert value("AP", ranked(DOCTORS)) == approx(0.7357475805927818)


def test_a_table_says_what_each_grade_is_worth() -> None:
    gained = discounted_cumulative_gain(ranked("21"), gain=((1.0, 10.0), (2.0, 0.5)))
    assert gained.tolist() == approx([0.5 + 10 / np.log2(3)])


def test_share_of_the_preferences_that_an_answer_meets() -> None:
    """Lucknow, Jaipur, Bhopal, Patna, Dehradun is the right order: L-P-B-J-D has seven of its ten pairs."""
    wanted = {"Kanpur": {"L": 5, "J": 4, "B": 3, "P": 2, "D": 1}}
    answer = {"Kanpur": {city: -float(place) for place, city in enumerate("LPBJD")}}
    assert evaluate(wanted, answer, "Prefs")["Prefs"] == approx(0.7)
