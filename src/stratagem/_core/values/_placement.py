"""Placement: how a variable lies on a mesh, and how it is read and assigned outside of a step."""

import contextlib
import hashlib
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.errors import ClusterError, MixedStrategiesError, ReductionError
from stratagem._core.context import current, entered
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.roles import Strategy
from stratagem._core.values._initial_value import RowsInitializer
from stratagem._core.values._initializer_program import InitializerProgram
from stratagem._core.values._on_read import add_to_each, aggregate, on_read, shares
from stratagem._private import (
    OutsideOfTraces,
    in_stateless_scope,
    initialized,
    intercept_slots,
    intercept_variables,
    is_seed_state,
    makes_seed_state,
    shape_of,
    store,
    stored,
)

_log = logging.getLogger("stratagem")

# Held while stored arrays are read or replaced: a step donates the arrays that it reads, and another thread must not use them.
storage = threading.RLock()


@dataclass(frozen=True, eq=False)
class Placement:
    """The location of a variable: here, on a mesh. Subclasses are for other locations.

    mesh: its devices. A mirrored variable has a copy on each; a sync-on-read one has a slot of its own on each.
    strategy: the strategy in whose scope it was created; None for a variable that a compiled step adopted.
    """

    mesh: ReplicaMesh
    strategy: Strategy | None

    # Whether the value lies, and is updated, in another process or on a server: a step requests it and sends its change.
    remote: ClassVar[bool] = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a variable that a compiled step adopted as one that no step has used."""
        if self.strategy is not None:
            raise TypeError(
                "A variable of a strategy cannot be pickled: it would lose its copies. Pickle its value (`v.numpy()`), or save "
                "it with tf.train.Checkpoint."
            )
        return type(None), ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Placement":
        return self

    def read(self, variable: keras.Variable) -> jax.Array:
        """Returns the value for code outside of a step: a local array that no later step can delete, without waiting."""
        with storage:
            array = stored(variable)
            if not on_read(variable):
                return self.mesh.own_first(array)
            # With several workers, this is a collective. Where Keras traces a layer to learn its shapes, the slots are values.
            with self.mesh.job.waiting(), OutsideOfTraces():
                return self.mesh.first(aggregate(variable, array))

    @contextlib.contextmanager
    def lent(self, variable: keras.Variable) -> Iterator[np.ndarray | None]:
        """Yields the value in the host's memory, on a CPU no copy, while no step can delete it; None if it has to be read."""
        with storage:
            here = not self.remote and not on_read(variable)
            yield np.asarray(self.mesh.first(stored(variable))) if here else None

    def place(self, variable: keras.Variable, value: Any) -> Any:
        """Distributes a new value, as TF assigns in a cross-replica context. Returns what the variable stores."""
        first = not initialized(variable)
        if first and self.strategy is not None:
            value = _chiefs_value(variable, value, self.mesh)
        return self.laid_out(variable, value, first=first)

    def laid_out(self, variable: keras.Variable, value: Any, *, first: bool) -> Any:
        """Returns a value as the variable stores it. first: it is the initial one."""
        if not on_read(variable):
            return self.mesh.replicate(value, own=True)
        # As in TF, every replica of a new variable starts from the initial value.
        replicas = self.mesh.num_replicas
        parts = [value] * replicas if first else shares(variable, value, replicas)
        return self.mesh.stack([np.asarray(parts[i]) for i in self.mesh.local_ids], own=True)

    def make(self, initializer: InitializerProgram, start: int, rows: int) -> Any:
        """Makes these rows of an initializer's value for a new variable. Returns what the variable stores."""
        raise NotImplementedError(f"{type(self).__name__}: values are assigned here.")

    def add(self, variable: keras.Variable, amount: Any, sign: int) -> bool:
        """Adds to the value where it lies, in one operation, outside of a compiled step.

        Returns False if the caller has to read, add and assign. As in TF, every slot of a sync-on-read variable gets
        the whole amount.
        """
        if not on_read(variable) or variable.aggregation == "sum" or self.mesh.num_replicas == 1:
            return False
        amount = jnp.broadcast_to(jnp.asarray(amount, dtype=variable._dtype), shape_of(variable))
        with storage:
            slots = stored(variable)
            store(variable, add_to_each(slots, self.mesh.replicate(amount if sign > 0 else -amount)))
        return True


def placement_of(variable: keras.Variable) -> Placement | None:
    """Returns the variable's placement; None as long as only Keras has used it."""
    placement: Placement | None = variable._placement
    return placement


def is_remote(variable: keras.Variable) -> bool:
    """Returns whether a variable's value lies elsewhere. (Random seeds do not: every worker advances its own.)"""
    placement = placement_of(variable)
    return placement is not None and placement.remote and not is_seed_state(variable)


def adopt(variable: Any, mesh: ReplicaMesh) -> None:
    """Places a variable that belongs to no strategy on `mesh`, so that steps can run on it."""
    if not initialized(variable):
        raise ValueError(f"Variable {variable.path} has no value yet, so no step can use it.")
    value = stored(variable) if placement_of(variable) is None else _read(variable)
    value = _chiefs_value(variable, value, mesh)
    variable._placement = Placement(mesh, None)
    if on_read(variable) and variable.aggregation == "sum":
        # The whole value in the first slot: the sum is exact, and the replicas add to it from zero.
        rest = [jnp.zeros_like(value)] * (len(mesh.local_ids) - 1)
        store(variable, mesh.stack([jnp.copy(value), *rest]))
    else:
        store(variable, _place(variable, value))


def join(variable: keras.Variable) -> None:
    """Makes a variable that belongs to no strategy one of the active scope's strategy, as if it had been created there."""
    value = None
    if initialized(variable):
        value = stored(variable) if placement_of(variable) is None else _read(variable)
    variable._placement = _created(variable)
    if value is not None:
        variable._value = None  # the value assigned next is an initial one, on which the workers agree
        variable._direct_assign(value)


def _created(variable: Any) -> Placement | None:
    context = current()
    if context.recorder is not None:
        context.recorder.create(variable)
    own_seed = context.strategy is not None and context.strategy.remote_variables and makes_seed_state()
    if context.strategy is None or own_seed:  # with servers, every worker has seeds of its own
        return None
    placement: Placement = context.strategy.placement(context.slot_of)
    return placement


def _initialize(variable: Any, initializer: Any) -> Any:
    placement: Any = placement_of(variable)
    if not placement.remote or not variable.shape:
        return initializer
    _check_scope(placement)
    part = initializer if isinstance(initializer, RowsInitializer) else RowsInitializer.of(initializer, variable)
    program = part.initial.program
    if program is None:
        return initializer if part.initial.traced is None else part  # a traced initializer is not run again
    store(variable, placement.make(program, part.start, part.rows))
    return None


def _check_scope(placement: Placement) -> None:
    active = current().strategy
    if active is not None and placement.strategy is not None and active is not placement.strategy:
        raise MixedStrategiesError(
            f"Mixing different tf.distribute.Strategy objects: {active} is not {placement.strategy}. "
            "Use a variable in the scope of the strategy that it was created under, or under none."
        )


def _read(variable: Any) -> jax.Array:
    _check_scope(variable._placement)
    return variable._placement.read(variable)


def _place(variable: Any, value: Any) -> Any:
    _check_scope(variable._placement)
    return variable._placement.place(variable, value)


def _chiefs_value(variable: Any, value: Any, mesh: ReplicaMesh) -> Any:
    """Returns worker 0's initial value of a variable.

    Raises:
        ClusterError: another worker creates another variable at this point.
    """
    job = mesh.job
    if job.workers == 1:
        return value
    array = np.asarray(value)
    mine = [
        variable.path,
        list(array.shape),
        array.dtype.name,
        hashlib.blake2b(array.tobytes(), digest_size=16).hexdigest(),
        repr(array.item()) if array.ndim == 0 else None,
    ]
    answers = job.agree("the initial value of a variable", mine)
    for worker, other in enumerate(answers):
        if other[1:3] != mine[1:3]:
            raise ClusterError(
                f"The workers' models differ: here, on {job.task(job.worker)}, variable {mine[0]} has shape {tuple(mine[1])} "
                f"and dtype {mine[2]}; on {job.task(worker)} it is {other[0]} with shape {tuple(other[1])} and dtype "
                f"{other[2]}. Every worker has to create the same variables in the same order."
            )
    if len({other[3] for other in answers}) == 1:
        return value
    if array.ndim == 0:  # such as a learning rate; larger values are random, and usually differ
        shown = ", ".join(f"{other[4]} on {job.task(worker)}" for worker, other in enumerate(answers))
        _log.warning("The workers' first values of %s differ: %s. All use that of %s.", mine[0], shown, job.task(0))
    return mesh.from_chief(array)


def _add(variable: Any, amount: Any, sign: int) -> bool:
    """Adds in a step, or where the value lies; returns False if the caller has to read, add and assign.

    Raises ReductionError for an addition that has no meaning.
    """
    placement, context = placement_of(variable), current()
    at_once = not in_stateless_scope()
    if context.replica is None and not context.updating and (at_once or context.recorder is not None):
        _check_owner(variable, placement)
    if context.recorder is not None and context.recorder.add(variable, amount, sign):
        return True
    if placement is None or not at_once:
        return False
    _check_scope(placement)
    return placement.add(variable, amount, sign)


def _check_owner(variable: Any, placement: Placement | None) -> None:
    if placement is None or placement.strategy is None or placement.mesh.num_replicas == 1:
        return
    if on_read(variable) and variable.aggregation == "sum":
        raise ReductionError(
            f"{variable.path}: SyncOnReadVariable does not support `assign_add` in cross-replica context when aggregation "
            "is set to SUM (which replica would the amount belong to?). Update it, or its metric, inside strategy.run."
        )


def attach_placements() -> None:
    """Let the variables of a strategy's scope, and their optimizers' slots, be stored and read by their placements."""
    intercept_variables(created=_created, initialize=_initialize, read=_read, place=_place, add=_add)
    intercept_slots(lambda variable: entered(slot_of=variable))
