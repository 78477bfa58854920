"""The engine for several processes: actors of Ray, and a worker as the coordinator sees it."""

import contextlib
import dataclasses
import itertools
import os
import time
from collections.abc import Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._context import current
from stratagem._errors import OutOfRangeError, UnavailableError
from stratagem._mesh import ReplicaMesh
from stratagem._private import is_seed_state
from stratagem.cluster.control import Limits
from stratagem.remote import _ray_node as node
from stratagem.remote._actors import Actor, Pending, TaskLostError, TaskSilentError
from stratagem.remote._ray_node import JOIN_SECONDS, NAMESPACE
from stratagem.remote._ray_tasks import Drawn, Seed, ServerTask, WorkerTask, without_programs
from stratagem.remote._recipe import Recipe
from stratagem.remote._travel import exported
from stratagem.remote._update import Rows
from stratagem.step import FarSource

_LOOK_SECONDS = 0.1
_SLICE_SECONDS = 1.0  # of a call that takes long, between two looks at Ray itself
_THREADS = 16  # calls that an actor serves at the same time
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
        limit = asked = Limits.from_environment(os.environ).heartbeat
        began = time.monotonic()
        try:
            while True:
                with contextlib.suppress(errors.GetTimeoutError):
                    return self._ray.get(self._reference, timeout=_SLICE_SECONDS)
                node.check()
                if time.monotonic() - began > asked:
                    self._ask(limit)
                    asked = time.monotonic() - began + limit
        except errors.RayTaskError as error:
            raise error.cause from None
        except errors.RayError as error:
            node.check()
            raise TaskLostError(self._task, str(error).strip().splitlines()[0]) from None

    def _ask(self, limit: float) -> None:
        try:
            self._ray.get(self._actor.here.remote(), timeout=limit)
        except self._ray.exceptions.GetTimeoutError:
            node.check()
            raise TaskSilentError(
                self._task, f"it has not answered for {limit:g} s (STRATAGEM_HEARTBEAT_SECONDS). Is it stopped?"
            ) from None


@final
class RayActor(Actor):
    """The actor of a task, found by its name."""

    def __init__(self, task: str, found: Any = None) -> None:
        self.task = task
        self._found = found

    def call(self, method: str, *args: Any) -> Pending:
        import ray

        if self._found is None:
            self.find(JOIN_SECONDS)
        travelling = jax.tree.map(lambda v: np.asarray(v) if isinstance(v, jax.Array) else v, args)
        return RayPending(ray, getattr(self._found, method).remote(*travelling), self.task, self._found)

    def find(self, seconds: float) -> None:
        """Wait for the task, or for one that took its place. Raises UnavailableError if it does not come in time."""
        import ray

        end = time.monotonic() + seconds
        while True:
            node.check()
            try:
                found = ray.get_actor(self.task, namespace=NAMESPACE)
                ray.get(found.here.remote(), timeout=max(1.0, end - time.monotonic()))
                self._found = found
                return
            except (ValueError, ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
                if time.monotonic() > end:
                    raise UnavailableError(f"{self.task} did not join the job within {seconds:.0f} s.") from None
                time.sleep(_LOOK_SECONDS)

    def check(self) -> None:
        node.check()

    def there(self) -> bool:
        """True if some process is the task now."""
        import ray

        try:
            ray.get_actor(self.task, namespace=NAMESPACE)
        except ValueError:
            return False
        return True

    def __reduce__(self) -> Any:
        return RayActor, (self.task,)


def host_task(ray: Any, kind: str, index: int, servers: int) -> Any:
    """Start this process's actor, under the name of its task. It ends with the process that holds what this returns.

    Raises UnavailableError if another process has the name and keeps it.
    """
    options = {
        "name": f"{kind}:{index}",
        "namespace": NAMESPACE,
        "num_cpus": 0,
        "max_concurrency": _THREADS,
        "runtime_env": {"env_vars": {k: v for k, v in os.environ.items() if k.startswith(_PASSED_ON)}},
    }
    cls: Any = ServerTask if kind == "ps" else WorkerTask
    arguments = (index,) if kind == "ps" else (index, [RayActor(f"ps:{i}") for i in range(servers)])
    end = time.monotonic() + JOIN_SECONDS
    while True:
        try:
            actor = ray.remote(cls).options(**options).remote(*arguments)
            ray.get(actor.here.remote())
            return actor
        except ValueError:  # the name: of a task that died a moment ago
            if time.monotonic() > end:
                raise UnavailableError(f"Another process of the job is {kind}:{index}.") from None
            time.sleep(_LOOK_SECONDS)


_handles = itertools.count()


@final
class RemoteIterator(FarSource):
    """An iterator that a worker has, as the coordinator passes it to functions."""

    def __init__(self, actor: RayActor, handle: int) -> None:
        self.handle = handle
        self._actor = actor
        self._element: Any = None

    def peek(self) -> Any:
        if self._element is None:
            self._element = self._actor.call("peek", self.handle).result()
        return self._element

    def forget(self) -> None:
        """The next element has other shapes than the last."""
        self._element = None

    def stand_in(self) -> Any:
        leaves, structure = jax.tree.flatten(self.peek())
        return jax.tree.unflatten(structure, [StandIn.of(self, i, leaf) for i, leaf in enumerate(leaves)])

    def __next__(self) -> Any:
        recorder = current().recorder
        if recorder is not None:
            return recorder.draw(self)
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    def get_next(self) -> Any:
        """The next element. Raises OutOfRangeError if there is none."""
        if current().recorder is not None:
            return next(self)
        return self._actor.call("take", self.handle).result()

    def __iter__(self) -> "RemoteIterator":
        return self


class StandIn(np.ndarray):
    """An array whose values only a worker has. It has shape and dtype, and zeros."""

    drawn: Drawn
    iterator: RemoteIterator

    @classmethod
    def of(cls, iterator: RemoteIterator, leaf: int, like: Any) -> "StandIn":
        """In place of a leaf of the iterator's next element."""
        array = np.asarray(like)
        made = np.broadcast_to(np.zeros((), array.dtype), array.shape).view(cls)
        made.drawn = Drawn(iterator.handle, leaf, tuple(array.shape), str(array.dtype))
        made.iterator = iterator
        return made


@final
class RemoteSource:
    """What a worker has made, a data set say: each iterator of it is the worker's, too."""

    def __init__(self, actor: RayActor, function: Any) -> None:
        self._actor, self._handle = actor, next(_handles)
        actor.call("make", self._handle, function).result()

    def __iter__(self) -> RemoteIterator:
        handle = next(_handles)
        self._actor.call("iterate", handle, self._handle).result()
        return RemoteIterator(self._actor, handle)


class OtherShapesError(Exception):  # never seen by users: the coordinator calls the function again
    """An element has other shapes than its stand-in had."""


@final
class RayWorker:
    """A worker in another process. Used by one thread at a time, that of the coordinator which waits for it."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.actor = RayActor(f"worker:{index}")
        # What it has, by identity, with what these numbers are of: while it is here no other object can get its number.
        self._known: dict[Any, tuple[Any, ...]] = {}
        self._ready: set[Any] = set()
        self._origin: tuple[Any, ...] = ()
        self._pushes = 0

    def begin(self, closure: int, below: int, coordinator: str) -> None:
        """From now on it runs this closure, from its start."""
        self._origin, self._pushes = (closure, below, coordinator), 0

    def rejoin(self, seconds: float) -> None:
        """Wait for a process that takes the place of the one that is gone. It knows nothing yet."""
        self._known.clear()
        self._ready.clear()
        self.actor.find(seconds)

    def follow(self, recipe: Recipe, given: Sequence[Any], servers: Any, mesh: ReplicaMesh) -> list[Any]:
        """Let the worker take a step. Sends what it does not have yet."""
        others = [v for _, v in recipe.seeds if not is_seed_state(v)]
        inputs = [v.drawn if isinstance(v, StandIn) else np.asarray(v) for v in given]
        inputs += [np.asarray(v.value) for v in others]
        parts = (recipe, *(v._value for _, v in recipe.seeds if is_seed_state(v)))
        number = tuple(map(id, parts))
        while True:
            if number not in self._known:
                self.actor.call("learn", number, without_programs(_travelling(recipe))).result()
                self._known[number] = parts
            ready = servers.ready
            origin = (*self._origin, self._pushes)
            answer, found = self.actor.call("follow", number, inputs, origin, ready - self._ready).result()
            self._ready |= ready
            if answer == "results":
                values, self._pushes = found
                return list(values)
            if answer == "recipe":
                self._known.pop(number, None)
            elif answer == "shapes":
                next(v for v in given if isinstance(v, StandIn) and v.drawn.iterator == found).iterator.forget()
                raise OtherShapesError
            else:
                self._send(number, recipe, servers, *found)

    def _send(self, number: Any, recipe: Recipe, servers: Any, where: Any, shapes: Any) -> None:
        kind, index = where
        if kind == "piece":
            specs = [jax.ShapeDtypeStruct(shape, np.dtype(dtype)) for shape, dtype in shapes]
            program = exported(recipe.pieces[index].run, specs)
            self.actor.call("extend", number, index, shapes, program).result()
            return
        arrays, by_rows = shapes
        left = iter(np.broadcast_to(np.zeros((), dtype), shape) for shape, dtype in arrays)
        servers.prepare(index, [Rows(next(left), next(left)) if r else next(left) for r in by_rows])


def _travelling(recipe: Recipe) -> Recipe:
    """A recipe without variables: the worker has seeds of its own, and gets the values of others with every call."""
    seeds = {id(v): Seed(id(v), np.asarray(v.value), id(v._value)) for _, v in recipe.seeds if is_seed_state(v)}
    return dataclasses.replace(
        recipe,
        inputs=(*recipe.inputs, *(n for n, v in recipe.seeds if id(v) not in seeds)),
        seeds=tuple((n, seeds[id(v)]) for n, v in recipe.seeds if id(v) in seeds),
        kept=tuple((n, seeds[id(v)]) for n, v in recipe.kept if id(v) in seeds),
        constants=tuple((n, np.asarray(c)) for n, c in recipe.constants),
    )
