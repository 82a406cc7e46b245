"""The test of an accuracy against the no-information rate, the accuracy of always predicting the largest class."""

from __future__ import annotations

from typing import NamedTuple


class AccuracyTest(NamedTuple):
    """The accuracy, the no-information rate, and the p-value of the test that the accuracy is no higher."""

    accuracy: float
    no_information_rate: float
    n: int
    p: float

    @property
    def words(self) -> str:
        """The test in one line."""
        return (
            f"accuracy {self.accuracy:.4g} is not higher than the no-information rate {self.no_information_rate:.4g}: "
            f"p = {self.p:.4g} (exact binomial test, one-sided, n = {self.n:,})"
        )


def accuracy_test(n_correct: int, n_largest: int, n: int) -> AccuracyTest | None:
    """The exact binomial test: the probability of so many correct answers, or more, at the no-information rate.

    The rate is that of the sample, taken as known, as in caret. None without items.
    """
    if not n:
        return None
    from scipy.special import bdtrc

    rate = n_largest / n
    p = 1.0 if n_correct == 0 else float(bdtrc(n_correct - 1, n, rate))
    return AccuracyTest(n_correct / n, rate, n, p)
