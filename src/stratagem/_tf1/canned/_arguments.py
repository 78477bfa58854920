"""Arguments that canned Estimators have in common: columns, and the heads of classes and numbers."""

from collections.abc import Iterable, Sequence

from stratagem._base.types import Value
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


def class_head(
    n_classes: int, weight_column: Value, label_vocabulary: Sequence[str] | None, loss_reduction: str = "sum"
) -> BinaryClassHead | MultiClassHead:
    """Returns the head of two classes, or of more. Raises ValueError for fewer."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def graph_class_head(
    n_classes: int, weight_column: Value, label_vocabulary: Sequence[str] | None, loss_reduction: str
) -> GraphHead:
    """Returns the head of classes of TensorFlow 1's Estimators."""
    return GraphHead(class_head(n_classes, weight_column, label_vocabulary), loss_reduction)


def graph_regression_head(label_dimension: int, weight_column: Value, loss_reduction: str) -> GraphHead:
    """Returns the head of numbers of TensorFlow 1's Estimators."""
    return GraphHead(RegressionHead(label_dimension, weight_column), loss_reduction)
