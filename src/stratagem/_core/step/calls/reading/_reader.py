"""FunctionReader: the values that an undecorated function reads, found again at every call, and the programs for them."""

import functools
import logging
import types
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._core.numbers import NumberOperationLog, exactly
from stratagem._core.step.calls._function_cache import tracing
from stratagem._core.step.calls.reading._code import names_of
from stratagem._core.step.calls.reading._visitor_dispatch import visit_arguments, visitor_of
from stratagem._core.step.calls.reading._walk import ConcurrentTraceError, Path, Reachable
from stratagem._core.step.keys._program_keys import IdentityKey, ReadingsKey

logger = logging.getLogger("stratagem")

MAX_VARIANTS = 32  # programs that are kept for one function and its objects: about 1 MiB each
_MAX_READINGS = 256
_ROUNDS = 20


@dataclass(eq=False)
class ProgramVariant:
    """One program of a function: valid for certain values of some numbers, and under recorded conditions for the others.

    constants: (position, value) of the numbers that are part of it. inputs: the positions of the others. fixed: an argument
    that no other program has, which lives as long as the variant.
    """

    constants: tuple[tuple[int, Any], ...]
    inputs: frozenset[int]
    fixed: ReadingsKey
    number_log: NumberOperationLog = field(default_factory=NumberOperationLog)

    def match(self, numbers: Sequence[Any]) -> tuple[list[Any], np.ndarray] | None:
        """Returns the program's values and array for these numbers; None if it is not valid for them."""
        for position, value in self.constants:
            present = numbers[position]
            if present is not value and exactly(present) != exactly(value):
                return None
        return self.number_log.replay(numbers)


@dataclass(eq=False)
class VariantCache:
    """The objects that a function reads, as long as all of them live, with its programs, the last used one last."""

    variants: dict[int, ProgramVariant] = field(default_factory=dict)

    @functools.cached_property
    def key(self) -> IdentityKey:
        """A key that is equal to no other object's."""
        return IdentityKey(self)

    def use(self, variant: ProgramVariant) -> None:
        """Marks a program as the last used one; drops those that were not used for the longest time."""
        if len(self.variants) > 1:
            self.variants.pop(id(variant), None)
        self.variants[id(variant)] = variant
        while len(self.variants) > MAX_VARIANTS:
            self.variants.pop(next(iter(self.variants)), None)


@dataclass(eq=False)
class ReaderState:
    """The facts shared by calls that read the same values except for numbers.

    moved: positions of numbers that have changed. never: positions of numbers that may not be inputs, since tracing
    failed twice with them as inputs, although not with their values. failed: whether it has failed once.
    """

    objects: VariantCache
    described: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    first: tuple[Any, ...]
    variants: tuple["weakref.ref[ProgramVariant]", ...] = ()
    moved: frozenset[int] = frozenset()
    never: frozenset[int] = frozenset()
    failed: bool = False

    def match(self, numbers: Sequence[Any]) -> tuple[ProgramVariant, list[Any], np.ndarray] | None:
        """Returns the program for these numbers, if there is one, with its values and array."""
        for reference in self.variants:
            variant = reference()
            found = None if variant is None else variant.match(numbers)
            if variant is not None and found is not None:
                self._use(variant, reference)
                return variant, *found
        return None

    def new(self, numbers: Sequence[Any], *, constant: bool = False) -> ProgramVariant:
        """Returns a variant for a program to be made. constant: no number is an input of it."""
        changed = (i for i, (a, b) in enumerate(zip(self.first, numbers, strict=True)) if exactly(a) != exactly(b))
        self.moved |= frozenset(changed)
        inputs = frozenset() if constant else self.moved - self.never
        constants = tuple((i, v) for i, v in enumerate(numbers) if i not in inputs)
        described = (*self.described, *zip(self.names, numbers, strict=True))
        return ProgramVariant(constants, inputs, ReadingsKey(described))

    def add(self, variant: ProgramVariant) -> None:
        """Adds a variant whose program was made."""
        self._use(variant, weakref.ref(variant))

    def _use(self, variant: ProgramVariant, reference: "weakref.ref[ProgramVariant]") -> None:
        if self.variants[:1] != (
            reference,
        ):  # a variant that another thread adds meanwhile may be lost, and is made again
            others = (each for each in self.variants if each is not reference and each() is not None)
            self.variants = (reference, *others)
        self.objects.use(variant)


@dataclass(eq=False)
class FunctionReads:
    """The result of reading for a call: its state, the numbers, and their places."""

    state: ReaderState
    walk: Reachable
    arguments: set[int]

    @property
    def numbers(self) -> list[Any]:
        """The numbers by position."""
        return self.walk.numbers


class FunctionReader:
    """The facts about one function's reading: the code that it can reach, and the names in that."""

    def __init__(self, code: types.CodeType | type, home: str) -> None:
        self.code, self.home = code, home
        self.codes: dict[types.CodeType, None] = {}
        self.names: frozenset[str] = frozenset()
        self.called: frozenset[str] = frozenset()
        self.extra_names: frozenset[str] = frozenset()
        self.settings: dict[int, Any] = {}
        self.stored: frozenset[str] = frozenset()
        self.changes = self.dynamic = self.types = False
        self.changed: set[Path] = set()
        self.warned: set[str] = set()
        self._objects: dict[tuple[int, ...], VariantCache] = {}
        self._known: dict[Any, tuple[ReaderState, list[Any]]] = {}

    def walk(
        self, function: Any, leaves: Sequence[Any], *, after: bool = False, named: bool = False
    ) -> tuple[Reachable, set[int]]:
        """Walks over what the function can read, until no new code is reached."""
        for _ in range(_ROUNDS):
            walk = Reachable(self, visitor_of, after=after, named=named)
            walk.visit(function, (None, "name", "the function"), None)
            arguments = visit_arguments(walk, leaves)
            if not walk.new_codes and walk.extra_names <= self.extra_names:
                break
            self._learn(walk)
        return walk, arguments

    def _learn(self, walk: Reachable) -> None:
        self.codes |= dict.fromkeys(walk.new_codes)
        self.extra_names |= walk.extra_names
        found = [names_of(code) for code in self.codes]
        self.names = self.extra_names.union(*(names.read for names in found))
        self.called = frozenset().union(*(names.called for names in found)) - self.names
        self.settings.clear()
        self.stored = frozenset().union(*(names.stored for names in found))
        self.changes = any(names.changes for names in found)
        self.dynamic = any(names.dynamic for names in found)
        self.types = any("type" in names.globals for names in found)

    def read(self, function: Any, leaves: Sequence[Any], structure: Any, name: str) -> FunctionReads:
        """Returns the state of a call that is made now."""
        walk, arguments = self.walk(function, leaves)
        ids = tuple(map(id, walk.held))
        key = (ids, tuple(walk.plain), structure)
        found = self._known.get(key)
        if found is None:
            with tracing:
                walk, arguments = self.walk(function, leaves, named=True)
                key = (tuple(map(id, walk.held)), tuple(walk.plain), structure)
                self._warn(walk, name)
                found = self._known.get(key) or self._add_state(key, walk)
        return FunctionReads(found[0], walk, arguments)

    def _add_state(
        self, key: Any, walk: Reachable, objects: VariantCache | None = None
    ) -> tuple[ReaderState, list[Any]]:
        objects = self._objects.setdefault(key[0], objects or VariantCache())
        described = tuple((described_path(path), value) for path, value in walk.described)
        names = tuple(map(described_path, walk.paths))
        state = ReaderState(objects, described, names, tuple(walk.numbers))
        if self.types:  # the code asks for types, and a stand-in has another type than a number
            state.never = frozenset(range(len(names)))
        return self._store(key, state, walk)

    def _store(self, key: Any, state: ReaderState, walk: Reachable) -> tuple[ReaderState, list[Any]]:
        references = [_watched(value, self._known, self._objects, key) for value in walk.held]
        found = self._known[key] = (state, references)
        for table in (self._known, self._objects):
            if len(table) > _MAX_READINGS:
                table.pop(next(iter(table)), None)
        return found

    def add_changed_reading(self, state: ReaderState, variant: ProgramVariant, walk: Reachable, structure: Any) -> None:
        """Makes a variant valid also for the result of this walk, after its step has changed what it reads."""
        key = (tuple(map(id, walk.held)), tuple(walk.plain), structure)
        if key in self._known:
            return
        if variant.inputs:
            if len(walk.numbers) == len(state.names):
                self._store(key, state, walk)
            return
        found, _ = self._add_state(key, walk, state.objects)
        found.add(ProgramVariant(tuple(enumerate(walk.numbers)), frozenset(), variant.fixed, variant.number_log))

    def _warn(self, walk: Reachable, name: str) -> None:
        for what in map(described_path, walk.unfollowed):
            if what not in self.warned:
                self.warned.add(what)
                logger.warning(
                    "%s: what is in %s is not followed: if it changes, the compiled step does not notice. Pass what changes "
                    "as an argument.",
                    name,
                    what,
                )


def _watched(value: Any, known: dict[Any, Any], objects: dict[Any, Any], key: Any) -> Any:
    """Returns a reference to a value. When the value is garbage-collected, the entries that know it by its id are dropped."""

    def drop_entries(_: Any) -> None:
        known.pop(key, None)
        objects.pop(key[0], None)

    try:
        return weakref.ref(value, drop_entries)
    except TypeError:
        return value


def described_path(path: Path) -> str:
    """Returns a path as it is written in Python."""
    owner, kind, label = path
    if owner is None:
        return str(label)
    whole = described_path(owner)
    written = {"attr": f".{label}", "item": f"[{label!r}]", "default": f"(default {label})", "each": " (an element)"}
    return whole + written.get(kind, "")


class FunctionReaderCache:
    """The readers of all functions that were run under one strategy, by their code."""

    def __init__(self) -> None:
        self._readers: dict[Any, FunctionReader] = {}

    def reader(self, function: Any) -> FunctionReader:
        """Returns the reader of a function."""
        inner = _innermost(function)
        code = getattr(inner, "__code__", None)
        code = code if isinstance(code, types.CodeType) else type(inner)
        reader = self._readers.get(code)
        if reader is None:
            home = str(getattr(inner, "__module__", "") or "").partition(".")[0]
            reader = self._readers.setdefault(code, FunctionReader(code, home))
        return reader

    def read(
        self, function: Any, leaves: Sequence[Any], structure: PyTreeDef, name: str
    ) -> tuple[FunctionReader, FunctionReads]:
        """Returns the reader and the state of a call that is made now. leaves: all of its arguments, of this structure."""
        reader = self.reader(function)
        try:
            return reader, reader.read(function, leaves, structure, name)
        except ConcurrentTraceError:
            with tracing:  # waits for the other thread's trace
                return reader, reader.read(function, leaves, structure, name)


def _innermost(function: Any) -> Any:
    while True:
        if isinstance(function, types.MethodType):
            function = function.__func__
        elif hasattr(type(function), "keywords") and hasattr(type(function), "func"):
            function = function.func
        else:
            return function
