"""WorkerTask: the actor of a `worker` task in a job of several processes; it runs plans and reads data."""

import dataclasses
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._base.errors import OutOfRangeError, UnavailableError
from stratagem._core.context import entered
from stratagem._data import ElementIterator
from stratagem._servers.remote._actors import Actor
from stratagem._servers.remote._carried_prefix import CarriedPrefix, LibraryObject, PrefixInputRef
from stratagem._servers.remote._execution_plan import ExecutionPlan, PlanExecution
from stratagem._servers.remote._export import ImportedSubprogram, MissingProgramError, imported, shapes_of
from stratagem._servers.remote._ray_task import RayTask
from stratagem._servers.remote._server import MissingVariableError
from stratagem._servers.remote._task_process import TaskProcess
from stratagem._servers.remote._time_breakdown import TimeCategory
from stratagem._servers.remote._update import SparseGradient, flat
from stratagem._servers.remote._worker import Worker
from stratagem._servers.remote._worker_messages import (
    ElementShapeMismatch,
    LaterStepFailure,
    MissingPlan,
    MissingProgram,
    OtherResults,
    PlanKey,
    StepAnswer,
    StepCall,
    StepId,
    Stop,
)
from stratagem._servers.remote._worker_prefixes import WorkerPrefixes


@dataclass(frozen=True)
class IteratorElementRef:
    """Takes the place of an input: leaf number `leaf` of the next element of an iterator at the worker.

    shape, dtype: those that the coordinator expects.
    """

    iterator: int
    leaf: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class RemoteSeed:
    """A random seed's first value. number identifies the seed; `_value` differs after the seed was set again."""

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
class _SuspendedStep:
    """A step that was interrupted for a missing program.

    pushes: the number of its function's pushes so far, its own included.
    """

    step_id: StepId
    execution: PlanExecution
    pushes: int


@dataclass(frozen=True)
class _StepInput:
    """The values that a plan takes; strings: what the step returns of the host's part."""

    values: Sequence[Any]
    strings: Sequence[Any]


@final
class WorkerTask(RayTask):
    """The worker of a `worker` task: runs plans and reads data."""

    def __init__(self, index: int, servers: Sequence[Actor], prepare: Callable[[], None], process: TaskProcess) -> None:
        super().__init__(prepare, process)
        self._index, self._servers = index, list(servers)
        # One step at a time: a coordinator may give a frozen worker up and call it again while it still runs the old step.
        self._step_lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Drops everything that an older coordinator has left, for a new one."""
        self._worker = Worker(self._index)
        self._plans: dict[PlanKey, ExecutionPlan] = {}
        self._ready: set[Any] = set()
        self._values: dict[int, Any] = {}
        self._pending: dict[int, list[Any]] = {}
        self._seeds: dict[tuple[int, int], RemoteSeed] = {}
        self._interrupted: _SuspendedStep | None = None
        self._prefixes = WorkerPrefixes()

    def learn(self, key: PlanKey, plan: ExecutionPlan) -> None:
        """Adds a plan that `follow` may run; its programs are sent when they are missing."""
        self._plans[key] = dataclasses.replace(
            plan,
            worker_reads=self._shared_seeds(plan.worker_reads),
            worker_writes=self._shared_seeds(plan.worker_writes),
        )

    def forget(self, keys: Sequence[PlanKey]) -> None:
        """Drops plans."""
        with self._step_lock:
            for key in keys:
                self._plans.pop(key, None)

    def learn_prefix(self, number: int, prefix: CarriedPrefix, objects: Mapping[int, LibraryObject]) -> None:
        """Adds a prefix that `follow` may run, and objects that it is the first to use, by their numbers."""
        with self._step_lock:
            self._prefixes.learn(number, prefix, objects)

    def forget_prefixes(self, prefixes: Sequence[int], objects: Sequence[int]) -> None:
        """Drops prefixes, and objects that they use."""
        with self._step_lock:
            self._prefixes.forget(prefixes, objects)

    def _shared_seeds(self, named: Sequence[tuple[Any, RemoteSeed]]) -> tuple[tuple[Any, RemoteSeed], ...]:
        """Returns the seeds with equal ones as one object in all plans, so that all plans advance the same seed."""
        return tuple((n, self._seeds.setdefault((s.number, s._value), s)) for n, s in named)

    def extend(self, key: PlanKey, subprogram: int, shapes: Any, program: bytes) -> None:
        """Adds the program of a plan's subprogram for values of these shapes."""
        run: Any = self._plans[key].subprograms[subprogram].run
        run.programs[shapes] = imported(program)

    def follow(self, call: StepCall) -> StepAnswer:
        """Takes the steps of a call, up to the first that cannot be taken.

        An error is raised by the first step only: of a later one the answer says that it failed, and it is to be called
        again.
        """
        with self._step_lock:
            clock, pushes = self._worker.clock, call.pushes
            clock.drain()  # drops the time between two calls
            self._ready.update(call.ready)
            if not call.use_prefetched:  # empties the buffer: this step may be called again, and may use them by then
                self._worker.prefetch.store(None, {})
            done: list[list[Any]] = []
            stop: Stop | None = None
            with clock.part(TimeCategory.HANDING_OUT):
                while stop is None and len(done) < len(call.closures):
                    remaining, before = call.closures[len(done) :], 0 if done else pushes
                    self._worker.begin(remaining, call.below, call.coordinator, before)
                    self._worker.prefetch.expects_step = call.more_follow or len(remaining) > 1
                    step_id = StepId(call.plan, call.coordinator, remaining[0], before)
                    stop = self._take_step(step_id, call, done, fresh=bool(done) or call.use_prefetched)
            if stop is None:
                pushes = self._worker.pushes
            elif done:
                pushes = 0  # of the next closure
            return StepAnswer(done, pushes, clock.drain(), stop)

    def _take_step(self, step_id: StepId, call: StepCall, done: list[list[Any]], *, fresh: bool) -> Stop | None:
        """Takes one step and adds its results to `done`; returns why if it could not."""
        interrupted, self._interrupted = self._interrupted, None
        plan = self._plans.get(step_id.plan)
        if plan is None:
            return MissingPlan()
        drawn: set[int] = set()
        try:
            given = self._given(step_id, call, drawn)
            if not isinstance(given, _StepInput):
                return given
            values = given.values
            if interrupted is not None and interrupted.step_id == step_id:
                execution, self._worker.pushes = interrupted.execution, interrupted.pushes
            else:
                execution = plan.start(values, self._servers, self._worker, self._check, fresh=fresh)
            try:
                done.append([*execution.finish(), *given.strings])
            except MissingProgramError as missing:  # the step may have pushed already: it is continued, not repeated
                self._interrupted = _SuspendedStep(step_id, execution, self._worker.pushes)
                return MissingProgram(missing.function, missing.shapes)
        except Exception as error:
            if done:
                return (
                    LaterStepFailure()
                )  # the results so far are returned first; called alone, the step raises this again
            if not isinstance(
                error, UnavailableError | MissingVariableError
            ):  # after those, the step is retried with its elements
                self._drop(drawn)
            raise
        self._drop(drawn)
        return None

    def _given(self, step_id: StepId, call: StepCall, drawn: set[int]) -> "_StepInput | Stop":
        """Returns the input of a step, after the host has computed its part; else why the step cannot be taken.

        Adds the iterators from which it has drawn to `drawn`.
        """
        request, run = call.prefix, None
        sent = [*call.inputs, *(() if request is None else request.leaves.values())]
        elements = {x: self._input(x, drawn) for x in sent if isinstance(x, IteratorElementRef)}
        for x, value in elements.items():
            if (tuple(value.shape), str(value.dtype)) != (x.shape, x.dtype):
                return ElementShapeMismatch(x.iterator)
        if request is not None:
            step = (step_id.coordinator, step_id.closure, step_id.pushes)
            with self._worker.clock.part(TimeCategory.INPUT):
                run = self._prefixes.run(
                    step, request, lambda x: elements[x] if isinstance(x, IteratorElementRef) else x
                )
            if run is None:
                return MissingPlan()
            if (found := run.facts) != request.expected:
                return OtherResults(found)
        values = [
            elements[x]
            if isinstance(x, IteratorElementRef)
            else run.input(x)
            if run and isinstance(x, PrefixInputRef)
            else x
            for x in call.inputs
        ]
        return _StepInput(values, [] if run is None or request is None else run.returned(request))

    def _drop(self, drawn: Iterable[int]) -> None:
        """Drops the next elements of these iterators: a step has used them, even if it failed."""
        for iterator in drawn:
            del self._pending[iterator]
        self._prefixes.step_done()

    def make(self, handle: int, function: Callable[[], Any]) -> None:
        """Calls `function` here and stores the result, a dataset for example, under this number."""
        with entered(worker=self._worker):
            self._values[handle] = function()

    def element_spec(self, handle: int) -> Any:
        """Returns the element spec of a dataset."""
        with entered(worker=self._worker):
            return self._values[handle].element_spec

    def iterate(self, handle: int, source: int) -> None:
        """Makes an iterator of the object with the number `source`."""
        with entered(worker=self._worker):
            self._values[handle] = iter(self._values[source])
        self._pending.pop(handle, None)

    def drop(self, handles: Sequence[int]) -> None:
        """Drops the objects with these numbers. Unknown numbers are ignored: they are those of a lost worker."""
        with self._step_lock:
            for handle in handles:
                self._pending.pop(handle, None)
                value = self._values.pop(handle, None)
                # A function that returned an iterator, not a dataset: all iterators of it are this one.
                if isinstance(value, ElementIterator) and not any(value is v for v in list(self._values.values())):
                    value.close()

    def peek(self, handle: int) -> Any:
        """Returns the next element of an iterator without taking it."""
        return self._element(handle)

    def take(self, handle: int) -> Any:
        """Returns the next element of an iterator."""
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
                    f"End of sequence: the iterator of worker:{self._worker.index} has no more elements."
                ) from None
            self._pending[handle] = element
        return self._pending[handle]

    def _input(self, sent: IteratorElementRef, drawn: set[int]) -> Any:
        """Returns the value of a leaf of an element. Adds its iterator to `drawn`."""
        leaves = jax.tree.leaves(self._element(sent.iterator))
        drawn.add(sent.iterator)
        return leaves[sent.leaf]

    def _check(self, number: int, gradients: Sequence[Any]) -> None:
        shapes = shapes_of(flat(gradients))
        if (number, shapes) not in self._ready:
            raise MissingProgramError(("update", number), (shapes, [isinstance(g, SparseGradient) for g in gradients]))


def without_programs(plan: ExecutionPlan) -> ExecutionPlan:
    """Returns a plan as it is sent to a worker: its programs are sent when they are missing."""
    subprograms = tuple(dataclasses.replace(p, run=ImportedSubprogram(i)) for i, p in enumerate(plan.subprograms))
    return dataclasses.replace(plan, subprograms=subprograms)
