"""ClusterSpec: the tasks of a cluster and their addresses."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from stratagem._base.errors import ClusterError, UnimplementedError
from stratagem._base.exports import exported


@exported("train.ClusterSpec")
@final
class ClusterSpec:
    """The jobs of a cluster by name, each with addresses by task index, as `tf.train.ClusterSpec`.

    cluster: a dict from the name of a job to a list of addresses, or to a dict from task indices (numbers, or their
    digits) to
        addresses if only some tasks are known; or another ClusterSpec, whose jobs are then in the order of their names. An
        address is any string here; "" is a task whose address is not known.

    Raises:
        TypeError: `cluster` is something else, or a name or an address is no string.
        ClusterError: a task index is not a number from 0 on.
    """

    __hash__ = None  # type: ignore[assignment]  # it equals a dict, which has no hash

    def __init__(self, cluster: "Mapping[str, Sequence[str] | Mapping[Any, str]] | ClusterSpec") -> None:
        if isinstance(cluster, ClusterSpec):
            jobs = {job: dict(tasks) for job, tasks in sorted(cluster._jobs.items())}
        elif isinstance(cluster, dict):
            jobs = {_text("Job name", job): _tasks(job, tasks) for job, tasks in cluster.items()}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
                f"or a `ClusterSpec`; got {cluster!r}."
            )
        self._jobs: Final[dict[str, dict[int, str]]] = jobs

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        """Returns whether both have the same tasks with the same addresses, in any order; `other` may be a dict of dicts."""
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    def __repr__(self) -> str:
        return f"ClusterSpec({dict(sorted(self.as_dict().items()))!r})"

    def as_dict(self) -> dict[str, Any]:
        """Returns jobs by name: a list of addresses if every index from 0 on is known, else a dict from index to address."""
        return {
            job: self.job_tasks(job) if _dense(tasks) else dict(sorted(tasks.items()))
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Raises UnimplementedError: the protocol message is for TensorFlow's own servers."""
        raise UnimplementedError("tf.train.ClusterDef is not provided: no server here takes one. Use `as_dict()`.")

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """Returns the number of a job's tasks that are listed. Raises ClusterError if there is no such job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the indices of a job's tasks, in order. Raises ClusterError if there is no such job."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of one task. Raises ClusterError if there is no such job or task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ClusterError(f"No task with index {task_index!r} in job {job_name!r}; it has {sorted(tasks)}.")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Returns the addresses of a job by index, None for one that is not listed.

        Raises ClusterError if there is no such job.
        """
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ClusterError(f"No such job in cluster: {name!r}; it has {self.jobs}.")
        return self._jobs[name]


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    """Returns the addresses by index."""
    if isinstance(tasks, list | tuple):
        return {i: _text("Task address", address) for i, address in enumerate(tasks)}
    if isinstance(tasks, dict):
        return {_index(job, i): _text("Task address", address) for i, address in tasks.items()}
    raise TypeError(
        f"The tasks for job {job!r} must be a list or a dictionary from integers to strings, got {tasks!r}."
    )


def _index(job: Any, index: Any) -> int:
    try:
        number = int(index)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise ClusterError(f"The task indices of job {job!r} have to be numbers from 0 on, got {index!r}.")
    return number


def _text(what: str, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{what} {value!r} must be bytes or unicode.")
    return value


def _dense(tasks: Mapping[int, str]) -> bool:
    """Returns whether all indices from 0 on are there. A job without tasks counts as sparse, as in TF."""
    return len(tasks) == max(tasks, default=0) + 1
