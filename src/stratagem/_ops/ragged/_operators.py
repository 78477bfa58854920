"""Operators of ragged tensors, and the functions that compute with ragged tensors element by element."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from stratagem._base.types import UserFunction
from stratagem._ops import _arrays, _creation, _elementwise, _nn
from stratagem._ops._composite import rule
from stratagem._ops.ragged._broadcasting import applied
from stratagem._ops.ragged._ragged_tensor import RaggedTensor

# Functions by how many of their first parameters are tensors, which are broadcast to one shape.
_ELEMENTWISE: dict[Any, dict[int, str]] = {
    _elementwise: {
        1: """
            abs acos acosh angle asin asinh atan atanh ceil conj cos cosh digamma erf erfc erfinv exp expm1 floor imag invert
            is_finite is_inf is_nan lgamma log log1p log_sigmoid logical_not negative real reciprocal rint round rsqrt sigmoid
            sign sin sinh softplus sqrt square tan tanh
        """,
        2: """
            add atan2 bitwise_and bitwise_or bitwise_xor divide divide_no_nan equal floordiv floormod greater greater_equal
            left_shift less less_equal logical_and logical_or logical_xor maximum minimum multiply multiply_no_nan not_equal
            pow realdiv right_shift squared_difference subtract truediv truncatediv truncatemod xdivy xlogy
        """,
        3: "clip_by_value",
    },
    _arrays: {1: "cast saturate_cast stop_gradient bitcast"},
    _creation: {1: "identity ones_like zeros_like one_hot"},
    _nn: {1: "relu relu6 elu selu gelu leaky_relu silu softsign"},
}
_OPERATORS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "truediv", "floordiv": "floordiv", "mod": "floormod",
    "pow": "pow", "and": "logical_and", "or": "logical_or", "xor": "logical_xor",
}  # fmt: skip
_COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
}  # fmt: skip
_UNARY = {"neg": "negative", "abs": "abs", "invert": "logical_not"}


def _rule_for(function: UserFunction, count: int) -> UserFunction:
    signature = inspect.signature(function)
    names = list(signature.parameters)[:count]

    def apply(*args: Any, **kwargs: Any) -> RaggedTensor:
        given = signature.bind(*args, **kwargs).arguments
        operands = [given.pop(name) for name in names]
        return applied(functools.partial(function, **given), *operands)

    return apply


def _operator(name: str, reverse: bool = False) -> Callable[[Any, Any], Any]:
    function = getattr(_elementwise, name)

    def operate(self: Any, other: Any) -> Any:
        if other is None and name in ("equal", "not_equal"):
            return name == "not_equal"
        return function(other, self) if reverse else function(self, other)

    return operate


def _of_one(name: str) -> Callable[[Any], Any]:
    function = getattr(_elementwise, name)
    return lambda self: function(self)


@rule(RaggedTensor, "embedding_lookup")
def embedding_lookup(params: Any, ids: RaggedTensor, max_norm: Any = None, name: str | None = None) -> RaggedTensor:
    """Returns the rows of a table in place of their numbers."""
    return ids.with_flat_values(_nn.embedding_lookup(params, ids._stored_flat(), max_norm))


def give_rules() -> None:
    """Lets these functions take ragged tensors, and ragged tensors have the operators."""
    for module, rows in _ELEMENTWISE.items():
        for count, names in rows.items():
            for name in names.split():
                rule(RaggedTensor, name)(_rule_for(getattr(module, name), count))
    for symbol, name in _OPERATORS.items():
        setattr(RaggedTensor, f"__{symbol}__", _operator(name))
        setattr(RaggedTensor, f"__r{symbol}__", _operator(name, reverse=True))
    for symbol, name in _COMPARISONS.items():
        setattr(RaggedTensor, f"__{symbol}__", _operator(name))
    for symbol, name in _UNARY.items():
        setattr(RaggedTensor, f"__{symbol}__", _of_one(name))
