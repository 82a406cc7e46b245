"""How alike are orders of systems, or of anything else?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cranfield.errors import BadInput
from cranfield.inference.orders import as_order
from cranfield.results import orders
from cranfield.results.orders import COEFFICIENTS, Correlations, orders_of
from cranfield.results.values import Result


def correlations(data: Any, coefficients: str | Sequence[str] = COEFFICIENTS, *, p: float = 0.9) -> Correlations:
    """How alike every two orders are: by every two measures, by other judgments, or as given.

    Parameters
    ----------
    data
        A result of `evaluate` with several measures; `{judgments: result}`, to hold the same measures under other
        judgments beside each other; or `{name: order}`, an order being `{name: score}` or a list of names.
    coefficients
        Of `"tau-a"`, `"tau-b"`, `"tau-AP"`, `"spearman"`, `"weighted tau"`, `"concordance"` and `"RBO"`.
    p
        Of RBO: how much less each depth matters than the one above.

    Examples
    --------
    >>> found = correlations({"ann": ["a", "b", "c"], "bob": ["a", "c", "b"]}, "tau-b")
    >>> round(found.rows[0].value, 4)
    0.3333
    """
    wanted = [coefficients] if isinstance(coefficients, str) else list(coefficients)
    return orders.correlations(_orders(data), wanted, p=p)


def _orders(data: Any) -> dict[str, dict[str, float]]:
    if isinstance(data, Result):
        return orders_of({"": data})
    if not isinstance(data, Mapping):
        raise BadInput(
            f"{type(data).__name__} holds no orders; give a result, {{judgments: result}}, or {{name: order}}"
        )
    if data and all(isinstance(each, Result) for each in data.values()):
        return orders_of(data)
    return {str(name): as_order(order) for name, order in data.items()}
