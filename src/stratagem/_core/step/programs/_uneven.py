"""UnevenProgram: a step for uneven batches; local pieces run on each replica's device with its shapes, global ones on all."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc
from jax.sharding import PartitionSpec

from stratagem._base.errors import DivergenceError, InvalidArgumentError
from stratagem._core.interruption import interruptible
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.rewrites import compiler_options
from stratagem._core.step.keys._program_keys import static_key
from stratagem._core.step.programs._partition import LocalPiece, Partition, RowCountProgram
from stratagem._core.step.programs._program_call import program_call, rows_of
from stratagem._core.step.programs._program_variables import ProgramVariables
from stratagem._core.step.programs._trace import Trace
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.values import per_replica, storage
from stratagem._private import is_literal

EACH, EVERY = PartitionSpec(AXIS), PartitionSpec()


@dataclass(frozen=True)
class ShapeGroup:
    """The replicas whose inputs have equal shapes. They run together, on a mesh of their devices."""

    shape: Hashable
    positions: tuple[int, ...]
    mesh: ReplicaMesh


class UnevenProgram:
    """A compiled step for inputs whose shapes differ between replicas; called like `Program`."""

    def __init__(
        self, traces: dict[Hashable, Trace], shapes: Sequence[Hashable], arguments: Arguments, mesh: ReplicaMesh
    ) -> None:
        first = traces[shapes[0]]
        self._mesh, self._results, self._jaxpr = mesh, first.results, first.closed.jaxpr
        self._bound = ProgramVariables(first, mesh)
        slots = self._bound.slots
        equal = [not s for s in slots] + [False] * len(arguments.own) + [True] * len(arguments.shared)
        env = [(AXIS, mesh.num_replicas)]
        _check_results(traces)
        self._partition = Partition({shape: RowCountProgram(t.closed, equal, env) for shape, t in traces.items()})
        self._slots = slots
        self._check_mirrored(first)
        # Every worker knows all shapes, and runs the local pieces of its own replicas' shapes.
        self._groups = [group for shape in traces if (group := _local_group(shape, shapes, mesh)).positions]
        self._result_shapes = _result_shapes(traces, shapes, len(self._results.per_replica))
        self._first = True
        self._locals = {
            (k, g.shape): self._compiled_local(k, g) for k in range(self._partition.last + 1) for g in self._groups
        }
        self._globals = {k: self._compiled_global(k) for k in range(1, self._partition.last + 1)}

    @property
    def stale(self) -> bool:
        """True if the program is out of date, as `ProgramVariables.stale` says."""
        return self._bound.stale

    def __call__(self, arguments: Arguments) -> Any:
        """Runs once, as `Program.__call__` does."""
        self._bound.check()
        rows = rows_of(arguments.own, arguments.shared) if self._first else None
        with storage, program_call(self._mesh.job, first=self._first, rows=rows):
            outs = self._outputs(arguments)
            for array in jax.tree.leaves(outs)[:1]:
                self._mesh.dispatched.note(array)
            self._first = False
            return self._commit(outs)

    def _outputs(self, arguments: Arguments) -> list[Any]:
        run = _UnevenCall(self._partition, self._mesh, self._groups)
        values = self._bound.ordered()
        equal = [v for v, s in zip(values, self._slots, strict=True) if not s] + [
            self._mesh.replicate(v) for v in arguments.shared
        ]
        run.start(equal, [v for v, s in zip(values, self._slots, strict=True) if s], arguments.own)
        for k in range(self._partition.last + 1):
            if k:
                run.global_piece(k, self._globals[k])
            for group in self._groups:
                run.local_piece(k, group, self._locals[k, group.shape])
        return run.outputs()

    def _commit(self, outs: list[Any]) -> Any:
        """Writes the variables; returns the results. outs: arrays on the whole mesh, or lists with one for each replica."""
        flags, n = self._results.per_replica, len(self._results.per_replica)
        new = zip(outs[n:], self._bound.written_slots, strict=True)
        self._bound.write(_copied([self._mesh.stack(self._each(v)) if slot else v for v, slot in new]))
        results = [
            per_replica(self._each(v), self._mesh, shapes)
            if flag
            else (v[0] if isinstance(v, list) else self._mesh.first(v))
            for v, flag, shapes in zip(outs[:n], flags, self._result_shapes, strict=True)
        ]
        return self._results.verified(results, self._mesh)

    def _each(self, value: Any) -> list[Any]:
        return value if isinstance(value, list) else [s.data for s in value.addressable_shards]

    def _check_mirrored(self, traced: Trace) -> None:
        n = len(traced.results.per_replica)
        for (variable, line), same, slot in zip(
            traced.written, self._partition.same_outs[n:], self._bound.written_slots, strict=True
        ):
            if not same and not slot:
                raise DivergenceError(
                    f"On this uneven batch mirrored variable {variable.path} would get a different value on every replica, "
                    f"at {line}: it depends on the number of a replica's rows. Reduce that number over the replicas first."
                )

    def _compiled_local(self, k: int, group: ShapeGroup) -> Any:
        version, piece = self._partition.versions[group.shape], self._partition.local[k, group.shape]
        if not piece.eqns and not any(self._is_constant(version, v) for v in piece.head):
            return None  # nothing to compute: the values are passed on unchanged
        specs = [EACH if self._partition.common(version, v) is None else EVERY for v in piece.reads]
        function = version.function(piece.eqns, piece.reads, [*piece.head, *piece.keep])
        return _mapped(function, group.mesh, specs, [EACH] * (len(piece.head) + len(piece.keep)), self._jaxpr)

    def _is_constant(self, version: RowCountProgram, atom: Any) -> bool:
        return is_literal(atom) or atom in version.consts or self._partition.common(version, atom) is not None

    def _compiled_global(self, k: int) -> Any:
        piece = self._partition.globals[k]
        first = next(iter(self._partition.versions))
        imports = len(self._partition.local[k - 1, first].head)
        ins = [EVERY] * len(piece.reads) + [EACH] * imports
        return _mapped(
            piece.function, self._mesh, ins, [EVERY] * len(piece.outs) + [EACH] * len(piece.names[first]), self._jaxpr
        )


def _check_results(traces: dict[Hashable, Trace]) -> None:
    """Raises InvalidArgumentError unless all replicas assign the same variables and return the same structure."""
    written = [[v.path for v, _ in t.written] for t in traces.values()]
    if any(w != written[0] for w in written):
        odd = sorted(set.symmetric_difference(*map(set, (written[0], next(w for w in written if w != written[0])))))
        raise InvalidArgumentError(
            f"On this uneven batch the replicas assign different variables ({', '.join(odd) or 'in another order'}): the "
            "step decides by the number of its rows whether to. Assign on every replica: nothing comes of no rows."
        )
    first, *rest = [t.results for t in traces.values()]
    for other in rest:
        if str(other.structure) != str(first.structure):
            raise InvalidArgumentError(
                f"On this uneven batch the replicas return different structures: {first.structure} and {other.structure}."
            )
        for a, b in zip(first.leaves, other.leaves, strict=True):
            if static_key(a) != static_key(b):
                raise InvalidArgumentError(
                    f"On this uneven batch the replicas return different Python values, {a!r} and {b!r}. Return a tensor: a "
                    "number of rows, for example, is tf.shape(x)[0], not x.shape[0]."
                )


def _result_shapes(
    traces: dict[Hashable, Trace], shapes: Sequence[Hashable], count: int
) -> list[list[tuple[int, ...]]]:
    """Returns, for every tensor that the step returns, its shape on all replicas of the job."""
    outs = {shape: [tuple(aval.shape) for aval in t.closed.out_avals[:count]] for shape, t in traces.items()}
    return [[outs[shape][i] for shape in shapes] for i in range(count)]


def _local_group(shape: Hashable, shapes: Sequence[Hashable], mesh: ReplicaMesh) -> ShapeGroup:
    """Returns the replicas of this worker whose inputs have this shape."""
    positions = tuple(i for i in mesh.local_ids if shapes[i] == shape)
    return ShapeGroup(shape, positions, ReplicaMesh(tuple(mesh.devices[i] for i in positions)))


def _mapped(
    function: Any, mesh: ReplicaMesh, ins: list[PartitionSpec], outs: list[PartitionSpec], program: xc.Jaxpr
) -> Any:
    """Returns a piece of a program, compiled for the replicas of a mesh."""

    def run(*args: Any) -> list[Any]:
        made = function(*(a[0] if s == EACH else a for a, s in zip(args, ins, strict=True)))
        return [jnp.asarray(x)[None] if s == EACH else x for x, s in zip(made, outs, strict=True)]

    mapped = jax.shard_map(run, mesh=mesh.mesh, in_specs=tuple(ins), out_specs=outs, check_vma=False)
    options = compiler_options(mesh.devices[0].platform, program)
    compiled = jax.jit(mapped, compiler_options=options)
    return interruptible(compiled, program)


class _UnevenCall:
    """The values of one call: common ones by number over the whole mesh, each group's own by variable over its mesh."""

    def __init__(self, partition: Partition, mesh: ReplicaMesh, groups: Sequence[ShapeGroup]) -> None:
        self._partition, self._mesh, self._groups = partition, mesh, groups
        self._equal: dict[int, jax.Array] = {}
        self._own: dict[Hashable, dict[Any, jax.Array]] = {}
        self._views: dict[tuple[Hashable, int], jax.Array] = {}
        self._heads: dict[Hashable, list[jax.Array]] = {}

    def start(self, equal: Sequence[jax.Array], slots: Sequence[jax.Array], own: Sequence[Any]) -> None:
        """Distributes the call's inputs."""
        for group in self._groups:
            version = self._partition.versions[group.shape]
            self._equal.update((version.numbers[v], x) for v, x in zip(version.equal, equal, strict=True))
            ids = group.mesh.stack([np.asarray(i, np.int32) for i in group.positions])
            first = self._mesh.local_ids[0]
            rows = [group.mesh.stack([v.values[i - first] for i in group.positions]) for v in own]
            values = [*(_move([s], group.mesh, EACH) for s in slots), *rows]
            self._own[group.shape] = {version.id: ids, **dict(zip(version.own, values, strict=True))}

    def global_piece(self, k: int, run: Any) -> None:
        """Runs a global piece on all replicas together: the collectives, and what depends on them only."""
        piece = self._partition.globals[k]
        imports = [
            _move(columns, self._mesh, EACH)
            for columns in zip(*(self._heads[g.shape] for g in self._groups), strict=True)
        ]
        made = run(*(self._equal[n] for n in piece.reads), *imports)
        self._equal.update(zip(piece.outs, made[: len(piece.outs)], strict=True))
        for group in self._groups:
            own = (_move([x], group.mesh, EACH) for x in made[len(piece.outs) :])
            self._own[group.shape].update(zip(piece.names[group.shape], own, strict=True))

    def local_piece(self, k: int, group: ShapeGroup, run: Any) -> None:
        """Runs a local piece on one group's replicas, with their own shapes."""
        piece: LocalPiece = self._partition.local[k, group.shape]
        own = self._own[group.shape]
        if run is None:
            self._heads[group.shape] = [own[v] for v in piece.head]
            return
        made = run(*(self._operand(group, v) for v in piece.reads))
        self._heads[group.shape] = made[: len(piece.head)]
        own.update(zip(piece.keep, made[len(piece.head) :], strict=True))

    def outputs(self) -> list[Any]:
        """Returns every output of the step: an array on the whole mesh, or a list with one array for each replica."""
        first, own = self._partition.first, 0
        flat: list[Any] = []
        for atom, same in zip(first.outs, self._partition.same_outs, strict=True):
            if same:
                flat.append(self._common_value(first, atom))
                continue
            row: list[Any] = [None] * len(self._mesh.local_ids)
            for group in self._groups:
                for position, value in zip(
                    group.positions, group.mesh.unstack(self._heads[group.shape][own]), strict=True
                ):
                    row[position - self._mesh.local_ids[0]] = value
            flat.append(row)
            own += 1
        return flat

    def _common_value(self, version: RowCountProgram, atom: Any) -> jax.Array:
        if is_literal(atom) or atom in version.consts:
            value = atom.val if is_literal(atom) else version.consts[atom]
            return self._mesh.replicate(np.asarray(value, atom.aval.dtype))
        number = self._partition.common(version, atom)
        assert number is not None  # the caller asks for common values only
        return self._equal[number]

    def _operand(self, group: ShapeGroup, var: Any) -> jax.Array:
        number = self._partition.common(self._partition.versions[group.shape], var)
        if number is None:
            return self._own[group.shape][var]
        if (group.shape, number) not in self._views:
            self._views[group.shape, number] = _move([self._equal[number]], group.mesh, EVERY)
        return self._views[group.shape, number]


@jax.jit
def _copied(arrays: list[jax.Array]) -> list[jax.Array]:
    """Copies arrays: variables and results may share one, and the next even step donates those of variables."""
    return [jnp.copy(array) for array in arrays]


def _move(arrays: Sequence[jax.Array], mesh: ReplicaMesh, spec: PartitionSpec) -> jax.Array:
    """Returns the same buffers as an array over another mesh, without a copy."""
    pieces = {s.device: s.data for a in arrays for s in a.addressable_shards}
    found = [pieces[d] for d in mesh.local_devices]
    shape = found[0].shape if spec == EVERY else (mesh.num_replicas, *found[0].shape[1:])
    sharding = mesh.everywhere if spec == EVERY else mesh.one_each
    return jax.make_array_from_single_device_arrays(shape, sharding, found)
