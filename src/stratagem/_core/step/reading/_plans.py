"""What undecorated functions read beside tensors, and which program belongs to that: found again at every call."""

import functools
import logging
import types
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagem._core.numbers import Arithmetic, exactly
from stratagem._core.step._function_cache import tracing
from stratagem._core.step._signature import Fixed, Same
from stratagem._core.step.reading._code import names_of
from stratagem._core.step.reading._visitors import visit_arguments, visitor_of
from stratagem._core.step.reading._walk import BeingTracedError, Path, Reachable

logger = logging.getLogger("stratagem")

MOST_VARIANTS = 32  # programs of one function and its objects that are kept: about 1 MiB each
_MOST_READINGS = 256
_ROUNDS = 20


@dataclass(eq=False)
class Variant:
    """One program of a function: for certain values of certain numbers, and on its conditions for the others.

    constants: (position, value) of the numbers that are part of it. inputs: positions of the others. fixed: makes the program
    its own, and lives as long as it is kept.
    """

    constants: tuple[tuple[int, Any], ...]
    inputs: frozenset[int]
    fixed: Fixed
    arithmetic: Arithmetic = field(default_factory=Arithmetic)

    def match(self, numbers: Sequence[Any]) -> tuple[list[Any], np.ndarray] | None:
        """What its program takes for these numbers; None if it is for others."""
        for position, value in self.constants:
            now = numbers[position]
            if now is not value and exactly(now) != exactly(value):
                return None
        return self.arithmetic.replay(numbers)


@dataclass(eq=False)
class Objects:
    """The objects that a function reads, while all of them live, with its programs, the last used last."""

    variants: dict[int, Variant] = field(default_factory=dict)

    @functools.cached_property
    def key(self) -> Same:
        """Equal only to its own."""
        return Same(self)

    def use(self, variant: Variant) -> None:
        """It was used last; those that were not for long go."""
        if len(self.variants) > 1:
            self.variants.pop(id(variant), None)
        self.variants[id(variant)] = variant
        while len(self.variants) > MOST_VARIANTS:
            self.variants.pop(next(iter(self.variants)), None)


@dataclass(eq=False)
class State:
    """All that is the same for calls which read the same but for numbers: what is known of these.

    moved: positions of numbers that have changed. never: those with which tracing failed twice, although it did not with their
    values. failed: it has done so once.
    """

    objects: Objects
    described: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    first: tuple[Any, ...]
    variants: tuple["weakref.ref[Variant]", ...] = ()
    moved: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()
    failed: bool = False

    def match(self, numbers: Sequence[Any]) -> tuple[Variant, list[Any], np.ndarray] | None:
        """The program for these numbers, if there is one, and what it takes."""
        for reference in self.variants:
            variant = reference()
            found = None if variant is None else variant.match(numbers)
            if variant is not None and found is not None:
                self._use(variant, reference)
                return variant, *found
        return None

    def new(self, numbers: Sequence[Any], *, constant: bool = False) -> Variant:
        """For a program that is to be made. constant: no number is an input of it."""
        changed = (i for i, (a, b) in enumerate(zip(self.first, numbers, strict=True)) if exactly(a) != exactly(b))
        self.moved |= frozenset(changed)
        inputs = frozenset() if constant else self.moved - self.never
        constants = tuple((i, v) for i, v in enumerate(numbers) if i not in inputs)
        described = (*self.described, *zip(self.names, numbers, strict=True))
        return Variant(constants, inputs, Fixed(described))

    def add(self, variant: Variant) -> None:
        """Its program is made."""
        self._use(variant, weakref.ref(variant))

    def _use(self, variant: Variant, reference: "weakref.ref[Variant]") -> None:
        if self.variants[:1] != (reference,):  # what another thread adds meanwhile may be lost: it will be made again
            others = (each for each in self.variants if each is not reference and each() is not None)
            self.variants = (reference, *others)
        self.objects.use(variant)


@dataclass(eq=False)
class ReadState:
    """What a call finds: its state, the numbers, and where they are."""

    state: State
    walk: Reachable
    arguments: set[int]

    @property
    def numbers(self) -> list[Any]:
        """By position."""
        return self.walk.numbers


class ReadPlan:
    """What is known of one function's reading: the code that it can reach, and what that names."""

    def __init__(self, code: types.CodeType | type, home: str) -> None:
        self.code, self.home = code, home
        self.codes: dict[types.CodeType, None] = {}
        self.names: frozenset[str] = frozenset()
        self.called: frozenset[str] = frozenset()
        self.said_names: frozenset[str] = frozenset()
        self.settings: dict[int, Any] = {}
        self.stored: frozenset[str] = frozenset()
        self.changes = self.dynamic = self.types = False
        self.changed: set[Path] = set()
        self.said: set[str] = set()
        self._objects: dict[tuple[int, ...], Objects] = {}
        self._known: dict[Any, tuple[State, list[Any]]] = {}

    def walk(
        self, function: Any, leaves: Sequence[Any], *, after: bool = False, named: bool = False
    ) -> tuple[Reachable, set[int]]:
        """Go over what the function can read, until no more code comes into sight."""
        for _ in range(_ROUNDS):
            walk = Reachable(self, visitor_of, after=after, named=named)
            walk.visit(function, (None, "name", "the function"), None)
            arguments = visit_arguments(walk, leaves)
            if not walk.fresh and walk.said_names <= self.said_names:
                break
            self._learn(walk)
        return walk, arguments

    def _learn(self, walk: Reachable) -> None:
        self.codes |= dict.fromkeys(walk.fresh)
        self.said_names |= walk.said_names
        found = [names_of(code) for code in self.codes]
        self.names = self.said_names.union(*(names.read for names in found))
        self.called = frozenset().union(*(names.called for names in found)) - self.names
        self.settings.clear()
        self.stored = frozenset().union(*(names.stored for names in found))
        self.changes = any(names.changes for names in found)
        self.dynamic = any(names.dynamic for names in found)
        self.types = any("type" in names.globals for names in found)

    def read(self, function: Any, leaves: Sequence[Any], structure: Any, name: str) -> ReadState:
        """What the function would read now."""
        walk, arguments = self.walk(function, leaves)
        ids = tuple(map(id, walk.held))
        key = (ids, tuple(walk.plain), structure)
        found = self._known.get(key)
        if found is None:
            with tracing:
                walk, arguments = self.walk(function, leaves, named=True)
                key = (tuple(map(id, walk.held)), tuple(walk.plain), structure)
                self._say(walk, name)
                found = self._known.get(key) or self._remember(key, walk)
        return ReadState(found[0], walk, arguments)

    def _remember(self, key: Any, walk: Reachable, objects: Objects | None = None) -> tuple[State, list[Any]]:
        objects = self._objects.setdefault(key[0], objects or Objects())
        described = tuple((described_path(path), value) for path, value in walk.described)
        names = tuple(map(described_path, walk.paths))
        state = State(objects, described, names, tuple(walk.numbers))
        if self.types:  # a stand-in is of another type than a number
            state.never = frozenset(range(len(names)))
        return self._keep(key, state, walk)

    def _keep(self, key: Any, state: State, walk: Reachable) -> tuple[State, list[Any]]:
        kept = [_watched(value, self._known, self._objects, key) for value in walk.held]
        found = self._known[key] = (state, kept)
        for table in (self._known, self._objects):
            if len(table) > _MOST_READINGS:
                table.pop(next(iter(table)), None)
        return found

    def again(self, state: State, variant: Variant, walk: Reachable, structure: Any) -> None:
        """The step has changed what it reads, which is now as in this walk: its program is the one for that, too."""
        key = (tuple(map(id, walk.held)), tuple(walk.plain), structure)
        if key in self._known:
            return
        if variant.inputs:
            if len(walk.numbers) == len(state.names):
                self._keep(key, state, walk)
            return
        found, _ = self._remember(key, walk, state.objects)
        found.add(Variant(tuple(enumerate(walk.numbers)), frozenset(), variant.fixed, variant.arithmetic))

    def _say(self, walk: Reachable, name: str) -> None:
        for what in map(described_path, walk.unclear):
            if what not in self.said:
                self.said.add(what)
                logger.warning(
                    "%s: what is in %s is not followed: if it changes, the compiled step does not notice. Pass what changes "
                    "as an argument.",
                    name,
                    what,
                )


def _watched(value: Any, known: dict[Any, Any], objects: dict[Any, Any], key: Any) -> Any:
    """Something that lives as long as the value is to be known by its number: what has its number next is another."""

    def gone(_: Any) -> None:
        known.pop(key, None)
        objects.pop(key[0], None)

    try:
        return weakref.ref(value, gone)
    except TypeError:
        return value


def described_path(path: Path) -> str:
    """As it is written in Python."""
    owner, kind, label = path
    if owner is None:
        return str(label)
    whole = described_path(owner)
    written = {"attr": f".{label}", "item": f"[{label!r}]", "default": f"(default {label})", "each": " (an element)"}
    return whole + written.get(kind, "")


class Reads:
    """The plans of all functions that were run under one strategy, by their code."""

    def __init__(self) -> None:
        self._plans: dict[Any, ReadPlan] = {}

    def plan(self, function: Any) -> ReadPlan:
        """That of a function."""
        inner = _innermost(function)
        code = getattr(inner, "__code__", None)
        code = code if isinstance(code, types.CodeType) else type(inner)
        plan = self._plans.get(code)
        if plan is None:
            home = str(getattr(inner, "__module__", "") or "").partition(".")[0]
            plan = self._plans.setdefault(code, ReadPlan(code, home))
        return plan

    def read(self, function: Any, leaves: Sequence[Any], structure: Any, name: str) -> tuple[ReadPlan, ReadState]:
        """What the function would read now. leaves: all of its arguments, of this structure."""
        plan = self.plan(function)
        try:
            return plan, plan.read(function, leaves, structure, name)
        except BeingTracedError:
            with tracing:  # until the other thread has done so
                return plan, plan.read(function, leaves, structure, name)


def _innermost(function: Any) -> Any:
    while True:
        if isinstance(function, types.MethodType):
            function = function.__func__
        elif hasattr(type(function), "keywords") and hasattr(type(function), "func"):
            function = function.func
        else:
            return function
