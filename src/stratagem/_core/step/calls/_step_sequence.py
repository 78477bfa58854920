"""StepSequence: calls of one body, one after another, of which the next is prepared while devices compute."""

from collections.abc import Callable, Hashable
from typing import Any, final

import keras

from stratagem._base.errors import ContextError
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.calls._execute import prepare, run_call
from stratagem._core.step.calls._stages import BodyCall, Prepared, ready
from stratagem._core.step.programs._program import Program
from stratagem._core.step.programs._trace import Body
from stratagem._private import runs_at_once


@final
class StepSequence:
    """The steps of a loop that reads the results of each: `execute` in two parts, so that the host works while devices do.

    body, key, name, mesh: as for `execute`.
    """

    def __init__(self, body: Body, key: Hashable, name: str, mesh: ReplicaMesh) -> None:
        self._body, self._key, self._name, self._mesh = body, key, name, mesh
        self._begun: Program | None = None
        self._ahead: tuple[tuple[Any, ...], BodyCall, Prepared] | None = None

    def record(self, args: tuple[Any, ...]) -> None:
        """Records the body, as the first call would, so that lazy objects are built. Runs nothing."""
        prepare(self._body, self._key, self._name, args, self._mesh)

    def begin(self, args: tuple[Any, ...]) -> Callable[[], Any]:
        """Starts a call. Returns a function that waits for its checks and returns its result, whose values are to be read."""
        if not runs_at_once():
            raise ContextError(f"{self._name} was called inside of a transformation of JAX, which holds no step.")
        call, step = self._expected(args)
        self._begun = None
        if step is None:
            result = run_call(call)
            return lambda: result
        assert isinstance(step.program, Program)
        self._begun = step.program
        finish = step.program.start(step.inputs.arguments)
        call.cache.info = call.info
        return lambda: step.inputs.result(finish(), step.mesh)

    def added_to(self, counter: keras.Variable) -> int | None:
        """Returns what the call that was begun last adds to a scalar of whole numbers; None if only its value tells, later."""
        return None if self._begun is None else self._begun.added_to(counter)

    def prepare(self, args: tuple[Any, ...]) -> None:
        """Does what can be done for a call that may come next, and that nobody notices if it does not come.

        What fails is left to the call, which does it again.
        """
        self._ahead = None
        call = self._call(args)
        try:
            step = ready(call)
        except Exception:
            return
        if step is not None:
            self._ahead = args, call, step

    def _expected(self, args: tuple[Any, ...]) -> tuple[BodyCall, Prepared | None]:
        """Returns a call, and what was prepared for it, or can be now."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            expected, call, step = ahead
            same = len(args) == len(expected) and all(a is b for a, b in zip(args, expected, strict=True))
            if same and not step.program.stale:
                return call, step
        call = self._call(args)
        return call, ready(call)

    def _call(self, args: tuple[Any, ...]) -> BodyCall:
        return BodyCall.of(self._body, self._key, self._name, args, {}, self._mesh)
