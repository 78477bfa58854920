"""The split of a function of strings: host functions for each element, a program for many, unknown sizes in between.

A function such as "read, decode, resize, flip at random" is traced once. What it does with strings is a `HostPrefix`. Tensors
whose sizes only a file tells have unknown sizes in the trace: equations with these are computed in NumPy for each element,
until sizes are known. The rest is a program, and so is what those equations need of random numbers.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._autograph import converted
from stratagem._core.context import entered
from stratagem._core.step import (
    HostMode,
    HostPrefix,
    HostRules,
    HostValue,
    PrefixRecorder,
    SizedByContents,
    StringsResult,
    TracedStrings,
    input_spec,
    open_fits,
)
from stratagem._data.elements._nest import leaves, map_leaves, packer, to_tensors
from stratagem._data.functions._draws import ElementSeeds
from stratagem._data.functions._function_parts import Cut, cut
from stratagem._data.functions._host_run import HostRun, is_joint, open_shape, run, run_joint
from stratagem._data.functions._traced import (
    DECISIONS,
    NeedsPython,
    RejectingRecorder,
    VariableInputScope,
    as_array,
    make_jaxpr,
)
from stratagem._data.functions._user_code import as_arguments, as_result, on_cpu
from stratagem._private import seeds_from, shape_of

_MAX_TRACES = 5


@final
@dataclass(frozen=True, eq=False)
class SplitFunction:
    """A function in its parts. sized: whether sizes that only contents tell were unknown in its trace.

    kind: of the results of the host functions; for others it has to be traced again. results: for each leaf of the result the
    name of strings, or the number of a result of `cut`. template: the nest of results.
    """

    prefix: HostPrefix
    sized: bool
    kind: Any
    cut: Cut
    results: tuple[HostValue | int, ...]
    template: Any

    @property
    def reads_variables(self) -> bool:
        """True if it must see the values that variables have when an element is requested."""
        return bool(self.cut.variables)

    def run(self, element: Any) -> HostRun:
        """Calls the host functions."""
        return run(self.prefix, leaves(to_tensors(element)), sized=self.sized)

    @functools.cached_property
    def joint(self) -> bool:
        """True if the host functions can be called for many elements at once, and nothing but a program comes after them."""
        return self.cut.settled and self.cut.is_program and is_joint(self.prefix)

    def run_joint(self, elements: Any) -> HostRun | None:
        """Calls them for stacked elements; None if no elements can be taken so, see `run_joint`."""
        return run_joint(self.prefix, leaves(to_tensors(elements)))


def split(function: Callable[..., Any], element: Any, *, sized: bool) -> SplitFunction:
    """Traces a function for elements like this one.

    Its Python code runs two times or more. Exceptions of its own are passed on.

    Raises:
        NeedsPython: it has to run as Python.
    """
    tensors = to_tensors(element)
    example = leaves(tensors)
    if not all(isinstance(leaf, np.ndarray) for leaf in example):
        raise NeedsPython("its element has ragged or sparse tensors, or datasets")
    variables: list[Any] = []
    made: HostRun | None = None
    prefix: HostPrefix | None = None
    for _ in range(_MAX_TRACES):
        attempt = _Attempt(function, tensors, prefix, made, variables, sized)
        if attempt.repeats:
            assert prefix is not None
            assert made is not None
            return attempt.made(prefix, made.kind)
        variables, prefix = attempt.scope.variables, attempt.prefix
        made = run(prefix, example, sized=sized)
    raise NeedsPython("it calls other functions, or creates variables, every time that it is traced")


@final
class _Attempt:
    """One trace. prefix, made: the calls of host functions that an earlier one has found, and their results."""

    def __init__(
        self,
        function: Callable[..., Any],
        element: Any,
        prefix: HostPrefix | None,
        made: HostRun | None,
        variables: Sequence[Any],
        sized: bool,
    ) -> None:
        self._known, self._sized, self._variables = prefix, sized, variables
        self._example, self._pack = leaves(element), packer(element)
        self._numbers = [i for i, leaf in enumerate(self._example) if leaf.dtype != object]
        self.scope, self._drawn = VariableInputScope(), False
        self._names: dict[Any, HostValue] = {}
        inputs = () if prefix is None or made is None else prefix.inputs
        shapes = _shapes(prefix, made, sized) if prefix is not None and made is not None else []
        pair = input_spec((2,), np.uint32)
        values = [input_spec(shape_of(v), v._dtype) for v in variables]
        numbers = [input_spec(self._example[i].shape, self._example[i].dtype) for i in self._numbers]
        computed = [
            input_spec(shape, np.asarray(made.of(v)).dtype) for v, shape in zip(inputs, shapes, strict=True) if made
        ]
        try:
            with self.scope, on_cpu():
                self._closed = make_jaxpr(self._pure(function), values, pair, pair, numbers, computed)
            self.repeats = self._check()
        except DECISIONS as error:
            raise NeedsPython("it decides in Python on the value of a tensor, or asks for it") from error
        except HostMode as error:
            raise NeedsPython(str(error)) from error

    def _check(self) -> bool:
        """Returns whether the trace found what an earlier one had found."""
        known = self._known is not None and self._recorder.findings().repeats(self._known)
        return known and self._fits and len(self.scope.variables) == len(self._variables)

    def _pure(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def pure(values: list[Any], seed: Any, place: Any, numbers: list[Any], computed: list[Any]) -> list[Any]:
            self.scope.begin(self._variables, values)
            seeds = ElementSeeds(seed, place)
            rejecting = RejectingRecorder()
            remaining, self._fits = iter(computed), True

            def number(leaf: Any, own: bool) -> jax.Array:
                known = next(remaining, None)
                if known is not None and open_fits(known.shape, leaf.shape) and known.dtype == leaf.dtype:
                    return known
                self._fits = False
                return jnp.copy(jnp.zeros(leaf.shape, leaf.dtype))  # not a constant, on which Python could decide

            self._recorder = PrefixRecorder(0, 0, number, rejecting.need_host, HostRules(fits=open_fits))
            rejecting.prefix = self._recorder
            given = dict(zip(self._numbers, numbers, strict=True))
            parts = [self._recorder.argument(i, leaf, given.get(i)) for i, leaf in enumerate(self._example)]
            with entered(recorder=rejecting, replica=None), seeds_from(seeds):
                result = as_result(converted(function)(*as_arguments(self._pack(parts))))
                self._template = map_leaves(_result_leaf, result)
            self._drawn = seeds.drawn
            self.prefix = self._recorder.finished()
            return [leaf for leaf in leaves(self._template) if not isinstance(leaf, StringsResult)]

        return pure

    def made(self, prefix: HostPrefix, kind: Any) -> SplitFunction:
        """Returns the function in its parts."""
        if self._closed.effects:
            raise NeedsPython("it prints, or calls Python back")
        numbers = [HostValue(-1, i) for i in self._numbers]
        found = cut(self._closed, self._variables, [*numbers, *prefix.inputs], len(numbers), draws=self._drawn)
        count = iter(range(len(found.results)))
        results = [v.value if isinstance(v, StringsResult) else next(count) for v in leaves(self._template)]
        template = map_leaves(lambda leaf: 0, self._template)
        return SplitFunction(prefix, self._sized, kind, found, tuple(results), template)


def _result_leaf(leaf: Any) -> Any:
    return StringsResult(leaf.value, per_replica=False) if isinstance(leaf, TracedStrings) else as_array(leaf)


def _shapes(prefix: HostPrefix, made: HostRun, sized: bool) -> list[tuple[Any, ...]]:
    """The shapes of the numbers that host functions make, with unknown sizes where only contents tell them."""
    found = []
    for value in prefix.inputs:
        is_open = sized and isinstance(prefix.calls[value.call].function, SizedByContents)
        found.append(open_shape(np.shape(made.of(value)), is_open))
    names = [f"s{i}_{axis}" for i, shape in enumerate(found) for axis, size in enumerate(shape) if size is None]
    unknown = iter(jax.export.symbolic_shape(", ".join(names)) if names else ())
    return [tuple(next(unknown) if size is None else size for size in shape) for shape in found]
