"""ExpectedPrefixes: the host prefixes that a worker in another process runs, as its coordinator knows them."""

import itertools
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import (
    CallResult,
    HostPrefix,
    HostResults,
    HostValue,
    IdentityKey,
    PrefixValues,
    leaf_key,
)
from stratagem._servers.remote._carried_prefix import (
    BoundFunction,
    CarriedPrefix,
    LibraryObject,
    PrefixInputRef,
    PrefixRequest,
    ResultFacts,
    can_be_carried,
    carried_call,
    facts_of,
)
from stratagem._servers.remote._finalizers import FinalizationQueue
from stratagem._servers.remote._stand_ins import stand_in_for

_numbers = itertools.count()

# Sends a prefix and objects under their numbers.
Send = Callable[[int, CarriedPrefix, dict[int, LibraryObject]], None]


@final
@dataclass
class _KnownPrefix:
    """The coordinator's knowledge of a prefix.

    carried: whether the worker can run it. named: the leaves that it names. expected: the facts of results found last, by the
    kinds of these leaves. number, learned: its number at the worker, None before it was sent, and those of its objects.
    """

    carried: bool
    named: tuple[int, ...]
    expected: dict[Hashable, tuple[ResultFacts, ...]] = field(default_factory=dict)
    learned: tuple[int, ...] = ()
    number: int | None = None

    def kinds(self, leaf: Callable[[int], Any]) -> Hashable:
        """Returns the kinds of the leaves that the prefix names. leaf: returns one by its position."""
        return tuple(leaf_key(leaf(i)) for i in self.named)


@final
class ExpectedPrefixes:
    """The prefixes of one worker. Used by the coordinator's thread for it."""

    def __init__(self) -> None:
        self._known: weakref.WeakKeyDictionary[HostPrefix, _KnownPrefix] = weakref.WeakKeyDictionary()
        self._objects: dict[IdentityKey, tuple[tuple[Any, ...], int]] = {}
        self._there: set[int] = set()  # numbers of objects that the worker has
        self._finalized = FinalizationQueue()
        self._stale: list[tuple[str, int]] = []  # what the worker has of objects that have learned something else since

    def carries(self, prefix: HostPrefix) -> bool:
        """Returns whether the worker can run a prefix."""
        return self._of(prefix).carried

    def _of(self, prefix: HostPrefix) -> _KnownPrefix:
        known = self._known.get(prefix)
        if known is None:
            named = (v for call in prefix.calls for v in call.named if v.call == -1)
            positions = tuple(dict.fromkeys(v.leaf for v in named))
            known = self._known[prefix] = _KnownPrefix(can_be_carried(prefix), positions)
        return known

    def expected(self, prefix: HostPrefix, leaves: Sequence[Any], mesh: ReplicaMesh) -> PrefixValues:
        """Returns stand-ins for the results of the kinds that were found last, the first time for leaves like these."""
        known = self._of(prefix)
        kinds = known.kinds(leaves.__getitem__)
        if kinds not in known.expected:
            (run,) = prefix.results(leaves)
            known.expected[kinds] = facts_of(prefix, run.results)
        stand_ins = HostResults(leaves)
        for number, facts in enumerate(known.expected[kinds]):
            stand_ins.made(_stand_ins(number, facts))
        return prefix.with_results([stand_ins] * len(mesh.local_ids), mesh, there=True)

    def found(self, values: PrefixValues, facts: tuple[ResultFacts, ...]) -> None:
        """Takes note of what the worker has found in place of what was expected."""
        known = self._of(_there(values))
        known.expected[known.kinds(values.leaf)] = facts

    def request(
        self, values: PrefixValues, returned: Sequence[HostValue], sent: Callable[[Any], Any], send: Send
    ) -> PrefixRequest:
        """Returns what a step is sent with. sent: returns a leaf as it is sent. send: sends what the worker lacks."""
        prefix = _there(values)
        known = self._of(prefix)
        positions = {*known.named, *(v.leaf for v in returned if v.call == -1)}
        leaves = {i: sent(values.leaf(i)) for i in sorted(positions)}
        expected = known.expected[known.kinds(values.leaf)]
        return PrefixRequest(self._number(prefix, known, send), leaves, expected, tuple(returned))

    def _number(self, prefix: HostPrefix, known: _KnownPrefix, send: Send) -> int:
        """Returns the number of a prefix at the worker, after it and its objects have been sent as they are now."""
        bound = [BoundFunction.of(call.function) for call in prefix.calls]
        objects = [None if each is None else self._object(each) for each in bound]
        learned = tuple(number for number in objects if number is not None)
        if known.number is None or learned != known.learned:
            described = {
                number: each.described()
                for each, number in zip(bound, objects, strict=True)
                if each is not None and number is not None and number not in self._there
            }
            if known.number is not None:
                self._stale.append(("prefix", known.number))
            known.number, known.learned = next(_numbers), learned
            send(known.number, _carried(prefix, objects), described)
            self._there.update(described)
            self._finalized.watch(prefix, ("prefix", known.number))
        return known.number

    def _object(self, bound: BoundFunction) -> int:
        """Returns the number of an object with what it has learned until now."""
        key, learned = IdentityKey(bound.owner), bound.learned
        before = self._objects.get(key)
        if (
            before is None
            or len(before[0]) != len(learned)
            or any(a is not b for a, b in zip(before[0], learned, strict=True))
        ):
            if before is not None:
                self._stale.append(("object", before[1]))
            before = self._objects[key] = (learned, next(_numbers))
            self._finalized.watch(bound.owner, ("object", before[1]))
        return before[1]

    def dropped(self) -> tuple[list[int], list[int]]:
        """Returns the prefixes and the objects, by number, that nothing here refers to any more."""
        noted, self._stale = [*self._finalized.drain(), *self._stale], []
        if noted:
            self._objects = {key: value for key, value in self._objects.items() if key.alive()}
        gone = [[number for kind, number in noted if kind == wanted] for wanted in ("prefix", "object")]
        self._there.difference_update(gone[1])
        return gone[0], gone[1]

    def lost(self) -> None:
        """Takes note that the worker has nothing any more."""
        self._there.clear()
        for known in self._known.values():
            known.number = None


def _there(values: PrefixValues) -> HostPrefix:
    assert values.there is not None, "`expected` has made the values"
    return values.there


def _carried(prefix: HostPrefix, objects: Sequence[int | None]) -> CarriedPrefix:
    calls = tuple(map(carried_call, prefix.calls, objects))
    return CarriedPrefix(calls, prefix.inputs, prefix.sizes)


def _stand_ins(call: int, facts: ResultFacts) -> CallResult:
    leaves = [
        None if each is None else stand_in_for(each.example(), PrefixInputRef(call, i))
        for i, each in enumerate(facts.tensors)
    ]
    return CallResult(leaves, facts.kind)
