"""Checks a cluster and a task in it. Every violation is a ClusterError of one line."""

import operator
from typing import Any, Final

from stratagem._base.errors import ClusterError
from stratagem._cluster._address import Address
from stratagem._cluster._spec import ClusterSpec

JOBS: Final = ("chief", "worker", "ps", "evaluator")
_ONE_TASK_JOBS = ("chief", "evaluator")
_NAMES = ", ".join(JOBS)


def check_cluster(spec: ClusterSpec, source: str) -> None:
    """Checks a cluster: known job names, at least one task each, at most one chief and evaluator, valid and distinct addresses.

    source: where the description is from; the error begins with it.

    Raises:
        ClusterError: a rule is violated. Where TensorFlow checks the same, the message contains TensorFlow's.
    """
    for job in spec.jobs:
        count = spec.num_tasks(job)
        if job not in JOBS:
            raise ClusterError(
                f"{source}: Disallowed task type found in cluster spec: {job!r}. Allowed types are {_NAMES}; "
                "rename the job, or leave it out."
            )
        if count == 0:
            raise ClusterError(f"{source}: the job {job!r} has no tasks. List their addresses, or leave the job out.")
        if job in _ONE_TASK_JOBS and count > 1:
            raise ClusterError(f"{source}: There must be at most one {job!r} job. The cluster lists {count}; keep one.")
    _check_addresses(spec, source)


def check_task(spec: ClusterSpec, task_type: str, task_id: int, source: str) -> None:
    """Checks that the task is in the cluster, or is an evaluator that the cluster does not list.

    Raises:
        ClusterError: it is not. Where TensorFlow checks the same, the message contains TensorFlow's.
    """
    check_task_type(task_type, source)
    if task_type not in spec.jobs and task_type != "evaluator":
        raise ClusterError(
            f"{source}: `task_type` {task_type!r} not found in cluster_spec, which has {_counts(spec)}. "
            "Set the task to one of these."
        )
    indices = spec.task_indices(task_type) if task_type in spec.jobs else [0]
    if task_id not in indices:
        beyond = f"exceeds the maximum id of {task_type}" if task_id > indices[-1] else f"is not listed in {task_type}"
        raise ClusterError(f"{source}: The `task_id` {task_id} {beyond}. Set the task's index to {_span(indices)}.")


def check_task_type(task_type: Any, source: str) -> None:
    """Raises ClusterError unless `task_type` is the name of a job."""
    if task_type not in JOBS:
        raise ClusterError(f"{source}: Unrecognized task_type: {shown(task_type)}, valid task types are: {_NAMES}.")


def task_index(value: Any, source: str) -> int:
    """Returns an index, which may be given as digits. Raises ClusterError if it is not a number from 0 on."""
    try:
        number = int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0 or isinstance(value, bool):
        raise ClusterError(f"{source}: the task's index has to be a number from 0 on, got {shown(value)}.")
    return number


def shown(value: Any) -> str:
    """Returns a value's `repr` for an error message, cut to 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _check_addresses(spec: ClusterSpec, source: str) -> None:
    """Checks that every known address is valid and belongs to one task."""
    owners: dict[tuple[str, int], str] = {}
    for job in spec.jobs:
        for i in spec.task_indices(job):
            text, task = spec.task_address(job, i), f"{job}:{i}"
            if not text:
                continue  # not known here
            try:
                key = Address.parse(text).key
            except ClusterError as error:
                raise ClusterError(f"{source}, {task}: {error}") from None
            if key in owners:
                raise ClusterError(
                    f"{source}: {owners[key]} and {task} have the same address {text!r}. Give each a port of its own."
                )
            owners[key] = task


def _counts(spec: ClusterSpec) -> str:
    """Returns the jobs and their numbers of tasks, in words."""
    return ", ".join(f"{spec.num_tasks(job)} {job}" for job in spec.jobs) or "no tasks"


def _span(indices: list[int]) -> str:
    """Returns sorted indices in words."""
    first, last = indices[0], indices[-1]
    if indices == [first]:
        return str(first)
    return f"a number from {first} to {last}" if len(indices) == last - first + 1 else f"one of {indices}"
