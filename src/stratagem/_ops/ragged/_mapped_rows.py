"""`tf.map_fn` of rows that no program can go over: of ragged tensors and strings, and with results of different lengths."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.step import TracedStrings
from stratagem._core.values import CompositeTensor, TensorSpec, TypeSpec
from stratagem._ops import _arrays
from stratagem._ops._convert import on_device
from stratagem._ops._dtypes import as_dtype
from stratagem._ops.ragged._layout import combined, ragged_or_tensor
from stratagem._ops.ragged._ragged_tensor import RaggedTensor
from stratagem._ops.ragged._spec import RaggedTensorSpec

_ADVICE = "Give fn_output_signature, the dtype or spec of each tensor that it returns."


def has_rows_alone(elems: Any, signature: Any) -> bool:
    """Returns whether `map_rows` has to go over the rows: they are ragged or strings, or results are to be ragged."""
    ragged = any(isinstance(spec, RaggedTensorSpec) for spec in jax.tree.leaves(signature, is_leaf=_is_spec))
    return ragged or any(map(_is_alone, jax.tree.leaves(elems, is_leaf=_is_composite)))


def map_rows(fn: Callable[[Any], Any], elems: Any, signature: Any) -> Any:
    """Returns what a function makes of each row, stacked, as `tf.map_fn` does; results of different lengths become ragged.

    signature: the dtypes or specs of its results for one row, of which those of ragged tensors make one; None if the results
    are like rows.

    Raises:
        ValueError: different numbers of rows, or a result of another structure or dtype than the signature's.
        InvalidArgumentError: a scalar in place of the row of a ragged tensor.
        TypeError: sparse tensors.
    """
    structure: Any
    shape: Any
    given, structure = jax.tree.flatten(elems, is_leaf=_is_composite)
    leaves = [ragged_or_tensor(_checked(leaf)) for leaf in given]
    counts = {int(leaf.shape[0]) for leaf in leaves}
    if len(counts) != 1:
        raise ValueError(f"tf.map_fn: all `elems` have equally many rows, got {sorted(counts)}.")
    made = [fn(jax.tree.unflatten(structure, [leaf[i] for leaf in leaves])) for i in range(counts.pop())]
    like_rows = jax.tree.unflatten(structure, list(map(_row_spec, leaves)))
    specs, shape = jax.tree.flatten(like_rows if signature is None else signature, is_leaf=_is_spec)
    columns: list[list[Any]] = [[] for _ in specs]
    for result in made:
        values, found = jax.tree.flatten(result, is_leaf=_is_composite)
        if found != shape:
            raise ValueError(f"tf.map_fn: `fn` returned {found}, expected {shape}. {_ADVICE}")
        for column, value in zip(columns, values, strict=True):
            column.append(ragged_or_tensor(value))
    return jax.tree.unflatten(shape, [_joined(column, spec) for column, spec in zip(columns, specs, strict=True)])


def _joined(results: list[Any], spec: Any) -> Any:
    """The results of all rows as one tensor."""
    dtype = as_dtype(spec.dtype if isinstance(spec, TensorSpec | RaggedTensorSpec) else spec)
    for each in results:
        if as_dtype(each.dtype) != dtype:
            raise ValueError(f"tf.map_fn: `fn` returned {as_dtype(each.dtype).name}, expected {dtype.name}. {_ADVICE}")
    if not isinstance(spec, RaggedTensorSpec):
        inner = tuple(spec.shape) if isinstance(spec, TensorSpec) and spec.shape.is_fully_defined() else ()
        return _arrays.stack(results, 0) if results else on_device(np.empty((0, *inner), dtype.dtype))
    if not results:
        nothing: Any = on_device(np.empty(0, dtype.dtype))
        for _ in range(spec.ragged_rank + 1):
            nothing = RaggedTensor.from_row_splits(nothing, np.zeros(1, np.int64))
        return nothing.with_row_splits_dtype(spec.row_splits_dtype)
    if not all(len(each.shape) for each in results):
        raise InvalidArgumentError(f"tf.map_fn: `fn` returned a scalar, expected the row of a ragged tensor. {_ADVICE}")
    return combined(results, 0, stacks=True).with_row_splits_dtype(spec.row_splits_dtype)


def _row_spec(leaf: Any) -> Any:
    """A spec that results like the rows of a tensor have, as far as it is looked at."""
    if not isinstance(leaf, RaggedTensor):
        return leaf.dtype
    return RaggedTensorSpec(None, leaf.dtype, max(leaf.ragged_rank - 1, 0), leaf.row_splits.dtype)


def _checked(leaf: Any) -> Any:
    if isinstance(leaf, CompositeTensor) and not isinstance(leaf, RaggedTensor):
        raise TypeError(
            f"tf.map_fn takes tensors and ragged tensors, got a {type(leaf).__name__}. Give it tf.sparse.to_dense(x), or "
            "tf.RaggedTensor.from_sparse(x)."
        )
    return leaf


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _is_spec(value: Any) -> bool:
    return isinstance(value, TypeSpec)


def _is_alone(leaf: Any) -> bool:
    strings = isinstance(leaf, np.ndarray) and leaf.dtype == object
    return strings or isinstance(leaf, CompositeTensor | TracedStrings | str | bytes)
