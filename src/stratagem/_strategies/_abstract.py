"""AbstractStrategy: the base class of strategies, whose methods are written once for any mesh."""

import abc
import contextlib
import functools
from collections.abc import Callable, Hashable, Sequence
from types import TracebackType
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import keras

from stratagem._autograph import converted
from stratagem._base.errors import ContextError, InvalidArgumentError, MixedStrategiesError, ReductionError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._cluster import ClusterResolver
from stratagem._core.context import change, current, recording
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.reduce_op import ReduceOp
from stratagem._core.reduce_op import reduce_op as parse_op
from stratagem._core.step import (
    Function,
    FunctionReaderCache,
    IdentityKey,
    check_even,
    components,
    execute,
    execute_undecorated,
    gather_value,
    reduce_value,
    run_eagerly,
    run_replicas,
    runs_replicas_eagerly,
    update_components,
)
from stratagem._core.values import (
    Placement,
    Separate,
    ShardedPlacement,
    is_per_replica,
    map_structure,
    on_read,
    per_replica,
    placement_of,
    storage,
)
from stratagem._data import (
    DistributedDataset,
    DistributedDatasetFromFunction,
    InputContext,
    InputOptions,
    ValueContext,
    as_dataset,
    place,
    to_numpy,
)
from stratagem._private import KerasVariable, has_open_shape
from stratagem._strategies._extended import StrategyExtended
from stratagem._strategies._strategy_table import strategy_table


class Scope(contextlib.AbstractContextManager["AbstractStrategy"]):
    """`strategy.scope()`: cross-replica context; variables created inside belong to the strategy. Can be entered repeatedly."""

    def __init__(self, strategy: "AbstractStrategy") -> None:
        self._strategy = strategy
        self._outer: list[dict[str, Any]] = []

    def __enter__(self) -> "AbstractStrategy":
        before = current()
        if before.replica is not None:
            raise _needs_cross_replica("strategy.scope()")
        _check_same(before.strategy, self._strategy)
        self._outer.append(change(strategy=self._strategy, crossing=True, chosen=False))
        return self._strategy

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if current().strategy is not self._strategy:
            raise ContextError("Strategy scopes must be left in the reverse order of entering them.")
        change(**self._outer.pop())


def _needs_cross_replica(what: str) -> ContextError:
    return ContextError(
        f"{what} is called inside a replica function. Method requires being in cross-replica context, use "
        "get_replica_context().merge_call(), or call it outside of strategy.run."
    )


def _check_same(active: Any, strategy: Any) -> None:
    if active is not None and active is not strategy:
        raise MixedStrategiesError(
            f"Mixing different tf.distribute.Strategy objects: {active} is not {strategy}. Leave the scope of the first."
        )


@exported("distribute.Strategy")
class AbstractStrategy(abc.ABC):
    """A distribution of state and computation over replicas, as `tf.distribute.Strategy`.

    A final class says which devices hold the replicas (`mesh`); everything else follows from that.
    """

    # Whether servers hold the variables, and make their initial values.
    remote_variables: ClassVar[bool] = False
    # Whether replicas have copies of each variable. With one replica, too, operations that copies cannot do are refused.
    mirrored: ClassVar[bool] = False
    # Whether every replica keeps one shard of each slot of an optimizer.
    shards_optimizer_state: bool = False

    @property
    @abc.abstractmethod
    def mesh(self) -> ReplicaMesh:
        """The devices of the replicas."""

    @functools.cached_property
    def seed_generators(self) -> dict[keras.random.SeedGenerator, keras.random.SeedGenerator]:
        """This strategy's own seed generators, by the generators of other strategies that they replace."""
        return {}

    @functools.cached_property
    def function_caches(self) -> dict[Hashable, Any]:
        """The caches of functions that ran under this strategy, with their programs, by code and captured variables."""
        return {}

    @functools.cached_property
    def reads(self) -> FunctionReaderCache:
        """The objects that undecorated functions which ran under this strategy read."""
        return FunctionReaderCache()

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas over all workers whose gradients are summed."""
        return self.mesh.num_replicas

    @property
    def cluster_resolver(self) -> ClusterResolver | None:
        """The cluster resolver; None, because this strategy has one worker."""
        return None

    @property
    def non_finite(self) -> str:
        """The reaction to a NaN or an infinity in the variables: `warn`, `stop` or `ignore`.

        The initial value is that of STRATAGEM_NON_FINITE, else `warn`: `fit` warns of a loss that is not finite, and
        saving warns of such values. `stop` checks all variables that a step writes; a later step (the second at the
        latest) or the end of the epoch raises `NonFiniteError`, a `tf.errors.InvalidArgumentError`, on all workers.
        Variables on parameter servers never get such a value, whatever the setting. Setting another word raises
        InvalidArgumentError.
        """
        return self.mesh.non_finite.policy

    @non_finite.setter
    def non_finite(self, policy: str) -> None:
        self.mesh.non_finite.policy = policy

    @property
    def extended(self) -> StrategyExtended:
        """The devices of the strategy, and updates of a variable's component on each replica."""
        return StrategyExtended(self)

    def placement(self, slot_of: keras.Variable | None = None) -> Placement:
        """Returns the placement of a variable that is created now. slot_of: a variable whose location it has to share."""
        several = self.shards_optimizer_state and self.mesh.num_replicas > 1
        in_shards = several and slot_of is not None and slot_of.shape.rank != 0 and not has_open_shape(slot_of)
        return ShardedPlacement(self.mesh, self) if in_shards else Placement(self.mesh, self)

    def scope(self) -> Scope:
        """Returns a context manager; create the model, optimizer, metrics and checkpoint inside it."""
        return Scope(self)

    def run(
        self,
        fn: UserFunction,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls `fn` on every replica, as one compiled program.

        Each replica gets its own part of the PerReplica values in `args` and `kwargs`; other values are passed as they are.
        Returns the structure that `fn` returns, with a PerReplica for every tensor in it (the tensor itself if there is one
        replica). Raises ValueError if `args` is no list or tuple; ContextError inside a replica.
        """
        if not isinstance(args, list | tuple):
            raise ValueError(
                f"strategy.run: positional args must be a list or tuple, got {type(args).__name__}: {args!r}."
            )
        if not callable(fn):
            raise TypeError(f"strategy.run needs a function, got {fn!r}.")
        self._enter("strategy.run")
        if current().recorder is not None:
            return run_replicas(self, converted(fn), args, kwargs or {})

        if runs_replicas_eagerly(self):
            with self.scope():
                return run_eagerly(self, fn, args, dict(kwargs or {}))

        # As in TF, where an undecorated function runs again at every call, and a decorated one keeps the traced settings.
        follows = not isinstance(fn, Function)

        def body(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            recording().follows_settings = follows
            return run_replicas(self, converted(fn), args, kwargs)

        name = f"strategy.run({getattr(fn, '__name__', fn)})"
        with self.scope():
            return execute_undecorated(
                self.reads, fn, body, (IdentityKey(self), "run"), name, args, dict(kwargs or {}), self.mesh
            )

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Reduces every PerReplica in the structure `value` over the replicas, by sum or mean, to one local tensor each.

        axis: also reduces this dimension of every replica's value (the mean then counts rows: sum of sums / sum of
        counts). Raises ReductionError for SUM of a value that is not per replica; InvalidArgumentError for unequal
        shapes and axis None.
        """
        op = parse_op(reduce_op)
        self._enter("strategy.reduce")
        if current().recorder is not None:
            return map_structure(lambda leaf: reduce_value(self, op, leaf, axis), value)
        return map_structure(lambda leaf: self._reduce_leaf(op, leaf, axis), value)

    def owns(self, variable: keras.Variable) -> bool:
        """Returns whether a variable was created in the strategy's scope."""
        placement = placement_of(variable)
        return placement is not None and placement.strategy is self

    def update_variable(
        self, variable: keras.Variable, fn: UserFunction, args: Sequence[Any], kwargs: dict[str, Any], group: bool
    ) -> Any:
        """Calls `fn(variable, *args, **kwargs)` of its component on every replica, as `strategy.extended.update` says."""
        several = self.mesh.num_replicas > 1
        if not isinstance(variable, KerasVariable) or (several and not self.owns(variable)):
            raise ValueError(
                f"strategy.extended.update: {variable!r:.100} is no variable that was created in the scope of {self}."
            )
        if (replica := current().replica) is not None:
            merged = [variable, fn, list(args), dict(kwargs), group]
            return replica.merge_call(lambda strategy, *given: strategy.update_variable(*given), merged)
        found = self._updated(variable, fn, args, kwargs) if several else fn(variable, *args, **kwargs)
        count = len(self.mesh.local_ids)
        return found if group else map_structure(lambda v: v.values if is_per_replica(v) else (v,) * count, found)

    def _updated(self, variable: keras.Variable, fn: UserFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if current().recorder is not None:
            return update_components(self, variable, converted(fn), args, kwargs)

        def body(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            return update_components(self, args[0], converted(fn), args[1:], kwargs)

        name, given = f"strategy.extended.update({getattr(fn, '__name__', fn)})", [variable, *args]
        with self.scope():
            return execute_undecorated(
                self.reads, fn, body, (IdentityKey(self), "update"), name, given, kwargs, self.mesh
            )

    def gather(self, value: Any, axis: int) -> Any:
        """Concatenates the replicas' values along `axis` (their sizes may differ there), in replica order."""
        if current().replica is not None:
            raise ContextError(
                "strategy.gather is called inside a replica function; use replica_context.all_gather there."
            )
        self._enter("strategy.gather")
        return map_structure(lambda leaf: self._gather_leaf(leaf, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the values of this worker's replicas, as a tuple with one structure for each replica."""
        leaves, structure = jax.tree.flatten(value, is_leaf=is_per_replica)
        leaves = [self._copies(v) if isinstance(v, KerasVariable) else v for v in leaves]
        if not any(map(is_per_replica, leaves)):
            return (value,)
        columns = [v.values if is_per_replica(v) else (v,) * len(self.mesh.local_ids) for v in leaves]
        return tuple(jax.tree.unflatten(structure, row) for row in zip(*columns, strict=True))

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None, *, batch_size: int | None = None
    ) -> Any:
        """Returns a dataset whose batches are global: each is cut into one piece for each replica.

        dataset: a `tf.data.Dataset`, or a dataset of another library: NumPy arrays, Grain, Hugging Face, torch, any
        iterable. Without `batch_size` its elements are global batches; with it they are examples, and this many make a
        global batch. Raises TypeError for an object that cannot be iterated, ValueError for elements without rows.
        """
        self._enter("strategy.experimental_distribute_dataset")
        return DistributedDataset(as_dataset(dataset, batch_size), self._input_context, self.mesh, options)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None = None
    ) -> Any:
        """Returns a dataset of per-replica batches, made by `dataset_fn(input_context)`: each replica takes one in a step."""
        self._enter("strategy.distribute_datasets_from_function")
        return DistributedDatasetFromFunction(dataset_fn, self._input_context, self.mesh, options)

    def experimental_distribute_values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        """Calls `value_fn(value_context)` for every local replica; returns the results as a structure of PerReplica values.

        With one replica, returns the result itself. Values that are no tensors stay the objects that they are.
        """
        self._enter("strategy.experimental_distribute_values_from_function")
        if not callable(value_fn):
            raise TypeError(f"value_fn must be a function of a ValueContext, got {value_fn!r:.100}.")
        contexts = [ValueContext(i, self.num_replicas_in_sync) for i in self.mesh.local_ids]
        made = [value_fn(context) for context in contexts]
        return made[0] if self.num_replicas_in_sync == 1 else map_structure(lambda *v: self._per_replica(v), *made)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def shards_of(self, shape: Sequence[int], dtype: Any) -> int:
        """Returns the number of shards along dimension 0 of a new variable."""
        return 1

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x} with {self.num_replicas_in_sync} replica(s)>"

    def _repr_html_(self) -> str:
        return strategy_table(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> "AbstractStrategy":
        return self

    def __copy__(self) -> "AbstractStrategy":
        raise ContextError("Must only deepcopy a strategy: a shallow copy would share its variables.")

    @property
    def _input_context(self) -> InputContext:
        """This process' position among those that read input."""
        return InputContext(1, 0, self.num_replicas_in_sync)

    def _per_replica(self, values: Sequence[Any]) -> Any:
        """Returns one value for each local replica: on the devices if all can become tensors, else the objects themselves."""
        try:
            return place([to_numpy(value) for value in values], self.mesh)
        except TypeError:
            return Separate(values)

    def _enter(self, what: str) -> None:
        """Raises unless the calling context allows a cross-replica method of this strategy."""
        context = current()
        if context.replica is not None:
            raise _needs_cross_replica(what)
        _check_same(context.strategy, self)

    def _execute(self, body: Callable[..., Any], key: Any, name: str, *args: Any) -> Any:
        with self.scope():
            return execute(body, (IdentityKey(self), *key), name, args, {}, self.mesh)

    def _reduce_leaf(self, op: ReduceOp, value: Any, axis: int | None) -> Any:
        if isinstance(value, KerasVariable):
            return self._reduce_variable(op, value, axis)
        if is_per_replica(value):
            if axis is None and isinstance(value, Separate):
                check_even(value)
            body = _reducer(self, op, axis)
            return self._execute(body, ("reduce", op, axis), "strategy.reduce", value)
        if axis is None and op is ReduceOp.SUM and self.num_replicas_in_sync > 1:
            raise ReductionError(
                f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {op}: it is not known "
                "which replica it belongs to. Return it from strategy.run first, or use ReduceOp.MEAN."
            )
        return value if axis is None else self._execute(_reducer(self, op, axis), ("reduce", op, axis), "reduce", value)

    def _copies(self, variable: Any) -> Any:
        """Returns the value of a variable on every replica; a variable of no strategy as it is."""
        placement = placement_of(variable)
        if placement is None or placement.mesh.num_replicas == 1:
            return variable
        if current().recorder is not None:
            found = components(self, variable)
            return found if is_per_replica(found) else Separate([found] * len(self.mesh.local_ids))
        if on_read(variable):
            with storage:
                return per_replica(self.mesh.unstack(variable._value), self.mesh)
        return per_replica([variable.value] * len(self.mesh.local_ids), self.mesh)

    def _reduce_variable(self, op: ReduceOp, variable: Any, axis: int | None) -> Any:
        placement = placement_of(variable)
        if placement is not None and on_read(variable):
            return self._reduce_leaf(op, per_replica(self.mesh.unstack(variable._value), self.mesh), axis)
        return self._reduce_leaf(op, variable.value, axis)

    def _gather_leaf(self, value: Any, axis: int) -> Any:
        if current().recorder is not None:
            return gather_value(self, value, axis)
        if isinstance(value, Separate):
            return _concatenate(value, axis, self.mesh.local_devices[0])
        if not is_per_replica(value):
            return value
        return self._execute(lambda leaf: gather_value(self, leaf, axis), ("gather", axis), "strategy.gather", value)


def _reducer(strategy: AbstractStrategy, op: ReduceOp, axis: int | None) -> Callable[[Any], Any]:
    return lambda value: reduce_value(strategy, op, value, axis)


def _concatenate(value: Separate, axis: int, device: jax.Device) -> jax.Array:
    """Concatenates values that may differ in size along `axis` only."""
    shapes = [tuple(v.shape) for v in value.values]
    if not shapes[0] or not 0 <= axis < len(shapes[0]):
        raise ValueError(
            f"gather along axis {axis}: the values have shapes {shapes}; axis must be one of their dimensions."
        )
    rest = {(*s[:axis], *s[axis + 1 :]) for s in shapes}
    if len(rest) > 1:
        raise InvalidArgumentError(
            f"gather along axis {axis}: the values may differ in that dimension only, got {shapes}."
        )
    return jnp.concatenate([jax.device_put(v, device) for v in value.values], axis)
