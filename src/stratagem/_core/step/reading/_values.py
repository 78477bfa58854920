"""What a walk notes of values that nothing else is in: by value, as a number that may become an input, or by identity."""

import contextvars
from typing import Any

from stratagem._core.numbers import IN_MATH
from stratagem._core.step._signature import is_source
from stratagem._core.step.reading._places import Place, put
from stratagem._core.step.reading._walk import BeingTracedError, Path, Reachable

_MOST_BYTES = 4096  # of an array of NumPy's


def by_value(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """What is equal is the same: texts, None, dtypes, dates."""
    walk.plain += (type(value), value)
    if walk.named:
        walk.described.append((path, value))


def number(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A Python number, which may become an input if something else can be put in its place."""
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
    """An object that is followed no further."""
    walk.held.append(value)
    if id(value) in IN_MATH and place is not None:
        walk.math.append((place, value))


def iterator(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """What it gives next cannot be looked at. (Those of data sets are drawn from at every call.)"""
    walk.held.append(value)
    if not is_source(value):
        walk.unclear.append(path)


def context_variable(walk: Reachable, value: contextvars.ContextVar[Any], path: Path, place: Place | None) -> None:
    """What it has in the present context."""
    walk.visit(value.get(None), path, None)


def reference(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A weak reference: what it refers to."""
    walk.visit(value(), path, None)


def buffer(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A bytearray, or an array of Python's: what is in it."""
    if memoryview(value).nbytes > _MOST_BYTES:
        walk.held.append(value)
        walk.unclear.append(path)
    else:
        walk.plain += (type(value), bytes(value) if isinstance(value, bytearray) else value.tobytes())


def by_text(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """What differs where its text does: two ranges may be equal with other bounds."""
    by_value(walk, repr(value), path, place)


def getter(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Of the module `operator`: it says names of attributes."""
    kind, names = value.__reduce__()
    walk.plain += (kind, repr(names))
    walk.said_names.update(part for name in names if isinstance(name, str) for part in name.split("."))


def tensor(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A tensor or a variable; where any attribute may be read, only under a name that the code has."""
    label = path[2]
    if not (walk.loose and isinstance(label, str)) or label in walk.known.names or label in walk.known.called:
        walk.held.append(value)


def array(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """An array or a scalar of NumPy's: what is in it."""
    if value.nbytes <= _MOST_BYTES and not value.dtype.hasobject:
        walk.plain += (value.dtype, value.shape, value.tobytes())
        return
    walk.held.append(value)
    walk.unclear.append(path)


def being_traced(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """What stands for a number: another thread traces, or a trace has left it."""
    if not walk.after:
        raise BeingTracedError
    if place is not None:
        put(place, value.value)
    walk.visit(value.value, path, place)


def slice_object(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Its three numbers."""
    walk.visit_made((value.start, value.stop, value.step), path)
