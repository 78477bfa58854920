"""TrainSpec and EvalSpec: the data, length and hooks of trainings and evaluations; Exporter: the interface of exporters."""

import abc
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, final

from stratagem._base.exports import exported
from stratagem._tf1.estimator._session_run_hook import CheckpointSaverListener, SessionRunHook


class _TrainSpec(NamedTuple):
    """The fields of a TrainSpec."""

    input_fn: Callable[..., Any]
    max_steps: int | None
    hooks: tuple[SessionRunHook, ...]
    saving_listeners: tuple[CheckpointSaverListener, ...]


@exported("estimator.TrainSpec")
@final
class TrainSpec(_TrainSpec):
    """The training of train_and_evaluate, as `tf.estimator.TrainSpec`.

    input_fn: returns the dataset of one task, a `tf.data.Dataset` of (features, labels).
    max_steps: the global step at which training ends; None trains until the data ends.
    hooks: run around every step.
    saving_listeners: run around every checkpoint, on the chief.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: max_steps is not positive.
    """

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        max_steps: int | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        saving_listeners: Iterable[CheckpointSaverListener] | None = None,
    ) -> "TrainSpec":
        _check_callable(input_fn)
        _check_positive("max_steps", max_steps)
        return super().__new__(cls, input_fn, max_steps, checked_hooks(hooks), checked_listeners(saving_listeners))


@exported("estimator.Exporter")
class Exporter(abc.ABC):
    """The interface of exporters, which make something of a model after an evaluation, as `tf.estimator.Exporter`."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of its directory below `export`, unique in an EvalSpec."""

    @abc.abstractmethod
    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports to `export_path`, and returns what train_and_evaluate is to return for this exporter."""


class _EvalSpec(NamedTuple):
    """The fields of an EvalSpec."""

    input_fn: Callable[..., Any]
    steps: int | None
    name: str | None
    hooks: tuple[SessionRunHook, ...]
    exporters: tuple[Exporter, ...]
    start_delay_secs: float
    throttle_secs: float


@exported("estimator.EvalSpec")
@final
class EvalSpec(_EvalSpec):
    """The evaluations of train_and_evaluate, as `tf.estimator.EvalSpec`.

    input_fn: returns the dataset to evaluate on, a `tf.data.Dataset` of (features, labels).
    steps: the number of batches; None takes all.
    name: distinguishes evaluations on several datasets; events are written below `eval_<name>`.
    hooks: run around every batch.
    exporters: one or several Exporters, which run after every evaluation.
    start_delay_secs: the time that a task which only evaluates waits before its first evaluation.
    throttle_secs: the minimum time between the beginnings of two evaluations.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, two exporters have the same name, or one has none.
    """

    def __new__(
        cls,
        input_fn: Callable[..., Any],
        steps: int | None = 100,
        name: str | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        exporters: Exporter | Iterable[Exporter] | None = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> "EvalSpec":
        _check_callable(input_fn)
        _check_positive("steps", steps)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be a string, got {name!r}.")
        for what, secs in (("start_delay_secs", start_delay_secs), ("throttle_secs", throttle_secs)):
            if secs < 0:
                raise ValueError(f"Must specify {what} >= 0, got {secs!r}.")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            checked_hooks(hooks),
            _checked_exporters(exporters),
            start_delay_secs,
            throttle_secs,
        )


def checked_hooks(hooks: Iterable[SessionRunHook] | None) -> tuple[SessionRunHook, ...]:
    """Returns the hooks as a tuple. Raises TypeError if one is not a SessionRunHook."""
    found = tuple(hooks or ())
    for hook in found:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `tf.compat.v1.train.SessionRunHook` instances, got {hook!r}.")
    return found


def checked_listeners(listeners: Iterable[CheckpointSaverListener] | None) -> tuple[CheckpointSaverListener, ...]:
    """Returns the listeners as a tuple. Raises TypeError if one is not a CheckpointSaverListener."""
    found = tuple(listeners or ())
    for listener in found:
        if not isinstance(listener, CheckpointSaverListener):
            raise TypeError(f"All saving_listeners must be `CheckpointSaverListener` instances, got {listener!r}.")
    return found


def _checked_exporters(exporters: Any) -> tuple[Exporter, ...]:
    """Returns the exporters as a tuple, after checking that their names differ."""
    given = (exporters,) if isinstance(exporters, Exporter) else exporters or ()
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(exporter, Exporter) for exporter in found):
        raise TypeError(f"`exporters` must be an Exporter, an iterable of Exporter, or None, got {exporters!r}.")
    names = [exporter.name for exporter in found]
    for name in names:
        if not isinstance(name, str) or not name:
            raise ValueError(f"An Exporter must have a name that is a string and not empty, got {name!r} in {names}.")
    if len(set(names)) < len(names):
        raise ValueError(f"`exporters` must have unique names, got {names}.")
    return found


def _check_callable(input_fn: Any) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, got {input_fn!r}.")


def _check_positive(name: str, count: int | None) -> None:
    if count is not None and count <= 0:
        raise ValueError(f"Must specify {name} > 0, got {count!r}.")
