"""Estimator: trains, evaluates and predicts with a model_fn, and keeps the state in a directory."""

import copy
import functools
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._base.job import ALONE, agree_on
from stratagem._base.storage import checked_path
from stratagem._checkpoints import latest_checkpoint, list_variables, load_variable
from stratagem._core.step import default_mesh
from stratagem._strategies import AbstractStrategy, OneDeviceStrategy
from stratagem._tf1.estimator._call import argument_names, call_with, check_model_fn
from stratagem._tf1.estimator._config import RunConfig, with_model_dir
from stratagem._tf1.estimator._evaluate import evaluate, record
from stratagem._tf1.estimator._events import EventFolders
from stratagem._tf1.estimator._exporting import write_export
from stratagem._tf1.estimator._input import InputFunction
from stratagem._tf1.estimator._loop import steps as loop
from stratagem._tf1.estimator._mode_export import ModeExport
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._predictions import chosen_keys, rows
from stratagem._tf1.estimator._receivers import Receiver
from stratagem._tf1.estimator._runner import EstimatorStepRunner, LocalRunner, OpenRunner
from stratagem._tf1.estimator._saving import GraphSaver, saved_step
from stratagem._tf1.estimator._scope_isolation import generated_isolated, isolated
from stratagem._tf1.estimator._session import ModelSession
from stratagem._tf1.estimator._session_run_hook import CheckpointSaverListener, SessionRunHook
from stratagem._tf1.estimator._step import ModelStep, hooks_of
from stratagem._tf1.estimator._train import TrainingParameters, initializer, train
from stratagem._tf1.estimator._train_eval_specs import checked_hooks, checked_listeners
from stratagem._tf1.estimator._warm_start import WarmStartSettings, begin, settings_of
from stratagem._tf1.estimator.hooks import StopAfterBatchesHook, StopAtStepHook
from stratagem._tf1.graph import ModelState

_log = logging.getLogger("stratagem.estimator")

_OF_KINDS = ("_params_in", "_check_input_fn")  # what our own subclass overrides


@exported("estimator.Estimator")
class Estimator:
    """Trains, evaluates and predicts with the model that `model_fn` makes, as `tf.estimator.Estimator`.

    model_fn: takes any of `features`, `labels`, `mode`, `params` and `config`, and returns an EstimatorSpec. It is traced
        like a step of tf.function: its Python runs a few times at the beginning, not at every step.
    model_dir: the directory of checkpoints and event files; by default that of `config`, else a temporary one.
    config: a RunConfig.
    params: passed to model_fn and input_fn.
    warm_start_from: a checkpoint, or WarmStartSettings, with the initial values of variables.

    Raises ValueError for a model_fn with other arguments, and for a subclass that overrides a method of Estimator.
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | os.PathLike[str] | None = None,
        config: RunConfig | None = None,
        params: dict[str, Any] | None = None,
        warm_start_from: Any = None,
    ) -> None:
        _refuse_overrides(type(self))
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        check_model_fn(model_fn, params)
        self._model_fn, self._params = model_fn, copy.deepcopy(params or {})
        self._warm_start = settings_of(warm_start_from)
        self._config = with_model_dir(config, model_dir)  # last: nothing is refused any more, and it may make a folder
        _log.info("Using config: %r", self._config)
        self._events = EventFolders(allowed=self._config.is_chief or self._config.task_type == "evaluator")

    @property
    def model_dir(self) -> str:
        """The directory of checkpoints and event files."""
        assert self._config.model_dir is not None
        return self._config.model_dir

    @property
    def config(self) -> RunConfig:
        """The configuration."""
        return self._config

    @property
    def params(self) -> dict[str, Any]:
        """A copy of the parameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model_fn with its `params` bound: (features, labels, mode, config)."""

        def public(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public

    @property
    def warm_start(self) -> WarmStartSettings | None:
        """The settings for the initial values of variables, as long as there is no checkpoint. (Not in TensorFlow.)"""
        return self._warm_start

    def eval_dir(self, name: str | None = None) -> str:
        """Returns the directory of the event files of the evaluation `name`."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def latest_checkpoint(self) -> str | None:
        """Returns the path of the newest valid checkpoint; None if there is none."""
        return latest_checkpoint(self.model_dir)

    def get_variable_names(self) -> list[str]:
        """Returns the names of all variables of the latest checkpoint. Raises ValueError if there is none."""
        return [name for name, _ in list_variables(self._trained())]

    def get_variable_value(self, name: str) -> np.ndarray:
        """Returns the value of a variable in the latest checkpoint.

        Raises ValueError if there is no checkpoint, NotFoundError if it has no such variable.
        """
        return load_variable(self._trained(), name)

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Iterable[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Iterable[CheckpointSaverListener] | None = None,
    ) -> "Estimator":
        """Trains, starting from the latest checkpoint if there is one, until the input ends or a limit is reached.

        input_fn: returns a dataset of (features, labels), or both as tensors. It may take `mode`, `params`, `config` and
            `input_context`.
        steps: the number of steps to take.
        max_steps: the global step to stop at.

        Raises:
            ValueError: both limits are given, one is not positive, or this task does not train.
            TypeError: hooks or listeners are not instances of their classes.
            NanLossDuringTrainingError: the loss is NaN.
        """
        if self._config.task_type in ("evaluator", "ps"):
            raise ValueError(
                f"Train has been called on a task of type {self._config.task_type!r}, which does not train. Call "
                "tf.estimator.train_and_evaluate: it does what the task is for."
            )
        if (
            self._config.train_distribute is None
            and self._config.num_worker_replicas + self._config.num_ps_replicas > 1
        ):
            raise ValueError(
                "Train has been called in a cluster of several tasks, without a strategy that makes them one. Call "
                "tf.estimator.train_and_evaluate in every task, or give RunConfig a "
                "train_distribute=tf.distribute.MultiWorkerMirroredStrategy()."
            )
        _check_strategy(self._config)
        _check_limits(steps, max_steps)
        _agree_on_run(self._config.train_distribute, self.model_dir, steps, max_steps)
        if max_steps is not None and max_steps <= saved_step(self._latest(self._config.train_distribute)):
            _log.info("Skipping training since max_steps has already saved.")
            return self
        chosen_hooks = list(checked_hooks(hooks))
        if steps is not None or max_steps is not None:
            chosen_hooks.append(StopAtStepHook(steps, max_steps))
        loss = self._train(input_fn, chosen_hooks, checked_listeners(saving_listeners))
        _log.info("Loss for final step: %s.", None if loss is None else np.asarray(loss)[()])
        return self

    @isolated
    def _train(
        self,
        input_fn: Callable[..., Any],
        hooks: list[SessionRunHook],
        listeners: Iterable[CheckpointSaverListener],
        open_runner: OpenRunner | None = None,
        strategy: AbstractStrategy | None = None,
    ) -> Any:
        """Trains with the given runner, or a local one. Returns the last loss."""
        chosen_strategy = strategy or self._config.train_distribute
        path = self._latest(chosen_strategy)
        step, runner = self._opened(input_fn, ModeKeys.TRAIN, chosen_strategy, open_runner)
        return train(
            step,
            runner,
            TrainingParameters(self.model_dir, path, self._config, self._events, self._warm_start, hooks, listeners),
        )

    @isolated
    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Returns the metrics of the model over all batches of the input, or over the first `steps` of them.

        The result is a dict of NumPy numbers: the model's eval_metric_ops by name, `loss`, which is the mean of the batches'
        losses, and `global_step`.

        checkpoint_path: by default the latest checkpoint; without any, variables have their initial values.
        name: distinguishes evaluations on several datasets, each of which writes its events to its own directory.

        Raises:
            ValueError: steps is not positive, or a metric is named `loss` or `global_step`.
            TypeError: hooks are not SessionRunHooks.
        """
        chosen_hooks = list(checked_hooks(hooks))
        if steps is not None:
            if steps <= 0:
                raise ValueError(f"Must specify steps > 0, given: {steps}")
            chosen_hooks.append(StopAfterBatchesHook(steps))
        path = _local(checkpoint_path) or self._found("evaluate", self._config.eval_distribute)
        step, runner = self._opened(input_fn, ModeKeys.EVAL, self._config.eval_distribute)
        try:
            session, saving = self._session(step, runner, path)
            built = step.built
            all_hooks = [*chosen_hooks, *hooks_of(built.spec, ModeKeys.EVAL)]
            found = evaluate(session, runner, built, saving, all_hooks, path)
        finally:
            runner.close()
        record(self._events, self.eval_dir(name), found, path)
        return found

    @generated_isolated
    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Iterable[str] | None = None,
        hooks: Iterable[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yields the predictions for every row of the input: a dict of arrays, or an array if the model_fn returns one tensor.

        predict_keys: the predictions to return, by default all.
        checkpoint_path: as in `evaluate`.
        yield_single_examples: False yields whole batches.

        Raises:
            ValueError: none of the keys exists, or predictions have different lengths.
            TypeError: hooks are not SessionRunHooks.
        """
        chosen_hooks = list(checked_hooks(hooks))
        path = _local(checkpoint_path) or self._found("predict")
        step, runner = self._opened(input_fn, ModeKeys.PREDICT, None)
        try:
            session, saving = self._session(step, runner, path)
            built = step.built
            keys = chosen_keys(built.spec.predictions, predict_keys)
            all_hooks = [*chosen_hooks, *hooks_of(built.spec, ModeKeys.PREDICT)]
            results = loop(session, built, all_hooks, initializer(session, built, saving, path))
            yield from rows(results, keys, built.spec.predictions, one_by_one=yield_single_examples)
        finally:
            runner.close()

    @isolated
    def export_saved_model(
        self,
        export_dir_base: str | os.PathLike[str],
        serving_input_receiver_fn: Callable[[], Receiver],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Writes a SavedModel, which `tf.saved_model.load` reads, into a new directory of `export_dir_base`; returns its path.

        The model_fn is traced with the features that the receiver makes of its placeholders. In the mode PREDICT there is a
        signature for each of its `export_outputs`, with TensorFlow's names for inputs and outputs; for its predictions, if it
        has none. In EVAL and TRAIN there is one, "eval" or "train", with the loss, predictions and metrics, which each call
        updates; as in TensorFlow it takes no training step. The files are not TensorFlow's: see `tf.saved_model.save`.

        serving_input_receiver_fn: makes placeholders, and returns a receiver; for EVAL and TRAIN see
            `tf.estimator.experimental.build_raw_supervised_input_receiver_fn`.
        assets_extra: files to copy into `assets.extra`, by their names there.
        checkpoint_path: by default the latest checkpoint.

        Raises:
            ValueError: there is no checkpoint or no such mode, or receiver or outputs are none.
            UnimplementedError: the model has no program (see `tf.saved_model.save`), or an alternative of the receiver's
                tensors cannot be fed.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        receivers = {experimental_mode: serving_input_receiver_fn}
        return self._exported(export_dir_base, receivers, assets_extra, checkpoint_path)

    @isolated
    def experimental_export_all_saved_models(
        self,
        export_dir_base: str | os.PathLike[str],
        input_receiver_fn_map: dict[str, Callable[[], Receiver]],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Writes one SavedModel of several modes, and returns its path. Raises the same errors as `export_saved_model`.

        `tf.saved_model.load(path, tags=...)` takes that of a mode: "serve", "eval" or "train". The variables of a name are
        there once.

        input_receiver_fn_map: receivers by mode.
        """
        return self._exported(export_dir_base, input_receiver_fn_map, assets_extra, checkpoint_path)

    def _exported(
        self,
        export_dir_base: str | os.PathLike[str],
        receivers: dict[str, Callable[[], Receiver]],
        assets_extra: dict[str, Any] | None,
        checkpoint_path: str | None,
    ) -> bytes:
        chosen = [mode for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT) if receivers.get(mode)]
        base = checked_path(export_dir_base)
        path = _local(checkpoint_path) or self._trained()
        if not chosen:
            raise ValueError(f"No valid modes for exporting found. Got {[*receivers]}.")

        def model(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, self._config)

        modes = [ModeExport(mode, model, receivers[mode], self._config) for mode in chosen]
        return os.fsencode(write_export(modes, base, path, assets_extra))

    def export_savedmodel(
        self,
        export_dir_base: str | os.PathLike[str],
        serving_input_receiver_fn: Callable[[], Receiver],
        assets_extra: dict[str, Any] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Does the same as `export_saved_model`: its name in TensorFlow 1."""
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )

    def _session(
        self, step: ModelStep, runner: EstimatorStepRunner, path: str | None
    ) -> tuple[ModelSession, GraphSaver]:
        """Builds a model for evaluation or prediction."""
        runner.build()
        saving = GraphSaver(step.graph, self._config, step.built.spec.scaffold.saver)
        if path is None:
            begin(step.graph, self._warm_start)
        return ModelSession(step, runner, saving, self._events), saving

    def _opened(
        self,
        input_fn: Callable[..., Any],
        mode: str,
        strategy: AbstractStrategy | None,
        open_runner: OpenRunner | None = None,
    ) -> tuple[ModelStep, EstimatorStepRunner]:
        """Returns a step of the model in a mode, and its runner: under a strategy, or on one device."""
        used = OneDeviceStrategy(default_mesh().devices[0]) if strategy is None else strategy
        step = ModelStep(
            functools.partial(self._call_in_step, mode), ModelState(self._config.tf_random_seed), mode, used
        )
        self._check_input_fn(input_fn)
        source = InputFunction(input_fn, mode, self._params_in(mode), self._config)
        if open_runner is not None:
            return step, open_runner(step, source)
        return step, LocalRunner(step, source, distributed=strategy is not None)

    def _call_in_step(self, mode: str, features: Any, labels: Any, first: bool) -> EstimatorSpec:
        if first:
            _log.info("Calling model_fn.")
        spec = self._call_model_fn(features, None if mode == ModeKeys.PREDICT else labels, mode, self._config)
        if first:
            _log.info("Done calling model_fn.")
        return spec

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        if labels is not None and "labels" not in argument_names(self._model_fn):
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        given = {
            "features": features,
            "labels": labels,
            "mode": mode,
            "params": self._params_in(mode),
            "config": config,
        }
        spec = call_with(self._model_fn, **given)
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(f"model_fn should return an EstimatorSpec, it returned {spec!r:.200}.")
        return spec

    def _params_in(self, mode: str) -> dict[str, Any]:
        """Returns the parameters that input_fn and model_fn get in a mode, a copy."""
        return self.params

    def _check_input_fn(self, input_fn: Callable[..., Any]) -> None:
        """Raises ValueError for an input_fn that the Estimator cannot call. Any other than a TPUEstimator takes all."""

    def _found(self, purpose: str, strategy: AbstractStrategy | None = None) -> str | None:
        path = self._latest(strategy)
        if path is None:
            _log.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.", self.model_dir, purpose
            )
        return path

    def _latest(self, strategy: AbstractStrategy | None) -> str | None:
        """Returns the newest valid checkpoint; for workers that train together, the one that the chief finds."""
        path = self.latest_checkpoint()
        if strategy is None or strategy.mesh.job.workers == 1:
            return path
        name = strategy.mesh.job.agree("the checkpoint to begin with", path and os.path.basename(path))[0]
        return name and os.path.join(self.model_dir, name)

    def _trained(self) -> str:
        path = self.latest_checkpoint()
        if path is None:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")
        return path


def _check_strategy(config: RunConfig) -> None:
    """Raises ClusterError for a strategy of one process in a cluster of several, each of which would train alone."""
    strategy = config.train_distribute
    if strategy is not None and config.num_worker_replicas > 1 and strategy.mesh.job.workers == 1:
        raise ClusterError(
            f"TF_CONFIG: {config.num_worker_replicas} tasks of the cluster train, and RunConfig has the train_distribute "
            f"{strategy!r}. {type(strategy).__name__} uses the devices of this process alone: give "
            "tf.distribute.MultiWorkerMirroredStrategy()."
        )


def _agree_on_run(strategy: AbstractStrategy | None, model_dir: str, steps: int | None, max_steps: int | None) -> None:
    """Compares the limits of a training with those of the other workers; warns of other model_dirs.

    Raises ClusterError if the limits differ: one worker would end while the others wait for it.
    """
    job = ALONE if strategy is None else strategy.mesh.job
    agree_on(job, "arguments of Estimator.train", {"steps": str(steps), "max_steps": str(max_steps)})
    if job.workers > 1:
        folders = job.agree("the model_dir of an Estimator", model_dir)
        if len(set(folders)) > 1:
            shown = ", ".join(f"{folder} on {job.task(worker)}" for worker, folder in enumerate(folders))
            _log.warning(
                "The workers' model_dir differ: %s. Only the chief writes checkpoints, and all restore them.", shown
            )


def _check_limits(steps: int | None, max_steps: int | None) -> None:
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, value in (("steps", steps), ("max_steps", max_steps)):
        if value is not None and value <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {value}")


def _refuse_overrides(kind: type) -> None:
    """Raises ValueError for a subclass that overrides members of Estimator. As in TensorFlow, only the model_fn may differ."""
    own = {name for name in vars(Estimator) if not name.startswith("__")} - {
        "latest_checkpoint",
        "model_fn",
        *_OF_KINDS,
    }
    changed = sorted({name for each in kind.__mro__ if each not in Estimator.__mro__ for name in vars(each)} & own)
    if public := [name for name in changed if not name.startswith("_")]:
        raise ValueError(
            f"Subclasses of Estimator cannot override members of Estimator. {kind} does override {public}."
        )
    if changed:
        raise ValueError(f"{kind} has members named {changed}, which Estimator uses itself here: rename them.")


def _local(path: Any) -> str | None:
    return None if path is None else checked_path(path)
