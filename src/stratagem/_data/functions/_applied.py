"""A function of the user's in a plan: the way in which it runs, the random numbers that it draws, its errors' places."""

import functools
from typing import final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data.elements._nest import Nest, leaves
from stratagem._data.functions._compiled import CompiledFunction
from stratagem._data.functions._draws import Draws, places
from stratagem._data.functions._map_mode import InPython, MapMode, Traced, map_mode_of, spec_is_free
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage


@final
class AppliedFunction:
    """A function, applied to the elements of a stage. It belongs to the plan and serves all walks.

    As in TF, the function is traced, and errors in it come, when it is given; at the first element where nothing is known
    of the elements before.
    """

    def __init__(self, parent: Stage, function: UserFunction) -> None:
        self._parent = parent
        self.function = function
        self.known = spec_is_free(parent)
        if self.known:
            _ = self.way

    @functools.cached_property
    def way(self) -> MapMode:
        """How the function runs."""
        return map_mode_of(self._parent, self.function)

    @functools.cached_property
    def draws(self) -> Draws:
        """What its random numbers come from."""
        return Draws()

    @property
    def traced(self) -> Traced | None:
        """The function as a program, if that is known now."""
        return self.way if self.known and isinstance(self.way, Traced) else None

    @property
    def in_python(self) -> bool:
        """True if it runs as Python."""
        return isinstance(self.way, InPython)

    @property
    def spec(self) -> Nest:
        """The specs of its results."""
        return self.way.spec(self._parent)

    @property
    def for_blocks(self) -> CompiledFunction | None:
        """The program, if it may run on a block of elements before each is asked for."""
        traced = self.traced
        if traced is None or not traced.one_shape or not self._parent.pure or self._parent.batch_size is not None:
            return None
        # What reads a variable finds the value of the moment.
        return None if traced.program.trace.variables else traced.program

    def begin(self) -> State:
        """The facts of the walk that starts now; none where nothing is drawn."""
        return self.draws.begin() if self.way.draws else {}

    def restore(self, facts: State) -> None:
        """Continue the walk that `facts` describe."""
        if facts:
            self.draws.restore(facts)

    def __call__(self, element: Nest, facts: State, position: int) -> Nest:
        """The result for the element at a position of the walk that `facts` describe. An error names the position."""
        drawing = (self.draws.seed, places(facts, position, 1)) if facts else ()
        try:
            return self.way(element, *drawing)
        except Exception as error:
            error.add_note(f"{self.function.what} raised at element {position} (counted from 0).")
            raise


def check_tensors(result: Nest) -> None:
    """Raise InvalidArgumentError unless a result, or its spec, has a tensor in it."""
    if not leaves(result):
        raise InvalidArgumentError(
            f"`map_func` must return at least one tensor, but it returned {result!r}. Is there a `return` missing?"
        )
