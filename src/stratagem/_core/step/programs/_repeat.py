"""RepeatedProgram: several calls of a step as one program, for steps shorter than the start of a program."""

import math
from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc
from jax.sharding import PartitionSpec

from stratagem._core.interruption import interruptible
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.rewrites import compiler_options, rewrite_finished
from stratagem._core.step.programs._program_call import on_all_devices, shared_argument
from stratagem._core.step.programs._program_variables import ProgramVariables
from stratagem._core.step.programs._trace import Trace
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.values import Stacked
from stratagem._kernels import has_kernels
from stratagem._private import of_words, sub_jaxprs

# XLA's CPU backend runs these without threads inside a loop: the gradient of a convolution took 13.6 times as long on two
# cores (AVX-512). Matrix products, windows, sorts, sums, gathers and random numbers took as long as outside.
_THREADED = ("conv_general_dilated",)
# Those that the library of kernels computes, which has its threads everywhere, or XLA without it. Where each has its filters
# and results, among its operands and, the last, its result.
_CONVOLUTIONS = {"convolution": (1, 2), "convolution_of_input": (1, 0), "convolution_of_filters": (2, 1)}
# Multiplications and additions that take about a millisecond. A longer step gains nothing: meanwhile the next one is started.
_SHORT = 5e7

# Copies of the step in the body of the loop: XLA fuses across them, and takes longer to compile.
_UNROLLED = 4


def loop_is_faster(closed: xc.ClosedJaxpr, platform: str) -> bool:
    """Returns whether a loop over the step runs faster than several programs one after another."""
    return platform != "cpu" or (work(closed.jaxpr) < _SHORT and not is_slower_in_loops(closed.jaxpr, platform))


def is_slower_in_loops(jaxpr: xc.Jaxpr, platform: str) -> bool:
    """Returns whether XLA runs an equation of a program slower inside a loop than outside."""
    return platform == "cpu" and _has_threaded(jaxpr)


def _has_threaded(jaxpr: Any) -> bool:
    threaded = _THREADED if has_kernels() else (*_THREADED, *_CONVOLUTIONS)
    return any(e.primitive.name in threaded or any(map(_has_threaded, sub_jaxprs(e.params))) for e in jaxpr.eqns)


def work(jaxpr: Any) -> float:
    """Returns roughly how many multiplications and additions a program makes (a `while` loop counts as one round)."""
    return sum(map(_work, jaxpr.eqns))


def _work(eqn: Any) -> float:
    inner = list(sub_jaxprs(eqn.params))
    if inner:
        return float(eqn.params.get("length", 1)) * sum(map(work, inner))
    made = sum(math.prod(v.aval.shape) for v in eqn.outvars if hasattr(v.aval, "shape"))
    if eqn.primitive.name in _CONVOLUTIONS:
        shapes = [v.aval.shape for v in (*eqn.invars, *eqn.outvars)]
        filters, results = (shapes[i] for i in _CONVOLUTIONS[eqn.primitive.name])
        return 2.0 * math.prod(results) * math.prod(filters[:-1])
    if eqn.primitive.name not in ("dot_general", "product"):
        return float(made)
    (contracted, _), _ = eqn.params["dimension_numbers"]
    return 2.0 * made * math.prod(eqn.invars[0].aval.shape[i] for i in contracted)


@final
class SequentialCalls:
    """A step for even inputs that runs several times in a row as separate calls, because a loop would be slower."""

    def __init__(self, program: Any) -> None:
        self._program = program

    @property
    def stale(self) -> bool:
        """True if the program is out of date."""
        return bool(self._program.stale)

    def __call__(self, calls: Sequence[Arguments]) -> list[Any]:
        """Runs the calls and returns the result of each, without waiting."""
        return [self._program(call) for call in calls]


@final
class RepeatedProgram:
    """A step for even inputs, `times` in a row: a loop over the calls' inputs that carries the variables."""

    def __init__(self, traced: Trace, arguments: Arguments, mesh: ReplicaMesh, times: int, every: bool) -> None:
        """every: return the results of all calls, else those of the last alone: an array costs 2 µs each."""
        self._mesh, self._times = mesh, times
        self._returned = range(0 if every else times - 1, times)
        self._results = traced.results
        self._bound = ProgramVariables(traced, mesh)
        run = self._compiled(traced, len(arguments.own))
        self._run = interruptible(run, traced.closed.jaxpr, with_result=True)
        self._first = True

    @property
    def stale(self) -> bool:
        """True if the program is out of date, as `ProgramVariables.stale` says."""
        return self._bound.stale

    def __call__(self, calls: Sequence[Arguments]) -> list[Any]:
        """Runs the calls and returns their results, without waiting."""
        self._bound.check()
        own = [[v.array for v in call.own] for call in calls]
        shared = [self._together(column) for column in zip(*(call.shared for call in calls), strict=True)]
        outs = self._bound.run(self._run, own, shared, first=self._first, steps=self._times)
        self._first = False
        mesh, flags = self._mesh, self._results.per_replica
        columns = [
            [Stacked(v, mesh) if f else mesh.first(v) for v in column] for column, f in zip(outs, flags, strict=True)
        ]
        return [self._results.rebuilt([column[i] for column in columns]) for i in range(len(self._returned))]

    def _together(self, values: Sequence[Any]) -> Any:
        """Returns the same argument of all calls: one array if they are NumPy's, which are copied once, else a list."""
        found = [shared_argument(v, self._mesh) for v in values]
        if all(type(v) is np.ndarray for v in found):
            return np.stack(found)
        return [on_all_devices(v, self._mesh) for v in values]

    def _compiled(self, traced: Trace, own: int) -> Callable[..., Any]:
        platform = self._mesh.devices[0].platform
        program = xc.jaxpr_as_fun(rewrite_finished(traced.closed, platform))
        bound, n = self._bound, len(traced.results.per_replica)
        dtypes = [aval.dtype for aval in traced.closed.in_avals[len(bound.variables) :]]

        def replica(donated: list[Any], read_only: list[Any], own: list[list[Any]], shared: list[Any]) -> Any:
            def once(written: list[Any], inputs: list[Any]) -> tuple[list[Any], list[Any]]:
                outs = program(*bound.merge(written, read_only), *inputs)
                return [v[None] if s else v for v, s in zip(outs[n:], bound.written_slots, strict=True)], outs[:n]

            inputs = [jnp.stack([v[0] for v in column]) for column in zip(*own, strict=True)]
            inputs += [jnp.stack(column) if isinstance(column, list) else column for column in shared]
            inputs = [v if v.dtype == dtype else of_words(v, dtype) for v, dtype in zip(inputs, dtypes, strict=True)]
            new, results = jax.lax.scan(once, donated, inputs, length=self._times, unroll=min(self._times, _UNROLLED))
            by_call = [
                [v[i][None] if f else v[i] for i in self._returned]
                for v, f in zip(results, traced.results.per_replica, strict=True)
            ]
            return new, by_call

        each, every = PartitionSpec(AXIS), PartitionSpec()
        ins = (bound.specs(True), bound.specs(False), [[each] * own] * self._times, every)
        outs = (
            [each if s else every for s in bound.written_slots],
            [[each if f else every] * len(self._returned) for f in traced.results.per_replica],
        )
        mapped = jax.shard_map(replica, mesh=self._mesh.mesh, in_specs=ins, out_specs=outs, check_vma=False)
        return jax.jit(
            mapped,
            in_shardings=(None, None, None, self._mesh.everywhere),  # as in `Program`
            donate_argnums=(0,),
            compiler_options=compiler_options(platform),
        )
