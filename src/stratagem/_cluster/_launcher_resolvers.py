"""Resolvers for jobs started by torchrun or Open MPI, which tell a task its rank, the number of tasks and rank 0's address."""

import abc
import os
from collections.abc import Mapping, MutableMapping
from typing import Any, final

from stratagem._base.errors import ClusterError
from stratagem._base.exports import exported
from stratagem._cluster._address import Address
from stratagem._cluster._resolver import ClusterResolver, with_protocol
from stratagem._cluster._spec import ClusterSpec
from stratagem._cluster._visible_gpus import visible_gpus

_LAST_PORT = 65535
_LOOPBACK = "127.0.0.1"
_DEFAULT_PORT = "29500"  # that of torch.distributed


class LauncherClusterResolver(ClusterResolver):
    """Base of the resolvers for launchers. All tasks are workers, and only worker:0's address is known: the others are "".

    environ: the environment, read at every access.
    """

    _RANK: str
    _SIZE: str
    _LOCAL_RANK: str
    _LOCAL_SIZE: str

    def __init__(self, *, environ: MutableMapping[str, str] = os.environ) -> None:
        self._environ = environ

    @abc.abstractmethod
    def _chief(self) -> Address:
        """Returns the address where rank 0 is to listen."""

    def cluster_spec(self) -> ClusterSpec:
        """Returns a cluster with one job, `worker`, with all tasks of the launcher.

        Raises:
            ClusterError: a variable is missing or wrong.
        """
        _, size = self._rank_and_size(self._RANK, self._SIZE)
        return ClusterSpec({"worker": [str(self._chief()), *[""] * (size - 1)]})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """Returns the address of the named task if it is known, by default that of rank 0."""
        address = self.cluster_spec().task_address(task_type or "worker", task_id or 0)
        return with_protocol(address, rpc_layer or self.rpc_layer) if address else ""

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> Mapping[str, int]:
        """Returns {"GPU": this task's share of the machine's GPUs}, or {} if there are none."""
        seen, (_, tasks) = len(visible_gpus(self._environ)), self.local or (0, 1)
        # If fewer are visible than there are tasks, the launcher has given every task its own.
        return {"GPU": seen // tasks if seen >= tasks else seen} if seen else {}

    def _found_task(self) -> tuple[str | None, int | None]:
        return "worker", self._rank_and_size(self._RANK, self._SIZE)[0]

    @property
    def local(self) -> tuple[int, int] | None:
        """This task's index on this machine, and the number of tasks here; None if the launcher does not tell."""
        known = self._LOCAL_RANK in self._environ and self._LOCAL_SIZE in self._environ
        return self._rank_and_size(self._LOCAL_RANK, self._LOCAL_SIZE) if known else None

    def _rank_and_size(self, rank: str, size: str) -> tuple[int, int]:
        """Returns the rank and the size that two variables hold. Raises ClusterError unless the rank is below the size."""
        index, count = self._number(rank), self._number(size)
        if index >= count:
            raise ClusterError(f"{self.source}: {rank} is {index} and {size} is {count}. A rank is below the size.")
        return index, count

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
        """Returns what to do if a variable is missing."""
        return f"Start the program with {self.source}, or set TF_CONFIG."

    def _address(self, host: str, port: str) -> Address:
        """Returns an address from host and port; `host` is an IPv6 address without brackets, or a name."""
        try:
            return Address.parse(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        except ClusterError as error:
            raise ClusterError(f"{self.source}: MASTER_ADDR and MASTER_PORT: {error}") from None


@exported("distribute.cluster_resolver.TorchrunClusterResolver")
@final
class TorchrunClusterResolver(LauncherClusterResolver):
    """Reads RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Not in TensorFlow."""

    _RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE = "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"

    def _chief(self) -> Address:
        address = self._address(self._text("MASTER_ADDR"), self._text("MASTER_PORT"))
        if self._environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
            return address
        # The agent listens at MASTER_PORT itself, so rank 0 takes the port next to it.
        return Address(address.host, address.port + 1 if address.port < _LAST_PORT else address.port - 1)

    @property
    def source(self) -> str:
        """The name "torchrun", for errors and logs."""
        return "torchrun"


@exported("distribute.cluster_resolver.OpenMPIClusterResolver")
@final
class OpenMPIClusterResolver(LauncherClusterResolver):
    """Reads OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK and _LOCAL_SIZE, MASTER_ADDR and MASTER_PORT. Not in TensorFlow.

    Open MPI documents no variable with the machine of rank 0. If all ranks are on one machine, MASTER_ADDR is 127.0.0.1 by
    default; otherwise it has to be set. MASTER_PORT is 29500 by default.
    """

    _RANK, _SIZE = "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"
    _LOCAL_RANK, _LOCAL_SIZE = "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"

    def _chief(self) -> Address:
        _, size = self._rank_and_size(self._RANK, self._SIZE)
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
        """The name "Open MPI", for errors and logs."""
        return "Open MPI"
