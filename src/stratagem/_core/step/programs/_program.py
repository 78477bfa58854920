"""Program: a step for even inputs, compiled as one program over the mesh."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import keras
from jax.extend import core as xc
from jax.sharding import PartitionSpec

from stratagem._core.eager import EagerRecorder, open_recorder
from stratagem._core.interruption import interruptible
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.rewrites import compiler_options, rewrite_finished
from stratagem._core.step.programs._exchanges import with_exchanges
from stratagem._core.step.programs._increments import increments
from stratagem._core.step.programs._program_call import on_all_devices, shared_argument
from stratagem._core.step.programs._program_variables import ProgramVariables
from stratagem._core.step.programs._trace import Trace
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.values import Stacked, TensorSpec
from stratagem._private import (
    EagerOperation,
    OutsideOfTraces,
    is_default_device,
    movable,
    note_reads,
    of_words,
    on_only,
)


class Program:
    """A compiled step for inputs that have the same shapes on all replicas."""

    def __init__(self, traced: Trace, arguments: Arguments, mesh: ReplicaMesh) -> None:
        self._mesh = mesh
        self._results = traced.results
        self._place = mesh.everywhere if mesh.num_replicas > 1 else on_only(mesh.devices[0])
        self._one_here = mesh.num_replicas == 1 and is_default_device(mesh.devices[0])
        self._result_specs = [
            TensorSpec(a.shape, a.dtype) for a in traced.closed.out_avals[: len(traced.results.per_replica)]
        ]
        self._bound = ProgramVariables(traced, mesh)
        self._increments = increments(traced)
        exchanging = with_exchanges(traced.closed, mesh)
        sizes = len(arguments.own), len(arguments.shared)
        self._replicated = self._on_replicas(traced, exchanging, *sizes)
        self._captured = list(
            traced.closed.consts
        )  # tensors that the code has from outside are constants of the program
        self._replicated_with_captured = self._on_replicas(traced, exchanging, *sizes, captured=len(self._captured))
        finished = rewrite_finished(exchanging, mesh.devices[0].platform)
        compiled = self._compiled(self._on_replicas(traced, finished, *sizes), traced.closed.jaxpr)
        self._run = interruptible(compiled, traced.closed.jaxpr, with_result=True)
        self._first = True

    def __call__(self, arguments: Arguments) -> Any:
        """Reads the variables, runs the program, writes the variables and returns the results, without waiting."""
        return self._verified(self._started(arguments))

    def start(self, arguments: Arguments) -> Callable[[], Any]:
        """The same in two parts: runs the program, and returns a function that returns the results."""
        outs = self._started(arguments)
        return lambda: self._verified(outs)

    def _started(self, arguments: Arguments) -> list[jax.Array]:
        """Reads the variables, runs the program, and writes the variables; returns what the program does."""
        self._bound.check()
        own = [v.array for v in arguments.own]
        recorder = open_recorder()
        placed = shared_argument if recorder is None else on_all_devices  # tapes know arrays of devices only
        shared: list[Any] = list(arguments.shared)
        for i, value in enumerate(shared):
            lies_there = (
                isinstance(value, jax.Array) and value.sharding is self._place
            )  # as the library's own batches do
            if not lies_there:
                shared[i] = placed(value, self._mesh)
        if recorder is None:
            note_reads(self._bound.in_order)
        run = self._run if recorder is None else functools.partial(self._run_recorded, recorder)
        outs: list[jax.Array] = self._bound.run(run, own, shared, first=self._first)
        self._first = False
        return outs

    def _verified(self, outs: Sequence[Any]) -> Any:
        mesh, flags = self._mesh, self._results.per_replica
        if not self._one_here or any(flags):
            local = movable if mesh.num_replicas == 1 else mesh.first
            outs = [Stacked(v, mesh) if f else local(v) for v, f in zip(outs, flags, strict=True)]
        return self._results.verified(outs, mesh)

    @property
    def result_specs(self) -> Any:
        """The structure that a call returns, with specs in place of tensors; a tensor of every replica has that of one."""
        return self._results.rebuilt(self._result_specs)

    @property
    def variables(self) -> tuple[keras.Variable, ...]:
        """The variables that the program reads or assigns."""
        return tuple(self._bound.in_order)

    def added_to(self, counter: keras.Variable) -> int | None:
        """Returns what every call adds to a scalar of whole numbers; None if only its value after the call tells."""
        return None if self._increments is None else self._increments.get(id(counter))

    @property
    def stale(self) -> bool:
        """True if the program is out of date, as `ProgramVariables.stale` says."""
        return self._bound.stale

    def _run_recorded(
        self, recorder: EagerRecorder, donated: list[Any], read_only: list[Any], own: list[Any], shared: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Runs the program as one operation of the eager tapes that are open; it keeps what it is given.

        Its operands are the variables, the arguments, and what it captures if a tape tracks any of that.
        """
        variables = [
            recorder.read_stored(v, x) for v, x in zip(self._bound.in_order, [*donated, *read_only], strict=True)
        ]
        captures = recorder.tracks(self._captured)
        replicated = self._replicated_with_captured if captures else self._replicated
        captured = [[on_all_devices(c, self._mesh) for c in self._captured]] if captures else []
        operands, split = jax.tree.flatten((*self._bound.split(variables), own, shared, *captured))
        with OutsideOfTraces():
            if not recorder.tracks(operands):
                given = list(map(jnp.copy, donated)) if recorder.is_paused else donated
                return self._run(given, read_only, own, shared)

            def compute(*values: Any) -> list[Any]:
                return jax.tree.leaves(replicated(*jax.tree.unflatten(split, values)))

            made = recorder.run(EagerOperation(compute, f"program capturing {captures}", owner=self), operands)
        flags = self._results.per_replica
        new, results = made[: len(made) - len(flags)], made[len(made) - len(flags) :]
        if self._mesh.num_replicas > 1:
            return new, results
        return new, [v if f else self._mesh.first(v) for v, f in zip(results, flags, strict=True)]

    def _compiled(self, replicated: Callable[..., Any], program: xc.Jaxpr) -> Callable[..., Any]:
        options = compiler_options(self._mesh.devices[0].platform, program)
        # Shared tensors are said to lie everywhere, so that JAX compiles no program of its own for those that are NumPy arrays.
        places = (None, None, None, self._mesh.everywhere)
        # The result of a single replica lies on its device, not on a mesh, so that nothing has to be made of it after a call.
        alone = self._mesh.num_replicas == 1
        results = [self._place if alone and not f else None for f in self._results.per_replica]
        return jax.jit(
            replicated,
            in_shardings=places,
            out_shardings=(None, results),
            donate_argnums=(0,),
            compiler_options=options,
        )

    def _on_replicas(
        self, traced: Trace, program: xc.ClosedJaxpr, own: int, shared: int, captured: int = 0
    ) -> Callable[..., Any]:
        """Returns the program over the mesh, which does not refer to `self`: tapes keep it as long as `self` lives.

        captured: how many constants it takes as further inputs, in place of its own.
        """
        bound, n = self._bound, len(traced.results.per_replica)
        dtypes = [aval.dtype for aval in traced.closed.in_avals[len(bound.variables) + own :]]

        def replica(
            donated: list[Any], read_only: list[Any], own: list[Any], shared: list[Any], *captured: list[Any]
        ) -> tuple[list[Any], list[Any]]:
            values = bound.merge(donated, read_only)
            closed = xc.ClosedJaxpr(program.jaxpr, captured[0]) if captured else program
            whole = [v if v.dtype == dtype else of_words(v, dtype) for v, dtype in zip(shared, dtypes, strict=True)]
            outs = xc.jaxpr_as_fun(closed)(*values, *(v[0] for v in own), *whole)
            results = [v[None] if f else v for v, f in zip(outs[:n], traced.results.per_replica, strict=True)]
            # As in TF, an operand that only assignments depend on is not connected to the step.
            written = map(jax.lax.stop_gradient, outs[n:])
            # First, as `ProgramVariables` says of their order: a result would take a buffer that a new value should have.
            return [v[None] if s else v for v, s in zip(written, bound.written_slots, strict=True)], results

        each, every = PartitionSpec(AXIS), PartitionSpec()
        ins: tuple[list[PartitionSpec], ...] = (bound.specs(True), bound.specs(False), [each] * own, [every] * shared)
        ins += ([every] * captured,) if captured else ()
        outs = (
            [each if s else every for s in bound.written_slots],
            [each if f else every for f in traced.results.per_replica],
        )
        return jax.shard_map(replica, mesh=self._mesh.mesh, in_specs=ins, out_specs=outs, check_vma=False)
