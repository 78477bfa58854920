"""ClusterJob: the checked facts that a multi-worker strategy needs about its cluster."""

from dataclasses import dataclass, field
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._cluster._address import Address
from stratagem._cluster._resolver import ClusterResolver
from stratagem._cluster._rules import check_cluster, check_task, task_index
from stratagem._cluster._spec import ClusterSpec

_MEMBERS = ("chief", "worker")  # in the order of their ranks


@final
@dataclass(frozen=True)
class Task:
    """A role in a cluster, such as worker:1."""

    type: str
    index: int

    def __str__(self) -> str:
        return f"{self.type}:{self.index}"


@final
@dataclass(frozen=True)
class ClusterJob:
    """The tasks that train together, as one of them sees it.

    task: this one. rank: its index in `tasks`, which are the chief and then the workers; an evaluator is a job of its own.
    addresses: by rank, None where one is not known. `ps` tasks are in `cluster` and not in `tasks`.
    cluster: as `ClusterSpec.as_dict`. source: where the facts are from, such as "TF_CONFIG".
    local: this task's index among the tasks of this machine, and their number; None if not known.
    """

    task: Task
    rank: int
    tasks: tuple[Task, ...]
    addresses: tuple[Address | None, ...]
    cluster: dict[str, Any] = field(hash=False)
    source: str
    local: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """The number of tasks that train together."""
        return len(self.tasks)

    @property
    def is_chief(self) -> bool:
        """True if this task is the one that saves and logs."""
        return self.rank == 0

    @property
    def hub(self) -> Address | None:
        """The address of rank 0, to which the others connect; None only for an evaluator that the cluster does not list."""
        return self.addresses[0]

    @property
    def address(self) -> Address | None:
        """This task's own address; None if it is not known."""
        return self.addresses[self.rank]

    @property
    def loopback(self) -> bool:
        """True if no known address can be reached from another machine."""
        return all(address.loopback for address in self.addresses if address is not None)


def job_of(resolver: ClusterResolver) -> ClusterJob | None:
    """Returns the job of this process; None if the resolver has no cluster, so that the process works alone.

    Raises:
        ClusterError: `resolver` is no ClusterResolver, or its cluster or task is invalid. Where TensorFlow's strategies
        check
            the same, the message contains TensorFlow's.
    """
    if not isinstance(resolver, ClusterResolver):
        raise ClusterError(
            f"cluster_resolver must be an instance of tf.distribute.cluster_resolver.ClusterResolver, got {resolver!r}."
        )
    spec = resolver.cluster_spec()
    if not spec:
        return None
    source = resolver.source
    check_cluster(spec, source)
    task = _task_of(resolver)
    check_task(spec, task.type, task.index, source)
    tasks = _tasks_with(task, spec, source)
    addresses = tuple(_address(spec, other) for other in tasks)
    if addresses[0] is None and len(tasks) > 1:
        raise ClusterError(f"{source}: the address of {tasks[0]} is not known, and all others connect to it. Add it.")
    return ClusterJob(task, tasks.index(task), tasks, addresses, spec.as_dict(), source, resolver.local)


def _task_of(resolver: ClusterResolver) -> Task:
    task_type, task_id = resolver.task_type, resolver.task_id
    if task_type is None or task_id is None:
        raise ClusterError(
            f"{resolver.source}: When `cluster_spec` is given, you must also specify `task_type` and `task_id`. "
            f"They are {task_type!r} and {task_id!r}."
        )
    return Task(task_type, task_index(task_id, resolver.source))


def _tasks_with(task: Task, spec: ClusterSpec, source: str) -> tuple[Task, ...]:
    """Returns the members of the task's job, by rank."""
    if task.type == "evaluator":
        return (task,)
    if task.type not in _MEMBERS:
        raise ClusterError(
            f"{source}: There is no id for task_type {task.type!r} in a multi-worker job: its members are chief and worker. "
            "Let this task run tf.distribute.Server instead."
        )
    for job in _MEMBERS:
        if job in spec.jobs and spec.task_indices(job) != list(range(spec.num_tasks(job))):
            raise ClusterError(
                f"{source}: the cluster lists the tasks {spec.task_indices(job)} of {job!r}. List all from 0 on."
            )
    return tuple(Task(job, i) for job in _MEMBERS if job in spec.jobs for i in spec.task_indices(job))


def _address(spec: ClusterSpec, task: Task) -> Address | None:
    text = spec.task_address(task.type, task.index) if task.type in spec.jobs else ""
    return Address.parse(text) if text else None
