"""The one context variable: the strategy, replica and recorder of the current code."""

import contextlib
import contextvars
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Recorder(Protocol):
    """The methods of a trace's capture that layers below the step may call."""

    def draw(self, source: Any) -> Any:
        """Returns the next element of an iterator, as an input of the program being traced."""

    def need_host(self, reason: str) -> None:
        """Ends the trace because Python itself needs values; inside a replica this is an error."""

    def create(self, variable: Any) -> None:
        """Is told that a variable is created. Raises ValueError if that is not allowed now."""

    def gather_rows(self, value: Any) -> Any:
        """Returns the replicas' values concatenated along axis 0, on every replica."""

    def add(self, variable: Any, delta: Any, sign: int) -> bool:
        """Adds to a variable in one operation; returns False if the caller has to read, add and assign."""

    def read_slot(self, variable: Any, slot: Any) -> Any:
        """Returns the value that the current code reads of a sync-on-read variable whose slot on this replica is `slot`."""

    def to_copy(self, variable: Any, value: Any) -> Any:
        """Returns all replicas' copy of a mirrored variable after the current code has assigned `value`."""

    def to_slot(self, variable: Any, value: Any) -> Any:
        """Returns this replica's slot of a sync-on-read variable after the current code has assigned `value`."""

    def check(self, fails: Any, text: str, values: Mapping[str, Any]) -> None:
        """Adds an error with this text and these values, raised if the scalar `fails` is true when the program runs."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """The surroundings of the current code.

    strategy: the strategy whose scope is open, or None for the default strategy.
    chosen: whether `experimental_set_strategy` made that the current one, and not a scope.
    replica: the ReplicaContext inside a replica function, else None.
    crossing: True in a cross-replica context; False in a replica and in the default context.
    recorder: the capture that traces the current code (a `Recorder`), or None if the code runs for real.
    host: for a function that runs in Python although it is a tf.function, its name and the reason; "" elsewhere.
    job: the workers that run this code together (a `Job`), or None for the job of the process.
    rows: inside a replica of a step of `Model.fit`, `evaluate` and the like, this replica's number of rows of the
    global batch:
        losses are then those of the global batch. None elsewhere, where the user's loop divides losses itself.
    beside: the variable whose location new variables share (an optimizer's slots), or None.
    worker: the worker of a parameter-server job that runs the current code (a `Worker`), or None.
    graph: the call of an Estimator's model_fn that the current code is part of (a `Building`), or None.
    reading: True in a call of an Estimator's input_fn, which describes datasets; their elements are not known there.
    """

    strategy: Any = None
    chosen: bool = False
    replica: Any = None
    crossing: bool = False
    recorder: Any = None
    host: str = ""
    job: Any = None
    rows: int | None = None
    beside: Any = None
    worker: Any = None
    graph: Any = None
    reading: bool = False


_current: contextvars.ContextVar[Context] = contextvars.ContextVar("stratagem", default=Context())  # noqa: B039


def current() -> Context:
    """Returns the context of the calling code. A new thread starts with the default one."""
    return _current.get()


@contextlib.contextmanager
def entered(**changes: Any) -> Iterator[Context]:
    """Runs the body in the current context with some fields changed."""
    context = dataclasses.replace(_current.get(), **changes)
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


def assign(context: Context) -> None:
    """Makes `context` the current one until further notice (for scopes that are not `with` blocks)."""
    _current.set(context)
