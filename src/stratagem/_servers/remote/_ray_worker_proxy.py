"""RayWorkerProxy: a worker in another process, with its iterators and other objects, as the coordinator uses it."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, final

import jax
import numpy as np

from stratagem._base.errors import OutOfRangeError
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import HostPrefix, HostValue, PrefixValues, ReceivedArray, RemoteHost, RemoteIterator
from stratagem._data import to_jax
from stratagem._private import is_seed_state
from stratagem._servers.remote._carried_prefix import CarriedPrefix, LibraryObject
from stratagem._servers.remote._execution_plan import ExecutionPlan
from stratagem._servers.remote._expected_prefixes import ExpectedPrefixes
from stratagem._servers.remote._export import export_program
from stratagem._servers.remote._finalizers import FinalizationQueue
from stratagem._servers.remote._prefetch import PrefetchedValues, StalenessCheck
from stratagem._servers.remote._ray_actors import RayActor
from stratagem._servers.remote._ray_worker_task import IteratorElementRef, RemoteSeed, without_programs
from stratagem._servers.remote._server import MissingVariableError
from stratagem._servers.remote._server_messages import PushId
from stratagem._servers.remote._stand_ins import iterator_of, reference_of, stand_in_for
from stratagem._servers.remote._time_breakdown import TimeBreakdown, TimeCategory
from stratagem._servers.remote._update import SparseGradient
from stratagem._servers.remote._worker_messages import (
    ElementShapeMismatch,
    MissingPlan,
    MissingProgram,
    OtherResults,
    PlanKey,
    StepCall,
)

_handles = itertools.count()


@final
class RayIterator(RemoteIterator):
    """An iterator that lies at a worker, as the coordinator passes it to functions."""

    def __init__(self, worker: "RayWorkerProxy", source: int) -> None:
        """source: the number of the object at the worker that it iterates over."""
        self.handle = worker.number(self)
        self._actor = worker.actor
        self._element: Any = None
        self._actor.call("iterate", self.handle, source).result()

    def peek(self) -> Any:
        if self._element is None:
            self._element = self._actor.call("peek", self.handle).result()
        return self._element

    def forget(self) -> None:
        """Drops the cached element: the next one has other shapes."""
        self._element = None

    def stand_in(self) -> Any:
        leaves, structure = jax.tree.flatten(self.peek())
        return jax.tree.unflatten(structure, [self._leaf_there(i, np.asarray(leaf)) for i, leaf in enumerate(leaves)])

    def _leaf_there(self, leaf: int, like: np.ndarray) -> np.ndarray:
        """Returns the stand-in for a leaf of the next element."""
        reference = IteratorElementRef(self.handle, leaf, tuple(like.shape), str(like.dtype))
        return stand_in_for(like, reference, self)

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
        """Returns the next element. Raises OutOfRangeError if there is none."""
        if current().recorder is not None:
            return next(self)
        return to_jax(self._actor.call("take", self.handle).result())

    def __iter__(self) -> "RayIterator":
        return self


@final
class RemoteResource:
    """An object that a worker has made, such as a dataset. Iterators of it are at the worker, too."""

    def __init__(self, worker: "RayWorkerProxy", function: Any) -> None:
        self._worker, self._handle = worker, worker.number(self)
        worker.actor.call("make", self._handle, function).result()

    @property
    def element_spec(self) -> Any:
        """The element spec of a dataset. Raises AttributeError for an object without one."""
        return self._worker.actor.call("element_spec", self._handle).result()

    def __iter__(self) -> RayIterator:
        return RayIterator(self._worker, self._handle)


@final
class RayWorkerProxy(RemoteHost):
    """A worker in another process. Used by one thread at a time, that of the coordinator which waits for it."""

    numbered: ClassVar[bool] = True  # it runs closures only, whose pushes have numbers

    def __init__(self, index: int, actor: RayActor) -> None:
        self.index, self.actor = index, actor
        # The plans that the worker has. The key is the ids of the plan and of its seeds' values. The seeds are referred to
        # here, so that no other object gets their ids; a plan is removed when it is garbage-collected.
        self._known: dict[Any, tuple[Any, ...]] = {}
        self._finalized = FinalizationQueue()
        self._dropped = (
            FinalizationQueue()
        )  # numbers of objects that it has made; unlike keys of plans, they never come again
        self._ready: set[Any] = set()
        self._prefixes = ExpectedPrefixes()
        self.clock, self.prefetch, self.freshness = TimeBreakdown(), PrefetchedValues(), StalenessCheck()
        self._closures: Sequence[int] = ()
        self._below, self._coordinator = 0, ""
        self._pushes = 0

    def begin(self, closures: Sequence[int], below: int, coordinator: str) -> None:
        """Starts the first of these closures; the others are the same call and may run with it."""
        self._closures, self._pushes = closures, 0
        self._below, self._coordinator = below, coordinator

    def next_push_id(self) -> PushId:
        """Returns the origin of the next push that a function makes outside of steps."""
        self._pushes += 1
        return PushId(self._closures[0], self._pushes, self._below, self._coordinator)

    def number(self, thing: Any) -> int:
        """Returns a new number for an object that the worker is to make.

        The worker drops its object when `thing`, which stands for it here, is garbage-collected. Any thread may call this.
        """
        self._drop()
        handle = next(_handles)
        self._dropped.watch(thing, handle)
        return handle

    def _drop(self) -> None:
        """Lets the worker drop the objects whose counterparts here are gone."""
        dropped = self._dropped.drain()
        if dropped:
            self.actor.call("drop", dropped).result()

    def rejoin(self, seconds: float) -> None:
        """Waits for a process that takes the place of the lost one. It has no plans and objects yet."""
        self._known.clear()
        self._ready.clear()
        self._prefixes.lost()
        self.actor.find(seconds)

    def carries(self, prefix: HostPrefix) -> bool:
        return self._prefixes.carries(prefix)

    def expected(self, prefix: HostPrefix, leaves: Sequence[Any], mesh: ReplicaMesh) -> PrefixValues:
        return self._prefixes.expected(prefix, leaves, mesh)

    def follow(
        self,
        plan: ExecutionPlan,
        inputs: Sequence[Any],
        servers: Any,
        mesh: ReplicaMesh,
        times: int = 1,
        host: PrefixValues | None = None,
        returned: Sequence[HostValue] = (),
    ) -> list[list[Any]]:
        """Lets the worker take up to `times` steps, one for each closure; returns the results of those that it took.

        host: what the worker is expected to compute before each. returned: strings among it that come after a step's results.
        Sends plans, programs and prefixes that the worker lacks. It takes no step if the first element has other shapes than
        its stand-in, or makes results of other kinds.
        """
        others = [v for _, v in plan.worker_reads if not is_seed_state(v)]
        sent = list(map(_sent, inputs))
        sent += [np.asarray(v.value) for v in others]
        seeds = tuple(v._value for _, v in plan.worker_reads if is_seed_state(v))
        key = (id(plan), *map(id, seeds))
        self._forget()
        self._drop()
        # All these steps were scheduled before the first of them begins, which is now. So each later one may use the values
        # that the step before it has prefetched.
        fresh, expects_step = self.freshness.begin_step(servers.change_count), self.prefetch.expects_step
        while True:
            self._learn(key, plan, seeds)
            request = None if host is None else self._prefixes.request(host, returned, _sent, self._send_prefix)
            ready = servers.ready
            call = StepCall(
                key,
                sent,
                request,
                self._closures[:times],
                self._below,
                self._coordinator,
                self._pushes,
                ready - self._ready,
                use_prefetched=fresh,
                more_follow=expects_step,
            )
            try:
                answer = self.actor.call("follow", call).result()
            except MissingVariableError:
                raise  # the step is taken again, and its pushes get the same numbers
            except Exception:
                self._pushes += plan.max_pushes  # a function that goes on makes other pushes: they need other numbers
                raise
            self._pushes, stop = answer.pushes, answer.stop
            self._ready |= ready
            self.clock.add_remote(answer.seconds)
            self.clock.steps += len(answer.results)
            iterators = _iterators(inputs, host)
            if isinstance(stop, ElementShapeMismatch):
                iterators[stop.iterator].forget()
            if isinstance(stop, OtherResults):
                assert host is not None, "only a request for a prefix has results"
                self._prefixes.found(host, stop.facts)
                for iterator in iterators.values():  # a trace of the step computes with its next element
                    iterator.forget()
            # Results are returned at once: an error below, or of the next step, must not count against these steps.
            if answer.results or not isinstance(stop, MissingPlan | MissingProgram):
                return [list(map(_received, results)) for results in answer.results]
            if isinstance(stop, MissingPlan):
                self._known.pop(key, None)
                self._prefixes.lost()
                continue
            with self.clock.part(TimeCategory.COMPILING):
                self._send(key, plan, servers, stop)

    def _learn(self, key: PlanKey, plan: ExecutionPlan, seeds: tuple[Any, ...]) -> None:
        if key not in self._known:
            with self.clock.part(TimeCategory.COMPILING):
                self.actor.call("learn", key, without_programs(_without_variables(plan))).result()
            self._known[key] = seeds
            self._finalized.watch(plan, key)

    def _forget(self) -> None:
        """Lets the worker drop plans that were garbage-collected here, for their ids may be used again."""
        gone = [key for key in self._finalized.drain() if self._known.pop(key, None) is not None]
        if gone:
            self.actor.call("forget", gone).result()
        prefixes, objects = self._prefixes.dropped()
        if prefixes or objects:
            self.actor.call("forget_prefixes", prefixes, objects).result()

    def _send_prefix(self, number: int, prefix: CarriedPrefix, objects: dict[int, LibraryObject]) -> None:
        with self.clock.part(TimeCategory.COMPILING):
            self.actor.call("learn_prefix", number, prefix, objects).result()

    def _send(self, key: PlanKey, plan: ExecutionPlan, servers: Any, missing: MissingProgram) -> None:
        """Sends a missing program: of a subprogram to the worker, of an update to its server."""
        (kind, index), shapes = missing.function, missing.shapes
        if kind == "subprogram":
            specs = [jax.ShapeDtypeStruct(shape, np.dtype(dtype)) for shape, dtype in shapes]
            program = export_program(plan.subprograms[index].run, specs)
            self.actor.call("extend", key, index, shapes, program).result()
            return
        arrays, by_rows = shapes
        zeros = iter(np.broadcast_to(np.zeros((), dtype), shape) for shape, dtype in arrays)
        servers.prepare(index, [SparseGradient(next(zeros), next(zeros)) if r else next(zeros) for r in by_rows])


def _sent(value: Any) -> Any:
    """Returns a value as it goes to the worker: what names it there, if the worker has it."""
    reference = reference_of(value)
    return np.asarray(value) if reference is None else reference


def _received(value: Any) -> Any:
    """Returns a result of a step as it is handed on; strings are as they come."""
    array = np.asarray(value)
    return value if array.dtype == object else array.view(ReceivedArray)


def _iterators(inputs: Sequence[Any], host: PrefixValues | None) -> dict[int, RayIterator]:
    """Returns the iterators, by their numbers, whose elements a step takes."""
    leaves = [*inputs, *(() if host is None else host.leaves)]
    return {found.handle: found for found in map(iterator_of, leaves) if found is not None}


def _without_variables(plan: ExecutionPlan) -> ExecutionPlan:
    """Returns a plan without variables: the worker holds the seeds, and values of other variables are inputs of every call."""
    seeds = {
        id(v): RemoteSeed(id(v), np.asarray(v.value), id(v._value)) for _, v in plan.worker_reads if is_seed_state(v)
    }
    return dataclasses.replace(
        plan,
        inputs=(*plan.inputs, *(n for n, v in plan.worker_reads if id(v) not in seeds)),
        worker_reads=tuple((n, seeds[id(v)]) for n, v in plan.worker_reads if id(v) in seeds),
        worker_writes=tuple((n, seeds[id(v)]) for n, v in plan.worker_writes if id(v) in seeds),
        constants=tuple((n, np.asarray(c)) for n, c in plan.constants),
    )
