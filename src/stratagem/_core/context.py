"""The one context variable: which strategy, which replica and which recording the current code runs in."""

import contextlib
import contextvars
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Recorder(Protocol):
    """What code under a trace may ask of it, in layers that do not know the step's capture."""

    def draw(self, source: Any) -> Any:
        """The next element of an iterator, as an input of the program being traced."""

    def need_host(self, reason: str) -> None:
        """Give the trace up because Python itself needs values; inside a replica this is an error."""

    def create(self, variable: Any) -> None:
        """A variable is being created: raises ValueError where that is not allowed."""

    def gather_rows(self, value: Any) -> Any:
        """The replicas' values one after another along axis 0, on every replica."""

    def add(self, variable: Any, delta: Any, sign: int) -> bool:
        """Add to a variable as one whole; False where that is to read it, add, and assign."""

    def read_slot(self, variable: Any, slot: Any) -> Any:
        """What the present code reads of a sync-on-read variable of which a replica has `slot`."""

    def to_copy(self, variable: Any, value: Any) -> Any:
        """What all replicas have of a mirrored variable once the present code has assigned `value`."""

    def to_slot(self, variable: Any, value: Any) -> Any:
        """What a replica has of a sync-on-read variable once the present code has assigned `value`."""

    def check(self, fails: Any, text: str, values: Mapping[str, Any]) -> None:
        """An error with this text and these values, if the scalar `fails` is true when the program runs."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """Where the current code runs.

    strategy: the strategy whose scope is open, or None for the default strategy.
    chosen: True where `experimental_set_strategy` made that the current one, not a scope.
    replica: the ReplicaContext object inside a replica function, else None.
    crossing: True in a cross-replica context; False in a replica and in the default context.
    recorder: the capture that traces the current code (a `Recorder`), or None when it runs for real.
    host: of a function that runs in Python though it is a tf.function: its name, and why; "" elsewhere.
    job: the workers that run this code together (a `Job`), or None for the job of the process.
    rows: inside a replica of a step of `Model.fit` and its kin, how many rows of the global batch this replica has: losses
        are then those of the global batch. None elsewhere, where the user's loop says what a loss is divided by.
    beside: the variable at whose place new ones are made (an optimizer's slots), or None.
    worker: the worker of a parameter-server job that runs the current code (a `Worker`), or None.
    graph: the call of an Estimator's model_fn that the current code is part of (a `Building`), or None.
    reading: True in a call of an Estimator's input_fn, where data sets are described and their elements are not known.
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
    """The context of the calling code. A new thread starts with the default one."""
    return _current.get()


@contextlib.contextmanager
def entered(**changes: Any) -> Iterator[Context]:
    """Run the body in the current context with some fields changed."""
    context = dataclasses.replace(_current.get(), **changes)
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


def assign(context: Context) -> None:
    """Make `context` the current one until further notice (for scopes that are not `with` blocks)."""
    _current.set(context)
