"""PerReplicaComposite: a ragged or sparse tensor for each replica."""

from typing import Any, final

import jax

from stratagem._core.values._composite_tensor import CompositeTensor
from stratagem._core.values._per_replica import DistributedValues, is_per_replica


@final
class PerReplicaComposite(DistributedValues):
    """A composite tensor for each replica, as one that has a PerReplica for every tensor that it is made of.

    These PerReplica are the leaves of its JAX tree. Where a replica's own tensors take their places, in `strategy.run` for
    example, the tree is no longer this one, but the replica's composite tensor.
    """

    def __init__(self, composite: CompositeTensor) -> None:
        self._composite = composite

    @property
    def values(self) -> tuple[Any, ...]:
        """The composite tensors of this process' replicas, in replica order."""
        leaves, structure = jax.tree.flatten(self._composite, is_leaf=is_per_replica)
        rows = zip(*(leaf.values for leaf in leaves), strict=True)
        return tuple(jax.tree.unflatten(structure, row) for row in rows)

    def __repr__(self) -> str:
        rows = "".join(f"\n  {i}: {v}" for i, v in enumerate(self.values))
        return f"PerReplica:{{{rows}\n}}"


def _children(value: PerReplicaComposite) -> tuple[tuple[CompositeTensor], None]:
    return (value._composite,), None


def _from_children(nothing: None, children: Any) -> Any:
    (composite,) = children
    leaves = jax.tree.leaves(composite, is_leaf=is_per_replica)
    return PerReplicaComposite(composite) if any(map(is_per_replica, leaves)) else composite


jax.tree_util.register_pytree_node(PerReplicaComposite, _children, _from_children)


def with_per_replica_composites(result: Any) -> Any:
    """Returns a structure with its composite tensors that are made of PerReplica as PerReplicaComposite."""

    def is_leaf(value: Any) -> bool:
        return isinstance(value, CompositeTensor | PerReplicaComposite) or is_per_replica(value)

    return jax.tree.map(
        lambda v: _from_children(None, [v]) if isinstance(v, CompositeTensor) else v, result, is_leaf=is_leaf
    )
