"""Visitors of leaf values, which contain nothing else: noted by value, by identity, or as numbers that may become inputs."""

import contextvars
from typing import Any

from stratagem._core.numbers import IN_MATH
from stratagem._core.step.calls.reading._places import Place, put
from stratagem._core.step.calls.reading._walk import ConcurrentTraceError, Path, Reachable
from stratagem._core.step.keys._program_keys import is_source

_MOST_BYTES = 4096  # of an array of NumPy's


def by_value(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a value that counts by equality: strings, None, dtypes, dates."""
    walk.plain += (type(value), value)
    if walk.named:
        walk.described.append((path, value))


def number(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a Python number, which may become an input if its place can be filled."""
    if place is None or type(value) not in (int, float):
        base = next(base for base in (int, float, complex) if isinstance(value, base))
        by_value(walk, base.__repr__(value), path, place)
    else:
        walk.plain.append(type(value))
        walk.numbers.append(value)
        walk.places.append(place)
        if walk.named:
            walk.paths.append(path)


def by_identity(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes an object by identity; it is not followed."""
    walk.held.append(value)
    if id(value) in IN_MATH and place is not None:
        walk.math.append((place, value))


def iterator(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes an iterator by identity: its next element cannot be looked at.

    (Datasets' iterators are drawn from at every call.)
    """
    walk.held.append(value)
    if not is_source(value):
        walk.unfollowed.append(path)


def context_variable(walk: Reachable, value: contextvars.ContextVar[Any], path: Path, place: Place | None) -> None:
    """Visits the value of a context variable in the present context."""
    walk.visit(value.get(None), path, None)


def reference(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits the object of a weak reference."""
    walk.visit(value(), path, None)


def buffer(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a bytearray or `array.array` by its contents."""
    if memoryview(value).nbytes > _MOST_BYTES:
        walk.held.append(value)
        walk.unfollowed.append(path)
    else:
        walk.plain += (type(value), bytes(value) if isinstance(value, bytearray) else value.tobytes())


def by_text(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a value by its text: ranges with different bounds may be equal."""
    by_value(walk, repr(value), path, place)


def getter(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes an object of the module `operator`, which contains names of attributes."""
    kind, names = value.__reduce__()
    walk.plain += (kind, repr(names))
    walk.extra_names.update(part for name in names if isinstance(name, str) for part in name.split("."))


def tensor(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a tensor or a variable; where any attribute may be read, only if the code names this one."""
    label = path[2]
    if not (walk.any_attribute and isinstance(label, str)) or label in walk.known.names or label in walk.known.called:
        walk.held.append(value)


def array(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a NumPy array or scalar by its contents."""
    if value.nbytes <= _MOST_BYTES and not value.dtype.hasobject:
        walk.plain += (value.dtype, value.shape, value.tobytes())
        return
    walk.held.append(value)
    walk.unfollowed.append(path)


def being_traced(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Handles a stand-in for a number: another thread traces, or an earlier trace has left it there."""
    if not walk.after:
        raise ConcurrentTraceError
    if place is not None:
        put(place, value.value)
    walk.visit(value.value, path, place)


def slice_object(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits the three numbers of a slice."""
    walk.visit_made((value.start, value.stop, value.step), path)
