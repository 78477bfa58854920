"""`tf.variable_creator_scope`: functions that are asked before a variable is made, and may change it or give another one."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered
from stratagem._core.values._tensor_shape import TensorShape
from stratagem._core.values._variable import Variable, VariableAggregation, VariableSynchronization
from stratagem._private import KerasVariable, intercept_creation

Settings = dict[str, Any]

# What TensorFlow hands on with a variable's arguments, and what changes nothing here.
_WITHOUT_EFFECT = {
    "collections", "distribute_strategy", "experimental_enable_variable_lifting", "expected_shape", "use_resource",
}  # fmt: skip


@exported("variable_creator_scope")
@contextlib.contextmanager
def variable_creator_scope(variable_creator: UserFunction) -> Iterator[None]:
    """In the body variables are what `variable_creator(next_creator, **kwargs)` returns, as `tf.variable_creator_scope`.

    kwargs: the arguments of `tf.Variable`; for a variable of a layer, metric or optimizer too. next_creator(**kwargs) calls
    the creator of the next outer scope, the last one makes the variable. In a strategy's scope that is the strategy's variable,
    whichever scope was opened first, and each creator is called once. States of random number generators are not asked for.
    """
    with entered(creators=(*current().creators, variable_creator)):
        yield


def _create(cls: type, args: tuple[Any, ...], kwargs: Settings) -> Any:
    """Returns what the creators give for a variable that is being made; None if there are none, or none for its kind."""
    creators = current().creators
    if not creators or kwargs.get("name") == "seed_generator_state":
        return None
    try:
        given = _signature(cls).bind(None, *args, **kwargs)
    except TypeError:
        return None  # the constructor itself raises a better error
    given.apply_defaults()
    settings = {key: value for key, value in given.arguments.items() if key not in ("self", "kwargs")}
    if cls is Variable:
        make: Callable[..., Any] = _plainly
    elif cls is KerasVariable:
        make, settings = functools.partial(_for_keras, settings), _as_tensorflow(settings)
    else:
        return None
    return functools.reduce(_asked, creators, make)(**settings)


@functools.cache
def _signature(cls: type) -> inspect.Signature:
    return inspect.signature(cls.__init__)  # type: ignore[misc]


def _asked(next_creator: Any, creator: Any) -> Any:
    return functools.partial(creator, next_creator)


def _plainly(**kwargs: Any) -> Any:
    """Makes a `tf.Variable`."""
    with entered(creators=()):  # the variable itself is made
        return Variable(**{key: value for key, value in kwargs.items() if key not in _WITHOUT_EFFECT})


def _as_tensorflow(keras_settings: Settings) -> Settings:
    """Returns the arguments of `tf.Variable` that mean what these of Keras' do."""
    initializer, shape, dtype = (keras_settings[name] for name in ("initializer", "shape", "dtype"))
    return {
        "initial_value": functools.partial(initializer, shape, dtype=dtype) if callable(initializer) else initializer,
        "trainable": keras_settings["trainable"],
        "validate_shape": True,
        "caching_device": None,
        "name": keras_settings["name"],
        "variable_def": None,
        "dtype": dtype,
        "import_scope": None,
        "constraint": None,
        "synchronization": VariableSynchronization[keras_settings["synchronization"].upper()],
        "aggregation": VariableAggregation[(keras_settings["aggregation"] or "none").upper()],
        "shape": None if shape is None else TensorShape(shape),
    }


def _for_keras(before: Settings, initial_value: Any = None, **kwargs: Any) -> Any:
    """Makes a variable of Keras with what the creators left of its arguments, or changed in them."""
    asked = _as_tensorflow(before)
    settings = dict(before)
    if not _is_same(initial_value, asked["initial_value"]):
        settings["initializer"] = _initializer(initial_value) if before["shape"] is not None else initial_value
    for name in ("trainable", "name", "dtype"):
        settings[name] = kwargs.get(name, settings[name])
    for name in ("synchronization", "aggregation"):
        if (mode := kwargs.get(name)) not in (None, asked[name]):
            settings[name] = mode.name.lower()
    with entered(creators=()):
        variable: Any = KerasVariable(**settings)
    if kwargs.get("constraint") is not None:
        variable.constraint = kwargs["constraint"]
    return variable


def _is_same(value: Any, asked: Any) -> bool:
    if isinstance(asked, functools.partial) and isinstance(value, functools.partial):
        return value.func is asked.func
    return value is asked


def _initializer(initial_value: Any) -> Callable[..., Any]:
    def make(shape: Any, dtype: Any = None) -> Any:
        with entered(first_value=True):
            value = jnp.asarray(initial_value() if callable(initial_value) else initial_value, dtype=dtype)
        if value.shape != tuple(shape):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible with the "
                f"explicitly supplied `shape` argument ({tuple(shape)})."
            )
        return value

    return make


def attach_variable_creators() -> None:
    """Ask the creators of the open scopes before variables are made."""
    intercept_creation(_create)
