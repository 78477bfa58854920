"""PerReplica: one value a replica, as one array over the mesh, as separate arrays, or inside a trace."""

import abc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

import jax

from stratagem._base.errors import ContextError
from stratagem._core.mesh import ReplicaMesh, exact
from stratagem._private import movable

Shape = tuple[int, ...]

_NO_TENSOR = (
    "A PerReplica object holds one value per replica and is no tensor outside a replica. "
    "Use it inside strategy.run, or take strategy.reduce(...), strategy.gather(...) or .values of it."
)


class DistributedValues(abc.ABC):
    """Base of values that exist once a replica (TensorFlow: `tf.distribute.DistributedValues`)."""

    @property
    @abc.abstractmethod
    def values(self) -> tuple[Any, ...]:
        """The values of this process's replicas, in replica order."""


class PerReplica(DistributedValues):
    """One value a replica. Abstract: see `Stacked` and `Separate`, and the step's own kind inside a trace.

    It is no tensor: pass it to `strategy.run`, or read `values`, `strategy.reduce` or `strategy.gather`.
    """

    # Its subclasses: every step asks this of every argument several times, and an abstract class is slow to answer.
    kinds: ClassVar[set[type]] = set()

    def __init_subclass__(cls) -> None:
        cls.kinds.add(cls)

    def __repr__(self) -> str:
        rows = "".join(f"\n  {i}: {v}" for i, v in enumerate(self.values))
        return f"PerReplica:{{{rows}\n}}"

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ContextError(_NO_TENSOR)

    def _refuse_operator(self, *_: Any) -> NoReturn:
        raise TypeError(_NO_TENSOR)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"PerReplica has no attribute {name!r}. {_NO_TENSOR}")

    __jax_array__ = __array__ = __bool__ = __float__ = __int__ = _refuse
    __len__ = __iter__ = __getitem__ = __neg__ = _refuse_operator
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse_operator


class Stacked(PerReplica):
    """Backed by one array of shape (replicas, ...), split over the mesh: equal shapes on all replicas."""

    def __init__(self, array: jax.Array, mesh: ReplicaMesh) -> None:
        self.array = array
        self.mesh = mesh

    @property
    def values(self) -> tuple[jax.Array, ...]:
        return self.mesh.unstack(self.array)


class Separate(PerReplica):
    """Backed by one array a local replica, each on its replica's device but free to move; shapes may differ in rows.

    shapes: of the values of all replicas of the job, by replica; without them all replicas are here.
    """

    def __init__(self, values: Sequence[jax.Array], shapes: Sequence[Shape] | None = None) -> None:
        self._values = tuple(map(movable, values))
        self._shapes = shapes

    @property
    def values(self) -> tuple[jax.Array, ...]:
        return self._values

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Of the values of all replicas of the job."""
        return tuple(tuple(v.shape) for v in self._values) if self._shapes is None else tuple(self._shapes)


def per_replica(values: Sequence[Any], mesh: ReplicaMesh, shapes: Sequence[Shape] | None = None) -> PerReplica:
    """One value a local replica (arrays on any device, or NumPy), as the cheapest PerReplica that holds them.

    shapes: of the values of all replicas of the job, where this is known; without them the other workers are asked.
    """
    if shapes is None:
        given = mesh.job.agree("the shapes of per-replica values", [list(v.shape) for v in values])
        shapes = [tuple(shape) for worker in given for shape in worker]
    if len(set(shapes)) == 1 and len({v.dtype for v in values}) == 1:
        return Stacked(mesh.stack(list(values)), mesh)
    placed = [jax.device_put(exact(v), d) for v, d in zip(values, mesh.local_devices, strict=True)]
    return Separate(placed, shapes)


def is_per_replica(value: Any) -> bool:
    """For use as `is_leaf`: a PerReplica is one leaf of a structure."""
    return type(value) in PerReplica.kinds


def map_structure(function: Callable[..., Any], *trees: Any) -> Any:
    """`jax.tree.map` with PerReplica objects and None as leaves."""
    return jax.tree.map(function, *trees, is_leaf=lambda v: v is None or is_per_replica(v))
