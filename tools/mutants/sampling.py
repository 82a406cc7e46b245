"""Which mutants there are, and a sample of them that is the same for the same code."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

from tools.mutants.dropping import DropOperand
from tools.mutants.targets import AT_A_TIME, modules

Place = tuple[int, int]  # line and column

_KNOWN = {name: get_operator(name) for name in sorted(operator_names())}
_NEVER = {"name", "newline", "string", "endmarker", "error_leaf", "error_node"}  # what no operator changes
OPERATORS: dict[str, Operator] = {
    **{name: operator() for name, operator in _KNOWN.items() if not operator.arguments()},
    "drop-operand": DropOperand(),
}


@dataclass(frozen=True)
class Mutant:
    """One change to one module."""

    module: Path
    operator: str
    line: int
    code: str

    @property
    def key(self) -> str:
        """A name that only the same change to the same code has."""
        return sha256(f"{self.module}\0{self.code}".encode()).hexdigest()[:16]

    @property
    def unchanged(self) -> Mutant:
        """The code as it is, to see that the tests pass on it."""
        return replace(self, code=self.module.read_text("utf-8"))

    @property
    def change(self) -> str:
        """The line before and after."""
        before, after = self.module.read_text("utf-8").splitlines(), self.code.splitlines()
        old, new = before[self.line - 1].strip(), after[self.line - 1].strip() if len(after) >= self.line else ""
        return f"{self.module}:{self.line}: {old}  →  {new}"

    @property
    def lines_to_run(self) -> Iterator[list[int]]:
        """The lines of functions that a test has to run to notice it, the closest first.

        These are the line itself, or else the rest of its statement, its function or its class. What runs on import is
        noticed where it is used: a default or a decorator in its function, a constant where its name stands.
        """
        tree = ast.parse(self.module.read_text("utf-8"))
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        inside = {line for each in functions for line in range(each.body[0].lineno, _last(each) + 1)}
        around = [each for each in ast.walk(tree) if isinstance(each, ast.stmt) and self.line in _lines(each)]
        around.sort(key=lambda each: len(_lines(each)))
        yield [self.line] * (self.line in inside)
        if self.line not in inside and not isinstance(around[0], ast.FunctionDef):
            set_here = {node.id for node in _names(around[0]) if isinstance(node.ctx, ast.Store)}
            yield [node.lineno for node in _names(tree) if node.id in set_here and node.lineno in inside]
        for each in around:
            yield sorted(inside.intersection(_lines(each)))
        yield sorted(inside)


def sample(size: int, seed: int) -> list[Mutant]:
    """So many mutants at different places, each place as likely as any other, whatever can be done to it.

    They come in the order in which they were drawn: the first of them are a sample too.
    """
    every = [(module, *found) for module in modules() for found in places(module.read_text("utf-8"))]
    chance = random.Random(seed)
    chosen = chance.sample(every, min(size, len(every)))
    return [_mutant(*each, chance) for each in chosen]


def places(source: str) -> list[tuple[Place, list[tuple[str, int]]]]:
    """Every place of a source that runs, with the operators that change it and which of their changes are there."""
    outside = _not_run(source)
    nodes = [node for node in ast_nodes(get_ast(source)) if node.type not in _NEVER]
    found: dict[Place, list[tuple[str, int]]] = defaultdict(list)
    for name, operator in OPERATORS.items():
        positions = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(positions):
            if not any(first <= start < last for first, last in outside):
                found[start].append((name, occurrence))
    return sorted(found.items())


def _mutant(module: Path, place: Place, ways: list[tuple[str, int]], chance: random.Random) -> Mutant:
    name, occurrence = chance.choice(ways)
    code = mutate_code(module.read_text("utf-8"), OPERATORS[name], occurrence)
    assert code is not None, (module, place, name)
    return Mutant(module, name, place[0], code)


def _not_run(source: str) -> list[tuple[Place, Place]]:
    """Where annotations stand, which are never evaluated, and what no test of behaviour can notice."""
    spans: list[tuple[Place, Place]] = []
    for node in ast.walk(ast.parse(source)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.expr):
                spans.append(_span(part))
        if isinstance(node, ast.Assign) and {each.id for each in _names(node)} & AT_A_TIME:
            spans.append(_span(node))
        if isinstance(node, ast.FunctionDef):
            spans += [_lone(each) for each in node.decorator_list if ast.unparse(each) == "overload"]
        if isinstance(node, ast.FunctionDef):  # the marks * and / between parameters
            named = [each.arg for each in node.args.kwonlyargs]
            spans += [_star(source, node)] if named and node.args.vararg is None else []
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            spans.append(_span(node))
        # of zip, a check of what is always so; of dataclasses, what one law says of them all (tests/laws/test_frozen);
        # of astype, whether memory is spared
        if isinstance(node, ast.keyword) and node.arg in ("strict", "frozen", "eq", "copy"):
            spans.append(_span(node.value))
    return spans


def _names(node: ast.AST) -> list[ast.Name]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Name)]


def _lines(statement: ast.stmt) -> range:
    """The lines of a statement, those of its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return range(min([statement.lineno, *(each.lineno for each in decorators)]), _last(statement) + 1)


def _last(node: ast.expr | ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _span(node: ast.expr | ast.stmt) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (_last(node), node.end_col_offset or 0)


def _lone(decorator: ast.expr) -> tuple[Place, Place]:
    """A decorator with its sign."""
    (line, column), end = _span(decorator)
    return (line, column - 1), end


def _star(source: str, function: ast.FunctionDef) -> tuple[Place, Place]:
    """Where the star stands that parameters by keyword follow."""
    first = function.args.kwonlyargs[0]
    lines = source.splitlines()
    for line in range(first.lineno, function.lineno - 1, -1):
        text = lines[line - 1][: first.col_offset] if line == first.lineno else lines[line - 1]
        if (column := text.rfind("*")) >= 0:
            return (line, column), (line, column + 1)
    raise AssertionError(function.name)
