"""Test the wheel in dist/ outside this folder: `make test-wheel`, `make test-lowest`, `make test-newest`.

The wheel is installed into a new environment, and the tests run in a folder that has tests, examples and documentation,
but no source. Left out are tests that need more than Python, as in `make quick`, or the source. `--lowest` installs the
lowest versions that pyproject.toml allows, `--newest` the newest, and otherwise those of constraints.txt are installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md")
NEEDED = ("tests", "examples", "docs", "tools", "pyproject.toml", *PAGES)
LEFT_OUT = ("benchmarks", "browser", "docs", "packaging", "spark", "laws/test_architecture.py")
OF_THE_SOURCE = "not test_the_data_are_part_of_the_package"
MARKED = "not simulation and not thorough and not beside"


def main() -> None:
    """Install and test; the status is that of pytest."""
    kind, options = (sys.argv[1], sys.argv[2:]) if sys.argv[1:2] in (["--lowest"], ["--newest"]) else ("", sys.argv[1:])
    wheel = next(iter(sorted((ROOT / "dist").glob("*.whl"))), None)  # with the extension, if there is one
    if wheel is None:
        raise SystemExit("there is no wheel in dist/: make release")
    with tempfile.TemporaryDirectory(prefix="cranfield-") as name:
        folder = Path(name)
        python = installed(wheel, kind, folder)
        for needed in NEEDED:
            copy = shutil.copytree if (ROOT / needed).is_dir() else shutil.copy
            copy(ROOT / needed, folder / needed)
        ignored = [f"--ignore=tests/{part}" for part in LEFT_OUT]
        command = [python, "-m", "pytest", "tests", *ignored, "-m", MARKED, "-k", OF_THE_SOURCE, *options]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment["OPENBLAS_NUM_THREADS"] = "1"
        raise SystemExit(subprocess.run(command, cwd=folder, env=environment, check=False).returncode)


def installed(wheel: Path, kind: str, folder: Path) -> Path:
    """The Python of a new environment with the wheel, its extras and what its tests need."""
    versions = ROOT / "constraints.txt"
    if kind:
        versions = folder / "versions.txt"
        resolution = {"--lowest": "lowest-direct", "--newest": "highest"}[kind]
        uv("pip", "compile", "--quiet", "--resolution", resolution, "--python", sys.executable, "--extra", "all",
           "--output-file", versions, ROOT / "pyproject.toml")  # fmt: skip
    uv("venv", "--quiet", "--python", sys.executable, folder / "env")
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    uv(
        "pip",
        "install",
        "--quiet",
        "--compile-bytecode",
        "--python",
        python,
        "--constraint",
        versions,
        f"{wheel}[test-library]",
    )
    return python


def uv(*arguments: str | Path) -> None:
    """Run uv, which resolves the lowest versions too."""
    subprocess.run([Path(sys.executable).with_name("uv"), *arguments], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
