"""Several calls of one step as one program: where starting a program costs more than running it."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as xc
from jax.sharding import PartitionSpec

from stratagem._mesh import AXIS, ReplicaMesh
from stratagem.step._program import Arguments, Bound, Trace, everywhere
from stratagem.step._rewrites import compiler_options
from stratagem.values import Stacked

# Copies of the step in the body of the loop: XLA fuses across them, and compiles longer.
_UNROLLED = 4


class RepeatedProgram:
    """A step for even inputs, `times` in a row: a loop over the calls' inputs that carries the variables."""

    def __init__(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh, times: int) -> None:
        self._mesh, self._times = mesh, times
        self._results = made.results
        self._bound = Bound(made, mesh)
        self._run = self._compiled(made, len(arguments.own), len(arguments.shared))
        self._first = True

    @property
    def stale(self) -> bool:
        """True if a variable moved or changed its role since the program was made."""
        return self._bound.stale

    def __call__(self, calls: Sequence[Arguments]) -> list[Any]:
        """Run the calls; what each returns. Waits for nothing."""
        self._bound.check()
        own = [[v.array for v in call.own] for call in calls]
        shared = [[everywhere(v, self._mesh) for v in call.shared] for call in calls]
        outs = self._bound.run(self._run, own, shared, first=self._first, steps=self._times)
        self._first = False
        mesh, flags = self._mesh, self._results.per_replica
        handed = [[Stacked(v, mesh) if f else mesh.first(v) for v in each] for each, f in zip(outs, flags, strict=True)]
        return [self._results.rebuilt([each[i] for each in handed]) for i in range(self._times)]

    def _compiled(self, made: Trace, own: int, shared: int) -> Callable[..., Any]:
        program, bound, n = xc.jaxpr_as_fun(made.closed), self._bound, len(made.results.per_replica)
        order = bound.written_order()

        def replica(donated: list[Any], kept: list[Any], own: list[list[Any]], shared: list[list[Any]]) -> Any:
            def once(written: list[Any], inputs: list[Any]) -> tuple[list[Any], list[Any]]:
                outs = program(*bound.merge(written, kept), *inputs)
                new = [v[None] if s else v for v, s in zip(outs[n:], bound.written_slots, strict=True)]
                return [new[i] for i in order], outs[:n]

            inputs = [jnp.stack([v[0] for v in column]) for column in zip(*own, strict=True)]
            inputs += [jnp.stack(column) for column in zip(*shared, strict=True)]
            last, results = jax.lax.scan(once, donated, inputs, length=self._times, unroll=min(self._times, _UNROLLED))
            by_call = [
                [v[i][None] if f else v[i] for i in range(self._times)]
                for v, f in zip(results, made.results.per_replica, strict=True)
            ]
            new: list[Any] = [None] * len(order)
            for value, position in zip(last, order, strict=True):
                new[position] = value
            return by_call, new

        each, every = PartitionSpec(AXIS), PartitionSpec()
        ins = (bound.specs(True), bound.specs(False), [[each] * own] * self._times, [[every] * shared] * self._times)
        outs = (
            [[each if f else every] * self._times for f in made.results.per_replica],
            [each if s else every for s in bound.written_slots],
        )
        mapped = jax.shard_map(replica, mesh=self._mesh.mesh, in_specs=ins, out_specs=outs, check_vma=False)
        return jax.jit(mapped, donate_argnums=(0,), compiler_options=compiler_options(self._mesh.devices[0].platform))
