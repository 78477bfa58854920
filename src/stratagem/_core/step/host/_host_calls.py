"""HostCall and HostResults: calls of functions of the host, recorded once, and made in every run."""

import dataclasses
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import Any, NamedTuple, final

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.types import UserFunction
from stratagem._core.step.host._sized_by_contents import SizedByContents
from stratagem._core.step.keys._host_values import LATE, HostValue
from stratagem._core.step.keys._program_keys import static_key
from stratagem._core.values import is_per_replica

Leaves = Sequence[Any] | Mapping[int, Any]

_LEAF = jax.tree.structure(0)


@final
@dataclass(frozen=True)
class HostCall:
    """A call of a function of the host, with the names of values of the step instead of its tensors.

    own: whether every replica has its own tensors, and so its own result. pure: whether the result depends on the arguments
    alone, and nobody notices when, or how often, it is made.
    """

    function: UserFunction
    leaves: tuple[Any, ...]
    structure: PyTreeDef
    own: bool
    pure: bool = False

    @property
    def named(self) -> list[HostValue]:
        """The values of the step that it is given."""
        return [leaf for leaf in self.leaves if isinstance(leaf, HostValue)]

    def arguments(self, value_of: Callable[[HostValue], Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the arguments. value_of: returns the value of a name."""
        args, kwargs = jax.tree.unflatten(
            self.structure, [value_of(v) if isinstance(v, HostValue) else v for v in self.leaves]
        )
        return args, kwargs

    def is_late(self, late: Collection[int]) -> bool:
        """Returns whether this needs what the program computes. late: the numbers of the calls before it that do."""
        return any(v.call == LATE or v.call in late for v in self.named)

    def repeats(self, other: "HostCall") -> bool:
        """Returns whether this is the call of the same function with values of the same names, as in a second trace."""
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


def late_calls(calls: Sequence[HostCall]) -> set[int]:
    """Returns the numbers of the calls that need what the program computes."""
    late: set[int] = set()
    for number, call in enumerate(calls):
        if call.is_late(late):
            late.add(number)
    return late


def _are_equal(one: Any, other: Any) -> bool:
    """Returns whether both are the same constant, of which each trace may make its own: a table of words, a kind of feature."""
    if static_key(one) == static_key(other):
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic | jax.Array):
        a, b = np.asarray(one), np.asarray(other)
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if isinstance(one, slice):
        return all(map(_are_equal, (one.start, one.stop, one.step), (other.start, other.stop, other.step)))
    if isinstance(one, MethodType):  # of an object that each trace copies, as an Estimator's columns in `params`
        return one.__func__ is other.__func__ and _are_equal(one.__self__, other.__self__)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_are_equal, one, other))
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        names = [each.name for each in dataclasses.fields(one) if each.compare]
        return bool(names) and all(_are_equal(getattr(one, name), getattr(other, name)) for name in names)
    return False


@final
class CallResult(NamedTuple):  # a tuple, because a dataset makes one for each call and element
    """The result of a call: its leaves, and all of it on which a program depends."""

    leaves: Sequence[Any]
    kind: Hashable


def kind_of_result(call: HostCall, leaves: Sequence[Any], structure: PyTreeDef) -> Hashable:
    """Returns all of a result of a host function that a program is made for: all but the values of its tensors."""
    return structure, *(static_key(v) for v in leaves if not is_array(v))


@final
class HostResults:
    """The results of calls in one run, for one replica or one element, by call.

    leaves: those that the calls are given, by position. replica: the local one whose part is taken of a value for each.
    late: what the program has computed, once it has run.
    """

    __slots__ = ("_replica", "late", "leaves", "results")

    def __init__(self, leaves: Leaves, replica: int = 0, late: Sequence[Any] = ()) -> None:
        self.leaves, self.late = leaves, late
        self.results: list[CallResult] = []
        self._replica = replica

    def of(self, value: HostValue) -> Any:
        """Returns the value of a name."""
        if value.call >= 0:
            return self.results[value.call].leaves[value.leaf]
        if value.call == LATE:
            return self.late[value.leaf]
        leaf = self.leaves[value.leaf]
        if type(leaf) is np.ndarray:  # as an element's are
            return leaf
        return leaf.values[self._replica] if is_per_replica(leaf) else leaf

    def make(
        self,
        call: HostCall,
        *,
        kind_of: Callable[[HostCall, Sequence[Any], PyTreeDef], Hashable] | None = kind_of_result,
        as_numpy: bool = False,
    ) -> CallResult:
        """Makes the next call.

        kind_of: returns the kind of its result, given the call, the leaves and the structure; None where no program depends on
        it. as_numpy: leaves a tensor whose sizes only its contents tell in NumPy.

        Raises what the function raises.
        """
        args, kwargs = call.arguments(self.of)
        function = call.function
        found = (function.function if as_numpy and isinstance(function, SizedByContents) else function)(*args, **kwargs)
        # A single tensor, which most are, is told without JAX.
        leaves, structure = ([found], _LEAF) if isinstance(found, np.ndarray | jax.Array) else jax.tree.flatten(found)
        self.results.append(CallResult(leaves, None if kind_of is None else kind_of(call, leaves, structure)))
        return self.results[-1]

    def made(self, result: CallResult) -> None:
        """Takes the result of the next call, which was made elsewhere."""
        self.results.append(result)


def is_array(leaf: Any) -> bool:
    """Returns whether a part of a host function's result is a tensor."""
    return type(leaf) is np.ndarray or isinstance(leaf, jax.Array | np.ndarray | np.generic)


def function_name(function: UserFunction) -> str:
    """Returns the name of a function for messages and comparisons."""
    return getattr(function, "__qualname__", repr(function))
