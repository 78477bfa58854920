"""A worker in another process, and what it has, as the coordinator sees them."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, final

import jax
import numpy as np

from stratagem._base.errors import OutOfRangeError
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import RemoteArray, RemoteIterator
from stratagem._data import to_jax
from stratagem._private import is_seed_state
from stratagem._servers.remote._execution_plan import ExecutionPlan
from stratagem._servers.remote._export import exported
from stratagem._servers.remote._finalizers import Finalized
from stratagem._servers.remote._prefetch import Freshness, Prefetched
from stratagem._servers.remote._push import Origin
from stratagem._servers.remote._ray_actors import RayActor
from stratagem._servers.remote._ray_worker_task import Drawn, Seed, without_programs
from stratagem._servers.remote._server import NotHereError
from stratagem._servers.remote._time_breakdown import TimeBreakdown, TimeCategory
from stratagem._servers.remote._update import SparseGradient

_handles = itertools.count()


@final
class RayIterator(RemoteIterator):
    """An iterator that a worker has, as the coordinator passes it to functions."""

    def __init__(self, worker: "RayWorker", source: int) -> None:
        """source: the number of what it is an iterator of."""
        self.handle = worker.number(self)
        self._actor = worker.actor
        self._element: Any = None
        self._actor.call("iterate", self.handle, source).result()

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

    def skip(self) -> None:
        self.forget()
        self._actor.call("take", self.handle).result()

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
        return to_jax(self._actor.call("take", self.handle).result())

    def __iter__(self) -> "RayIterator":
        return self


class StandIn(np.ndarray):
    """An array whose values only a worker has. It has shape and dtype, and zeros."""

    drawn: Drawn
    iterator: RayIterator

    @classmethod
    def of(cls, iterator: RayIterator, leaf: int, like: Any) -> "StandIn":
        """In place of a leaf of the iterator's next element."""
        array = np.asarray(like)
        made = np.broadcast_to(np.zeros((), array.dtype), array.shape).view(cls)
        made.drawn = Drawn(iterator.handle, leaf, tuple(array.shape), str(array.dtype))
        made.iterator = iterator
        return made


@final
class RemoteSource:
    """What a worker has made, a data set say: each iterator of it is the worker's, too."""

    def __init__(self, worker: "RayWorker", function: Any) -> None:
        self._worker, self._handle = worker, worker.number(self)
        worker.actor.call("make", self._handle, function).result()

    @property
    def element_spec(self) -> Any:
        """What the elements of the data set look like. Raises AttributeError for what does not say so."""
        return self._worker.actor.call("element_spec", self._handle).result()

    def __iter__(self) -> RayIterator:
        return RayIterator(self._worker, self._handle)


@final
class RayWorker:
    """A worker in another process. Used by one thread at a time, that of the coordinator which waits for it."""

    numbered: ClassVar[bool] = True  # as Worker's: it runs closures only

    def __init__(self, index: int, actor: RayActor) -> None:
        self.index, self.actor = index, actor
        # The plans that it has, by identity: of a plan, which is forgotten when it is gone, and of values of seeds, which
        # are kept here, so that no other object gets their numbers.
        self._known: dict[Any, tuple[Any, ...]] = {}
        self._finalized = Finalized()
        self._dropped = Finalized()  # of what it has made; unlike those of plans, these numbers never come again
        self._ready: set[Any] = set()
        self.clock, self.prefetched, self.freshness = TimeBreakdown(), Prefetched(), Freshness()
        self._closures: Sequence[int] = ()
        self._below, self._coordinator = 0, ""
        self._pushes = 0

    def begin(self, closures: Sequence[int], below: int, coordinator: str) -> None:
        """From now on it runs the first of these closures, from its start; the others, which are alike, may follow with it."""
        self._closures, self._pushes = closures, 0
        self._below, self._coordinator = below, coordinator

    def next_origin(self) -> Origin:
        """As Worker's, for what a function does outside of steps."""
        self._pushes += 1
        return Origin(self._closures[0], self._pushes, self._below, self._coordinator)

    def number(self, thing: Any) -> int:
        """A number for something that the worker is to make. It forgets that when `thing`, which stands for it here, is gone.

        Any thread may ask.
        """
        self._drop()
        handle = next(_handles)
        self._dropped.watch(thing, handle)
        return handle

    def _drop(self) -> None:
        """Let the worker forget what it has made and nobody can use any more."""
        dropped = self._dropped.taken()
        if dropped:
            self.actor.call("drop", dropped).result()

    def rejoin(self, seconds: float) -> None:
        """Wait for a process that takes the place of the one that is gone. It knows nothing yet."""
        self._known.clear()
        self._ready.clear()
        self.actor.find(seconds)

    def follow(
        self, plan: ExecutionPlan, given: Sequence[Any], servers: Any, mesh: ReplicaMesh, times: int = 1
    ) -> list[list[Any]]:
        """Let the worker take up to so many steps, each for the next closure. Returns the results of those that it took.

        Sends what it does not have yet. None were taken if the first element has other shapes than its stand-in.
        """
        others = [v for _, v in plan.seeds if not is_seed_state(v)]
        inputs = [v.drawn if isinstance(v, StandIn) else np.asarray(v) for v in given]
        inputs += [np.asarray(v.value) for v in others]
        seeds = tuple(v._value for _, v in plan.seeds if is_seed_state(v))
        number = (id(plan), *map(id, seeds))
        self._forget()
        self._drop()
        # Of several, each was scheduled before the one before it is asked for, which is now: so it may use what that brings.
        fresh, more = self.freshness.ask(servers.changes), self.prefetched.more
        while True:
            self._learn(number, plan, seeds)
            ready = servers.ready
            origin = (self._closures[:times], self._below, self._coordinator, self._pushes)
            call = self.actor.call("follow", number, inputs, origin, ready - self._ready, (fresh, more))
            try:
                found, self._pushes, seconds, stop = call.result()
            except NotHereError:
                raise  # it is taken again, and its pushes have their numbers again
            except Exception:
                self._pushes += plan.most_pushes  # the function may go on, and what it pushes then is something else
                raise
            self._ready |= ready
            self.clock.elsewhere(dict(seconds))
            self.clock.steps += len(found)
            missing: tuple[str, Any] = stop or ("", None)
            kind, what = missing
            if kind == "shapes":
                next(v for v in given if isinstance(v, StandIn) and v.drawn.iterator == what).iterator.forget()
            # What was taken goes back first: if to help fails, or the next step, these have not.
            if found or kind not in ("plan", "program"):
                return [[np.asarray(v).view(RemoteArray) for v in results] for results in found]
            if kind == "plan":
                self._known.pop(number, None)
                continue
            with self.clock.part(TimeCategory.COMPILING):
                self._send(number, plan, servers, *what)

    def _learn(self, number: Any, plan: ExecutionPlan, seeds: tuple[Any, ...]) -> None:
        if number not in self._known:
            with self.clock.part(TimeCategory.COMPILING):
                self.actor.call("learn", number, without_programs(_travelling(plan))).result()
            self._known[number] = seeds
            self._finalized.watch(plan, number)

    def _forget(self) -> None:
        """Plans that are gone: their numbers may come again."""
        gone = [number for number in self._finalized.taken() if self._known.pop(number, None) is not None]
        if gone:
            self.actor.call("forget", gone).result()

    def _send(self, number: Any, plan: ExecutionPlan, servers: Any, where: Any, shapes: Any) -> None:
        kind, index = where
        if kind == "subprogram":
            specs = [jax.ShapeDtypeStruct(shape, np.dtype(dtype)) for shape, dtype in shapes]
            program = exported(plan.subprograms[index].run, specs)
            self.actor.call("extend", number, index, shapes, program).result()
            return
        arrays, by_rows = shapes
        left = iter(np.broadcast_to(np.zeros((), dtype), shape) for shape, dtype in arrays)
        servers.prepare(index, [SparseGradient(next(left), next(left)) if r else next(left) for r in by_rows])


def _travelling(plan: ExecutionPlan) -> ExecutionPlan:
    """A plan without variables: the worker has seeds of its own, and gets the values of others with every call."""
    seeds = {id(v): Seed(id(v), np.asarray(v.value), id(v._value)) for _, v in plan.seeds if is_seed_state(v)}
    return dataclasses.replace(
        plan,
        inputs=(*plan.inputs, *(n for n, v in plan.seeds if id(v) not in seeds)),
        seeds=tuple((n, seeds[id(v)]) for n, v in plan.seeds if id(v) in seeds),
        kept=tuple((n, seeds[id(v)]) for n, v in plan.kept if id(v) in seeds),
        constants=tuple((n, np.asarray(c)) for n, c in plan.constants),
    )
