"""train_and_evaluate: training with evaluations, in this process alone or as a task of a cluster."""

import contextlib
import logging
from typing import Any

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._servers.remote import Server
from stratagem._tf1.estimator._announcement import announced
from stratagem._tf1.estimator._config import RunConfig
from stratagem._tf1.estimator._estimator import Estimator
from stratagem._tf1.estimator._evaluator import EvaluatingListener, Evaluator, evaluate_while_others_train
from stratagem._tf1.estimator._parameter_server import train_with_servers
from stratagem._tf1.estimator._train_eval_specs import EvalSpec, TrainSpec

_log = logging.getLogger("stratagem.estimator")

_TASKS = ("chief", "evaluator", "master", "ps", "worker")


@exported("estimator.train_and_evaluate")
def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Trains `estimator` and evaluates it after its checkpoints.

    Without a cluster in TF_CONFIG, both happen here, and the result is a pair: the metrics of the last evaluation as a dict,
    and a list of what the exporters returned.

    In a cluster, every task calls this, and the result is None. The chief assigns steps to the workers, whose variables are
    on the ps tasks, and saves checkpoints. Workers and ps serve until the job is over. An evaluator evaluates the checkpoints
    up to the last one. With RunConfig.train_distribute, all workers train together under that strategy.

    Raises:
        TypeError: an argument has the wrong type.
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
        _check_cluster(config)  # nobody could end the wait for a training that cannot begin
        return evaluate_while_others_train(estimator, train_spec, eval_spec)
    if config.cluster_spec:
        _check_cluster(config)
    if config.cluster_spec and config.train_distribute is not None:
        _log.info("Running `train_and_evaluate` with Distribute Coordinator.")
        return _train_together(estimator, train_spec)
    _log.info("Not using Distribute Coordinator.")
    if not config.cluster_spec:
        _log.info("Running training and evaluation locally (non-distributed).")
        return _train_here(estimator, train_spec, eval_spec)
    if config.task_type == "chief":
        return _train_as_chief(estimator, train_spec)
    if config.task_type == "master":
        _train_here(estimator, train_spec, eval_spec)
        return None
    return Server(config.cluster_spec, job_name=config.task_type, task_index=config.task_id).serve()


def _train_here(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> tuple[Any, Any]:
    """Trains, and evaluates after every checkpoint except the first."""
    config = estimator.config
    _log.info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. Checkpoint frequency is determined "
        "based on RunConfig arguments: save_checkpoints_steps %s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    evaluator = Evaluator(estimator, train_spec, eval_spec)
    listener = EvaluatingListener(evaluator, eval_spec.throttle_secs)
    estimator.train(
        train_spec.input_fn,
        hooks=train_spec.hooks,
        max_steps=train_spec.max_steps,
        saving_listeners=[*train_spec.saving_listeners, listener],
    )
    return evaluator.metrics, evaluator.exports


def _train_together(estimator: Estimator, train_spec: TrainSpec) -> None:
    """Trains together with the other workers; an evaluator, if there is one, evaluates."""
    with _announced(estimator):
        estimator.train(
            train_spec.input_fn,
            hooks=train_spec.hooks,
            max_steps=train_spec.max_steps,
            saving_listeners=train_spec.saving_listeners,
        )


def _train_as_chief(estimator: Estimator, train_spec: TrainSpec) -> None:
    """Trains with the workers of the cluster, or alone if there are none."""
    with _announced(estimator):
        if estimator.config.num_worker_replicas > 1:
            train_with_servers(estimator, train_spec)
        else:
            estimator.train(
                train_spec.input_fn,
                hooks=train_spec.hooks,
                max_steps=train_spec.max_steps,
                saving_listeners=train_spec.saving_listeners,
            )


def _announced(estimator: Estimator) -> contextlib.AbstractContextManager[None]:
    """Announces the training to the evaluator if this is the chief.

    After an error the end is not announced: training may be restarted.
    """
    return announced(estimator.model_dir) if estimator.config.is_chief else contextlib.nullcontext()


def _check_cluster(config: RunConfig) -> None:
    """Raises ClusterError unless the cluster can train: it has a chief alone, or a chief with workers and servers.

    Under a strategy, all tasks train that are no servers.
    """
    cluster = config.training_cluster
    if config.task_type not in _TASKS:
        raise ClusterError(
            f"TF_CONFIG: task type {config.task_type!r} is not supported. Supported task types are {', '.join(_TASKS)}."
        )
    tasks = {job: cluster.num_tasks(job) for job in cluster.jobs if job != "evaluator"}
    found = f"TF_CONFIG: the cluster has {', '.join(f'{count} {job}' for job, count in tasks.items()) or 'no task that trains'}"
    if config.train_distribute is not None:
        if not any(job in tasks for job in ("chief", "master", "worker")):
            raise ClusterError(
                f"{found}. Under a strategy its workers train, together with a chief if there is one: list them."
            )
        return
    if sum(tasks.values()) == 1:
        return
    if "master" in tasks:
        raise ClusterError(f"{found}. Call the master 'chief'; a task 'evaluator' evaluates.")
    if not tasks.get("worker") or not tasks.get("ps"):
        raise ClusterError(
            f"{found}. A chief hands the steps out to workers, whose variables are on ps tasks: list at least one worker and "
            "one ps, or the chief alone. To train without ps, give RunConfig a "
            "train_distribute=tf.distribute.MultiWorkerMirroredStrategy(): all then take each step together, "
            "of a batch from each of them, whose losses are summed."
        )
