"""What version 10 has and pytrec_eval lacks, against the rules rank by rank."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trec_eval import model
from trec_eval.model import Grades, Valued
from trec_eval.running import run

_TENTHS = [place / 10 for place in range(11)]
_SAID = {1: 3.0, 2: 9.0, 4: 4.5}

CASES: dict[str, tuple[list[str], Valued]] = {
    "dcg": ([], lambda r, p: model.discounted(r, p, {})),
    "ideal_dcg": ([], lambda r, p: model.ideal_discounted(r, p, {})),
    "dcg_1=3,2=9,4=4.5": ([], lambda r, p: model.discounted(r, p, _SAID)),
    "ideal_dcg_1=3,2=9,4=4.5": ([], lambda r, p: model.ideal_discounted(r, p, _SAID)),
    "ndcg_1=3,2=9,4=4.5": ([], lambda r, p: model.normalised(r, p, _SAID)),
    "ndcg_0=1": ([], lambda r, p: model.normalised(r, p, {0: 1.0})),
    "ndcg_1=-2": ([], lambda r, p: model.normalised(r, p, {1: -2.0})),
    "ndcg_-1=0.5,-2=2": ([], lambda r, p: model.normalised(r, p, {-1: 0.5, -2: 2.0})),
    "ndcg_rel_1=3,2=9,4=4.5": ([], lambda r, p: model.at_relevant(r, p, _SAID)),
    "G_1=3,2=9,4=4.5": ([], lambda r, p: model.normalised_gain(r, p, _SAID)),
    "rbp": ([], lambda r, p: model.rank_biased(r, p, {}, 0.9)),
    "rbp_p=0.5": ([], lambda r, p: model.rank_biased(r, p, {}, 0.5)),
    "rbp_1=0.2,p=0.8,2=0.7": ([], lambda r, p: model.rank_biased(r, p, {1: 0.2, 2: 0.7}, 0.8)),
    "rbp_0=-1,3=2": ([], lambda r, p: model.rank_biased(r, p, {0: -1.0, 3: 2.0}, 0.9)),
    "rbp_-1=0.5": ([], lambda r, p: model.rank_biased(r, p, {-1: 0.5}, 0.9)),
    "rbp_resid": ([], lambda r, p: model.residual(r, 0.9)),
    "rbp_resid_p=0.8": ([], lambda r, p: model.residual(r, 0.8)),
    "unj_2": ([], lambda r, p: model.unjudged(r, 2)),
    "yaap": ([], lambda r, p: model.yaap(r, p, 1)),
    "iprec_at_recall_0.25": ([], lambda r, p: model.interpolated(r, p, 1, 0.25)),
    "iprec_at_recall_0.50": (["-l", "2"], lambda r, p: model.interpolated(r, p, 2, 0.5)),
    "11pt_avg": ([], lambda r, p: model.average(r, p, 1, _TENTHS)),
    "11pt_avg_.25,.5,.75": ([], lambda r, p: model.average(r, p, 1, [0.25, 0.5, 0.75])),
    "11pt_avg_.5,1.5,2": ([], lambda r, p: model.average(r, p, 1, [0.5, 1.5, 2])),
    "set_F_0.5": ([], lambda r, p: model.f_measure(r, p, 1, 0.5)),
    "set_F_3,7": (["-l", "2"], lambda r, p: model.f_measure(r, p, 2, 3)),
    "utility_2,-1,0,0": ([], lambda r, p: model.utility(r, p, 1, (2, -1, 0, 0), 0)),
    "utility_1,-.5,-2,.25": (["-N", "50"], lambda r, p: model.utility(r, p, 1, (1, -0.5, -2, 0.25), 50)),
}


def asked(name: str) -> str:
    """A printed name as it is asked for."""
    for stem in ("ndcg_rel", "ideal_dcg", "rbp_resid", "iprec_at_recall", "11pt_avg", "set_F"):
        if name.startswith(f"{stem}_"):
            return f"{stem}.{name[len(stem) + 1 :]}"
    return name if name in ("11pt_avg", "ideal_dcg", "rbp_resid") else name.replace("_", ".", 1)


@st.composite
def topics(draw: st.DrawFn) -> list[tuple[Grades, Grades]]:
    """Rankings with their pools: a topic has a judgment, and a ranking something in it."""
    grade = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 4])
    drawn = []
    for _ in range(draw(st.integers(1, 4))):
        ranked = draw(st.lists(grade, min_size=1, max_size=12))
        missed = draw(st.lists(st.sampled_from([-2, 0, 1, 2, 3, 4]), max_size=5))
        drawn.append((ranked, [given for given in ranked if given != -1] + [*missed, 0]))
    return drawn


def written(drawn: list[tuple[Grades, Grades]], folder: Path) -> tuple[Path, Path]:
    """The topics as files, a -2 as a judgment of -1."""
    judged, ranked = [], []
    for topic, (grades, pool) in enumerate(drawn):
        for rank, grade in enumerate(grades):
            ranked.append(f"{topic} Q0 d{rank} 0 {-rank} tag\n")
            judged += [f"{topic} 0 d{rank} {max(grade, -1)}\n"] * (grade != -1)
        rest = pool[sum(grade != -1 for grade in grades) :]
        judged += [f"{topic} 0 m{place} {max(grade, -1)}\n" for place, grade in enumerate(rest)]
    (folder / "qrels").write_text("".join(judged))
    (folder / "run").write_text("".join(ranked))
    return folder / "qrels", folder / "run"


@pytest.mark.parametrize("name", CASES)
@given(drawn=topics())
def test_a_measure_is_printed_as_the_rules_have_it(name: str, drawn: list[tuple[Grades, Grades]]) -> None:
    arguments, value = CASES[name]
    values = [value(ranked, pool) for ranked, pool in drawn]
    lines = [f"{name:<22}\t{topic}\t{each:6.4f}\n" for topic, each in enumerate(values)]
    lines.append(f"{name:<22}\tall\t{sum(values) / len(values):6.4f}\n")
    with tempfile.TemporaryDirectory() as folder:
        done = run("-q", *arguments, "-m", asked(name), *written(drawn, Path(folder)))
    assert done.out == "".join(lines)


@pytest.mark.parametrize(
    ("p", "rankings"),
    [("0.0105", [[0, -1], [0, 0]]), ("0.1127", [[0, 0, 0], [0, -1]]), ("0.0917", [[0, -1, -1, -1], [-1]])],
)
def test_residuals_are_rounded_as_they_are_added_up(p: str, rankings: list[Grades], tmp_path: Path) -> None:
    done = run("-m", f"rbp_resid.p={p}", *written([(ranked, [0, 0, 0]) for ranked in rankings], tmp_path))
    mean = sum(model.residual(ranked, float(p)) for ranked in rankings) / len(rankings)
    assert done.out == f"{f'rbp_resid_p={p}':<22}\tall\t{mean:6.4f}\n"


@given(drawn=topics())
def test_a_string_of_grades_is_printed_for_each_topic(drawn: list[tuple[Grades, Grades]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        done = run("-q", "-m", "relstring.5", *written(drawn, Path(folder)))
    expected = [
        f"{'relstring_5':<22}\t{topic}\t'{model.string(grades, 5)}'\n" for topic, (grades, _) in enumerate(drawn)
    ]
    assert done.out == "".join(expected)
