"""TensorSpec, TensorShape and DatasetSpec: the static description of a tensor, or of a dataset in an element."""

import abc
import math
from collections.abc import Iterable, Iterator
from typing import Any, final, overload

import jax
import numpy as np

from stratagem._base.types import Nest, ShapeLike


class Nestable(abc.ABC):
    """The part of a dataset's interface that this code needs: it can be a component of an element."""

    @property
    @abc.abstractmethod
    def element_spec(self) -> Any:
        """The specs of the dataset's elements."""


@final
class TensorShape:
    """The dimensions of a tensor; None represents an unknown size, and `TensorShape(None)` an unknown rank."""

    def __init__(self, dims: Iterable[Any] | int | None) -> None:
        if isinstance(dims, int):
            dims = (dims,)
        self._dims = None if dims is None else tuple(None if d is None else int(d) for d in dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> tuple[int | None, ...]:
        """The dimensions. Raises ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("The dimensions of a shape of unknown rank were asked for.")
        return self._dims

    def as_list(self) -> list[int | None]:
        """The dimensions as a list."""
        return list(self.dims)

    def is_fully_defined(self) -> bool:
        """Returns whether the rank and every dimension are known."""
        return self._dims is not None and None not in self._dims

    def num_elements(self) -> int | None:
        """The number of entries, or None if it is not known."""
        return math.prod(d or 0 for d in self.dims) if self.is_fully_defined() else None

    def admits(self, shape: Iterable[int]) -> bool:
        """Returns whether a tensor of `shape` fits: equal rank, and equal sizes where they are known."""
        sizes = tuple(shape)
        return self._dims is None or (
            len(self._dims) == len(sizes) and all(d is None or d == s for d, s in zip(self._dims, sizes, strict=True))
        )

    def __len__(self) -> int:
        return len(self.dims)

    def __iter__(self) -> Iterator[int | None]:
        return iter(self.dims)

    @overload
    def __getitem__(self, key: int) -> int | None: ...
    @overload
    def __getitem__(self, key: slice) -> "TensorShape": ...
    def __getitem__(self, key: int | slice) -> "int | TensorShape | None":
        return TensorShape(self.dims[key]) if isinstance(key, slice) else self.dims[key]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        if isinstance(other, tuple | list):
            return self._dims == tuple(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return "TensorShape(None)" if self._dims is None else f"TensorShape({list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)


@final
class TensorSpec:
    """The shape, dtype and name of a tensor. Strings have NumPy's object dtype."""

    def __init__(self, shape: Any, dtype: Any = np.float32, name: str | None = None) -> None:
        self.shape = shape if isinstance(shape, TensorShape) else TensorShape(shape)
        self.dtype = np.dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """The spec of exactly this tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype.name}, name={self.name!r})"


@final
class DatasetSpec:
    """The spec of a component that is a dataset, as `window` makes them: a scalar with elements of its own."""

    dtype = np.dtype(object)

    def __init__(self, element_spec: Nest, dataset_shape: ShapeLike = ()) -> None:
        self.element_spec = element_spec
        self.shape = dataset_shape if isinstance(dataset_shape, TensorShape) else TensorShape(dataset_shape)
        if self.shape.rank != 0:
            raise NotImplementedError(f"A batch of datasets is not supported, found dataset_shape={dataset_shape}.")

    @property
    def value_type(self) -> type[Nestable]:
        """The type of such a component."""
        return Nestable

    def __eq__(self, other: object) -> bool:
        return self.element_spec == other.element_spec if isinstance(other, DatasetSpec) else NotImplemented

    def __hash__(self) -> int:
        leaves, structure = jax.tree.flatten(self.element_spec)
        return hash((tuple(leaves), structure))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"


Spec = TensorSpec | DatasetSpec


def without_rows(spec: Spec) -> TensorSpec:
    """The spec of one row of a tensor."""
    if isinstance(spec, DatasetSpec):
        raise ValueError("Slicing dataset elements is not supported: a dataset in an element has no rows.")
    return TensorSpec(None if spec.shape.rank is None else spec.shape[1:], spec.dtype)


def with_rows(spec: Spec, rows: int | None) -> TensorSpec:
    """The spec of `rows` such tensors, stacked."""
    if isinstance(spec, DatasetSpec):
        raise no_batches_of_datasets()
    return TensorSpec(None if spec.shape.rank is None else (rows, *spec.shape), spec.dtype)


def merged(first: Spec, second: Spec) -> Spec:
    """The most specific spec that fits tensors of both specs, whose dtypes are equal."""
    if isinstance(first, DatasetSpec) or isinstance(second, DatasetSpec):
        specs = (s.element_spec if isinstance(s, DatasetSpec) else s for s in (first, second))
        return DatasetSpec(jax.tree.map(merged, *specs))
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
