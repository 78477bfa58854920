"""`tf.CriticalSection`: code that at most one thread runs at a time."""

import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any, final

import jax

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered
from stratagem._ops._convert import tensor


@final
class _Lock:
    """A lock that sections of one `shared_name` have together."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


_shared: "weakref.WeakValueDictionary[str, _Lock]" = weakref.WeakValueDictionary()
_making = threading.Lock()


@exported("CriticalSection")
@final
class CriticalSection:
    """A section whose functions run one after another, whichever threads call them, as `tf.CriticalSection`.

    In a compiled program this is always so, and in replicas, which run together, a section is no lock.
    shared_name: sections of one such name in this process exclude each other. Raises ValueError for `critical_section_def`.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: object = None,
        import_scope: object = None,
    ) -> None:
        if critical_section_def is not None:
            raise ValueError(
                "Argument `critical_section_def` is not supported: there are no graphs here to read it from."
            )
        self._name = name or "critical_section"
        with _making:
            self._lock = _Lock() if shared_name is None else _shared.setdefault(shared_name, _Lock())

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._name

    def execute(self, fn: UserFunction, exclusive_resource_access: object = True, name: str | None = None) -> Any:
        """Calls `fn()` while no other thread runs a function of this section, and returns its result as tensors.

        Raises ValueError in a function of the same section, which would wait for itself.
        """
        if self._lock in current().critical_sections:
            raise ValueError(
                f"Attempting to lock a CriticalSection (name={self.name!r}) in which we are already running. This is "
                "illegal and may cause deadlocks. Call the inner function itself."
            )
        with self._held():
            return jax.tree.map(_as_tensor, fn())

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        context = current()
        alone = context.recorder is None and context.replica is None
        inside = entered(critical_sections=(*context.critical_sections, self._lock))
        with inside, self._lock.lock if alone else contextlib.nullcontext():
            yield


def _as_tensor(value: Any) -> Any:
    return tensor(value) if isinstance(value, bool | int | float | complex | str | bytes) else value
