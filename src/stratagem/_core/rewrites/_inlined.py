"""inlined: a traced function's equations, to be put into a program that has its operands and gives its results names."""

from collections.abc import Iterator, Sequence
from typing import Any

from jax.extend import core as xc


def inlined(new: xc.ClosedJaxpr, operands: Sequence[Any], results: Sequence[Any]) -> Iterator[Any]:
    """Yields the equations of a program that takes `operands` of another one and defines its `results`.

    The program must have been traced for this place: its own variables keep their names. No result may be one of its operands.
    """
    names = dict(zip(new.jaxpr.invars, operands, strict=True)) | dict(zip(new.jaxpr.outvars, results, strict=True))

    def renamed(atom: Any) -> Any:
        return atom if isinstance(atom, xc.Literal) else names.get(atom, atom)

    for inner in new.jaxpr.eqns:
        yield inner.replace(invars=list(map(renamed, inner.invars)), outvars=list(map(renamed, inner.outvars)))
