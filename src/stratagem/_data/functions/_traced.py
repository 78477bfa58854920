"""Traces a function given to `map` or `filter` into a pure program, whose variables and random seeds are inputs."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

import jax
import keras
import numpy as np
from jax.extend import core as xc

from stratagem._autograph import converted
from stratagem._base.errors import TracedDecisionError
from stratagem._base.types import DTypeLike
from stratagem._core.context import entered
from stratagem._core.step import HostMode, NothingKnown
from stratagem._core.values import CompositeTensor, TensorSpec
from stratagem._data.elements._nest import leaves, map_leaves, packer, to_numpy
from stratagem._data.functions._draws import ElementSeeds
from stratagem._data.functions._user_code import as_arguments, as_result, holds_tensors, on_cpu
from stratagem._ops import tensor
from stratagem._private import OpenTrace, StepTrace, new_jaxpr, seeds_from, shape_of

DECISIONS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.NonConcreteBooleanIndexError,
    TracedDecisionError,
)
_MAX_TRACES = 2  # the second without new variables
_numbers = itertools.count()


class NeedsPython(Exception):  # internal: it ends a trace, and users never see it
    """The function cannot be compiled to a program: Python has to run it for every element.

    splits: whether a part of it may be compiled, apart from functions of the host.
    """

    def __init__(self, reason: str, *, splits: bool = False) -> None:
        super().__init__(reason)
        self.splits = splits


@final
@dataclass(frozen=True, eq=False)
class TracedFunction:
    """A function as a program: (constants, variables, seed (2,), place (2,), leaves of an element) -> leaves of its result.

    constants: other arrays that the function uses. variables: those that it reads; a run passes their current values.
    draws: whether it draws random numbers. spec: the specs of its result.
    """

    jaxpr: xc.Jaxpr
    constants: tuple[Any, ...]
    variables: tuple[Any, ...]
    draws: bool
    spec: Any


def trace(function: Callable[..., Any], specs: Any) -> TracedFunction:
    """Traces `function` on an element of these fully defined specs.

    Its Python code runs once, and once more if it created variables. Its exceptions are passed on.

    Raises:
        NeedsPython: it needs values, assigns variables, prints, or has strings in its element or result.
    """
    if any(leaf.dtype == object for leaf in leaves(specs)):
        raise NeedsPython("its element has strings", splits=True)
    if not all(isinstance(leaf, TensorSpec) for leaf in leaves(specs)):
        raise NeedsPython("its element has ragged or sparse tensors, of which no two have one shape")
    pack, results = packer(specs), list[Any]()

    def code(found: ElementTrace) -> list[Any]:
        parts = [found.new_input(s.shape, s.dtype) for s in leaves(specs)]
        results[:] = [map_leaves(as_array, as_result(converted(function)(*as_arguments(pack(parts)))))]
        return leaves(results[0])

    host_calls = _HostCalls()
    try:
        found, closed = element_trace(code, lambda found: host_calls)
    except NeedsPython as reason:
        reason.splits = host_calls.any
        raise
    made = closed.jaxpr
    jaxpr = new_jaxpr((), [*made.constvars, *made.invars], made.outvars, made.eqns)
    spec = packer(results[0])(TensorSpec(aval.shape, aval.dtype) for aval in closed.out_avals)
    constants = tuple(c if isinstance(c, jax.Array) else tensor(np.asarray(c)) for c in closed.consts)
    return TracedFunction(jaxpr, constants, tuple(found.variables), found.drawn, spec)


@final
class ElementTrace:
    """One trace of code for one element, whose program gets an input for each variable when the code first reads it.

    recorder: of the code. drawn: whether it drew random numbers.
    """

    def __init__(self) -> None:
        self.recorder, self.drawn = RejectingRecorder(), False
        self._trace = StepTrace()
        self._inputs: list[jax.Array] = []
        self._scope = _VariableInputScope(self._trace)

    @property
    def variables(self) -> Sequence[Any]:
        """The variables that the code read, in the order in which it did first."""
        return self._scope.variables

    def new_input(self, shape: Sequence[Any], dtype: DTypeLike) -> jax.Array:
        """Returns a new input of the program. shape: of numbers, or of symbols for unknown sizes."""
        self._inputs.append(self._trace.new_input(shape, dtype))
        return self._inputs[-1]

    def run(self, code: Callable[["ElementTrace"], list[Any]]) -> xc.ClosedJaxpr:
        """Runs code that returns tensors; returns its program: (variables, seed, place, other inputs) -> these."""
        # JAX caches traces of inner functions, with the variable values and seeds that they used. An axis that exists only
        # in this trace prevents that.
        axes = [(f"map {next(_numbers)}", 1)]
        try:
            with self._scope, on_cpu(), self._trace.current(axes):
                seed, place = (self._trace.new_input((2,), np.uint32) for _ in range(2))
                seeds = ElementSeeds(seed, place)
                with entered(recorder=self.recorder, replica=None), seeds_from(seeds):
                    results = code(self)
            self.drawn = seeds.drawn
            return self._trace.closed(results, [*self._scope.inputs, seed, place, *self._inputs])
        finally:
            self._trace.end()


def element_trace(
    code: Callable[[ElementTrace], list[Any]], host_calls: Callable[[ElementTrace], Any]
) -> tuple[ElementTrace, xc.ClosedJaxpr]:
    """Returns the trace of code, see `ElementTrace.run`, and its program.

    The code runs once, and once more if it created variables: it may do more when it builds a layer. Its exceptions are passed
    on. host_calls: makes the recorder of functions of the host.

    Raises:
        NeedsPython: it has to run as Python.
    """
    for _ in range(_MAX_TRACES):
        found = ElementTrace()
        found.recorder.prefix = host_calls(found)
        try:
            closed = found.run(code)
        except DECISIONS as error:
            raise NeedsPython("it decides in Python on the value of a tensor, or asks for it") from error
        except HostMode as error:
            raise NeedsPython(str(error)) from error
        if closed.effects:
            raise NeedsPython("it prints, or calls Python back")
        if not found.recorder.created:
            return found, closed
    raise NeedsPython("it creates variables every time that it is called")


def as_array(leaf: Any) -> jax.Array:
    """Converts a leaf of a function's result. Raises NeedsPython for what is no tensor of numbers."""
    if isinstance(leaf, CompositeTensor):
        raise NeedsPython("its result has ragged or sparse tensors, of which no two have one shape")
    if holds_tensors(leaf):
        return tensor(leaf)
    array = to_numpy(leaf)
    if array.dtype == object:
        raise NeedsPython("its result has strings")
    return tensor(array)


@final
class _HostCalls:
    """Instead of a step's recorder of host functions: notes whether one was given a tensor of the trace."""

    def __init__(self) -> None:
        self.any = False

    def called(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function, which says what it needs."""
        self.any = self.any or any(isinstance(v, jax.core.Tracer) for v in jax.tree.leaves((args, kwargs)))
        return function(*args, **kwargs)

    called_once = called

    def called_if_needed(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function."""
        return function(*args, **kwargs)

    def size(self, tracer: Any) -> None:
        """Returns None: the value is not known."""


@final
class RejectingRecorder:
    """The recorder of code under the trace: ends the trace at everything that only Python or a step can do.

    created: whether the code has created variables, as lazy layers do in their first call.
    """

    eager = False
    platform = "cpu"
    tapes: tuple[Any, ...] = ()
    strategy = None

    def __init__(self) -> None:
        self.prefix: Any = NothingKnown()
        self.created = False

    def draw(self, source: Any) -> Any:
        """Ends the trace, which cannot draw from an iterator."""
        self.need_host("it draws from an iterator")

    def need_host(self, reason: str) -> NoReturn:
        """Ends the trace because Python needs values."""
        raise NeedsPython(reason)

    def create(self, variable: Any) -> None:
        """Takes note of the creation of a variable."""
        self.created = True

    def add(self, variable: Any, delta: Any, sign: int) -> bool:
        """Returns False: no variable here is summed over replicas."""
        return False

    def __getattr__(self, name: str) -> Any:
        raise NeedsPython("it does what is only possible in a step")


@final
class _VariableInputScope(keras.StatelessScope):  # type: ignore[misc]
    """Redirects every read of a variable to an input of the program, made for the first of them.

    inputs: of the variables, in the same order.
    """

    def __init__(self, trace: OpenTrace) -> None:
        super().__init__()
        self.variables: list[Any] = []
        self.inputs: list[jax.Array] = []
        self._trace = trace
        self._values: dict[int, Any] = {}

    def get_current_value(self, variable: Any) -> Any:
        """Called by Keras to read a variable."""
        if id(variable) not in self._values:
            self.variables.append(variable)
            self.inputs.append(self._trace.new_input(shape_of(variable), variable._dtype))
            self._values[id(variable)] = self.inputs[-1]
        return self._values[id(variable)]

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Called by Keras to assign a variable."""
        raise NeedsPython(f"it assigns the variable {update[0].path}")
