"""Relaxed specs of elements: those that hold for all of them, if the stage only knows one example."""

from typing import Any

from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import map_leaves
from stratagem._data.elements._spec import DatasetSpec
from stratagem._data.functions._map_mode import has_static_spec
from stratagem._data.stages._stage import Stage
from stratagem._ops.ragged import RaggedTensorSpec
from stratagem._ops.sparse import SparseTensorSpec


def static_spec(stage: Stage) -> Any:
    """The specs of a stage's elements; sizes are left open if the specs come from an example that user code made."""
    return stage.spec if has_static_spec(stage) else map_leaves(of_any_size, stage.spec)


def of_any_size(spec: Any) -> Any:
    """The spec of tensors of the same dtype and rank."""
    if isinstance(spec, DatasetSpec):
        return DatasetSpec(map_leaves(of_any_size, spec.element_spec))
    if spec.shape.rank is None:
        return spec
    sizes = [None] * spec.shape.rank
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(sizes, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    return SparseTensorSpec(sizes, spec.dtype) if isinstance(spec, SparseTensorSpec) else TensorSpec(sizes, spec.dtype)
