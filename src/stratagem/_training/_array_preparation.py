"""Preparation of arrays: converts all kinds to NumPy arrays, checks and weights them, and splits them among the replicas."""

import functools
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import keras
import numpy as np

from stratagem._core.values import CompositeTensor, with_per_replica_composites
from stratagem._data import leaves, map_parts, piece_sizes, place, rows_in, slice_rows
from stratagem._ops import tensor
from stratagem._strategies import AbstractStrategy
from stratagem._training._data_arguments import DataArguments


def _is_array(value: Any) -> bool:
    if hasattr(value, "shape") and hasattr(value, "dtype") and len(value.shape) > 0:
        return True
    return hasattr(value, "iloc") or _is_column(value)


def _is_column(value: Any) -> bool:
    """Returns whether `value` is a column of a Hugging Face dataset, which reads its rows on access."""
    return hasattr(value, "column_name") and hasattr(value, "features")


def _given(nest: Any) -> list[Any]:
    """The leaves of a nest: arrays, or whatever is given in their place."""
    if isinstance(nest, Mapping | list | tuple) and not _is_array(nest):
        members = nest.values() if isinstance(nest, Mapping) else nest
        return [leaf for member in members for leaf in _given(member)]
    return [nest]


def is_arrays(nest: Any) -> bool:
    """Returns whether `nest` is an array, a nest of arrays, or a list of numbers."""
    given = _given(nest)
    if isinstance(nest, list) and given and all(isinstance(v, int | float) for v in given):
        return True
    return bool(given) and all(map(_is_array, given))


def _as_arrays(nest: Any) -> Any:
    """Converts the leaves of a nest to NumPy arrays; a list is a structure unless it holds numbers, as in TensorFlow."""
    if isinstance(nest, CompositeTensor):
        return nest
    if _is_array(nest):
        return _as_array(nest)
    if isinstance(nest, Mapping):
        return {key: _as_arrays(value) for key, value in nest.items()}
    if isinstance(nest, list) and not any(map(_is_array, _given(nest))):
        return _as_array(np.asarray(nest))
    if not isinstance(nest, list | tuple):
        raise TypeError(f"Arrays, or lists, tuples and dicts of them, are needed beside arrays; got {nest!r:.100}.")
    return tuple(map(_as_arrays, nest))


def _as_array(value: Any) -> np.ndarray:
    if hasattr(value, "iloc"):
        value = _from_pandas(value)
        value = value[:, None] if value.ndim == 1 else value
    elif _is_column(value):
        value = value[:]
    elif hasattr(value, "detach"):  # torch
        value = value.detach().cpu()
    array = np.asarray(value)
    return array.astype(keras.config.floatx()) if np.issubdtype(array.dtype, np.floating) else array


def _from_pandas(value: Any) -> np.ndarray:
    """The numbers of a DataFrame or a Series, missing ones as NaN.

    Raises TypeError, with the names of the columns that are not numeric.
    """
    array: np.ndarray = value.to_numpy()
    if array.dtype != object:
        return array
    names, dtypes = ([value.name], [value.dtype]) if value.ndim == 1 else (value.columns, value.dtypes)
    if others := [f"{name!r} ({d})" for name, d in zip(names, dtypes, strict=True) if d.kind not in "biuf"]:
        raise TypeError(
            f"Columns without numbers: {', '.join(others)}. Make numbers of them first, with pandas.get_dummies for example."
        )
    # Columns of different types, or of types with missing values: all are numeric, but NumPy has no common type for them.
    floats = any(dtype.kind == "f" for dtype in dtypes) or bool(value.isna().to_numpy().any())
    return value.to_numpy(keras.config.floatx(), na_value=np.nan) if floats else value.to_numpy("int64")


def packed(parts: tuple[Any, ...]) -> Any:
    """Returns (x[, y[, sample_weight]]) as a step gets it: `x` itself where nothing else is given, unless that is a tuple."""
    return parts[0] if len(parts) == 1 and not isinstance(parts[0], tuple) else parts


def checked_arrays(data: DataArguments) -> tuple[Any, ...]:
    """(x[, y[, sample_weight]]) as nests of NumPy arrays of one length, with class weights turned into sample weights."""
    sample_weight = data.sample_weight
    if data.class_weight is not None:
        if sample_weight is not None:
            raise ValueError("Give `class_weight` or `sample_weight`, not both.")
        y = None if data.y is None else _as_arrays(data.y)
        if not isinstance(y, np.ndarray):
            raise ValueError(f"`class_weight` needs one array of targets `y`, got {type(data.y).__name__}.")
        sample_weight = _class_weights(y, data.class_weight)
    given = {"x": data.x, "y": data.y, "sample_weight": sample_weight}
    arrays = {
        name: jax.tree.map(functools.partial(_with_strings, name), _as_arrays(value), is_leaf=_is_composite)
        for name, value in given.items()
        if value is not None
    }
    sizes = {name: sorted({int(v.shape[0]) for v in leaves(value)}) for name, value in arrays.items()}
    if len(set(itertools.chain.from_iterable(sizes.values()))) > 1:
        listing = ", ".join(f"{name}: {', '.join(map(str, size))}" for name, size in sizes.items())
        raise ValueError(
            f"Data cardinality is ambiguous: all arrays must have the same number of examples, got {listing}."
        )
    if "sample_weight" in arrays and "y" not in arrays:
        raise ValueError("`sample_weight` without `y` weighs nothing: give the targets, too.")
    if sizes["x"] == [0]:
        raise ValueError("The arrays have no examples.")
    return tuple(arrays.values())


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _with_strings(name: str, array: Any) -> Any:
    """Returns an array, with bytes objects in place of strings. Raises TypeError for one of other objects."""
    if _is_composite(array) or array.dtype.kind not in "OSU":
        return array
    try:
        return np.asarray(tensor(array))
    except ValueError:
        raise TypeError(
            f"{name} has dtype {array.dtype}, and entries that are no strings, which no device holds. Make numbers of them."
        ) from None


def _class_weights(y: Any, weights: Mapping[int, float]) -> np.ndarray:
    return np.asarray(keras.ops.convert_to_numpy(_weight_of(y, weights)))


def _weight_of(y: Any, weights: Mapping[int, float]) -> Any:
    """The weight of each example's class; 1 for a class without one. One-hot targets are classified by their largest entry."""
    classes = y
    if len(y.shape) > 1:
        classes = keras.ops.squeeze(y, -1) if y.shape[-1] == 1 else keras.ops.argmax(y, axis=-1)
    classes = keras.ops.cast(keras.ops.round(classes), "int32")
    found = keras.ops.ones(classes.shape, keras.config.floatx())
    for label, weight in weights.items():
        found = keras.ops.where(classes == int(label), keras.ops.cast(weight, found.dtype), found)
    return found


def adding_class_weights(weights: Mapping[int, float]) -> Callable[..., Any]:
    """Returns a function for `Dataset.map` that adds to a pair (x, y) the weights of the examples' classes."""

    def weigh(*element: Any) -> Any:
        if len(element) != 2:
            raise ValueError(f"`class_weight` needs a dataset of pairs (x, y), got elements of {len(element)} part(s).")
        return (*element, _weight_of(element[1], weights))

    return weigh


def placed_batch(data: DataArguments, strategy: AbstractStrategy) -> Any:
    """Splits one batch of arrays, (x[, y[, sample_weight]]), among the replicas and moves the parts to their devices."""
    arrays, mesh = checked_arrays(data), strategy.mesh
    ends = list(itertools.accumulate(piece_sizes(rows_in(arrays), mesh.num_replicas), initial=0))
    pieces = [slice_rows(arrays, start, end) for start, end in itertools.pairwise(ends)]

    def placed(parts: list[Any]) -> Any:
        return place([parts[i] for i in mesh.local_ids], mesh, [part.shape for part in parts])

    found = map_parts(placed, pieces)
    return found if mesh.num_replicas == 1 else with_per_replica_composites(found)
