"""RayActor: calls to tasks in other processes, each a Ray actor with the name of its task."""

import contextlib
import io
import os
import pickle
import time
from collections.abc import Callable, Mapping
from typing import Any, final

from stratagem._base.errors import TaskLostError, TaskSilentError, UnavailableError
from stratagem._base.remote_failure import RemoteFailure
from stratagem._cluster.control import TimeLimits
from stratagem._private import attached_by
from stratagem._servers.remote import _ray_node as node
from stratagem._servers.remote._actors import AnswerLimit, Pending, WatchedActor
from stratagem._servers.remote._linked_actor import LinkedActor
from stratagem._servers.remote._pickling import packed, unpacked
from stratagem._servers.remote._ray_node import join_seconds
from stratagem._servers.remote._ray_server_actor import ServerTask
from stratagem._servers.remote._ray_worker_task import WorkerTask
from stratagem._servers.remote._task_process import TaskProcess

_LOOK_SECONDS = 0.1
_PAUSE_SECONDS = 10.0  # the longest pause between two tries to start a task that dies at once
_SLICE_SECONDS = 1.0  # during a long call, the time between two checks of Ray itself
_THREADS = 16  # calls that an actor serves at the same time
# Ray's errors for a task that has ended or never started. After another error, the call would fail elsewhere, too.
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
# Words of Ray's message on an actor that has ended, and what they mean for a task.
_CAUSES = {
    "its owner has died": "the task's own process has ended. Its log says how: it may have raised an error, or been killed.",
    "its worker process has died": "the process that serves it has ended: killed (out of memory?), crashed, or by os._exit.",
}
_WITH_CODE = ("make",)  # methods whose arguments contain functions of the user's program
# Prefixes of environment variables that a task's process passes to its actor.
_PASSED_ON = ("JAX_", "XLA_", "CUDA_", "KERAS_", "STRATAGEM_", "PYTHONPATH", "OMP_")


@final
class RayPending(Pending):
    """A call to a Ray actor under way. If it takes long, the task is asked whether it still answers, for it may be frozen."""

    def __init__(self, ray: Any, reference: Any, task: str, actor: Any) -> None:
        self._ray, self._reference, self._task = ray, reference, task
        self._limit = RayAnswerLimit(ray, task, actor)

    def result(self) -> Any:
        """Waits for the result. Raises what the method raised, TaskLostError, or UnavailableError if Ray itself has ended."""
        errors = self._ray.exceptions
        try:
            while True:
                with contextlib.suppress(errors.GetTimeoutError):
                    message = self._ray.get(self._reference, timeout=_SLICE_SECONDS)
                    break
                self._limit.check()
        except errors.RayError as error:
            raise _typed(self._ray, self._task, error) from None
        answer = unpacked(message)
        if isinstance(answer, RemoteFailure):
            raise answer.error(self._task) from None
        return answer


@final
class RayAnswerLimit(AnswerLimit):
    """A call waits while Ray runs and the task's process answers when it is asked whether it does."""

    def __init__(self, ray: Any, task: str, actor: Any) -> None:
        self._ray, self._task, self._actor = ray, task, actor
        self._last_answer = time.monotonic()

    def check(self) -> None:
        node.check()
        limit = TimeLimits.from_environment(os.environ).heartbeat
        if time.monotonic() - self._last_answer <= limit:
            return
        errors = self._ray.exceptions
        try:
            self._ray.get(self._actor.ping.remote(), timeout=limit)
        except errors.GetTimeoutError:
            node.check()
            why = f"it has not answered for {limit:g} s (STRATAGEM_HEARTBEAT_SECONDS). Is it frozen (SIGSTOP), or very busy?"
            raise TaskSilentError(self._task, why) from None
        except errors.RayError as error:
            raise _typed(self._ray, self._task, error) from None
        self._last_answer = time.monotonic()


def _typed(ray: Any, task: str, error: Exception) -> Exception:
    """Returns Ray's error on a task as ours, if the task has ended; raises UnavailableError if Ray itself has."""
    node.check()
    lost = isinstance(error, tuple(getattr(ray.exceptions, name) for name in _LOST))
    return TaskLostError(task, _cause(str(error))) if lost else error


@final
class RayActor(WatchedActor):
    """The actor of a task: found by its name in a namespace, or started by this process.

    start: starts the actor, each time under another name, since Ray frees names late; None if another process starts it.
    """

    def __init__(self, task: str, namespace: str, handle: Any = None, start: Callable[[], Any] | None = None) -> None:
        self.task = task
        self._namespace, self._start = namespace, start
        self._handle = handle

    @property
    def handle(self) -> Any:
        """Ray's handle of the actor; None until it was found."""
        return self._handle

    def call(self, method: str, *args: Any) -> Pending:
        import ray

        if self._handle is None:
            self.find(join_seconds())
        try:
            message = packed((method, args), ray.cloudpickle.dumps if method in _WITH_CODE else None)
        except (TypeError, pickle.PicklingError) as error:
            raise TypeError(_not_serializable(ray, self.task, args, error)) from None
        return RayPending(ray, self._handle.answer.remote(message), self.task, self._handle)

    def find(self, seconds: float) -> None:
        """Waits for the task, or for one that took its place. Raises UnavailableError if it does not come in time."""
        import ray

        end = time.monotonic() + seconds
        pause, died = _LOOK_SECONDS, False
        while True:
            node.check()
            try:
                if died and self._start is not None:
                    self._handle, died = self._start(), False
                handle = self._look_up(ray)
                _wait_for(ray, handle.ping.remote(), end)
                self._handle = handle
                return
            except (ValueError, ray.exceptions.RayError) as error:
                if self._start is not None and _died(ray.exceptions, error):
                    died, pause = True, min(2 * pause, _PAUSE_SECONDS)  # if it cannot start, each try costs a process
                if time.monotonic() > end:
                    raise UnavailableError(
                        f"{self.task} did not join the job within {seconds:g} s. Ray says: {str(error).strip()}"
                    ) from None
                time.sleep(max(0.0, min(pause, end - time.monotonic())))

    def _look_up(self, ray: Any) -> Any:
        return ray.get_actor(self.task, namespace=self._namespace) if self._start is None else self._handle

    def check(self) -> None:
        node.check()

    def answer_limit(self) -> AnswerLimit:
        import ray

        return RayAnswerLimit(ray, self.task, self._handle)

    def exists(self) -> bool:
        """Returns whether a process runs the task now. Raises UnavailableError if Ray's first process does not answer."""
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
    """Waits until `end`. Raises Ray's GetTimeoutError then, UnavailableError if Ray itself ends before."""
    while True:
        try:
            ray.get(answer, timeout=max(0.0, min(_SLICE_SECONDS, end - time.monotonic())))
            return
        except ray.exceptions.GetTimeoutError:
            node.check()
            if time.monotonic() > end:
                raise


def _died(errors: Any, error: Exception) -> bool:
    """Returns whether an actor will never answer. False if it may answer later, or was not found."""
    later = errors.ActorUnavailableError, errors.GetTimeoutError
    return isinstance(error, errors.RayError) and not isinstance(error, (ValueError, *later))


def _cause(text: str) -> str:
    """Returns the cause of a task's loss, by Ray's message."""
    for words, known in _CAUSES.items():
        if words in text:
            return known
    first, *others = text.strip().splitlines() or ["Ray does not say why."]
    return f"{first} {others[-1]}" if others else first  # the last line has the cause; lines between are the stack


def _not_serializable(ray: Any, task: str, values: Any, error: Exception) -> str:
    """Returns the error message for arguments that cannot be pickled; names the values that are the reason."""
    found = [ray.util.inspect_serializability(value, print_file=io.StringIO())[1] for value in values]
    names = ", ".join(sorted({f"`{failure.path[-1]}`" for each in found for failure in each}))
    return (
        f"{names or 'A value'} cannot travel to {task}, which is another process: {error}. Make it there, within the "
        "function that needs it."
    )


def start_actor(
    ray: Any, kind: str, index: int, servers: int, namespace: str, options: Mapping[str, Any], process: TaskProcess
) -> Any:
    """Starts a task's actor under the task's name. It ends with this process, or when nothing refers to the result any more.

    process: what it takes over from the task's process.

    Raises ValueError if there is an actor of the name.
    """
    cls: Any = ServerTask if kind == "ps" else WorkerTask
    reached = () if kind == "ps" else ([LinkedActor(RayActor(f"ps:{i}", namespace)) for i in range(servers)],)
    named = {"name": f"{kind}:{index}", "namespace": namespace, "max_concurrency": _THREADS, **options}
    # Without task events, Ray does not record every one of many short calls for its dashboard.
    return ray.remote(cls).options(enable_task_events=False, **named).remote(index, *reached, attached_by(), process)


def host_task(ray: Any, kind: str, index: int, servers: int, namespace: str, process: TaskProcess) -> Any:
    """Starts the actor of this process, on this machine. process: what it takes over from this one.

    Raises UnavailableError if another process has the name and keeps it, or Ray does not start the actor.
    """
    environment = {k: v for k, v in os.environ.items() if k.startswith(_PASSED_ON)}
    # An actor that needs no resources would be put on any machine of the job.
    options = {"num_cpus": 0, "runtime_env": {"env_vars": environment}, "scheduling_strategy": node.this_node(ray)}
    limit = join_seconds()
    end = time.monotonic() + limit
    while True:
        try:
            actor = start_actor(ray, kind, index, servers, namespace, options, process)
            _wait_for(ray, actor.ping.remote(), end)
            return actor
        except ValueError:  # the name is taken, perhaps by a task that died a moment ago
            if time.monotonic() > end:
                raise UnavailableError(f"Another process of the job is {kind}:{index}.") from None
            time.sleep(_LOOK_SECONDS)
        except ray.exceptions.RayError as error:
            late = isinstance(error, ray.exceptions.GetTimeoutError)
            why = f"it was not there after {limit:g} s (STRATAGEM_JOIN_SECONDS)" if late else str(error).strip()
            raise UnavailableError(
                f"Ray did not start {kind}:{index}: {why}. While another task runs here, Ray's logs are in {node.logs()}."
            ) from None
