"""The modes of execution: compiled or as Python, and outside of the function that is being compiled."""

import contextlib
from collections.abc import Iterator

from stratagem._base.exports import exported
from stratagem._core.context import current, entered
from stratagem._private import OutsideOfTraces, unscoped


class _EagerMode:
    """The setting of `run_functions_eagerly`, which as in TensorFlow is that of the process."""

    eager = False


@exported("config.experimental_run_functions_eagerly", "config.run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Lets compiled functions and steps run as Python, operation by operation, with values that can be seen; or not again."""
    _EagerMode.eager = bool(run_eagerly)


@exported("config.experimental_functions_run_eagerly", "config.functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns whether compiled functions and steps run as Python now."""
    return _EagerMode.eager


@exported("executing_eagerly", v1=["executing_eagerly", "executing_eagerly_outside_functions"])
def executing_eagerly() -> bool:
    """Returns whether operations of the calling code are computed at once: False in a step, a compiled function, a model_fn."""
    context = current()
    traced = context.recorder is not None and not context.recorder.eager
    return not traced and context.graph is None and not context.host


@exported("inside_function", v1=())
def inside_function() -> bool:
    """Returns whether the calling code is a part of a compiled function."""
    return not executing_eagerly()


@exported("init_scope")
@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Runs the body outside of the function that is being compiled: at once, when that is traced, and only then.

    Variables that it creates have their values at once and stay; tensors of the function have none there.
    """
    with entered(recorder=None, replica=None, host=""), OutsideOfTraces(), unscoped():
        yield
