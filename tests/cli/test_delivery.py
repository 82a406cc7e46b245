"""Output goes where it should, whole or not at all, and no input is ever overwritten."""

from __future__ import annotations

import json
import os
import pty
import resource
import shlex
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import pytest

from cli.files import written
from cranfield import evaluate
from cranfield.cli.main import main
from cranfield.results.values import Result
from cranfield.results.writing import save
from time_limits import HANGS

PROGRAM = [sys.executable, "-c", "import sys; from cranfield.commands.process import main; sys.exit(main())"]
Capture = pytest.CaptureFixture[str]

COMMANDS = [  # every command that writes a file, with the files it reads in capitals
    "eval QRELS RUN OTHER --topics TOPICS -o",
    "answers NUGGETS CITATIONS -o",
    "compare QRELS RUN OTHER -o",
    "compare --answers NUGGETS -o",
    "compare --values VALUES -o",
    "bayes QRELS RUN OTHER -o",
    "bayes --values VALUES -o",
    "estimate --human QRELS --machine MORE RUN -o",
    "estimate --human VALUES --machine MORE -o",
    "classify ITEMS -a label -p guess -o",
    "regress ITEMS -a x -p y -o",
    "curve QRELS RUN -o",
    "plot systems QRELS RUN -o",
    "plot confusion ITEMS -a label -p guess -o",
    "report QRELS RUN -o",
    "report --classify ITEMS --actual label --predicted guess -o",
    "check GATES -o",
    "audit --human QRELS --machine MORE RUN -o",
    "label RUN OTHER --topics TOPICS --documents DOCUMENTS --endpoint http://127.0.0.1:1 --model m -o",
    "fetch TOPICS --url http://127.0.0.1:1 --engine json -o",
    "history STORE -o",
    "pool RUN OTHER -o",
    "pool RUN OTHER --qrels QRELS --later MORE -o",
    "plan QRELS RUN OTHER --difference 0.1 -o",
    "reproduce QRELS RUN OTHER -o",
    "reproduce --values VALUES -o",
    "latent QRELS RUN OTHER -o",
    "latent --values VALUES -o",
    "correlate QRELS RUN OTHER --also MORE -o",
    "correlate --values VALUES -o",
    "correlate --orders VALUES -o",
    "agree RATINGS --run RUN --run OTHER -o",
    "mixed QRELS RUN OTHER -o",
    "mixed --values VALUES -o",
    "monitor QRELS RUN OTHER -o",
    "monitor --values VALUES -o",
    "meta . -o",
    "measures -o",
    "findings -o",
    "advise -o",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_overwrites_its_input(command: str, at_the_files: Path, capsys: Capture) -> None:
    words = [f"{word}.csv" if word.isupper() else word for word in shlex.split(command)]
    inputs = [word for word in words if word.endswith(".csv")]
    for name in inputs:
        Path(name).write_text(name)
    for name in inputs:
        for output in _names_of(name):
            assert main([*words, output]) == 1
            assert f"{output}: this would overwrite the input {name}" in capsys.readouterr().err
        assert Path(name).read_text() == name


def _names_of(path: str) -> list[str]:
    """The path itself, another way to it, a link to it and another name of it."""
    os.symlink(path, f"link-{path}")
    os.link(path, f"hard-{path}")
    return [path, str(Path(path).absolute()), f"link-{path}", f"hard-{path}"]


@pytest.mark.parametrize("command", ["meta first second -m AP -b bm25", "report --collections first second"])
def test_no_file_of_a_collection_is_overwritten(command: str, at_the_files: Path, capsys: Capture) -> None:
    for folder in ("first", "second"):
        Path(folder).mkdir()
        for name in ("qrels.txt", "bm25.run"):
            Path(folder, name).write_text(name)
    os.link("second/qrels.txt", "hard.txt")
    for output in ("first/qrels.txt", "second/../second/qrels.txt", "hard.txt"):
        assert main([*shlex.split(command), "-o", output]) == 1
        assert f"{output}: this would overwrite the input " in capsys.readouterr().err
        assert Path(output).read_text() == "qrels.txt"


def test_standard_input_is_not_overwritten_either() -> None:
    with open("good.run") as run:
        done = subprocess.run(
            [*PROGRAM, "eval", "qrels.txt", "-", "-f", "csv", "-o", "good.run"],
            stdin=run,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "overwrite" in done.stderr


def test_every_command_that_writes_a_file_is_looked_at() -> None:
    from cranfield.cli.main import app

    context = click.Context(app)
    commands = [app.get_command(context, name) for name in app.list_commands(context)]
    writing = {command.name for command in commands if any(option.name == "output" for option in command.params)}
    assert writing == {command.split()[0] for command in COMMANDS}


def test_a_disk_that_is_full_leaves_the_old_file(at_the_files: Path) -> None:
    Path("old.json").write_text("old")
    done = subprocess.run(
        [*PROGRAM, "eval", "qrels.txt", "good.run", "-q", "-o", "old.json"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # importlib would not notice that bytecode is cut off
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )
    assert done.returncode == 1
    assert done.stderr == f"cranfield: {Path('old.json').resolve()}: File too large\n"
    assert Path("old.json").read_text() == "old"
    assert not [name for name in os.listdir() if name.endswith(".part")]


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    save(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_the_process_asks_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save(tmp_path / "file", b"\x00")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_devices_and_pipes_are_written_to(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="/dev/full"):
        save("/dev/full", "text")
    save("/dev/null", "text")
    os.mkfifo(tmp_path / "fifo")
    reader = subprocess.Popen(["cat", tmp_path / "fifo"], stdout=subprocess.PIPE)
    save(tmp_path / "fifo", "text")
    assert reader.communicate(timeout=HANGS)[0] == b"text"


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no folder in memory")
def test_files_in_memory_are_replaced_like_those_on_a_disk() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "file"
        path.write_text("old")
        with path.open() as opened:
            save(path, "new")
            assert opened.read() == "old"  # not written over
        assert path.read_text() == "new"


@pytest.mark.parametrize("write", [Result.to_parquet, Result.save])
def test_a_disk_that_is_full_leaves_the_old_file_of_python_too(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    result = evaluate({"q": {"a": 1}}, {"q": {"a": 1.5}}, "AP")
    (tmp_path / "file").write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
        with pytest.raises(OSError, match="File too large"):
            write(result, tmp_path / "file")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "file").read_text() == "old"
    assert not [*tmp_path.glob("*.part")]


@pytest.mark.parametrize(
    "arguments",
    [
        "eval qrels.txt good.run -f csv -o /dev/full",
        "eval qrels.txt good.run -f csv",
        "trec_eval qrels.txt good.run",
        "plot strips qrels.txt good.run",
        "measures",
    ],
)
def test_what_cannot_be_written_is_said_in_one_line(arguments: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("command", "output"),
    [
        *(
            ("eval qrels.txt good.run -f csv -m AP", output)
            for output in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
        ),
        ("report qrels.txt good.run", "/dev/stdout"),
    ],
)
def test_the_file_that_standard_output_goes_to_is_appended_to(command: str, output: str) -> None:
    Path("log").write_text("before\n")
    with open("log", "a") as log:
        subprocess.run([*PROGRAM, *command.split(), "-o", output], stdout=log, check=True)
    assert Path("log").read_text().startswith(("before\nsystem,measure", "before\n<!DOCTYPE html>"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_json_in_every_encoding(encoding: str) -> None:
    Path("items.csv").write_text("label,guess\né,é\n日本,é\n😀,😀\n")
    command = [*PROGRAM, "classify", "items.csv", "-a", "label", "-p", "guess", "-f", "json"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": encoding}, check=True)
    assert json.loads(done.stdout.decode(encoding))["systems"]["guess"]["labels"] == ["é", "日本", "😀"]


HOSTILE = "a\x1b[2J\x1b]0;title\x07\u202eb\u2066\x9b1mc\x7f"


ON_A_TERMINAL = [
    *(f"classify items.csv -a label -p guess -f {form}" for form in ("table", "csv", "json", "markdown", "html")),
    "classify items.csv -a label -p guess --findings",
    "classify items.csv -a guess -p HOSTILE",
    "classify items.csv -a label -p guess --positive HOSTILE",
    "eval qrels.txt HOSTILE.run -q -m AP",
    "eval qrels.txt HOSTILE.run -q -m AP -f csv",
    "eval qrels.txt good.run -m HOSTILE",
    "eval qrels.txt missing-HOSTILE",
    "eval --HOSTILE",
    "HOSTILE",
    "plot confusion items.csv -a label -p guess",
    "plot strips qrels.txt HOSTILE.run",
    "curve qrels.txt HOSTILE.run --form ranks",
    "compare qrels.txt HOSTILE.run good.run -m AP",
    "trec_eval -q qrels.txt HOSTILE.run",
    "trec_eval qrels.txt missing-HOSTILE",
]
ONE_BY_ONE = """
import sys
from cranfield.cli.main import main
for command in sys.argv[1:]:
    main(command.split())
    print(end="\\0", flush=True)
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What reaches a terminal from standard output and standard error, by command; one process runs them all."""
    folder = written(tmp_path_factory.mktemp("terminal"))
    (folder / "items.csv").write_text(f"label,guess\n{HOSTILE},{HOSTILE}\n{HOSTILE},x\nx,x\n")
    (folder / "qrels.txt").write_text(f"{HOSTILE} 0 {HOSTILE} 1\nq1 0 d1 1\n")
    (folder / f"{HOSTILE}.run").write_text(f"{HOSTILE} Q0 {HOSTILE} 1 2 {HOSTILE}\nq1 Q0 d1 1 1 t\nq1 Q0 d2 1 1 t\n")
    commands = [command.replace("HOSTILE", HOSTILE) for command in ON_A_TERMINAL]
    leader, follower = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200"}
    arguments = [sys.executable, "-c", ONE_BY_ONE, *commands]
    streams = {"stdin": follower, "stdout": follower, "stderr": follower}
    process = subprocess.Popen(arguments, cwd=folder, env=environment, **streams)
    os.close(follower)
    text = _read(leader).decode().replace("\r\n", "\n")
    assert process.wait(HANGS) == 0, text
    return dict(zip(ON_A_TERMINAL, text.split("\0")[:-1], strict=True))


def _read(terminal: int) -> bytes:
    read = b""
    try:
        while part := os.read(terminal, 1 << 16):
            read += part
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(terminal)
    return read


@pytest.mark.parametrize("command", ON_A_TERMINAL)
def test_no_control_character_reaches_a_terminal(command: str, shown: dict[str, str]) -> None:
    text = shown[command].replace("\n", "").replace("\t", "")
    assert text
    assert text.isprintable(), [sign for sign in text if not sign.isprintable()]


def test_a_long_message_is_cut() -> None:
    name = "x" * 200_000
    Path("items.csv").write_text(f"{name},guess\na,a\n")
    done = subprocess.run(
        [*PROGRAM, "classify", "items.csv", "-a", "y", "-p", "guess"], capture_output=True, check=False
    )
    assert done.returncode == 1
    assert len(done.stderr) < 1_000
