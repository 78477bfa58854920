"""What a variable of tf1.get_variable begins with, from the many things that TensorFlow takes as an initializer."""

import functools
import inspect
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._core.values import initial_array
from stratagem._ops import as_dtype
from stratagem._private import KerasVariable
from stratagem._tf1.graph._building import current_building
from stratagem._tf1.graph._initializers import GlorotUniform, Initializer, Zeros


@final
@dataclass(frozen=True)
class FirstValue:
    """How a variable begins. make: gives the value. shape, dtype: of the variable, None for those of the value."""

    make: Callable[[], Any]
    shape: tuple[int, ...] | None
    dtype: np.dtype[Any] | None


def is_value(initializer: Any) -> bool:
    """True for a first value, False for what makes one and for None."""
    return not (initializer is None or isinstance(initializer, str) or callable(initializer))


def demand_dtype(initializer: Any, dtype: Any) -> None:
    """Raise ValueError if `initializer` is a value of another type than `dtype`, which may be None."""
    if dtype is None or not is_value(initializer):
        return
    own, asked = as_dtype(initial_array(initializer, None).dtype), as_dtype(dtype)
    if own != asked:
        raise ValueError(f"Initializer type '{own}' and explicit dtype '{asked}' don't match.")


def first_value(name: str, initializer: Any, shape: Any, dtype: Any) -> FirstValue:
    """What `get_variable(name, shape, dtype, initializer)` begins with. dtype: counts unless `initializer` has its own.

    Raises ValueError where the shape is missing, or is given with a value.
    """
    numpy_type = np.dtype(as_dtype(dtype).as_numpy_dtype)
    if initializer is None:
        initializer = GlorotUniform() if jnp.issubdtype(numpy_type, np.floating) else Zeros()
    if isinstance(initializer, str):
        initializer = keras.initializers.get(initializer)
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer):
        if shape is not None:
            raise ValueError(f"Variable {name}: if initializer is a constant, do not specify shape.")
        value = initializer.value if isinstance(initializer, KerasVariable) else initializer
        return FirstValue(outside_the_trace(name, value), None, None)
    if shape is None:
        if not _takes_nothing(initializer):
            raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
        return FirstValue(initializer, None, None)
    static, seed, own = static_shape(shape), current_building().graph.seed, {}
    if seed is not None and isinstance(initializer, Initializer):
        # As each operation of TensorFlow's graph, it has one of its own.
        own = {"seed": zlib.crc32(f"{seed} {name}".encode())}
    return FirstValue(lambda: initializer(static, dtype=numpy_type.name, **own), static, numpy_type)


def outside_the_trace(name: str, value: Any) -> Callable[[], Any]:
    """What gives `value` for the variable `name`: random numbers are drawn anew, as no tensor of a trace outlives it.

    The callable raises ValueError for another tensor of a trace, such as one that was computed of random numbers.
    """
    if callable(value):
        return value
    building = current_building()
    _, again = building.draws.get(id(value), (None, None))
    if again is not None:
        return functools.partial(again, functools.partial(_seeds, building.graph.seed, name))
    if not isinstance(value, jax.core.Tracer):
        return lambda: value
    return functools.partial(_refuse, name)


def _refuse(name: str) -> Any:
    raise ValueError(
        f"The initial value of variable {name!r} is computed inside the step, so it cannot outlive it. Give a function that "
        "computes it, tf.compat.v1.Variable(lambda: 0.1 * tf.random.normal([784, 10])), or use "
        "tf.compat.v1.get_variable(name, shape, initializer=tf.compat.v1.random_normal_initializer(stddev=0.1))."
    )


def _seeds(graph: int | None, name: str, own: int | None) -> tuple[int, int]:
    """The seeds of a graph and of an operation that draws the variable `name`; others each time where neither is given."""
    if own is not None:
        return graph or 0, own
    return (random.getrandbits(32), random.getrandbits(32)) if graph is None else (graph, zlib.crc32(name.encode()))


def _takes_nothing(function: Callable[..., Any]) -> bool:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in kinds for p in parameters)


def static_shape(shape: Any) -> tuple[int, ...]:
    """A number, a list or a TensorShape as the tuple of its dimensions."""
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    return tuple(int(d) for d in getattr(shape, "as_list", lambda: shape)())
