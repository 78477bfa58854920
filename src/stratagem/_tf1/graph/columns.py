"""tf1.feature_column: `input_layer` and `linear_model`, whose variables are those of the open variable scope."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, PathLike, UserFunction
from stratagem._columns import (
    CategoricalColumn,
    DenseColumn,
    EmbeddingTable,
    FeatureColumn,
    Features,
    SharedEmbeddingColumn,
    VocabularyFileCategoricalColumn,
    check_batch_sizes,
    combined,
    sorted_columns,
)
from stratagem._columns import categorical_column_with_vocabulary_file as _with_vocabulary_file
from stratagem._ops import Tensor, bias_add, string, tensor
from stratagem._tf1.graph._collections import add_to_collection, get_collection
from stratagem._tf1.graph._get_variable import get_variable
from stratagem._tf1.graph._initializers import Zeros
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._scope_functions import variable_scope
from stratagem._tf1.graph._scopes import VariableScope


@final
@dataclass(frozen=True)
class _ScopeVariables:
    """The variables of columns, which are those of the open variable scope."""

    trainable: bool
    collections: list[str]

    @classmethod
    def of_call(cls, trainable: bool, weight_collections: Sequence[str] | None) -> "_ScopeVariables":
        """The variables of one call: they are in the collections of all variables and of those of models, too."""
        keys = [*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
        return cls(trainable, list(dict.fromkeys(keys)))

    def of(self, column: Any) -> Any:
        """Returns the table of a column. Columns that share one find it in a collection of its name."""
        if not isinstance(column, SharedEmbeddingColumn):
            return self._embedding(column.table)
        shared = column.shared_embedding_column_creator
        if not get_collection(shared.name):
            add_to_collection(shared.name, self._embedding(shared.table))
        found, *others = get_collection(shared.name)
        if others or tuple(found.shape) != shared.table.shape:
            raise ValueError(
                f"Shared embedding collection {shared.name} has {1 + len(others)} variables, the first of the shape "
                f"{tuple(found.shape)}; it has one of the shape {shared.table.shape}. Choose a unique name for it."
            )
        return found

    def _embedding(self, table: EmbeddingTable) -> Any:
        return self.made("embedding_weights", table.shape, table.initializer, table.trainable)

    def made(self, name: str, shape: Sequence[int], initializer: UserFunction, trainable: bool = True) -> Any:
        """Returns a variable of the open scope, float32."""
        kept = self.trainable and trainable
        return get_variable(name, shape, np.float32, initializer, trainable=kept, collections=self.collections)


def _scope_of(column: FeatureColumn) -> str:
    """The default name of a column's variable scope."""
    shared = isinstance(column, SharedEmbeddingColumn)
    name = column.shared_embedding_column_creator.name if shared else column.name  # type: ignore[attr-defined]
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", name)


def _variables_below(scope: VariableScope) -> list[Any]:
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope=re.escape(scope.name) + "/")


def _flat(column: Any, features: Features, variables: _ScopeVariables) -> Tensor:
    dense = column.dense(features, variables)
    return dense.reshape((dense.shape[0], int(np.prod(tuple(column.variable_shape), dtype=int))))


@exported(v1=["feature_column.input_layer"])
def input_layer(
    features: Mapping[str, Any],
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[FeatureColumn, list[Any]] | None = None,
    cols_to_output_tensors: dict[FeatureColumn, Tensor] | None = None,
) -> Tensor:
    """Returns what columns make of features, one after the other in the order of names: (batch, size of all columns).

    weight_collections: further collections of the variables. cols_to_vars, cols_to_output_tensors: get the variables and the
    part of each column. Raises ValueError for columns that are no dense ones, and for different numbers of rows.
    """
    columns = sorted_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an embedding_column "
                f"or indicator_column. Given: {column}"
            )
    variables, given, found = _ScopeVariables.of_call(trainable, weight_collections), Features(features), []
    with variable_scope(None, default_name="input_layer"):
        for column in columns:
            with variable_scope(None, default_name=_scope_of(column)) as scope:
                found.append(_flat(column, given, variables))
                if cols_to_vars is not None:
                    cols_to_vars[column] = _variables_below(scope)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = found[-1]
    check_batch_sizes(found, columns)
    return jnp.concatenate(found, axis=1)


@exported(v1=["feature_column.linear_model"])
def linear_model(
    features: Mapping[str, Any],
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[FeatureColumn | str, list[Any]] | None = None,
) -> Tensor:
    """Returns the sum of what columns make of features times their weights, and of a bias: (batch, units). Weights begin at 0.

    sparse_combiner: of the weights of several ids, sum, mean or sqrtn. cols_to_vars: gets the variables of each column, and
    those of "bias". Raises ValueError for columns that are neither dense nor categorical, and for different numbers of rows.
    """
    columns = sorted_columns(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn | CategoricalColumn):
            raise ValueError(
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    variables, given = _ScopeVariables.of_call(trainable, weight_collections), Features(features)
    kept: dict[FeatureColumn | str, list[Any]] = {} if cols_to_vars is None else cols_to_vars
    with variable_scope(None, default_name="linear_model"):
        sums = []
        for column in columns:
            with variable_scope(None, default_name=_scope_of(column)) as scope:
                sums.append(_weighted(column, given, variables, units, sparse_combiner))
                kept[column] = _variables_below(scope)
        check_batch_sizes(sums, columns)
        bias = variables.made("bias_weights", [units], Zeros())
        kept["bias"] = [bias]
    return bias_add(sum(sums[1:], sums[0]), bias)


def _weighted(column: Any, features: Features, variables: _ScopeVariables, units: int, combiner: str) -> Tensor:
    """Returns what a column makes of features times its weights. Ids that are also dense, buckets, count as ids."""
    if not isinstance(column, CategoricalColumn):
        size = int(np.prod(tuple(column.variable_shape), dtype=int))
        weights = variables.made("weights", [size, units], Zeros())
        return jnp.matmul(_flat(column, features, variables), tensor(weights))
    weights = variables.made("weights", [column.num_buckets, units], Zeros())
    entries = column.entries(features)
    flat = (entries.values.shape[0], math.prod(entries.values.shape[1:]))
    reshape: Callable[[Any], Any] = lambda part: None if part is None else part.reshape(flat)  # noqa: E731
    return combined(weights, type(entries)(*map(reshape, entries)), combiner)


@exported(v1=["feature_column.categorical_column_with_vocabulary_file"])
def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: PathLike,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = string,
) -> VocabularyFileCategoricalColumn:
    """Returns `tf.feature_column.categorical_column_with_vocabulary_file` of these arguments, in TensorFlow 1's order."""
    return _with_vocabulary_file(key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets)
