"""First values: how a variable's is made, whole or part by part, here or where the variable lies."""

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

from stratagem._core.values._initializer_program import InitializerProgram

_log = logging.getLogger("stratagem.values")

_LARGE = 1_000_000_000  # elements, TensorFlow's figure

# Bytes from which a variable's first value is made where it lies. To send a smaller one costs less than to compile a program.
_WORTH = 1 << 20

Shape = tuple[int, ...]


def as_tensor(value: Any) -> Any:
    """A NumPy array as a tensor of its type, which JAX would cut to 32 bits; anything else as it is."""
    return jnp.asarray(value, dtype=value.dtype) if isinstance(value, np.ndarray) else value


def knows_parts(make: Any, any_names: bool) -> bool:
    """True for what takes a part's place. any_names: also where it takes whatever names it is given."""
    parameters = inspect.signature(make).parameters.values()
    named = {"partition_shape", "partition_offset"} <= {p.name for p in parameters}
    return named or (any_names and any(p.kind is p.VAR_KEYWORD for p in parameters))


@final
class Initial:
    """The first value of a variable: made whole, once, and cut, or part by part where `make` knows parts.

    make(**place): the value; place is empty or has TensorFlow's `partition_shape` and `partition_offset`. traced: as a
    program, if that is known already.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        shape: Shape,
        dtype: Any,
        label: str,
        *,
        knows_parts: bool = False,
        traced: InitializerProgram | None = None,
    ) -> None:
        self.shape, self.dtype = shape, jnp.dtype(dtype)
        self._make, self._label = make, label
        self._knows_parts, self.traced = knows_parts, traced
        self._whole: Any = None
        self._taken = 0

    @functools.cached_property
    def formula(self) -> InitializerProgram | None:
        """A program for any of its rows; None if they have to be made here, or it is not worth it."""
        if self._knows_parts or math.prod(self.shape) * self.dtype.itemsize < _WORTH:
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
        """These rows, made here."""
        shape = (rows, *self.shape[1:])
        if self._knows_parts:
            made = self._make(partition_shape=shape, partition_offset=(offset, *[0] * len(shape[1:])))
            if tuple(made.shape) == shape:
                return made
        value = self.whole()
        self._taken = max(self._taken, offset + rows)
        if self._taken == self.shape[0]:
            self._whole = None  # the last shard has its part
        return value if rows == self.shape[0] else value[offset : offset + rows]

    def whole(self) -> Any:
        """All of it, made here."""
        if self._whole is not None:
            return self._whole
        if not self._taken and math.prod(self.shape) > _LARGE:
            _log.warning(
                "Large variable %s: its initial value is made whole before it is cut. Give it an initializer that draws each "
                "number for itself, as Keras' random ones do, or one with the arguments partition_shape and "
                "partition_offset, which makes one part.",
                self._label,
            )
        value = self._make() if self.traced is None else self.traced.value()
        self._check(tuple(value.shape))
        if not isinstance(value, jax.core.Tracer):
            self._whole = value
        return value

    def _check(self, shape: Shape) -> None:
        if shape != self.shape:
            raise ValueError(f"The initial value of {self._label} has shape {shape}, not {self.shape}.")


@final
class InitialRows:
    """Some rows of a first value, as an initializer of the variable that has these rows."""

    def __init__(self, initial: Initial, start: int, rows: int) -> None:
        self.initial, self.start, self.rows = initial, start, rows
        self.shape, self.dtype = (rows, *initial.shape[1:]), initial.dtype

    @classmethod
    def of(cls, initializer: Any, variable: Any) -> "InitialRows":
        """The same for an initializer of a whole variable, which has rows."""
        shape = tuple(variable.shape)
        make = functools.partial(initializer, variable.shape, dtype=variable._dtype)
        return cls(Initial(make, shape, variable._dtype, variable.path), 0, shape[0])

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return as_tensor(self.initial.part(self.start, self.rows))
