"""What a step did behind the scenes: the programs it traced, and what XLA compiled."""

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import pytest
from jax.extend import core as xc

# Private: how often a step is traced and cut is no result, only time.
from stratagem._core.step.calls import _stages
from stratagem._core.step.programs import _uneven

COMPILED = "/jax/core/compile/backend_compile_duration"


@contextlib.contextmanager
def compilations() -> Iterator[list[str]]:
    """The names of what XLA compiles in the body."""
    names: list[str] = []

    def note(event: str, duration: float, **facts: Any) -> None:
        if event == COMPILED:
            names.append(facts.get("fun_name", "?"))

    jax.monitoring.register_event_duration_secs_listener(note)
    try:
        yield names
    finally:
        jax.monitoring.unregister_event_duration_listener(note)


def programs_made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """From now on, every finished trace (a `step._program.Trace`) of a step, in order."""
    made: list[Any] = []
    trace = _stages.trace

    def recording(*args: Any, **kwargs: Any) -> Any:
        made.append(trace(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(_stages, "trace", recording)
    return made


def cuts_made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """From now on, what is traced for every uneven batch, in order."""
    made: list[Any] = []
    init = _uneven.UnevenProgram.__init__

    def recording(self: Any, *args: Any) -> None:
        made.append(args[0])
        init(self, *args)

    monkeypatch.setattr(_uneven.UnevenProgram, "__init__", recording)
    return made


def equations(jaxpr: Any) -> Iterator[Any]:
    """Every equation of a program and of the programs inside it."""
    for eqn in jaxpr.eqns:
        yield eqn
        for param in eqn.params.values():
            for inner in param if isinstance(param, tuple | list) else (param,):
                if isinstance(inner, xc.ClosedJaxpr):
                    yield from equations(inner.jaxpr)
                elif isinstance(inner, xc.Jaxpr):
                    yield from equations(inner)


def count(closed: Any, primitive: str) -> int:
    """How often a primitive occurs in a program."""
    return sum(eqn.primitive.name == primitive for eqn in equations(closed.jaxpr))


def kinds(closed: Any) -> set[tuple[str, tuple[int, ...]]]:
    """The dtypes and shapes of all values in a program, its inputs and constants included."""
    atoms = [*closed.jaxpr.invars, *closed.jaxpr.constvars, *closed.jaxpr.outvars]
    atoms += [v for eqn in equations(closed.jaxpr) for v in (*eqn.invars, *eqn.outvars)]
    return {(str(v.aval.dtype), v.aval.shape) for v in atoms if hasattr(v.aval, "dtype")}


def dtypes(closed: Any) -> set[str]:
    """The dtypes of all values in a program."""
    return {dtype for dtype, _ in kinds(closed)}
