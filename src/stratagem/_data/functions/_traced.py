"""Traces a function given to `map` or `filter` into a pure program, whose variables and random seeds are inputs."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

import jax
import jax.numpy as jnp
import keras
import numpy as np
from jax.extend import core as xc

from stratagem._autograph import converted
from stratagem._base.errors import TracedDecisionError
from stratagem._core.context import entered
from stratagem._core.step import NothingKnown, input_spec
from stratagem._core.values import CompositeTensor, TensorSpec
from stratagem._data.elements._nest import leaves, map_leaves, packer, to_numpy
from stratagem._data.functions._draws import ElementSeeds
from stratagem._data.functions._user_code import as_arguments, as_result, holds_tensors, on_cpu
from stratagem._ops import tensor
from stratagem._private import new_jaxpr, seeds_from, shape_of

DECISIONS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.NonConcreteBooleanIndexError,
    TracedDecisionError,
)
_MAX_TRACES = 4
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

    Its Python code runs once, and once more if it reads variables, which the first run finds. Its exceptions are passed on.

    Raises:
        NeedsPython: it needs values, assigns variables, prints, or has strings in its element or result.
    """
    if any(leaf.dtype == object for leaf in leaves(specs)):
        raise NeedsPython("its element has strings", splits=True)
    if not all(isinstance(leaf, TensorSpec) for leaf in leaves(specs)):
        raise NeedsPython("its element has ragged or sparse tensors, of which no two have one shape")
    variables: list[Any] = []
    for _ in range(_MAX_TRACES):
        made, found = _traced(function, specs, variables)
        if len(found) == len(variables):
            return made
        variables = found
    raise NeedsPython("it creates variables every time that it is called")


def _traced(function: Callable[..., Any], specs: Any, variables: list[Any]) -> tuple[TracedFunction, list[Any]]:
    scope, pack, drawn, recorder = VariableInputScope(), packer(specs), [False], RejectingRecorder()
    host_calls = recorder.prefix = _HostCalls()
    results: list[Any] = []

    def pure(values: list[Any], seed: Any, place: Any, parts: list[Any]) -> list[Any]:
        scope.begin(variables, values)
        seeds = ElementSeeds(seed, place)
        with entered(recorder=recorder, replica=None), seeds_from(seeds):
            result = map_leaves(as_array, as_result(converted(function)(*as_arguments(pack(parts)))))
            results[:], drawn[0] = [result], seeds.drawn
            return leaves(result)

    pair = input_spec((2,), np.uint32)
    values = [input_spec(shape_of(v), v._dtype) for v in variables]
    inputs = [input_spec(s.shape, s.dtype) for s in leaves(specs)]
    try:
        with scope, on_cpu():
            closed = make_jaxpr(pure, values, pair, pair, inputs)
    except DECISIONS as error:
        reason = "it decides in Python on the value of a tensor, or asks for it"
        raise NeedsPython(reason, splits=host_calls.any) from error
    except NeedsPython as reason:
        reason.splits = host_calls.any
        raise
    if closed.effects:
        raise NeedsPython("it prints, or calls Python back")
    made = closed.jaxpr
    jaxpr = new_jaxpr((), [*made.constvars, *made.invars], made.outvars, made.eqns)
    spec = packer(results[0])(TensorSpec(aval.shape, aval.dtype) for aval in closed.out_avals)
    constants = tuple(c if isinstance(c, jax.Array) else tensor(np.asarray(c)) for c in closed.consts)
    return TracedFunction(jaxpr, constants, tuple(variables), drawn[0], spec), scope.variables


def make_jaxpr(function: Callable[..., Any], *inputs: Any) -> xc.ClosedJaxpr:
    """Traces a function of inputs of these specs."""
    # JAX caches traces of inner functions, with the variable values and seeds that they used. An axis that exists only
    # in this trace prevents that.
    axes = [(f"map {next(_numbers)}", 1)]
    return jax.make_jaxpr(function, axis_env=axes)(*inputs)


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
    """In place of a step's recorder of host functions: notes whether one was given a tensor of the trace."""

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
    """The recorder of code under the trace: ends the trace at everything that only Python or a step can do."""

    eager = False
    platform = "cpu"
    tapes: tuple[Any, ...] = ()
    strategy = None

    def __init__(self) -> None:
        self.prefix: Any = NothingKnown()

    def draw(self, source: Any) -> Any:
        """Ends the trace, which cannot draw from an iterator."""
        self.need_host("it draws from an iterator")

    def need_host(self, reason: str) -> NoReturn:
        """Ends the trace because Python needs values."""
        raise NeedsPython(reason)

    def create(self, variable: Any) -> None:
        """Accepts the creation of a variable, as by lazy layers in their first call."""

    def add(self, variable: Any, delta: Any, sign: int) -> bool:
        """Returns False: no variable here is summed over replicas."""
        return False

    def __getattr__(self, name: str) -> Any:
        raise NeedsPython("it does what is only possible in a step")


@final
class VariableInputScope(keras.StatelessScope):  # type: ignore[misc]
    """Redirects every read of a variable to an input of the program, and records which variables are read."""

    def __init__(self) -> None:
        super().__init__()
        self.variables: list[Any] = []
        self._values: dict[int, Any] = {}

    def begin(self, variables: Sequence[Any], values: Sequence[Any]) -> None:
        """Begins the next trace, with inputs for the variables known so far."""
        self.variables = list(variables)
        self._values = {id(v): value for v, value in zip(variables, values, strict=True)}

    def get_current_value(self, variable: Any) -> Any:
        """Called by Keras to read a variable."""
        if id(variable) not in self._values:
            self.variables.append(variable)
            # This trace will be discarded: only the shape matters.
            self._values[id(variable)] = jnp.zeros(shape_of(variable), variable._dtype)
        return self._values[id(variable)]

    def add_update(self, update: tuple[Any, Any]) -> None:
        """Called by Keras to assign a variable."""
        raise NeedsPython(f"it assigns the variable {update[0].path}")
