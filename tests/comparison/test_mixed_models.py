"""Mixed models and the analysis of variance: lme4's published fits, closed forms and statsmodels as oracles."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import approx_fprime
from statsmodels.api import GLS
from statsmodels.formula.api import mixedlm, ols
from statsmodels.stats.anova import anova_lm

import cranfield
from cranfield.comparison.mixed import Observations
from cranfield.errors import BadInput, BadSetting
from cranfield.statistics.mixed_models import CrossedDesign, Fit, fit, variance_table

RNG = np.random.default_rng(8)
DYESTUFF = [
    *(1545, 1440, 1440, 1520, 1580), *(1540, 1555, 1490, 1560, 1495), *(1595, 1550, 1605, 1510, 1560),
    *(1445, 1440, 1595, 1465, 1545), *(1595, 1630, 1515, 1635, 1625), *(1520, 1455, 1450, 1480, 1445),
]  # fmt: skip


def shards(n_topics: int = 8, gaps: bool = False) -> pd.DataFrame:
    """Values of three systems on topics and four shards."""
    topic, shard = RNG.normal(size=n_topics), RNG.normal(size=4) * 0.7
    rows = [
        (f"t{t}", f"s{h}", "abc"[s], topic[t] + shard[h] + 0.4 * s + RNG.normal() * 0.5)
        for t in range(n_topics)
        for h in range(4)
        for s in range(3)
    ]
    table = pd.DataFrame(rows, columns=["topic", "shard", "system", "value"])
    return table.drop(index=[3, 17, 18, 40]) if gaps else table


def test_the_fit_of_dyestuff_is_lme4s():
    model = fit(np.array(DYESTUFF, float), np.ones((30, 1)), [np.repeat(np.arange(6), 5)])
    assert model.variances == pytest.approx([1764.05], abs=0.01)
    assert model.residual == pytest.approx(2451.25, abs=0.01)
    assert np.sqrt(model.variance_of(np.ones(1))) == pytest.approx(19.3834, abs=1e-3)
    assert model.freedom_of(np.ones(1)) == pytest.approx(5, abs=1e-3)


def test_two_systems_on_topics_are_the_paired_t_test():
    a, b = RNG.normal(size=(2, 12)) + RNG.normal(size=12)
    found = cranfield.mixed_model({"a": a, "b": b}, "b").contrasts[0]
    expected = stats.ttest_rel(a, b)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-4)
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval()), rel=1e-4)


@pytest.mark.parametrize("gaps", [False, True])
def test_one_random_factor_is_statsmodels(gaps):
    table = shards(gaps=gaps)
    expected = mixedlm("value ~ system", table, groups="topic").fit(reml=True)
    found = cranfield.mixed_model(table, "a", random="topic")
    assert [row.difference for row in found.contrasts] == pytest.approx(expected.params[1:3].tolist(), abs=1e-4)
    assert [row.error for row in found.contrasts] == pytest.approx(expected.bse[1:3].tolist(), abs=1e-4)
    assert found.components[0].variance == pytest.approx(float(expected.cov_re.iloc[0, 0]), rel=1e-2)
    assert found.components[1].variance == pytest.approx(expected.scale, rel=1e-3)


def test_crossed_random_factors_are_statsmodels():
    table = shards(gaps=True).assign(whole=1)
    expected = mixedlm(
        "value ~ system", table, groups="whole", vc_formula={"shard": "0 + C(shard)", "topic": "0 + C(topic)"}
    ).fit(reml=True)
    found = cranfield.mixed_model(table.drop(columns="whole"), "a")
    variance = {row.source: row.variance for row in found.components}
    assert [variance["shard"], variance["topic"]] == pytest.approx(expected.vcomp.tolist(), rel=0.02)
    assert [row.error for row in found.contrasts] == pytest.approx(expected.bse[1:3].tolist(), rel=1e-3)
    assert found.settings["formula"] == "value ~ system + (1 | topic) + (1 | shard)"
    assert not found.analysis
    assert "one value for every combination" in found.notes[-1]


def test_the_analysis_of_variance_is_statsmodels():
    table = shards()
    expected = anova_lm(ols("value ~ (C(system) + C(topic) + C(shard)) ** 2", table).fit())
    found = cranfield.mixed_model(table, random=["topic", "shard"]).analysis
    assert [row.source for row in found][3:5] == ["system × topic", "system × shard"]
    assert [row.freedom for row in found] == expected["df"].astype(int).tolist()
    assert [row.squares for row in found] == pytest.approx(expected["sum_sq"].tolist())
    assert [row.f for row in found[:-1]] == pytest.approx(expected["F"].tolist()[:-1])
    assert [row.p for row in found[:-1]] == pytest.approx(expected["PR(>F)"].tolist()[:-1])


def test_contrasts_of_a_complete_table_have_the_freedom_of_its_residuals():
    found = cranfield.mixed_model(shards(), random=["topic", "shard"])
    assert [row.freedom for row in found.contrasts] == pytest.approx([3 * 8 * 4 - 3 - 7 - 3] * 3, rel=1e-3)


def test_an_interaction_makes_topics_the_unit():
    means = RNG.normal(size=9) + RNG.normal(size=(2, 9)) * 0.5  # topics vary more than their interaction with systems
    table = pd.DataFrame(
        [
            (s, f"t{t}", n, means[i, t] + RNG.normal() * 0.2)
            for i, s in enumerate("ab")
            for t in range(9)
            for n in range(5)
        ],
        columns=["system", "topic", "shard", "value"],
    )
    found = cranfield.mixed_model(table, "b", random=["topic", "system:topic"]).contrasts[0]
    topics = table.groupby(["system", "topic"])["value"].mean().unstack(0)
    expected = stats.ttest_rel(topics["a"], topics["b"])
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-3)


def test_a_table_that_does_not_vary_has_no_f():
    assert variance_table(np.ones((2, 3)), ("system", "topic"))[0].f is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"random": "topics"}, "there is no factor 'topics'"),
        ({"random": "system"}, "besides the system"),
        ({"baseline": "z"}, "there is no system 'z'"),
    ],
)
def test_what_cannot_be_modelled_is_refused(settings, said):
    with pytest.raises((BadInput, BadSetting), match=said):
        cranfield.mixed_model(shards(), **settings)


@pytest.mark.simulation
def test_intervals_of_contrasts_cover():
    rng = np.random.default_rng(9)
    fixed, topic, shard = np.eye(2)[np.arange(80) % 2], np.arange(80) // 8, np.arange(80) // 2 % 4
    kept = rng.random(80) < 0.85
    inside = []
    for _ in range(500):
        values = rng.normal(size=10)[topic] + rng.normal(size=4)[shard] + rng.normal(size=80)
        model = fit(values[kept], fixed[kept], [topic[kept], shard[kept]])
        contrast = np.array([1.0, -1.0])
        reach = stats.t.ppf(0.975, model.freedom_of(contrast)) * np.sqrt(model.variance_of(contrast))
        inside.append(abs(contrast @ model.fixed) <= reach)
    assert 0.925 <= np.mean(inside) <= 0.975


UNBALANCED = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2]), np.array([0, 1, 1, 0, 1, 0, 0, 1, 1])
RESPONSE = np.array([1.0, 2.5, 2.0, 0.0, 1.5, 4.0, 3.0, 5.5, 5.0])
FIXED = np.eye(2)[[0, 1, 0, 1, 0, 1, 0, 1, 0]]


def covariance(ratio: list[float]) -> np.ndarray:
    """Of the values, relative to the variance of the residuals."""
    one, other = (np.equal.outer(factor, factor).astype(float) for factor in UNBALANCED)
    return np.eye(9) + ratio[0] ** 2 * one + ratio[1] ** 2 * other


@pytest.mark.parametrize("ratio", [[0.0, 0.0], [0.7, 0.0], [1.3, 0.4]])
def test_the_restricted_deviance_is_that_of_the_whole_covariance_matrix(ratio):
    design = CrossedDesign.of(RESPONSE, FIXED, list(UNBALANCED))
    assert (design.n_levels, design.n_fixed, design.n_values) == ((3, 2), 2, 9)
    inverse = np.linalg.inv(covariance(ratio))
    information = FIXED.T @ inverse @ FIXED
    left = RESPONSE - FIXED @ np.linalg.solve(information, FIXED.T @ inverse @ RESPONSE)
    rest = left @ inverse @ left
    logs = np.linalg.slogdet(covariance(ratio))[1] + np.linalg.slogdet(information)[1]
    assert design.deviance(np.array(ratio)) == pytest.approx(logs + 7 * np.log(rest / 7) + 7)
    assert design.deviance(np.array(ratio), 0.3) == pytest.approx(logs + 7 * np.log(0.3) + rest / 0.3)


def test_fixed_effects_and_their_variance_are_those_of_generalised_least_squares():
    design = CrossedDesign.of(RESPONSE, FIXED, list(UNBALANCED))
    model = Fit(design, np.array([1.3, 0.4]))
    expected = GLS(RESPONSE, FIXED, sigma=covariance([1.3, 0.4])).fit()
    assert model.fixed == pytest.approx(expected.params)
    assert model.residual == pytest.approx(expected.scale)
    assert model.variances == pytest.approx([1.69 * expected.scale, 0.16 * expected.scale])
    contrast = np.array([1.0, -1.0])
    assert model.variance_of(contrast) == pytest.approx(contrast @ expected.cov_params() @ contrast)


def test_degrees_of_freedom_are_satterthwaites_with_the_curvature_of_the_deviance():
    """Twice the squared variance over its own variance, from derivatives by the variances themselves."""
    model = fit(RESPONSE, FIXED, list(UNBALANCED))
    present = model.ratio > 0
    contrast = np.array([1.0, -1.0])
    at = np.array([*model.variances[present], model.residual])

    def parts(variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ratio = np.zeros(2)
        ratio[present] = np.sqrt(variances[:-1] / variances[-1])
        whole = variances[-1] * covariance(ratio.tolist())
        return whole, FIXED.T @ np.linalg.inv(whole) @ FIXED

    def variance(variances: np.ndarray) -> float:
        return contrast @ np.linalg.inv(parts(variances)[1]) @ contrast

    def deviance(variances: np.ndarray) -> float:
        whole, information = parts(variances)
        fixed = np.linalg.solve(information, FIXED.T @ np.linalg.solve(whole, RESPONSE))
        left = RESPONSE - FIXED @ fixed
        logs = np.linalg.slogdet(whole)[1] + np.linalg.slogdet(information)[1]
        return logs + left @ np.linalg.solve(whole, left)

    slope = approx_fprime(at, variance, 1e-6 * at)
    bend = np.array([approx_fprime(at, lambda v, i=i: approx_fprime(v, deviance, 1e-4 * at)[i], 1e-4 * at)
                     for i in range(len(at))])  # fmt: skip
    expected = 2 * variance(at) ** 2 / (slope @ (2 * np.linalg.inv(bend)) @ slope)
    assert model.freedom_of(contrast) == pytest.approx(expected, rel=0.02)


def test_a_component_that_is_not_there_is_zero_and_leaves_least_squares():
    values = np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0])  # the same mean at every level
    model = fit(values, np.ones((8, 1)), [np.repeat(np.arange(2), 4)])
    assert model.ratio.tolist() == [0]
    assert model.residual == pytest.approx(values.var(ddof=1))
    assert model.freedom_of(np.ones(1)) == pytest.approx(7, rel=1e-3)


def test_the_levels_of_all_factors_together_are_limited():
    factors = [np.arange(2_000), np.arange(2_000) % 1_001]
    with pytest.raises(BadInput, match=r"3,001 levels of random factors are too many; at most 3,000 are supported"):
        CrossedDesign.of(np.zeros(2_000), np.ones((2_000, 1)), factors)


def test_the_analysis_of_variance_of_two_factors_by_hand():
    system, topic, residual = variance_table(np.array([[1.0, 2.0, 6.0], [2.0, 6.0, 13.0]]), ("system", "topic"))
    assert system[:4] == ("system", 1, pytest.approx(24), pytest.approx(24))
    assert topic[:4] == ("topic", 2, pytest.approx(67), pytest.approx(33.5))
    assert residual[:4] == ("residual", 2, pytest.approx(9), pytest.approx(4.5))
    assert (residual.f, residual.p) == (None, None)
    assert (system.f, system.p) == pytest.approx((24 / 4.5, stats.f.sf(24 / 4.5, 1, 2)))


def test_squares_that_are_only_rounding_are_zero():
    added = np.add.outer([0.1, 0.3], [0.2, 0.7, 0.6])
    system, topic, residual = variance_table(added, ("system", "topic"))
    assert (residual.squares, system.f, topic.p) == (0, None, None)
    assert system.squares == pytest.approx(0.06)


def test_only_measures_whose_component_is_zero_say_so():
    names = ("a", "b") * 4
    topics = tuple(f"t{n // 2}" for n in range(8))
    balanced = np.array([1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0, 1.0])  # every topic has the same mean
    varied = balanced + np.repeat([0.0, 5.0, 9.0, 2.0], 2)
    measures = [
        pd.DataFrame({"measure": measure, "system": names, "topic": topics, "value": values})
        for measure, values in {"first": balanced, "second": varied}.items()
    ]
    model = cranfield.mixed_model(pd.concat(measures), random="topic")
    assert [note for note in model.notes if "variance of" in note] == ["first: the variance of topic is 0"]


def rated(**changed) -> pd.DataFrame:
    rows = [(s, f"q{q}", 0.1 * q + (s == "new") * 0.01 * ((q * 7) % 5)) for q in range(6) for s in ("new", "old")]
    return pd.DataFrame(rows, columns=["system", "query", "value"]).assign(**changed)


def test_rows_that_summarise_or_repeat_others_are_refused():
    frame = rated()
    means = frame.groupby("system", as_index=False)["value"].mean().assign(query="all")
    with pytest.raises(BadInput, match="query 'all' contains the means of the others; leave it out"):
        cranfield.mixed_model(pd.concat([frame, means]))
    with pytest.raises(BadInput, match="12 of 24 rows repeat the value of another row with the same system, query"):
        cranfield.mixed_model(pd.concat([frame, frame]))
    again = frame.assign(value=frame["value"] + np.linspace(0, 0.02, len(frame)))
    assert cranfield.mixed_model(pd.concat([frame, again])).contrasts


def test_the_index_that_pandas_writes_is_no_factor(tmp_path):
    rated().to_csv(tmp_path / "values.csv")
    expected = cranfield.mixed_model(rated(), "old").contrasts
    assert cranfield.mixed_model(tmp_path / "values.csv", "old").contrasts == expected


def test_spellings_and_percentages_are_pointed_out():
    frame = rated()
    frame.loc[3, "system"] = "old "
    assert "the systems 'old' and 'old ' differ only by surrounding blanks; are they the same?" in str(
        cranfield.mixed_model(frame)
    )
    percentages = rated(value=lambda table: table["value"] * np.where(table["system"] == "new", 100, 1))
    assert "are some of them percentages?" in str(cranfield.mixed_model(percentages))


def test_combinations_of_levels_are_not_merged_by_their_names():
    observed = Observations(np.zeros(2), {"system": ("a b", "a"), "topic": ("c", "b c"), "time: s": ("1", "2")})
    assert observed.levels("system:topic")[1].tolist() == [0, 1]
    assert observed.levels("time: s")[0] == ["1", "2"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("new", [[0.2, 0.35, 0.5, 0.8], [0.1, 0.25, 0.4, 0.7]])
@pytest.mark.parametrize("old", [[0.1, 0.25, 0.4, 0.7], [0.5, 0.5, 0.5, 0.5]])
def test_differences_without_variance_are_not_tested(new, old):
    constant = [0.75] * 4 if old == [0.5] * 4 else new
    model = cranfield.mixed_model({"new": constant, "old": old}, "old")
    (contrast,) = model.contrasts
    assert contrast.difference == pytest.approx(constant[0] - old[0])
    assert contrast[4:] == (None,) * 7
    assert "value: no test: system and unit explain every value exactly, so there is no residual variance" in str(model)
    assert not model.components
