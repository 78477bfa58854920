"""`tf.compat.v1.data.get_output_types` and its kin: the parts of an `element_spec`."""

from typing import Any

from stratagem._base.exports import exported
from stratagem._data import Dataset, ElementIterator, output_classes, output_shapes, output_types


@exported(v1=["data.get_output_types"])
def get_output_types(dataset_or_iterator: Dataset | ElementIterator[Any]) -> Any:
    """Returns the dtypes of the elements, in their structure; of a component that is a dataset its spec."""
    return output_types(dataset_or_iterator.element_spec)


@exported(v1=["data.get_output_shapes"])
def get_output_shapes(dataset_or_iterator: Dataset | ElementIterator[Any]) -> Any:
    """Returns the shapes of the elements, in their structure; of a component that is a dataset its spec."""
    return output_shapes(dataset_or_iterator.element_spec)


@exported(v1=["data.get_output_classes"])
def get_output_classes(dataset_or_iterator: Dataset | ElementIterator[Any]) -> Any:
    """Returns tf.Tensor for every tensor of the elements, in their structure; of a component that is a dataset its spec."""
    return output_classes(dataset_or_iterator.element_spec)
