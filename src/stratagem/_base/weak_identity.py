"""WeakIdentityMap: values for objects that must neither be kept alive nor compared (a variable's `==` is a tensor)."""

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def _ignore() -> None:
    """Does nothing."""


class WeakIdentityMap(Generic[K, V]):
    """Maps objects to values by identity. An entry disappears with its object; `emptied` is called after the last one has."""

    def __init__(self, emptied: Callable[[], None] = _ignore) -> None:
        self._entries: dict[int, tuple[weakref.ref[K], V]] = {}
        self._emptied = emptied

    def __setitem__(self, key: K, value: V) -> None:
        identity = id(key)
        self._entries[identity] = (weakref.ref(key, lambda _: self._forget(identity)), value)

    def get(self, key: K) -> V | None:
        """The value for this very object, or None."""
        entry = self._entries.get(id(key))
        return entry[1] if entry is not None and entry[0]() is key else None

    def items(self) -> list[tuple[K, V]]:
        """The living objects with their values."""
        living = [(ref(), value) for ref, value in list(self._entries.values())]
        return [(key, value) for key, value in living if key is not None]

    def clear(self) -> None:
        """Removes all entries, without calling `emptied`."""
        self._entries.clear()

    def _forget(self, identity: int) -> None:
        if self._entries.pop(identity, None) is not None and not self._entries:
            self._emptied()
