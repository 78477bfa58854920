"""ForwardTangents: the tangents of values, pushed forward through every operation as it is computed."""

from collections.abc import Callable, Sequence
from typing import Any, final

import jax.numpy as jnp
import keras

from stratagem._base.errors import TapeError
from stratagem._core.eager._connections import is_inexact
from stratagem._core.eager._recorded_operations import Number
from stratagem._core.eager._recording import EagerRecorder, EagerRecording, recorder_of
from stratagem._core.eager._rules import CompiledDerivative
from stratagem._core.eager._tangent_recording import TangentRecording
from stratagem._private import (
    EagerOperation,
    KerasVariable,
    current_recording,
    end_recording,
    new_recording,
    resume_recording,
)


@final
class ForwardTangents(TangentRecording):
    """The tangents of one `tf.autodiff.ForwardAccumulator`, from the time when it is made to `close`.

    They are computed by the recorder, so that tapes and the accumulators that were opened earlier differentiate them.
    """

    def __init__(self, primals: Sequence[Any], tangents: Sequence[Any]) -> None:
        trace = current_recording() or new_recording(EagerRecorder())
        self._trace, self._recorder = trace, recorder_of(trace)
        self._tangents: dict[Number, Any] = {}
        self._refused: dict[Number, str] = {}
        self._of_variables = {
            id(p): (p, t) for p, t in zip(primals, tangents, strict=True) if isinstance(p, KerasVariable)
        }
        self._primals = list(primals)  # keeps their numbers
        if current_recording() is None:
            resume_recording(trace)
        self._recorder.enter()
        self._recorder.accumulators.append(self)
        for primal, tangent in zip(primals, tangents, strict=True):
            value = self._recorder.value_of(primal) if isinstance(primal, KerasVariable) else primal
            self._tangents[self._recorder.known(value)] = tangent

    def close(self) -> None:
        """Pushes nothing forward any more."""
        self._recorder.accumulators.remove(self)
        if self._recorder.leave():
            end_recording(self._trace)

    def tangent(self, value: Any) -> Any | None:
        """Returns the tangent of a tensor or variable; None if it does not depend on the primals."""
        if isinstance(value, KerasVariable):
            found = self._of_variables.get(id(value))
            return None if found is None else found[1]
        number = self._recorder.number(value)
        if number in self._refused:
            raise TapeError(self._refused[number])
        return self._tangents.get(number) if number is not None else None

    # --- What the recorder calls --------------------------------------------------------------------------------------

    def tracks(self, number: Number | None) -> bool:
        return number in self._tangents

    def watches(self, variable: keras.Variable) -> bool:
        return id(variable) in self._of_variables

    def note_value(self, variable: keras.Variable, value: Any) -> None:
        if id(variable) in self._of_variables:
            self._tangents[self._recorder.known(value)] = self._of_variables[id(variable)][1]

    def refuse(self, numbers: Sequence[Number], message: str) -> None:
        self._refused.update(dict.fromkeys(numbers, message))

    def push(
        self,
        operation: EagerOperation,
        rule: CompiledDerivative,
        which: tuple[int, ...],
        operands: Sequence[Any],
        made: Sequence[Any],
    ) -> None:
        count = len(operands)
        given = [self._tangents.get(self._recorder.known(operands[i])) for i in which]
        if all(t is None for t in given):
            return
        tangents = [jnp.zeros_like(operands[i]) if t is None else t for i, t in zip(which, given, strict=True)]

        def compute(*values: Any) -> list[Any]:
            return rule.push(list(values[:count]), list(values[count:]))

        key = None if operation.key is None else ("tangents", operation.key, which)
        try:
            found = self._recorder.run(EagerOperation(compute, key, owner=operation.owner), [*operands, *tangents])
        except TypeError as error:
            if "custom_vjp" not in str(error):
                raise
            raise TapeError(
                "A ForwardAccumulator cannot push tangents through a function with jax.custom_vjp, which has no forward "
                "derivative. Use tf.custom_gradient, jax.custom_jvp or a GradientTape."
            ) from error
        results = [m for m, inexact in zip(made, rule.inexact, strict=False) if inexact]
        for result, tangent in zip(results, found, strict=True):
            self._tangents[self._recorder.known(result)] = tangent

    def share(self, values: Sequence[Any], twins: Sequence[Any]) -> None:
        for value, other in zip(values, twins, strict=True):
            tangent = self.tangent(value)
            if tangent is not None:
                self._tangents[self._recorder.known(other)] = tangent

    def push_call(
        self,
        operands: Sequence[Any],
        results: Sequence[Any],
        reverse: Callable[[Sequence[Any]], Sequence[Any]],
    ) -> None:
        # The gradient of the reverse, which is linear in the cotangents.
        tangents = [self.tangent(x) for x in operands]
        inexact = [r for r in results if is_inexact(r)]
        if not inexact or all(t is None for t in tangents):
            return
        cotangents = [jnp.zeros_like(r) if is_inexact(r) else None for r in results]
        asked = [c for c in cotangents if c is not None]
        recording = EagerRecording(lambda variable: False, persistent=False)
        for cotangent in asked:
            recording.watch(cotangent)
        back = reverse(cotangents)
        recording.close(failed=False)
        pairs = [(b, t) for b, t in zip(back, tangents, strict=True) if b is not None and t is not None]
        found = recording.gradients([b for b, _ in pairs], [t for _, t in pairs], asked, None)
        recording.stop()
        for result, group in zip(inexact, found, strict=True):
            if group:
                self._tangents[self._recorder.known(result)] = group[0]
