"""A file system of fsspec in memory, `faulty://`, whose requests fail as a test says."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

# Requests that change something.
CHANGES = ("pipe_file", "put_file", "cp_file", "rm_file", "rm", "rmdir", "makedirs")


class FaultyFileSystem(MemoryFileSystem):
    """Files in memory. `fault` is called before every request, with its name and path, and raises what it fails with."""

    protocol = ("faulty",)
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    requests: ClassVar[list[tuple[str, str]]] = []
    fault: ClassVar[Callable[[str, str], None]] = staticmethod(lambda request, path: None)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        return MemoryFileSystem._strip_protocol(str(path).replace("faulty://", "memory://"))

    @classmethod
    def clear(cls) -> None:
        """Empties it, and lets all requests through."""
        cls.store.clear()
        cls.pseudo_dirs[:] = [""]
        cls.requests.clear()
        cls.fault = staticmethod(lambda request, path: None)


_inside = threading.local()


def _watched(name: str) -> Any:
    def request(self: Any, path: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(_inside, "request", False):  # fsspec makes one of others
            return getattr(super(FaultyFileSystem, self), name)(path, *args, **kwargs)
        FaultyFileSystem.requests.append((name, str(path)))
        FaultyFileSystem.fault(name, str(path))
        _inside.request = True
        try:
            return getattr(super(FaultyFileSystem, self), name)(path, *args, **kwargs)
        finally:
            _inside.request = False

    return request


for _name in ("info", "ls", "cat_file", *CHANGES):
    setattr(FaultyFileSystem, _name, _watched(_name))


@contextmanager
def faulty_storage() -> Iterator[type[FaultyFileSystem]]:
    """The file system, empty, in the body."""
    fsspec.register_implementation("faulty", FaultyFileSystem, clobber=True)
    FaultyFileSystem.clear()
    try:
        yield FaultyFileSystem
    finally:
        FaultyFileSystem.clear()


def failing_changes(first: int) -> Callable[[str, str], None]:
    """Faults that end a server: the change with this number and all later requests fail."""
    seen = 0

    def fault(request: str, path: str) -> None:
        nonlocal seen
        seen += request in CHANGES
        if seen > first:
            raise ConnectionResetError(f"the server is gone: {request} {path}")

    return fault
