"""Tensors that stay in host memory until something is computed with them."""

from collections.abc import Callable
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import TracedDecisionError
from stratagem._core.context import current
from stratagem._data.elements._nest import Array, to_numpy
from stratagem._ops import StringTensor, tensor


@final
class HostTensor(np.ndarray):
    """Numbers read from a file. As an operand it is a `jax.Array`, so `pixels / 255.` is float32 as with any tensor.

    Making a jax.Array costs 40 us, ten times as much as parsing a feature, and most features are only passed on to a batch.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function: Callable[..., Any] | None = getattr(jnp, ufunc.__name__, None)
        if method == "__call__" and function is not None and not kwargs:
            return function(*(tensor(v) if isinstance(v, np.ndarray) else v for v in inputs))
        plain = [np.asarray(v) if isinstance(v, HostTensor) else v for v in inputs]
        return getattr(ufunc, method)(*plain, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return tensor(np.asarray(self))[key]

    def numpy(self) -> Array:
        """The values, read-only."""
        return np.asarray(self)


def numbers(array: Array) -> Array:
    """Prepares an array as a result of this folder's functions: read-only, and a tensor when it is used as one."""
    array.setflags(write=False)
    return array.view(StringTensor if array.dtype == object else HostTensor)


def on_host(value: Any, what: str) -> Array:
    """The values of a tensor; one that is being traced takes the function to host mode if possible.

    Raises:
        TracedDecisionError: a replica's step needs them.
        ValueError: there is None in a tensor's place.
    """
    if value is None:
        raise ValueError(f"{what} takes a tensor, got None.")
    if isinstance(value, jax.core.Tracer):
        context = current()
        if context.recorder is not None and context.replica is None:
            context.recorder.need_host(f"it calls {what}")
        raise TracedDecisionError(f"{what} needs the values of a tensor, which a step does not know. Call it in `map`.")
    return np.asarray(value) if isinstance(value, jax.Array) else to_numpy(value)


def text(value: Any, what: str, error: type[Exception] = TypeError) -> Array:
    """Converts strings to an array of bytes objects. error: TensorFlow's for what are no strings; it is not always the same.

    Raises:
        ValueError: there is None in their place.
    """
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value
    array = on_host(value, what)
    if array.dtype == object:
        return array
    if array.size == 0:
        return array.astype(object)
    raise error(f"{what} takes strings, got {array.dtype.name}: {value!r:.100}")
