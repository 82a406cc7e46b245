"""The extension in C: optional, so that the installation succeeds without a compiler."""

from glob import glob

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "cranfield._native",
            sorted(glob("native/*.c")),
            depends=["native/fields.h", "native/native.h"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
