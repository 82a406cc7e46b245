"""The reference for paired tests stands on its own, and is right where one can see it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from reference import paired

TENTHS = b"query,a,b\n1,.5,.4\n2,0.40,3e-1\n3,.6,.5\n4,.3,.4\n5,.7,.6\n6,.2,.1\n7,.8,.7\n8,.1,.2\n"


def test_equal_decimals_are_equal_differences() -> None:
    values = paired.read(TENTHS)
    apart = paired.differences(values["a"], values["b"])
    assert {*map(abs, apart)} == {Fraction(1, 10)}
    assert paired.signs(apart) == (6, 0, 2)
    assert {test: found(apart).p for test, found in paired.TESTS.items() if test != "t"} == {
        "sign": 0.2890625,  # 2 (1 + 8 + 28) / 256
        "wilcoxon": 0.2890625,
        "randomisation": 0.2890625,
    }


def test_a_t_that_tables_have() -> None:
    assert paired.within(2.570581835636314, 5) == pytest.approx(0.95, abs=1e-12)
    assert paired.within(12.706204736174698, 1) == pytest.approx(0.95, abs=1e-12)
    handout = [Fraction(value - 9) for value in (8, 8, 9, 10, 12, 16)]
    assert paired.student(handout).statistic == pytest.approx(1.1921, abs=5e-5)
    assert paired.student(handout).p == pytest.approx(0.2867, abs=5e-5)


def test_what_does_not_vary_is_not_tested() -> None:
    assert paired.student([Fraction(1, 10)] * 3) == paired.Tested(None, None)
    assert paired.holm([0.01, None, 0.04]) == [0.03, None, 0.08]


def test_an_order_with_a_tie() -> None:
    assert paired.tau_b(
        [Fraction(1), Fraction(2), Fraction(2)], [Fraction(1), Fraction(2), Fraction(3)]
    ) == pytest.approx(2 / 6**0.5)
    assert paired.tau_b([Fraction(1)] * 2, [Fraction(1), Fraction(2)]) is None
