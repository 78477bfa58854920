"""Names of `tf1.tpu` that model_fns for TPUs use: CrossShardOptimizer, sums over replicas, variables in bfloat16."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, final

import jax.numpy as jnp

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.reduce_op import ReduceOp
from stratagem._ops import Tensor, tensor
from stratagem._strategies import get_replica_context
from stratagem._tf1.graph import Operation, current_building, variable_scope
from stratagem._tf1.graph.losses import Reduction
from stratagem._tf1.graph.train import Optimizer


@exported(v1=["tpu.CrossShardOptimizer"])
@final
class CrossShardOptimizer:
    """`tf.compat.v1.tpu.CrossShardOptimizer`: an optimizer whose gradients are those of all shards together.

    Optimizers of tf1.train sum their gradients over replicas anyway, so this one only says whether the loss is a mean over
    shards. On one device it is the optimizer itself. opt: an optimizer of tf1.train. reduction: MEAN, or SUM.

    Raises ValueError for another reduction, TypeError for another optimizer, UnimplementedError for group_assignment.
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: Sequence[Sequence[int]] | None = None,
    ) -> None:
        if reduction not in (Reduction.SUM, Reduction.MEAN):
            raise ValueError(
                f"Argument `reduction` should be one of {(Reduction.SUM, Reduction.MEAN)}. Received: {reduction}"
            )
        if not isinstance(opt, Optimizer):
            raise TypeError(
                f"CrossShardOptimizer only works with an optimizer of tf.compat.v1.train. Received: {opt!r}. Optimizers of "
                "Keras sum gradients over replicas themselves."
            )
        if group_assignment is not None:
            raise UnimplementedError(
                f"CrossShardOptimizer: group_assignment={group_assignment} is not provided; gradients are summed over all "
                "shards."
            )
        self._opt, self._reduction, self._name = opt, reduction, name

    def compute_gradients(
        self, loss: Any, var_list: Sequence[Any] | None = None, **kwargs: Any
    ) -> list[tuple[Any, Any]]:
        """Returns (gradient, variable) of this shard's part of the loss, for every variable."""
        current_building().loss_reduction = self._reduction
        return self._opt.compute_gradients(loss, var_list, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: str | None = None
    ) -> Operation:
        """Returns the operation that applies gradients, summed over shards, and adds one to `global_step`."""
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Sequence[Any] | None = None,
        gate_gradients: int = 1,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """Returns the operation that minimizes `loss` and adds one to `global_step`."""
        current_building().loss_reduction = self._reduction
        return self._opt.minimize(loss, global_step, var_list, name=name, grad_loss=grad_loss)

    def get_name(self) -> str:
        """Returns the name."""
        return self._name

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a slot of the optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        """Returns the names of the optimizer's slots."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """Returns all slots of the optimizer."""
        return self._opt.variables()


@exported(v1=["tpu.cross_replica_sum"])
def cross_replica_sum(x: Any, group_assignment: Any = None, name: str | None = None) -> Tensor:
    """Returns the sum of a tensor over all replicas; outside of one, the tensor. Raises UnimplementedError for groups."""
    if group_assignment is not None:
        raise UnimplementedError("tf.compat.v1.tpu.cross_replica_sum: group_assignment is not provided.")
    context = get_replica_context()
    if current().replica is None or context is None:
        return tensor(x)
    summed: Tensor = context.all_reduce(ReduceOp.SUM, tensor(x))
    return summed


@exported(v1=["tpu.bfloat16_scope"])
@contextlib.contextmanager
def bfloat16_scope(name: str | None = None) -> Iterator[Any]:
    """Opens a variable scope whose variables are float32, and which `get_variable` returns as bfloat16 where it is asked to.

    Layers whose inputs are bfloat16 compute in it, and gradients are those of the float32 variables.
    """

    def getter(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("dtype") != jnp.bfloat16:
            return getter(*args, **kwargs)
        return tensor(getter(*args, **{**kwargs, "dtype": jnp.float32})).astype(jnp.bfloat16)

    with variable_scope("" if name is None else name, custom_getter=getter) as scope:
        yield scope
