"""What runs at a `worker` task of a job of several processes: it follows plans, and reads data."""

import dataclasses
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._base.errors import OutOfRangeError, UnavailableError
from stratagem._core.context import entered
from stratagem._data import ElementIterator
from stratagem._servers.remote._actors import Actor
from stratagem._servers.remote._execution_plan import ExecutionPlan, PlanExecution
from stratagem._servers.remote._export import ExportedSubprogram, Missing, imported, shapes_of
from stratagem._servers.remote._ray_task import RayTask
from stratagem._servers.remote._server import NotHereError
from stratagem._servers.remote._time_breakdown import TimeCategory
from stratagem._servers.remote._update import SparseGradient, flat
from stratagem._servers.remote._worker import Worker

Seconds = tuple[tuple[TimeCategory, float], ...]
# Why a worker takes no step: what is missing ("plan", "shapes", "program"), and which; or an "error".
Stop = tuple[str, Any]


@dataclass(frozen=True)
class Drawn:
    """In place of an argument: leaf number `leaf` of the next element of an iterator that the worker has.

    shape, dtype: what the coordinator takes it for.
    """

    iterator: int
    leaf: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Seed:
    """A random seed's first value, and a number for it; another `_value` when the seed was set anew."""

    number: int
    value: Any
    _value: int
    _same_on_replicas: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)

    @property
    def _dtype(self) -> str:
        return str(self.value.dtype)


@dataclass(frozen=True)
class _Stopped:
    """A step that has stopped for a missing program, after so many pushes of its function, its own included."""

    place: tuple[Any, str, int, int]
    step: PlanExecution
    pushes: int


@final
class WorkerTask(RayTask):
    """The worker of a `worker` task: follows plans, and reads data."""

    def __init__(self, index: int, servers: Sequence[Actor], prepare: Callable[[], None]) -> None:
        super().__init__(prepare)
        self._index, self._servers = index, list(servers)
        # A coordinator that has given this worker up, for it was frozen, may come back while it still takes the old step.
        self._one_step = threading.Lock()
        self.begin_anew()

    def begin_anew(self) -> None:
        """A coordinator comes: whatever an older one has left here is of no use any more."""
        self._worker = Worker(self._index)
        self._plans: dict[Any, ExecutionPlan] = {}
        self._ready: set[Any] = set()
        self._values: dict[int, Any] = {}
        self._pending: dict[int, list[Any]] = {}
        self._seeds: dict[tuple[int, int], Seed] = {}
        self._stopped: _Stopped | None = None

    def learn(self, number: Any, plan: ExecutionPlan) -> None:
        """A plan that `follow` may ask for; its programs come when they are missing."""
        self._plans[number] = dataclasses.replace(plan, seeds=self._own(plan.seeds), kept=self._own(plan.kept))

    def forget(self, numbers: Sequence[Any]) -> None:
        """Recipes that nobody asks for any more."""
        with self._one_step:
            for number in numbers:
                self._plans.pop(number, None)

    def _own(self, named: Sequence[tuple[Any, Seed]]) -> tuple[tuple[Any, Seed], ...]:
        """The same seed is the same object in all plans: the worker goes on where any of them has stopped."""
        return tuple((n, self._seeds.setdefault((s.number, s._value), s)) for n, s in named)

    def extend(self, number: Any, subprogram: int, shapes: Any, program: bytes) -> None:
        """The program of a plan's subprogram for values of these shapes."""
        run: Any = self._plans[number].subprograms[subprogram].run
        run.programs[shapes] = imported(program)

    def follow(
        self,
        number: Any,
        inputs: Sequence[Any],
        origin: tuple[Sequence[int], int, str, int],
        ready: Any,
        ahead: tuple[bool, bool],
    ) -> tuple[list[list[Any]], int, Seconds, Stop | None]:
        """Take a step for each of the closures of `origin` (which is as `Worker.begin` takes it).

        Returns the results of those that it has taken, how often the last one (or, after a stop, the next one before it was
        tried) has pushed, seconds by part and, if something has to come before the next one, what. An error is raised by the
        first alone: of others it says that they are to be asked for again.

        ready: updates with shapes of gradients that their servers have programs for. ahead: whether the first step may use
        what its last push brought, and whether another one is likely to follow at once.
        """
        with self._one_step:
            clock, (closures, below, coordinator, pushes) = self._worker.clock, origin
            clock.taken()  # what has passed between two steps
            self._ready.update(ready)
            if not ahead[0]:  # nor may any later one, if this one begins again
                self._worker.prefetched.keep(None, {})
            done: list[list[Any]] = []
            stop: Stop | None = None
            with clock.part(TimeCategory.HANDING_OUT):
                while stop is None and len(done) < len(closures):
                    before = 0 if done else pushes
                    self._worker.begin(closures[len(done) :], below, coordinator, before)
                    self._worker.prefetched.more = ahead[1] or len(done) + 1 < len(closures)
                    place = (number, coordinator, closures[len(done)], before)
                    stop = self._take_step(place, inputs, done, fresh=bool(done) or ahead[0])
            if stop is None:
                pushes = self._worker.pushes
            elif done:
                pushes = 0  # of the next closure
            return done, pushes, tuple(clock.taken().items()), stop

    def _take_step(
        self, place: tuple[Any, str, int, int], inputs: Sequence[Any], done: list[list[Any]], *, fresh: bool
    ) -> Stop | None:
        """One more step, whose results are added to `done`; or why it could not be taken.

        place: the plan's number, and where in the coordinator's functions the step is: as it is asked for again.
        """
        stopped, self._stopped = self._stopped, None
        plan = self._plans.get(place[0])
        if plan is None:
            return "plan", None
        drawn: set[int] = set()
        try:
            values = [self._input(x, drawn) for x in inputs]
            for x, value in zip(inputs, values, strict=True):
                if isinstance(x, Drawn) and (tuple(value.shape), str(value.dtype)) != (x.shape, x.dtype):
                    return "shapes", x.iterator
            if stopped is not None and stopped.place == place:
                step, self._worker.pushes = stopped.step, stopped.pushes
            else:
                step = plan.begun(values, self._servers, self._worker, self._check, fresh=fresh)
            try:
                done.append(step.finish())
            except Missing as missing:  # it may have sent something already: it is not taken again, but goes on
                self._stopped = _Stopped(place, step, self._worker.pushes)
                return "program", (missing.where, missing.shapes)
        except Exception as error:
            if done:
                return "error", None  # the results so far go first; asked for this step alone, it raises it again
            if not isinstance(error, UnavailableError | NotHereError):  # else it was not the elements' fault
                self._drop(drawn)
            raise
        self._drop(drawn)
        return None

    def _drop(self, drawn: Iterable[int]) -> None:
        """The next elements of these iterators are used, if only by a step that failed."""
        for iterator in drawn:
            del self._pending[iterator]

    def make(self, handle: int, function: Callable[[], Any]) -> None:
        """What `function` makes here, a data set say, under this number."""
        with entered(worker=self._worker):
            self._values[handle] = function()

    def element_spec(self, handle: int) -> Any:
        """What the elements of a data set look like."""
        with entered(worker=self._worker):
            return self._values[handle].element_spec

    def iterate(self, handle: int, source: int) -> None:
        """An iterator of what has the number `source`."""
        with entered(worker=self._worker):
            self._values[handle] = iter(self._values[source])
        self._pending.pop(handle, None)

    def drop(self, handles: Sequence[int]) -> None:
        """Forget what has these numbers. (A worker that took another's place has none of them.)"""
        with self._one_step:
            for handle in handles:
                self._pending.pop(handle, None)
                value = self._values.pop(handle, None)
                # A function that makes an iterator, not a data set, has one for all who iterate over it.
                if isinstance(value, ElementIterator) and not any(value is v for v in list(self._values.values())):
                    value.close()

    def peek(self, handle: int) -> Any:
        """The next element of an iterator, which stays the next."""
        return self._element(handle)

    def take(self, handle: int) -> Any:
        """The next element of an iterator."""
        element = self._element(handle)
        del self._pending[handle]
        return element

    def _element(self, handle: int) -> Any:
        if handle not in self._pending:
            try:
                with entered(worker=self._worker), self._worker.clock.part(TimeCategory.INPUT):
                    iterator = self._values[handle]
                    element = iterator.next_for_program() if hasattr(iterator, "next_for_program") else next(iterator)
            except StopIteration:
                raise OutOfRangeError(
                    f"End of sequence: the iterator of worker {self._worker.index} has no more elements."
                ) from None
            self._pending[handle] = element
        return self._pending[handle]

    def _input(self, sent: Any, drawn: set[int]) -> Any:
        """What an input stands for. drawn: gets the iterator that was drawn from."""
        if not isinstance(sent, Drawn):
            return sent
        leaves = jax.tree.leaves(self._element(sent.iterator))
        drawn.add(sent.iterator)
        return leaves[sent.leaf]

    def _check(self, number: int, gradients: Sequence[Any]) -> None:
        shapes = shapes_of(flat(gradients))
        if (number, shapes) not in self._ready:
            raise Missing(("update", number), (shapes, [isinstance(g, SparseGradient) for g in gradients]))


def without_programs(plan: ExecutionPlan) -> ExecutionPlan:
    """A plan as it goes to a worker: its programs follow when they are missing."""
    subprograms = tuple(dataclasses.replace(p, run=ExportedSubprogram(i)) for i, p in enumerate(plan.subprograms))
    return dataclasses.replace(plan, subprograms=subprograms)
