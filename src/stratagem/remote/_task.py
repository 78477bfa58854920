"""tf.distribute.Server, and which tasks of a cluster run in this process."""

import socket
import threading
from dataclasses import dataclass
from typing import Any, NoReturn, final

from stratagem._errors import ClusterError, UnavailableError
from stratagem.remote._actors import LocalActor
from stratagem.remote._server import VariableServer
from stratagem.remote._servers import Servers


@dataclass(frozen=True)
class _Task:
    """A task that runs in this process. variables: of a `ps` task. port: keeps its port from others."""

    variables: VariableServer | None
    port: socket.socket


# Tasks of this process by address. They outlive the `Server` that started them, as in TF.
_running: dict[str, _Task] = {}
_lock = threading.Lock()


@final
class Server:
    """A task of a cluster, in this process, as `tf.distribute.Server`. It runs until the process ends.

    server_or_cluster_def: a ClusterSpec or what makes one. job_name may be left out if there is only one job, task_index if
    the job has only one task.

    Raises ClusterError for a task that is not in the cluster, or runs here already; UnavailableError if its port is taken.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        jobs = _jobs(server_or_cluster_def)
        if job_name is None:
            if len(jobs) != 1:
                raise ValueError(f"Must specify an explicit `job_name` with {len(jobs)} jobs in the cluster.")
            job_name = next(iter(jobs))
        if job_name not in jobs:
            raise ClusterError(f"Server: job {job_name!r} is not in the cluster, which has {sorted(jobs)}.")
        tasks = jobs[job_name]
        if task_index is None:
            if len(tasks) != 1:
                raise ValueError(f"Must specify an explicit `task_index` with {len(tasks)} tasks in job {job_name!r}.")
            task_index = next(iter(tasks))
        if task_index not in tasks:
            raise ClusterError(f"Server: job {job_name!r} has no task {task_index}; it has {sorted(tasks)}.")
        self._address, self._job, self._index = tasks[task_index], job_name, int(task_index)
        if start:
            self.start()

    @property
    def target(self) -> str:
        """Its address, as TF writes it."""
        return f"grpc://{self._address}"

    def start(self) -> None:
        """Start the task, if it is not running."""
        with _lock:
            if self._address in _running:
                raise ClusterError(
                    f"Server: {self._job}:{self._index} at {self._address} runs in this process already."
                )
            port = _bound(self._address, f"{self._job}:{self._index}")
            _running[self._address] = _Task(VariableServer(self._index) if self._job == "ps" else None, port)

    def join(self) -> NoReturn:
        """Block for ever: the task runs until its process is ended."""
        threading.Event().wait()
        raise AssertionError("the wait has no end")

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> "Server":
        """A cluster of one task, `local:0`."""
        return Server({"local": ["localhost:0"]}, config=config, start=start)


def _jobs(given: Any) -> dict[str, dict[int, str]]:
    spec = given.as_dict() if hasattr(given, "as_dict") else given
    return {
        job: dict(tasks) if isinstance(tasks, dict) else dict(enumerate(tasks)) for job, tasks in dict(spec).items()
    }


def connect(spec: Any) -> Servers:
    """The variable servers of a cluster. Raises UnavailableError if one is not running."""
    tasks = _jobs(spec)["ps"]
    with _lock:
        missing = [f"ps:{i} at {address}" for i, address in sorted(tasks.items()) if address not in _running]
        if missing:
            raise UnavailableError(
                f"ParameterServerStrategy: no server runs for {', '.join(missing)}. Start tf.distribute.Server(...) for every "
                "ps task in this process first."
            )
        return Servers([LocalActor(_running[address].variables) for _, address in sorted(tasks.items())])


def _bound(address: str, task: str) -> socket.socket:
    """A socket that has the port of the address, on loopback: nothing listens there."""
    number = address.rpartition(":")[2]
    holder = socket.socket()
    try:
        holder.bind(("127.0.0.1", int(number)))
    except (OSError, ValueError, OverflowError) as error:
        holder.close()
        raise UnavailableError(
            f"Server: {task} cannot have {address}: {error}. Is another program using the port?"
        ) from None
    return holder
