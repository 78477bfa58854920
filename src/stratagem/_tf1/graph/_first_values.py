"""The first value of a variable of tf1.get_variable, from everything that TensorFlow accepts as an initializer."""

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
from stratagem._tf1.graph._initializers import GlorotUniform, Initializer, Zeros
from stratagem._tf1.graph._model_build import current_building


@final
@dataclass(frozen=True)
class FirstValue:
    """The first value of a variable. make: returns it. shape, dtype: those of the variable; None means those of the value."""

    make: Callable[[], Any]
    shape: tuple[int, ...] | None
    dtype: np.dtype[Any] | None


def is_value(initializer: Any) -> bool:
    """Returns True for a value, False for None and for an initializer that computes one."""
    return not (initializer is None or isinstance(initializer, str) or callable(initializer))


def demand_dtype(initializer: Any, dtype: Any) -> None:
    """Raises ValueError if `initializer` is a value whose type is not `dtype`. A dtype of None accepts every value."""
    if dtype is None or not is_value(initializer):
        return
    own, asked = as_dtype(initial_array(initializer, None).dtype), as_dtype(dtype)
    if own != asked:
        raise ValueError(f"Initializer type '{own}' and explicit dtype '{asked}' don't match.")


def first_value(name: str, initializer: Any, shape: Any, dtype: Any) -> FirstValue:
    """Returns the first value of a variable that `get_variable(name, shape, dtype, initializer)` makes.

    dtype: used unless `initializer` is a value, which has its own.
    Raises ValueError if the shape is missing, or is given together with a value.
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
        # As in TensorFlow's graph, each operation has a seed of its own.
        own = {"seed": zlib.crc32(f"{seed} {name}".encode())}
    return FirstValue(lambda: initializer(static, dtype=numpy_type.name, **own), static, numpy_type)


def outside_the_trace(name: str, value: Any) -> Callable[[], Any]:
    """Returns a callable that makes `value` outside of the trace, where the variable `name` is created.

    No tensor of a trace outlives it, so the callable draws random numbers again. For any other tensor of a trace, such as one
    computed from random numbers, it raises ValueError.
    """
    if callable(value):
        return value
    building = current_building()
    _, again = building.draws.get(id(value), (None, None))
    if again is not None:
        return functools.partial(again, functools.partial(_seeds, building.graph.seed, name))
    if not isinstance(value, jax.core.Tracer):
        return lambda: value
    if building.owner is not None and building.owner.holds(value):
        building.first_tensors_by_name[name] = value
        return functools.partial(_zeros_for, name, value.shape, np.dtype(value.dtype))
    return functools.partial(_refuse, name)


def _zeros_for(name: str, shape: Any, dtype: Any) -> np.ndarray:
    """Returns what a variable has until a session initializes it with the value of a tensor of its graph."""
    if not all(isinstance(size, int) for size in shape):
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was {shape}.")
    return np.zeros(shape, dtype)


def _refuse(name: str) -> Any:
    raise ValueError(
        f"The initial value of variable {name!r} is computed inside the step, so it cannot outlive it. Give a function that "
        "computes it, tf.compat.v1.Variable(lambda: 0.1 * tf.random.normal([784, 10])), or use "
        "tf.compat.v1.get_variable(name, shape, initializer=tf.compat.v1.random_normal_initializer(stddev=0.1))."
    )


def _seeds(graph: int | None, name: str, own: int | None) -> tuple[int, int]:
    """Returns the seeds of the graph and of the operation that draws the variable `name`; random ones if neither is given."""
    if own is not None:
        return graph or 0, own
    return (random.getrandbits(32), random.getrandbits(32)) if graph is None else (graph, zlib.crc32(name.encode()))


def _takes_nothing(function: Callable[..., Any]) -> bool:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in kinds for p in parameters)


def static_shape(shape: Any) -> tuple[int, ...]:
    """Returns a number, a list or a TensorShape as a tuple of dimensions."""
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    return tuple(int(d) for d in getattr(shape, "as_list", lambda: shape)())
