"""A metric of tf1.metrics: sums in local variables, a value computed from them, and an operation that adds to them."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import ContextError
from stratagem._core.context import current
from stratagem._core.values import VariableAggregation, VariableSynchronization
from stratagem._ops import Tensor, tensor
from stratagem._tf1.graph._collections import add_to_collections
from stratagem._tf1.graph._function_wrappers import extended
from stratagem._tf1.graph._graph_variable import GraphVariable
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import ModelBuild, current_building
from stratagem._tf1.graph._operations import Operation
from stratagem._tf1.graph.losses._weighted import check_same_shape, ratio

Sums = dict[str, Any]


@final
class MetricValue:
    """The value of a metric, computed from its variables whenever it is read: as in TensorFlow, after the updates.

    Arithmetic (+ - * / and negation) with other values and with numbers returns another MetricValue.
    """

    def __init__(self, compute: Callable[[], Tensor]) -> None:
        self._compute = compute

    def read(self) -> Tensor:
        """Returns the current value over all replicas, in a step or outside of one."""
        context = current()
        if context.recorder is None or context.replica is None:
            return self._compute()
        with context.recorder.aggregated_reads():
            return self._compute()

    def map(self, function: Callable[[Any], Any]) -> "MetricValue":
        """Returns function(value) as a value that is computed when it is read."""
        return MetricValue(lambda: function(self._compute()))

    def _with(self, function: Callable[[Any, Any], Any], other: Any) -> "MetricValue":
        return MetricValue(lambda: function(self._compute(), other.read() if isinstance(other, MetricValue) else other))

    def __add__(self, other: Any) -> "MetricValue":
        return self._with(operator.add, other)

    def __sub__(self, other: Any) -> "MetricValue":
        return self._with(operator.sub, other)

    def __mul__(self, other: Any) -> "MetricValue":
        return self._with(operator.mul, other)

    def __truediv__(self, other: Any) -> "MetricValue":
        return self._with(operator.truediv, other)

    def __radd__(self, other: Any) -> "MetricValue":
        return self.map(lambda value: other + value)

    def __rsub__(self, other: Any) -> "MetricValue":
        return self.map(lambda value: other - value)

    def __rmul__(self, other: Any) -> "MetricValue":
        return self.map(lambda value: other * value)

    def __rtruediv__(self, other: Any) -> "MetricValue":
        return self.map(lambda value: other / value)

    def __neg__(self) -> "MetricValue":
        return self.map(operator.neg)

    def __jax_array__(self) -> jax.Array:
        raise ContextError(
            "The value of a metric of tf1.metrics is only known after its updates, which run later: it is no tensor inside the "
            "model_fn. Use + - * / on it, or its `map(function)`."
        )


Metric = tuple[MetricValue, Operation]

# The amounts that each batch adds to the sums, by variable name; and the metric's value as a function of the sums.
Measure = tuple[Mapping[str, Any], Callable[[Sums], Any]]


def metric(default_scope: str) -> Callable[[Callable[..., Measure]], Callable[..., Metric]]:
    """Makes a metric of tf1.metrics, with three additional arguments, from a function that returns what it measures."""

    def metric_of(function: Callable[..., Measure]) -> Callable[..., Metric]:
        def kept(
            arguments: tuple[Any, ...],
            metrics_collections: Any = None,
            updates_collections: Any = None,
            name: str | None = None,
        ) -> Metric:
            return keep(function(*arguments), default_scope, metrics_collections, updates_collections, name)

        return extended(function, kept)

    return metric_of


def keep(
    measure: Measure, default_scope: str, metrics_collections: Any, updates_collections: Any, name: str | None
) -> Metric:
    """Creates the variables of a metric, and returns its value and the operation that adds to the variables.

    The variables are local: each replica has its own, and reading adds them up.
    """
    building, (amounts, value) = current_building(), measure
    scope = name or building.scopes.default_name(default_scope)
    with building.scopes.variable_scope(scope) as inside:
        sums = {key: _sum_variable(building, f"{inside.name}/{key}", amount) for key, amount in amounts.items()}
    result: Any = MetricValue(lambda: value({key: variable.value for key, variable in sums.items()}))

    def update() -> Tensor:
        for key, amount in amounts.items():
            sums[key].assign_add(amount)
        return value({key: variable.value for key, variable in sums.items()}) if building.owner else result.read()

    operation = Operation(f"{scope}/update_op", update)
    if building.owner is not None:  # a run of a session reads the variables as they are before it
        result = result.read()
    add_to_collections(metrics_collections, result)
    add_to_collections(updates_collections, operation)
    return result, operation


def _sum_variable(building: ModelBuild, name: str, amount: Any) -> Any:
    shape, dtype = amount.shape, amount.dtype
    unique = building.scopes.unique(name)
    variable = building.graph.variable(
        unique,
        lambda: GraphVariable(
            lambda: np.zeros(shape, dtype),
            name=unique,
            shape=shape,
            dtype=dtype,
            trainable=False,
            synchronization=VariableSynchronization.ON_READ,
            aggregation=VariableAggregation.SUM,
        ),
        local=True,
    )
    building.declare(unique, variable, (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES))
    return variable


def quotient(total: str = "total", count: str = "count") -> Callable[[Sums], Tensor]:
    """Returns a function that divides one sum by another, or returns 0 where the divisor is not positive."""
    return lambda sums: ratio(sums[total], jnp.maximum(sums[count], 0))


def alike(predictions: Any, labels: Any, weights: Any) -> tuple[Tensor, Tensor, Tensor | None]:
    """Returns all three with the same rank, by removing a trailing dimension of 1 that one has and the others do not.

    Raises ValueError for labels and predictions of different shapes.
    """
    guess, truth = squeezed(tensor(predictions), tensor(labels))
    check_same_shape(guess, truth)
    return guess, truth, ranked(weights, guess.ndim)


def squeezed(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Returns both with the same rank, where one has a trailing dimension of 1 that the other does not."""
    if first.ndim == second.ndim + 1 and first.shape[-1] == 1:
        return first[..., 0], second
    if second.ndim == first.ndim + 1 and second.shape[-1] == 1:
        return first, second[..., 0]
    return first, second


def ranked(weights: Any, rank: int) -> Tensor | None:
    """Returns weights as float32 of this rank, with a trailing dimension of 1 added or removed.

    Raises ValueError if the dimension to remove is not 1.
    """
    if weights is None:
        return None
    weight = tensor(weights).astype(np.float32)
    if weight.ndim == rank + 1:
        if weight.shape[-1] != 1:
            raise ValueError(
                f"weights of shape {weight.shape} do not fit values of rank {rank}: the last dimension is not 1."
            )
        return weight[..., 0]
    return weight[..., None] if 0 < weight.ndim == rank - 1 else weight
