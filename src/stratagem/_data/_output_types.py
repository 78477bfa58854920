"""The output types of a dataset, as TensorFlow 1 asks for them, its shapes and classes: parts of an `element_spec`."""

from typing import Any

import jax

from stratagem._core.values import TensorSpec
from stratagem._ops import Tensor, as_dtype


def output_types(spec: Any) -> Any:
    """Returns the dtypes of elements, in their structure; of a component that is a dataset its spec."""
    return jax.tree.map(lambda part: as_dtype(part.dtype) if isinstance(part, TensorSpec) else part, spec)


def output_shapes(spec: Any) -> Any:
    """Returns the shapes of elements, in their structure; of a component that is a dataset its spec."""
    return jax.tree.map(lambda part: part.shape if isinstance(part, TensorSpec) else part, spec)


def output_classes(spec: Any) -> Any:
    """Returns tf.Tensor for every tensor of elements, in their structure; of a component that is a dataset its spec."""
    return jax.tree.map(lambda part: Tensor if isinstance(part, TensorSpec) else part, spec)
