"""The parts of elements: arrays, and what the ragged and sparse tensors in them are made of, in the order of JAX."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from stratagem._core.values import CompositeTensor
from stratagem._data.elements._nest import Array, leaves
from stratagem._ops.ragged import RaggedTensor, RaggedTensorSpec
from stratagem._ops.sparse import SparseTensor, SparseTensorSpec

Shape = tuple[int, ...]


def parts(nest: Any) -> list[Array]:
    """The arrays of a nest: its leaves, and what ragged and sparse tensors among these are made of."""
    return [part for leaf in leaves(nest) for part in _parts_of(leaf)]


def has_composites(spec: Any) -> bool:
    """Returns whether there are ragged or sparse tensors in elements with these specs."""
    return any(isinstance(leaf, RaggedTensorSpec | SparseTensorSpec) for leaf in leaves(spec))


def map_parts(function: Callable[[list[Any]], Any], nests: Sequence[Any]) -> Any:
    """Applies a function to the corresponding parts of nests, in the order of `parts`; composite tensors stay such."""

    def mapped(*each: Any) -> Any:
        return _combined(function, each) if _is_composite(each[0]) else function(list(each))

    return jax.tree.map(mapped, *nests, is_leaf=_is_composite)


def zeros(spec: Any, shapes: Sequence[Shape]) -> Any:
    """Returns an element with these specs and shapes of parts, whose entries are zero."""
    given = iter(shapes)
    return jax.tree.map(lambda leaf: _zeros(leaf, _next(leaf, given)), spec)


def shapes_without_rows(spec: Any, shapes: Sequence[Sequence[int]]) -> list[Shape]:
    """Returns the shapes of the parts of an element without rows. shapes: those of one that may have rows."""
    given = iter(shapes)
    return [shape for leaf in leaves(spec) for shape in _without_rows(leaf, _next(leaf, given))]


def _is_composite(leaf: Any) -> bool:
    return isinstance(leaf, CompositeTensor)


def _parts_of(leaf: Any) -> list[Any]:
    found: list[Any] = []

    def note(part: Any) -> Any:
        found.append(part)
        return part

    if not isinstance(leaf, CompositeTensor):
        return [leaf]
    leaf._with_parts(note)
    return found


def _combined(function: Callable[[list[Any]], Any], composites: Sequence[Any]) -> Any:
    columns = zip(*map(_parts_of, composites), strict=True)
    return _of_parts(composites, iter([function(list(column)) for column in columns]))


def _of_parts(composites: Sequence[Any], made: Iterator[Any]) -> Any:
    first = composites[0]
    if isinstance(first, SparseTensor):
        return first._with_parts(lambda _: next(made))
    inner = [each._stored for each in composites]
    values = _of_parts(inner, made) if isinstance(inner[0], RaggedTensor) else next(made)
    uniform = {each._uniform for each in composites}
    spare = any(each._spare for each in composites)
    return RaggedTensor(values, next(made), uniform.pop() if len(uniform) == 1 else None, spare)


def _next(spec: Any, shapes: Iterator[Sequence[int]]) -> list[Shape]:
    """The shapes of the parts of a leaf with this spec, from those of all."""
    count = 3 if isinstance(spec, SparseTensorSpec) else 1
    count = 1 + spec.ragged_rank if isinstance(spec, RaggedTensorSpec) else count
    return [tuple(next(shapes)) for _ in range(count)]


def _without_rows(spec: Any, shapes: list[Shape]) -> list[Shape]:
    if isinstance(spec, SparseTensorSpec):
        return [(0, *shapes[0][1:]), (0,), shapes[2]]
    first, *splits = shapes
    return [(0, *first[1:]) if first else first, *[(1,)] * len(splits)]


def _zeros(spec: Any, shapes: list[Shape]) -> Any:
    if isinstance(spec, SparseTensorSpec):
        inner = spec.shape[1:] if spec.shape.rank else [0] * (shapes[2][0] - 1)
        sizes = np.array([0, *(size or 0 for size in inner)], np.int64)
        return SparseTensor(np.zeros(shapes[0], np.int64), np.zeros(shapes[1], spec.dtype), sizes)
    found: Any = np.zeros(shapes[0], spec.dtype)
    for shape in shapes[1:]:
        found = RaggedTensor(found, np.zeros(shape, spec.row_splits_dtype))
    return found
