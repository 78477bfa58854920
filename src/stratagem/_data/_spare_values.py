"""Spare values in the ragged tensors of a dataset whose elements are inputs of compiled steps."""

from stratagem._data._dataset import Dataset
from stratagem._data.stages._spare_values import SpareValuesStage


def with_spare_values(dataset: Dataset) -> Dataset:
    """Returns the dataset with ragged tensors whose arrays have few sizes, which compiled steps do not see otherwise."""
    return dataset._with(SpareValuesStage(dataset.stage))
