"""The functions that programs of JAX hold as rules for derivatives: two programs of one text may have different ones."""

import types
from collections.abc import Iterator
from typing import Any

from jax._src.linear_util import WrappedFun
from jax.extend import core as xc
from jax.tree_util import PyTreeDef

from stratagem._private._traces import sub_jaxprs

# JAX wraps rules anew in each trace, in functions of these modules that hold them in their closures.
_WRAPPING = ("jax._src.interpreters.", "jax._src.linear_util", "jax._src.api_util")


def rules_of(closed: xc.ClosedJaxpr) -> list[Any]:
    """Returns the functions that the equations of a program hold, at any depth, and how their arguments are nested, as texts.

    They are the same, or equal, in two traces of the same code where the rules are made once, as those of modules are.
    """
    return [rule for eqn in _equations(closed.jaxpr) for value in eqn.params.values() for rule in _functions(value)]


def _equations(jaxpr: Any) -> Iterator[Any]:
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in sub_jaxprs(eqn.params):
            yield from _equations(inner)


def _functions(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from _functions(each)
    elif isinstance(value, WrappedFun):
        yield from _functions(value.f)
        yield from (str(each) for _, given in value.transforms for each in given if isinstance(each, PyTreeDef))
    elif isinstance(value, types.FunctionType) and value.__module__.startswith(_WRAPPING) and value.__closure__:
        for cell in value.__closure__:
            if isinstance(cell.cell_contents, WrappedFun | types.FunctionType):
                yield from _functions(cell.cell_contents)
    elif callable(value) and not isinstance(value, type):
        yield value
