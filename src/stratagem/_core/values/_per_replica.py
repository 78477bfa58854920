"""PerReplica: one value for each replica, as one array over the mesh, as separate arrays, or inside a trace."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

import jax

from stratagem._base.errors import ContextError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.mesh import ReplicaMesh, exact
from stratagem._private import movable

Shape = tuple[int, ...]

_NO_TENSOR = (
    "A PerReplica object holds one value per replica and is no tensor outside a replica. "
    "Use it inside strategy.run, or take strategy.reduce(...), strategy.gather(...) or .values of it."
)


@exported("distribute.DistributedValues")
class DistributedValues(abc.ABC):
    """Base of values that exist once for each replica (TensorFlow: `tf.distribute.DistributedValues`)."""

    @property
    @abc.abstractmethod
    def values(self) -> tuple[Any, ...]:
        """The values of this process' replicas, in replica order."""


class PerReplica(DistributedValues):
    """One value for each replica. Abstract: see `Stacked`, `Separate` and, inside a trace, `TracedPerReplica`.

    It is no tensor: pass it to `strategy.run`, or use `values`, `strategy.reduce` or `strategy.gather`.
    """

    # Its subclasses, for `is_per_replica`: every step calls it several times for every argument, and isinstance with an
    # abstract class is slow.
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
    """Values of equal shapes, as one array of shape (replicas, ...) that is split over the mesh."""

    def __init__(self, array: jax.Array, mesh: ReplicaMesh) -> None:
        self.array = array
        self.mesh = mesh

    @property
    def values(self) -> tuple[jax.Array, ...]:
        return self.mesh.unstack(self.array)


class Separate(PerReplica):
    """Values that may differ in rows, as one array for each local replica, on the replica's device but not committed to it.

    shapes: of the values of all replicas of the job, by replica; by default all replicas are in this process.
    """

    def __init__(self, values: Sequence[jax.Array], shapes: Sequence[Shape] | None = None) -> None:
        self._values = tuple(map(movable, values))
        self._shapes = shapes

    @property
    def values(self) -> tuple[jax.Array, ...]:
        return self._values

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes of the values of all replicas of the job."""
        return tuple(tuple(v.shape) for v in self._values) if self._shapes is None else tuple(self._shapes)


def per_replica(values: Sequence[Any], mesh: ReplicaMesh, shapes: Sequence[Shape] | None = None) -> PerReplica:
    """Returns one value for each local replica (arrays on any device, or NumPy) as the cheapest PerReplica that holds them.

    shapes: of the values of all replicas of the job, if known; by default the workers exchange them.
    """
    if shapes is None:
        answers = mesh.job.agree("the shapes of per-replica values", [list(v.shape) for v in values])
        shapes = [tuple(shape) for worker in answers for shape in worker]
    if len(set(shapes)) == 1 and len({v.dtype for v in values}) == 1:
        return Stacked(mesh.stack(list(values)), mesh)
    placed = [jax.device_put(exact(v), d) for v, d in zip(values, mesh.local_devices, strict=True)]
    return Separate(placed, shapes)


def is_per_replica(value: Any) -> bool:
    """Returns whether a value is a PerReplica; as `is_leaf`, it makes these leaves of a structure."""
    return type(value) in PerReplica.kinds


def map_structure(function: UserFunction, *trees: Any) -> Any:
    """Calls `jax.tree.map` with PerReplica objects and None as leaves."""
    return jax.tree.map(function, *trees, is_leaf=lambda v: v is None or is_per_replica(v))
