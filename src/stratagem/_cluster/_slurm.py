"""SlurmClusterResolver: the tasks of a Slurm job step, each at a port of its node."""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, final

from stratagem._base.errors import ClusterError, FailedPreconditionError
from stratagem._cluster._gpus import visible_gpus
from stratagem._cluster._nodelist import expand_counts, expand_nodes
from stratagem._cluster._resolver import ClusterResolver, with_protocol
from stratagem._cluster._spec import ClusterSpec

_GPUS = "CUDA_VISIBLE_DEVICES"
_GPUS_BEFORE = "STRATAGEM_GPUS_OF_NODE"  # what it was: another resolver must not divide this task's part again


@final
@dataclass(frozen=True)
class _Share:
    """The GPUs that this task sees, how many every task gets, and what CUDA_VISIBLE_DEVICES is to be (None: as it is)."""

    seen: tuple[str, ...]
    each: int
    own: str | None


@final
class SlurmClusterResolver(ClusterResolver):
    """Reads SLURM_PROCID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE and SLURM_STEP_NUM_TASKS when it is made.

    Outside of a step the variables of the job take their place.

    jobs: how many tasks each job has; by default all are workers. Ranks are dealt out in the order of the jobs' names.
    port_base: the port of a node's first task; its next ones follow.
    gpus_per_node: by default those that this task sees. gpus_per_task: by default an even part of them.
    tasks_per_node: the same number for every node, or a dict from nodes, in the order of their ranks, to numbers.
    auto_set_gpu: whether `cluster_spec` writes this task's part of the GPUs into CUDA_VISIBLE_DEVICES.
    environ: the environment to read and to write to. Not in TensorFlow.

    Raises:
        FailedPreconditionError: a variable is missing, or the numbers of tasks or GPUs do not agree.
        ClusterError: a variable is malformed, or the ranks do not lie on the nodes in blocks.
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
        self._places = self._all_places(tasks_per_node)
        self._jobs = {"worker": self._number("STEP_NUM_TASKS", "NTASKS")} if jobs is None else dict(jobs)
        asked, given = sum(self._jobs.values()), len(self._places)
        if asked != given:
            raise FailedPreconditionError(
                f"Requested {asked} tasks but only {given} were assigned: Slurm's nodes and tasks per node make {given}, "
                f"the jobs are {self._jobs}."
            )
        if self._rank >= given:
            raise FailedPreconditionError(
                f"SLURM_PROCID is {self._rank} in a step of {given} tasks. Start it with srun."
            )
        if tasks_per_node is None:
            self._check_order()
        self._gpus = self._share(gpus_per_node, gpus_per_task, auto_set_gpu)

    def cluster_spec(self) -> ClusterSpec:
        """The cluster. With `auto_set_gpu` this task's GPUs are the only ones that CUDA shows from then on."""
        if self._gpus.own is not None:
            self._environ[_GPUS], self._environ[_GPUS_BEFORE] = self._gpus.own, ",".join(self._gpus.seen)
        addresses = iter(f"{node}:{self._port_base + local}" for node, local in self._places)
        return ClusterSpec({job: [next(addresses) for _ in range(count)] for job, count in sorted(self._jobs.items())})

    def get_task_info(self) -> tuple[str | None, int | None]:
        """Type and index of this process' task."""
        return self.task_type, self.task_id

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of the named task, by default this process' own."""
        job = self.task_type if task_type is None else task_type
        index = self.task_id if task_id is None else task_id
        if job is None or index is None:
            return ""
        return with_protocol(self.cluster_spec().task_address(job, index), rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """{"GPU": the number of every task}."""
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
        """Slurm."""
        return "Slurm"

    @property
    def local(self) -> tuple[int, int] | None:
        """Which of how many tasks on its node this one is."""
        node, local = self._places[self._rank]
        return local, sum(other == node for other, _ in self._places)

    def _all_places(self, tasks_per_node: int | Mapping[str, int] | None) -> list[tuple[str, int]]:
        """Node and number on that node of every rank."""
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
        """Addresses follow ranks only if Slurm fills one node after the other."""
        local = self._environ.get("SLURM_LOCALID")
        expected = self._places[self._rank][1]
        if local is not None and local != str(expected):
            raise ClusterError(
                f"Slurm: task {self._rank} is number {local} on its node; in blocks it would be number {expected}. "
                "Start the step with srun --distribution=block."
            )

    def _share(self, per_node: int | None, per_task: int | None, set_them: bool) -> "_Share":
        before = self._environ.get(_GPUS_BEFORE)
        if per_node is not None:
            seen = tuple(str(i) for i in range(per_node))
        else:
            seen = visible_gpus(self._environ) if before is None else tuple(before.split(","))
        if per_node is None and per_task is None and "SLURM_GPUS_PER_TASK" in self._environ:
            return _Share(seen, len(seen), None)  # Slurm shows every task its own ones only
        most = max(sum(node == other for other, _ in self._places) for node, _ in self._places)
        each = len(seen) // most if per_task is None else per_task
        if most * each > len(seen):
            raise FailedPreconditionError(
                f"Requested more GPUs per node than available: {most} tasks of {each}, and the node has {len(seen)}."
            )
        first = self._places[self._rank][1] * each
        own = ",".join(seen[first : first + each])
        return _Share(seen, each, own if set_them and own else None)

    def _number(self, *names: str) -> int:
        text = self._variable(*names)
        if not (text.isascii() and text.isdigit()):
            raise ClusterError(f"SLURM_{names[0]} has to be a number, got {text!r}.")
        return int(text)

    def _variable(self, *names: str) -> str:
        """The first that is set."""
        for name in names:
            text = self._environ.get(f"SLURM_{name}")
            if text is not None:
                return text
        raise FailedPreconditionError(
            f"SLURM_{names[0]} not found in environment. Not running inside a SLURM step? Start the program with srun."
        )
