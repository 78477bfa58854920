"""Batches of elements of different sizes, as ragged or sparse tensors."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._core.values import TensorShape, TensorSpec
from stratagem._data.elements._nest import Array, leaves, map_leaves, packer, stacked
from stratagem._data.elements._spec import Spec, with_rows
from stratagem._data.functions._relaxed_spec import static_spec
from stratagem._data.grouping._padded import JoinedBatchStage
from stratagem._data.stages._stage import Stage
from stratagem._ops.ragged import RaggedTensor, RaggedTensorSpec
from stratagem._ops.sparse import SparseTensor, SparseTensorSpec


@final
class RaggedBatchStage(JoinedBatchStage):
    """Batches with ragged dimensions up to the last whose size is not known; components of known sizes stay dense."""

    def __init__(self, parent: Stage, batch_size: int, splits_dtype: np.dtype, *, drop_remainder: bool) -> None:
        super().__init__(parent, batch_size, drop_remainder=drop_remainder)
        self._splits_dtype = splits_dtype
        self._open: list[int] | None = None

    @property
    def spec(self) -> Any:
        rows = self._batch_size if self._drop_remainder else None

        def ragged(spec: Spec) -> Spec:
            rank = _open_dimensions(spec)
            if not rank:
                return with_rows(spec, rows)
            return RaggedTensorSpec((rows, *spec.shape), spec.dtype, rank, self._splits_dtype)

        return map_leaves(ragged, static_spec(self._parent))

    def _joined(self, elements: list[Any]) -> Any:
        if self._open is None:
            self._open = [_open_dimensions(spec) for spec in leaves(static_spec(self._parent))]
        columns = zip(self._open, zip(*map(leaves, elements), strict=True), strict=True)
        return packer(elements[0])(
            _as_rows(rows, rank, self._splits_dtype) if rank else stacked(list(rows)) for rank, rows in columns
        )


def _open_dimensions(spec: Spec) -> int:
    """The number of dimensions of a tensor up to the last one whose size is not known."""
    if not isinstance(spec, TensorSpec):
        return 0
    return max((i + 1 for i, size in enumerate(spec.shape) if size is None), default=0)


def _as_rows(arrays: Sequence[Array], rank: int, splits_dtype: np.dtype) -> RaggedTensor:
    """Arrays as a RaggedTensor with this many ragged dimensions."""
    lengths = [np.concatenate([np.repeat(a.shape[i], int(np.prod(a.shape[:i]))) for a in arrays]) for i in range(rank)]
    values = np.concatenate(
        [a.reshape((-1, *a.shape[rank:])) if a.size else a.reshape((0, *a.shape[rank:])) for a in arrays]
    )
    found: Any = values
    for each in reversed(lengths):
        splits = np.concatenate([np.zeros(1, splits_dtype), np.cumsum(each, dtype=splits_dtype)])
        found = RaggedTensor(found, splits)
    return found


@final
class SparseBatchStage(JoinedBatchStage):
    """Batches of tensors as one SparseTensor, with an entry for each of their values."""

    def __init__(self, parent: Stage, batch_size: int, row_shape: TensorShape) -> None:
        super().__init__(parent, batch_size, drop_remainder=False)
        self._row_shape = row_shape

    @property
    def spec(self) -> Any:
        return map_leaves(lambda spec: SparseTensorSpec((None, *self._row_shape), spec.dtype), self._parent.spec)

    def _joined(self, elements: list[Any]) -> Any:
        shapes = np.array([element.shape for element in elements]).reshape(len(elements), -1)
        longest = shapes.max(axis=0).tolist()
        sizes = [own if size is None else size for own, size in zip(longest, self._row_shape, strict=True)]
        if any(own > size for own, size in zip(longest, sizes, strict=True)):
            raise DataLossError(f"Cannot batch elements of shapes up to {longest} as rows of shape {sizes}.")
        places = [np.indices(element.shape).reshape(element.ndim, -1).T for element in elements]
        indices = [np.insert(each, 0, i, axis=1) for i, each in enumerate(places)]
        values = np.concatenate([element.ravel() for element in elements])
        return SparseTensor(np.concatenate(indices), values, np.array([len(elements), *sizes]))
