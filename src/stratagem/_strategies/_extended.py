"""StrategyExtended: facts about a strategy, and updates of a variable's component on each replica."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, final

import keras

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._cluster import ClusterResolver
from stratagem._core.context import entered
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import VariableComponent
from stratagem._devices import device_name
from stratagem._private import KerasVariable

_HERE = "/job:localhost/replica:0/task:0"


class ExtendedStrategy(Protocol):
    """A strategy, as its `extended` needs it."""

    @property
    def mesh(self) -> ReplicaMesh:
        """The devices of the replicas."""

    @property
    def cluster_resolver(self) -> ClusterResolver | None:
        """The cluster resolver, or None."""

    def owns(self, variable: keras.Variable) -> bool:
        """Returns whether a variable was created in the strategy's scope."""

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Reduces a value over the replicas."""

    def update_variable(
        self, variable: keras.Variable, fn: UserFunction, args: Sequence[Any], kwargs: dict[str, Any], group: bool
    ) -> Any:
        """Calls `fn` of the variable's component on every replica."""


@exported("distribute.StrategyExtended")
@final
class StrategyExtended:
    """Facts about a strategy, read-only, and what cross-replica code does with it, as `tf.distribute.StrategyExtended`."""

    __slots__ = ("_strategy",)

    def __init__(self, strategy: ExtendedStrategy) -> None:
        self._strategy = strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The names of the devices that run this process' replicas, in the order of the replicas."""
        resolver = self._strategy.cluster_resolver
        task = None if resolver is None else resolver.task_type
        place = _HERE if resolver is None or task is None else f"/job:{task}/replica:0/task:{resolver.task_id}"
        return tuple(device_name(device).replace(_HERE, place) for device in self._strategy.mesh.local_devices)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of the strategy's variables: those of its replicas."""
        return self.worker_devices

    @property
    def should_checkpoint(self) -> bool:
        """True in the chief, whose files count. (Every worker still has to call `save`.)"""
        return self._strategy.mesh.job.worker == 0

    @property
    def should_save_summary(self) -> bool:
        """True in the chief."""
        return self.should_checkpoint

    @property
    def experimental_require_static_shapes(self) -> bool:
        """False: shapes need not be known."""
        return False

    def update(
        self,
        var: keras.Variable,
        fn: UserFunction,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)` for every replica's component of `var`, in cross-replica code.

        Of a PerReplica in the arguments each component gets its replica's value. Inside `fn`, `var` is read and assigned as
        it is, without aggregation. group: returns the result; else a tuple of the local replicas' results in its place, in
        every leaf. Unlike in TensorFlow, an assignment that would make the copies of a mirrored variable differ is a
        DivergenceError. Raises ValueError if `var` is no variable of the strategy.
        """
        return self._strategy.update_variable(var, fn, args, dict(kwargs or {}), group)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: object, options: object = None) -> Any:
        """Returns `value` reduced over the replicas, as `strategy.reduce(reduce_op, value, axis=None)`: on all devices."""
        return self._strategy.reduce(reduce_op, value, None)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Sequence[tuple[Any, object]], options: object = None
    ) -> list[Any]:
        """Returns `reduce_to` of every pair of a value and its destinations."""
        return [self.reduce_to(reduce_op, value, destinations) for value, destinations in value_destination_pairs]

    def colocate_vars_with(self, colocate_with_variable: keras.Variable) -> contextlib.AbstractContextManager[object]:
        """Returns a context in whose body new variables lie where `colocate_with_variable` does."""
        if not isinstance(colocate_with_variable, KerasVariable):
            raise ValueError(f"colocate_vars_with needs a variable, got {colocate_with_variable!r:.100}.")
        return entered(slot_of=colocate_with_variable)

    def variable_created_in_scope(self, v: keras.Variable) -> bool:
        """Returns whether a variable was created in the strategy's scope; the default strategy has those of no scope."""
        return isinstance(v, KerasVariable) and self._strategy.owns(v)

    def value_container(self, value: Any) -> Any:
        """Returns the variable of which `value` is a replica's component, else `value` itself."""
        return value.variable if isinstance(value, VariableComponent) else value
