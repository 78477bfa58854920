"""What goes to other processes has a name for each of its parts."""

import dataclasses
import inspect
import typing
from collections.abc import Iterator

import pytest

# The actors' methods are what is called from other processes; no contract exports them.
from stratagem._servers.remote._ray_server_actor import ServerTask
from stratagem._servers.remote._ray_worker_task import WorkerTask


def carried(kind: object, seen: set[type]) -> Iterator[str]:
    """The tuples of three or more things, each with a meaning of its own, that a value of this type has in it."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple and Ellipsis not in parts and len(parts) > 2:
        yield str(kind)
    for part in parts:
        yield from carried(part, seen)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        for name, each in typing.get_type_hints(kind).items():
            yield from (f"{kind.__name__}.{name}: {found}" for found in carried(each, seen))


@pytest.mark.parametrize("actor", [ServerTask, WorkerTask])
def test_what_goes_to_other_processes_has_names(actor: type) -> None:
    methods = {name: m for name, m in vars(actor).items() if inspect.isfunction(m) and not name.startswith("__")}
    assert {"read", "push"} <= methods.keys() or {"follow", "learn"} <= methods.keys()
    hints = {name: typing.get_type_hints(method) for name, method in methods.items()}
    found = [f"{name}({each}): {t}" for name, h in hints.items() for each, k in h.items() for t in carried(k, set())]
    assert found == []


def test_a_tuple_without_names_is_found() -> None:
    @dataclasses.dataclass
    class Sent:
        origin: list[tuple[int, str, int]]

    assert list(carried(tuple[Sent, int], set())) == ["Sent.origin: tuple[int, str, int]"]
