"""HostPrefix: what a step computes on the host before its program runs, such as look-ups of strings."""

import dataclasses
import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import numpy as np

from stratagem._core.mesh import ReplicaMesh, exact
from stratagem._core.step.host._host_calls import HostCall, HostResults, Leaves, late_calls
from stratagem._core.step.keys._host_values import LATE, HostValue, StringsResult
from stratagem._core.step.keys._program_keys import leaf_key
from stratagem._core.values import Separate, is_per_replica, per_replica

Shapes = tuple[tuple[int, ...], ...]

# Values in the results of calls that are equal in all processes.
PLAIN: Final = (bool, int, float, complex, str, bytes)


@final
@dataclass(frozen=True, eq=False)
class HostPrefix:
    """The calls that run before a program, in their order.

    inputs: the numbers among their results, which the program takes after its arguments. shaped: the strings whose shapes the
    program depends on. sizes: numbers that have become parts of the program, as sizes of its tensors. strings: whether there
    are any among the arguments and the elements drawn, which may be results. plain: whether results hold nothing but tensors
    and Python's numbers and texts.
    """

    calls: tuple[HostCall, ...]
    inputs: tuple[HostValue, ...]
    shaped: tuple[HostValue, ...]
    sizes: tuple[HostValue, ...]
    strings: bool
    plain: bool = True

    def is_late(self, value: HostValue) -> bool:
        """Returns whether a value needs what the program computes."""
        return value.call == LATE or value.call in self._late

    @functools.cached_property
    def _late(self) -> set[int]:
        return late_calls(self.calls)

    def equals(self, other: "HostPrefix") -> bool:
        """Returns whether this computes the same."""
        return len(self.calls) == len(other.calls) and all(map(HostCall.equals, self.calls, other.calls))

    def results(self, leaves: Leaves, replicas: int = 1) -> list[HostResults]:
        """Makes the calls, once for each local replica or, if all replicas share it, once; returns the results by replica.

        leaves: of the step's arguments and of the elements drawn for it, by their positions.
        """
        runs = [HostResults(leaves, replica) for replica in range(replicas)]
        for call in self.calls:
            first, *others = runs
            result = first.make(call)
            for run in others:
                if call.own:
                    run.make(call)
                else:
                    run.made(result)
        return runs

    def run(self, leaves: Sequence[Any], mesh: ReplicaMesh) -> "PrefixValues":
        """Runs the calls. leaves: of the step's arguments and of the elements drawn for it."""
        return self.with_results(self.results(leaves, len(mesh.local_ids)), mesh)

    def with_results(self, runs: Sequence[HostResults], mesh: ReplicaMesh, *, there: bool = False) -> "PrefixValues":
        """Returns what a run comes to that has these results. there: whether they stand for those of another process."""
        first = runs[0]
        kinds = [found.kind for call, found in zip(self.calls, first.results, strict=True) if not call.own]
        own = self._agreed(runs, mesh)
        inputs = tuple(self._input(value, runs, mesh, own.shapes.get(value)) for value in self.inputs)
        shaped = tuple(own.shapes.get(value) or np.shape(first.of(value)) for value in self.shaped)
        sizes = tuple(plain_sizes(first.of(v)) for v in self.sizes if not self.calls[v.call].own)
        every = (*map(leaf_key, inputs), shaped, sizes, *own.kinds, *kinds)
        return PrefixValues(self, inputs, every, own, runs, self if there else None)

    def _agreed(self, runs: Sequence[HostResults], mesh: ReplicaMesh) -> "OwnKinds":
        """Returns what the program depends on of values that every replica has its own of."""
        own = [v for v in (*self.inputs, *self.shaped) if self.calls[v.call].own]
        sizes = [v for v in self.sizes if self.calls[v.call].own]
        local = (
            [[list(np.shape(run.of(v))) for run in runs] for v in own],
            [[plain_sizes(run.of(v)) for run in runs] for v in sizes],
            [repr([run.results[i].kind for run in runs]) for i, call in enumerate(self.calls) if call.own],
        )
        if not local[2]:
            return OwnKinds({}, {}, ())
        answers = [local]
        if mesh.job.workers > 1:
            answers = mesh.job.agree("the shapes of what is computed before the step", local)
        return OwnKinds(
            {v: tuple(tuple(shape) for shapes, *_ in answers for shape in shapes[i]) for i, v in enumerate(own)},
            {v: tuple(_hashable(size) for _, found, _ in answers for size in found[i]) for i, v in enumerate(sizes)},
            tuple(tuple(kinds) for *_, kinds in answers),
        )

    def _input(self, value: HostValue, runs: Sequence[HostResults], mesh: ReplicaMesh, shapes: Shapes | None) -> Any:
        if shapes is None:
            return runs[0].of(value)
        return per_replica([exact(np.asarray(run.of(value))) for run in runs], mesh, shapes)


@final
@dataclass(frozen=True)
class OwnKinds:
    """The facts of values that every replica has its own of on which a program depends, by replica of the job: shapes, sizes.

    structures: those of the results of calls, by worker.
    """

    shapes: dict[HostValue, Shapes]
    sizes: dict[HostValue, tuple[Hashable, ...]]
    structures: tuple[Hashable, ...]

    @property
    def kinds(self) -> tuple[Hashable, ...]:
        """The facts that make another program. (The shapes of inputs are in their own keys.)"""
        return (*self.sizes.values(), *self.structures)

    def sizes_of(self, replica: int) -> tuple[Hashable, ...]:
        """The sizes of one replica, where replicas differ in any."""
        return tuple(sizes[replica] for sizes in self.sizes.values()) if self.uneven else ()

    @property
    def uneven(self) -> bool:
        """True if replicas have different sizes."""
        return any(len(set(sizes)) > 1 for sizes in self.sizes.values())


@final
@dataclass(frozen=True)
class PrefixValues:
    """The results of one run of a prefix.

    inputs: of the program. kinds: for each there is a program of its own. own: of replicas' own values. runs: what the calls
    returned, by local replica. there: the prefix
    that another process runs with each step, whose inputs and strings are there; None if this process has run it.
    """

    prefix: HostPrefix
    inputs: tuple[Any, ...]
    kinds: tuple[Hashable, ...]
    own: OwnKinds
    runs: Sequence[HostResults]
    there: HostPrefix | None = None

    @classmethod
    def of_symbols(cls, prefix: HostPrefix, inputs: tuple[Any, ...]) -> "PrefixValues":
        """Returns the results where only their inputs to a program are there, as in a trace that is exported."""
        return cls(prefix, inputs, (), OwnKinds({}, {}, ()), [HostResults([])])

    def filled(self, result: Any) -> Any:
        """Returns a step's result with the strings that its function has returned."""
        return with_strings(result, lambda value: [run.of(value) for run in self.runs])

    @property
    def leaves(self) -> Leaves:
        """The leaves of the step's arguments, and of the elements drawn for it."""
        return self.runs[0].leaves

    def leaf(self, position: int) -> Any:
        """Returns one of these leaves."""
        return self.leaves[position]


def with_strings(result: Any, strings: Callable[[HostValue], Sequence[Any]]) -> Any:
    """Returns a step's result with strings in place of what stands for them. strings: of each local replica, by name."""

    def filled(leaf: Any) -> Any:
        if not isinstance(leaf, StringsResult):
            return leaf
        found = strings(leaf.value)
        return Separate(list(found)) if leaf.per_replica else found[0]

    return jax.tree.map(filled, result, is_leaf=is_per_replica)


@final
class PrefixTable:
    """The prefixes that traces of one function have found, by the kinds of the elements drawn for it, the newest last.

    A prefix was recorded with values of certain kinds, and is good for these: for others Python may do other things.
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, list[tuple[HostPrefix, tuple[Hashable, ...]]]] = {}
        self._new: dict[int, HostPrefix] = {}  # by the thread whose call was traced

    def __bool__(self) -> bool:
        return bool(self._new or self._found)

    def note(self, prefix: HostPrefix) -> None:
        """Takes note of the prefix of the call that this thread makes next."""
        if prefix.strings or prefix.calls or self:
            self._new[threading.get_ident()] = prefix

    def every(self) -> list[HostPrefix]:
        """Returns all prefixes."""
        return [*list(self._new.values()), *(prefix for found in list(self._found.values()) for prefix, _ in found)]

    def run(self, kinds: Hashable, run: Callable[[HostPrefix], PrefixValues]) -> PrefixValues | None:
        """Runs the prefix of a call for which elements of these kinds were drawn; None if it has to be found by a trace.

        run: runs a prefix with the values of the call.
        """
        known = self._found.get(kinds, [])
        prefix = self._new.pop(threading.get_ident(), None)
        if prefix is not None:
            values = run(prefix)
            self._found[kinds] = [*((p, k) for p, k in known if k != values.kinds), (prefix, values.kinds)]
            return values
        if not known:
            return None
        newest = known[-1][0]
        values = run(newest)
        fits = next((p for p, k in reversed(known) if k == values.kinds and (p is newest or p.equals(newest))), None)
        if fits is None or fits is newest:
            return None if fits is None else values
        return dataclasses.replace(values, prefix=fits)

    def run_pure(self, kinds: Hashable, run: Callable[[HostPrefix], PrefixValues]) -> PrefixValues | None:
        """The same for a call that is not made yet, and may never be; None also if its prefix is not pure."""
        known = self._found.get(kinds)
        if not known or threading.get_ident() in self._new or not all(call.pure for call in known[-1][0].calls):
            return None
        return self.run(kinds, run)


@final
@dataclass(frozen=True)
class PrefixFindings:
    """The prefix that one trace recorded, and the facts of its values that the program depends on.

    shapes: of the strings whose shapes matter. sizes: numbers that have become parts of the program. kinds: of the results of
    calls. replica, local: whose they are, and its position among this process' replicas; None for a replica of another worker,
    of which only shapes are known here. (The numbers that a program takes have their shapes among its inputs.)
    """

    prefix: HostPrefix
    shapes: tuple[tuple[int, ...], ...]
    sizes: tuple[Hashable, ...]
    kinds: tuple[Hashable, ...]
    replica: int
    local: int | None

    def hold_for(self, values: PrefixValues | None) -> bool:
        """Returns whether a run of a prefix did what the trace recorded. values: its results; None if there was none."""
        if values is None:
            return not self.prefix.calls and not self.prefix.strings  # which the step may return
        return self.repeats(values.prefix) and self._facts_hold(values)

    def repeats(self, run: HostPrefix) -> bool:
        """Returns whether the trace recorded the calls of this prefix, or fewer facts of the same."""
        prefix = self.prefix
        return (
            len(prefix.calls) == len(run.calls)
            and all(map(HostCall.repeats, prefix.calls, run.calls))
            and prefix.inputs == run.inputs
            and {*prefix.shaped} <= {*run.shaped}
            and {*prefix.sizes} <= {*run.sizes}
        )

    def _facts_hold(self, values: PrefixValues) -> bool:
        own, prefix = values.own, self.prefix
        run = values.runs[self.local or 0]
        shapes = tuple(own.shapes[v][self.replica] if v in own.shapes else np.shape(run.of(v)) for v in prefix.shaped)
        sizes = tuple(own.sizes[v][self.replica] if v in own.sizes else plain_sizes(run.of(v)) for v in prefix.sizes)
        return (shapes, sizes) == (self.shapes, self.sizes) and (
            self.local is None or tuple(result.kind for result in run.results) == self.kinds
        )


def plain_sizes(sizes: Any) -> Any:
    """Returns numbers in a form that can be a key."""
    return _hashable(np.asarray(sizes).tolist())


def _hashable(sizes: Any) -> Hashable:
    return tuple(map(_hashable, sizes)) if isinstance(sizes, list | tuple) else sizes


def is_strings(leaf: Any) -> bool:
    """Returns whether an argument is a tensor of strings, or one for each replica."""
    if isinstance(leaf, Separate):
        return bool(leaf.values[0].dtype == object)
    return isinstance(leaf, np.ndarray) and leaf.dtype == object
