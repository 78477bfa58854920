"""GraphEffects: what the operations of a graph assign, kept apart until a session runs them."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

from stratagem._core.step import GraphCapture, GraphPart, Writes


@final
@dataclass(frozen=True)
class OperationEffects:
    """The effects of an operation, with those of all that it depends on.

    hosts: the functions that a session calls before its step. equations: the numbers of those of the graph with an effect.
    """

    operation: Any
    result: Any
    writes: Writes
    hosts: list[Any]
    equations: frozenset[int]


@final
class GraphEffects:
    """The effects of a graph's operations.

    A graph has no state of its own: every run begins with the variables' values before it. So an operation is run in the
    trace when something needs its result, and what it has assigned is taken back; a run in a session takes these assignments,
    and those of all other operations that it needs, as what it does.
    """

    def __init__(self, capture: GraphCapture) -> None:
        self.capture = capture
        self._known: dict[int, OperationEffects] = {}
        self._run: dict[int, Any] | None = None
        self._hosts: list[Any] = []
        self._equations: set[int] = set()
        self._after: dict[Any, tuple[Any, ...]] = {}

    @property
    def idle(self) -> bool:
        """True unless a run of a session is being put together."""
        return self._run is None

    def made(self, variable: Any, operations: Sequence[Any]) -> None:
        """Notes that a value of the graph was computed where it depends on operations."""
        self._after[variable] = (*self._after.get(variable, ()), *operations)

    def run(self, operation: Any, building: Any) -> Any:
        """Returns an operation's result in the run that is put together; outside of one, keeps what it does apart."""
        if self._run is None:
            return self._apart(operation, building).result
        if id(operation) in self._run:
            return self._run[id(operation)]
        for other in operation.dependencies:
            self.run(other, building)
        known = self._known.get(id(operation))
        if known is None:
            number = self.capture.recorder.count()
            with self._acting(building):
                self._run[id(operation)] = operation.act()
            self._equations.update(self.capture.recorder.effects_since(number))
        else:
            self._take(known.writes)
            self._hosts += known.hosts
            self._equations |= known.equations
            self._run[id(operation)] = known.result
        return self._run[id(operation)]

    def on_host(self, function: Any) -> Any:
        """Lets a session that runs what is being run call function(session, feeds) before its step. Returns the function."""
        self._hosts.append(function)
        return function

    @contextlib.contextmanager
    def applied(self, operations: Sequence[Any], building: Any) -> Iterator[None]:
        """In the body, variables have the values that these operations give them."""
        writes = [self._apart(operation, building).writes for operation in operations] if self._run is None else []
        with self.capture.recorder.undoing_assignments(_none):
            for each in writes:
                self._take(each)
            yield

    def part(
        self, tensors: Sequence[Any], operations: Sequence[Any], fed: Sequence[Any], building: Any
    ) -> tuple[GraphPart, list[Any], list[Any]]:
        """Returns what a run does that computes `tensors` and runs `operations`, their results, and what the host does first.

        The results of the part are the tensors, and after them the operations' results that are tensors.
        """
        recorder = self.capture.recorder
        with self.capture.entered(), recorder.undoing_assignments(_none):
            self._run, self._hosts, self._equations = {}, [], set()
            try:
                results = [self.run(operation, building) for operation in operations]
                outs = [*tensors, *(r for r in results if self.capture.holds(r))]
                while True:
                    part = self.capture.part(outs, fed, self._writes(), self._equations)
                    needed = [op for v in self.capture.made_in(part) for op in self._after.get(v, ())]
                    if not (more := [op for op in needed if id(op) not in self._run]):
                        return part, results, self._hosts
                    for operation in more:
                        self.run(operation, building)
            finally:
                self._run = None

    def _apart(self, operation: Any, building: Any) -> "OperationEffects":
        if id(operation) not in self._known:
            with self.capture.entered(), self.capture.recorder.undoing_assignments(_none):
                hosts: list[Any] = []
                equations: set[int] = set()
                for other in operation.dependencies:
                    known = self._apart(other, building)
                    self._take(known.writes)
                    hosts += known.hosts
                    equations |= known.equations
                self._hosts = []
                number = self.capture.recorder.count()
                with self._acting(building):
                    result = operation.act()
                equations.update(self.capture.recorder.effects_since(number))
                self._known[id(operation)] = OperationEffects(
                    operation, result, self._writes(), [*hosts, *self._hosts], frozenset(equations)
                )
        return self._known[id(operation)]

    @contextlib.contextmanager
    def _acting(self, building: Any) -> Iterator[None]:
        recorder = self.capture.recorder
        before, recorder.assigning = recorder.assigning, True
        try:
            with building.acting():
                yield
        finally:
            recorder.assigning = before

    def _take(self, writes: Writes) -> None:
        recorder = self.capture.recorder
        for key, (_, value, line) in writes.items():
            recorder.values[key], recorder.written[key] = value, line

    def _writes(self) -> Writes:
        recorder = self.capture.recorder
        return {key: (recorder.variables[key], recorder.values[key], line) for key, line in recorder.written.items()}


def _none(variable: Any) -> bool:
    return False
