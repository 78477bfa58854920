"""train_and_evaluate: training with evaluations, in this process alone or as a task of a cluster."""

import logging
from typing import Any

from stratagem._errors import ClusterError
from stratagem.estimator._announcement import announce_end, announce_training
from stratagem.estimator._config import RunConfig
from stratagem.estimator._estimator import Estimator
from stratagem.estimator._evaluation import EvaluatingListener, Evaluator, evaluate_while_others_train
from stratagem.estimator._served import train_served
from stratagem.estimator._specs import EvalSpec, TrainSpec
from stratagem.remote import Server

_log = logging.getLogger("stratagem.estimator")


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Train `estimator` and evaluate it after its checkpoints.

    Without a cluster in TF_CONFIG, both happen here: returns the metrics of the last evaluation as a dict, and a list with
    what the exporters returned. In a cluster every task calls this: the chief hands steps out to the workers, whose
    variables are on the ps tasks, and saves; workers and ps serve until the job is over; an evaluator evaluates the
    checkpoints until the last one. There it returns None. Under a strategy in RunConfig.train_distribute all workers train as
    one.

    Raises:
        TypeError: an argument is of another type.
        ValueError: TF_CONFIG names a second evaluator, or a cluster that cannot train.
    """
    for name, value, kind in (
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
        ("eval_spec", eval_spec, EvalSpec),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"`{name}` must have type `tf.estimator.{kind.__name__}`, got {value!r}.")
    config = estimator.config
    if config.task_type == "evaluator":
        if config.task_id > 0:
            raise ClusterError(
                f"There can only be one `evaluator` task, with index 0; TF_CONFIG says that this is evaluator "
                f"{config.task_id}. Start one evaluator."
            )
        return evaluate_while_others_train(estimator, train_spec, eval_spec)
    if config.cluster_spec and config.train_distribute is not None:
        return _train_together(estimator, train_spec)
    _log.info("Not using Distribute Coordinator.")
    if not config.cluster_spec:
        _log.info("Running training and evaluation locally (non-distributed).")
        return _train_here(estimator, train_spec, eval_spec)
    if config.task_type in ("worker", "ps"):
        _check_cluster(config)
        _log.info("Start Stratagem server.")
        return Server(config.cluster_spec, job_name=config.task_type, task_index=config.task_id).serve()
    if config.task_type == "master":
        _train_here(estimator, train_spec, eval_spec)
        return None
    return _train_as_chief(estimator, train_spec)
