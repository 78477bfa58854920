"""Values that a trace of JAX's captures from code around it that runs at once: operands of its program, not numbers in it."""

import abc
from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import keras
from jax._src import core as jax_core
from jax._src.interpreters import partial_eval


@final
class _CapturedTrace(jax_core.Trace):
    """The trace that captured values belong to, which computes nothing: each is resolved where an operation meets it."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.requires_low = False


_TRACE = _CapturedTrace()


class CapturedValue(jax_core.Tracer[Any], abc.ABC):
    """A value of code that runs at once, in a program that JAX traces there (the body of a scan, a function of jax.jit).

    An array would be a number in the program: a tape could not tell where it came from, and JAX, which keeps the program by
    the function that it was traced of, would compute with the same number when the variable has another one.
    """

    __slots__ = ()

    @abc.abstractmethod
    def present(self) -> jax.Array:
        """Returns the array that it stands for at present, as code that runs at once, or its tapes, has it."""

    def full_lower(self) -> jax.Array:
        """The same, where JAX computes an operation at once."""
        with jax_core.set_current_trace(jax_core.eval_trace):
            return self.present()

    to_concrete_value = full_lower

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.full_lower().__array__(*args, **kwargs)

    def __float__(self) -> float:
        return float(self.full_lower())

    def __complex__(self) -> complex:
        return complex(self.full_lower())

    def tolist(self) -> Any:
        """The present numbers as (nested lists of) Python's."""
        return self.full_lower().tolist()


@final
class CapturedVariable(CapturedValue):
    """The value that a variable has whenever the program runs. read: returns it."""

    __slots__ = ("_read", "_variable")

    def __init__(self, variable: keras.Variable, read: Callable[[keras.Variable], jax.Array]) -> None:
        super().__init__(_TRACE, jax_core.ShapedArray(tuple(variable.shape), jnp.dtype(variable._dtype)))
        self._variable, self._read = variable, read

    def present(self) -> jax.Array:
        return self._read(self._variable)


@final
class CapturedTensor(CapturedValue):
    """A tensor that a tape tracks."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor: jax.Array) -> None:
        super().__init__(_TRACE, jax_core.typeof(tensor))
        self._tensor = tensor

    def present(self) -> jax.Array:
        return self._tensor


def parent_trace(trace: Any) -> Any:
    """Returns the trace that a transformation of JAX, or a tape, hands operations down to; None at the bottom."""
    return getattr(trace, "parent_trace", None)


def is_staged(trace: Any) -> bool:
    """Returns whether operations on this trace become a program that code which runs at once has asked JAX for.

    Those of steps and graphs, whose variables are inputs, are no such traces.
    """
    staged = False
    while (below := parent_trace(trace)) is not None:
        staged = staged or isinstance(trace, partial_eval.DynamicJaxprTrace)
        trace = below
    return staged and not isinstance(trace, partial_eval.DynamicJaxprTrace)


def resolved(operands: Sequence[Any], trace: Any) -> Sequence[Any]:
    """Returns the operands of an operation on a trace with what captured ones stand for at present.

    Where the operation becomes a part of a program, variables stay captured.
    """
    if not any(isinstance(x, CapturedValue) for x in operands):
        return operands
    staged = is_staged(trace)
    with jax_core.set_current_trace(trace):
        return [x.present() if isinstance(x, CapturedTensor if staged else CapturedValue) else x for x in operands]
