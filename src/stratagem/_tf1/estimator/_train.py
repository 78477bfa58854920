"""Training of an Estimator's model: its hooks in TensorFlow's order, and the loop over its steps."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.job import ALONE
from stratagem._tf1.estimator._config import RunConfig
from stratagem._tf1.estimator._events import EventFolders
from stratagem._tf1.estimator._loop import steps
from stratagem._tf1.estimator._runner import EstimatorStepRunner
from stratagem._tf1.estimator._saving import GraphSaver
from stratagem._tf1.estimator._session import ModelSession
from stratagem._tf1.estimator._session_run_hook import CheckpointSaverListener, SessionRunHook
from stratagem._tf1.estimator._step import ModelFnResults, ModelStep
from stratagem._tf1.estimator._warm_start import WarmStartSettings, begin
from stratagem._tf1.estimator.hooks import (
    CheckpointSaverHook,
    LoggingTensorHook,
    NanTensorHook,
    StepCounterHook,
    SummarySaverHook,
)

_log = logging.getLogger("stratagem.estimator")


@final
@dataclass(frozen=True)
class TrainingParameters:
    """The parameters of a training besides its step and runner. path: the checkpoint to continue from; None without one."""

    model_dir: str
    path: str | None
    config: RunConfig
    events: EventFolders
    warm_start: WarmStartSettings | None
    hooks: list[SessionRunHook]
    listeners: Iterable[CheckpointSaverListener]


def train(step: ModelStep, runner: EstimatorStepRunner, training: TrainingParameters) -> Any:
    """Takes steps until a hook requests a stop or the input ends. Returns the last loss; None if there was no step.

    Workers that train together all return when the chief's last save is durable.
    """
    try:
        runner.build()
        built = step.built
        if training.path is None:
            begin(step.graph, training.warm_start)
        watch = NanTensorHook(built.loss)
        hooks = _all_hooks(built, training, watch)
        saving = GraphSaver(step.graph, training.config, built.spec.scaffold.saver)
        session = ModelSession(step, runner, saving, training.events)
        loss = None
        for results in steps(session, built, hooks, initializer(session, built, saving, training.path), late=[watch]):
            loss = results.loss
        runner.settle()
        saving.settle()
        # Only the chief saves. Who goes on before it is done would find an older checkpoint, or none.
        strategy = training.config.train_distribute
        job = ALONE if strategy is None else strategy.mesh.job
        job.agree("the end of the training, after its last save", None)
    finally:
        runner.close()
    if loss is None:
        _log.warning("Training with estimator made no steps. Perhaps input is empty or misspecified.")
    return loss


def initializer(
    session: ModelSession, built: ModelFnResults, saving: GraphSaver, path: str | None
) -> Callable[[], None]:
    """Returns a function that restores the variables from a checkpoint, or else calls the scaffold's `init_fn`."""

    def initialize() -> None:
        _log.info("Graph was finalized.")
        scaffold = built.spec.scaffold
        if path is not None:
            saving.restore(path)
        elif scaffold.init_fn is not None:
            scaffold.init_fn(scaffold, session)
        _log.info("Running local_init_op.")  # each graph runs once, so local variables have their initial values
        _log.info("Done running local_init_op.")

    return initialize


def _all_hooks(built: ModelFnResults, training: TrainingParameters, watch: NanTensorHook) -> list[SessionRunHook]:
    """Returns the hooks in TensorFlow's order: the chief's own, the caller's, those that watch and log, the model's."""
    config, spec = training.config, built.spec
    hooks = [*training.hooks, watch]
    if config.log_step_count_steps:
        shown = {"loss": built.loss, "step": built.building.graph.global_step}
        hooks.append(LoggingTensorHook(shown, every_n_iter=config.log_step_count_steps))
    hooks += spec.training_hooks
    savers = [h for h in [*hooks, *spec.training_chief_hooks] if isinstance(h, CheckpointSaverHook)]
    of_chief: list[SessionRunHook] = []
    if (config.save_checkpoints_secs or config.save_checkpoints_steps) and not savers:
        savers = [
            CheckpointSaverHook(
                training.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold,
            )
        ]
        of_chief += savers
    _listen(savers, training.listeners)
    if not config.is_chief:
        return hooks
    of_chief += spec.training_chief_hooks
    if config.log_step_count_steps:
        of_chief.append(StepCounterHook(config.log_step_count_steps, output_dir=training.model_dir))
    if config.save_summary_steps:
        of_chief.append(
            SummarySaverHook(config.save_summary_steps, output_dir=training.model_dir, scaffold=spec.scaffold)
        )
    return [*of_chief, *hooks]


def _listen(savers: list[CheckpointSaverHook], listeners: Iterable[CheckpointSaverListener]) -> None:
    for listener in listeners:
        if not savers:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        savers[0].listen(listener)
