"""The arithmetic of the host: NumPy computes equations of tensors whose sizes differ from element to element.

Only equations that NumPy computes as XLA does, to the last bit. A function that has others is compiled for each size.
"""

import collections
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from stratagem._core.step import called_function, called_jaxpr
from stratagem._data.elements._nest import Array
from stratagem._private import is_literal

Rule = Callable[..., Any]
Equation = Any  # of a jaxpr: JAX gives the types of its variables no shape
_CALLS = ("jit", "custom_jvp_call", "custom_vjp_call", "closed_call")


def _elementwise(function: Any) -> Rule:
    return lambda eqn, sizes, *operands: function(*operands)


def _converted(eqn: Equation, sizes: dict[str, int], operand: Array) -> Array:
    return operand.astype(eqn.params["new_dtype"])


def _broadcast(eqn: Equation, sizes: dict[str, int], operand: Array, *dynamic: Array) -> Array:
    shape = _known(eqn.outvars[0].aval.shape, sizes)
    inner = [1] * len(shape)
    for axis, size in zip(eqn.params["broadcast_dimensions"], operand.shape, strict=True):
        inner[axis] = size
    return np.broadcast_to(operand.reshape(inner), shape)


def _reshaped(eqn: Equation, sizes: dict[str, int], operand: Array, *dynamic: Array) -> Array:
    shape = _known(eqn.outvars[0].aval.shape, sizes)
    return operand.reshape(shape)


def _selected(eqn: Equation, sizes: dict[str, int], which: Array, *cases: Array) -> Array:
    if which.ndim == 0:
        return cases[int(which)]
    if which.dtype == np.bool_ and len(cases) == 2:
        return np.where(which, cases[1], cases[0])
    return np.choose(which, cases)


def _sliced(eqn: Equation, sizes: dict[str, int], operand: Array) -> Array:
    starts, limits = (_known(eqn.params[name], sizes) for name in ("start_indices", "limit_indices"))
    steps = eqn.params["strides"] or (1,) * operand.ndim
    return operand[tuple(map(slice, starts, limits, _known(steps, sizes)))]


def _dynamic_sliced(eqn: Equation, sizes: dict[str, int], operand: Array, *starts: Array) -> Array:
    wanted = _known(eqn.params["slice_sizes"], sizes)
    found = []
    for start, size, whole in zip(starts, wanted, operand.shape, strict=True):
        first = min(max(int(start), 0), whole - size)
        found.append(slice(first, first + size))
    return operand[tuple(found)]


def _flipped(eqn: Equation, sizes: dict[str, int], operand: Array) -> Array:
    return np.flip(operand, eqn.params["dimensions"])


def _transposed(eqn: Equation, sizes: dict[str, int], operand: Array) -> Array:
    return operand.transpose(eqn.params["permutation"])


def _clamped(eqn: Equation, sizes: dict[str, int], low: Array, operand: Array, high: Array) -> Array:
    return np.minimum(np.maximum(operand, low), high)


def _joined(eqn: Equation, sizes: dict[str, int], *operands: Array) -> Array:
    return np.concatenate(operands, eqn.params["dimension"])


def _size(eqn: Equation, sizes: dict[str, int]) -> Array:
    return np.asarray(_known([eqn.params["dim"]], sizes)[0], eqn.outvars[0].aval.dtype)


_RULES: dict[str, Rule] = {
    **{name: _elementwise(function) for name, function in {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "neg": np.negative,
        "abs": np.abs, "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "eq": np.equal, "ne": np.not_equal,
        "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "and": np.bitwise_and,
        "or": np.bitwise_or, "not": np.invert, "copy": np.asarray, "stop_gradient": np.asarray, "square": np.square,
    }.items()},
    "div": _elementwise(np.divide),
    "convert_element_type": _converted,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshaped,
    "squeeze": _reshaped,
    "select_n": _selected,
    "slice": _sliced,
    "dynamic_slice": _dynamic_sliced,
    "rev": _flipped,
    "transpose": _transposed,
    "clamp": _clamped,
    "concatenate": _joined,
    "dim_as_value": _size,
}  # fmt: skip


_CONVERSION = "convert_element_type"
_IN_PLACE: dict[str, np.ufunc] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


def can_compute(eqns: Iterable[Equation], names: Collection[str]) -> bool:
    """Returns whether NumPy has the same results for all of these equations. names: of the sizes that elements tell."""
    return all(_can(eqn, names) for eqn in eqns)


def _can(eqn: Equation, names: Collection[str]) -> bool:
    sizes = [size for v in eqn.outvars for size in v.aval.shape]
    for parameter in ("start_indices", "limit_indices", "strides", "slice_sizes"):
        sizes.extend(eqn.params.get(parameter) or ())
    name = eqn.primitive.name
    if name == "dim_as_value":
        sizes.append(eqn.params["dim"])
    if any(not isinstance(size, int) and str(size) not in names for size in sizes):
        return False  # such as one less than a size
    if called_function(eqn) is not None:
        return True
    if name in _CALLS:
        return can_compute(called_jaxpr(eqn).jaxpr.eqns, names)
    if name not in _RULES or eqn.effects:
        return False
    kinds = [np.dtype(v.aval.dtype) for v in (*eqn.invars, *eqn.outvars)]
    if name == "div":
        return kinds[-1].kind == "f"  # of whole numbers, XLA divides by zero in its own way
    # From floating point, XLA keeps whole numbers within their range, and NumPy does not.
    return name != "convert_element_type" or kinds[0].kind in "biu" or kinds[-1].kind == "f"


def used_once(eqns: Sequence[Equation], results: Iterable[Any]) -> frozenset[Any]:
    """Returns the results of arithmetic that one equation uses and nothing else: it may overwrite them."""
    uses = collections.Counter(v for eqn in eqns for v in eqn.invars if not is_literal(v))
    uses.update(v for v in results if not is_literal(v))
    made = (eqn.outvars[0] for eqn in eqns if eqn.primitive.name in _IN_PLACE or eqn.primitive.name == _CONVERSION)
    return frozenset(v for v in made if uses[v] == 1)


def compute(
    eqns: Sequence[Equation],
    values: dict[Any, Any],
    sizes: dict[str, int],
    used_once: Collection[Any] = frozenset(),
) -> None:
    """Computes equations one after another. values: of variables; gets those of the results. sizes: of unknown sizes."""
    for eqn in eqns:
        operands = [np.asarray(v.val) if is_literal(v) else values[v] for v in eqn.invars]
        function = called_function(eqn)
        if function is not None:
            found = [function(*operands)]
        elif eqn.primitive.name in _CALLS:
            inner = called_jaxpr(eqn)
            body = inner.jaxpr
            within = dict(
                zip((*body.constvars, *body.invars), (*map(np.asarray, inner.consts), *operands), strict=True)
            )
            compute(body.eqns, within, sizes)
            found = [np.asarray(v.val) if is_literal(v) else within[v] for v in body.outvars]
        elif eqn.primitive.name in _IN_PLACE and _is_own(eqn, operands[0], used_once):
            found = [_IN_PLACE[eqn.primitive.name](*operands, out=operands[0])]
        else:
            found = [_RULES[eqn.primitive.name](eqn, sizes, *operands)]
        values.update(zip(eqn.outvars, map(np.asarray, found), strict=True))


def _is_own(eqn: Equation, operand: Array, used_once: Collection[Any]) -> bool:
    """Returns whether the result may be written over the first operand."""
    first, result = eqn.invars[0], eqn.outvars[0].aval
    return not is_literal(first) and first in used_once and first.aval.shape == result.shape and operand.ndim > 0


def _known(shape: Sequence[Any], sizes: dict[str, int]) -> tuple[int, ...]:
    """Returns sizes as numbers."""
    return tuple(size if isinstance(size, int) else sizes[str(size)] for size in shape)
