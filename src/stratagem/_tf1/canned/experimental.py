"""tf1.estimator.experimental: the parts of canned models, as functions for one's own model_fn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._ops import Tensor, is_tensor
from stratagem._tf1.canned._arguments import columns_of
from stratagem._tf1.canned._logits import dnn_logits, linear_logits
from stratagem._tf1.estimator import call_with


@exported(v1=["estimator.experimental.linear_logit_fn_builder"])
def linear_logit_fn_builder(
    units: int, feature_columns: Any, sparse_combiner: str = "sum"
) -> Callable[[Mapping[str, Any]], Tensor]:
    """Returns a function of features whose result is weighted sums of columns, (batch, units), for use in a model_fn."""
    columns = columns_of(feature_columns)

    def linear_logit_fn(features: Mapping[str, Any]) -> Tensor:
        return linear_logits(features, columns, units, sparse_combiner, "")

    return linear_logit_fn


@exported(v1=["estimator.experimental.dnn_logit_fn_builder"])
def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Any,
    activation_fn: UserFunction | None,
    dropout: float | None,
    input_layer_partitioner: object,
    batch_norm: bool,
) -> Callable[[Mapping[str, Any], str], Tensor]:
    """Returns a function of features and mode whose result is that of a network, (batch, units), for use in a model_fn.

    Raises ValueError for a number of units that is no integer.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int. Given type: {type(units)}")
    columns, sizes = columns_of(feature_columns), tuple(hidden_units)

    def dnn_logit_fn(features: Mapping[str, Any], mode: str) -> Tensor:
        return dnn_logits(features, columns, units, sizes, activation_fn, dropout, mode, "", normalize=batch_norm)

    return dnn_logit_fn


@exported("estimator.experimental.call_logit_fn")
def call_logit_fn(logit_fn: UserFunction, features: Any, mode: str, params: Any, config: Any) -> Any | dict[str, Any]:
    """Calls a function with those of the other arguments that it takes, as a model_fn is called.

    Raises ValueError if it returns neither a tensor nor a dict of tensors.
    """
    made: Any = call_with(logit_fn, features=features, mode=mode, params=params, config=config)
    parts = made.values() if isinstance(made, dict) else [made]
    if not all(map(is_tensor, parts)):
        raise ValueError(f"logit_fn should return a Tensor or a dictionary of Tensors. logit_fn: {logit_fn}")
    return made
