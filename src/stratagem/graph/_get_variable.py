"""tf1.get_variable: variables by name, made or reused as the open variable scope says; and the global step."""

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._context import current
from stratagem._private import KerasVariable
from stratagem.graph._building import current_building
from stratagem.graph._initializers import GlorotUniform, Initializer, Zeros
from stratagem.graph._keys import GraphKeys
from stratagem.graph._variables import GraphVariable
from stratagem.ops import as_dtype
from stratagem.values import Variable, VariableAggregation, VariableSynchronization


def _made(name: str, initial: Callable[[], Any], **settings: Any) -> Callable[[], GraphVariable]:
    return lambda: GraphVariable(initial, name=name, **settings)


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The variable `name` of the open variable scope: made, or, where the scope says reuse, found.

    shape: needed unless `initializer` is a value. dtype: the scope's if not given. initializer: a callable (shape, dtype), a
    class of such, or a value; the scope's, else Glorot's uniform distribution, zeros for integers. regularizer: its result
    goes to the regularization losses. partitioner, caching_device, use_resource: where variables lie is the strategy's matter.
    Raises ValueError for a variable that exists and is not to be reused, that is to be reused and does not exist, and
    that has another shape or dtype than asked for.
    """
    building = current_building()
    scope = building.scopes.variables
    arguments: dict[str, Any] = {
        "shape": shape,
        "dtype": scope.dtype if dtype is None else dtype,
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "reuse": scope.reuse,
        "trainable": trainable,
        "collections": collections,
        "constraint": scope.constraint if constraint is None else constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
    }
    full = f"{scope.name}/{name}" if scope.name else name
    getter: Callable[..., Any] = _get_plainly
    for own in (scope.getter, custom_getter):
        if own is not None:
            getter = _wrapped(own, getter)
    return getter(full, **arguments)


def _wrapped(own: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    return lambda name, *args, **kwargs: own(inner, name, *args, **kwargs)


def _get_plainly(
    name: str,
    shape: Any = None,
    dtype: Any = "float32",
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
    found = building.declared.get(name)
    if found is not None:
        _check_found(name, found, shape, dtype, reuse)
        return found
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    numpy_type = np.dtype(as_dtype(dtype).as_numpy_dtype)
    initial, shape = _initial(name, initializer, shape, numpy_type)
    make = _made(
        name,
        initial,
        shape=shape,
        dtype=numpy_type,
        trainable=trainable,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )
    variable = building.graph.variable(name, make, local=_is_local(collections))
    building.declare(name, variable, tuple(collections or ()))
    if regularizer is not None and (loss := regularizer(variable)) is not None:
        building.collect(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _is_local(collections: Sequence[str] | None) -> bool:
    return collections is not None and GraphKeys.LOCAL_VARIABLES in collections


def _check_found(name: str, found: Any, shape: Any, dtype: Any, reuse: Any) -> None:
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if shape is not None and tuple(_static(shape)) != tuple(found.shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {tuple(_static(shape))} and found shape "
            f"{tuple(found.shape)}."
        )
    if dtype is not None and as_dtype(dtype) != as_dtype(found.dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and found dtype {found.dtype}."
        )


def _static(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, int | np.integer):
        return (int(shape),)
    return tuple(int(d) for d in getattr(shape, "as_list", lambda: shape)())


def _initial(name: str, initializer: Any, shape: Any, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """A callable that makes the first value, and its shape."""
    if initializer is None:
        initializer = GlorotUniform() if jnp.issubdtype(dtype, np.floating) else Zeros()
    if isinstance(initializer, str):
        initializer = keras.initializers.get(initializer)
    if isinstance(initializer, type):
        initializer = initializer()
    if not callable(initializer):
        if shape is not None:
            raise ValueError(f"Variable {name}: if initializer is a constant, do not specify shape.")
        return (lambda: initializer.value if isinstance(initializer, KerasVariable) else initializer), None
    if shape is None:
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
    static = _static(shape)
    seed, own = current_building().graph.seed, {}
    if seed is not None and isinstance(initializer, Initializer):
        own = {
            "seed": zlib.crc32(f"{seed} {name}".encode())
        }  # as each operation of TensorFlow's graph has one of its own
    return (lambda: initializer(static, dtype=dtype.name, **own)), static


def get_or_create_global_step(graph: Any = None) -> Any:
    """The number of steps done, int64. graph: TensorFlow's graph, of which there is none here."""
    building = current_building()
    step = building.graph.global_step
    building.declare(GraphKeys.GLOBAL_STEP, step, (GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP))
    return step


def get_global_step(graph: Any = None) -> Any:
    """The number of steps done, int64: an Estimator has always made it. None outside of a model_fn."""
    return None if current().graph is None else get_or_create_global_step()


def create_global_step(graph: Any = None) -> Any:
    """Make the global step. Raises ValueError if there is one."""
    if GraphKeys.GLOBAL_STEP in current_building().declared:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step()


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise TypeError for what cannot be a global step: it is an integer scalar."""
    if not jnp.issubdtype(jnp.dtype(global_step_tensor.dtype), np.integer) or tuple(global_step_tensor.shape) != ():
        raise TypeError(f"A global step is an integer scalar, got {global_step_tensor!r}.")


def variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    expected_shape: Any = None,
    import_scope: Any = None,
    constraint: Callable[[Any], Any] | None = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
    shape: Any = None,
) -> Any:
    """`tf.compat.v1.Variable`: a new variable, its name made unique. Outside of a model_fn a tf.Variable."""
    settings: dict[str, Any] = {
        "trainable": trainable,
        "dtype": dtype,
        "constraint": constraint,
        "synchronization": synchronization,
        "aggregation": aggregation,
        "shape": shape,
    }
    building = current().graph
    if building is None:
        return Variable(initial_value, name=name, **settings)
    unique = building.scopes.unique_name(name or "Variable")
    made = building.graph.variable(
        unique, lambda: GraphVariable(initial_value, name=unique, **settings), local=_is_local(collections)
    )
    building.declare(unique, made, tuple(collections or ()))
    return made
