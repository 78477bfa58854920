"""DatasetSpec, the static description of a dataset in an element, and specs of batches, rows and mixtures."""

import abc
from typing import Any, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._core.values import TensorShape, TensorSpec, TypeSpec
from stratagem._ops.ragged import RaggedTensorSpec
from stratagem._ops.sparse import SparseTensorSpec


class NestedDataset(abc.ABC):
    """The part of a dataset's interface that this code needs: it can be a component of an element."""

    @property
    @abc.abstractmethod
    def element_spec(self) -> Any:
        """The specs of the dataset's elements."""

    @property
    def _type_spec(self) -> "DatasetSpec":
        return DatasetSpec(self.element_spec)


@exported("data.DatasetSpec")
@final
class DatasetSpec(TypeSpec):
    """The spec of a component that is a dataset, as `window` makes them: a scalar with elements of its own."""

    dtype = np.dtype(object)

    def __init__(self, element_spec: Any, dataset_shape: ShapeLike = ()) -> None:
        self.element_spec = element_spec
        self.shape = TensorShape(dataset_shape)
        if self.shape.rank != 0:
            raise NotImplementedError(f"A batch of datasets is not supported, found dataset_shape={dataset_shape}.")

    @property
    def value_type(self) -> type[NestedDataset]:
        """The type of such a component."""
        return NestedDataset

    def _parts(self) -> tuple[Any, ...]:
        return self.element_spec, self.shape

    @staticmethod
    def from_value(value: NestedDataset) -> "DatasetSpec":
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: "DatasetSpec | NestedDataset") -> bool:
        """Returns whether a dataset, or one with another spec, has such elements."""
        if not isinstance(spec_or_value, DatasetSpec | NestedDataset):
            return False
        return compatible(self.element_spec, spec_or_value.element_spec)

    def __eq__(self, other: object) -> bool:
        return self.element_spec == other.element_spec if isinstance(other, DatasetSpec) else NotImplemented

    def __hash__(self) -> int:
        leaves, structure = jax.tree.flatten(self.element_spec)
        return hash((tuple(leaves), structure))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


Spec = TensorSpec | DatasetSpec | RaggedTensorSpec | SparseTensorSpec


def compatible(first: Any, second: Any) -> bool:
    """Returns whether two nests of specs have one structure, equal dtypes, and shapes that are equal as far as known."""
    try:
        fits = jax.tree.map(lambda a, b: type(a) is type(b) and a.is_compatible_with(b), first, second)
    except ValueError:  # another structure
        return False
    return all(jax.tree.leaves(fits))


def without_rows(spec: Spec) -> Spec:
    """The spec of one row of a tensor."""
    if isinstance(spec, DatasetSpec):
        raise ValueError("Slicing dataset elements is not supported: a dataset in an element has no rows.")
    shape = None if spec.shape.rank is None else spec.shape[1:]
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank - 1, spec.row_splits_dtype)
    return SparseTensorSpec(shape, spec.dtype) if isinstance(spec, SparseTensorSpec) else TensorSpec(shape, spec.dtype)


def with_rows(spec: Spec, rows: int | None) -> Spec:
    """The spec of `rows` such tensors, stacked."""
    if isinstance(spec, DatasetSpec):
        raise no_batches_of_datasets()
    shape = None if spec.shape.rank is None else (rows, *spec.shape)
    if isinstance(spec, RaggedTensorSpec):
        shape = None if shape is None else (rows, None, *shape[2:])  # the elements may have other numbers of rows
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)
    return SparseTensorSpec(shape, spec.dtype) if isinstance(spec, SparseTensorSpec) else TensorSpec(shape, spec.dtype)


def with_other_rows(spec: Spec, rows: int | None) -> Spec:
    """The spec of such tensors with another number of rows; a scalar's is its own."""
    if isinstance(spec, DatasetSpec) or not spec.shape.rank:
        return spec
    shape = (rows, *spec.shape[1:])
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    return SparseTensorSpec(shape, spec.dtype) if isinstance(spec, SparseTensorSpec) else TensorSpec(shape, spec.dtype)


def merged(first: Spec, second: Spec) -> Spec:
    """The most specific spec that fits tensors of both specs, whose dtypes are equal."""
    if isinstance(first, DatasetSpec) or isinstance(second, DatasetSpec):
        specs = (s.element_spec if isinstance(s, DatasetSpec) else s for s in (first, second))
        return DatasetSpec(jax.tree.map(merged, *specs))
    if not isinstance(first, TensorSpec) or not isinstance(second, TensorSpec):
        return first.most_specific_compatible_type(second)
    if first.shape.rank is None or first.shape.rank != second.shape.rank:
        return TensorSpec(None, first.dtype)
    dims = [a if a == b else None for a, b in zip(first.shape, second.shape, strict=True)]
    return TensorSpec(dims, first.dtype)


def no_batches_of_datasets() -> TypeError:
    """The error for stacking elements that hold datasets."""
    return TypeError(
        "The elements hold datasets (windows), which cannot be stacked. Make tensors of them first: "
        "`dataset.flat_map(lambda window: window.batch(size))`."
    )
