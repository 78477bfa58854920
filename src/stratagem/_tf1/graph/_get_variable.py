"""tf1.get_variable: variables by name, created or reused as the open variable scope says; and the global step."""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import Variable, VariableAggregation, VariableSynchronization
from stratagem._ops import as_dtype, float32
from stratagem._tf1.graph._first_values import demand_dtype, first_value, outside_the_trace, static_shape
from stratagem._tf1.graph._graph_variable import GraphVariable
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import building_here, current_building


def _made(name: str, initial: Callable[[], Any], **settings: Any) -> Callable[[], GraphVariable]:
    return lambda: GraphVariable(initial, name=name, **settings)


@exported(v1=["get_variable"])
def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Returns the variable `name` of the open variable scope: a new one, or, where the scope says reuse, the existing one.

    shape: required unless `initializer` is a value or a callable without arguments.
    dtype: by default that of a value given as `initializer`, else the scope's.
    initializer: a callable (shape, dtype), a class of such callables, or a value. By default the scope's, else Glorot's
        uniform distribution for floating-point variables and zeros for integers.
    regularizer: its result is added to the regularization losses.
    custom_getter: used instead of the scope's.
    partitioner, caching_device, use_resource: ignored; the strategy places variables.

    Raises ValueError for a variable that exists and may not be reused, that is to be reused and does not exist, or that has
    another shape or dtype than asked for; and for a value of another dtype than asked for.
    """
    demand_dtype(initializer, dtype)
    scopes = current_building().scopes
    scope = scopes.variables
    arguments: dict[str, Any] = {
        "shape": shape,
        "dtype": as_dtype(scope.dtype if dtype is None else dtype),
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    getter = scope.getter if custom_getter is None else custom_getter
    full = scopes.below(name)
    return _get_plainly(full, **arguments) if getter is None else getter(getter=_get_plainly, name=full, **arguments)


@exported(v1=["get_local_variable"])
def get_local_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: object = False,
    collections: Sequence[str] | None = None,
    caching_device: object = None,
    partitioner: object = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Returns a local variable, otherwise as `get_variable`: it is not trainable, and not in checkpoints."""
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        custom_getter=custom_getter,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def _get_plainly(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    reuse: Any = False,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    **unused: Any,
) -> Any:
    building = current_building()
    found = building.shared.get(name)
    if found is not None:
        _check_found(name, found, shape, dtype, reuse)
        return found
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    unique = building.scopes.unique(name)
    first = first_value(unique, initializer, shape, dtype)
    make = _made(
        unique,
        first.make,
        shape=first.shape,
        dtype=first.dtype,
        trainable=trainable,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )
    variable = building.graph.variable(unique, make, local=_is_local(collections))
    _check_found(name, variable, shape, None, reuse=True)  # it may be that of an earlier call
    building.declare(unique, variable, tuple(collections or ()))
    building.shared[name] = variable
    if regularizer is not None:
        collect_regularization(name, regularizer, variable)
    return variable


def collect_regularization(name: str, regularizer: Callable[[Any], Any], value: Any) -> None:
    """Adds the result of the regularizer of the variable `name` to the regularization losses, unless it is None."""
    building = current_building()
    with building.scopes.name_scope(f"{name}/Regularizer/"):
        if (loss := regularizer(value)) is not None:
            building.collect(GraphKeys.REGULARIZATION_LOSSES, loss)


def _is_local(collections: Sequence[str] | None) -> bool:
    return collections is not None and GraphKeys.LOCAL_VARIABLES in collections


def _check_found(name: str, found: Any, shape: Any, dtype: Any, reuse: Any) -> None:
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and static_shape(shape) != tuple(found.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {static_shape(shape)} and found shape "
            f"{tuple(found.shape)}."
        )
    if dtype is not None and as_dtype(dtype) != as_dtype(found.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and found dtype {found.dtype}."
        )


@exported(v1=["train.get_or_create_global_step"])
def get_or_create_global_step(graph: object = None) -> Any:
    """Returns the variable that counts training steps, int64. graph: ignored; there are no graph objects here."""
    building = current_building()
    step = building.graph.global_step
    if GraphKeys.GLOBAL_STEP not in building.shared:
        building.scopes.unique(GraphKeys.GLOBAL_STEP)  # reserve the name
        building.shared[GraphKeys.GLOBAL_STEP] = step
    building.declare(GraphKeys.GLOBAL_STEP, step, (GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP))
    return step


@exported(v1=["train.get_global_step"])
def get_global_step(graph: object = None) -> Any:
    """Returns the variable that counts training steps, int64, which every Estimator creates; None outside of a model_fn."""
    return None if building_here() is None else get_or_create_global_step()


@exported(v1=["train.create_global_step"])
def create_global_step(graph: object = None) -> Any:
    """Creates the global step. Raises ValueError if it exists."""
    if GraphKeys.GLOBAL_STEP in current_building().shared:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step()


@exported(v1=["train.assert_global_step"])
def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError unless the argument is an integer scalar, as a global step is."""
    if not jnp.issubdtype(jnp.dtype(global_step_tensor.dtype), np.integer) or tuple(global_step_tensor.shape) != ():
        raise TypeError(f"A global step is an integer scalar, got {global_step_tensor!r}.")


@exported(v1=["Variable"])
def variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    validate_shape: bool = True,
    caching_device: object = None,
    name: str | None = None,
    variable_def: object = None,
    dtype: DTypeLike | None = None,
    expected_shape: object = None,
    import_scope: object = None,
    constraint: Callable[[Any], Any] | None = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    shape: ShapeLike | None = None,
) -> Any:
    """Returns a new variable with a unique name, as `tf.compat.v1.Variable`; outside of a model_fn a tf.Variable."""
    settings: dict[str, Any] = {
        "trainable": trainable,
        "dtype": dtype,
        "constraint": constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
        "shape": shape,
    }
    building = building_here()
    if building is None:
        return Variable(initial_value, name=name, **settings)
    unique = building.scopes.unique_name(name or "Variable")
    made = building.graph.variable(
        unique, _made(unique, outside_the_trace(unique, initial_value), **settings), local=_is_local(collections)
    )
    building.declare(unique, made, tuple(collections or ()))
    return made
