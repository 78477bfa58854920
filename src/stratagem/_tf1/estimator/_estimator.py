"""Estimator: a model_fn, trained, evaluated and asked for predictions, with its state in a directory."""

import copy
import functools
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from stratagem._base.errors import ClusterError, UnimplementedError
from stratagem._base.paths import local_path
from stratagem._checkpoints import latest_checkpoint, list_variables, load_variable
from stratagem._core.step import default_mesh
from stratagem._strategies import AbstractStrategy, OneDeviceStrategy
from stratagem._tf1.estimator._call import argument_names, call_with, check_model_fn
from stratagem._tf1.estimator._config import RunConfig, with_model_dir
from stratagem._tf1.estimator._evaluate import evaluate, record
from stratagem._tf1.estimator._events import EventFolders
from stratagem._tf1.estimator._hook import CheckpointSaverListener, SessionRunHook
from stratagem._tf1.estimator._input import Input
from stratagem._tf1.estimator._isolation import generated_isolated, isolated
from stratagem._tf1.estimator._loop import steps as loop
from stratagem._tf1.estimator._model_spec import EstimatorSpec, ModeKeys
from stratagem._tf1.estimator._predict import chosen, rows
from stratagem._tf1.estimator._runner import EstimatorRunner, LocalRunner, OpenRunner
from stratagem._tf1.estimator._saving import Saving, saved_step
from stratagem._tf1.estimator._session import ModelSession
from stratagem._tf1.estimator._specs import checked_hooks, checked_listeners
from stratagem._tf1.estimator._step import ModelStep, hooks_of
from stratagem._tf1.estimator._train import EstimatorTraining, initializer, train
from stratagem._tf1.estimator._warm_start import WarmStartSettings, settings_of, warm_start
from stratagem._tf1.estimator.hooks import StopAfterBatchesHook, StopAtStepHook
from stratagem._tf1.graph import Graph

_log = logging.getLogger("stratagem.estimator")


class Estimator:
    """As `tf.estimator.Estimator`: trains, evaluates and predicts with the model that `model_fn` makes.

    model_fn: called with those of `features`, `labels`, `mode`, `params` and `config` that it has arguments for; returns an
        EstimatorSpec. It is traced like a step of tf.function: its Python runs a few times at the beginning, not at every step.
    model_dir: where checkpoints and events are; a temporary directory if neither this nor `config` names one.
    config: a RunConfig. params: passed on to model_fn and input_fn.
    warm_start_from: a checkpoint, or WarmStartSettings, whose values variables begin with.

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
        self._config = with_model_dir(config, model_dir)
        _log.info("Using config: %r", self._config)
        self._model_fn, self._params = model_fn, copy.deepcopy(params or {})
        self._warm_start = settings_of(warm_start_from)
        self._events = EventFolders(allowed=self._config.is_chief or self._config.task_type == "evaluator")

    @property
    def model_dir(self) -> str:
        """Where checkpoints and events are."""
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
        """The model_fn with all arguments but `params`, which it has: (features, labels, mode, config)."""

        def public(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public

    @property
    def warm_start(self) -> WarmStartSettings | None:
        """Where variables begin that no checkpoint has yet. (Not in TensorFlow.)"""
        return self._warm_start

    def eval_dir(self, name: str | None = None) -> str:
        """Where the events of an evaluation of this name are."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def latest_checkpoint(self) -> str | None:
        """The path of the newest good checkpoint; None while there is none."""
        return latest_checkpoint(self.model_dir)

    def get_variable_names(self) -> list[str]:
        """The names of all variables of the latest checkpoint. Raises ValueError where there is none."""
        return [name for name, _ in list_variables(self._trained())]

    def get_variable_value(self, name: str) -> np.ndarray:
        """The value of a variable in the latest checkpoint. Raises ValueError where there is none, NotFoundError."""
        return load_variable(self._trained(), name)

    def train(
        self,
        input_fn: Callable[..., Any],
        hooks: Iterable[SessionRunHook] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Iterable[CheckpointSaverListener] | None = None,
    ) -> "Estimator":
        """Train, from the latest checkpoint of the directory if there is one, until the input ends or a limit is reached.

        input_fn: returns a data set of (features, labels), or those as tensors; it is called with those of `mode`, `params`,
            `config` and `input_context` that it has arguments for. steps: how many more. max_steps: up to which global step.

        Raises ValueError: both limits, or one that is not positive; a task that does not train. TypeError: hooks or listeners
        that are none. NanLossDuringTrainingError: the loss is NaN.
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
        """Train with whatever takes the steps. Returns the last loss."""
        chosen_strategy = strategy or self._config.train_distribute
        path = self._latest(chosen_strategy)
        step, runner = self._opened(input_fn, ModeKeys.TRAIN, chosen_strategy, open_runner)
        return train(
            step,
            runner,
            EstimatorTraining(self.model_dir, path, self._config, self._events, self._warm_start, hooks, listeners),
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
        """The metrics of the model over all batches of the input, or over the first `steps` of them.

        Returns NumPy numbers by name: those of the model's eval_metric_ops, `loss`, the mean of the batches' losses, and
        `global_step`. checkpoint_path: the latest one of the directory if None; without any, the model has its first values.
        name: for evaluations on several data sets, which write events to directories of their own.

        Raises ValueError: steps is not positive, or a metric has a name that is taken. TypeError: hooks that are none.
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
        """Yield the predictions for every row of the input: a dict of NumPy arrays, or what the model_fn returns in its place.

        predict_keys: only those. checkpoint_path: as in `evaluate`. yield_single_examples: False yields whole batches.

        Raises ValueError: keys that are not there, or predictions of different lengths. TypeError: hooks that are none.
        """
        chosen_hooks = list(checked_hooks(hooks))
        path = _local(checkpoint_path) or self._found("predict")
        step, runner = self._opened(input_fn, ModeKeys.PREDICT, None)
        try:
            session, saving = self._session(step, runner, path)
            built = step.built
            keys = chosen(built.spec.predictions, predict_keys)
            all_hooks = [*chosen_hooks, *hooks_of(built.spec, ModeKeys.PREDICT)]
            results = loop(session, built, all_hooks, initializer(session, built, saving, path))
            yield from rows(results, keys, one_by_one=yield_single_examples)
        finally:
            runner.close()

    def export_saved_model(self, *args: Any, **kwargs: Any) -> Any:
        """Raises UnimplementedError: a SavedModel is a graph of TensorFlow's."""
        raise UnimplementedError(
            "Estimator.export_saved_model: a SavedModel is a graph of TensorFlow's, and here is none. The variables are in the "
            "checkpoints (tf.train.load_variable, by name); a Keras model that has them can be saved with model.export."
        )

    experimental_export_all_saved_models = export_savedmodel = export_saved_model

    def _session(self, step: ModelStep, runner: EstimatorRunner, path: str | None) -> tuple[ModelSession, Saving]:
        """Build a model that is not to be trained."""
        runner.build()
        saving = Saving(step.graph, self._config, step.built.spec.scaffold.saver)
        if path is None and self._warm_start is not None:
            warm_start(step.graph, self._warm_start)
        return ModelSession(step, runner, saving, self._events), saving

    def _opened(
        self,
        input_fn: Callable[..., Any],
        mode: str,
        strategy: AbstractStrategy | None,
        open_runner: OpenRunner | None = None,
    ) -> tuple[ModelStep, EstimatorRunner]:
        """A step of the model in a mode, and what takes it: under a strategy, else on one device."""
        used = OneDeviceStrategy(default_mesh().devices[0]) if strategy is None else strategy
        step = ModelStep(functools.partial(self._call_in_step, mode), Graph(self._config.tf_random_seed), mode, used)
        source = Input(input_fn, mode, self.params, self._config)
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
        spec = call_with(self._model_fn, features=features, labels=labels, mode=mode, params=self.params, config=config)
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(f"model_fn should return an EstimatorSpec, it returned {spec!r:.200}.")
        return spec

    def _found(self, purpose: str, strategy: AbstractStrategy | None = None) -> str | None:
        path = self._latest(strategy)
        if path is None:
            _log.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.", self.model_dir, purpose
            )
        return path

    def _latest(self, strategy: AbstractStrategy | None) -> str | None:
        """The newest good checkpoint; of workers that run together, the one of this name that the chief finds."""
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
    """Raise ClusterError for a strategy of one process in a cluster of several, each of which would train alone."""
    strategy = config.train_distribute
    if strategy is not None and config.num_worker_replicas > 1 and strategy.mesh.job.workers == 1:
        raise ClusterError(
            f"TF_CONFIG: {config.num_worker_replicas} tasks of the cluster train, and RunConfig has the train_distribute "
            f"{strategy!r}. {type(strategy).__name__} uses the devices of this process alone: give "
            "tf.distribute.MultiWorkerMirroredStrategy()."
        )


def _check_limits(steps: int | None, max_steps: int | None) -> None:
    if steps is not None and max_steps is not None:
        raise ValueError("Can not provide both steps and max_steps.")
    for name, value in (("steps", steps), ("max_steps", max_steps)):
        if value is not None and value <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {value}")


def _refuse_overrides(kind: type) -> None:
    """TensorFlow's rule: what a subclass changes is its model_fn, and what it shows as that."""
    own = {name for name in vars(Estimator) if not name.startswith("__")} - {"latest_checkpoint", "model_fn"}
    changed = sorted({name for each in kind.__mro__ if each not in Estimator.__mro__ for name in vars(each)} & own)
    if public := [name for name in changed if not name.startswith("_")]:
        raise ValueError(
            f"Subclasses of Estimator cannot override members of Estimator. {kind} does override {public}."
        )
    if changed:
        raise ValueError(f"{kind} has members named {changed}, which Estimator uses itself here: rename them.")


def _local(path: Any) -> str | None:
    return None if path is None else local_path(path)
