"""Encoding of numbers of categories as vectors, which say what a row has, and how often."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import TensorShape
from stratagem._ops import Tensor, as_dtype, need_value
from stratagem._ops import on_device as constant
from stratagem._ops.sparse import SparseTensor
from stratagem._preprocessing._inputs import is_known
from stratagem._private import zeros_to_share

OUTPUT_MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def checked_mode(layer: str, output_mode: str | None, allowed: tuple[str, ...], sparse: bool) -> str:
    """Returns the mode by its name of today. Raises ValueError for another one, and for sparse integers."""
    mode = {"binary": "multi_hot", "tf-idf": "tf_idf"}.get(str(output_mode), str(output_mode))
    if mode not in allowed:
        raise ValueError(f"The `output_mode` of {layer} is one of {', '.join(allowed)}; got {output_mode!r}.")
    if sparse and mode == "int":
        raise ValueError(f"{layer}: `sparse` is for vectors, got sparse=True and output_mode='int'.")
    return mode


def output_dtype(layer: str, output_mode: str, dtype: Any, default: str) -> str:
    """Returns the dtype of a layer: int64 for integers, `default` for vectors. Raises ValueError for fractions as integers."""
    if dtype is None:
        return "int64" if output_mode == "int" else default
    if output_mode == "int" and not as_dtype(getattr(dtype, "compute_dtype", dtype)).is_integer:
        raise ValueError(f"{layer}: with output_mode='int' the dtype is one of integers, got {dtype!r}.")
    return dtype if not hasattr(dtype, "compute_dtype") else dtype.compute_dtype


def encoded_shape(shape: ShapeLike, output_mode: str, depth: int | None) -> tuple[int | None, ...]:
    """Returns the shape of what `encoded` makes of numbers of this shape."""
    sizes = tuple(TensorShape(shape))
    if output_mode == "int":
        return sizes
    appended = output_mode == "one_hot" and sizes[-1:] != (1,)
    return (*sizes, depth) if appended else (*sizes[:-1], depth)


def encoded(
    ids: Any,
    output_mode: str,
    depth: int,
    dtype: DTypeLike,
    *,
    count_weights: Any = None,
    idf_weights: np.ndarray | None = None,
    sparse: bool = False,
) -> Tensor | SparseTensor:
    """Encodes numbers of categories, arrays of the host or tensors of a step.

    ids: (), (n,) or (rows, n). Numbers from `depth` on are dropped. depth: the number of categories. count_weights: what each
    number counts, by default 1. idf_weights: (depth,), by which counts are multiplied. sparse: vectors are a SparseTensor.
    Returns the numbers themselves for the mode int; for one_hot (n, depth), otherwise (depth,) or (rows, depth).
    Raises ValueError for a higher rank, and InvalidArgumentError for negative numbers that are known.
    """
    kind = as_dtype(dtype).dtype
    if output_mode == "int":
        return constant(np.asarray(ids).astype(kind)) if is_known(ids) else ids.astype(kind)
    shape = ids.shape
    if ids.ndim == 0:
        ids = ids.reshape(1)
    if output_mode == "one_hot" and ids.shape[-1] != 1:
        ids = ids[..., None]
    if ids.ndim > 2:
        raise ValueError(
            f"With output_mode {output_mode!r} the output has at most rank 2, got numbers of shape {list(shape)}."
        )
    rows = ids if ids.ndim == 2 else ids[None]
    found = counted(rows, depth, kind, binary=output_mode in ("one_hot", "multi_hot"), weights=count_weights)
    if idf_weights is not None:
        found = found * idf_weights.astype(kind)
    found = found if ids.ndim == 2 else found[0]
    return as_output(found, sparse)


def as_output(vectors: Any, sparse: bool) -> Tensor | SparseTensor:
    """Returns vectors as a tensor, or as a sparse one, whose number of entries only the host knows."""
    if not sparse:
        return constant(vectors) if isinstance(vectors, np.ndarray) else vectors
    if not is_known(vectors):
        need_value("the number of entries of a sparse tensor depends on it")
    array = np.asarray(vectors)
    indices = np.argwhere(array)
    return SparseTensor(*map(constant, (indices, array[tuple(indices.T)], np.array(array.shape))))


def counted(rows: Any, depth: int, dtype: np.dtype, *, binary: bool, weights: Any = None) -> Any:
    """Returns how often each number below `depth` is in each row of (rows, n), or with `binary` whether: (rows, depth)."""
    number = np.broadcast_to(np.arange(rows.shape[0])[:, None], rows.shape)
    if is_known(rows) and (weights is None or is_known(weights)):
        listed = None if weights is None else np.asarray(weights).reshape(-1)
        return counted_entries(number.ravel(), np.asarray(rows).ravel(), rows.shape[0], depth, dtype, binary, listed)
    places = jnp.where((rows < 0) | (rows >= depth), depth, rows).astype(np.int32)
    empty = jnp.zeros((rows.shape[0], depth), dtype)
    if binary:
        return empty.at[number, places].set(1, mode="drop")
    added = jnp.ones(rows.shape, dtype) if weights is None else jnp.reshape(weights, rows.shape).astype(dtype)
    return empty.at[number, places].add(added, mode="drop")


def counted_entries(
    rows: np.ndarray,
    ids: np.ndarray,
    count: int,
    depth: int,
    dtype: np.dtype,
    binary: bool,
    weights: np.ndarray | None = None,
    factors: np.ndarray | None = None,
) -> np.ndarray:
    """Returns the same for entries, the row and the number of each, (n,): (count, depth). Raises as `encoded`.

    factors: (depth,) of the result's dtype, by which counts are multiplied.
    """
    if ids.size and ids.min() < 0:
        raise InvalidArgumentError(f"The numbers of categories are not negative, got {int(ids.min())}.")
    inside = ids < depth
    places = rows[inside] * depth + ids[inside]
    if binary or weights is None:  # most of a vector of words is zero: only the others are touched
        found = zeros_to_share([count * depth], dtype)
        kept, counts = np.unique(places, return_counts=True)
        found[kept] = 1 if binary else counts
    else:
        kept = places
        found = np.bincount(places, weights[inside], minlength=count * depth).astype(dtype)
    if factors is not None:
        found[kept] *= factors[kept % depth]
    return found.reshape(count, depth)
