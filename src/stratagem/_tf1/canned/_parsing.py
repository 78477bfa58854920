"""Features of files with labels and weights: `classifier_parse_example_spec`, `regressor_parse_example_spec`."""

from collections.abc import Iterable
from typing import Any

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._columns import FeatureColumn, NumericColumn, make_parse_example_spec, numeric_column
from stratagem._data.files import FixedLenFeature
from stratagem._ops import float32, int64


@exported("estimator.classifier_parse_example_spec")
def classifier_parse_example_spec(
    feature_columns: Iterable[FeatureColumn],
    label_key: str,
    label_dtype: DTypeLike = int64,
    label_default: Any = None,
    weight_column: NumericColumn | str | None = None,
) -> dict[str, Any]:
    """Returns the features of `tf.io.parse_example` that columns, a label and weights need, by key.

    label_default: for rows without a label. Raises ValueError for a label or weights that are among the features, for weights
    that are no numeric column, and as `make_parse_example_spec`.
    """
    return _spec(feature_columns, label_key, FixedLenFeature((1,), label_dtype, label_default), weight_column)


@exported("estimator.regressor_parse_example_spec")
def regressor_parse_example_spec(
    feature_columns: Iterable[FeatureColumn],
    label_key: str,
    label_dtype: DTypeLike = float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: NumericColumn | str | None = None,
) -> dict[str, Any]:
    """Returns the features of `tf.io.parse_example` that columns, labels and weights need, by key.

    label_dimension: the number of labels of a row. The other arguments and errors are those of `classifier_parse_example_spec`.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def _spec(columns: Iterable[FeatureColumn], label_key: str, label: FixedLenFeature, weights: Any) -> dict[str, Any]:
    if label_key is None:
        raise ValueError("label_key should not be None.")
    found = make_parse_example_spec(columns)
    if label_key in found:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {sorted(found)}")
    found[label_key] = label
    if weights is None:
        return found
    column = numeric_column(weights) if isinstance(weights, str) else weights
    if not isinstance(column, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. Given type: "
            f"{type(column)} value: {column}"
        )
    if column.key in found:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {column.key}, features: {sorted(found)}"
        )
    return found | column.parse_example_spec
