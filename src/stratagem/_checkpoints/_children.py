"""Finds the savable parts of an object and names them by Python attributes and positions, never by Keras' counters."""

from collections.abc import Iterable, Mapping
from typing import Any

import keras
import numpy as np

from stratagem._base.errors import CheckpointError
from stratagem._checkpoints._class_kinds import ClassFacts, class_facts
from stratagem._checkpoints._python_state import PythonState, encoded, take_up
from stratagem._checkpoints._special_parts import HostArray, Tracked
from stratagem._core.values import Variable, is_remote, placement_of
from stratagem._private import is_view, joined

# Keras' own bookkeeping: lists that repeat other attributes, back references, and the state of `compile`, which
# `fit` resets by itself. All other attributes belong to the author of the class.
BOOKKEEPING = {
    *("_tracker", "_layers", "_metrics", "_seed_generators", "_functional", "_operations", "_operations_by_depth"),
    *("_variables", "_trainable_variables", "_non_trainable_variables", "_trainable_variables_indices"),
    *("_nodes", "_nodes_by_depth", "_inbound_nodes", "_outbound_nodes", "_losses", "_losses_override"),
    *("_inputs", "_outputs", "_inputs_struct", "_outputs_struct", "_learned_weights"),
    *("_loss_tracker", "_compile_metrics", "_compile_loss", "_compile_config", "_jax_state"),
}


def is_variable(value: Any) -> bool:
    """Returns whether `value` is a Keras variable, a `tf.Variable` or a sharded variable."""
    return class_facts(value).variable


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
    return class_facts(value).stateful


def state_of(value: Any) -> Any:
    """The state of a stateful object. Raises what its method raises."""
    return encoded(value) if isinstance(value, PythonState) else value.get_state()


def set_state(value: Any, state: Any) -> None:
    """Gives a stateful object a state. Raises what its method raises."""
    if isinstance(value, PythonState):
        take_up(value, state)
    else:
        value.set_state(state)


def is_container(value: Any) -> bool:
    """Returns whether `value` is a built-in container, whose members are its parts."""
    return class_facts(value).container


def is_plain_object(value: Any) -> bool:
    """Returns whether `value` is an instance of a user's class, or a tf.Module, which may hold variables in its attributes."""
    return _holds_attributes(value, class_facts(value))


def _holds_attributes(value: Any, facts: ClassFacts) -> bool:
    return facts.module or (facts.may_hold and isinstance(getattr(value, "__dict__", None), dict))


def is_savable(value: Any) -> bool:
    """Returns whether `value` is saved in its own right; containers and plain objects count only for what they hold."""
    return class_facts(value).savable


def is_trackable(value: Any) -> bool:
    """Returns whether a checkpoint can hold `value`."""
    facts = class_facts(value)
    return facts.savable or facts.container or _holds_attributes(value, facts)


def parts_of(value: Any) -> dict[str, Any]:
    """The trackable parts of an object by name, in a fixed order; empty for a variable or a stateful object."""
    facts = class_facts(value)
    if facts.variable or facts.stateful or facts.host_array:
        return {}
    if isinstance(value, Tracked):
        return value.tracked_parts(parts_of)
    if isinstance(value, Mapping):
        return {_key(key, part): part for key, part in list(value.items()) if is_trackable(part)}
    if isinstance(value, list | tuple):
        return {str(i): part for i, part in enumerate(joined(value)) if is_trackable(part)}
    parts = _attributes(value)
    if facts.keras_object and not isinstance(value, keras.random.SeedGenerator):
        parts |= _unnamed_layers(value, parts)
        unnamed = unnamed_variables(value, parts)
        parts |= {"weights": {str(i): variable for i, variable in enumerate(unnamed)}} if unnamed else {}
    return parts


def is_keras_object(value: Any) -> bool:
    """Returns whether `value` is an object of Keras with variables of its own: a layer, metric, optimizer or seed generator."""
    return class_facts(value).keras_object


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
