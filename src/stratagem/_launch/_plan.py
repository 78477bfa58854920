"""Plans the start of a job: its tasks, which of them belong to this machine, and the environment of each."""

import contextlib
import errno
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from stratagem._base.errors import ClusterError
from stratagem._cluster import Address, ClusterSpec, check_cluster, free_ports

_LOOPBACK = "127.0.0.1"
_TORCHRUN_VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


@final
@dataclass(frozen=True)
class TaskCounts:
    """The number of tasks of each kind. `workers` and `ps` count per machine; a chief and an evaluator run on node 0."""

    workers: int
    ps: int = 0
    chief: bool = False
    evaluator: bool = False
    nodes: int = 1
    node: int = 0

    def __post_init__(self) -> None:
        if self.node >= self.nodes:
            raise ClusterError(f"--node-rank {self.node}: with --nnodes {self.nodes} it is below {self.nodes}.")

    def members(self, node: int) -> list[str]:
        """The tasks of a machine that have an address, chief first."""
        workers = [f"worker:{i}" for i in range(node * self.workers, (node + 1) * self.workers)]
        servers = [f"ps:{i}" for i in range(node * self.ps, (node + 1) * self.ps)]
        return ["chief:0"] * (self.chief and node == 0) + workers + servers

    @property
    def own(self) -> list[str]:
        """The tasks of this machine."""
        return self.members(self.node) + ["evaluator:0"] * (self.evaluator and self.node == 0)

    @property
    def all(self) -> list[str]:
        """All tasks that have an address, in the order chief, workers, ps."""
        members = [task for node in range(self.nodes) for task in self.members(node)]
        return sorted(members, key=lambda task: ("chief", "worker", "ps").index(kind_of(task)))

    def rank(self, task: str) -> int | None:
        """The rank among the tasks that train together; None for other tasks."""
        return self.all.index(task) if kind_of(task) in ("chief", "worker") else None


@final
@dataclass(frozen=True)
class TaskStart:
    """A task to start: its rank, None if it has none, and the environment variables to set and to remove.

    arguments: those of this task alone, after the program's. handles: open files of this process that the task inherits.
    """

    name: str
    rank: int | None
    environment: Mapping[str, str]
    without: Sequence[str] = ()
    arguments: Sequence[str] = ()
    handles: Sequence[int] = ()


def kind_of(task: str) -> str:
    """The kind of a task: `worker` for `worker:1`."""
    return task.partition(":")[0]


def on_this_machine(layout: TaskCounts) -> dict[str, str]:
    """Addresses by task on 127.0.0.1, with ports that are free now and reserved for this process."""
    return {task: f"{_LOOPBACK}:{port}" for task, port in zip(layout.all, free_ports(len(layout.all)), strict=True)}


def assign_addresses(layout: TaskCounts, addresses: Sequence[str]) -> dict[str, str]:
    """Addresses by task, from one per task or one per machine, whose ports count up from it.

    Raises:
        ClusterError: the number of addresses is neither; one is wrong, or two are equal.
    """
    found = [Address.parse(text) for text in addresses]
    if len(found) == len(layout.all):
        by_task = dict(zip(layout.all, map(str, found), strict=True))
    elif len(found) == layout.nodes:
        by_task = {
            task: str(Address(address.host, address.port + i))
            for node, address in enumerate(found)
            for i, task in enumerate(layout.members(node))
        }
    else:
        raise ClusterError(
            f"--addresses has {len(found)} addresses. Give one of every machine ({layout.nodes}) or one of every task "
            f"({len(layout.all)}: {', '.join(layout.all)})."
        )
    check_cluster(ClusterSpec(cluster_of(layout, by_task)), "--addresses")
    return by_task


def cluster_of(layout: TaskCounts, addresses: Mapping[str, str]) -> dict[str, list[str]]:
    """The cluster of TF_CONFIG. As in TensorFlow, an evaluator is not part of it."""
    cluster: dict[str, list[str]] = {}
    for task in layout.all:
        cluster.setdefault(kind_of(task), []).append(addresses[task])
    return cluster


def with_tf_config(layout: TaskCounts, addresses: Mapping[str, str]) -> list[TaskStart]:
    """This machine's tasks, each with a TF_CONFIG that names its role."""
    cluster = cluster_of(layout, addresses)
    started = []
    for task in layout.own:
        kind, _, index = task.partition(":")
        config = {"cluster": cluster, "task": {"type": kind, "index": int(index)}}
        started.append(TaskStart(task, layout.rank(task), {"TF_CONFIG": json.dumps(config)}))
    return started


def with_chief_address(layout: TaskCounts, chief: Address) -> list[TaskStart]:
    """This machine's tasks when only the chief's address is known, given in torchrun's variables: TF_CONFIG cannot say that."""
    return [
        TaskStart(
            task,
            layout.rank(task),
            dict(
                zip(
                    _TORCHRUN_VARIABLES,
                    map(str, (layout.rank(task), len(layout.all), i, layout.workers, chief.host, chief.port)),
                    strict=True,
                )
            ),
            without=("TF_CONFIG", "TORCHELASTIC_USE_AGENT_STORE"),
        )
        for i, task in enumerate(layout.own)
    ]


def device_variables(
    layout: TaskCounts, count: int | None, gpus: Sequence[str]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields, for every task of this machine, the environment variables that choose its devices.

    count: devices per worker; None: GPUs are divided evenly, and CPUs left as they are. gpus: their ids; empty: use CPUs.

    Raises:
        ClusterError: there are not enough GPUs.
    """
    trainers = [task for task in layout.own if kind_of(task) in ("chief", "worker")]
    if not gpus:
        for task in trainers if count else ():
            yield task, {"JAX_NUM_CPU_DEVICES": str(count)}
        return
    each = count or len(gpus) // len(trainers)
    if each * len(trainers) > len(gpus):
        raise ClusterError(
            f"--devices-per-worker {count}: {len(trainers)} tasks need {each * len(trainers)} GPUs, and this machine has "
            f"{len(gpus)}. JAX_PLATFORMS=cpu takes virtual CPU devices instead."
        )
    if each == 0:  # more tasks than GPUs and no count given: they have to share
        return
    left = iter(gpus)
    for task in (*trainers, *(task for task in layout.own if task not in trainers)):
        own = [next(left) for _ in range(each)] if task in trainers else []
        yield task, {"CUDA_VISIBLE_DEVICES": ",".join(list(left) if task == "evaluator:0" else own)}


def refuse_used(addresses: Mapping[str, str], tasks: Sequence[str]) -> None:
    """Raises ClusterError if something else already listens on the address of one of these tasks."""
    for task in tasks:
        if task in addresses and _problem(Address.parse(addresses[task])) == errno.EADDRINUSE:
            raise ClusterError(
                f"{addresses[task]}, the address of {task}, is in use. Does an older job still run, or another launcher "
                "with this --node-rank? Else take another port."
            )


def _problem(address: Address) -> int | None:
    """The errno of binding to the address now; None if it works, or the host name is not known here."""
    with contextlib.suppress(socket.gaierror):
        family, kind, protocol, _, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(place)
            except OSError as error:
                return error.errno
    return None


def wants_cpu(environ: Mapping[str, str] = os.environ) -> bool:
    """Returns whether JAX is told to run on CPUs."""
    return environ.get("JAX_PLATFORMS", "").split(",")[0] == "cpu"
