"""TaskInfo: the cluster, and the task in it that an Estimator runs as, from TF_CONFIG."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._cluster import ClusterSpec

_LAST = "ps"  # servers have the highest ids of a cluster
_ADVICE = "Set TF_CONFIG to {'cluster': {'chief': [address], 'worker': [...], 'ps': [...]}, 'task': {'type', 'index'}}."


@final
@dataclass(frozen=True, kw_only=True)
class TaskInfo:
    """The facts that a RunConfig has about the cluster.

    global_id: the task's index among all tasks of the cluster; None for an evaluator, which belongs to none.
    training: the cluster of the tasks that train; of an evaluator, too, whose `cluster` is empty.
    master, evaluation_master: the addresses that sessions of TensorFlow 1 would connect to; not used here.
    servers: the number of parameter servers.
    workers: the number of tasks that train, including the chief.
    service: the object `service` of TF_CONFIG, for the program's own use.
    """

    cluster: ClusterSpec
    training: ClusterSpec
    task_type: str = "worker"
    task_id: int = 0
    global_id: int | None = 0
    master: str = ""
    evaluation_master: str = ""
    is_chief: bool = True
    servers: int = 0
    workers: int = 1
    service: dict[str, Any] | None = None


def task_info_of(found: Mapping[str, Any], *, together: bool) -> TaskInfo:
    """Returns the facts that a TF_CONFIG describes.

    together: whether the tasks train as one, under a strategy; then worker 0 is the chief if there is no other.

    Raises:
        ClusterError: the cluster has no chief or several, or the task is missing or not in the cluster.
        TypeError: `service` is not an object.
    """
    service = found.get("service")
    if service is not None and not isinstance(service, dict):
        raise TypeError(f"TF_CONFIG: 'service' must be a dict, got {service!r}.")
    cluster = ClusterSpec(found.get("cluster", {}))
    task = found.get("task", {})
    if not cluster:
        return _alone(found, task, service)
    chief = _chief(cluster, together)
    task_type, task_id = _task(cluster, task)
    if task_type == "evaluator":
        return _evaluator(found, cluster, task_id, service)
    trains_alone = sum(cluster.num_tasks(job) for job in cluster.jobs) == 1
    address = "" if trains_alone else f"grpc://{cluster.task_address(task_type, task_id)}"
    return TaskInfo(
        cluster=cluster,
        training=cluster,
        task_type=task_type,
        task_id=task_id,
        global_id=_global_id(cluster, chief, task_type, task_id),
        master=found.get("session_master", address),
        is_chief=task_type == chief and task_id == 0,
        servers=_count(cluster, "ps"),
        workers=sum(_count(cluster, job) for job in {"worker", chief}),
        service=service,
    )


def _alone(found: Mapping[str, Any], task: Mapping[str, Any], service: dict[str, Any] | None) -> TaskInfo:
    """Returns the facts of a program without a cluster, whose only task is worker 0."""
    task_type, task_id = task.get("type", "worker"), _index(task.get("index", 0))
    if task_type != "worker":
        raise ClusterError(
            f"TF_CONFIG has no 'cluster', so the task type must be 'worker', got {task_type!r}. {_ADVICE}"
        )
    if task_id != 0:
        raise ClusterError(f"TF_CONFIG has no 'cluster', so the task index must be 0, got {task_id}. {_ADVICE}")
    return TaskInfo(
        cluster=ClusterSpec({}),
        training=ClusterSpec({}),
        master=found.get("session_master", ""),
        evaluation_master=found.get("eval_session_master", ""),
        service=service,
    )


def _evaluator(
    found: Mapping[str, Any], cluster: ClusterSpec, task_id: int, service: dict[str, Any] | None
) -> TaskInfo:
    """Returns the facts of an evaluator, which reads checkpoints and is no member of the cluster that trains."""
    if "master" in cluster.jobs:
        raise ClusterError(
            "TF_CONFIG: a cluster with a 'master' has no evaluator, since the master evaluates. Rename 'master' to 'chief'."
        )
    return TaskInfo(
        cluster=ClusterSpec({}),
        training=cluster,
        task_type="evaluator",
        task_id=task_id,
        global_id=None,
        evaluation_master=found.get("eval_session_master", ""),
        is_chief=False,
        workers=0,
        service=service,
    )


def _chief(cluster: ClusterSpec, together: bool) -> str:
    """Returns the type of the task that saves and logs: "chief", its old name "master", or "worker" under a strategy."""
    chief = "master" if "master" in cluster.jobs else "chief"
    if chief == "master" and "chief" in cluster.jobs:
        raise ClusterError(
            "TF_CONFIG: the cluster has both a 'master' and a 'chief', which are the same. Keep the chief."
        )
    if chief not in cluster.jobs and together:
        return "worker"
    if chief not in cluster.jobs:
        raise ClusterError(
            f"TF_CONFIG: a cluster must have one 'chief' node, and this one has only {cluster.jobs}. Add the chief, or, if "
            "the workers are to train as one, give RunConfig a train_distribute=tf.distribute.MultiWorkerMirroredStrategy()."
        )
    if cluster.num_tasks(chief) != 1:
        raise ClusterError(
            f"TF_CONFIG: a cluster must have only one {chief!r} node, and this one has {cluster.num_tasks(chief)}. "
            "Make the others workers."
        )
    return chief


def _task(cluster: ClusterSpec, task: Mapping[str, Any]) -> tuple[str, int]:
    """Returns the type and index of the task, checked; an evaluator need not be listed."""
    task_type, task_id = task.get("type"), task.get("index")
    if not task_type:
        raise ClusterError(f"TF_CONFIG has a 'cluster', so the task type must be set. {_ADVICE}")
    if task_id is None:
        raise ClusterError(f"TF_CONFIG has a 'cluster', so the task index must be set. {_ADVICE}")
    index = _index(task_id)
    if index < 0:
        raise ClusterError(f"TF_CONFIG: the task index must be a number from 0 on, got {index}.")
    if task_type == "evaluator":
        return task_type, index
    if task_type not in cluster.jobs:
        raise ClusterError(
            f"TF_CONFIG: {task_type!r} is not a valid task_type in the cluster, which has {cluster.jobs}."
        )
    if index not in cluster.task_indices(task_type):
        raise ClusterError(
            f"TF_CONFIG: {index} is not a valid task_id of {task_type!r}, which has the indices "
            f"{cluster.task_indices(task_type)}."
        )
    return task_type, index


def _index(value: Any) -> int:
    """Returns an index, which may be written as digits."""
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ClusterError(f"TF_CONFIG: the task index must be a number from 0 on, got {value!r}.") from None


def _global_id(cluster: ClusterSpec, chief: str, task_type: str, task_id: int) -> int:
    """Returns the index in the cluster: the chief is 0, then come all types by name, parameter servers last."""
    jobs = sorted(cluster.jobs, key=lambda job: (job != chief, job == _LAST, job))
    before = jobs[: jobs.index(task_type)]
    return task_id + sum(cluster.num_tasks(job) for job in before)


def _count(cluster: ClusterSpec, job: str) -> int:
    return cluster.num_tasks(job) if job in cluster.jobs else 0
