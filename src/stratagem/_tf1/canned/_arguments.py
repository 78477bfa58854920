"""Arguments that canned Estimators have in common: columns, and the heads of classes and numbers."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stratagem._columns import FeatureColumn
from stratagem._tf1.canned._class_heads import BinaryClassHead, MultiClassHead
from stratagem._tf1.canned._graph_head import GraphHead
from stratagem._tf1.canned._regression_heads import RegressionHead


def columns_of(feature_columns: FeatureColumn | Iterable[FeatureColumn] | None) -> tuple[FeatureColumn, ...]:
    """Returns columns, which may be a generator or one column, as a tuple. Raises ValueError for what is no column."""
    found = (feature_columns,) if isinstance(feature_columns, FeatureColumn) else tuple(feature_columns or ())
    for column in found:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}."
            )
    return found


def checked_units(hidden_units: Iterable[int]) -> tuple[int, ...]:
    """Returns the sizes of layers. Raises ValueError for one that is not positive, TypeError for no sequence of numbers."""
    sizes = tuple(hidden_units)
    for size in sizes:
        if not isinstance(size, int | float | np.number) or isinstance(size, bool):
            raise TypeError(f"hidden_units are the numbers of units of layers. Given: {size!r} in {list(sizes)}")
        if size < 1:
            raise ValueError(f"Received an invalid value for hidden_units, expected positive integers: {list(sizes)}")
    return tuple(map(int, sizes))


def class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str = "sum"
) -> BinaryClassHead | MultiClassHead:
    """Returns the head of two classes, or of more. Raises ValueError for fewer, TypeError for what is no integer."""
    if isinstance(n_classes, bool) or not isinstance(n_classes, int | np.integer):
        raise TypeError(f"n_classes must be an int, the number of classes. Given: {n_classes!r}")
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def graph_class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: str
) -> GraphHead:
    """Returns the head of classes of TensorFlow 1's Estimators."""
    return GraphHead(class_head(n_classes, weight_column, label_vocabulary), loss_reduction)


def graph_regression_head(label_dimension: int, weight_column: Any, loss_reduction: str) -> GraphHead:
    """Returns the head of numbers of TensorFlow 1's Estimators."""
    return GraphHead(RegressionHead(label_dimension, weight_column), loss_reduction)
