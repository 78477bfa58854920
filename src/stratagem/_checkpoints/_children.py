"""Finds the savable parts of an object and names them by Python attributes and positions, never by Keras' counters."""

import abc
import logging
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

import keras
import numpy as np

from stratagem._base.errors import CheckpointError
from stratagem._base.types import Json, Trackable, Value
from stratagem._checkpoints._python_state import PythonState, encoded, take_up
from stratagem._core.values import Module, Variable, is_remote, placement_of
from stratagem._ops.sampling import Generator
from stratagem._private import is_view, joined

_log = logging.getLogger("stratagem.checkpoint")

# Keras' own bookkeeping: lists that repeat other attributes, back references, and the state of `compile`, which
# `fit` resets by itself. All other attributes belong to the author of the class.
BOOKKEEPING = {
    *("_tracker", "_layers", "_metrics", "_seed_generators", "_functional", "_operations", "_operations_by_depth"),
    *("_variables", "_trainable_variables", "_non_trainable_variables", "_trainable_variables_indices"),
    *("_nodes", "_nodes_by_depth", "_inbound_nodes", "_outbound_nodes", "_losses", "_losses_override"),
    *("_inputs", "_outputs", "_inputs_struct", "_outputs_struct", "_learned_weights"),
    *("_loss_tracker", "_compile_metrics", "_compile_loss", "_compile_config", "_jax_state"),
}

# Objects of these packages (a logger, an activation, a strategy) are not users' containers of variables, and their
# `get_state` does not return JSON (NumPy's generators).
_FOREIGN = (sys.stdlib_module_names - {"types"}) | {"jax", "jaxlib", "keras", "ml_dtypes", "numpy", "stratagem"}

_NO_OBJECTS = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


class Tracked(abc.ABC):
    """An object that lists the parts to be saved with it."""

    @abc.abstractmethod
    def tracked_parts(self, parts: Callable[[Trackable], dict[str, Trackable]]) -> dict[str, Trackable]:
        """The parts by name. parts: names the parts of an object whose parts count as this one's."""


class HostArray(abc.ABC):
    """An array that no variable holds, and that TensorFlow's format keeps as if one did."""

    @property
    @abc.abstractmethod
    def value(self) -> np.ndarray:
        """The array."""

    @abc.abstractmethod
    def restore(self, saved: np.ndarray, path: str) -> None:
        """Takes what a checkpoint has at this path."""


class Supplement(abc.ABC):
    """The state of an object that TensorFlow's checkpoints lack: one without it matches the program, too."""

    @abc.abstractmethod
    def get_state(self) -> Json:
        """Returns it, for a checkpoint."""

    @abc.abstractmethod
    def set_state(self, state: Json) -> None:
        """Takes up what a checkpoint has."""


class Finalized(abc.ABC):
    """A layer that computes what it uses of values, which a checkpoint may bring, and has some beside its variables."""

    @abc.abstractmethod
    def host_arrays(self) -> dict[str, HostArray]:
        """Returns the values beside variables that TensorFlow's format keeps, by their names there."""

    @abc.abstractmethod
    def finalize_state(self) -> None:
        """Computes what the layer uses."""


@final
class FixedValue(HostArray):
    """A value that a format keeps and no variable holds: it is written, and restored into nothing.

    name: the setting that it is; None if a restored value may differ without any harm.
    """

    def __init__(self, value: np.ndarray, name: str | None) -> None:
        self._value, self.name = value, name

    @property
    def value(self) -> np.ndarray:
        return self._value

    def restore(self, saved: np.ndarray, path: str) -> None:
        """Warns if a setting was another one when the checkpoint was saved."""
        if self.name is not None and not np.allclose(saved, self.value):
            _log.warning(
                "%s was saved with %s=%s, and this program's optimizer has %s, which stays.",
                path, self.name, saved, self.value,
            )  # fmt: skip


def is_variable(value: Any) -> bool:
    """Returns whether `value` is a Keras variable, a `tf.Variable` or a sharded variable."""
    return isinstance(value, keras.Variable) or is_view(value)


def global_names(variable: Any) -> list[str]:
    """The names that a variable may have in a checkpoint of variables by name.

    That of a `tf.Variable`; of a layer's variable its path, also without the model's name, which Keras 2 leaves out.
    """
    if isinstance(variable, keras.Variable) and not isinstance(variable, Variable):
        path = str(variable.path)
        return [path, path.partition("/")[2]] if path.count("/") > 1 else [path]
    return [str(variable.name).removesuffix(":0")]


def value_of(variable: Any) -> np.ndarray:
    """The value of a variable; for a distributed or sharded variable, the single value that it represents."""
    if isinstance(variable, HostArray):
        return variable.value
    if is_view(variable):
        return np.concatenate([value_of(shard) for shard in variable.variables])
    return np.asarray(variable.value)  # `variable.numpy()` makes NumPy warn about Keras' `__array__`


def shares_memory(variable: Any) -> bool:
    """Returns whether the value that reading gives may lie where the variable's does, in memory that the next step reuses."""
    if isinstance(variable, keras.Variable):
        return placement_of(variable) is None or is_remote(variable)
    return not is_view(variable)


def is_stateful(value: Any) -> bool:
    """Returns whether `value` is a PythonState, or no Keras object and has `get_state()` and `set_state(state)`."""
    if isinstance(value, PythonState):
        return True
    methods = (getattr(type(value), name, None) for name in ("get_state", "set_state"))
    return all(map(callable, methods)) and _package(value) not in _FOREIGN - {"stratagem"}


def state_of(value: Any) -> Json:
    """The state of a stateful object. Raises what its method raises."""
    return encoded(value) if isinstance(value, PythonState) else value.get_state()


def set_state(value: Any, state: Json) -> None:
    """Gives a stateful object a state. Raises what its method raises."""
    if isinstance(value, PythonState):
        take_up(value, state)
    else:
        value.set_state(state)


def is_container(value: Any) -> bool:
    """Returns whether `value` is a built-in container, whose members are its parts."""
    return isinstance(value, list | tuple | Mapping)


def is_plain_object(value: Value) -> bool:
    """Returns whether `value` is an instance of a user's class, or a tf.Module, which may hold variables in its attributes."""
    if isinstance(value, Module):
        return True
    attributes = getattr(value, "__dict__", None)
    return _package(value) not in _FOREIGN and not isinstance(value, _NO_OBJECTS) and isinstance(attributes, dict)


def is_savable(value: Any) -> bool:
    """Returns whether `value` is saved in its own right; containers and plain objects count only for what they hold."""
    known = isinstance(value, Tracked | Generator | HostArray) or is_variable(value)
    return known or is_keras_object(value) or is_stateful(value)


def is_trackable(value: Value) -> bool:
    """Returns whether a checkpoint can hold `value`."""
    return is_savable(value) or is_container(value) or is_plain_object(value)


def parts_of(value: Any) -> dict[str, Any]:
    """The trackable parts of an object by name, in a fixed order; empty for a variable or a stateful object."""
    if is_variable(value) or is_stateful(value) or isinstance(value, HostArray):
        return {}
    if isinstance(value, Tracked):
        return value.tracked_parts(parts_of)
    if isinstance(value, Mapping):
        return {_key(key, part): part for key, part in list(value.items()) if is_trackable(part)}
    if isinstance(value, list | tuple):
        return {str(i): part for i, part in enumerate(joined(value)) if is_trackable(part)}
    parts = _attributes(value)
    if is_keras_object(value) and not isinstance(value, keras.random.SeedGenerator):
        parts |= _unnamed_layers(value, parts)
        unnamed = unnamed_variables(value, parts)
        parts |= {"weights": {str(i): variable for i, variable in enumerate(unnamed)}} if unnamed else {}
    return parts


def _package(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def is_keras_object(value: Any) -> bool:
    """Returns whether `value` is an object of Keras with variables of its own: a layer, metric, optimizer or seed generator."""
    return isinstance(value, keras.Layer | keras.Metric | keras.optimizers.Optimizer | keras.random.SeedGenerator)


def _attributes(owner: Any) -> dict[str, Any]:
    """The trackable attributes by name, without leading underscores: Keras stores `kernel` in `_kernel`."""
    found = {n: v for n, v in list(vars(owner).items()) if n not in BOOKKEEPING and is_trackable(v)}
    parts: dict[str, Any] = {}
    for name, value in found.items():
        bare = name.lstrip("_")
        parts[name if bare in found or bare in parts else bare] = value
    return parts


def _key(key: Any, part: Any) -> str:
    if not isinstance(key, str | int) and is_savable(part):
        raise CheckpointError(
            f"A dictionary holds {part!r} under the key {key!r}, which cannot name it in a checkpoint. "
            "Use strings or integers as keys."
        )
    return str(key)


def _members(values: Iterable[Any]) -> list[Any]:
    """The values, together with the members of lists, tuples and dicts among them, at any depth."""
    members = []
    for value in values:
        members.append(value)
        if is_container(value):
            members += _members(value.values() if isinstance(value, Mapping) else value)
    return members


def _unnamed_layers(owner: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """The layers of a Sequential or functional model that no attribute names, by position without the input layers."""
    if not isinstance(owner, keras.Model):
        return {}
    named = {id(member) for member in _members(parts.values())}
    layers = [layer for layer in owner.layers if not isinstance(layer, keras.layers.InputLayer)]
    unnamed = {str(i): layer for i, layer in enumerate(layers) if id(layer) not in named}
    return {"layers": unnamed} if unnamed else {}


def unnamed_variables(owner: Any, parts: dict[str, Any]) -> list[Any]:
    """Variables that Keras knows but no attribute holds (`add_weight` without keeping the result), in Keras' order."""
    named: set[int] = set()
    for member in joined(_members(parts.values())):
        if is_variable(member):
            named.add(id(member))
        elif isinstance(member, keras.random.SeedGenerator):
            named.add(id(member.state))
        elif is_keras_object(member):
            named |= {id(variable) for variable in joined(member.variables)}
    return [variable for variable in joined(owner.variables) if id(variable) not in named]
