"""`cranfield advise` leads from questions to measures that exist and to commands that run."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cranfield.advice.advise import command, leaves
from cranfield.advice.questions import QUESTIONS, Advice, Answer, Question
from cranfield.cli.main import main
from cranfield.measures.graded import takes_top_grade
from cranfield.measures.naming import parse
from time_limits import HANGS

PROGRAM = [sys.executable, "-c", "import sys; from cranfield.commands.process import main; sys.exit(main())"]
PATHS = list(leaves())
Capture = pytest.CaptureFixture[str]

FILES = {
    "QRELS": "q1 1 a 2\nq1 2 b 1\nq1 1 c 0\nq1 1 d 0\nq2 1 a 1\nq2 2 b 0\nq2 2 c 3\n",
    "PREFERENCES": "q1 1 g a 2\nq1 1 g b 1\nq2 1 g a 1\nq2 1 g c 3\n",
    "BASELINE": "q1 Q0 a 1 3 r\nq1 Q0 x 2 2 r\nq2 Q0 b 1 2 r\nq2 Q0 c 2 1 r\n",
    "RUN": "q1 Q0 b 1 3 r\nq1 Q0 x 2 2 r\nq1 Q0 a 3 1 r\nq2 Q0 c 1 2 r\nq2 Q0 b 2 1 r\n",
    "ITEMS": "item,popularity,genres,group\na,3,x,g\nb,2,x|y,h\nc,1,z,g\nx,1,y,h\n",
    "NUGGETS": "query,nugget,importance,support,length\nq,a,vital,support,90\nq,b,okay,partial_support,90\n",
    "CITATIONS": "query,sentence,citation,support\nq,1,d1,full\nq,2,,\n",
    "distributions": "ACTUAL,PREDICTED,DEVIATION,LOWER,UPPER,Q10,Q50,Q90,MEMBER1,MEMBER2\n"
    "1,1,1,0,3,0,1,2,1,2\n2,1,1,0,3,1,2,3,1,3\n4,3,1,2,3,2,3,5,2,5\n",
    "labels": "ACTUAL,PREDICTED,SCORE,PROBABILITY\n"
    + "1,1,0.9,0.9\n1,0,0.4,0.4\n0,0,0.2,0.2\n0,1,0.6,0.6\n1,1,0.7,0.7\n" * 5,  # enough to cross-validate
    "several": "ACTUAL,PREDICTED\na,a\nb,b\nc,a\nb,c\n",
    "multilabel": 'ACTUAL,PREDICTED\n"a,b",a\nb,b\n"a,c",c\n',
    "judges": "item,anna,ben\n1,2,1\n2,0,0\n3,1,1\n4,2,2\n",
}


def words(path: tuple[Answer, ...]) -> list[str]:
    return [answer.word for answer in path]


def advice(path: tuple[Answer, ...]) -> Advice:
    assert isinstance(path[-1].leads_to, Advice)
    return path[-1].leads_to


@pytest.mark.parametrize("path", PATHS, ids=lambda path: "-".join(words(path)))
def test_every_command_runs_and_gives_every_measure_a_value(
    path: tuple[Answer, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    line = command(advice(path)).replace("--judgments prefs QRELS", "--judgments prefs PREFERENCES")
    own = {"judges": "judges", "distributions": "distributions"}.get(path[0].word)
    table = own or {"several": "several", "clusters": "several", "labels": "multilabel"}.get(path[1].word)
    program, *arguments = shlex.split(line.replace("FILE", table or "labels"))
    assert program == "cranfield"
    assert main([*arguments, "--quiet", "-f", "json"]) == 0
    written = capsys.readouterr().out
    for name, _ in advice(path).measures:
        measure = parse(name, advice(path).kinds)
        if takes_top_grade(measure.options):
            measure = measure(top=3)  # the highest grade of the file
        assert json.dumps(str(measure))[1:-1] in written


def test_every_word_is_one_word_and_leads_on() -> None:
    def asked(question: Question) -> list[Question]:
        inner = [answer.leads_to for answer in question.answers if isinstance(answer.leads_to, Question)]
        return [question, *(each for one in inner for each in asked(one))]

    for question in asked(QUESTIONS):
        names = [answer.word for answer in question.answers]
        assert len(set(names)) == len(names) >= 2
        assert all(name == shlex.quote(name) and not name.isdecimal() for name in names)
        assert question.text.endswith("?")


def test_answers_lead_to_measures(capsys: Capture) -> None:
    assert main(["advise", "ranking", "sparse", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answers"] == ["ranking", "sparse"]
    assert [one["measure"] for one in found["measures"]] == ["RR@10", "Success@10", "R@100"]
    assert found["command"] == "cranfield eval QRELS RUN -m RR@10 -m Success@10 -m R@100"


def test_numbers_are_answers_too(capsys: Capture) -> None:
    assert main(["advise", "1", "3"]) == 0
    numbered = capsys.readouterr().out
    assert main(["advise", "ranking", "sparse"]) == 0
    assert capsys.readouterr().out == numbered


def test_without_all_answers_the_next_question_is_printed(capsys: Capture) -> None:
    assert main(["advise", "labels", "-f", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["answer,meaning", "two,two: positive and negative"]
    assert main(["advise", "labels"]) == 0
    assert "How many classes are there?" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["rankings"], "What is evaluated? 'rankings' is not an answer; use one of ranking, labels, scores"),
        (["ranking", "0"], "'0' is not an answer"),
        (["ranking", "sparse", "page"], "'page' answers no question: ranking sparse already answers all of them"),
    ],
)
def test_other_answers_are_refused(given: list[str], told: str, capsys: Capture) -> None:
    assert main(["advise", *given]) == 2
    assert told in capsys.readouterr().err


def typed(keys: bytes) -> tuple[int, str]:
    """The exit status and what stands on a terminal after these keys."""
    leader, follower = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}
    written = b""
    with subprocess.Popen(
        [*PROGRAM, "advise"], stdin=follower, stdout=follower, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        os.write(leader, keys)
        try:
            while part := os.read(leader, 1 << 16):
                written += part
        except OSError:  # how Linux says that the other end is closed
            pass
        process.wait(HANGS)
    os.close(leader)
    return process.returncode, written.decode()


def test_on_a_terminal_it_asks_and_asks_again() -> None:
    status, text = typed(b"ranking\nnonsense\n3\n")
    assert status == 0
    assert "  3  sparse       one or a few relevant documents" in text
    assert "'nonsense' is not an answer" in text
    assert "cranfield eval QRELS RUN -m RR@10" in text


def test_the_end_of_input_ends_it() -> None:
    assert typed(b"ranking\n\x04")[0] == 130
