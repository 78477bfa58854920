"""Logits of canned models: linear, deep and baseline, whose variables have TensorFlow's names."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.types import UserFunction
from stratagem._columns import FeatureColumn, SharedEmbeddingColumn
from stratagem._ops import Tensor, tensor
from stratagem._tf1.estimator import ModeKeys
from stratagem._tf1.graph import (
    GlorotUniform,
    GraphKeys,
    Zeros,
    add_to_collection,
    current_building,
    get_collection,
    get_variable,
    name_scope,
    summary,
    variable_scope,
)
from stratagem._tf1.graph.columns import input_layer, linear_model
from stratagem._tf1.graph.layers import batch_normalization, dense, dropout


def trainable_below(scope: str) -> list[Any]:
    """Returns the trainable variables of a scope, in the order of their creation."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=f"{scope}/")


def check_features(features: Any) -> None:
    """Raises ValueError for features that are no dict."""
    if not isinstance(features, Mapping):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {type(features)}")


def linear_logits(
    features: Mapping[str, Any], columns: Sequence[Any], units: int, sparse_combiner: str, tags: str
) -> Tensor:
    """Returns weighted sums of columns, (batch, units), whose variables are in the open scope.

    tags: what those of summaries begin with.
    """
    check_features(features)
    kept: dict[Any, list[Any]] = {}
    logits = linear_model(features, columns, units, sparse_combiner, cols_to_vars=kept)
    (bias,) = kept.pop("bias")
    variables = [variable for own in kept.values() for variable in own]
    weights = [tensor(variable) for variable in variables]
    current_building().note_lookup(variables)  # a summary's read: the gradient still covers the rows looked up alone
    zeros = sum(jnp.sum(w == 0) for w in weights) / np.float32(sum(w.size for w in weights))
    with name_scope(""):
        if units > 1:
            summary.histogram(f"{tags}bias", tensor(bias))
        else:
            summary.scalar(f"{tags}bias", tensor(bias)[0])
        summary.scalar(f"{tags}fraction_of_zero_weights", zeros.astype(np.float32))
    return logits


def dnn_logits(
    features: Mapping[str, Any],
    columns: Sequence[Any],
    units: int,
    hidden_units: Sequence[int],
    activation_fn: UserFunction | None,
    dropout_rate: float | None,
    mode: str,
    tags: str,
    *,
    normalize: bool,
) -> Tensor:
    """Returns the output of a network of dense layers, (batch, units), whose variables are in the open scope.

    normalize: with batch normalization after each hidden layer. tags: what those of summaries begin with.
    """
    check_features(features)
    training = mode == ModeKeys.TRAIN
    with variable_scope("input_from_feature_columns"):
        _make_shared_tables(columns)
        net = input_layer(features, columns)
    for number, size in enumerate(hidden_units):
        name = f"hiddenlayer_{number}"
        net = dense(net, size, activation_fn, kernel_initializer=GlorotUniform(), name=name)
        if dropout_rate is not None and training:
            net = dropout(net, dropout_rate, training=True)
        if normalize:
            with variable_scope(name):
                net = batch_normalization(net, momentum=0.999, training=training, name=f"batchnorm_{number}")
        summarize(net, f"{tags}{name}")
    logits = dense(net, units, None, kernel_initializer=GlorotUniform(), name="logits")
    summarize(logits, f"{tags}logits")
    return logits


def _make_shared_tables(columns: Any) -> None:
    """Creates the tables that columns share, with TensorFlow's names: below the scope of the input, by the shared name."""
    for column in [columns] if isinstance(columns, FeatureColumn) else columns:
        if isinstance(column, SharedEmbeddingColumn):
            shared = column.shared_embedding_column_creator
            if not get_collection(shared.name):
                table = shared.table
                made = get_variable(shared.name, table.shape, np.float32, table.initializer, trainable=table.trainable)
                add_to_collection(shared.name, made)


def summarize(value: Tensor, tag: str) -> None:
    """Records for TensorBoard how many values of a layer are zero, and their distribution."""
    with name_scope(""):
        summary.scalar(f"{tag}/fraction_of_zero_values", jnp.mean((value == 0).astype(np.float32)))
        summary.histogram(f"{tag}/activation", value)


def baseline_logits(features: Any, units: int, weight_column: Any) -> Tensor:
    """Returns a bias for every row, (batch, units): the variable `bias` of the open scope.

    Raises ValueError for features of different numbers of rows.
    """
    key = getattr(weight_column, "key", weight_column)
    named = features if isinstance(features, Mapping) else {"": features}
    rows = {name: int(each.shape[0]) for name, each in named.items() if name != key}
    if not rows or len(set(rows.values())) > 1:
        raise ValueError(f"features must be tensors with the same number of rows, found {rows}.")
    bias = get_variable("bias", [units], np.float32, Zeros())
    return tensor(bias) * jnp.ones((next(iter(rows.values())), units), np.float32)
