"""What is sure about the elements of a stage, where more is known of one of them."""

from typing import Any

from stratagem._data.elements._nest import Nest, map_leaves
from stratagem._data.elements._spec import DatasetSpec, TensorSpec
from stratagem._data.functions._map_mode import spec_is_free
from stratagem._data.stages._stage import Stage


def static_spec(stage: Stage) -> Nest:
    """The specs of a stage's elements; of what the user's Python makes, the sizes are left open: an example has told them."""
    return stage.spec if spec_is_free(stage) else map_leaves(of_any_size, stage.spec)


def of_any_size(spec: Any) -> Any:
    """The spec of tensors of the same dtype and rank."""
    if isinstance(spec, DatasetSpec):
        return DatasetSpec(map_leaves(of_any_size, spec.element_spec))
    return spec if spec.shape.rank is None else TensorSpec([None] * spec.shape.rank, spec.dtype)
