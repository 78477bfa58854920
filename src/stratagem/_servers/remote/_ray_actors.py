"""The engine for several processes: actors of Ray, by whose names tasks find each other."""

import contextlib
import io
import os
import pickle
import time
from collections.abc import Callable, Mapping
from typing import Any, final

from stratagem._base.errors import UnavailableError
from stratagem._cluster.control import Limits
from stratagem._private import attached_by
from stratagem._servers.remote import _ray_node as node
from stratagem._servers.remote._actors import Actor, Pending, TaskLostError, TaskSilentError
from stratagem._servers.remote._failure import RemoteFailure
from stratagem._servers.remote._ray_node import join_seconds
from stratagem._servers.remote._ray_server_task import ServerTask
from stratagem._servers.remote._ray_worker_task import WorkerTask
from stratagem._servers.remote._serialization import packed, unpacked

_LOOK_SECONDS = 0.1
_PAUSE_SECONDS = 10.0  # at most, between two tries to start a task that dies at once
_SLICE_SECONDS = 1.0  # of a call that takes long, between two looks at Ray itself
_THREADS = 16  # calls that an actor serves at the same time
# Ray's errors for a task that is gone, or never was. Others are of the call: made again elsewhere, it would fail there.
_LOST = (
    "RayActorError",
    "WorkerCrashedError",
    "NodeDiedError",
    "LocalRayletDiedError",
    "ObjectLostError",
    "OutOfMemoryError",
    "RuntimeEnvSetupError",
    "ActorUnschedulableError",
)
# What Ray knows of an actor that is gone: words of its text, and what they mean for a task. It says "died" of all of them.
_CAUSES = {
    "its owner has died": "the task's own process has ended. Its log says how: it may have raised an error, or been killed.",
    "its worker process has died": "the process that serves it has ended: killed (out of memory?), crashed, or by os._exit.",
}
_WITH_CODE = ("make",)  # methods whose arguments have functions of the user's program
# What a task's process was told, and its actor has to know.
_PASSED_ON = ("JAX_", "XLA_", "CUDA_", "KERAS_", "STRATAGEM_", "PYTHONPATH", "OMP_")


@final
class RayPending(Pending):
    """A call on its way. While it takes long, its task is asked whether it is there: it may be frozen."""

    def __init__(self, ray: Any, reference: Any, task: str, actor: Any) -> None:
        self._ray, self._reference, self._task, self._actor = ray, reference, task, actor

    def result(self) -> Any:
        """As Pending's. Raises UnavailableError if Ray itself has ended."""
        errors = self._ray.exceptions
        heard = time.monotonic()
        try:
            while True:
                with contextlib.suppress(errors.GetTimeoutError):
                    message = self._ray.get(self._reference, timeout=_SLICE_SECONDS)
                    break
                node.check()
                limit = Limits.from_environment(os.environ).heartbeat
                if time.monotonic() - heard > limit:
                    self._ask(limit)
                    heard = time.monotonic()
        except errors.RayError as error:
            node.check()
            if not isinstance(error, tuple(getattr(errors, name) for name in _LOST)):
                raise
            raise TaskLostError(self._task, _how_lost(str(error))) from None
        answer = unpacked(message)
        if isinstance(answer, RemoteFailure):
            raise answer.error(self._task) from None
        return answer

    def _ask(self, limit: float) -> None:
        try:
            self._ray.get(self._actor.here.remote(), timeout=limit)
        except self._ray.exceptions.GetTimeoutError:
            node.check()
            why = f"it has not answered for {limit:g} s (STRATAGEM_HEARTBEAT_SECONDS). Is it frozen (SIGSTOP), or very busy?"
            raise TaskSilentError(self._task, why) from None


@final
class RayActor(Actor):
    """The actor of a task: found by its name in a namespace, or started by this process.

    start: starts it, under another name every time, since Ray takes long to give a name free; None: other processes do.
    """

    def __init__(self, task: str, namespace: str, found: Any = None, start: Callable[[], Any] | None = None) -> None:
        self.task = task
        self._namespace, self._start = namespace, start
        self._found = found

    @property
    def found(self) -> Any:
        """Ray's handle; None before it was looked for."""
        return self._found

    def call(self, method: str, *args: Any) -> Pending:
        import ray

        if self._found is None:
            self.find(join_seconds())
        try:
            message = packed((method, args), ray.cloudpickle.dumps if method in _WITH_CODE else None)
        except (TypeError, pickle.PicklingError) as error:
            raise TypeError(_cannot_travel(ray, self.task, args, error)) from None
        return RayPending(ray, self._found.answer.remote(message), self.task, self._found)

    def find(self, seconds: float) -> None:
        """Wait for the task, or for one that took its place. Raises UnavailableError if it does not come in time."""
        import ray

        end = time.monotonic() + seconds
        pause, died = _LOOK_SECONDS, False
        while True:
            node.check()
            try:
                if died and self._start is not None:
                    self._found, died = self._start(), False
                found = self._looked_up(ray)
                _wait_for(ray, found.here.remote(), end)
                self._found = found
                return
            except (ValueError, ray.exceptions.RayError) as error:
                if self._start is not None and _died(ray.exceptions, error):
                    died, pause = True, min(2 * pause, _PAUSE_SECONDS)  # if it cannot start, each try costs a process
                if time.monotonic() > end:
                    raise UnavailableError(
                        f"{self.task} did not join the job within {seconds:g} s. Ray says: {str(error).strip()}"
                    ) from None
                time.sleep(max(0.0, min(pause, end - time.monotonic())))

    def _looked_up(self, ray: Any) -> Any:
        return ray.get_actor(self.task, namespace=self._namespace) if self._start is None else self._found

    def check(self) -> None:
        node.check()

    def there(self) -> bool:
        """True if some process is the task now. Raises UnavailableError if Ray's first process does not say."""
        import ray

        try:
            ray.get_actor(self.task, namespace=self._namespace)
        except ValueError:
            return False
        except ray.exceptions.GetTimeoutError:
            node.check()
            raise UnavailableError(f"Ray's first process does not answer whether {self.task} runs.") from None
        return True

    def __reduce__(self) -> Any:
        return RayActor, (self.task, self._namespace)


def _wait_for(ray: Any, answer: Any, end: float) -> None:
    """Until `end`; it may be that Ray itself ends before."""
    while True:
        try:
            ray.get(answer, timeout=max(0.0, min(_SLICE_SECONDS, end - time.monotonic())))
            return
        except ray.exceptions.GetTimeoutError:
            node.check()
            if time.monotonic() > end:
                raise


def _died(errors: Any, error: Exception) -> bool:
    """True if an actor will never answer; else it may, later, or it is not known where it is."""
    later = errors.ActorUnavailableError, errors.GetTimeoutError
    return isinstance(error, errors.RayError) and not isinstance(error, (ValueError, *later))


def _how_lost(text: str) -> str:
    """What is known of a task that Ray gives up for lost."""
    for words, known in _CAUSES.items():
        if words in text:
            return known
    first, *others = text.strip().splitlines() or ["Ray does not say why."]
    return f"{first} {others[-1]}" if others else first  # the last line has the cause, those between say where


def _cannot_travel(ray: Any, task: str, values: Any, error: Exception) -> str:
    """What among the values is the reason."""
    found = [ray.util.inspect_serializability(value, print_file=io.StringIO())[1] for value in values]
    names = ", ".join(sorted({f"`{failure.path[-1]}`" for each in found for failure in each}))
    return (
        f"{names or 'A value'} cannot travel to {task}, which is another process: {error}. Make it there, within the "
        "function that needs it."
    )


def start_actor(ray: Any, kind: str, index: int, servers: int, namespace: str, options: Mapping[str, Any]) -> Any:
    """Start a task's actor, under the name of its task. It ends with this process, or when nobody has what this returns.

    Raises ValueError if there is an actor of the name.
    """
    cls: Any = ServerTask if kind == "ps" else WorkerTask
    reached = () if kind == "ps" else ([RayActor(f"ps:{i}", namespace) for i in range(servers)],)
    named = {"name": f"{kind}:{index}", "namespace": namespace, "max_concurrency": _THREADS, **options}
    # Calls are many and short: without events Ray does not note each for its dashboard.
    return ray.remote(cls).options(enable_task_events=False, **named).remote(index, *reached, attached_by())


def host_task(ray: Any, kind: str, index: int, servers: int, namespace: str) -> Any:
    """Start this process's actor.

    Raises UnavailableError if another process has the name and keeps it, or Ray does not start the actor.
    """
    environment = {k: v for k, v in os.environ.items() if k.startswith(_PASSED_ON)}
    options = {"num_cpus": 0, "runtime_env": {"env_vars": environment}}
    limit = join_seconds()
    end = time.monotonic() + limit
    while True:
        try:
            actor = start_actor(ray, kind, index, servers, namespace, options)
            _wait_for(ray, actor.here.remote(), end)
            return actor
        except ValueError:  # the name: of a task that died a moment ago
            if time.monotonic() > end:
                raise UnavailableError(f"Another process of the job is {kind}:{index}.") from None
            time.sleep(_LOOK_SECONDS)
        except ray.exceptions.RayError as error:
            late = isinstance(error, ray.exceptions.GetTimeoutError)
            why = f"it was not there after {limit:g} s (STRATAGEM_JOIN_SECONDS)" if late else str(error).strip()
            raise UnavailableError(
                f"Ray did not start {kind}:{index}: {why}. While another task runs here, Ray's logs are in {node.logs()}."
            ) from None
