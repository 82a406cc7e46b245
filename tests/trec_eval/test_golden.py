"""Whole outputs, kept as files; tests/golden/trec_eval/README.md says which rule each line is there for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trec_eval.running import run

INPUTS = Path(__file__).parents[1] / "golden" / "trec_eval" / "inputs"

COMMANDS = {
    "official": "-q qrels run",
    "all_trec": "-q -m all_trec qrels run",
    "all_trec.9.0.8": "--compat 9.0.8 -q -m all_trec qrels run",
    "all_trec.pytrec_eval": "--compat pytrec_eval -q -m all_trec qrels run",
    "level": "-q -m all_trec -m relstring.20 -l2 qrels run",
    "complete": "-q -c -m all_trec -m yaap qrels.more run",
    "complete.9.0.8": "--compat 9.0.8 -q -c -m all_trec -m yaap qrels.more run",
    "complete.parameters": "-q -c -m utility.2,-1,0,0 -m rbp_resid.p=0.8 -m relstring.5 -m unj.3 qrels.more run",
    "depth": "-q -M2 -m all_trec qrels run",
    "judged": "-q -J -m all_trec qrels run",
    "parameters": "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 "
    "-m set_F.0.5 -m rbp.p=0.8,1=0.3 -m G.2=5 -mrelstring.20 qrels run",
    "deviations": "-q -Z means -m runid -m num_q -m num_ret -m map -m gm_map -m P.5 -m relstring -m set_F qrels run",
    "groups": "-q -m qrels_jg -R qrels_jg qrels_jg run",
    "preferences": "-q -m all_prefs -R prefs prefs run",
    "qrels_prefs": "-q -m all_prefs -R qrels_prefs qrels run",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_output_is_what_it_was(name: str, golden: Callable[[str, str], None]) -> None:
    *options, judgments, ranked = COMMANDS[name].split()
    options = [str(INPUTS / "means") if word == "means" else word for word in options]
    done = run(*options, INPUTS / judgments, INPUTS / ranked)
    assert (done.said, done.status) == ("", 0)
    golden(f"trec_eval/{name}.txt", done.out)


def test_every_file_is_explained() -> None:
    explained = (INPUTS.parent / "README.md").read_text()
    assert [name for name in COMMANDS if f"`{name}.txt`" not in explained] == []
    assert {path.stem for path in INPUTS.parent.glob("*.txt")} == set(COMMANDS)
