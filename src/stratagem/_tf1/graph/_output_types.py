"""`tf.compat.v1.data.get_output_types` and its kin: the parts of an `element_spec`."""

import jax

from stratagem._base.types import Nest
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset, ElementIterator
from stratagem._ops import Tensor, as_dtype


def get_output_types(dataset_or_iterator: Dataset | ElementIterator[Nest]) -> Nest:
    """Returns the dtypes of the elements, in their structure; of a component that is a dataset its spec."""
    return jax.tree.map(
        lambda spec: as_dtype(spec.dtype) if isinstance(spec, TensorSpec) else spec, dataset_or_iterator.element_spec
    )


def get_output_shapes(dataset_or_iterator: Dataset | ElementIterator[Nest]) -> Nest:
    """Returns the shapes of the elements, in their structure; of a component that is a dataset its spec."""
    return jax.tree.map(
        lambda spec: spec.shape if isinstance(spec, TensorSpec) else spec, dataset_or_iterator.element_spec
    )


def get_output_classes(dataset_or_iterator: Dataset | ElementIterator[Nest]) -> Nest:
    """Returns tf.Tensor for every tensor of the elements, in their structure; of a component that is a dataset its spec."""
    return jax.tree.map(lambda spec: Tensor if isinstance(spec, TensorSpec) else spec, dataset_or_iterator.element_spec)
