"""How sure we are, and how soon: randomisation, agreement and latent models. Imports are not timed."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.cases import Case, Job, Target, Tool, Values

PAIRS = 5  # one takes milliseconds, of which the first call of anything wastes a few
RATINGS = 1_000_000
KRIPPENDORFF = 400  # ratings that the peer can hold: its memory grows with the square of the distinct values


def cases(quick: bool) -> tuple[Case, ...]:
    """One pair, all pairs, many flips, ratings on two scales, a latent model."""
    flips = 1_000 if quick else 100_000
    n_ratings = 2_000 if quick else RATINGS
    shape = (50, 100) if quick else (500, 1_000)
    return (
        Case(
            "one-pair",
            f"paired randomisation of 50 queries, {flips:,} flips, {PAIRS} pairs one after another",
            {
                "cranfield": Tool(lambda _: _one_by_one(flips)),
                "scipy two-sample": Tool(lambda _: _two_sample(flips)),
                "scipy on differences": Tool(lambda _: _on_differences(flips)),
            },
            targets=(Target("scipy two-sample", at_least=50),),
        ),
        Case(
            "all-pairs",
            "all 1,770 pairs of 60 systems, 50 queries, 10,000 shared flips, with max-T",
            {"cranfield": Tool(lambda _: _randomised(60, 50, flips // 10))},
            targets=(Target("cranfield", at_most=0.5, times=False),),
        ),
        Case(
            "many-flips",
            f"49 systems against one, 1,000 queries, {flips:,} flips",
            {"cranfield": Tool(lambda _: _randomised(50, 1_000, flips, baseline="0"))},
            targets=(Target("cranfield", at_most=5.0, times=False),),
        ),
        Case(
            "tukey",
            "Tukey's HSD of 60 systems, 50 queries",
            {"cranfield": Tool(lambda _: _tukey(10 if quick else 60))},
        ),
        *(
            Case(
                f"alpha-{level}",
                f"Krippendorff's alpha of {n_ratings:,} {level} ratings (krippendorff: of {KRIPPENDORFF})",
                {
                    "cranfield": Tool(lambda _, level=level: _alpha(level, n_ratings)),
                    "krippendorff": Tool(lambda _, level=level: _peer_alpha(level)),
                },
                targets=(
                    Target("cranfield", at_most=1.0, times=False),
                    Target("cranfield", at_most=400, figure="peak", times=False),  # linear: a square would be a million
                ),
            )
            for level in ("interval", "ordinal")
        ),
        Case(
            "success-model",
            f"two-parameter logistic model, {shape[0]} systems × {shape[1]:,} queries, with intervals",
            {"cranfield": Tool(lambda _: _latent("success", *shape))},
            targets=(Target("cranfield", at_most=3.0, times=False),),
        ),
        Case(
            "beta-model",
            "beta model, 100 systems × 1,000 queries, with intervals" + " (quick: 20 × 50)" * quick,
            {"cranfield": Tool(lambda _: _latent("beta", *((20, 50) if quick else (100, 1_000))))},
            targets=(Target("cranfield", at_most=5.0, times=False),),
        ),
    )


def _samples(n_systems: int, n_queries: int):
    import numpy as np

    from cranfield.evidence.samples import Samples

    rng = np.random.default_rng(0)
    values = rng.beta(1, 3, (n_systems, n_queries)) + 0.02 * np.arange(n_systems)[:, None] / n_systems
    return Samples(tuple(map(str, range(n_systems))), tuple(map(str, range(n_queries))), values)


def _randomised(n_systems: int, n_queries: int, flips: int, baseline: str | None = None) -> Job:
    from cranfield.statistics.pairs import randomised

    samples = _samples(n_systems, n_queries)

    def work() -> Callable[[], Values]:
        randomised(samples.pairs(baseline).difference, flips, 0)
        return dict

    return work


def _one_by_one(flips: int) -> Job:
    from cranfield.statistics.pairs import randomised

    differences = [(first - second)[:, None] for first, second in _pairs()]

    def work() -> Callable[[], Values]:
        for difference in differences:
            randomised(difference, flips, 0)
        return dict

    return work


def _two_sample(flips: int) -> Job:
    from scipy.stats import permutation_test

    pairs = _pairs()

    def statistic(x, y, axis):
        return (x - y).mean(axis=axis)

    def work() -> Callable[[], Values]:
        for pair in pairs:
            permutation_test(pair, statistic, permutation_type="samples", vectorized=True, n_resamples=flips, rng=0)
        return dict

    return work


def _on_differences(flips: int) -> Job:
    import numpy as np
    from scipy.stats import permutation_test

    pairs = _pairs()

    def work() -> Callable[[], Values]:
        for first, second in pairs:
            permutation_test(
                (first - second,), np.mean, permutation_type="samples", vectorized=True, n_resamples=flips, rng=0
            )
        return dict

    return work


def _pairs():
    values = _samples(2 * PAIRS, 50).values
    return [(values[2 * pair], values[2 * pair + 1]) for pair in range(PAIRS)]


def _tukey(n_systems: int) -> Job:
    from scipy import special  # noqa: F401, so that its import is not timed

    from cranfield.statistics.tests import find

    samples = _samples(n_systems, 50)

    def work() -> Callable[[], Values]:
        find("tukey")(samples.pairs())
        return dict

    return work


def _ratings(n_ratings: int):
    import numpy as np

    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(n_ratings // 2), 2)
    return item, rng.normal(size=n_ratings // 2)[item] + rng.normal(size=n_ratings)


def _alpha(level: str, n_ratings: int) -> Job:
    from cranfield.evidence.ratings import ratings
    from cranfield.measures.naming import parse
    from cranfield.tables.ratings import rated

    item, value = _ratings(n_ratings)
    measure = parse(f"Alpha(level={level!r})", "ratings")

    def work() -> Callable[[], Values]:
        measure.values(ratings(rated(value, item)))
        return dict

    return work


def _peer_alpha(level: str) -> Job:
    import krippendorff

    _, value = _ratings(KRIPPENDORFF)

    def work() -> Callable[[], Values]:
        krippendorff.alpha(reliability_data=value.reshape(-1, 2).T, level_of_measurement=level)
        return dict

    return work


def _latent(model: str, n_systems: int, n_queries: int) -> Job:
    import numpy as np
    from scipy import special  # noqa: F401, so that its import is not timed

    from cranfield.statistics.latent import fit

    rng = np.random.default_rng(1)
    ability, difficulty = rng.normal(size=n_systems), rng.normal(size=n_queries)
    slope = np.maximum(rng.normal(1, 0.5, n_queries), 0.3)
    chance = 1 / (1 + np.exp(-slope * (ability[:, None] - difficulty)))
    drawn = rng.random(chance.shape) < chance if model == "success" else rng.beta(chance * 8, (1 - chance) * 8)
    values = drawn.astype(np.float64)

    def work() -> Callable[[], Values]:
        fit(values, model=model)
        return dict

    return work
