"""InitialValue: the initial value of a variable, made whole or in parts, here or where the variable lies."""

import functools
import inspect
import logging
import math
from collections.abc import Callable
from typing import Any, final

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._core.context import entered
from stratagem._core.values._initializer_program import InitializerProgram

_log = logging.getLogger("stratagem.values")

_LARGE = 1_000_000_000  # elements, as in TensorFlow

# Initial values of at least this many bytes are made where the variable lies: sending a smaller one costs less than compiling.
_WORTH = 1 << 20

Shape = tuple[int, ...]


def as_tensor(value: Any) -> Any:
    """Returns a NumPy array as a tensor of its dtype, also if that has 64 bits; other values as they are."""
    return jnp.asarray(value, dtype=value.dtype) if isinstance(value, np.ndarray) else value


def accepts_position(make: Any, any_names: bool) -> bool:
    """Returns whether a function accepts the position of a part. any_names: a function with any keyword arguments does, too."""
    parameters = inspect.signature(make).parameters.values()
    named = {"partition_shape", "partition_offset"} <= {p.name for p in parameters}
    return named or (any_names and any(p.kind is p.VAR_KEYWORD for p in parameters))


@final
class InitialValue:
    """The initial value of a variable: made whole once and cut, or made in parts if `make` accepts the position of a part.

    make(**position): the value; position is empty or has TensorFlow's `partition_shape` and `partition_offset`. traced: its
    program, if that is known already.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        shape: Shape,
        dtype: Any,
        label: str,
        *,
        makes_parts: bool = False,
        traced: InitializerProgram | None = None,
    ) -> None:
        self.shape, self.dtype = shape, jnp.dtype(dtype)
        self._make, self._label = make, label
        self._makes_parts, self.traced = makes_parts, traced
        self._whole: Any = None
        self._rows_taken = 0

    @functools.cached_property
    def program(self) -> InitializerProgram | None:
        """A program for any of its rows; None if they have to be made here, or are too small to be worth it."""
        if self._makes_parts or math.prod(self.shape) * self.dtype.itemsize < _WORTH:
            return None
        if self.traced is None:
            self.traced = InitializerProgram.of(
                lambda: keras.ops.convert_to_tensor(as_tensor(self._make()), dtype=self.dtype.name)
            )
        if self.traced is None or not self.traced.by_rows:
            return None
        self._check(self.traced.shape)
        return self.traced

    def part(self, offset: int, rows: int) -> Any:
        """Makes these rows here."""
        shape = (rows, *self.shape[1:])
        if self._makes_parts:
            with entered(first_value=True):
                made = self._make(partition_shape=shape, partition_offset=(offset, *[0] * len(shape[1:])))
            if tuple(made.shape) == shape:
                return made
        value = self.whole()
        self._rows_taken = max(self._rows_taken, offset + rows)
        if self._rows_taken == self.shape[0]:
            self._whole = None  # no longer needed
        return value if rows == self.shape[0] else value[offset : offset + rows]

    def whole(self) -> Any:
        """Makes the whole value here."""
        if self._whole is not None:
            return self._whole
        if not self._rows_taken and math.prod(self.shape) > _LARGE:
            _log.warning(
                "Large variable %s: its initial value is made whole before it is cut. Give it an initializer that draws each "
                "number for itself, as Keras' random ones do, or one with the arguments partition_shape and "
                "partition_offset, which makes one part.",
                self._label,
            )
        with entered(first_value=True):
            value = self._make() if self.traced is None else self.traced.value()
        self._check(tuple(value.shape))
        if not isinstance(value, jax.core.Tracer):
            self._whole = value
        return value

    def _check(self, shape: Shape) -> None:
        if shape != self.shape:
            raise ValueError(f"The initial value of {self._label} has shape {shape}, not {self.shape}.")


@final
class RowsInitializer:
    """Some rows of an initial value, as an initializer of the variable that has these rows."""

    def __init__(self, initial: InitialValue, start: int, rows: int) -> None:
        self.initial, self.start, self.rows = initial, start, rows
        self.shape, self.dtype = (rows, *initial.shape[1:]), initial.dtype

    @classmethod
    def of(cls, initializer: Any, variable: Any) -> "RowsInitializer":
        """Returns all rows of the value of an initializer of a whole variable, which has at least one dimension."""
        shape = tuple(variable.shape)
        make = functools.partial(initializer, variable.shape, dtype=variable._dtype)
        return cls(InitialValue(make, shape, variable._dtype, variable.path), 0, shape[0])

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return as_tensor(self.initial.part(self.start, self.rows))
