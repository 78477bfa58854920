"""Distributed data sets: every step, each replica gets its rows, placed on its device one step ahead."""

import abc
import functools
from collections.abc import Callable
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._context import current
from stratagem._mesh import ReplicaMesh, exact
from stratagem.pipeline._cardinality import INFINITE
from stratagem.pipeline._dataset import Dataset
from stratagem.pipeline._input import InputContext, InputOptions, InputReplicationMode, refuse_per_replica
from stratagem.pipeline._iterator import ElementIterator
from stratagem.pipeline._nest import Array, Nest
from stratagem.pipeline._options import AutoShardPolicy
from stratagem.pipeline._order import State
from stratagem.pipeline._read_ahead import AtOnce, InThread, ReadAheadWalk
from stratagem.pipeline._rebatch import check_batched, cut, piece_spec
from stratagem.pipeline._spec import TensorSpec
from stratagem.pipeline._stage import ParentWalk, Stage, Walk
from stratagem.values import PerReplica, Separate, per_replica


@final
class PerReplicaSpec:
    """The specs of the values of a PerReplica, one a local replica."""

    def __init__(self, *specs: TensorSpec) -> None:
        self.specs = specs

    def __eq__(self, other: object) -> bool:
        return self.specs == other.specs if isinstance(other, PerReplicaSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.specs)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self.specs))})"


@final
class DistributedIterator(ElementIterator[Nest]):
    """Elements of a distributed data set: nests of PerReplica, or of jax.Arrays when there is one replica."""

    def _finish(self, element: Nest) -> Nest:
        return element


class DistributedInput(abc.ABC):
    """Something that gives every replica its input, step by step."""

    def __init__(self, mesh: ReplicaMesh, options: InputOptions | None) -> None:
        self._mesh = mesh
        self._options = options or InputOptions()

    @property
    @abc.abstractmethod
    def stage(self) -> Stage:
        """The plan that is iterated, before it is divided among the replicas."""

    @property
    @abc.abstractmethod
    def element_spec(self) -> Nest:
        """A nest of PerReplicaSpec, or of TensorSpec when there is one replica."""

    @abc.abstractmethod
    def _walk(self) -> Walk:
        """A new walk over placed elements."""

    @property
    def cardinality(self) -> jax.Array:
        """The number of elements of the data set that is distributed, as `Dataset.cardinality`."""
        return jnp.asarray(self.stage.cardinality, dtype=np.int64)

    def __iter__(self) -> DistributedIterator:
        recorder = current().recorder
        if recorder is not None:
            recorder.need_host("it iterates over a distributed dataset")
        walk, depth = self._walk(), self._options.experimental_per_replica_buffer_size
        if depth > 0:
            walk = ReadAheadWalk(walk, depth, AtOnce() if self.stage.cheap else InThread())
        return DistributedIterator(walk, lambda: self.element_spec)

    def _spec_per_replica(self, spec: Nest) -> Nest:
        if self._mesh.num_replicas == 1:
            return spec
        return jax.tree.map(lambda leaf: PerReplicaSpec(*[leaf] * len(self._mesh.local_ids)), spec)


@final
class DistributedDataset(DistributedInput):
    """A data set of global batches, each cut among the replicas: `strategy.experimental_distribute_dataset`."""

    def __init__(self, dataset: Dataset, mesh: ReplicaMesh, options: InputOptions | None = None) -> None:
        super().__init__(mesh, options)
        refuse_per_replica(self._options)
        self._stage = _stage_of(dataset, "experimental_distribute_dataset takes")
        # The spec of user code is found out by running it; such a data set is checked batch by batch instead.
        if self._stage.pure:
            for spec in jax.tree.leaves(self._stage.spec):
                check_batched(spec)
        off = dataset.options().experimental_distribute.auto_shard_policy is AutoShardPolicy.OFF
        self._nominal = self._stage.batch_size if off else None

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def element_spec(self) -> Nest:
        replicas = self._mesh.num_replicas
        if replicas == 1:
            return self._stage.spec
        return self._spec_per_replica(jax.tree.map(lambda spec: piece_spec(spec, replicas), self._stage.spec))

    def _walk(self) -> Walk:
        return _PiecesWalk(self._stage.walk(), self._mesh, self._nominal)


@final
class _PiecesWalk(ParentWalk):
    """Cuts every batch of a walk and places the pieces."""

    def __init__(self, parent: Walk, mesh: ReplicaMesh, nominal: int | None) -> None:
        super().__init__(parent)
        self._mesh = mesh
        self._nominal = nominal

    def __next__(self) -> Nest:
        pieces = cut(next(self._source), self._mesh.num_replicas, self._nominal)
        local = self._mesh.local_ids
        return jax.tree.map(lambda leaf: place([leaf[i] for i in local], self._mesh), pieces, is_leaf=_is_list)

    def _facts(self) -> State:
        return {}

    def _set_facts(self, state: State) -> None:
        pass


@final
class DistributedDatasetFromFunction(DistributedInput):
    """A user's function makes the data set; every replica takes one of its batches a step."""

    def __init__(
        self,
        dataset_fn: Callable[[InputContext], Dataset],
        input_context: InputContext,
        mesh: ReplicaMesh,
        options: InputOptions | None = None,
    ) -> None:
        super().__init__(mesh, options)
        ids = mesh.local_ids
        contexts = [input_context]
        if self._options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            contexts = [InputContext(mesh.num_replicas, i, mesh.num_replicas) for i in ids]
        self._stages = [
            _stage_of(dataset_fn(c), "The function given to distribute_datasets_from_function must return")
            for c in contexts
        ]

    @property
    def stage(self) -> Stage:
        return self._stages[0]

    @property
    def element_spec(self) -> Nest:
        return self._spec_per_replica(self.stage.spec)

    def _walk(self) -> Walk:
        return _BatchAReplicaWalk(self._stages, self._mesh)


@final
class _BatchAReplicaWalk(Walk):
    """Takes one batch a replica, in turn from one walk or from one walk a replica."""

    def __init__(self, stages: list[Stage], mesh: ReplicaMesh) -> None:
        self._walks = [stage.walk() for stage in stages]
        super().__init__(self._walks)
        self._stage = stages[0]
        self._mesh = mesh
        replicas = len(mesh.local_ids)
        self._turns = self._walks if len(self._walks) == replicas else self._walks * replicas

    def __next__(self) -> Nest:
        drawn = [element for walk in self._turns for element in _up_to_one(walk)]
        missing = len(self._turns) - len(drawn)
        if not drawn or (missing and not self._handles_partial_steps):
            raise StopIteration
        if missing:
            drawn += [self._empty(drawn[0])] * missing
        return jax.tree.map(lambda *leaves: place(list(leaves), self._mesh), *drawn)

    @functools.cached_property
    def _handles_partial_steps(self) -> bool:
        """TensorFlow's rule: a step without data for everybody is dropped when all shapes are static."""
        if self._stage.cardinality == INFINITE:
            return False
        return not all(spec.shape.is_fully_defined() for spec in jax.tree.leaves(self._stage.spec))

    def _empty(self, like: Nest) -> Nest:
        def empty(spec: TensorSpec, leaf: Array) -> Array:
            dims = (None, *leaf.shape[1:]) if spec.shape.rank is None else spec.shape
            return np.zeros([d or 0 for d in dims], leaf.dtype)

        return jax.tree.map(empty, self._stage.spec, like)

    def get_state(self) -> State:
        return {"parents": [walk.get_state() for walk in self._walks]}

    def set_state(self, state: State) -> None:
        for walk, saved in zip(self._walks, state["parents"], strict=True):
            walk.set_state(saved)


def place(pieces: list[Array], mesh: ReplicaMesh) -> PerReplica | jax.Array | Array:
    """One piece a local replica on its device; strings stay on the host."""
    if pieces[0].dtype == object:
        return pieces[0] if mesh.num_replicas == 1 else Separate(pieces)  # type: ignore[arg-type]
    if mesh.num_replicas == 1:
        placed: jax.Array = jax.device_put(exact(pieces[0]), mesh.local_devices[0])
        return placed
    return per_replica([exact(piece) for piece in pieces], mesh)


def _up_to_one(walk: Walk) -> list[Nest]:
    try:
        return [next(walk)]
    except StopIteration:
        return []


def _stage_of(dataset: Any, demand: str) -> Stage:
    if not isinstance(dataset, Dataset):
        raise TypeError(f"{demand} a tf.data.Dataset, found {type(dataset).__name__}. Use Dataset.from_tensor_slices.")
    return dataset.stage


def _is_list(value: Any) -> bool:
    return isinstance(value, list)
