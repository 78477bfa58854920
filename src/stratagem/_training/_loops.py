"""The loops of fit, evaluate and predict: epochs, validation and callbacks around the steps of a runner."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import keras
import numpy as np

from stratagem._base.job import agree_on
from stratagem._core.values import CompositeTensor
from stratagem._data import leaves
from stratagem._ops import concat
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.sparse import concat as join_sparse
from stratagem._private import train_validation_split, user_level
from stratagem._strategies import AbstractStrategy
from stratagem._training._callbacks import callback_list, has_hooks, progress_display, show_progress
from stratagem._training._data_arguments import DataArguments
from stratagem._training._loss_watch import LossWatch
from stratagem._training._metric_names import LogOrder
from stratagem._training._replica_step import StepKind, Steps
from stratagem._training._runner import StartedSteps, StepRunner, open_runner, run_batch
from stratagem._training.callbacks import FitRun, LoopHooks


@final
@dataclass(frozen=True, kw_only=True)
class FitArguments:
    """The arguments of `fit` other than its data."""

    epochs: int = 1
    verbose: Any = "auto"
    callbacks: Any = None
    initial_epoch: int = 0
    validation_freq: Any = 1


@final
class Loops:
    """The loops of one model that was made under a strategy."""

    def __init__(self, steps: Steps, strategy: AbstractStrategy) -> None:
        self._model, self._steps = steps.model, steps
        self._strategy = strategy

    def fit(self, data: DataArguments, validation: DataArguments | None, training: FitArguments) -> Any:
        """Trains for some epochs and returns the History."""
        model, job = self._model, self._strategy.mesh.job
        agree_on(job, "arguments of fit", _lengths(data, training))
        runner = self._runner(StepKind.TRAIN, data)
        runner.build()  # before the first callback runs: one of them may restore values
        callbacks = callback_list(
            training.callbacks,
            model,
            job,
            verbose=training.verbose,
            epochs=training.epochs,
            steps=runner.batches,
            history=True,
        )
        validate = _Validation(self, validation, training.validation_freq)
        first = model._initial_epoch or training.initial_epoch
        fit = FitRun(model, callbacks, {"data": runner, "validation": validate}, first)
        with progress_display(callbacks):
            self._epochs(runner, validate, callbacks, fit, training.epochs)
        return model.history

    def _epochs(self, runner: StepRunner, validate: "_Validation", callbacks: Any, fit: FitRun, epochs: int) -> None:
        model = self._model
        model.stop_training, finished, complete = False, False, True
        fit.begin()
        logs = fit.logs
        try:
            for epoch in fit.epochs(epochs):
                fit.begin_epoch(epoch)
                taken, last = self._train_epoch(runner, callbacks, fit)
                logs = dict(_results(model, last))
                if validate.due(epoch):
                    logs |= {f"val_{name}": value for name, value in validate(callbacks).items()}
                fit.end_epoch(epoch, logs)
                if model.stop_training:
                    break
                if taken < (runner.batches_now or 1):
                    # Data that every epoch reads from their start are there for the next one, too.
                    complete = bool(taken) and not runner.continues
                    _warn_of_early_end(f"epoch {epoch + 1} of {epochs}", taken, runner.batches_now, ends=not complete)
                    if not complete:
                        break
            finished = True
        finally:
            fit.close()
            if isinstance(model.optimizer, keras.optimizers.Optimizer) and epochs > 0:
                model.optimizer.finalize_variable_values(model.trainable_weights)
            if finished:
                fit.end(logs, complete=complete)

    def on_batch(self, kind: StepKind, data: DataArguments) -> Any:
        """Runs one step on one batch of arrays; returns its logs as Python numbers by name, or predictions as NumPy arrays."""
        if kind is not StepKind.PREDICT:
            self._model.reset_metrics()
        result = run_batch(self._strategy, self._steps, kind, data)
        if kind is StepKind.PREDICT:
            return _Outputs(self._strategy).add([result])
        return LogOrder(self._model)(_python_numbers(result))

    def _runner(self, kind: StepKind, data: DataArguments) -> StepRunner:
        return open_runner(self._strategy, self._steps, kind, data)

    def _train_epoch(self, runner: StepRunner, callbacks: Any, fit: FitRun) -> tuple[int, Any]:
        """Trains one epoch; returns the number of steps taken and the last logs."""
        model = self._model
        loss_watch = LossWatch(self._strategy.non_finite, fit.epoch)
        return self._pass(
            runner,
            callbacks,
            _hooks(callbacks, "train"),
            lambda: model.stop_training,
            loop_hooks=fit,
            loss_watch=loss_watch,
        )

    def _pass(
        self,
        runner: StepRunner,
        callbacks: Any,
        hooks: Any,
        stopped: Callable[[], bool],
        taken_from: Callable[[StartedSteps], Any] = lambda execution: execution.result,
        *,
        show: bool = True,
        loop_hooks: LoopHooks | None = None,
        loss_watch: LossWatch | None = None,
    ) -> tuple[int, Any]:
        """Makes one pass over the data; returns the number of steps and the last logs. hooks: called before and after steps."""
        loop_hooks, in_order = loop_hooks or LoopHooks(), LogOrder(self._model)
        taken, last = loop_hooks.step, loop_hooks.logs

        def step() -> bool:
            nonlocal taken, last
            if hooks is not None:
                hooks[0](taken)
            execution = runner.advance()
            if execution is None:
                return False
            taken, last = taken + execution.steps, taken_from(execution)
            if loss_watch is not None:
                loss_watch(taken, last)
            if show:
                show_progress(callbacks, taken, execution.steps, execution.examples, in_order(execution.result))
            if hooks is not None:
                hooks[1](taken - 1, in_order(last))
            loop_hooks.stepped(taken, last)
            return True

        runner.begin_epoch()
        total = runner.batches_now
        while (total is None or taken < total) and not stopped() and loop_hooks.run(step):
            pass
        runner.end_epoch()
        if loss_watch is not None:
            loss_watch(taken, last, ended=True)
        return taken, in_order(last)

    def evaluate(
        self, data: DataArguments, *, verbose: Any = "auto", callbacks: Any = None, runner: StepRunner | None = None
    ) -> Any:
        """Makes one pass over the data; returns the logs as Python numbers by name. runner: one that already reads the data."""
        model, nested = self._model, runner is not None
        if runner is None:
            runner = self._runner(StepKind.TEST, data)
            runner.build()
        callbacks = self._callbacks(callbacks, runner, verbose)
        model.stop_evaluating = False
        with progress_display(callbacks, nested=nested):
            callbacks.on_test_begin()
            model.reset_metrics()
            show = callbacks._progbar is not None and not nested  # within `fit` validation is silent
            hooks = _hooks(callbacks, "test")
            taken, last = self._pass(runner, callbacks, hooks, lambda: model.stop_evaluating, show=show)
            if runner.batches is not None and taken < runner.batches and not model.stop_evaluating:
                _warn_of_early_end("evaluation", taken, runner.batches)
            logs = _python_numbers(_results(model, last))
            callbacks.on_test_end(logs)
        return logs

    def predict(self, data: DataArguments, *, verbose: Any = "auto", callbacks: Any = None) -> Any:
        """The model's outputs for all examples, in order, as NumPy arrays."""
        model = self._model
        runner = self._runner(StepKind.PREDICT, data)
        runner.build()
        callbacks = self._callbacks(callbacks, runner, verbose)
        model.stop_predicting = False
        outputs = _Outputs(self._strategy)
        with progress_display(callbacks):
            callbacks.on_predict_begin()
            hooks, stopped = _hooks(callbacks, "predict"), lambda: model.stop_predicting
            taken, _ = self._pass(
                runner, callbacks, hooks, stopped, lambda execution: {"outputs": outputs.add(execution.result)}
            )
            if runner.batches is not None and taken < runner.batches and not model.stop_predicting:
                _warn_of_early_end("prediction", taken, runner.batches)
            callbacks.on_predict_end()
        return outputs.concatenated()

    def _callbacks(self, callbacks: Any, runner: StepRunner, verbose: Any) -> Any:
        job = self._strategy.mesh.job
        return callback_list(callbacks, self._model, job, verbose=verbose, epochs=1, steps=runner.batches)


def _lengths(data: DataArguments, training: FitArguments) -> dict[str, str]:
    """The arguments that decide how many steps and epochs a fit has."""
    found = {
        "batch_size": data.batch_size,
        "steps_per_epoch": data.steps,
        "epochs": training.epochs,
        "initial_epoch": training.initial_epoch,
        "validation_freq": training.validation_freq,
    }
    return {name: str(value) for name, value in found.items()}


def _hooks(callbacks: Any, name: str) -> tuple[Callable[..., None], Callable[..., None]] | None:
    """The callback methods to call before and after an execution's steps; None if no callback implements them."""
    names = [f"on_{name}_batch_begin", f"on_{name}_batch_end"]
    plain = ["on_batch_begin", "on_batch_end"] if name == "train" else []
    if not has_hooks(callbacks, *names, *plain):
        return None
    begin, end = (getattr(callbacks, hook) for hook in names)
    return begin, end


@final
class _Validation:
    """The evaluations during a `fit`, which share one feed."""

    def __init__(self, loops: Loops, data: DataArguments | None, freq: Any) -> None:
        if not hasattr(freq, "__contains__") and (not isinstance(freq, int) or freq < 1):
            raise ValueError(f"validation_freq is a positive number of epochs or a list of them, got {freq!r}.")
        self._loops, self._data, self._freq = loops, data, freq
        self._runner: StepRunner | None = None
        if data is not None:
            self._open()  # reports errors in the data before the first epoch, not after it

    def due(self, epoch: int) -> bool:
        """Returns whether this epoch (from 0) ends with an evaluation."""
        if self._data is None:
            return False
        return (epoch + 1) % self._freq == 0 if isinstance(self._freq, int) else epoch + 1 in self._freq

    def __call__(self, callbacks: Any) -> Any:
        assert self._data is not None  # checked by `due`
        return self._loops.evaluate(self._data, callbacks=callbacks, runner=self._open())

    def get_state(self) -> Any:
        """The position in the data where the next evaluation begins; None without data."""
        return None if self._data is None else self._open().get_state()

    def set_state(self, state: Any) -> None:
        """Makes the next evaluation begin at a saved position."""
        if state is not None and self._data is not None:
            self._open().set_state(state)

    def _open(self) -> StepRunner:
        assert self._data is not None  # checked by the callers
        if self._runner is None:
            self._runner = self._loops._runner(StepKind.TEST, self._data)
        return self._runner


@final
class _Outputs:
    """Collects predictions batch by batch, as NumPy arrays of all rows."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        self._batches: list[Any] = []

    def add(self, results: list[Any]) -> Any:
        """Adds the outputs of some steps, given per replica; returns those of the last step."""
        for result in results:
            rows = self._strategy.experimental_local_results(result)
            self._batches.append(jax.tree.map(lambda *v: _joined(v), *rows, is_leaf=_is_composite))
        return self._batches[-1]

    def concatenated(self) -> Any:
        """All predictions, concatenated."""
        return jax.tree.map(lambda *v: _joined(v), *self._batches, is_leaf=_is_composite)


def _is_composite(value: Any) -> bool:
    return isinstance(value, CompositeTensor)


def _joined(parts: Sequence[Any]) -> Any:
    """Returns the rows of all parts, as a ragged or sparse tensor if they are such, else as a NumPy array."""
    if isinstance(parts[0], SparseTensor):
        return join_sparse(0, list(parts))
    if _is_composite(parts[0]):
        return concat(list(parts), 0)
    return np.concatenate([np.asarray(part) for part in parts])


def _python_numbers(logs: Any) -> Any:
    if not isinstance(logs, dict):
        return logs
    return {name: _python_number(value) for name, value in logs.items()}


def _python_number(value: Any) -> Any:
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array


def _results(model: Any, last: Any) -> Any:
    """Returns what a pass reports: the results of all metrics, or what its last step returned if that has other names.

    The latter also if the step never updates the metric `loss`, which says 0 then. (In TensorFlow the model has none then.)
    """
    tracker = model._loss_tracker
    unused = tracker is not None and isinstance(last, dict) and not float(tracker.count)
    return last if unused else model._get_metrics_result_or_logs(last)


def _warn_of_early_end(what: str, taken: int, wanted: int | None, *, ends: bool = True) -> None:
    of = "" if wanted is None else f" of {wanted}"
    advice = (
        "Give a dataset with at least `steps_per_epoch * epochs` batches (Dataset.repeat() goes on for ever), or fewer steps."
        if ends
        else "The data have fewer batches than were known before. Every epoch reads them from their start."
    )
    warnings.warn(
        f"Your input ran out of data in {what}: {taken}{of} steps were taken. {advice}",
        stacklevel=user_level(),
    )


def split_validation(data: DataArguments, validation_split: float) -> tuple[DataArguments, DataArguments]:
    """Splits off the last examples of some arrays for validation. Raises ValueError for data that cannot be split."""
    if not 0 < validation_split < 1:
        raise ValueError(f"validation_split is a part of the examples, between 0 and 1, got {validation_split!r}.")
    arrays = (data.x, data.y, data.sample_weight)
    if any(map(_is_composite, leaves(arrays))):
        raise ValueError(
            "`validation_split` is only supported for Tensors or NumPy arrays, found ragged or sparse tensors. Give the last "
            "rows as `validation_data`."
        )
    (x, y, w), (val_x, val_y, val_w) = _split(arrays, validation_split)
    rest = {
        "class_weight": data.class_weight,
        "batch_size": data.batch_size,
        "steps": data.steps,
        "shuffle": data.shuffle,
    }
    return DataArguments(x=x, y=y, sample_weight=w, **rest), DataArguments(
        x=val_x, y=val_y, sample_weight=val_w, batch_size=data.batch_size
    )


def _split(arrays: Any, validation_split: float) -> tuple[Any, Any]:
    """All but the last part of the examples, and that part. Keras splits no arrays of strings: it splits their indices."""
    given, structure = jax.tree.flatten(arrays)
    strings = [isinstance(array, np.ndarray) and array.dtype.kind in "OSU" for array in given]
    numbers = [np.arange(len(a)) if text else a for a, text in zip(given, strings, strict=True)]
    parts = train_validation_split(jax.tree.unflatten(structure, numbers), validation_split)
    first, last = (
        jax.tree.unflatten(
            structure,
            [a[part] if text else part for a, text, part in zip(given, strings, jax.tree.leaves(each), strict=True)],
        )
        for each in parts
    )
    return first, last
