"""Batches of tensors of different sizes: each is padded to a given shape, or to the largest of its batch."""

import abc
import functools
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from stratagem._base.errors import DataLossError, InvalidArgumentError
from stratagem._core.values import CompositeTensor, TensorShape, TensorSpec
from stratagem._data._dataset_base import as_int
from stratagem._data.elements._nest import Array, leaves, map_leaves, packer, spec_of, to_numpy
from stratagem._data.elements._spec import DatasetSpec, NestedDataset, with_rows
from stratagem._data.functions._map_mode import has_static_spec
from stratagem._data.functions._relaxed_spec import of_any_size, static_spec
from stratagem._data.stages._cardinality import batched
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@final
class Padding:
    """The shapes to which components are padded, and the padding values, as the user gave them.

    They are checked against the specs of the elements when these are known.
    """

    def __init__(self, shapes: Any, values: Any) -> None:
        self._shapes = shapes
        self._values = values

    def shapes(self, specs: Any) -> list[TensorShape]:
        """A shape for every component; None in it represents the largest size in the batch.

        Raises:
            TypeError: a component is a dataset.
            ValueError: the structure or a rank does not fit, or a required shape is missing.
        """
        components: list[TensorSpec] = leaves(specs)
        if any(isinstance(spec, DatasetSpec) for spec in components):
            raise TypeError("`padded_batch` is not supported for datasets of datasets. Use `flat_map` first.")
        if self._shapes is None:
            for number, spec in enumerate(components):
                if spec.shape.rank is None:
                    raise ValueError(
                        f"You must provide `padded_shapes` argument because component {number} has unknown rank."
                    )
            return [spec.shape for spec in components]
        given = [_as_shape(shape) for shape in _flattened_up_to(specs, self._shapes, "padded_shapes")]
        return [_checked_shape(shape, spec) for shape, spec in zip(given, components, strict=True)]

    def values(self, specs: Any) -> list[Array]:
        """A scalar for every component.

        Raises:
            ValueError: the structure does not fit, or a value is not a scalar.
            TypeError: a value has another dtype than its component.
        """
        components: list[TensorSpec] = leaves(specs)
        if self._values is None or not isinstance(self._values, tuple | dict):
            given = [self._values] * len(components)
        else:
            given = _flattened_up_to(specs, self._values, "padding_values")
        return [_checked_value(value, spec) for value, spec in zip(given, components, strict=True)]


class JoinedBatchStage(UnaryStage, abc.ABC):
    """Joins consecutive elements to batches."""

    def __init__(self, parent: Stage, batch_size: int, *, drop_remainder: bool) -> None:
        super().__init__(parent)
        self._batch_size, self._drop_remainder = batch_size, drop_remainder

    @abc.abstractmethod
    def _joined(self, elements: list[Any]) -> Any:
        """Returns one element of these."""

    @property
    def cardinality(self) -> int:
        return batched(self._parent.cardinality, self._batch_size, drop_remainder=self._drop_remainder)

    @property
    def batch_size(self) -> int:
        return self._batch_size

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        least = self._batch_size if self._drop_remainder else 1
        return StackIterator(self._parent.walk(), self._batch_size, least, self._joined)

    def example(self) -> Any:
        return self._joined([self._parent.example()] * self._batch_size)


@final
class PaddedBatchStage(JoinedBatchStage):
    """Consecutive elements, padded to one shape and stacked."""

    def __init__(self, parent: Stage, batch_size: int, padding: Padding, *, drop_remainder: bool) -> None:
        super().__init__(parent, batch_size, drop_remainder=drop_remainder)
        self._padding = padding
        # The spec of user code's elements is known from one example; others may have other sizes.
        self._static = has_static_spec(parent)
        if self._static:
            _ = self._target

    @property
    def spec(self) -> Any:
        rows = self._batch_size if self._drop_remainder else None
        specs = static_spec(self._parent)
        padded = (
            with_rows(TensorSpec(shape, spec.dtype), rows)
            for shape, spec in zip(self._padding.shapes(specs), leaves(specs), strict=True)
        )
        return packer(specs)(padded)

    @functools.cached_property
    def _target(self) -> tuple[list[TensorShape], list[Array]]:
        return self._padding.shapes(self._parent.spec), self._padding.values(self._parent.spec)

    def _joined(self, elements: list[Any]) -> Any:
        composite = next((leaf for leaf in leaves(elements[0]) if isinstance(leaf, CompositeTensor)), None)
        if composite is not None:
            raise TypeError(
                f"`padded_batch` pads tensors, not a {type(composite).__name__}. Make it dense first, by `to_tensor` or "
                "tf.sparse.to_dense in `map`, or use `batch`."
            )
        if self._static:
            shapes, values = self._target
        else:
            specs = map_leaves(of_any_size, spec_of(elements[0]))
            shapes, values = self._padding.shapes(specs), self._padding.values(specs)
        columns = zip(*map(leaves, elements), strict=True)
        padded = (_padded(i, rows, shapes[i], values[i]) for i, rows in enumerate(columns))
        return packer(elements[0])(padded)


@final
class StackIterator(ParentIterator):
    """Hands consecutive elements to a function that joins them to one."""

    def __init__(
        self, parent: StageIterator, batch_size: int, min_size: int, stack: Callable[[list[Any]], Any]
    ) -> None:
        super().__init__(parent)
        self._batch_size, self._min_size = batch_size, min_size
        self._stack = stack

    def __next__(self) -> Any:
        elements: list[Any] = []
        for element in self._source:
            elements.append(element)
            if len(elements) == self._batch_size:
                break
        if len(elements) < self._min_size:
            raise StopIteration
        return self._stack(elements)

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


def _padded(number: int, rows: Sequence[Array], shape: TensorShape, value: Array) -> Array:
    """The rows of one component, each at the start of an array filled with `value`."""
    for row in rows:
        if row.ndim != shape.rank:
            raise InvalidArgumentError(
                "All elements in a batch must have the same rank as the padded shape for component "
                f"{number}: expected rank {shape.rank} but got element with rank {row.ndim}."
            )
    largest = [max(sizes) for sizes in zip(*(row.shape for row in rows), strict=True)]
    target = [largest_size if size is None else size for size, largest_size in zip(shape, largest, strict=True)]
    if any(largest_size > size for largest_size, size in zip(largest, target, strict=True)):
        raise DataLossError(
            f"Attempted to pad to a smaller size than the input element: component {number} is to have shape "
            f"{target}, and an element of the batch has size {largest}."
        )
    result = np.full((len(rows), *target), value, rows[0].dtype)
    for place, row in enumerate(rows):
        corner: tuple[Any, ...] = (place, *map(slice, row.shape), ...)
        result[corner] = row
    return result


def _flattened_up_to(specs: Any, given: Any, name: str) -> list[Any]:
    """The part of the argument for each component; a list or a shape counts as one part."""
    try:
        places = map_leaves(lambda _, part: [part], specs, given)
    except ValueError as error:
        # As in TensorFlow, another kind of structure is a TypeError, another number of parts a ValueError.
        kind = ValueError if isinstance(given, type(specs)) and type(given) is not TensorShape else TypeError
        raise kind(f"`{name}` must have the structure of the elements, {specs}, found {given!r:.200}.") from error
    return [part for (part,) in leaves(places)]


def _as_shape(given: Any) -> TensorShape:
    if isinstance(given, TensorShape):
        return given
    sizes = [given] if given is None or np.ndim(given) == 0 else list(given)
    known = [None if size is None else as_int(size, "a size in padded_shapes") for size in sizes]
    return TensorShape([None if size == -1 else size for size in known])


def _checked_shape(shape: TensorShape, spec: TensorSpec) -> TensorShape:
    known = spec.shape
    if known.rank is not None and (
        shape.rank != known.rank
        or any(a is not None and b is not None and a < b for a, b in zip(shape, known, strict=True))
    ):
        raise ValueError(
            f"The padded shape {tuple(shape)} is not compatible with the shape {tuple(known)} of the corresponding "
            "input component."
        )
    return shape


def _checked_value(value: Any, spec: TensorSpec) -> Array:
    if value is None:
        return np.asarray(b"" if spec.dtype == object else 0, spec.dtype)
    scalar = to_numpy(value)
    if isinstance(value, NestedDataset) or scalar.ndim != 0:
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {scalar.shape}."
        )
    if scalar.dtype != spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {scalar.dtype} does not match type {spec.dtype} of "
            "the corresponding input component."
        )
    return scalar
