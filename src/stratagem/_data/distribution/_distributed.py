"""Distributed datasets: every step, each replica gets its rows, which are placed on its device one step ahead."""

import abc
from collections.abc import Callable, Iterable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh, exact
from stratagem._core.values import (
    PerReplica,
    Separate,
    Stacked,
    Tensor,
    TensorShape,
    TensorSpec,
    per_replica,
    with_per_replica_composites,
)
from stratagem._data._dataset import Dataset
from stratagem._data._dataset_table import dataset_table
from stratagem._data._iterator import ElementIterator
from stratagem._data.distribution._dataset_agreement import agree_on_steps
from stratagem._data.distribution._input_context import (
    InputContext,
    InputOptions,
    InputReplicationMode,
    refuse_per_replica,
)
from stratagem._data.distribution._input_stalls import StallWatch
from stratagem._data.distribution._lockstep import LockstepIterator
from stratagem._data.distribution._own_seeds import with_own_seeds
from stratagem._data.distribution._per_replica_sizes import check_batched
from stratagem._data.distribution._shape_agreement import (
    SeparateInputsAgreement,
    Shape,
    ShapeAgreement,
    SharedInputAgreement,
    SingleWorkerAgreement,
    VerifiedSharedBatches,
)
from stratagem._data.distribution._shard import shard
from stratagem._data.distribution._shard_report import DatasetLength, announce, check_lengths, length
from stratagem._data.distribution._worker_iterator import OwnIterator, WorkerIterator, joined
from stratagem._data.elements._nest import Array, leaves, to_tensors
from stratagem._data.elements._parts import has_composites, map_parts, parts, shapes_without_rows
from stratagem._data.elements._spec import Spec, with_other_rows
from stratagem._data.stages._batching import Batching
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import InlineExecutor, ReadAheadIterator, ThreadExecutor
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator
from stratagem._private import on_device


@final
class PerReplicaSpec:
    """The specs of the values of a PerReplica, one for each local replica."""

    def __init__(self, *specs: TensorSpec) -> None:
        self.specs = specs

    @property
    def dtype(self) -> Any:
        """The dtype of every replica's value. (TensorFlow's has neither this nor a shape.)"""
        return self.specs[0].dtype

    @property
    def shape(self) -> TensorShape:
        """The shape that every replica's value has: a dimension in which they differ is None."""
        shape = self.specs[0].shape
        for spec in self.specs[1:]:
            shape = shape.most_specific_compatible_shape(spec.shape)
        return shape

    def __eq__(self, other: object) -> bool:
        return self.specs == other.specs if isinstance(other, PerReplicaSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.specs)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self.specs))})"


@exported("distribute.DistributedIterator")
@final
class DistributedIterator(ElementIterator[Any]):
    """Elements of a distributed dataset: nests of PerReplica, or of jax.Arrays if there is one replica."""

    def __init__(self, source: StageIterator, origin: "DistributedInput", mesh: ReplicaMesh, *, placed: bool) -> None:
        """origin: what is iterated over. placed: whether the elements of the source lie on the replicas' devices; else they
        are those of the only replica.
        """
        super().__init__(source, lambda: origin.element_spec, lambda: origin.batching)
        self._mesh, self._placed, self._stage = mesh, placed, origin.stage

    @property
    def mesh(self) -> ReplicaMesh:
        """The replicas that elements are for."""
        return self._mesh

    def _converted(self, element: Any) -> Any:
        return element if self._placed else map_parts(lambda parts: place(parts, self._mesh), [element])

    def _for_program(self, element: Any) -> Any:
        return element if self._placed else to_tensors(element)

    def get_state(self) -> State:
        """The positions of all workers' iterators; all workers have to call it."""
        return super().get_state()

    def _position(self) -> State:
        state: State = joined(self._mesh.job.agree("the position of an iterator", super()._position()))
        return state

    def _own_facts(self) -> State:
        # Of a source that makes batches itself, no plan tells the sizes; their number does.
        return {"cardinality": self._stage.cardinality}


class DistributedInput(abc.ABC):
    """Input that is distributed to the replicas, step by step."""

    def __init__(self, context: InputContext, mesh: ReplicaMesh, options: InputOptions | None = None) -> None:
        self._context = context
        self._mesh = mesh
        self._options = options or InputOptions()

    @property
    @abc.abstractmethod
    def stage(self) -> Stage:
        """The plan that is iterated, before it is divided among the replicas."""

    @property
    def counts_rows(self) -> bool:
        """True if a position counts rows and no batches, as for a `Stage`."""
        return self.stage.counts_rows

    @property
    def batching(self) -> Batching:
        """The sizes of its batches, and whether a position counts their rows."""
        return Batching.of(self.stage, counts_rows=self.counts_rows)

    @property
    @abc.abstractmethod
    def element_spec(self) -> Any:
        """A nest of PerReplicaSpec, or of TensorSpec if there is one replica."""

    @abc.abstractmethod
    def _walk(self) -> tuple[LockstepIterator, ShapeAgreement]:
        """Starts a new iteration; also returns the object that consults the other workers for it."""

    @property
    def _num_local(self) -> int:
        return len(self._mesh.local_ids)

    @property
    def _replicas(self) -> range:
        return range(self._mesh.local_ids[0], self._mesh.local_ids[-1] + 1)

    @property
    def cardinality(self) -> Tensor:
        """The number of elements of the dataset that is distributed, like `Dataset.cardinality`."""
        return jnp.asarray(self.stage.cardinality, dtype=np.int64)

    def _repr_html_(self) -> str:
        # What user code makes is found out by running it, and not for showing it.
        spec = self.element_spec if self.stage.pure else None
        return dataset_table(type(self).__name__, self.stage.cardinality, spec)

    def __iter__(self) -> DistributedIterator:
        recorder = current().recorder
        if recorder is not None:
            recorder.need_host("it iterates over a distributed dataset")
        steps, agreement = self._walk()
        quick = self._context.num_input_pipelines == 1 and self.stage.cheap  # consulting other workers may take long
        # To the host's own memory there is no transfer that could go on beside a step: nothing is gained by being ahead.
        placed = not (quick and self._mesh.num_replicas == 1 and self._mesh.devices[0].platform == "cpu")
        walk: StageIterator = _PlacedIterator(steps, self._mesh) if placed else _OnlyPieceIterator(steps)
        depth = self._options.experimental_per_replica_buffer_size
        if depth > 0:
            ahead = ReadAheadIterator(walk, depth, InlineExecutor() if quick else ThreadExecutor()) if placed else None
            walk = StallWatch(ahead or walk, self._mesh, agreement, ahead)
        return DistributedIterator(walk, self, self._mesh, placed=placed)

    def _without_rows(self, shapes: list[Shape]) -> list[Shape]:
        return shapes_without_rows(self.stage.spec, shapes)

    def _spec_per_replica(self, spec: Any) -> Any:
        if self._context.num_input_pipelines > 1:
            spec = jax.tree.map(_any_rows, spec)  # another worker may continue when this one has no more rows
        if self._mesh.num_replicas == 1:
            return spec
        return jax.tree.map(lambda leaf: PerReplicaSpec(*[leaf] * len(self._mesh.local_ids)), spec)


@exported("distribute.DistributedDataset")
@final
class DistributedDataset(DistributedInput):
    """A dataset of global batches, each divided among the replicas: `strategy.experimental_distribute_dataset`."""

    def __init__(
        self,
        dataset: Dataset,
        context: InputContext,
        mesh: ReplicaMesh,
        options: InputOptions | None = None,
    ) -> None:
        super().__init__(context, mesh, options)
        refuse_per_replica(self._options)
        self._stage = dataset.stage
        # The spec of user code is found out by running it; such a dataset is checked batch by batch instead.
        if self._stage.pure and context.num_replicas_in_sync > 1:
            for spec in leaves(self._stage.spec):
                check_batched(spec)
        self._sharding = shard(self._stage, dataset.options().experimental_distribute.auto_shard_policy, context)
        self._pieces = self._sharding.pieces(context.input_pipeline_id, context.num_input_pipelines)
        self._announced = False

    @property
    def stage(self) -> Stage:
        return self._stage

    @property
    def counts_rows(self) -> bool:
        return self._pieces.counts_rows

    @property
    def element_spec(self) -> Any:
        return self._spec_per_replica(self._pieces.spec)

    def _walk(self) -> tuple[LockstepIterator, ShapeAgreement]:
        if not self._announced:
            announce(self._sharding, self._stage, self._context)
            agree_on_steps(self._stage, self._sharding, self._mesh.job)
            self._announced = True
        workers, worker = self._context.num_input_pipelines, self._context.input_pipeline_id
        stream = WorkerIterator(self._sharding, workers, worker)
        agreement = self._agreement(stream)
        steps = LockstepIterator([stream], self._pieces, self._replicas, agreement, partial=lambda: True)
        if workers > 1 and self._sharding.common:
            # They iterate over the same batches only if they shuffle with the same seeds: the chief's.
            given = self._mesh.job.agree("where an iterator begins", [steps.get_state(), list(length(self._stage))])
            check_lengths([DatasetLength(*theirs) for _, theirs in given], self._mesh.job)
            steps.set_state(given[0][0])
        return steps, agreement

    def _agreement(self, stream: WorkerIterator) -> ShapeAgreement:
        if self._context.num_input_pipelines == 1:
            return SingleWorkerAgreement()
        if not self._sharding.common or (self._pieces.knows_spec and has_composites(self._pieces.spec)):
            return SeparateInputsAgreement(self._mesh.job, self._num_local, self._without_rows)
        known = self._stage.cardinality != UNKNOWN
        return SharedInputAgreement(stream.sizes) if known else VerifiedSharedBatches(self._mesh.job, stream.sizes)


@final
class DistributedDatasetFromFunction(DistributedInput):
    """A user's function makes the dataset; every replica takes one of its batches per step.

    It is the worker's own: unless it is sharded, shuffles without a seed have another order on every worker.
    """

    def __init__(
        self,
        dataset_fn: Callable[[InputContext], Dataset],
        context: InputContext,
        mesh: ReplicaMesh,
        options: InputOptions | None = None,
    ) -> None:
        super().__init__(context, mesh, options)
        contexts = [context]
        if self._options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
            contexts = [InputContext(mesh.num_replicas, i, mesh.num_replicas) for i in mesh.local_ids]
        worker = mesh.job.worker
        self._stages = [with_own_seeds(_dataset_from(dataset_fn, c).stage, worker) for c in contexts]

    @property
    def stage(self) -> Stage:
        return self._stages[0]

    @property
    def element_spec(self) -> Any:
        return self._spec_per_replica(self.stage.spec)

    def _walk(self) -> tuple[LockstepIterator, ShapeAgreement]:
        job = self._mesh.job
        walks: list[StageIterator] = [OwnIterator(stage.walk(), job.workers, job.worker) for stage in self._stages]
        agreement = (
            SingleWorkerAgreement()
            if self._context.num_input_pipelines == 1
            else SeparateInputsAgreement(self._mesh.job, self._num_local, self._without_rows)
        )
        partial = self._handles_partial_steps
        return LockstepIterator(walks, self.stage, self._replicas, agreement, partial=partial), agreement

    def _handles_partial_steps(self) -> bool:
        """Implements TensorFlow's rule: one worker drops a step in which some replica has no data if all shapes are static."""
        if self.stage.cardinality == INFINITE:
            return False
        if self._context.num_input_pipelines > 1:
            return True
        return not all(spec.shape.is_fully_defined() for spec in jax.tree.leaves(self.stage.spec))


@final
class _PlacedIterator(ParentIterator):
    """Places the elements of a step on the replicas' devices."""

    def __init__(self, steps: LockstepIterator, mesh: ReplicaMesh) -> None:
        super().__init__(steps)
        self._steps = steps
        self._mesh = mesh

    def __next__(self) -> Any:
        pieces = next(self._steps)
        columns = list(zip(*map(parts, pieces), strict=True))
        shapes = zip(*self._steps.shapes, strict=True)  # for each part, its shapes on all replicas of the job
        made = iter(_placed(columns, shapes, self._mesh))
        placed = map_parts(lambda _: next(made), pieces)
        return placed if self._mesh.num_replicas == 1 else with_per_replica_composites(placed)

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


@final
class _OnlyPieceIterator(ParentIterator):
    """The elements of the only replica, which a program transfers to the device itself."""

    def __next__(self) -> Any:
        (piece,) = next(self._source)
        return piece

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


def _placed(
    columns: Sequence[Sequence[Array]], shapes: Iterable[Sequence[Shape]], mesh: ReplicaMesh
) -> list[PerReplica | jax.Array | Array]:
    """Places each of the parts of a step on the replicas' devices, those that are even in one transfer.

    columns: by part, a piece for each local replica. shapes: by part, see `per_replica`.
    """
    together = mesh.num_replicas > 1 and mesh.job.workers == 1
    even = [i for i, pieces in enumerate(columns) if together and _are_even(pieces)]
    stacked = dict(zip(even, mesh.stack_each([columns[i] for i in even]), strict=True)) if even else {}
    return [
        Stacked(stacked[i], mesh) if i in stacked else place(list(pieces), mesh, found)
        for i, (pieces, found) in enumerate(zip(columns, shapes, strict=True))
    ]


def _are_even(pieces: Sequence[Array]) -> bool:
    """Returns whether the replicas' pieces are numbers in NumPy arrays of one shape and dtype."""
    first = pieces[0]
    return all(
        isinstance(piece, np.ndarray) and piece.shape == first.shape and piece.dtype == first.dtype != object
        for piece in pieces
    )


def place(
    pieces: list[Array], mesh: ReplicaMesh, shapes: Sequence[Shape] | None = None
) -> PerReplica | jax.Array | Array:
    """Places one piece for each local replica on its device; strings stay on the host. shapes: see `per_replica`."""
    if pieces[0].dtype == object:
        texts = [to_tensors(piece) for piece in pieces]
        return texts[0] if mesh.num_replicas == 1 else Separate(texts, shapes)
    if mesh.num_replicas == 1:
        device, piece = mesh.local_devices[0], pieces[0]
        return (
            jax.device_put(piece, device) if isinstance(piece, jax.Array) else on_device(piece, device, committed=True)
        )
    return per_replica([exact(piece) for piece in pieces], mesh, shapes)


def _any_rows(spec: Spec) -> Spec:
    return with_other_rows(spec, None)


def _dataset_from(dataset_fn: Callable[[InputContext], Dataset], context: InputContext) -> Dataset:
    dataset = dataset_fn(context)
    if not isinstance(dataset, Dataset):
        raise TypeError(
            "The function given to distribute_datasets_from_function must return a tf.data.Dataset, "
            f"found {type(dataset).__name__}."
        )
    return dataset
