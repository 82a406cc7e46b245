"""The page docs/reference/python.md, made from the docstrings of the public names; `generate.py` writes it."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import cranfield
from cranfield.results.verb_result import VerbResult

INTRODUCTION = """\
# The Python interface

<!-- written by python -m tools.docs.generate: change the code, not this page -->

Import the package and use the names below. [Measures](measures.md) are attributes of the package, too:
`cranfield.nDCG @ 10` is the same as `cranfield.parse("nDCG@10")`.

```python
>>> import cranfield

```
"""
GROUPS = {  # by the folder of the kernel that a name comes from; subjects have verbs and results
    "verbs": "Functions that evaluate, compare and report",
    "results": "Results",
    "measures": "Measures",
    "evidence": "Evidence",
    "statistics": "Power and splits",
    "tables": "Limits on input",
}
PROTOCOL = """\
Everything that the functions above return has these methods. Their options are those of `records`.
"""
PLOTS = """\
Also as methods of a result: `result.plot.roc()`.
"""
WIDTH = 110
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(_groups())


def _groups() -> Iterator[str]:
    public = {name: getattr(cranfield, name) for name in sorted(cranfield.__all__)}
    for room, title in GROUPS.items():
        yield f"\n## {title}\n"
        for name, thing in public.items():
            if not isinstance(thing, ModuleType) and _group(thing) == room:
                yield _entry(f"cranfield.{name}", thing)
        if room == "results":
            yield f"\n### Methods of every result\n\n{PROTOCOL}\n" + "".join(_methods(VerbResult))
    yield f"\n## Plots\n\n{PLOTS}" + "".join(_plots())


def _group(thing: Any) -> str:
    folder = _home(thing).split(".")[1]
    return folder if folder in GROUPS else "results" if inspect.isclass(thing) else "verbs"


def _home(thing: Any) -> str:
    return str(getattr(thing, "__module__", None) or thing.__name__)


def _plots() -> Iterator[str]:
    for name in cranfield.plot.__all__:
        yield _entry(f"cranfield.plot.{name}", getattr(cranfield.plot, name))


def _entry(name: str, thing: Any) -> str:
    """The heading, the signature, the text and, for a class, its methods."""
    heading = f"\n### {name}\n\n"
    if callable(thing) and not (inspect.isclass(thing) and name != "cranfield.Measure"):
        heading += f"```\n{_signature(name, thing)}\n```\n\n"
    methods = "".join(_methods(thing)) if inspect.isclass(thing) else ""
    return heading + _text(inspect.getdoc(thing) or "") + (f"\n{methods}" if methods else "")


def _methods(owner: type) -> Iterator[str]:
    """The public methods and properties that a class itself defines, one line each."""
    for name, member in vars(owner).items():
        plain = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(plain):
            continue
        shown = name if isinstance(member, property) else " ".join(_signature(name, plain).split())
        first = (inspect.getdoc(plain) or "").partition("\n\n")[0]
        yield f"- `{shown}`: {' '.join(first.split())}\n"


def _signature(name: str, thing: Any) -> str:
    """The call with its defaults, folded to the width of the page."""
    signature = inspect.signature(thing)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    text = str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    indent = " " * (len(name) + 1)
    return "\n".join(textwrap.wrap(name + text, WIDTH, subsequent_indent=indent, break_long_words=False))


def _text(docstring: str) -> str:
    """A docstring in numpydoc's form as Markdown."""
    first, *sections = _SECTION.split(docstring)
    parts = [_prose(first)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        parts.append(_examples(body) if title == "Examples" else f"**{title}**\n\n{_items(body)}")
    return "\n".join(part for part in parts if part)


def _prose(text: str) -> str:
    """Paragraphs; examples among them become code."""
    words, _, example = text.partition("\n>>> ")
    return (words.strip() + "\n" if words.strip() else "") + ("\n" + _examples(">>> " + example) if example else "")


def _items(body: str) -> str:
    """Names with their indented descriptions as a list."""
    items: list[list[str]] = []
    for line in filter(str.strip, body.splitlines()):
        if line.startswith(" ") and items:
            items[-1].append(line.strip())
        else:
            items.append([f"- `{line.strip()}`:"])
    return "".join(" ".join(item).removesuffix(":") + "\n" for item in items)


def _examples(body: str) -> str:
    """An example that runs on the page as it does in the docstring, where public names need no prefix."""
    names = "|".join(map(re.escape, cranfield.__all__))
    code = re.sub(r"^((?:>>>|\.\.\.) .*)$", lambda line: _prefixed(names, line[1]), body.strip(), flags=re.MULTILINE)
    return f"```python\n{code}\n\n```\n"


def _prefixed(names: str, line: str) -> str:
    return re.sub(rf"(?<![\w.\"'])({names})\(", r"cranfield.\1(", line)
