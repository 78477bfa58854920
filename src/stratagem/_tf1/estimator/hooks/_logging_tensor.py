"""LoggingTensorHook: the values of tensors, in the log."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator.hooks._protocol import SessionRunArgs, SessionRunContext, SessionRunValues
from stratagem._tf1.estimator.hooks._timer import NeverTimer, SecondOrStepTimer
from stratagem._tf1.graph import building_here

_log = logging.getLogger("stratagem.estimator")


@exported("estimator.LoggingTensorHook", v1=["estimator.LoggingTensorHook", "train.LoggingTensorHook"])
class LoggingTensorHook(SessionRunHook):
    """Logs tensors every so many steps of this worker or seconds, beginning with the first step, and optionally at the end.

    tensors: a dict from labels to tensors, or to names given by `tf.identity(x, name=...)` in the model_fn; or a list of
        tensors or names.
    formatter: takes a dict from labels to values and returns the log line.

    Raises ValueError unless exactly one of every_n_iter and every_n_secs is given; with at_end, none is needed.
    """

    def __init__(
        self,
        tensors: dict[str, Any] | Iterable[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}: it must be positive.")
        # Pairs sorted by label: a tensor that is being traced cannot be a key of a dict.
        pairs = sorted(tensors.items()) if isinstance(tensors, dict) else _labelled(tensors)
        self._labels, self._tensors = [label for label, _ in pairs], [tensor for _, tensor in pairs]
        self._formatter, self._at_end = formatter, at_end
        self._timer = NeverTimer() if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._steps, self._due = 0, False

    def begin(self) -> None:
        self._timer.reset()
        self._steps = 0

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._due = self._timer.should_trigger_for_step(self._steps)
        return SessionRunArgs(self._tensors) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._due:
            self._show(run_values.results)
        self._steps += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._show(session.run(self._tensors))

    def _show(self, values: list[Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._steps)
        found = dict(zip(self._labels, values, strict=True))
        with np.printoptions(suppress=True):
            if self._formatter is not None:
                line = self._formatter(found)
            else:
                line = ", ".join(f"{label} = {value!s}" for label, value in found.items())
                line += "" if seconds is None else f" ({seconds:.3f} sec)"
        _log.info("%s", line)


def _labelled(tensors: Iterable[Any]) -> list[tuple[str, Any]]:
    """Returns every tensor with a unique label: its name, with `_1`, `_2` … appended if it is taken."""
    found: dict[str, Any] = {}
    for tensor in tensors:
        label = first = _label(tensor)
        number = 0
        while label in found:
            number += 1
            label = f"{first}_{number}"
        found[label] = tensor
    return list(found.items())


def _label(tensor: Any) -> str:
    """Returns the label of a name or tensor: its name, or the type and shape of a tensor without one."""
    if isinstance(tensor, str):
        return tensor
    building = building_here()
    given = None if building is None else building.name_given(tensor)
    return str(given or getattr(tensor, "name", None) or getattr(tensor, "aval", tensor))
