"""Resolvers for jobs that torchrun or Open MPI started: a task knows its rank, how many there are, and where rank 0 is."""

import abc
import os
from collections.abc import Mapping, MutableMapping
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._cluster._address import Address
from stratagem._cluster._gpus import visible_gpus
from stratagem._cluster._resolver import ClusterResolver, with_protocol
from stratagem._cluster._spec import ClusterSpec

_LAST_PORT = 65535
_LOOPBACK = "127.0.0.1"
_DEFAULT_PORT = "29500"  # that of torch.distributed


class LauncherClusterResolver(ClusterResolver):
    """All tasks are workers, and worker:0's address is the only one that a task is told: the others are "" in the cluster.

    environ: the environment to read, anew at every access.
    """

    _RANK: str
    _SIZE: str
    _LOCAL_RANK: str
    _LOCAL_SIZE: str

    def __init__(self, *, environ: MutableMapping[str, str] = os.environ) -> None:
        self._environ = environ

    @abc.abstractmethod
    def _chief(self) -> Address:
        """Where rank 0 is to listen."""

    def cluster_spec(self) -> ClusterSpec:
        """One job, `worker`, of as many tasks as were started.

        Raises:
            ClusterError: a variable is missing or wrong.
        """
        _, size = self._place(self._RANK, self._SIZE)
        return ClusterSpec({"worker": [str(self._chief()), *[""] * (size - 1)]})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of rank 0, or of the named task if it is known."""
        address = self.cluster_spec().task_address(task_type or "worker", task_id or 0)
        return with_protocol(address, rpc_layer or self.rpc_layer) if address else ""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """{"GPU": this task's part of the GPUs of the machine}, or {} if there are none."""
        seen, (_, tasks) = len(visible_gpus(self._environ)), self.local or (0, 1)
        # Fewer than tasks: the launcher has given every task its own.
        return {"GPU": seen // tasks if seen >= tasks else seen} if seen else {}

    def _found_task(self) -> tuple[str | None, int | None]:
        return "worker", self._place(self._RANK, self._SIZE)[0]

    @property
    def local(self) -> tuple[int, int] | None:
        """Which of how many tasks on this machine this one is; None if the launcher does not say."""
        known = self._LOCAL_RANK in self._environ and self._LOCAL_SIZE in self._environ
        return self._place(self._LOCAL_RANK, self._LOCAL_SIZE) if known else None

    def _place(self, rank: str, size: str) -> tuple[int, int]:
        """A rank below a size, from two variables."""
        place, count = self._number(rank), self._number(size)
        if place >= count:
            raise ClusterError(f"{self.source}: {rank} is {place} and {size} is {count}. A rank is below the size.")
        return place, count

    def _number(self, name: str) -> int:
        text = self._text(name)
        if not (text.isascii() and text.isdigit()):
            raise ClusterError(f"{self.source}: {name} has to be a number from 0 on, got {text!r}.")
        return int(text)

    def _text(self, name: str, default: str | None = None) -> str:
        text = self._environ.get(name, default)
        if not text:
            raise ClusterError(f"{self.source}: the environment variable {name} is not set. {self._remedy(name)}")
        return text

    def _remedy(self, name: str) -> str:
        """What to do when a variable is missing."""
        return f"Start the program with {self.source}, or set TF_CONFIG."

    def _address(self, host: str, port: str) -> Address:
        """The two as one address. An IPv6 address has no brackets here."""
        try:
            return Address.parse(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        except ClusterError as error:
            raise ClusterError(f"{self.source}: MASTER_ADDR and MASTER_PORT: {error}") from None


@final
class TorchrunClusterResolver(LauncherClusterResolver):
    """RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Not in TensorFlow."""

    _RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE = "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"

    def _chief(self) -> Address:
        address = self._address(self._text("MASTER_ADDR"), self._text("MASTER_PORT"))
        if self._environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
            return address
        # The agent listens at MASTER_PORT itself, so rank 0 takes the port next to it.
        return Address(address.host, address.port + 1 if address.port < _LAST_PORT else address.port - 1)

    @property
    def source(self) -> str:
        """torchrun."""
        return "torchrun"


@final
class OpenMPIClusterResolver(LauncherClusterResolver):
    """OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK and _LOCAL_SIZE, with MASTER_ADDR and MASTER_PORT. Not in TensorFlow.

    Open MPI documents no variable that says where rank 0 runs. With all ranks on one machine MASTER_ADDR is 127.0.0.1 by
    default; otherwise it has to be given. MASTER_PORT is 29500 by default.
    """

    _RANK, _SIZE = "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"
    _LOCAL_RANK, _LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"

    def _chief(self) -> Address:
        _, size = self._place(self._RANK, self._SIZE)
        alone = self.local is not None and self.local[1] == size
        return self._address(
            self._text("MASTER_ADDR", _LOOPBACK if alone else None), self._text("MASTER_PORT", _DEFAULT_PORT)
        )

    def _remedy(self, name: str) -> str:
        if name == "MASTER_ADDR":
            return "Name the machine of rank 0: mpirun -x MASTER_ADDR=host -x MASTER_PORT=29500 ..."
        return "Start the program with mpirun, or set TF_CONFIG."

    @property
    def source(self) -> str:
        """Open MPI."""
        return "Open MPI"
