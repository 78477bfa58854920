"""Initial values outside of traces: who may make the random numbers, zeros and ones in them in Keras' place."""

import contextlib
import contextvars
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax
import keras
from keras.src.backend.jax import numpy as keras_numpy
from keras.src.backend.jax import random as keras_random

from stratagem._private._traces import computes_at_once
from stratagem._private._variables import KerasVariable

Draw = Callable[..., Any]
Drawn = Callable[[Draw, tuple[int, ...], float, float, jax.Array], Any | None]
Filled = Callable[[tuple[int, ...], float], Any | None]

_DRAWS = ("normal", "truncated_normal", "uniform")
_CONSTANTS = {"zeros": 0.0, "ones": 1.0}

INITIAL_VALUE_PLACES = (
    "keras.src.backend.Variable._initialize_with_initializer",
    *(f"keras.src.backend.jax.random.{name}" for name in _DRAWS),
    *(f"keras.src.backend.jax.numpy.{name}" for name in _CONSTANTS),
)

# A variable of its own: the context lies above. Whether Keras makes an initial value, which its functions are not told.
_making: contextvars.ContextVar[bool] = contextvars.ContextVar("stratagem initial value", default=False)


def intercept_initial_values(drawn: Drawn, filled: Filled) -> None:
    """Ask for the float32 numbers of initial values that are made outside of traces; for None Keras makes them.

    drawn(draw, shape, a, b, key): what `draw`, a function of Keras, makes of this shape, of these bounds, or this mean and
    deviation, and of this key. filled(shape, number): the number everywhere.
    """
    for name in _DRAWS:
        setattr(keras_random, name, _drawing(getattr(keras_random, name), drawn))
    for name, number in _CONSTANTS.items():
        setattr(keras_numpy, name, _filling(getattr(keras_numpy, name), number, filled))
    with_initializer = KerasVariable._initialize_with_initializer

    @functools.wraps(with_initializer)
    def new_with_initializer(self: Any, initializer: Any) -> None:
        with _initial_value():
            with_initializer(self, initializer)

    KerasVariable._initialize_with_initializer = new_with_initializer


@contextlib.contextmanager
def _initial_value() -> Iterator[None]:
    """In the body the initial value of a variable is made."""
    token = _making.set(True)
    try:
        yield
    finally:
        _making.reset(token)


def _drawing(draw: Draw, drawn: Drawn) -> Draw:
    signature = inspect.signature(draw)

    @functools.wraps(draw)
    def new_draw(*args: Any, **kwargs: Any) -> Any:
        if not _making.get() or not computes_at_once():
            return draw(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        shape, a, b, dtype, seed = bound.args
        key = keras_random.jax_draw_seed(seed)
        plain = {type(a), type(b)} <= {int, float} and keras.utils.standardize_dtype(dtype) == "float32"
        made = drawn(draw, tuple(shape), a, b, key) if plain else None
        return draw(shape, a, b, dtype, key) if made is None else made

    return new_draw


def _filling(make: Callable[..., Any], number: float, filled: Filled) -> Callable[..., Any]:
    @functools.wraps(make)
    def new_make(shape: Any, dtype: Any = None) -> Any:
        wanted = _making.get() and computes_at_once() and keras.utils.standardize_dtype(dtype) == "float32"
        made = filled(tuple(shape), number) if wanted and isinstance(shape, tuple | list) else None
        return make(shape, dtype=dtype) if made is None else made

    return new_make
