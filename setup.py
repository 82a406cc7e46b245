"""What is decided at build: whether there is an extension in C, the name of the wheel, README on an index page."""

import sys
import sysconfig
import tomllib
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent.resolve()))
from tools.release.index_page import index_page

# the extension reads dicts and shares memory between calls under the lock that free-threaded Pythons do not have
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


class OptionalExtension(build_ext):
    """Remembers whether the extension was built: without a compiler, the installation succeeds nevertheless."""

    is_built = False

    def build_extension(self, ext: Extension) -> None:
        """Compile; an error is printed as a warning, because the extension is optional."""
        super().build_extension(ext)
        self.is_built = True


class Wheel(bdist_wheel):
    """A wheel for every machine if the extension was not built."""

    def run(self) -> None:
        """Build first, because the name of the wheel depends on what was built."""
        self.run_command("build")
        extension = self.get_finalized_command("build_ext")
        if not extension.is_built:
            self.warn(
                "the extension in C was not built: this wheel is for every machine and has the NumPy engine alone"
            )
            Path(extension.get_ext_fullpath("cranfield._native")).unlink(missing_ok=True)  # of an earlier build
            self.distribution.ext_modules = []
            self.root_is_pure = True
        super().run()


EXTENSION = Extension(
    "cranfield._native",
    sorted(glob("native/*.c")),
    depends=["native/fields.h", "native/native.h"],
    define_macros=[("Py_LIMITED_API", "0x030B0000")],
    py_limited_api=True,
    optional=True,
)
project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
setup(
    ext_modules=[] if FREE_THREADED else [EXTENSION],
    cmdclass={"build_ext": OptionalExtension, "bdist_wheel": Wheel},
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
    long_description=index_page(
        Path("README.md").read_text(encoding="utf-8"),
        project.get("urls", {}).get("Repository", ""),
        project["version"],
    ),
    long_description_content_type="text/markdown",
)
