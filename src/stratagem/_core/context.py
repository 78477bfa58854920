"""The context variable of the running code: its strategy, replica, recorder, and whatever else surrounds it.

What describes the running code is a field here. A few modules of `_private` have context variables of their own, each with
the reason beside it: they lie below this one.
"""

import contextlib
import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import keras

from stratagem._base.job import Job
from stratagem._base.types import UserFunction
from stratagem._core.roles import CurrentWorker, GraphBuild, Replica, StepRecorder, Strategy


@dataclass(frozen=True, kw_only=True)
class Context:
    """The surroundings of the current code.

    strategy: the strategy whose scope is open, or None for the default strategy.
    chosen: whether `experimental_set_strategy` made that the current one, and not a scope.
    replica: the ReplicaContext inside a replica function, else None.
    crossing: True in a cross-replica context; False in a replica and in the default context.
    recorder: the recorder of the trace of the current code, or None if the code runs for real.
    host: for a function that runs in Python although it is a tf.function, its name and the reason; "" elsewhere.
    job: the workers that run this code together, or None for the job of the process.
    rows: inside a replica of a step of `Model.fit`, `evaluate` and the like, this replica's number of rows of the
    global batch: losses are then those of the global batch. None elsewhere, where the user's loop divides losses itself.
    slot_of: the variable whose location new variables share, since they are its optimizer's slots; or None.
    worker: the worker of a parameter-server job that runs the current code, or None.
    graph: the call of an Estimator's model_fn that the current code is part of, or what a `tf.Graph` has; or None.
    begin_graph: begins the default graph, after `disable_eager_execution`; else None.
    autograph: whether functions are converted, so that tensors can decide in them (`_autograph`).
    loop: True in a loop of the function that is being compiled, outside of replica functions: what may run slower in a
    compiled loop, or more often than once, takes the function to host mode.
    updating: True in the function given to `strategy.extended.update`: cross-replica code that reads and assigns each replica's
    component of a variable.
    reading: True in a call of an Estimator's input_fn, which describes datasets; their elements are not known there.
    first_value: True in the callable of a variable's first value, which draws the same numbers wherever the variable lies.
    name_scope: the open scopes of names, with a slash at the end; "" outside of all.
    creators: the functions that are asked before a variable is made, outermost first.
    sizes_asked: who notes how many sizes of results are those of contents (`SizesAsked`), or None.
    critical_sections: the locks of the critical sections that the code is in.
    shuffle_seeds: gives the shuffles that are created their seeds (`seeded_by`), or None.
    """

    strategy: Strategy | None = None
    chosen: bool = False
    replica: Replica | None = None
    crossing: bool = False
    recorder: StepRecorder | None = None
    host: str = ""
    job: Job | None = None
    rows: int | None = None
    slot_of: keras.Variable | None = None
    worker: CurrentWorker | None = None
    graph: GraphBuild | None = None
    begin_graph: Callable[[], None] | None = None
    autograph: bool = True
    loop: bool = False
    updating: bool = False
    reading: bool = False
    first_value: bool = False
    name_scope: str = ""
    creators: tuple[UserFunction, ...] = ()
    sizes_asked: Any = None
    critical_sections: tuple[Any, ...] = ()
    shuffle_seeds: Any = None


_current: contextvars.ContextVar[Context] = contextvars.ContextVar("stratagem", default=Context())  # noqa: B039


def recording() -> StepRecorder:
    """The recorder of code that runs only while a step is traced."""
    recorder = _current.get().recorder
    assert recorder is not None, "this code runs inside a trace"
    return recorder


def current() -> Context:
    """Returns the context of the calling code. A new thread starts with the default one."""
    return _current.get()


def change(**changes: Any) -> dict[str, Any]:
    """Sets fields of the current context until further notice, where no `with` block ends it; returns the old ones."""
    before = vars(_current.get())
    assert changes.keys() <= before.keys(), f"a context has no {changes.keys() - before.keys()}"
    context = object.__new__(Context)
    vars(context).update(before, **changes)
    _current.set(context)
    return {name: before[name] for name in changes}


@final
class _Entered:
    """In the body, the current context has some fields changed, see `entered`."""

    # No generator, and no `dataclasses.replace`, which take four times as long: every step, and every run of a session, enters
    # several contexts.
    __slots__ = ("_before", "_changes")

    def __init__(self, changes: dict[str, Any]) -> None:
        self._changes = changes

    def __enter__(self) -> Context:
        self._before = change(**self._changes)
        return _current.get()

    def __exit__(self, *_: object) -> None:
        # These fields alone: the body may have changed others for longer, as `experimental_set_strategy` does, and scopes of
        # different kinds need not be left in the order of entering them.
        change(**self._before)


def entered(**changes: Any) -> contextlib.AbstractContextManager[Context]:
    """Runs the body in the current context with some fields changed."""
    return _Entered(changes)
