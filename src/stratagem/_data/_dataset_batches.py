"""The methods of datasets that combine elements and take them apart."""

import abc
from typing import Any, Self

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import TensorShape, TensorSpec
from stratagem._data import _plan as plan
from stratagem._data._dataset_base import DatasetBase, as_int
from stratagem._data.elements._nest import leaves
from stratagem._data.grouping._padded import PaddedBatchStage, Padding
from stratagem._data.grouping._ragged import RaggedBatchStage, SparseBatchStage
from stratagem._data.grouping._window import WindowStage
from stratagem._data.stages._batch import UnbatchStage
from stratagem._data.stages._rebatch import RebatchStage
from stratagem._ops import as_dtype


class Batches(DatasetBase, abc.ABC):
    """Batches and windows."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """Stacks consecutive elements; the last batch may be smaller, or is dropped."""
        return self._with(plan.batch(self._stage, _positive(batch_size), drop_remainder=bool(drop_remainder)))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """Pads and stacks consecutive elements of different sizes.

        Args:
            batch_size: The number of elements.
            padded_shapes: A nest of shapes; None or -1 in one is the largest size in the batch. None: pads all sizes
                that are not known in this way.
            padding_values: A nest of scalars, or one for all components; None is 0, or "".
            drop_remainder: Drop a last, smaller batch.

        Raises:
            ValueError: shapes or values do not have the structure of the elements, or a shape has another rank.
            TypeError: a value has another dtype than its component, or elements are datasets.
            DataLossError: while iterating; an element is larger than the shape.
        """
        padding = Padding(padded_shapes, padding_values)
        stage = PaddedBatchStage(self._stage, _positive(batch_size), padding, drop_remainder=bool(drop_remainder))
        return self._with(stage)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        row_splits_dtype: DTypeLike = np.int64,
        name: str | None = None,
    ) -> Self:
        """Joins consecutive elements of different sizes to RaggedTensors; components of one known size are stacked.

        row_splits_dtype: int32 or int64.
        """
        kind = as_dtype(row_splits_dtype).dtype
        stage = RaggedBatchStage(self._stage, _positive(batch_size), kind, drop_remainder=bool(drop_remainder))
        return self._with(stage)

    def sparse_batch(self, batch_size: Any, row_shape: ShapeLike, name: str | None = None) -> Self:
        """Joins consecutive elements, each of one tensor, to SparseTensors of shape (n, *row_shape).

        row_shape: the largest sizes; None is the largest size in the batch. Raises TypeError for elements that are no tensor,
        and DataLossError, while iterating, for an element that is larger.
        """
        if not isinstance(self._stage.spec, TensorSpec):
            raise TypeError(f"sparse_batch takes elements that are one tensor each, got {self._stage.spec!s:.200}.")
        return self._with(SparseBatchStage(self._stage, _positive(batch_size), TensorShape(row_shape)))

    def unbatch(self, name: str | None = None) -> Self:
        """The rows of every element, as elements."""
        return self._with(UnbatchStage(self._stage))

    def rebatch(self, batch_size: Any, drop_remainder: bool = False, name: str | None = None) -> Self:
        """The rows of all batches in batches of another size, or of several sizes in turn.

        Raises:
            ValueError: the elements are scalars, or `batch_size` is neither a number nor a list of numbers.
            InvalidArgumentError: a size is not positive.
        """
        given = np.asarray(batch_size)
        if given.ndim > 1 or given.size == 0:
            raise ValueError(
                f"Invalid `batch_size`. It must be an integer or a list of at least one, got {batch_size!r:.100}."
            )
        sizes = [_positive(size) for size in np.ravel(given)]
        # The spec of user code is found out by running it, which is too early here.
        if self._stage.pure and any(spec.shape.rank == 0 for spec in leaves(self._stage.spec)):
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset with scalar elements. Fix "
                "the issue by adding the `batch` transformation to the dataset."
            )
        return self._with(RebatchStage(self._stage, sizes, drop_remainder=bool(drop_remainder)))

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: bool = False, name: str | None = None
    ) -> Self:
        """Datasets of `size` neighbouring elements; if elements are nests, nests of datasets.

        Args:
            size: The number of elements in a window.
            shift: The distance between the beginnings of two windows; None is `size`.
            stride: The distance between a window's elements.
            drop_remainder: Drop windows that would be smaller.
        """
        count = as_int(size, "size")
        stage = WindowStage(
            self._stage,
            count,
            count if shift is None else as_int(shift, "shift"),
            as_int(stride, "stride"),
            drop_remainder=bool(drop_remainder),
            wrap=self._of,
        )
        return self._with(stage)


def _positive(batch_size: Any) -> int:
    size = as_int(batch_size, "batch_size")
    if size < 1:
        raise InvalidArgumentError(f"Batch size must be greater than zero, got {size}.")
    return size
