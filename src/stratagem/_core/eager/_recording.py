"""EagerRecorder: computes operations for the eager tapes of a thread; EagerRecording: what one of them has recorded."""

import contextlib
import itertools
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import jax.numpy as jnp
import keras

from stratagem._base.errors import TapeError
from stratagem._core.context import current
from stratagem._core.eager._connections import is_inexact
from stratagem._core.eager._recorded_operations import (
    NotDifferentiable,
    Number,
    PythonReverseOperation,
    RecordedOperation,
    residuals_of,
)
from stratagem._core.eager._rules import CompiledDerivative, rule_for
from stratagem._core.eager._tangent_recording import TangentRecording
from stratagem._core.eager._tape_recording import TapeRecording
from stratagem._core.roles import StepRecorder
from stratagem._private import (
    EagerOperation,
    KerasVariable,
    OutsideOfTraces,
    RecordingTrace,
    abstract_value,
    current_recording,
    end_recording,
    in_stateless_scope,
    new_recording,
    note_read,
    present_value,
    resume_recording,
    twin,
)

AnyOperation = RecordedOperation | PythonReverseOperation | NotDifferentiable

_numbers = itertools.count(1)


@final
class EagerRecorder:
    """Computes operations at once and notes them for the tapes that are open in this thread.

    Values are recognised by identity: a value has a number as long as it lives.
    """

    def __init__(self) -> None:
        self._recordings: list[EagerRecording] = []
        self.accumulators: list[TangentRecording] = []
        self._open = 0
        self.is_paused = False
        self._known: dict[int, tuple[Any, Number]] = {}
        self._read: dict[int, tuple[Any, Any, Any]] = {}
        self._stored: dict[int, tuple[Any, Any, Any]] = {}

    def enter(self) -> None:
        """Notes that a tape's block begins."""
        self._open += 1

    def leave(self) -> bool:
        """Notes that a tape's block ends; returns whether it was the last one."""
        self._open -= 1
        return self._open == 0

    def open(self, recording: "EagerRecording") -> None:
        """Notes operations for a tape from now on."""
        self._recordings.append(recording)

    def close(self, recording: "EagerRecording") -> None:
        """Notes nothing for a tape any more."""
        if recording in self._recordings:
            self._recordings.remove(recording)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Notes nothing in the body, for any tape. What the body is computed from is kept, to compute it again."""
        before = self._recordings, self.accumulators, self.is_paused
        self._recordings, self.accumulators, self.is_paused = [], [], True
        try:
            yield
        finally:
            self._recordings, self.accumulators, self.is_paused = before

    def number(self, value: Any) -> Number | None:
        """Returns the number of a value; None if it has none."""
        found = self._known.get(id(value))
        return None if found is None else found[1]

    def known(self, value: Any) -> Number:
        """Returns the number of a value, which gets one if it has none."""
        key = id(value)
        found = self._known.get(key)
        if found is None:
            known = self._known
            found = known[key] = (_reference(value, lambda _: known.pop(key, None)), next(_numbers))
        return found[1]

    def run(self, operation: EagerOperation, operands: Sequence[Any]) -> Any:
        """Computes an operation on the trace below; notes it for the tapes that track one of its operands."""
        numbers = [self.number(x) for x in operands]
        tracking = [r for r in self._recordings if any(map(r.tracks, numbers))]
        pushing = [a for a in self.accumulators if any(map(a.tracks, numbers))]
        if not tracking and not pushing:
            return operation.compute(*operands)
        asking = [r.tracks for r in tracking] + [a.tracks for a in pushing]
        which = tuple(i for i, n in enumerate(numbers) if n is not None and any(tracks(n) for tracks in asking))
        try:
            rule = rule_for(operation, operands, which)
        except ValueError as error:
            if "do not support JVP" not in str(error):  # as JAX says of its callbacks
                raise
            return self._refused(operation, operands, str(error))
        made = rule.forward(*operands)
        if not rule.connected:
            self._track_unconnected(rule, made, tracking)
            return made[0] if rule.single else list(made[: rule.results])
        keep = len(self._recordings) > 1 or bool(self.accumulators) or any(r.persistent for r in tracking)
        recorded = RecordedOperation(
            rule,
            tuple(n for i in rule.connected if (n := numbers[i]) is not None),
            tuple(self.known(r) if ok else None for r, ok in zip(made, rule.inexact, strict=False)),
            tuple(map(abstract_value, made[: rule.results])),
            residuals_of(rule, operands, made),
            operands if keep else None,
        )
        for recording in tracking:
            recording.add(recorded)
        for accumulator in pushing:
            with self._below(accumulator):
                accumulator.push(operation, rule, rule.connected, operands, made)
        return made[0] if rule.single else list(made[: rule.results])

    @contextlib.contextmanager
    def _below(self, accumulator: TangentRecording) -> Iterator[None]:
        """In the body, only the accumulators that were opened before this one push tangents forward."""
        before = self.accumulators
        self.accumulators = before[: before.index(accumulator)]
        try:
            yield
        finally:
            self.accumulators = before

    def _refused(self, operation: EagerOperation, operands: Sequence[Any], reason: str) -> Any:
        """Computes an operation without a reverse: only a gradient through it is an error."""
        found = operation.compute(*operands)
        results = found if isinstance(found, list | tuple) else [found]
        self.refuse(results, f"gradient: the target depends on an operation that JAX cannot differentiate: {reason}")
        return found

    def _track_unconnected(
        self, rule: CompiledDerivative, made: Sequence[Any], tracking: "list[EagerRecording]"
    ) -> None:
        """Tracks results without a gradient: they may be sources for what follows."""
        if not rule.stops:
            for recording in tracking:
                recording.tracked.update(self.known(r) for r, ok in zip(made, rule.inexact, strict=False) if ok)

    def note_call(
        self,
        operands: Sequence[Any],
        results: Sequence[Any],
        reverse: Callable[[Sequence[Any]], Sequence[Any]],
        computed: Sequence[Any] = (),
    ) -> None:
        """Notes what Python computed: from the cotangents of `results`, `reverse` returns those of `operands`.

        computed: the same results, as operations have made them that were noted, too.
        """
        numbers = [self.number(x) for x in operands]
        tracking = [r for r in self._recordings if any(map(r.tracks, numbers))]
        if tracking and not all(any(r is x for x in operands) for r in results):
            known = tuple(map(self.known, operands))
            call = PythonReverseOperation(
                known, tuple(self.known(r) if is_inexact(r) else None for r in results), reverse
            )
            for recording in tracking:
                recording.add(call)
        for accumulator in list(self.accumulators):
            if any(accumulator.tracks(self.number(c)) for c in computed):
                accumulator.share(computed, results)
            elif any(map(accumulator.tracks, numbers)):
                with self._below(accumulator):
                    accumulator.push_call(operands, results, reverse)

    def refuse(self, results: Sequence[Any], message: str) -> None:
        """Notes that these results cannot be differentiated here: a gradient of them is a TapeError with this message."""
        refused = NotDifferentiable(tuple(self.known(r) for r in results if is_inexact(r)), message)
        for recording in self._recordings:
            recording.add(refused)
        for accumulator in self.accumulators:
            accumulator.refuse([n for n in refused.made if n is not None], message)

    def forget_variables(self) -> None:
        """Drops the values of variables, unless a tape's block is still open."""
        if self._open == 0:
            self._read.clear()
            self._stored.clear()

    def tracks(self, operands: Sequence[Any]) -> bool:
        """Returns whether a tape tracks one of these values."""
        numbers = [self.number(x) for x in operands]
        return any(r.tracks(n) for r in self._everyone for n in numbers if n is not None)

    @property
    def _everyone(self) -> "tuple[EagerRecording | TangentRecording, ...]":
        return (*self._recordings, *self.accumulators)

    def read_stored(self, variable: keras.Variable, array: Any) -> Any:
        """Returns what a program reads for a variable that stores `array`: a copy if a tape watches the variable.

        The tape may need the array when a later step has been given its buffer.
        """
        if not is_inexact(array) or not any(r.watches(variable) for r in self._everyone):
            note_read(variable, array)
            return array
        found = self._stored.get(id(variable))
        if found is None or found[1] is not array:
            found = self._stored[id(variable)] = (variable, array, jnp.copy(array))
        for recording in self._everyone:
            recording.note_value(variable, found[2])
        note_read(variable, found[2])
        return found[2]

    def read(self, variable: keras.Variable, value: Callable[[], Any]) -> Any:
        """Returns an object that stands for a variable's present value, the same until another value is stored.

        value: returns the value, if it was not read before.
        """
        stored = variable._value
        found = self._read.get(id(variable))
        if found is None or found[1] is not stored:
            found = self._read[id(variable)] = (variable, stored, twin(value()))
        for recording in self._everyone:
            recording.note_value(variable, found[2])
        return found[2]

    def note_scoped(self, variable: keras.Variable, value: Any) -> None:
        """Notes what a variable was read as in the scope of a step."""
        for recording in self._everyone:
            recording.note_value(variable, value)

    def value_of(self, variable: keras.Variable) -> Any:
        """Returns the object that stands for a variable's present value. It counts as read before the present code."""
        if in_stateless_scope():
            with self.paused():
                return present_value(variable)
        found = self._read.get(id(variable))
        if found is None or found[1] is not variable._value:
            with OutsideOfTraces():
                value = variable.value
            found = self._read[id(variable)] = (variable, variable._value, twin(value))
        return found[2]


def _reference(value: Any, dropped: Callable[[Any], Any]) -> Any:
    """Returns a weak reference; the value itself if it is of a kind that has none."""
    try:
        return weakref.ref(value, dropped)
    except TypeError:
        return value


@final
class EagerRecording(TapeRecording):
    """The recording of one tape, of operations that ran at once."""

    def __init__(self, watches: Callable[[keras.Variable], bool], *, persistent: bool) -> None:
        """watches: whether a variable that is read is tracked. persistent: other tapes may differentiate its gradients."""
        self.persistent = persistent
        self._step = _step()
        self.tracked: set[Number] = set()
        self._watches = watches
        self._versions: dict[int, dict[Number, Any]] = {}
        self._targets: dict[int, dict[Number, Any]] = {}
        self._read: Counter[int] = Counter()
        self._variables: dict[int, Any] = {}
        self._operations: list[AnyOperation] = []
        trace = current_recording() or new_recording(EagerRecorder())
        self._trace, self._recorder = trace, recorder_of(trace)
        self._begin()

    # --- Recording ----------------------------------------------------------------------------------------------------

    def tracks(self, number: Number | None) -> bool:
        """Returns whether the value with this number depends on a watched one."""
        return number in self.tracked

    def add(self, operation: AnyOperation) -> None:
        """Adds an operation that has a tracked operand."""
        self._operations.append(operation)
        self.tracked.update(n for n in operation.made if n is not None)

    def note_value(self, variable: keras.Variable, value: Any) -> None:
        """Notes what a variable was read as."""
        self._read[id(variable)] += 1
        if self.watches(variable):
            self._track(variable, value)

    def watches(self, variable: keras.Variable) -> bool:
        """Returns whether what is computed from a variable is recorded."""
        return id(variable) in self._versions or self._watches(variable)

    def _track(self, variable: Any, value: Any) -> None:
        number = self._recorder.known(value)
        self.tracked.add(number)
        self._variables[id(variable)] = variable
        self._versions.setdefault(id(variable), {})[number] = value

    def check(self, what: str) -> None:
        if _step() is not self._step:
            raise TapeError(
                f"tape.{what} is called in a compiled step, but the tape was opened outside of it. Open and use a tape in the "
                "same function, or call tape.gradient outside."
            )

    def again(self) -> bool:
        """Begins to record again after the end of a block; returns False if nothing can be added to this recording."""
        if _step() is not self._step or (current_recording() or self._trace) is not self._trace:
            return False
        self._begin()
        return True

    def close(self, failed: bool) -> None:
        self._recorder.close(self)
        if self._recorder.leave():
            end_recording(self._trace)

    def _begin(self) -> None:
        if current_recording() is None:
            resume_recording(self._trace)
        self._recorder.enter()
        self._recorder.open(self)

    def watch(self, leaf: Any) -> None:
        if isinstance(leaf, KerasVariable):
            self._track(leaf, self._recorder.value_of(leaf))
        else:
            self.tracked.add(self._recorder.known(leaf))

    def pause(self) -> None:
        self._recorder.close(self)

    def resume(self) -> None:
        self._recorder.open(self)

    def reset(self) -> None:
        self._drop()
        self._variables.clear()

    def stop(self) -> None:
        """Records nothing any more, and drops all that is recorded."""
        self._recorder.close(self)
        self._recorder.forget_variables()
        self._drop()

    def _drop(self) -> None:
        self._operations, self.tracked = [], set()
        self._versions.clear()
        self._targets.clear()
        self._read.clear()

    def times_read(self, variable: keras.Variable) -> int:
        return self._read[id(variable)]

    def variables(self) -> list[keras.Variable]:
        return list(self._variables.values())

    # --- Differentiation ----------------------------------------------------------------------------------------------

    def target(self, leaf: Any) -> Any:
        if not isinstance(leaf, KerasVariable):
            return jnp.asarray(leaf)
        # As in TensorFlow, the tape reads it now, also one that it does not watch: its gradient by itself is one.
        value = self._recorder.value_of(leaf)
        self._targets.setdefault(id(leaf), {})[self._recorder.known(value)] = value
        return value

    def gradients(
        self,
        targets: Sequence[Any],
        seeds: Sequence[Any],
        sources: Sequence[Any],
        rows: int | None,
    ) -> list[list[Any]]:
        groups = [self._numbers_of(source) for source in sources]
        wanted = {n for group in groups for n in group}
        path, live = self._path(wanted)
        cotangents: dict[Number, Any] = {}

        def add(number: Number, value: Any) -> None:
            cotangents[number] = cotangents[number] + value if number in cotangents else value

        for i, target in enumerate(targets):
            number = self._recorder.number(target)
            if number in live:
                add(number, seeds[i] if seeds else jnp.ones_like(target))
        kept: dict[Number, Any] = {}
        for operation in reversed(path):
            given = [None if n is None else cotangents.pop(n, None) for n in operation.made]
            if all(g is None for g in given):
                continue
            kept.update((n, g) for n, g in zip(operation.made, given, strict=True) if n in wanted and g is not None)
            for number, value in zip(operation.operands, operation.pull(given, rows), strict=True):
                if value is not None:
                    add(number, value)
        found = kept | cotangents
        return [[found[n] for n in group if n in found] for group in groups]

    def _numbers_of(self, source: Any) -> list[Number]:
        if isinstance(source, KerasVariable):
            return list(self._versions.get(id(source), {}) | self._targets.get(id(source), {}))
        number = self._recorder.number(source)
        return [] if number is None or number not in self.tracked else [number]

    def _path(self, sources: set[Number]) -> tuple[list[AnyOperation], set[Number]]:
        """Returns the operations that depend on the sources, and the numbers of what they and the sources are."""
        live, path = set(sources), []
        for operation in self._operations:
            if isinstance(operation, NotDifferentiable) or not live.isdisjoint(operation.operands):
                path.append(operation)
                live.update(n for n in operation.reached(live) if n is not None)
        return path, live


def recorder_of(trace: RecordingTrace) -> EagerRecorder:
    """Returns the recorder of a trace, which is one of eager tapes."""
    recorder = trace.recorder
    assert isinstance(recorder, EagerRecorder)
    return recorder


def open_recorder() -> EagerRecorder | None:
    """Returns the recorder of the eager tapes that record the present code, or None."""
    trace = current_recording()
    return None if trace is None else recorder_of(trace)


def _step() -> StepRecorder | None:
    """Returns the recorder of the compiled step that the present code is in, or None."""
    recorder = current().recorder
    return None if recorder is None else recorder.scope
