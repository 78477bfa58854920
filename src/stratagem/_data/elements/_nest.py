"""Functions on elements: nests of tuples, named tuples and dicts whose leaves are NumPy arrays or datasets.

A TensorShape, which is a tuple, is one leaf, as in TensorFlow. So is a ragged or sparse tensor, which has NumPy arrays in it.

Dicts keep the order of their keys, as in TensorFlow, where `jax.tree` sorts them; leaves are listed in sorted order.

A leaf is never written to, so that it may be shared by a source, a cache, a buffer and a batch. Values from user code are
copied on the way in unless nobody can write to them; values that user code may write to are copied on the way out.
"""

import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import jax
import numpy as np
from numpy.typing import NDArray

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import CompositeTensor, TensorShape, TensorSpec
from stratagem._data.elements._composites import (
    RaggedRow,
    composite_rows,
    composites_stacked,
    rows_batched,
    rows_of_composite,
    slice_of_composite,
)
from stratagem._data.elements._spec import DatasetSpec, NestedDataset, no_batches_of_datasets
from stratagem._ops import StringTensor
from stratagem._private import on_default_device

Array = NDArray[Any]
_STRING_WEIGHT: Final = 256


def leaves(nest: Any) -> list[Any]:
    """The leaves of a nest, those of dicts in the order of their sorted keys; a list is one leaf, as it represents a tensor."""
    found: list[Any] = []
    _collect(nest, found)
    return found


def map_leaves(function: Callable[..., Any], nest: Any, *others: Any) -> Any:
    """Applies a function to every leaf, together with the corresponding parts of other nests.

    Raises:
        ValueError: another nest does not have the structure of the first.
    """
    kind = type(nest)
    if kind is np.ndarray:
        return function(nest, *others)
    if kind is tuple and not others:
        return tuple([map_leaves(function, part) for part in nest])
    if isinstance(nest, tuple) and kind is not TensorShape:
        columns = zip(nest, *(_parts(other, nest) for other in others), strict=True)
        mapped = [map_leaves(function, *column) for column in columns]
        return kind(*mapped) if hasattr(nest, "_fields") else kind(mapped)
    if isinstance(nest, dict):
        for other in others:
            _parts(other, nest)
        return _like(nest, {key: map_leaves(function, part, *(o[key] for o in others)) for key, part in nest.items()})
    return None if nest is None else function(nest, *others)


def packer(template: Any) -> Callable[[Iterable[Any]], Any]:
    """Returns a function that builds a nest of the template's structure from its leaves, in the order of `leaves`."""
    if type(template) is tuple and not any(isinstance(part, tuple | dict | None) for part in template):
        return tuple
    return lambda values: _packed(template, iter(values))


def convert(nest: Any) -> Any:
    """Converts the result of user code to a nest of arrays that nobody can write to."""
    return map_leaves(_as_numpy, nest)


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, NestedDataset):
        return leaf
    return leaf._with_parts(_as_numpy) if isinstance(leaf, CompositeTensor) else frozen(to_numpy(leaf))


def to_numpy(value: Any) -> Array:
    """Converts as TensorFlow does: Python ints become int32, floats float32, strings bytes; arrays keep their dtype."""
    array = np.asarray(value)
    if array.dtype.kind in "US":
        # NumPy's own strings would lose trailing zero bytes.
        array = np.asarray(value, dtype=object)
    if array.dtype == object:
        entries = array.ravel().tolist()
        types = set(map(type, entries))
        if types == {bytes}:
            return array  # nearly all arrays of strings: no call for each of them
        if any(issubclass(each, np.ndarray) for each in types):  # a list of scalar tensors of strings
            entries = [each.item() if _is_scalar_array(each) else each for each in entries]
            types = set(map(type, entries))
            array = np.array([*entries, None], object)[:-1].reshape(array.shape)
        if not all(issubclass(each, bytes | str) for each in types):
            raise TypeError(
                f"A value of type {type(value).__name__} cannot become a tensor: {value!r:.200}. "
                "Give numbers, booleans, strings or arrays of them, of equal lengths."
            )
        return _as_bytes(array)
    return _narrow(array) if _is_plain(value) else array


def _is_scalar_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.ndim


def frozen(array: Array) -> Array:
    """The array itself if nobody can write to its memory, else a read-only copy."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            copy = np.array(array)
            copy.setflags(write=False)
            return copy
        owner = owner.base
    return array


def to_jax(nest: Any) -> Any:
    """Converts arrays to tensors of exactly the same dtypes; strings stay in NumPy arrays, and datasets are kept."""
    return map_leaves(_as_jax, nest)


def to_tensors(nest: Any) -> Any:
    """Makes the leaves acceptable as tensors for a program, leaving them in NumPy."""
    return map_leaves(_as_tensor, nest)


def _as_tensor(leaf: Any) -> Any:
    if isinstance(leaf, CompositeTensor):
        return leaf._with_parts(_as_tensor)
    return leaf.view(StringTensor) if _is_text(leaf) else leaf


def to_own_numpy(nest: Any) -> Any:
    """The nest with arrays that the receiver may write to, and NumPy scalars for scalars."""
    return map_leaves(_owned, nest)


def spec_of(nest: Any) -> Any:
    """The specs of the arrays and datasets of a nest."""
    return map_leaves(
        lambda leaf: (
            leaf._type_spec if isinstance(leaf, NestedDataset | CompositeTensor) else TensorSpec(leaf.shape, leaf.dtype)
        ),
        nest,
    )


def kinds_of(specs: Any) -> Any:
    """The dtypes of a nest of specs in comparable form: datasets are compatible if these are equal.

    They are names, because NumPy considers a tuple of two dtypes equal to the first of them.
    """
    return map_leaves(_kind, specs)


def _kind(spec: Any) -> Any:
    if isinstance(spec, DatasetSpec):
        return {"elements": kinds_of(spec.element_spec)}
    name: str = spec.dtype.name
    return name if isinstance(spec, TensorSpec) else f"{type(spec).__name__} of {name}"


def rows_of(nest: Any) -> list[Any]:
    """The rows of a nest of arrays with equal first dimensions, as views."""
    if isinstance(nest, np.ndarray):
        return _rows(nest)
    return list(map(packer(nest), zip(*map(_rows, leaves(nest)), strict=True)))


def stacked(elements: list[Any]) -> Any:
    """Stacks elements of one structure and shape to one element with a new first dimension.

    Raises:
        InvalidArgumentError: their shapes or dtypes differ.
        TypeError: they hold datasets.
    """
    if isinstance(elements[0], np.ndarray):
        return _stacked(0, elements)
    columns = zip(*map(leaves, elements), strict=True)
    return packer(elements[0])(_stacked(i, column) for i, column in enumerate(columns))


def rows_in(batch: Any) -> int:
    """The number of rows in a batch: the size of the first dimension of its first leaf."""
    first = leaves(batch)[0]
    return composite_rows(first) if isinstance(first, CompositeTensor) else len(first)


def weight(nest: Any) -> int:
    """About how many bytes a nest takes, a string 256 besides its own; that of a dataset is beyond any limit."""
    return sum(map(_weight, leaves(nest)))


def _weight(leaf: Any) -> int:
    if isinstance(leaf, CompositeTensor):
        return sum(map(_weight, jax.tree.leaves(leaf)))
    if isinstance(leaf, NestedDataset):
        return sys.maxsize
    return leaf.nbytes if leaf.dtype != object else _STRING_WEIGHT * leaf.size + sum(map(len, leaf.ravel().tolist()))


def slice_rows(batch: Any, start: int, stop: int) -> Any:
    """The rows from `start` up to but excluding `stop`, as views."""
    return map_leaves(lambda leaf: _sliced(leaf, start, stop), batch)


def _sliced(leaf: Any, start: int, stop: int) -> Any:
    return slice_of_composite(leaf, start, stop) if isinstance(leaf, CompositeTensor) else leaf[start:stop]


def _rows(array: Any) -> list[Any]:
    if isinstance(array, CompositeTensor):
        return rows_of_composite(array)
    return [array[i, ...] for i in range(len(array))]


def _stacked(component: int, rows: Sequence[Array]) -> Any:
    if isinstance(rows[0], NestedDataset):
        raise no_batches_of_datasets()
    if isinstance(rows[0], CompositeTensor):
        return composites_stacked(component, rows)
    if isinstance(rows[0], RaggedRow) and rows[0].splits_dtype is not None:
        return rows_batched(rows)
    shape, dtype = rows[0].shape, rows[0].dtype
    result = np.empty((len(rows), *shape), dtype)
    for i, row in enumerate(rows):
        if row.shape != shape or row.dtype != dtype:
            raise InvalidArgumentError(
                f"Cannot batch tensors with different shapes in component {component}. First element had shape "
                f"{list(shape)} and element {i} had shape {list(row.shape)} (dtypes: {dtype}, {row.dtype}). "
                "Use `padded_batch` or `ragged_batch` for tensors of different sizes, or make them equal with `map` first."
            )
        result[i, ...] = row  # without the dots, an object array would hold the scalar array itself
    return result


def _collect(nest: Any, found: list[Any]) -> None:
    if isinstance(nest, tuple) and type(nest) is not TensorShape:
        for part in nest:
            _collect(part, found)
    elif isinstance(nest, dict):
        for key in _sorted(nest):
            _collect(nest[key], found)
    elif nest is not None:
        found.append(nest)


def _packed(template: Any, values: Iterator[Any]) -> Any:
    if isinstance(template, tuple) and type(template) is not TensorShape:
        parts = [_packed(part, values) for part in template]
        return type(template)(*parts) if hasattr(template, "_fields") else type(template)(parts)
    if isinstance(template, dict):
        packed = {key: _packed(template[key], values) for key in _sorted(template)}
        return _like(template, {key: packed[key] for key in template})
    return None if template is None else next(values)


def _parts(other: Any, nest: Any) -> Any:
    """Returns the other nest after checking that its parts match those of the first."""
    is_tuple = isinstance(other, tuple) and type(other) is not TensorShape
    fits = isinstance(other, dict) if isinstance(nest, dict) else is_tuple
    if not fits or len(other) != len(nest) or (isinstance(nest, dict) and other.keys() != nest.keys()):
        raise ValueError(f"The two structures don't match: {nest!r:.200} and {other!r:.200}.")
    return other


def _like(template: dict[Any, Any], items: dict[Any, Any]) -> dict[Any, Any]:
    if type(template) is dict:
        return items
    if isinstance(template, defaultdict):
        return defaultdict(template.default_factory, items)
    return OrderedDict(items) if isinstance(template, OrderedDict) else items


def _sorted(nest: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(nest)
    except TypeError as error:
        raise TypeError(
            f"The keys of a dict in an element must be sortable, found {list(nest)}: keys of one type."
        ) from error


def _as_jax(leaf: Any) -> Any:
    if isinstance(leaf, CompositeTensor):
        return leaf._with_parts(_as_jax)
    if not isinstance(leaf, np.ndarray):
        return leaf
    if _is_text(leaf):
        return leaf.view(StringTensor)
    return on_default_device(leaf)


def _is_text(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray) and leaf.dtype == object


def _owned(leaf: Any) -> Any:
    if isinstance(leaf, NestedDataset):
        raise TypeError(
            f"`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
            f"{type(leaf)}. Iterate over the dataset itself, and over each of those."
        )
    if isinstance(leaf, CompositeTensor):
        return leaf._with_parts(_owned)
    if leaf.ndim == 0:
        return leaf[()]
    return leaf if leaf.flags.owndata and leaf.flags.writeable else leaf.copy()


def _is_plain(value: Any) -> bool:
    """Returns whether `value` is a Python scalar or a list of them. `np.float64` is a float, but not plain: it has a dtype."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return type(value) in (int, float, bool, complex)


def _narrow(array: Array) -> Array:
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64:
        limits = np.iinfo(np.int32)
        fits = array.size == 0 or (array.min() >= limits.min and array.max() <= limits.max)
        return array.astype(np.int32) if fits else array
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


def _as_bytes(array: Array) -> Array:
    flat = np.empty(array.size, dtype=object)
    flat[:] = [
        text if type(text) is bytes else text.encode() if isinstance(text, str) else bytes(text)
        for text in array.reshape(-1).tolist()
    ]
    return flat.reshape(array.shape)
