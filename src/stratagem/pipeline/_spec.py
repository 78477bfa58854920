"""TensorSpec and TensorShape: what is known of a tensor before it exists."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, final, overload

import numpy as np


@final
class TensorShape:
    """Dimensions of a tensor; None stands for an unknown size, and `TensorShape(None)` for an unknown rank."""

    def __init__(self, dims: Iterable[Any] | int | None) -> None:
        if isinstance(dims, int):
            dims = (dims,)
        self._dims = None if dims is None else tuple(None if d is None else int(d) for d in dims)

    @property
    def rank(self) -> int | None:
        """Number of dimensions, or None when unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> tuple[int | None, ...]:
        """The dimensions; an error when the rank is unknown."""
        if self._dims is None:
            raise ValueError("The dimensions of a shape of unknown rank were asked for.")
        return self._dims

    def as_list(self) -> list[int | None]:
        """The dimensions as a list."""
        return list(self.dims)

    def is_fully_defined(self) -> bool:
        """True when the rank and every dimension are known."""
        return self._dims is not None and None not in self._dims

    def num_elements(self) -> int | None:
        """The number of entries, or None when it is not known."""
        return math.prod(d or 0 for d in self.dims) if self.is_fully_defined() else None

    def admits(self, shape: Iterable[int]) -> bool:
        """True when a tensor of `shape` fits: equal rank, and equal sizes where they are known."""
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
    """Shape, dtype and name of a tensor. Strings have NumPy's object dtype."""

    def __init__(self, shape: Any, dtype: Any = np.float32, name: str | None = None) -> None:
        self.shape = shape if isinstance(shape, TensorShape) else TensorShape(shape)
        self.dtype = np.dtype(dtype)
        self.name = name

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> "TensorSpec":
        """The spec that exactly this tensor has."""
        return cls(tensor.shape, tensor.dtype, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype.name}, name={self.name!r})"


def without_rows(spec: TensorSpec) -> TensorSpec:
    """The spec of one row of a tensor."""
    return TensorSpec(spec.shape[1:], spec.dtype)


def with_rows(spec: TensorSpec, rows: int | None) -> TensorSpec:
    """The spec of `rows` such tensors stacked."""
    return TensorSpec(None if spec.shape.rank is None else (rows, *spec.shape), spec.dtype)


def merged(first: TensorSpec, second: TensorSpec) -> TensorSpec:
    """The spec that tensors of both specs have; their dtypes are equal."""
    if first.shape.rank is None or first.shape.rank != second.shape.rank:
        return TensorSpec(None, first.dtype)
    dims = [a if a == b else None for a, b in zip(first.shape, second.shape, strict=True)]
    return TensorSpec(dims, first.dtype)
