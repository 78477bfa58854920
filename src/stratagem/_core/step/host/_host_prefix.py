"""HostPrefix: what a step computes on the host before its program runs, such as look-ups of strings."""

import dataclasses
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any, Final, final

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.types import UserFunction
from stratagem._core.mesh import ReplicaMesh, exact
from stratagem._core.step.host._sized_by_contents import SizedByContents
from stratagem._core.step.keys._host_values import HostValue, StringsResult
from stratagem._core.step.keys._program_keys import leaf_key, static_key
from stratagem._core.values import Separate, is_per_replica, per_replica

Shapes = tuple[tuple[int, ...], ...]
Leaves = Sequence[Any] | Mapping[int, Any]

# In place of the number of a call: of what the program computes.
LATE: Final = -2
# Values in the results of calls that are equal in all processes.
PLAIN: Final = (bool, int, float, complex, str, bytes)


@final
@dataclass(frozen=True)
class HostCall:
    """A call of a function of the host, with the names of values of the step in place of its tensors.

    own: whether every replica has its own tensors, and so its own result. pure: whether the result depends on the arguments
    alone, and nobody notices when, or how often, it is made.
    """

    function: UserFunction
    leaves: tuple[Any, ...]
    structure: PyTreeDef
    own: bool
    pure: bool = False

    def made_of(self, value_of: Callable[[HostValue], Any], *, as_numpy: bool = False) -> Any:
        """Calls the function. value_of: returns the value of a name.

        as_numpy: leaves a tensor whose sizes only its contents tell in NumPy.
        """
        leaves = [value_of(v) if isinstance(v, HostValue) else v for v in self.leaves]
        args, kwargs = jax.tree.unflatten(self.structure, leaves)
        function = self.function
        return (function.function if as_numpy and isinstance(function, SizedByContents) else function)(*args, **kwargs)

    def is_late(self, earlier: Sequence["HostCall"]) -> bool:
        """Returns whether this needs what the program computes. earlier: the calls before it."""
        named = [v for v in self.leaves if isinstance(v, HostValue)]
        return any(v.call == LATE or (v.call >= 0 and earlier[v.call].is_late(earlier)) for v in named)

    def repeats(self, other: "HostCall") -> bool:
        """Returns whether this is the call of the same function with values of the same names: as in another trace."""
        names = [[v if isinstance(v, HostValue) else None for v in call.leaves] for call in (self, other)]
        return (
            function_name(self.function) == function_name(other.function)
            and names[0] == names[1]
            and (self.structure, self.own) == (other.structure, other.own)
        )

    def equals(self, other: "HostCall") -> bool:
        """Returns whether this is the call of the same function with the same arguments."""
        same = _are_equal(self.function, other.function) and self.repeats(other)
        return same and all(
            isinstance(a, HostValue) or _are_equal(a, b) for a, b in zip(self.leaves, other.leaves, strict=True)
        )


def _are_equal(one: Any, other: Any) -> bool:
    """Returns whether both are the same constant, perhaps made anew in each trace: a table of words, a kind of feature."""
    if static_key(one) == static_key(other):
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, MethodType):  # of an object that each trace copies, as an Estimator's columns in `params`
        return one.__func__ is other.__func__ and _are_equal(one.__self__, other.__self__)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        names = [each.name for each in dataclasses.fields(one) if each.compare]
        return bool(names) and all(_are_equal(getattr(one, name), getattr(other, name)) for name in names)
    return False


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
        return value.call == LATE or (value.call >= 0 and self.calls[value.call].is_late(self.calls))

    def equals(self, other: "HostPrefix") -> bool:
        """Returns whether this computes the same."""
        return len(self.calls) == len(other.calls) and all(map(HostCall.equals, self.calls, other.calls))

    def results(self, leaves: Leaves, replicas: int = 1) -> list[list["CallResult"]]:
        """Runs the calls; returns, by call, a result for each local replica, or a single one if all replicas share it.

        leaves: of the step's arguments and of the elements drawn for it, by their positions.
        """
        values = _Values(leaves, [])
        for call in self.calls:
            rounds = replicas if call.own else 1
            values.results.append([CallResult.of(call, values, replica) for replica in range(rounds)])
        return values.results

    def run(self, leaves: Sequence[Any], mesh: ReplicaMesh) -> "PrefixValues":
        """Runs the calls. leaves: of the step's arguments and of the elements drawn for it."""
        return self.with_results(leaves, self.results(leaves, len(mesh.local_ids)), mesh)

    def with_results(
        self, leaves: Sequence[Any], results: list[list["CallResult"]], mesh: ReplicaMesh, *, there: bool = False
    ) -> "PrefixValues":
        """Returns what a run comes to that has these results. there: whether they stand for those of another process."""
        values = _Values(leaves, results)
        kinds = [found[0].kind for call, found in zip(self.calls, values.results, strict=True) if not call.own]
        own = self._agreed(values, mesh)
        inputs = tuple(self._input(value, values, mesh, own.shapes.get(value)) for value in self.inputs)
        shaped = tuple(own.shapes.get(value) or np.shape(values.of(value, 0)) for value in self.shaped)
        sizes = tuple(plain_sizes(values.of(v, 0)) for v in self.sizes if not self.calls[v.call].own)
        every = (*map(leaf_key, inputs), shaped, sizes, *own.kinds, *kinds)
        return PrefixValues(self, inputs, every, own, values, self if there else None)

    def _agreed(self, values: "_Values", mesh: ReplicaMesh) -> "OwnKinds":
        """Returns what the program depends on of values that every replica has its own of."""
        own = [v for v in (*self.inputs, *self.shaped) if self.calls[v.call].own]
        sizes = [v for v in self.sizes if self.calls[v.call].own]
        replicas = len(mesh.local_ids)
        local = (
            [[list(np.shape(each)) for each in values.each(v, replicas)] for v in own],
            [[plain_sizes(each) for each in values.each(v, replicas)] for v in sizes],
            [repr([r.kind for r in results]) for c, results in zip(self.calls, values.results, strict=True) if c.own],
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

    def _input(self, value: HostValue, values: "_Values", mesh: ReplicaMesh, shapes: Shapes | None) -> Any:
        if shapes is None:
            return values.of(value, 0)
        return per_replica([exact(np.asarray(v)) for v in values.each(value, len(mesh.local_ids))], mesh, shapes)


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
class CallResult:
    """The result of a call: its leaves, and all of it but the values of its tensors."""

    leaves: list[Any]
    kind: Hashable

    @classmethod
    def of(cls, call: HostCall, values: "_Values", replica: int) -> "CallResult":
        found, structure = jax.tree.flatten(call.made_of(lambda value: values.of(value, replica)))
        return cls(found, kind_of_result(found, structure))


@final
@dataclass(frozen=True)
class _Values:
    """The values of one run, by name. results: by call and local replica; a single one if all replicas share it."""

    leaves: Leaves
    results: list[list[CallResult]]

    def of(self, value: HostValue, replica: int) -> Any:
        """Returns the value of a local replica."""
        if value.call < 0:
            leaf = self.leaves[value.leaf]
            return leaf.values[replica] if is_per_replica(leaf) else leaf
        results = self.results[value.call]
        return results[replica if len(results) > 1 else 0].leaves[value.leaf]

    def each(self, value: HostValue, replicas: int) -> list[Any]:
        """Returns the values of all local replicas."""
        return [self.of(value, replica) for replica in range(replicas)]


@final
@dataclass(frozen=True)
class PrefixValues:
    """The results of one run of a prefix.

    inputs: of the program. kinds: for each there is a program of its own. own: of replicas' own values. there: the prefix
    that another process runs with each step, whose inputs and strings are there; None if this process has run it.
    """

    prefix: HostPrefix
    inputs: tuple[Any, ...]
    kinds: tuple[Hashable, ...]
    own: OwnKinds
    values: _Values
    there: HostPrefix | None = None

    @classmethod
    def of_symbols(cls, prefix: HostPrefix, inputs: tuple[Any, ...]) -> "PrefixValues":
        """Returns the results where only their inputs to a program are there, as in a trace that is exported."""
        return cls(prefix, inputs, (), OwnKinds({}, {}, ()), _Values([], []))

    def filled(self, result: Any, mesh: ReplicaMesh) -> Any:
        """Returns a step's result with the strings that its function has returned."""
        return with_strings(result, lambda value: self.values.each(value, len(mesh.local_ids)))

    @property
    def leaves(self) -> Leaves:
        """The leaves of the step's arguments, and of the elements drawn for it."""
        return self.values.leaves

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
        results = values.values
        shapes = tuple(
            own.shapes[v][self.replica] if v in own.shapes else np.shape(results.of(v, 0)) for v in prefix.shaped
        )
        sizes = tuple(
            own.sizes[v][self.replica] if v in own.sizes else plain_sizes(results.of(v, 0)) for v in prefix.sizes
        )
        return (shapes, sizes) == (self.shapes, self.sizes) and all(
            self.local is None or found[self.local if call.own else 0].kind == kind
            for call, found, kind in zip(prefix.calls, results.results, self.kinds, strict=True)
        )


def kind_of_result(leaves: Sequence[Any], structure: PyTreeDef) -> Hashable:
    """Returns all of a result of a host function that a program is made for: all but the values of its tensors."""
    return structure, *(static_key(v) for v in leaves if not is_array(v))


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


def is_array(leaf: Any) -> bool:
    """Returns whether a part of a host function's result is a tensor."""
    return type(leaf) is np.ndarray or isinstance(leaf, jax.Array | np.ndarray | np.generic)


def function_name(function: UserFunction) -> str:
    """Returns the name of a function for messages and comparisons."""
    return getattr(function, "__qualname__", repr(function))
