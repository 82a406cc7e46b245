"""`cranfield correlate --documents`: how alike the rankings of documents in runs are."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput

Capture = pytest.CaptureFixture[str]
approx = pytest.approx


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rankings = {"one": {"q1": "LJBPD", "q2": "abc"}, "two": {"q1": "LPBJD", "q2": "acd"}}
    for name, queries in rankings.items():
        lines = [f"{q} Q0 {doc} {n} {9 - n} {name}\n" for q, docs in queries.items() for n, doc in enumerate(docs, 1)]
        Path(f"{name}.run").write_text("".join(lines))


def extrapolated(one: str, other: str, p: float) -> float:
    """RBO_ext of Webber et al. for lists of the same length k: X_k/k p^k + (1-p)/p Σ X_d/d p^d."""
    shared = [len(set(one[:d]) & set(other[:d])) for d in range(1, len(one) + 1)]
    k = len(one)
    return shared[-1] / k * p**k + (1 - p) / p * sum(x / d * p**d for d, x in enumerate(shared, 1))


def continued(one: list[str], other: list[str], p: float, gained: int) -> float:
    """RBO of lists of one length k that go on: each further rank adds `gained` documents in common, while there are."""
    total, k = 0.0, len(one)
    for d in range(1, 2000):
        shared = len(set(one[:d]) & set(other[:d]))
        total += (1 - p) * p ** (d - 1) * min(shared + gained * max(d - k, 0), d) / d
    return total


def overlaps(one: str, other: str, p: float) -> dict[str, float]:
    low, high = (continued([*one], [*other], p, gained) for gained in (0, 2))
    return {"RBO": extrapolated(one, other, p), "RBO-min": low, "RBO-residual": high - low}


def kendall(one: str, other: str) -> float:
    signs = [(one.index(a) < one.index(b)) == (other.index(a) < other.index(b)) for a, b in combinations(one, 2)]
    return sum(1 if same else -1 for same in signs) / len(signs)


def test_rbo_of_rankings_with_different_documents(capsys: Capture) -> None:
    assert main(["correlate", "--documents", "one.run", "two.run", "--coefficient", "RBO", "--coefficient", "tau-b",
                 "--persistence", "0.8", "-f", "json"]) == 0  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    values = {(row["query"], row["coefficient"]): row["value"] for row in found["queries"]}
    expected = {"q1": extrapolated("LJBPD", "LPBJD", 0.8), "q2": extrapolated("abc", "acd", 0.8)}
    assert {q: values[q, "RBO"] for q in expected} == approx(expected)
    assert values["q1", "tau-b"] == approx(kendall("LJBPD", "LPBJD")) == approx(0.4)
    assert values["q2", "tau-b"] is None
    rbo, tau = found["correlations"]
    assert rbo["value"] == approx(sum(expected.values()) / 2)
    assert "undefined for 1 of 2 queries: the rankings contain different documents" in tau["note"]


def test_tables_show_every_query_and_judgments_are_refused(capsys: Capture) -> None:
    assert main(["correlate", "--documents", "one.run", "two.run"]) == 0
    text = capsys.readouterr().out
    assert "rankings for 2 queries, of 9 documents in all" in text
    lines = [line.split() for line in text.split("Each query")[1].splitlines()]
    assert ["query", "ranking", "other", "RBO", "RBO-min", "RBO-residual"] in lines
    assert ["q2", "one", "two", *(f"{value:.4f}" for value in overlaps("abc", "acd", 0.9).values())] in lines
    assert main(["correlate", "--documents", "one.run", "two.run", "-m", "AP"]) != 0
    assert "takes only runs" in capsys.readouterr().err
    assert main(["correlate", "--documents", "one.run"]) != 0
    assert "only one run" in capsys.readouterr().err
    with pytest.raises(BadInput, match="no query in common"):
        cranfield.correlate_runs({"a": {"q": {"d": 1}}, "b": {"r": {"d": 1}}})


def test_orders_that_do_not_rank_the_same_items_are_compared_by_rbo_and_its_bounds(capsys: Capture) -> None:
    Path("gaps.csv").write_text("town,one,two\nOulu,3,3\nAccra,2,\nÚjezd,1,2\nLa Paz,,1\n")
    assert main(["correlate", "--orders", "gaps.csv", "--persistence", "0.8", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = {row["coefficient"]: row["value"] for row in found["correlations"]}
    assert values == approx(overlaps("OAÚ", "OÚL", 0.8))
    assert main(["correlate", "--orders", "gaps.csv", "--steps"]) == 0
    assert "Pairs in the same order" not in capsys.readouterr().out  # which only rankings of the same items have
    assert main(["correlate", "--orders", "gaps.csv", "--coefficient", "tau-b"]) == 1
    assert "different items (2 occur in only one, such as 'Accra'); only RBO supports that" in capsys.readouterr().err


def test_an_empty_order_is_refused(capsys: Capture) -> None:
    Path("empty.csv").write_text("town,one,two\nOulu,3,\nAccra,2,\n")
    assert main(["correlate", "--orders", "empty.csv"]) == 1
    assert "empty.csv: two has no scores" in capsys.readouterr().err


def test_runs_have_rbo_with_its_bounds_unless_a_coefficient_is_chosen(capsys: Capture) -> None:
    assert main(["correlate", "--documents", "one.run", "two.run", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["coefficient"] for row in found["correlations"]] == ["RBO", "RBO-min", "RBO-residual"]
    own = {row["coefficient"]: row["value"] for row in found["queries"] if row["query"] == "q2"}
    assert own == approx(overlaps("abc", "acd", 0.9))


def test_only_the_first_documents_count_with_a_depth(capsys: Capture) -> None:
    assert main(["correlate", "--documents", "one.run", "two.run", "--depth", "2", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    values = {row["query"]: row["value"] for row in found["queries"] if row["coefficient"] == "RBO"}
    assert values == approx({"q1": extrapolated("LJ", "LP", 0.9), "q2": extrapolated("ab", "ac", 0.9)})
    assert len(found["systems"]) == 6  # documents: L, J and P, and a, b and c


def test_steps_count_the_pairs_of_each_query_with_the_same_documents(capsys: Capture) -> None:
    given = ["correlate", "--documents", "one.run", "two.run", "--coefficient", "tau-a", "--steps"]
    assert main([*given, "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "query,first,second,pairs,concordant,discordant,tied_in_first,tied_in_second,tied_in_both",
        "q1,one,two,10,7,3,0,0,0",
    ]
    assert main(given) == 0
    assert "query  ranking  other  pairs  concordant  discordant" in capsys.readouterr().out


@pytest.mark.parametrize("option", [("--missing", "skip"), ("--ties", "name"), ("--undefined", "skip")])
def test_settings_that_need_judgments_are_refused(option: tuple[str, str], capsys: Capture) -> None:
    assert main(["correlate", "--documents", "one.run", "two.run", *option]) != 0
    assert f"{option[0]} requires judgments" in capsys.readouterr().err
