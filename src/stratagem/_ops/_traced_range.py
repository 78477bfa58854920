"""Range: the result of `tf.range` inside a traced `tf.function`, which notices a Python loop over it."""

import operator
from collections.abc import Iterator
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._core.roles import StepRecorder
from stratagem._ops._symbolic import accept_symbols


@final
class Range:
    """A 1-D tensor that takes the function to host mode when Python iterates over it.

    In TensorFlow such a loop becomes part of the graph. Everything else (arithmetic, indexing, any tensor function)
    acts on the tensor itself.
    """

    def __init__(self, array: jax.Array, recorder: StepRecorder) -> None:
        self._array = array
        self._recorder = recorder

    def __jax_array__(self) -> jax.Array:
        return self._array

    def __iter__(self) -> Iterator[jax.Array]:
        self._recorder.need_host("it loops over tf.range")
        return iter(self._array)

    def __len__(self) -> int:
        return len(self._array)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)

    def __repr__(self) -> str:
        return f"Range({self._array!r})"

    def __getitem__(self, index: Any) -> jax.Array:
        return self._array[index]

    def __neg__(self) -> jax.Array:
        return -self._array


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def _define_operators() -> None:
    """Defines the operators of a tensor. Python looks them up on the class, so `__getattr__` does not reach them."""
    for name in (*_ARITHMETIC, *_COMPARISONS):
        function = getattr(operator, f"__{name}__")
        setattr(Range, f"__{name}__", lambda self, other, f=function: f(self._array, other))
    for name in _ARITHMETIC:
        function = getattr(operator, f"__{name}__")
        setattr(Range, f"__r{name}__", lambda self, other, f=function: f(jnp.asarray(other), self._array))


_define_operators()


accept_symbols(globals())
