"""The object graph of Keras 2 as seen from Keras 3: which edge of a TensorFlow checkpoint leads to which object.

| in TensorFlow's graph | here |
|---|---|
| `layer_with_weights-N`, `layer-N` | `model.layers` of a Sequential or functional model |
| attributes, members of lists and dicts | the same; `kernel` for `_kernel` that a class shows as `kernel`; `_RENAMED` |
| `_iterations`, `_learning_rate`, `_variables/N`, `_momentums/N` … | the optimizer's variables, `SLOTS` |
| of legacy optimizers: `iter`, `learning_rate`, `beta_1` …, slot variables `m`, `v` … | the same; settings are compared |

Seeds, losses and metrics of `compile` have no place in that graph.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import keras
import numpy as np

from stratagem._checkpoints._children import (
    BOOKKEEPING,
    is_keras_object,
    is_plain_object,
    is_stateful,
    is_trackable,
    is_variable,
    parts_of,
    unnamed_variables,
)
from stratagem._checkpoints._naming import Naming
from stratagem._checkpoints._special_parts import Finalized, FixedValue, Tracked
from stratagem._private import SlotNames, has_layers_by_position


@final
@dataclass(frozen=True)
class OptimizerSlot:
    """One kind of slots of an optimizer: its attributes here and in Keras 2, and its name in legacy optimizers.

    loop: Keras 2 makes the slots of all variables loop by loop; `_variables` has them in that order.
    """

    own: str
    keras_two: str
    legacy: str
    loop: int = 0


# By class, the slots in the order in which Keras 2 makes them.
SLOTS: tuple[tuple[type, tuple[OptimizerSlot, ...]], ...] = (
    (
        keras.optimizers.Adam,
        (
            OptimizerSlot("_momentums", "_momentums", "m"),
            OptimizerSlot("_velocities", "_velocities", "v"),
            OptimizerSlot("_velocity_hats", "_velocity_hats", "vhat", loop=1),
        ),
    ),
    (
        keras.optimizers.Nadam,
        (OptimizerSlot("_momentums", "_momentums", "m"), OptimizerSlot("_velocities", "_velocities", "v")),
    ),
    (keras.optimizers.SGD, (OptimizerSlot("momentums", "momentums", "momentum"),)),
    (
        keras.optimizers.RMSprop,
        (
            OptimizerSlot("_velocities", "_velocities", "rms"),
            OptimizerSlot("_momentums", "_momentums", "momentum", loop=1),
            OptimizerSlot("_average_gradients", "_average_gradients", "mg", loop=2),
        ),
    ),
    (keras.optimizers.Adagrad, (OptimizerSlot("_accumulators", "_accumulators", "accumulator"),)),
    (
        keras.optimizers.Adadelta,
        (
            OptimizerSlot("_accumulated_grads", "_accumulated_grads", "accum_grad"),
            OptimizerSlot("_accumulated_delta_vars", "_accumulated_delta_vars", "accum_var"),
        ),
    ),
    (keras.optimizers.Adamax, (OptimizerSlot("_m", "_m", "m"), OptimizerSlot("_u", "_u", "v"))),
    (
        keras.optimizers.Ftrl,
        (
            OptimizerSlot("_accumulators", "_accumulators", "accumulator"),
            OptimizerSlot("_linears", "_linears", "linear"),
        ),
    ),
    (
        keras.optimizers.Adafactor,
        (OptimizerSlot("_r", "_r", "r"), OptimizerSlot("_c", "_c", "c"), OptimizerSlot("_v", "_v", "v")),
    ),
    (keras.optimizers.Lion, (OptimizerSlot("_momentums", "momentums", "momentum"),)),
)
# Attributes of Keras 3's layers that have another name in Keras 2.
_RENAMED: tuple[tuple[type, dict[str, str]], ...] = (
    (keras.layers.DepthwiseConv1D, {"kernel": "depthwise_kernel"}),
    (keras.layers.DepthwiseConv2D, {"kernel": "depthwise_kernel"}),
    (keras.layers.Normalization, {"adapt_mean": "mean", "adapt_variance": "variance"}),
)
# What legacy optimizers keep in variables, and Keras 3 in numbers.
_SETTINGS = (
    *("beta_1", "beta_2", "decay", "momentum", "rho", "beta"),
    *("l1_regularization_strength", "l2_regularization_strength", "learning_rate_power"),
)
_COUNTS = ("iteration", "count")  # an optimizer's number of steps, and the rows that `Normalization` has seen
# Attributes of Keras 3's optimizers that say what others say, or belong to other objects.
_OPTIMIZERS_OWN = {"_trainable_variables", "_variables", "_iterations", "_learning_rate", "_accumulated_gradients"}


def _read_parts(value: Any) -> dict[str, Any]:
    return _parts(value, reading=True)


def _written_parts(value: Any) -> dict[str, Any]:
    return _parts(value, reading=False)


def _parts(value: Any, *, reading: bool) -> dict[str, Any]:
    if isinstance(value, keras.optimizers.Optimizer):
        return _optimizer_parts(value, reading=reading)
    if isinstance(value, Tracked):
        return value.tracked_parts(_read_parts if reading else _written_parts)
    if is_stateful(value) or isinstance(value, keras.random.SeedGenerator):
        return {}
    if is_keras_object(value):
        return _without_seeds(_layer_parts(value))
    if is_plain_object(value):
        return _without_seeds({n: v for n, v in vars(value).items() if is_trackable(v)})
    return _without_seeds(parts_of(value))


def _without_seeds(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if not isinstance(part, keras.random.SeedGenerator)}


def _layer_parts(layer: Any) -> dict[str, Any]:
    renamed = {old: new for kind, names in _RENAMED if isinstance(layer, kind) for old, new in names.items()}
    found = {n: v for n, v in list(vars(layer).items()) if n not in BOOKKEEPING and is_trackable(v)}
    parts = _layers_by_position(layer) if has_layers_by_position(layer) else {}
    for name, value in found.items():
        bare = name.lstrip("_")
        shown = bare if is_variable(value) and isinstance(getattr(type(layer), bare, None), property) else name
        parts[renamed.get(shown, shown)] = value
    for variable in unnamed_variables(layer, parts):
        parts.setdefault(variable.name, variable)
    return parts | layer.host_arrays() if isinstance(layer, Finalized) else parts


def _layers_by_position(model: Any) -> dict[str, Any]:
    """The layers of a model, those with weights also counted apart, once all of them are there to count."""
    parts = {}
    if all(layer.built for layer in model.layers):
        weighted = [layer for layer in model.layers if layer.weights]
        parts = {f"layer_with_weights-{i}": layer for i, layer in enumerate(weighted)}
    return parts | {f"layer-{i}": layer for i, layer in enumerate(model.layers)}


def _optimizer_parts(optimizer: Any, *, reading: bool) -> dict[str, Any]:
    legacy = isinstance(optimizer, SlotNames)
    parts = _legacy_parts(optimizer) if reading or legacy else {}
    if legacy and not reading:
        return parts
    slots = _slots_of(optimizer)
    lists = {slot.keras_two: vars(optimizer).get(slot.own) or [] for slot in slots}
    parts["_iterations"] = optimizer.iterations
    rate = vars(optimizer)["_learning_rate"]
    if is_variable(rate):
        parts["_learning_rate"] = rate
    else:
        parts["_current_learning_rate"] = FixedValue(np.asarray(optimizer.learning_rate, np.float32), None)
    parts |= {name: _filled(optimizer, name, found) for name, found in lists.items()}
    known = _OPTIMIZERS_OWN | {slot.own for slot in slots}
    parts |= {n: v for n, v in vars(optimizer).items() if n not in known | BOOKKEEPING and is_trackable(v)}
    averages = vars(optimizer).get("_model_variables_moving_average") or []
    made = in_order_of_making([(slot, parts[slot.keras_two]) for slot in slots])
    stand_ins = _stand_ins(optimizer)
    # First: an edge that comes earlier names the value.
    return {"_variables": [optimizer.iterations, *averages, *(v for v in made if id(v) not in stand_ins)], **parts}


def in_order_of_making(slots: Sequence[tuple[OptimizerSlot, Sequence[Any]]]) -> list[Any]:
    """The slots of all variables, kind by kind, in the order in which Keras 2 makes them."""
    made: list[Any] = []
    for loop in sorted({slot.loop for slot, _ in slots}):
        of_loop = [found for slot, found in slots if slot.loop == loop and found]
        made += [variable for row in zip(*of_loop, strict=False) for variable in row]
    return made


def set_in_order_of_keras_two(optimizer: keras.optimizers.Optimizer, values: Sequence[np.ndarray]) -> str | None:
    """Sets the variables of an optimizer that was built to those that Keras 2 has written, in its order.

    Returns why they are of another optimizer, and sets nothing then; None if all was set.
    """
    variables = _all_in_order(optimizer)
    if len(values) != len(variables):
        return f"there are {len(values)} values for its {len(variables)} variables"
    for number, (variable, value) in enumerate(zip(variables, values, strict=True)):
        shape = np.shape(variable.value)
        if shape != value.shape:
            return f"value {number} has the shape {value.shape} for a variable of {shape}"
    for variable, value in zip(variables, values, strict=True):
        if not isinstance(variable, FixedValue):
            variable.assign(value)
    return None


def _all_in_order(optimizer: Any) -> list[Any]:
    """The variables of an optimizer as Keras 2 has made them; those of legacy optimizers kind by kind."""
    parts = _optimizer_parts(optimizer, reading=True)
    if isinstance(optimizer, SlotNames):
        kinds = (vars(optimizer).get(slot.own) or [] for slot in _slots_of(optimizer))
        return [parts["_iterations"], *(variable for kind in kinds for variable in kind)]
    return list(parts["_variables"])


def _stand_ins(optimizer: Any) -> set[int]:
    """Stand-ins for slots that a variable does not have: Adafactor divides none of one dimension into rows and columns."""
    if not isinstance(optimizer, keras.optimizers.Adafactor):
        return set()
    own = vars(optimizer)
    slots = zip(_trained(optimizer), own["_r"], own["_c"], strict=True)
    return {id(slot) for variable, *of_variable in slots for slot in of_variable if len(variable.shape) < 2}


def _filled(optimizer: Any, name: str, slots: Any) -> Any:
    """The slots; those that Keras 2 always has, and Keras 3 for a momentum only, as zeros."""
    if slots or name != "momentums" or not isinstance(optimizer, keras.optimizers.SGD):
        return slots
    return [FixedValue(np.zeros(variable.shape, variable.dtype), None) for variable in _trained(optimizer)]


def _legacy_parts(optimizer: Any) -> dict[str, Any]:
    parts = {"iter": optimizer.iterations}
    rate = vars(optimizer)["_learning_rate"]
    if is_variable(rate):
        parts["learning_rate"] = rate
    settings = optimizer.settings if isinstance(optimizer, SlotNames) else _SETTINGS
    for name in _SETTINGS:
        if name in settings or name == "decay":
            number = getattr(optimizer, name, None)
            compared = None if number is None else name
            parts[name] = FixedValue(np.asarray(0.0 if number is None else number, np.float32), compared)
    if isinstance(optimizer, keras.optimizers.Nadam) and optimizer.built:
        parts["momentum_cache"] = vars(optimizer)["_u_product"]
    return parts


def _slots_of(optimizer: Any) -> tuple[OptimizerSlot, ...]:
    return next((slots for kind, slots in SLOTS if isinstance(optimizer, kind)), ())


def _slots(optimizer: Any) -> Iterator[tuple[str, Any, Any]]:
    """The slots of an optimizer by their legacy names, with the variables that they belong to."""
    if not isinstance(optimizer, keras.optimizers.Optimizer) or not optimizer.built:
        return
    for kind in _slots_of(optimizer):
        for variable, slot in zip(_trained(optimizer), vars(optimizer).get(kind.own) or (), strict=False):
            if slot is not None:
                yield kind.legacy, variable, slot


def _trained(optimizer: Any) -> list[Any]:
    return list(vars(optimizer).get("_trainable_variables") or ())


def _written_value(variable: Any, value: np.ndarray) -> np.ndarray:
    """The value of a variable; those that count steps or rows have 64 bits in TensorFlow."""
    counts = value.dtype == np.int32 and getattr(variable, "name", "") in _COUNTS and value.shape == ()
    return value.astype(np.int64) if counts else value


READ = Naming(parts=_read_parts, slots=_slots, converts=True, values_only=True)
WRITTEN = Naming(parts=_written_parts, slots=_slots, converted=_written_value)
