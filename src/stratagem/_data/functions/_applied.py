"""A user function in a plan, with its mode of execution, its random numbers, and the positions of its errors."""

import functools
from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError, OpError
from stratagem._data.elements._nest import leaves
from stratagem._data.functions._compiled import CompiledFunction
from stratagem._data.functions._draws import FunctionSeeds, places
from stratagem._data.functions._map_mode import PythonMapMode, TracedMapMode, has_static_spec, map_mode_of
from stratagem._data.functions._runner import FunctionRunner
from stratagem._data.functions._split_mode import SplitMapMode
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage

_LONGEST = 300  # bytes of a string in a message


@final
class AppliedFunction:
    """A function, applied to the elements of a stage. It belongs to the plan and serves all iterations.

    As in TF, the function is traced, and its errors are raised, when the stage is made; if the spec of the elements is not
    known by then, at the first element.
    """

    def __init__(self, parent: Stage, function: UserFunction) -> None:
        self._parent = parent
        self.function = function
        self.known = has_static_spec(parent)
        if self.known:
            _ = self.mode

    @functools.cached_property
    def mode(self) -> FunctionRunner:
        """The mode in which the function runs."""
        return map_mode_of(self._parent, self.function)

    @functools.cached_property
    def draws(self) -> FunctionSeeds:
        """The source of its random numbers."""
        return FunctionSeeds()

    @property
    def traced(self) -> TracedMapMode | None:
        """The function as a program, if that is known by now."""
        return self.mode if self.known and isinstance(self.mode, TracedMapMode) else None

    @property
    def in_python(self) -> bool:
        """True if it runs as Python, or partly."""
        return isinstance(self.mode, PythonMapMode | SplitMapMode)

    @property
    def split(self) -> SplitMapMode | None:
        """The mode of a function of which only a part is a program, if elements may be read before they are requested."""
        mode = self.mode if self.known else None
        if not isinstance(mode, SplitMapMode) or not self._parent.pure:
            return None
        if not mode.decided:
            try:
                mode.decide(self._parent.example())
            except (StopIteration, OpError):  # there is no element, or reading it will raise this again
                return None
        return mode if mode.splits and not mode.reads_variables else None

    @property
    def spec(self) -> Any:
        """The specs of its results."""
        return self.mode.spec(self._parent)

    @property
    def for_blocks(self) -> CompiledFunction | None:
        """The program, if it may run on a block of elements before each of them is requested."""
        traced = self.traced
        if traced is None or not traced.one_shape or not self._parent.pure or self._parent.batch_size is not None:
            return None
        # A function that reads a variable must see its value at the time of the request.
        return None if traced.program.trace.variables else traced.program

    def begin(self) -> State:
        """The facts of the iteration that starts now; empty if the function draws no random numbers."""
        return self.draws.begin() if self.mode.draws else {}

    def restore(self, facts: State) -> None:
        """Continues the iteration that `facts` describe."""
        if facts:
            self.draws.restore(facts)

    def __call__(self, element: Any, facts: State, position: int) -> Any:
        """The result for the element at a position of the iteration that `facts` describe. Errors name the position."""
        drawing = (self.draws.seed, places(facts, position, 1)) if facts else ()
        return self._noting(position, self.mode, element, *drawing)

    def in_python_at(self, element: Any, drawing: tuple[Any, ...], position: int) -> Any:
        """The result of Python for the element at a position, of a function that is split. Errors name the position."""
        assert isinstance(self.mode, SplitMapMode)
        return self._noting(position, self.mode.in_python, element, *drawing)

    def _noting(self, position: int, run: Callable[..., Any], element: Any, *drawing: Any) -> Any:
        try:
            return run(element, *drawing)
        except Exception as error:
            error.add_note(f"{self.function.what} raised at element {position} (counted from 0){_strings_of(element)}.")
            raise


def _strings_of(element: Any) -> str:
    """The strings of an element, as paths of files, to be added to a message; no contents of files."""
    arrays = (leaf for leaf in leaves(element) if isinstance(leaf, np.ndarray | bytes) and np.ndim(leaf) == 0)
    texts = (value for value in map(np.ndarray.item, map(np.asarray, arrays)) if isinstance(value, bytes))
    found = [repr(text.decode("utf-8", "replace")) for text in texts if len(text) <= _LONGEST]
    return f", of {', '.join(found)}" if found else ""


def check_tensors(result: Any) -> None:
    """Raises InvalidArgumentError unless a result, or its spec, contains a tensor."""
    if not leaves(result):
        raise InvalidArgumentError(
            f"`map_func` must return at least one tensor, but it returned {result!r}. Is there a `return` missing?"
        )
