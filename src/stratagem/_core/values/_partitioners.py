"""Partitioners: the number of shards of a variable, with TensorFlow's arithmetic."""

import abc
import math
from collections.abc import Callable
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike

_BYTES_PER_STRING = 16  # TensorFlow's estimate


@exported("distribute.experimental.partitioners.Partitioner")
class Partitioner(abc.ABC):
    """Decides the number of shards of a variable, as `tf.distribute.experimental.partitioners.Partitioner`."""

    @abc.abstractmethod
    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Returns the number of shards along each dimension of a variable of this shape and dtype: 1 except along `axis`.

        Raises TypeError for a shape with unknown dimensions, ValueError if it has no such axis.
        """


def _dimensions(shape: Any, axis: int) -> list[int]:
    dims = list(shape.as_list() if hasattr(shape, "as_list") else shape)
    if None in dims:
        raise TypeError(f"A partitioner needs a fully defined shape, got {dims}.")
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"A variable of shape {dims} cannot be cut along axis {axis}.")
    return [int(d) for d in dims]


def _bytes_of(dtype: Any, bytes_per_string: Any) -> Any:
    kind = np.dtype(object) if isinstance(dtype, str) and dtype == "string" else jnp.dtype(dtype)
    return bytes_per_string if kind.kind in "OSU" else kind.itemsize


def _answer(dims: list[int], axis: int, shards: int) -> list[int]:
    found = [1] * len(dims)
    found[axis] = shards
    return found


def _check_positive(**arguments: Any) -> None:
    for name, value in arguments.items():
        if value < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {value}")


@exported("distribute.experimental.partitioners.FixedShardsPartitioner")
@final
class FixedShardsPartitioner(Partitioner):
    """Cuts every variable into the same number of shards, but at most one for each row.

    Raises ValueError for a number below 1.
    """

    def __init__(self, num_shards: int) -> None:
        _check_positive(num_shards=num_shards)
        self._shards = num_shards

    def __call__(self, shape: ShapeLike, dtype: object, axis: int = 0) -> list[int]:
        dims = _dimensions(shape, axis)
        return _answer(dims, axis, max(1, min(self._shards, dims[axis])))


@exported("distribute.experimental.partitioners.MinSizePartitioner")
@final
class MinSizePartitioner(Partitioner):
    """Cuts a variable into as many shards as possible of at least `min_shard_bytes` each, but at most `max_shards`.

    bytes_per_string: the assumed size of a string. Raises ValueError for a number below 1.
    """

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = _BYTES_PER_STRING
    ) -> None:
        _check_positive(min_shard_bytes=min_shard_bytes, max_shards=max_shards, bytes_per_string=bytes_per_string)
        self._bytes, self._most, self._string = min_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: ShapeLike, dtype: DTypeLike, axis: int = 0) -> list[int]:
        dims = _dimensions(shape, axis)
        size = math.prod(dims) * _bytes_of(dtype, self._string)
        return _answer(dims, axis, max(1, min(dims[axis], self._most, math.ceil(size / self._bytes))))


@exported("distribute.experimental.partitioners.MaxSizePartitioner")
@final
class MaxSizePartitioner(Partitioner):
    """Cuts a variable into as few shards as possible of at most `max_shard_bytes` each, but at most `max_shards` of them.

    max_shards: None for no limit.

    bytes_per_string: the assumed size of a string. Raises ValueError for a number below 1.
    """

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = _BYTES_PER_STRING
    ) -> None:
        _check_positive(max_shard_bytes=max_shard_bytes, bytes_per_string=bytes_per_string)
        if max_shards is not None:
            _check_positive(max_shards=max_shards)
        self._bytes, self._most, self._string = max_shard_bytes, max_shards, bytes_per_string

    def __call__(self, shape: ShapeLike, dtype: DTypeLike, axis: int = 0) -> list[int]:
        dims = _dimensions(shape, axis)
        row = math.prod(dims) // max(1, dims[axis]) * _bytes_of(dtype, self._string)
        rows = max(1, math.floor(self._bytes / row)) if row else max(1, dims[axis])
        shards = max(1, math.ceil(dims[axis] / rows))
        return _answer(dims, axis, shards if self._most is None else min(shards, self._most))


# --- The same partitioners by their names in TensorFlow 1 -------------------------------------------------------------

PartitionerFunction = Callable[..., list[int]]


@exported(v1=["fixed_size_partitioner"])
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> PartitionerFunction:
    """Returns a function of `shape` and `dtype` that is FixedShardsPartitioner along `axis`, and raises the same errors."""
    return _along(FixedShardsPartitioner(num_shards), axis)


@exported(v1=["min_max_variable_partitioner"])
def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = _BYTES_PER_STRING,
) -> PartitionerFunction:
    """Returns a function of `shape` and `dtype` that is MinSizePartitioner along `axis`, and raises the same errors."""
    return _along(MinSizePartitioner(min_slice_size, max_partitions, bytes_per_string_element), axis)


@exported(v1=["variable_axis_size_partitioner"])
def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = _BYTES_PER_STRING,
    max_shards: int | None = None,
) -> PartitionerFunction:
    """Returns a function of `shape` and `dtype` that is MaxSizePartitioner along `axis`, and raises the same errors."""
    return _along(MaxSizePartitioner(max_shard_bytes, max_shards, bytes_per_string_element), axis)


def _along(partitioner: Partitioner, axis: int) -> PartitionerFunction:
    def partition(shape: Any, dtype: Any = np.float32) -> list[int]:
        return partitioner(shape, dtype, axis)

    return partition


# --- For strategies ---------------------------------------------------------------------------------------------------


def shards_by(partitioner: PartitionerFunction | None, shape: tuple[int, ...], dtype: DTypeLike) -> int:
    """Returns the number of shards of a variable under a strategy with this `variable_partitioner`; 1 if it stays whole.

    Raises ValueError for a partitioner's answer other than a positive number followed by 1s.
    """
    if partitioner is None or not shape:
        return 1
    answer = partitioner(shape=shape, dtype=dtype)
    if not answer or answer[0] < 1 or any(n != 1 for n in answer[1:]):
        raise ValueError(
            "variable_partitioner must return a list/tuple whose elements are 1 besides the first element (non-zero), got: "
            f"{answer!r} for a variable of shape {shape}."
        )
    return max(1, min(int(answer[0]), shape[0]))


def rows_of_shards(rows: int, shards: int) -> list[int]:
    """Returns the number of rows of each shard: the first `rows` mod `shards` have one more ("div", as in TensorFlow)."""
    each, more = divmod(rows, shards)
    return [each + (i < more) for i in range(shards)]
