"""The default strategy, and functions on the current context: get_strategy, has_strategy, get_replica_context and others."""

from collections.abc import Callable, Sequence
from typing import Any, cast, final

import keras

from stratagem._autograph import converted
from stratagem._base.errors import ContextError
from stratagem._base.exports import exported
from stratagem._core.context import Context, change, current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.reduce_op import reduce_op as parse_op
from stratagem._core.step import Function, ReplicaContext, default_mesh, execute_undecorated, reduce_rows
from stratagem._core.values import map_structure, placement_of
from stratagem._data import InputContext, InputOptions, as_dataset
from stratagem._strategies._abstract import AbstractStrategy, Scope


@final
class DefaultStrategy(AbstractStrategy):
    """The strategy in use when no other is: one replica on JAX's default device. Most methods do nothing."""

    @property
    def mesh(self) -> ReplicaMesh:
        return default_mesh()

    def owns(self, variable: keras.Variable) -> bool:
        placement = placement_of(variable)
        return placement is None or placement.strategy in (None, self)

    def scope(self) -> Any:
        """Returns a context that mostly does nothing: code inside stays in the default replica context."""
        return _DefaultScope(self)

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        options: Any = None,
    ) -> Any:
        """Calls `fn` as one compiled program on the default device."""
        if not isinstance(args, list | tuple):
            raise ValueError(
                f"strategy.run: positional args must be a list or tuple, got {type(args).__name__}: {args!r}."
            )
        if current().recorder is not None:
            return converted(fn)(*args, **(kwargs or {}))
        name = f"run({getattr(fn, '__name__', fn)})"

        follows = not isinstance(fn, Function)

        def body(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            if (recorder := current().recorder) is not None:
                recorder.follows_settings = follows
            return converted(fn)(*args, **kwargs)

        return execute_undecorated(self.reads, fn, body, ("default run",), name, args, dict(kwargs or {}), self.mesh)

    def reduce(self, reduce_op: Any, value: Any, axis: int | None) -> Any:
        """Returns the value itself, whatever the op; with an axis, its sum or mean along it."""
        op = parse_op(reduce_op)
        return value if axis is None else map_structure(lambda leaf: reduce_rows(op, leaf, axis), value)

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None, *, batch_size: int | None = None
    ) -> Any:
        """Returns the dataset itself, as a `tf.data.Dataset`."""
        return as_dataset(dataset, batch_size)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None = None
    ) -> Any:
        """Returns `dataset_fn(InputContext())` itself."""
        return dataset_fn(InputContext())

    def _enter(self, what: str) -> None:
        return


class _DefaultScope(Scope):
    """The scope of the default strategy; inside another strategy's scope, entering it raises the error of mixed strategies."""

    def __enter__(self) -> AbstractStrategy:
        if current().strategy is not None:
            return super().__enter__()
        return self._strategy

    def __exit__(self, *error: object) -> None:
        return


_DEFAULT = DefaultStrategy()
_DEFAULT_REPLICA = ReplicaContext(_DEFAULT, outside=True)


@exported("distribute.get_strategy")
def get_strategy() -> AbstractStrategy:
    """Returns the strategy whose scope or replica function the calling code is in; else the default strategy."""
    strategy = current().strategy
    return _DEFAULT if strategy is None else cast(AbstractStrategy, strategy)


@exported("distribute.has_strategy")
def has_strategy() -> bool:
    """Returns True inside a scope or a replica of a strategy other than the default one."""
    return current().strategy is not None


@exported("distribute.in_cross_replica_context")
def in_cross_replica_context() -> bool:
    """Returns True inside `strategy.scope()` but not inside `strategy.run`."""
    return current().crossing


@exported("distribute.get_replica_context")
def get_replica_context() -> ReplicaContext | None:
    """Returns the replica's context in `strategy.run`, None in cross-replica context, a default one outside of strategies."""
    context = current()
    if context.crossing:
        return None
    return _DEFAULT_REPLICA if context.replica is None else cast(ReplicaContext, context.replica)


@exported("distribute.experimental_set_strategy")
def experimental_set_strategy(strategy: AbstractStrategy | None) -> None:
    """Makes a strategy current without a `with` block; None restores the default one.

    Raises ContextError inside a scope or a replica.
    """
    context = current()
    if context.replica is not None or _is_scoped(context):
        raise ContextError("Must not be called inside a `tf.distribute.Strategy` scope.")
    chosen = strategy is not None
    change(strategy=strategy, crossing=chosen, chosen=chosen)


def _is_scoped(context: Context) -> bool:
    return context.strategy is not None and not context.chosen
