"""An operator that cosmic-ray lacks: one side of an expression is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cosmic_ray.operators.operator import Example, Operator

_EXPRESSIONS = {"arith_expr", "term", "expr", "and_expr", "xor_expr", "and_test", "or_test"}


class DropOperand(Operator):
    """`a & b` becomes `a`, and `b`."""

    def mutation_positions(self, node: Any) -> Iterator[tuple[Any, Any]]:
        """The operators of an expression, each twice: for what is to its left, and to its right."""
        if node.type in _EXPRESSIONS:
            for sign in node.children[1::2]:
                yield from [(sign.start_pos, sign.end_pos)] * 2

    def mutate(self, node: Any, index: int) -> Any:
        """The expression without the operand to the left or to the right of an operator."""
        sign = 2 * (index // 2) + 1
        gone = slice(sign - 1, sign + 1) if index % 2 == 0 else slice(sign, sign + 2)
        prefix = node.get_first_leaf().prefix
        del node.children[gone]
        node.get_first_leaf().prefix = prefix
        return node

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        """What it does."""
        return Example("a & b", "b"), Example("a & b", "a", occurrence=1), Example("a + b - c", "a + b", occurrence=3)
