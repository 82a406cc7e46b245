"""Build the sdist and the wheels of this machine into dist/ and check them; `make release`.

Both wheels come from the sdist, as on an index: one with the extension in C, for the stable ABI, and one for machines
without a wheel of their own, which has the NumPy engine alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

from tools.release.index_page import LINK

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
BUILD = ROOT / "build" / "release"
BIN = Path(sys.executable).parent
LEFT_OUT = {".ci/run"}  # how one service runs the tests


def main() -> None:
    """Build, check, install."""
    for folder in (DIST, BUILD):
        shutil.rmtree(folder, ignore_errors=True)
    DIST.mkdir()
    run("python", "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (sdist,) = DIST.glob("*.tar.gz")
    check_contents(sdist)
    wheels = [native_wheel(sdist), pure_wheel(sdist)]
    for wheel in wheels:
        check_links(wheel)
    run("twine", "check", "--strict", sdist, *wheels)
    run("check-wheel-contents", *wheels)
    run("abi3audit", "--strict", wheels[0])
    for wheel in wheels:
        check_installation(wheel)
    print(*("", "ready:", sdist, *wheels), sep="\n")


def run(program: str, *arguments: str | Path, **variables: str) -> str:
    """What a program of this environment prints; its failure ends the release."""
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"} | variables
    print("+", program, *arguments, flush=True)
    # outside the tree, whose folder `build` would hide the module
    done = subprocess.run(
        [shutil.which(program, path=environment["PATH"]) or program, *arguments],
        env=environment, cwd=DIST, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{program} failed with status {done.returncode}")
    return done.stdout


def check_contents(sdist: Path) -> None:
    """Every file under version control is in the sdist, and no other."""
    if not (ROOT / ".git").exists():
        return
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with tarfile.open(sdist) as archive:
        contents = {member.name.partition("/")[2] for member in archive if member.isfile()}
    generated = {name for name in contents if ".egg-info/" in name} | {"PKG-INFO", "setup.cfg"}
    missing, further = set(listing.splitlines()) - LEFT_OUT - contents, contents - generated - set(listing.splitlines())
    if missing or further:
        raise SystemExit(f"{sdist.name} lacks {sorted(missing)} and has {sorted(further)}: see MANIFEST.in")


def native_wheel(sdist: Path) -> Path:
    """The wheel with the extension; on Linux for every distribution with the same or a newer glibc (manylinux)."""
    run("python", "-m", "pip", "wheel", "--no-deps", "--wheel-dir", BUILD, sdist)
    (built,) = BUILD.glob("*.whl")
    if "-abi3-" not in built.name:
        raise SystemExit(f"{built.name} has no extension: a release needs a C compiler")
    if sys.platform == "linux":
        run("auditwheel", "repair", "--wheel-dir", DIST, built)
    else:
        shutil.copy(built, DIST)
    (wheel,) = DIST.glob("*-abi3-*.whl")
    return wheel


def pure_wheel(sdist: Path) -> Path:
    """The wheel that a machine without a compiler would build."""
    output = run("python", "-m", "pip", "wheel", "--verbose", "--no-deps", "--wheel-dir", DIST, sdist, CC="false")
    (wheel,) = DIST.glob("*-py3-none-any.whl")
    if "the extension in C was not built" not in output:
        raise SystemExit("a build without a compiler should say that the wheel has no extension")
    return wheel


def check_links(wheel: Path) -> None:
    """README as the index shows it leads nowhere by a relative address."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        page = Parser().parsestr(archive.read(name).decode()).get_payload()
    relative = [target for _, _, target in LINK.findall(page) if not re.match("https://|#", target)]
    if relative:
        raise SystemExit(f"the page of {wheel.name} on an index has relative links: {relative}")


def check_installation(wheel: Path) -> None:
    """The wheel and what it depends on agree, and it evaluates with the engine that its name promises."""
    folder = BUILD / wheel.stem
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run("uv", "venv", "--quiet", "--python", sys.executable, folder)
    run("uv", "pip", "install", "--quiet", "--python", python, f"{wheel}[all]")
    run("uv", "pip", "check", "--python", python)
    version = run(str(python), "-m", "cranfield", "--version")
    engine = "local" if "-none-any" in wheel.name else "native"
    if f"engine: {engine}" not in version:
        raise SystemExit(f"{wheel.name} should evaluate with the engine {engine}: {version}")
    examples = ROOT / "examples"
    run(str(python), "-m", "cranfield", "eval", examples / "qrels.txt", examples / "bm25.run", "-m", "AP")


if __name__ == "__main__":
    main()
