"""A step for uneven batches: local pieces with their true shapes on each replica's device, global pieces on all."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from stratagem._base.errors import DivergenceError, InvalidArgumentError
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.step._markers import is_literal
from stratagem._core.step._partition import LocalPiece, Partition, Version
from stratagem._core.step._program import Arguments, Bound, Trace, begun
from stratagem._core.step._rewrites import compiler_options
from stratagem._core.step._signature import static_key
from stratagem._core.values import per_replica, storage

EACH, EVERY = PartitionSpec(AXIS), PartitionSpec()


@dataclass(frozen=True)
class ReplicaGroup:
    """The replicas with one shape of rows: they run together, on a mesh of their devices."""

    shape: Hashable
    positions: tuple[int, ...]
    mesh: ReplicaMesh


class UnevenProgram:
    """A compiled step for inputs whose shapes differ between replicas; called like `Program`."""

    def __init__(
        self, traces: dict[Hashable, Trace], shapes: Sequence[Hashable], arguments: Arguments, mesh: ReplicaMesh
    ) -> None:
        made = traces[shapes[0]]
        self._mesh, self._results = mesh, made.results
        self._bound = Bound(made, mesh)
        slots = self._bound.slots
        equal = [not s for s in slots] + [False] * len(arguments.own) + [True] * len(arguments.shared)
        env = [(AXIS, mesh.num_replicas)]
        _check_results(traces)
        self._cut = Partition({shape: Version(t.closed, equal, env) for shape, t in traces.items()})
        self._slots = slots
        self._check_mirrored(made)
        # Every worker knows all shapes, and runs the local pieces of those that its own replicas have.
        self._parts = [part for shape in traces if (part := _part(shape, shapes, mesh)).positions]
        self._result_shapes = _result_shapes(traces, shapes, len(self._results.per_replica))
        self._first = True
        self._locals = {
            (k, p.shape): self._compiled_local(k, p) for k in range(self._cut.last + 1) for p in self._parts
        }
        self._globals = {k: self._compiled_global(k) for k in range(1, self._cut.last + 1)}

    @property
    def stale(self) -> bool:
        """True if a variable moved or changed its role since the program was made."""
        return self._bound.stale

    def __call__(self, arguments: Arguments) -> Any:
        """Run once, as `Program` does."""
        self._bound.check()
        with storage, begun(self._mesh.job, first=self._first):
            outs = self._outputs(arguments)
            for array in jax.tree.leaves(outs)[:1]:
                self._mesh.dispatched.note(array)
            self._first = False
            return self._hand_out(outs)

    def _outputs(self, arguments: Arguments) -> list[Any]:
        run = _Run(self._cut, self._mesh, self._parts)
        values = self._bound.ordered()
        equal = [v for v, s in zip(values, self._slots, strict=True) if not s] + [
            self._mesh.replicate(v) for v in arguments.shared
        ]
        run.start(equal, [v for v, s in zip(values, self._slots, strict=True) if s], arguments.own)
        for k in range(self._cut.last + 1):
            if k:
                run.global_piece(k, self._globals[k])
            for part in self._parts:
                run.local_piece(k, part, self._locals[k, part.shape])
        return run.outputs()

    def _hand_out(self, outs: list[Any]) -> Any:
        """Each output is one array on the whole mesh, or a list with an array a replica."""
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

    def _check_mirrored(self, made: Trace) -> None:
        n = len(made.results.per_replica)
        for (variable, line), same, slot in zip(
            made.written, self._cut.same_outs[n:], self._bound.written_slots, strict=True
        ):
            if not same and not slot:
                raise DivergenceError(
                    f"On this uneven batch mirrored variable {variable.path} would get a different value on every replica, "
                    f"at {line}: it depends on the number of a replica's rows. Reduce that number over the replicas first."
                )

    def _compiled_local(self, k: int, part: ReplicaGroup) -> Any:
        version, piece = self._cut.versions[part.shape], self._cut.local[k, part.shape]
        if not piece.eqns and not any(self._is_constant(version, v) for v in piece.head):
            return None  # nothing to compute: values are handed on as they are
        specs = [EACH if self._cut.common(version, v) is None else EVERY for v in piece.reads]
        function = version.function(piece.eqns, piece.reads, [*piece.head, *piece.keep])
        return _mapped(function, part.mesh, specs, [EACH] * (len(piece.head) + len(piece.keep)))

    def _is_constant(self, version: Version, atom: Any) -> bool:
        return is_literal(atom) or atom in version.consts or self._cut.common(version, atom) is not None

    def _compiled_global(self, k: int) -> Any:
        piece = self._cut.globals[k]
        first = next(iter(self._cut.versions))
        imports = len(self._cut.local[k - 1, first].head)
        ins = [EVERY] * len(piece.reads) + [EACH] * imports
        return _mapped(piece.function, self._mesh, ins, [EVERY] * len(piece.outs) + [EACH] * len(piece.names[first]))


def _check_results(traces: dict[Hashable, Trace]) -> None:
    """Replicas must assign the same variables and return the same structure."""
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
    """For every tensor that the step returns, its shape on all replicas of the job."""
    outs = {shape: [tuple(aval.shape) for aval in t.closed.out_avals[:count]] for shape, t in traces.items()}
    return [[outs[shape][i] for shape in shapes] for i in range(count)]


def _part(shape: Hashable, shapes: Sequence[Hashable], mesh: ReplicaMesh) -> ReplicaGroup:
    """The replicas of this worker whose inputs have this shape."""
    positions = tuple(i for i in mesh.local_ids if shapes[i] == shape)
    return ReplicaGroup(shape, positions, ReplicaMesh(tuple(mesh.devices[i] for i in positions)))


def _mapped(function: Any, mesh: ReplicaMesh, ins: list[PartitionSpec], outs: list[PartitionSpec]) -> Any:
    def run(*args: Any) -> list[Any]:
        made = function(*(a[0] if s == EACH else a for a, s in zip(args, ins, strict=True)))
        return [jnp.asarray(x)[None] if s == EACH else x for x, s in zip(made, outs, strict=True)]

    mapped = jax.shard_map(run, mesh=mesh.mesh, in_specs=tuple(ins), out_specs=outs, check_vma=False)
    return jax.jit(mapped, compiler_options=compiler_options(mesh.devices[0].platform))


class _Run:
    """The values of one call: common ones by number over the whole mesh, each part's own by variable over its mesh."""

    def __init__(self, cut: Partition, mesh: ReplicaMesh, parts: Sequence[ReplicaGroup]) -> None:
        self._cut, self._mesh, self._parts = cut, mesh, parts
        self._equal: dict[int, jax.Array] = {}
        self._mine: dict[Hashable, dict[Any, jax.Array]] = {}
        self._views: dict[tuple[Hashable, int], jax.Array] = {}
        self._heads: dict[Hashable, list[jax.Array]] = {}

    def start(self, equal: Sequence[jax.Array], slots: Sequence[jax.Array], own: Sequence[Any]) -> None:
        """Distribute the call's inputs."""
        for part in self._parts:
            version = self._cut.versions[part.shape]
            self._equal.update((version.numbers[v], x) for v, x in zip(version.equal, equal, strict=True))
            ids = part.mesh.stack([np.asarray(i, np.int32) for i in part.positions])
            first = self._mesh.local_ids[0]
            rows = [part.mesh.stack([v.values[i - first] for i in part.positions]) for v in own]
            mine = [*(_move([s], part.mesh, EACH) for s in slots), *rows]
            self._mine[part.shape] = {version.id: ids, **dict(zip(version.own, mine, strict=True))}

    def global_piece(self, k: int, run: Any) -> None:
        """All replicas together: the collectives, and what follows from them."""
        piece = self._cut.globals[k]
        imports = [
            _move(columns, self._mesh, EACH)
            for columns in zip(*(self._heads[p.shape] for p in self._parts), strict=True)
        ]
        made = run(*(self._equal[n] for n in piece.reads), *imports)
        self._equal.update(zip(piece.outs, made[: len(piece.outs)], strict=True))
        for part in self._parts:
            own = (_move([x], part.mesh, EACH) for x in made[len(piece.outs) :])
            self._mine[part.shape].update(zip(piece.names[part.shape], own, strict=True))

    def local_piece(self, k: int, part: ReplicaGroup, run: Any) -> None:
        """One part's replicas by themselves, with their own shapes."""
        piece: LocalPiece = self._cut.local[k, part.shape]
        mine = self._mine[part.shape]
        if run is None:
            self._heads[part.shape] = [mine[v] for v in piece.head]
            return
        made = run(*(self._operand(part, v) for v in piece.reads))
        self._heads[part.shape] = made[: len(piece.head)]
        mine.update(zip(piece.keep, made[len(piece.head) :], strict=True))

    def outputs(self) -> list[Any]:
        """Every output of the step: an array on the whole mesh, or a list with one array a replica."""
        first, own = self._cut.first, 0
        flat: list[Any] = []
        for atom, same in zip(first.outs, self._cut.same_outs, strict=True):
            if same:
                flat.append(self._common_value(first, atom))
                continue
            row: list[Any] = [None] * len(self._mesh.local_ids)
            for part in self._parts:
                for position, value in zip(
                    part.positions, part.mesh.unstack(self._heads[part.shape][own]), strict=True
                ):
                    row[position - self._mesh.local_ids[0]] = value
            flat.append(row)
            own += 1
        return flat

    def _common_value(self, version: Version, atom: Any) -> jax.Array:
        if is_literal(atom) or atom in version.consts:
            value = atom.val if is_literal(atom) else version.consts[atom]
            return self._mesh.replicate(np.asarray(value, atom.aval.dtype))
        number = self._cut.common(version, atom)
        assert number is not None  # the caller asked only for common values
        return self._equal[number]

    def _operand(self, part: ReplicaGroup, var: Any) -> jax.Array:
        number = self._cut.common(self._cut.versions[part.shape], var)
        if number is None:
            return self._mine[part.shape][var]
        if (part.shape, number) not in self._views:
            self._views[part.shape, number] = _move([self._equal[number]], part.mesh, EVERY)
        return self._views[part.shape, number]


@jax.jit
def _copied(arrays: list[jax.Array]) -> list[jax.Array]:
    """Arrays of their own: two variables, or a result, may have got one, and the next even step donates each."""
    return [jnp.copy(array) for array in arrays]


def _move(arrays: Sequence[jax.Array], mesh: ReplicaMesh, spec: PartitionSpec) -> jax.Array:
    """The same buffers as an array over another mesh: no copy."""
    pieces = {s.device: s.data for a in arrays for s in a.addressable_shards}
    found = [pieces[d] for d in mesh.local_devices]
    shape = found[0].shape if spec == EVERY else (mesh.num_replicas, *found[0].shape[1:])
    sharding = mesh.everywhere if spec == EVERY else mesh.one_each
    return jax.make_array_from_single_device_arrays(shape, sharding, found)
