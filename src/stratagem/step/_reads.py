"""What a function reads now from the objects that it meets: found once a code object, then looked at at every call."""

import enum
import functools
import itertools
import logging
import types
import weakref
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stratagem.step._bytecode import Call, Expr, Summary
from stratagem.step._families import tracing
from stratagem.step._linking import Frame, Links
from stratagem.step._numbers import Slots
from stratagem.step._objects import is_container
from stratagem.step._places import MISSING, OtherKind, Place, found_on, of_library
from stratagem.step._signature import Fixed, alive, static_key

logger = logging.getLogger("stratagem")

_MAX_PLANS = 16
_MAX_STATES = 64
_ROOTS = ("function",)
_numbers = itertools.count()


@dataclass
class State:
    """What is known of the numbers of one function with one set of objects, by their places.

    first: their values when it was compiled first. inputs: those that are inputs of the program. refused: those whose values
    decide what the program is. slots: by what else is fixed, the numbers that its programs take. fixed: the last numbers and
    inputs, and what is fixed by them.
    """

    key: Hashable
    first: dict[Any, Any] = field(default_factory=dict)
    inputs: frozenset[Any] = frozenset()
    refused: frozenset[Any] = frozenset()
    slots: dict[Hashable, Slots] = field(default_factory=dict)
    fixed: tuple[tuple[Any, ...], frozenset[Any], Fixed] = ((MISSING,), frozenset(), Fixed(()))


class Reading(NamedTuple):
    """What one call has found: the state for its objects, its numbers, and the places of everything."""

    state: State
    numbers: tuple[Any, ...]
    plan: "Plan"
    objects: list[Any]


class Plan:
    """The places that a function reads, in an order in which each follows its owner, for objects of certain types."""

    def __init__(self, code: Any, roots: dict[str, Any], args: Sequence[int]) -> None:
        links = _linked(roots, args)
        self._key = ("plan", code, next(_numbers))
        self.places: list[Place] = links.objects.places
        self.roots = tuple(roots)
        self.warned: set[str] = set()
        self.unclear = tuple(links.objects.unclear)
        leaves = _leaves(links)
        self.numbers = [n for n in leaves if type(links.values[n]) in (int, float)]
        self.names = [links.objects.places[n].name for n in self.numbers]
        self._types = [type(links.values[n]) for n in self.numbers]
        self._others = [n for n in leaves if type(links.values[n]) not in (int, float)]
        self.changed = [n for n in links.changed if links.objects.places[n].kind != "root"]
        self._codes = {n: code for n, code in links.codes.items() if n < len(roots)}
        self._steps = [_step(links, n) for n in range(len(roots), len(links.objects.places))]
        self._states: dict[Hashable, State] = {}
        self._known: dict[tuple[int, ...], tuple[State, list[Any]]] = {}

    def read(self, roots: Sequence[Any]) -> Reading:
        """Look at all places. Raises OtherKind where something is not what the plan was made for."""
        for n, code in self._codes.items():
            if type(roots[n]) is not types.FunctionType or roots[n].__code__ is not code:
                raise OtherKind
        objects = list(roots)
        add = objects.append
        for parent, get in self._steps:
            add(get(objects[parent]))
        numbers = tuple([objects[n] for n in self.numbers])
        if [type(v) for v in numbers] != self._types:
            raise OtherKind
        others = [objects[n] for n in self._others]
        known = self._known.get(tuple(map(id, others)))
        state = self._state(others) if known is None else known[0]
        return Reading(state, numbers, self, objects)

    def _state(self, others: list[Any]) -> State:
        """The state for these objects. They are known again by their numbers, while all of them live."""
        if any(type(v) in (int, float) for v in others):
            raise OtherKind
        names = [self.places[n].name for n in self._others]
        key = (*self._key, *((name, static_key(value)) for name, value in zip(names, others, strict=True)))
        if len(self._states) >= _MAX_STATES:
            self._states = {k: s for k, s in self._states.items() if alive(k)}
        state = self._states.setdefault(key, State(key))
        if len(self._known) >= _MAX_STATES:
            self._known.clear()
        kept = [_watched(v, self._known) for v in others]
        self._known[tuple(map(id, others))] = (state, kept)
        return state


def _step(links: Links, number: int) -> tuple[int, Callable[[Any], Any]]:
    place = links.objects.places[number]
    get = place.getter(links.values[place.parent])
    code = links.codes.get(number)

    def get_function(owner: Any) -> Any:
        found = get(owner)
        if type(found) is not types.FunctionType or found.__code__ is not code:
            raise OtherKind
        return found

    return place.parent, get if code is None else get_function


def _watched(value: Any, known: dict[Any, Any]) -> Any:
    """Something that lives as long as the value is to be known by its number: what has its number next is another."""
    try:
        return weakref.ref(value, lambda _: known.clear())
    except TypeError:
        return value


def _linked(roots: dict[str, Any], args: Sequence[int]) -> Links:
    links = Links(roots)
    names = list(roots)
    frame = Frame(0, {name: (i,) for i, name in enumerate(names)}, Summary(_linked.__code__))
    given = [Expr("name", names[i]) if i else None for i in args]
    keywords = tuple((name, Expr("name", name)) for name in names if name.isidentifier() and name not in _ROOTS)
    links.call(0, Call(None, tuple(given), keywords), frame)
    return links


def _leaves(links: Links) -> list[int]:
    """The places whose values make the program: what is used and not changed, and what is in used containers."""
    objects = links.objects
    todo, leaves = list(objects.used), dict[int, None]()
    for node in todo:  # which grows
        if node in leaves or _is_changed(links, node):
            continue
        leaves[node] = None
        before = len(objects.used)
        if callable(links.values[node]):
            links.call(node, None)
        if is_container(links.values[node]):
            todo.extend(objects.contents(node))
        todo.extend(list(objects.used)[before:])
    containers = {p.parent for p in objects.places if p.kind == "each"}
    return [n for n in leaves if n not in links.codes and n not in containers and not _is_changed(links, n)]


def _is_changed(links: Links, node: int) -> bool:
    while node >= 0:
        if node in links.changed:
            return True
        node = links.objects.places[node].parent
    return False


class Reads:
    """The plans of all functions that were run under one strategy, by code."""

    def __init__(self) -> None:
        self._plans: dict[Any, list[Plan]] = {}
        self._said: set[tuple[str, str]] = set()

    def read(self, function: Any, args: Sequence[Any], kwargs: dict[str, Any], name: str) -> Reading:
        """What the function would read now. args, kwargs: objects of the user's among the arguments are followed."""
        roots, positions = _roots_of(function, args, kwargs)
        code = getattr(getattr(function, "__func__", function), "__code__", type(function))
        plans = self._plans.setdefault(code, [])
        found = _first(plans, roots)
        if found is None:
            with tracing:  # while another thread traces, numbers are not what they will be
                found = _first(plans, roots) or self._planned(plans, roots, positions, name, code)
        return found

    def _planned(
        self, plans: list[Plan], roots: dict[str, Any], positions: Sequence[int], name: str, code: Any
    ) -> Reading:
        plan = Plan(code, roots, positions)
        plans.insert(0, plan)
        del plans[_MAX_PLANS:]
        for what in plan.unclear:
            if (name, what) not in self._said:
                self._said.add((name, what))
                logger.info(
                    "%s reads %s, which is not followed: if it changes, the compiled step does not notice. Pass it as an "
                    "argument.",
                    name,
                    what,
                )
        return plan.read(tuple(roots.values()))


def _first(plans: list[Plan], roots: dict[str, Any]) -> Reading | None:
    names, values = tuple(roots), tuple(roots.values())
    for plan in plans:
        if plan.roots == names:
            try:
                return plan.read(values)
            except OtherKind:
                continue
    return None


def _roots_of(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """The function and the arguments that may have attributes of their own; for each position, the number of its root."""
    roots: dict[str, Any] = {"function": function}
    positions = []
    for i, value in enumerate(args):
        positions.append(len(roots) if _is_object(value) else 0)
        if positions[-1]:
            roots[f"argument {i}"] = value
    roots |= {name: value for name, value in kwargs.items() if _is_object(value)}
    return roots, positions


_PLAIN = (int, float, complex, str, bytes, bool, type(None), list, tuple, dict, enum.Enum)


def _is_object(value: Any) -> bool:
    kind: Any = type(value)
    return _has_attributes(kind)


@functools.lru_cache(maxsize=1024)
def _has_attributes(kind: Any) -> bool:
    """True for types of what may have attributes of the user's. All else is an argument of the program by what it is."""
    source = hasattr(kind, "peek") and hasattr(kind, "__next__")
    return (
        not issubclass(kind, _PLAIN)
        and (found_on(kind, "__call__")[0] is not None or not of_library(kind))
        and not source
    )
