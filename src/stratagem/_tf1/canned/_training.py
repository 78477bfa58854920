"""Training steps of heads and models: gradients, an update whose slots have TensorFlow's names, the global step."""

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from stratagem._core.context import current
from stratagem._core.step import gradients, touched_rows
from stratagem._core.values import shards
from stratagem._legacy import LegacyOptimizer
from stratagem._tf1.graph import (
    ModelBuild,
    Operation,
    current_building,
    get_or_create_global_step,
    group,
)
from stratagem._tf1.graph.losses import Reduction
from stratagem._tf1.graph.train import Optimizer


def head_train_op(
    reduction: str,
    loss: Any,
    optimizer: Any,
    variables: Sequence[Any] | None,
    train_op_fn: Callable[[Any], Any] | None,
    update_ops: Sequence[Any] | None,
) -> Any:
    """Returns the operation of a step. Raises ValueError unless there is either an optimizer or a train_op_fn."""
    if update_ops is not None and not isinstance(update_ops, list | tuple):
        raise ValueError(f"update_ops should be a list or a tuple. Given type: {type(update_ops)}.")
    if optimizer is not None and train_op_fn is not None:
        raise ValueError("train_op_fn and optimizer cannot both be set.")
    if train_op_fn is not None:
        operation = train_op_fn(loss)
    elif isinstance(optimizer, Optimizer):
        operation = graph_train_op(reduction, loss, optimizer, variables)
    elif optimizer is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    else:
        operation = _of_users_optimizer(reduction, loss, optimizer, variables)
    return operation if not update_ops else group(operation, *update_ops)


def graph_train_op(
    reduction: str,
    loss: Any,
    optimizer: Optimizer,
    variables: Sequence[Any] | None = None,
    *,
    counted: bool = True,
) -> Operation:
    """Returns the step of an optimizer of tf1.train. counted: it adds 1 to the global step.

    reduction: of the loss; a sum is not divided by the replicas.
    """
    building = current_building()
    building.loss_reduction = Reduction.SUM if reduction in ("sum", Reduction.SUM) else Reduction.SUM_OVER_BATCH_SIZE
    return optimizer.minimize(loss, get_or_create_global_step() if counted else None, variables)


def _of_users_optimizer(reduction: str, loss: Any, optimizer: Any, variables: Any) -> Operation:
    if not isinstance(optimizer, keras.optimizers.Optimizer):
        raise ValueError(
            "The given optimizer is not a tf.keras.optimizers.Optimizer instance. Received optimizer of type "
            f"{type(optimizer)}."
        )
    if not isinstance(variables, list | tuple):
        raise ValueError(
            f"trainable_variables should be a list or a tuple, of what the optimizer changes. Given {variables!r:.200}."
        )
    return keras_train_op(reduction, loss, optimizer, variables, counted=True)


def keras_train_op(
    reduction: str,
    loss: Any,
    optimizer: keras.optimizers.Optimizer,
    variables: Sequence[Any],
    *,
    counted: bool,
) -> Operation:
    """Returns the step of an optimizer of Keras, in the same object at every call. counted: it adds 1 to the global step.

    A mean is divided by the number of replicas, so that they make one step together.
    """
    step, replica = get_or_create_global_step(), current().replica
    parts = [part for variable in variables for part in shards(variable)]
    scale = 1.0 / replica.num_replicas_in_sync if replica is not None and reduction != "sum" else 1.0
    slopes = gradients(loss * scale, parts)
    known: list[tuple[Any, Any]] = [(s, part) for s, part in zip(slopes, parts, strict=True) if s is not None]
    if not isinstance(optimizer, LegacyOptimizer):  # one that does not ask which rows were looked up
        looked_up = current_building().only_looked_up
        known = [(touched_rows(slope)[0] if looked_up(part) else slope, part) for slope, part in known]
    if not known:
        raise ValueError(
            f"No gradients provided for any variable: the loss depends on none of {[v.name for v in parts]}."
        )

    def apply() -> None:
        optimizer.apply_gradients(known)
        if counted:
            step.assign_add(1)

    return Operation(f"training/{optimizer.name}", apply)


def kept_optimizer(
    scope: str,
    place: str,
    make: Callable[[], keras.optimizers.Optimizer],
    variables: Sequence[Any],
    used: set[str],
) -> keras.optimizers.Optimizer:
    """Returns the optimizer that the first call of the model_fn has made, and built for these variables.

    Its slots are variables of the graph, called `<scope>/<optimizer>/<variable>/<slot>` as in TensorFlow. place: tells
    optimizers apart. used: the names of optimizers so far; one of the same name gets `_1` after it.
    """
    building = current_building()
    parts = [part for variable in variables for part in shards(variable)]

    def built() -> keras.optimizers.Optimizer:
        optimizer = make()
        optimizer.build(parts)
        return optimizer

    optimizer = building.graph.kept(f"training/{place}", built)
    if isinstance(optimizer, LegacyOptimizer):
        optimizer.rows = frozenset({*(optimizer.rows or ()), *(id(v) for v in parts if building.only_looked_up(v))})
    name, number = optimizer.name, 0
    while name in used:
        number += 1
        name = f"{optimizer.name}_{number}"
    used.add(name)
    _list_slots(building, optimizer, parts, f"{scope}/{name}")
    return optimizer


def _list_slots(building: ModelBuild, optimizer: Any, parts: Sequence[Any], below: str) -> None:
    known = building.graph.variables
    listed = {id(variable): name for name, variable in known.items()}
    count = f"{below}/iter"
    found: dict[str, Any] = {count: optimizer.iterations}
    if isinstance(optimizer, LegacyOptimizer):
        found |= {f"{below}/{name}": variable for name, variable in optimizer.beside_slots().items()}
        for part in parts:
            own = listed.get(id(_whole(part)), building.variable_name(part))
            for slot in optimizer.get_slot_names():
                found[f"{below}/{own}/{slot}"] = _whole(optimizer.get_slot(part, slot))
    else:
        rate = getattr(optimizer, "_learning_rate", None)
        others = [v for v in optimizer.variables if v is not optimizer.iterations and v is not rate]
        found |= {f"{below}/{variable.path}": variable for variable in others}
    for name, variable in found.items():
        if id(variable) not in listed:
            known[name], listed[id(variable)] = variable, name
    building.graph.derived[count] = _steps_of_global_step


def _steps_of_global_step(saved: Any) -> np.ndarray | None:
    """The number of updates, which TensorFlow counts in the global step only."""
    return np.asarray(saved["global_step"], np.int64) if "global_step" in saved else None


def _whole(variable: Any) -> Any:
    return variable if variable._sharded_variable is None else variable._sharded_variable
