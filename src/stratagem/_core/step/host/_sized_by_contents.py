"""Tensors whose sizes only their contents tell, as images have them: functions that make and take such tensors on the host."""

import abc
import contextlib
import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, final

import jax
import numpy as np
from jax.extend import core as xc

from stratagem._base.types import DTypeLike
from stratagem._core.context import current, entered

P = ParamSpec("P")
T = TypeVar("T")

# Takes tensors with sizes that the trace does not know: a program of such sizes is computed on the host. Where the sizes become
# known, as those of a graph do in each run, another function takes its place before the program is compiled (`_core.rewrites`).
_sized_call_p = xc.Primitive("sized_call")


def _result(
    *operands: Any, function: Hashable, shape: tuple[Any, ...], dtype: Any, selects: bool, compiled: Hashable
) -> jax.core.ShapedArray:
    return jax.core.ShapedArray(shape, dtype)


_sized_call_p.def_abstract_eval(_result)


@final
@dataclass
class SizesAsked:
    """The notes on calls of functions whose results have sizes of their contents.

    doubled: the dimension whose size is twice as large and one more. dimensions: how many sizes of a result are its contents'.
    """

    doubled: int | None
    dimensions: int = 0


@contextlib.contextmanager
def asking_sizes(doubled: int | None = None) -> Iterator[SizesAsked]:
    """Notes how many sizes are those of contents, so that specs of results can leave them open; see `SizesAsked`."""
    asked = SizesAsked(doubled)
    with entered(sizes_asked=asked):
        yield asked


@final
class SizedByContents(Generic[P, T]):
    """A function whose result has sizes, all but the last, that only the contents of its argument tell.

    function: returns it as NumPy. convert: makes a tensor of that.
    """

    def __init__(self, function: Callable[P, np.ndarray], convert: Callable[[np.ndarray], T]) -> None:
        self.function, self._convert = function, convert
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Returns the result as a tensor."""
        found = self.function(*args, **kwargs)
        return self._convert(of_asked_size(found, range(found.ndim - 1)))


def of_asked_size(found: np.ndarray, axes: Iterable[int]) -> np.ndarray:
    """Returns a result whose sizes along some axes only contents tell, as large as it is wanted where sizes are asked for."""
    asked: SizesAsked | None = current().sizes_asked
    if asked is None:
        return found
    asked.dimensions = max(asked.dimensions, *(axis + 1 for axis in axes), 0)
    if asked.doubled is None or asked.doubled not in axes:
        return found
    size = found.shape[asked.doubled]
    if not size:
        shape = list(found.shape)
        shape[asked.doubled] = 1
        return np.full(shape, b"" if found.dtype == object else 0, found.dtype)
    return np.take(found, np.minimum(np.arange(2 * size + 1), size - 1), axis=asked.doubled)


def sizes_are_asked() -> bool:
    """Returns whether a function's sizes are asked for, so that its result may be other than it is."""
    return current().sizes_asked is not None


class PixelSums(abc.ABC):
    """A function for `sized_call` that makes an image, (height, width, channels), of sums over the pixels of another one.

    So it can be told to make only a part of it, and to convert no more pixels than it takes.
    """

    @abc.abstractmethod
    def __call__(self, image: np.ndarray, *first: np.ndarray) -> np.ndarray:
        """Returns the image. first: the row and the column of it with which the part begins, if it makes one.

        A part that does not fit there is moved, as by `jax.lax.dynamic_slice`.
        """

    @abc.abstractmethod
    def of_part(self, size: tuple[int, int]) -> "PixelSums":
        """Returns a function that makes the part of this height and width alone."""

    @abc.abstractmethod
    def of_converted(self, convert: Callable[[np.ndarray], np.ndarray]) -> "PixelSums":
        """Returns a function of an image that converts the numbers first, each alone."""


def has_unknown_sizes(shape: Sequence[Any]) -> bool:
    """Returns whether a trace does not know a size of this shape."""
    return any(not isinstance(size, int) for size in shape)


def sized_call(
    function: Callable[..., np.ndarray],
    *operands: jax.Array,
    shape: Sequence[Any],
    dtype: DTypeLike,
    compiled: Callable[..., jax.Array],
    selects: bool = False,
) -> jax.Array:
    """Returns what a function of NumPy arrays will make of tensors of unknown sizes: a tensor of this shape and dtype.

    compiled: does the same in a program, where sizes are known. selects: whether its numbers are some of the first operand's,
    unchanged.
    """
    found: jax.Array = _sized_call_p.bind(
        *operands, function=function, shape=shape, dtype=np.dtype(dtype), selects=selects, compiled=compiled
    )
    return found


def called_function(eqn: xc.JaxprEqn) -> Callable[..., np.ndarray] | None:
    """Returns the function of an equation that `sized_call` made; None for any other."""
    return eqn.params["function"] if eqn.primitive is _sized_call_p else None


def is_selection(eqn: xc.JaxprEqn) -> bool:
    """Returns whether the numbers of an equation's result are some of its first operand's, unchanged."""
    return eqn.primitive.name == "dynamic_slice" or bool(eqn.params.get("selects"))
