"""Places where Python code finds values (items, attributes, globals, cells), and how to read and fill them."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

# The kind of the owner ("item", "cell", "slot", "class", "argument", "tuple"), the owner, and the label. For an item of a
# tuple, the owner is the place of the tuple.
Place = tuple[str, Any, Any]


def content(place: Place) -> Any:
    """Returns the present value at a place."""
    kind, owner, label = place
    if kind == "tuple":
        return content(owner)[label]
    if kind == "cell":
        return owner.cell_contents
    if kind == "slot":
        return label.__get__(owner, type(owner))
    if kind == "class":
        return vars(owner).get(label)
    return dict.get(owner, label) if isinstance(owner, dict) else owner[label]


def put(place: Place, value: Any) -> None:
    """Stores a value at a place."""
    kind, owner, label = place
    if kind == "tuple":
        old = content(owner)
        put(owner, tuple.__new__(type(old), (*old[:label], value, *old[label + 1 :])))
    elif kind == "cell":
        owner.cell_contents = value
    elif kind == "slot":
        label.__set__(owner, value)
    elif kind == "class":
        type.__setattr__(owner, label, value)
    elif isinstance(owner, dict):
        dict.__setitem__(owner, label, value)
    elif isinstance(owner, list):
        list.__setitem__(owner, label, value)
    else:
        owner[label] = value


@contextlib.contextmanager
def filled(values: Sequence[tuple[Place, Any]]) -> Iterator[None]:
    """Puts other values at these places while the body runs. Values that the body itself stores there are left."""
    done: list[tuple[Place, Any, Any]] = []
    try:
        for place, value in values:
            before = content(place)
            put(place, value)
            done.append((place, before, value))
        yield
    finally:
        for place, before, value in reversed(done):
            if _has(place, value):
                put(place, before)


def _has(place: Place, value: Any) -> bool:
    try:
        return content(place) is value
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):  # the body has removed the place
        return False
