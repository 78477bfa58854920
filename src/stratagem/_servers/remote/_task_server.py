"""`tf.distribute.Server`, and `connect`, which finds a cluster's servers and workers in this process or others."""

import atexit
import contextlib
import logging
import socket
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Any, NoReturn, final

from stratagem._base.errors import ClusterError, TaskSilentError, UnavailableError
from stratagem._base.exports import exported
from stratagem._base.slow_blocks import while_slow
from stratagem._cluster import Address, RayClusterResolver, TFConfigClusterResolver
from stratagem._servers.remote._actors import LocalActor
from stratagem._servers.remote._ray_actors import RayActor, host_task
from stratagem._servers.remote._ray_arrivals import find_all
from stratagem._servers.remote._ray_launcher import start_on_ray
from stratagem._servers.remote._ray_node import answers, check, private_folder
from stratagem._servers.remote._ray_node import join as join_node
from stratagem._servers.remote._ray_worker_proxy import RayWorkerProxy
from stratagem._servers.remote._server import VariableServer
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._task_process import ActorOutput
from stratagem._servers.remote._worker import Worker


@dataclass(frozen=True)
class _RunningTask:
    """A task that runs in this process.

    variables: the server of a `ps` task. port: a socket that holds the task's port. actor: the Ray actor that serves
    the task, if this process is the task by TF_CONFIG. alone: whether it is the only one of its cluster.
    output: what that actor prints.
    """

    variables: VariableServer | None
    port: socket.socket
    actor: Any = None
    alone: bool = False
    output: ActorOutput | None = None


logger = logging.getLogger("stratagem.remote")

# Tasks of this process by address. They outlive the `Server` that started them, as in TF.
_running: dict[str, _RunningTask] = {}
_lock = threading.Lock()
# Servers in other processes that a strategy of this process uses.
_elsewhere: "weakref.WeakSet[Servers]" = weakref.WeakSet()
_LOOK_SECONDS = 5.0
_NAMESPACE = "stratagem"  # of actors in the job's own Ray cluster


@exported("distribute.Server", v1=["train.Server"])
@final
class Server:
    """A task of a cluster, in this process, as `tf.distribute.Server`. It runs until the process ends.

    server_or_cluster_def: a ClusterSpec, or an argument of one. job_name may be omitted if there is only one job,
    task_index if the job has only one task.

    Raises ClusterError for a task that is not in the cluster or runs here already; UnavailableError if its port is taken.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: object = None,
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
        self._jobs = jobs
        if start:
            self.start()

    @property
    def target(self) -> str:
        """The address of the task, as TF writes it."""
        return f"grpc://{self._address}"

    def start(self) -> None:
        """Starts the task, if it is not running."""
        with _lock:
            if self._address in _running:
                raise ClusterError(
                    f"Server: {self._job}:{self._index} at {self._address} runs in this process already."
                )
            port = _bound(self._address, f"{self._job}:{self._index}")
            if self._address.endswith(":0"):  # any port
                self._address = f"{self._address[:-1]}{port.getsockname()[1]}"
            if _own_task() == (self._job, self._index):  # TF_CONFIG says that this process is the task
                ray = join_node(_head(self._jobs), Address.parse(self._address))
                output = ActorOutput(private_folder())
                servers = len(self._jobs["ps"])
                with while_slow(self._say_that_it_starts):
                    actor = host_task(ray, self._job, self._index, servers, _NAMESPACE, output.process())
                _running[self._address] = _RunningTask(None, port, actor, output=output)
            else:
                variables = VariableServer(self._index) if self._job == "ps" else None
                alone = sum(map(len, self._jobs.values())) == 1
                _running[self._address] = _RunningTask(variables, port, alone=alone)

    def _say_that_it_starts(self, seconds: float) -> None:
        logger.info("%.0f s: Ray is starting the process that serves %s:%d.", seconds, self._job, self._index)

    def join(self) -> NoReturn:
        """Serves until the job is over, then ends this process with exit code 0.

        One of several tasks in a process: for ever.
        """
        self.serve()
        sys.exit(0)

    def serve(self) -> None:
        """Serves until the job is over. One of several tasks in a process: for ever. (Not in TensorFlow.)"""
        running = _running[self._address]
        if running.output is None:
            threading.Event().wait()
        else:
            try:
                self._serve(running.actor)
            finally:  # what a process prints that crashes tells why
                running.output.wait()

    def _serve(self, actor: Any) -> None:
        """Waits until the job is over; then the actor is ended."""
        import ray

        mine = RayActor(f"{self._job}:{self._index}", _NAMESPACE, actor)
        first, seen, silent = RayActor("ps:0", _NAMESPACE), False, 0
        while True:
            try:
                if mine.call("finished", _LOOK_SECONDS).result():
                    break
                silent = 0
            except TaskSilentError:
                silent += 1
                # The actor ends with this process, so it must not end at once: callers of the server have to find out by
                # themselves that it does not answer, or they would report that it has ended.
                if self._job == "ps" and silent == 2:
                    raise
                logger.warning("%s:%d does not answer: its process is stopped, or very busy.", self._job, self._index)
            if not answers():  # if that lasts, the next call raises an error on it
                continue
            exists = first.exists()
            if seen and not exists and self._job != "ps":
                logger.info("%s:%d: the job was over before this task could take part.", self._job, self._index)
                break
            seen = exists
        ray.shutdown()

    @staticmethod
    def create_local_server(config: object = None, start: bool = True) -> "Server":
        """Returns the server of a cluster of one task, `local:0`."""
        return Server({"local": ["localhost:0"]}, config=config, start=start)


def is_only_task(target: str) -> bool:
    """Returns whether a target is that of a `Server` of this process, which is the only task of its cluster."""
    task = _running.get(target.removeprefix("grpc://"))
    return task is not None and task.alone


def _jobs(cluster: Any) -> dict[str, dict[int, str]]:
    spec = cluster.as_dict() if hasattr(cluster, "as_dict") else cluster
    return {
        job: dict(tasks) if isinstance(tasks, dict) else dict(enumerate(tasks)) for job, tasks in dict(spec).items()
    }


def _own_task() -> tuple[str | None, int | None]:
    """Returns the task type and id of this process, by TF_CONFIG."""
    resolver = TFConfigClusterResolver()
    return resolver.task_type, resolver.task_id


def _head(jobs: dict[str, dict[int, str]]) -> Address:
    """Returns the address of Ray's head node: the chief's, or the first server's if there is no chief."""
    return Address.parse(next(iter((jobs.get("chief") or jobs["ps"]).values())))


def connect(resolver: Any, spec: Any) -> tuple[Servers, list[Any]]:
    """Returns a cluster's servers and workers: those of this process if it runs them, else those of other processes.

    spec: the cluster. resolver: the resolver it is from; the tasks of a RayClusterResolver are started here.

    Raises UnavailableError if a task is not running.
    """
    if isinstance(resolver, RayClusterResolver):
        return start_on_ray(resolver)
    jobs = _jobs(spec)
    tasks = jobs["ps"]
    with _lock:
        here = {i: _running[address] for i, address in tasks.items() if address in _running}
    if len(here) == len(tasks):
        return Servers([LocalActor(here[i].variables) for i in sorted(here)]), [
            Worker(i) for i in sorted(jobs["worker"])
        ]
    if here or _own_task()[0] is None:
        missing = [f"ps:{i} at {address}" for i, address in sorted(tasks.items()) if i not in here]
        raise UnavailableError(
            f"ParameterServerStrategy: no server runs for {', '.join(missing)}. In one process, start "
            "tf.distribute.Server(...) for every ps task first; in a job of several, TF_CONFIG has to say which task this is."
        )
    if _elsewhere:
        raise ClusterError(
            "ParameterServerStrategy: a strategy of this process uses the servers of this job already, and a second one would "
            "take its variables away. Use that one."
        )
    head = _head(jobs)
    ray = join_node(head, head)
    servers = [RayActor(f"ps:{i}", _NAMESPACE) for i in sorted(tasks)]
    workers = [RayWorkerProxy(i, RayActor(f"worker:{i}", _NAMESPACE)) for i in sorted(jobs["worker"])]
    find_all([*servers, *(w.actor for w in workers)])
    atexit.register(_finish, ray, [*servers, *(w.actor for w in workers)])
    made = Servers(servers)
    _elsewhere.add(made)
    return made, workers


def _finish(ray: Any, actors: list[RayActor]) -> None:
    """Ends all tasks when the coordinator ends."""
    try:
        check()
    except UnavailableError:
        return  # Ray has ended; the tasks notice that by themselves
    asked = []
    for actor in actors:
        with contextlib.suppress(UnavailableError, ray.exceptions.RayError):
            if actor.exists():  # perhaps another process, which took the place of one that the coordinator has lost
                actor.find(_LOOK_SECONDS)
        with contextlib.suppress(UnavailableError, ray.exceptions.RayError):
            asked.append(actor.call("finish"))
    for call in asked:
        with contextlib.suppress(UnavailableError, ray.exceptions.RayError):
            call.result()
    ray.shutdown()


@atexit.register
def _release_ports() -> None:
    for task in _running.values():
        task.port.close()


def _bound(address: str, task: str) -> socket.socket:
    """Returns a socket bound to the address' port on loopback. It does not listen."""
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
