"""Families of comparisons: which p-values are adjusted together, which intervals hold together, and who says so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.comparison.compare import compare_samples as compare
from cranfield.comparison.tables import differences
from cranfield.errors import BadSetting
from cranfield.evidence.samples import samples
from cranfield.present.formats import html, latex, markdown
from cranfield.statistics.tests import known_tests

EXAMPLES = Path(__file__).parents[2] / "examples"
RNG = np.random.default_rng(7)
BASE = RNG.random(15)
VALUES = {"a": BASE, "b": BASE + RNG.normal(0.3, 0.1, 15), "c": BASE + RNG.normal(0.05, 0.15, 15)}
OTHER = {name: RNG.random(15) for name in VALUES}
SETTINGS = {"tost": {"margin": 0.3}, "corrected t": {"overlap": 0.1}, "dunnett": {"baseline": "a"}}
TESTS = [name for name in known_tests() if name not in ("mcnemar", "5x2cv")]


def of(*names: str, **settings: object):
    return compare({name: samples(VALUES if n == 0 else OTHER) for n, name in enumerate(names)}, **settings)


@pytest.mark.parametrize("correction", [None, "holm", "bonferroni", "benjamini-hochberg", "none"])
@pytest.mark.parametrize("test", TESTS)
def test_more_measures_change_no_verdict_on_one(test, correction):
    if known_tests()[test].simultaneous and correction not in (None, "none"):
        pytest.skip("such a test corrects itself")
    asked = {"test": test, "correction": correction, **SETTINGS.get(test, {})}
    alone, among = of("AP", **asked), of("AP", "RR", "P@5", "Rprec", "nDCG", **asked)
    for row in alone.rows:
        other = among.row(row.system, row.baseline, "AP")
        assert (other.adjusted_p, other.significant) == (row.adjusted_p, row.significant)
        assert (other.low, other.high) == pytest.approx((row.low, row.high), nan_ok=True)


def test_max_t_is_within_a_measure_unless_asked_for_all():
    asked = {"test": "randomisation", "correction": "max-T", "resamples": 2_000}
    alone, among, together = of("AP", **asked), of("AP", "RR", **asked), of("AP", "RR", family="all", **asked)
    assert [row.adjusted_p for row in among.rows[:3]] == [row.adjusted_p for row in alone.rows]
    assert together.rows[0].adjusted_p >= among.rows[0].adjusted_p


def test_all_covers_measures_too():
    found = of("AP", "RR", family="all", correction="bonferroni")
    assert [row.adjusted_p for row in found.rows] == pytest.approx([min(1, 6 * row.p) for row in found.rows])
    tukey = of("AP", "RR", family="all", test="tukey")
    assert [row.adjusted_p for row in tukey.rows] == pytest.approx([min(1, 2 * row.p) for row in tukey.rows])


def test_what_is_no_family_is_refused():
    with pytest.raises(BadSetting, match="must be one of 'measure', 'all', not 'systems'"):
        of("AP", family="systems")


@pytest.mark.parametrize("family", ["measure", "all"])
@pytest.mark.parametrize("asked", [{"correction": "bonferroni"}, {"test": "tukey"}])
def test_simultaneous_intervals_agree_with_corrected_verdicts(asked, family):
    found = of("AP", "RR", family=family, **asked)
    assert any(row.significant for row in found.rows)
    for row in found.rows:
        assert row.significant == (row.low > 0 or row.high < 0)
        assert row.interval.endswith("simultaneous")


def test_simultaneous_intervals_of_equivalence_agree_with_corrected_verdicts():
    for margin in np.linspace(0.01, 0.4, 40):
        for row in of("AP", test="tost", margin=float(margin), correction="bonferroni").rows:
            assert row.significant == (max(abs(row.low), abs(row.high)) < margin)


def test_nemenyi_has_no_interval_of_means_and_says_the_critical_difference():
    found = of("AP", test="nemenyi")
    assert all(np.isnan(row.low) and row.interval == "" for row in found.rows)
    assert "critical difference" in found.remarks["AP"]
    assert found.bounds.startswith("none: the test compares mean ranks")


def said(**settings: object) -> list[str]:
    """What every format says of the family and of the intervals."""
    found = of("AP", "RR", **settings)
    table = differences(found, 4)
    drawn = ["\n".join(line for line in latex(table).splitlines() if line[:1] != "%"), markdown(table), html(table)]
    return [found.to_csv(), found.to_json(), *(" ".join(text.split()) for text in drawn)]


@pytest.mark.parametrize(
    ("settings", "correction", "interval"),
    [
        ({}, "Holm over 3 comparisons within each measure", "for single differences, not adjusted"),
        ({"family": "all"}, "Holm over 6 comparisons on all 2 measures", "for single differences, not adjusted"),
        (
            {"correction": "benjamini-hochberg"},
            "Benjamini-Hochberg over 3 comparisons within each measure",
            "for single differences, not adjusted",
        ),
        (
            {"test": "randomisation", "correction": "max-T"},
            "max-T over 3 comparisons within each measure",
            "for single differences, not adjusted",
        ),
        ({"test": "tukey"}, "the test itself, over all pairs of systems within each measure", "Tukey, simultaneous"),
        ({"correction": "bonferroni"}, "Bonferroni over 3 comparisons within each measure", "t, simultaneous"),
    ],
)
def test_every_format_says_the_family_and_what_intervals_are(settings, correction, interval):
    for text in said(**settings):
        assert correction in text
        assert interval in text


def test_findings_say_the_family():
    sentences = [finding.sentence for finding in cranfield.examine(of("AP", "RR"))]
    assert any("adjusted by Holm over 3 comparisons within each measure" in sentence for sentence in sentences)


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_tiers_agree_with_the_comparison_of_many_measures():
    runs = {name: str(EXAMPLES / f"{name}.run") for name in ("bm25", "dense", "hybrid")}
    result = cranfield.evaluate(str(EXAMPLES / "qrels.txt"), runs, ["AP", "RR", "P@5", "GMAP", "nDCG@10"])
    found = result.compare()
    for measure in map(str, result.measures):
        apart = {(row.system, row.baseline) for row in found.rows if row.measure == measure and row.significant}
        table = result.plot.tiers(measure).data.to_pylist()
        tiers = {row["system"]: {*row["tiers"].split()} - {"alone"} for row in table}
        assert apart == {
            (row.system, row.baseline) for row in found.rows if not tiers[row.system] & tiers[row.baseline]
        }
    assert "Holm over 3 comparisons" in result.plot.tiers("AP").about


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["compare", *arguments, "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_means_are_over_the_queries_that_differences_are_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "qrels").write_text("".join(f"{q} 0 r 1\n{q} 0 x 0\n" for q in range(1, 6)))
    (tmp_path / "a.run").write_text("".join(f"{q} Q0 r 1 {q % 2 + 1} a\n{q} Q0 x 2 1.5 a\n" for q in range(1, 6)))
    (tmp_path / "b.run").write_text("".join(f"{q} Q0 r 1 {q % 3} b\n{q} Q0 x 2 1.5 b\n" for q in range(2, 5)))
    for skip in ("zero", "skip"):
        given = [str(tmp_path / name) for name in ("qrels", "a.run", "b.run")]
        measures = ["-m", "AP", "-m", "GMAP", "-m", "NumRelRet", "--missing", skip]
        found = command(capsys, *given, *measures)
        values = {(row["system"], row["measure"]): row for row in found["intervals"]}
        for row in found["comparisons"]:
            if row["measure"] != "GMAP":
                low, high = (values[row[side], row["measure"]] for side in ("system", "baseline"))
                assert low["low"] is None or low["low"] <= row["mean"] <= low["high"]
                assert high["low"] is None or high["low"] <= row["baseline_mean"] <= high["high"]
        assert main(["compare", *given, *measures, "--digits", "6"]) == 0
        printed = capsys.readouterr().out.split()
        ap = next(row for row in found["comparisons"] if row["measure"] == "AP")
        for side in ("mean", "baseline_mean"):
            assert f"{ap[side]:.6f}" in printed
