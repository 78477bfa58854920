"""SlurmClusterResolver: the cluster of a Slurm job step, whose tasks listen at consecutive ports of their nodes."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import final

from stratagem._base.errors import ClusterError, FailedPreconditionError
from stratagem._base.exports import exported
from stratagem._cluster._nodelist import expand_counts, expand_nodes
from stratagem._cluster._resolver import ClusterResolver, with_protocol
from stratagem._cluster._spec import ClusterSpec
from stratagem._cluster._visible_gpus import visible_gpus

_GPUS = "CUDA_VISIBLE_DEVICES"
_GPUS_BEFORE = "STRATAGEM_GPUS_OF_NODE"  # its former value: another resolver must not divide this task's share again


@final
@dataclass(frozen=True)
class _Share:
    """The GPUs of this task.

    visible: the GPUs that this process sees. each: how many every task gets. own: the new CUDA_VISIBLE_DEVICES, or None
    to leave it unchanged.
    """

    visible: tuple[str, ...]
    each: int
    own: str | None


@exported("distribute.cluster_resolver.SlurmClusterResolver")
@final
class SlurmClusterResolver(ClusterResolver):
    """Reads SLURM_PROCID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE and SLURM_STEP_NUM_TASKS when it is made.

    Outside of a step it reads the variables of the job instead.

    jobs: the number of tasks of each job; by default all are workers. Ranks are assigned in the order of the jobs' names.
    port_base: the port of a node's first task; its next tasks have the following ones.
    gpus_per_node: by default those that this task sees. gpus_per_task: by default an even share of them.
    tasks_per_node: the same number for every node, or a dict from nodes, in the order of their ranks, to numbers.
    auto_set_gpu: whether `cluster_spec` writes this task's share of the GPUs into CUDA_VISIBLE_DEVICES.
    environ: the environment to read and to write to. Not in TensorFlow.

    Raises:
        FailedPreconditionError: a variable is missing, or the numbers of tasks or GPUs do not agree.
        ClusterError: a variable is malformed, or the ranks are not assigned to the nodes in blocks.
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | Mapping[str, int] | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
        *,
        environ: MutableMapping[str, str] = os.environ,
    ) -> None:
        self.rpc_layer = rpc_layer
        self._environ, self._port_base = environ, port_base
        self._rank = self._number("PROCID")
        self._places = self._locate_ranks(tasks_per_node)
        self._jobs = {"worker": self._number("STEP_NUM_TASKS", "NTASKS")} if jobs is None else dict(jobs)
        requested, assigned = sum(self._jobs.values()), len(self._places)
        if requested != assigned:
            raise FailedPreconditionError(
                f"Requested {requested} tasks but only {assigned} were assigned: Slurm's nodes and tasks per node make "
                f"{assigned}, the jobs are {self._jobs}."
            )
        if self._rank >= assigned:
            raise FailedPreconditionError(
                f"SLURM_PROCID is {self._rank} in a step of {assigned} tasks. Start it with srun."
            )
        if tasks_per_node is None:
            self._check_order()
        self._gpus = self._share(gpus_per_node, gpus_per_task, auto_set_gpu)

    def cluster_spec(self) -> ClusterSpec:
        """Returns the cluster. With `auto_set_gpu`, CUDA sees this task's share of the GPUs only from then on."""
        if self._gpus.own is not None:
            self._environ[_GPUS], self._environ[_GPUS_BEFORE] = self._gpus.own, ",".join(self._gpus.visible)
        addresses = iter(f"{node}:{self._port_base + local}" for node, local in self._places)
        return ClusterSpec({job: [next(addresses) for _ in range(count)] for job, count in sorted(self._jobs.items())})

    def get_task_info(self) -> tuple[str | None, int | None]:
        """Returns type and index of this process' task."""
        return self.task_type, self.task_id

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the address of the named task, by default of this process' own."""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ""
        return with_protocol(self.cluster_spec().task_address(job, index), rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> Mapping[str, int]:
        """Returns {"GPU": the number of each task}."""
        return {"GPU": self._gpus.each}

    def _found_task(self) -> tuple[str | None, int | None]:
        first = 0
        for job, count in sorted(self._jobs.items()):
            if self._rank < first + count:
                return job, self._rank - first
            first += count
        return None, None

    @property
    def source(self) -> str:
        """The name "Slurm", for errors and logs."""
        return "Slurm"

    @property
    def local(self) -> tuple[int, int] | None:
        """This task's index on its node, and the number of tasks there."""
        node, local = self._places[self._rank]
        return local, sum(other == node for other, _ in self._places)

    def _locate_ranks(self, tasks_per_node: int | Mapping[str, int] | None) -> list[tuple[str, int]]:
        """Returns for every rank its node, and its index on that node."""
        if isinstance(tasks_per_node, Mapping):
            counts = dict(tasks_per_node)
        else:
            nodes = expand_nodes(self._variable("STEP_NODELIST", "JOB_NODELIST"))
            if tasks_per_node is None:
                numbers = expand_counts(self._variable("STEP_TASKS_PER_NODE", "TASKS_PER_NODE"))
            else:
                numbers = [int(tasks_per_node)] * len(nodes)
            if len(numbers) != len(nodes) or len(set(nodes)) != len(nodes):
                raise ClusterError(f"Slurm lists the nodes {nodes} and the tasks per node {numbers}: these do not fit.")
            counts = dict(zip(nodes, numbers, strict=True))
        return [(node, local) for node, count in counts.items() for local in range(count)]

    def _check_order(self) -> None:
        """Raises ClusterError unless Slurm fills one node after the other: otherwise addresses do not follow ranks."""
        local = self._environ.get("SLURM_LOCALID")
        expected = self._places[self._rank][1]
        if local is not None and local != str(expected):
            raise ClusterError(
                f"Slurm: task {self._rank} is number {local} on its node; in blocks it would be number {expected}. "
                "Start the step with srun --distribution=block."
            )

    def _share(self, per_node: int | None, per_task: int | None, auto_set: bool) -> "_Share":
        before = self._environ.get(_GPUS_BEFORE)
        if per_node is not None:
            visible = tuple(str(i) for i in range(per_node))
        else:
            visible = visible_gpus(self._environ) if before is None else tuple(before.split(","))
        if per_node is None and per_task is None and "SLURM_GPUS_PER_TASK" in self._environ:
            return _Share(visible, len(visible), None)  # Slurm lets every task see its own GPUs only
        tasks = max(sum(node == other for other, _ in self._places) for node, _ in self._places)
        each = len(visible) // tasks if per_task is None else per_task
        if tasks * each > len(visible):
            raise FailedPreconditionError(
                f"Requested more GPUs per node than available: {tasks} tasks of {each}, and the node has {len(visible)}."
            )
        first = self._places[self._rank][1] * each
        own = ",".join(visible[first : first + each])
        return _Share(visible, each, own if auto_set and own else None)

    def _number(self, *names: str) -> int:
        text = self._variable(*names)
        if not (text.isascii() and text.isdigit()):
            raise ClusterError(f"SLURM_{names[0]} has to be a number, got {text!r}.")
        return int(text)

    def _variable(self, *names: str) -> str:
        """Returns the value of the first of these variables that is set."""
        for name in names:
            text = self._environ.get(f"SLURM_{name}")
            if text is not None:
                return text
        raise FailedPreconditionError(
            f"SLURM_{names[0]} not found in environment. Not running inside a SLURM step? Start the program with srun."
        )
