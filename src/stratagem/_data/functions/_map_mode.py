"""The ways in which a user function runs on elements: as a compiled program, or in Python."""

import functools
import logging
from typing import Any, final

import numpy as np

from stratagem._core.step import asking_sizes
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array, leaves, map_leaves, spec_of
from stratagem._data.elements._spec import merged
from stratagem._data.functions._compiled import CompiledFunction
from stratagem._data.functions._draws import Places, Words
from stratagem._data.functions._runner import FunctionRunner
from stratagem._data.functions._split_mode import SplitMapMode
from stratagem._data.functions._traced import NeedsPython, trace
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._batch import BatchStage
from stratagem._data.stages._generator import GeneratorStage
from stratagem._data.stages._stage import Stage, UnaryStage

logger = logging.getLogger("stratagem")


@final
class PythonMapMode(FunctionRunner):
    """Runs the function in Python for every element."""

    def __init__(self, function: UserFunction) -> None:
        self._function = function

    @property
    def draws(self) -> bool:
        return True  # unknown

    def spec(self, parent: Stage) -> Any:
        # Plain Python does not tell its result's shape, so it is applied to an example; if the number of rows of the
        # input is unknown, to two numbers of rows: sizes that then differ are unknown too.
        specs = parent.spec
        try:
            example = parent.example()
        except StopIteration:
            raise ValueError(
                f"The element_spec of a dataset mapped by `{self._function.name}`, which runs as Python, is found out by "
                "mapping an element, and there is none."
            ) from None
        has_rows = any(map(has_open_rows, leaves(specs)))
        return self._spec_of_examples([_resized(specs, example, n) for n in (2, 3)] if has_rows else [example])

    def _spec_of_examples(self, examples: list[Any]) -> Any:
        """The specs of the result for examples; sizes that only contents tell, of images or of words in a text, are unknown."""
        with asking_sizes() as asked:
            found = [spec_of(self._function(example)) for example in examples]
        for dimension in range(asked.dimensions):
            try:
                with asking_sizes(doubled=dimension):
                    found.append(spec_of(self._function(examples[0])))
            except Exception as error:
                logger.debug("%s: `%s` takes contents of one size: %s", self._function.what, self._function.name, error)
        return functools.reduce(functools.partial(map_leaves, merged), found)

    def __call__(self, element: Any, seed: Words | None = None, place: Places | None = None) -> Any:
        return self._function(element, seed, place)


@final
class TracedMapMode(FunctionRunner):
    """Runs one compiled program, or one for each number of rows if elements are batches.

    The constructor raises what `trace` raises.
    """

    def __init__(self, function: UserFunction, specs: Any, rows: int | None) -> None:
        self._function = function
        self._specs = specs
        self._leaves: list[TensorSpec] = leaves(specs)
        self._open = [has_open_rows(spec) for spec in self._leaves]
        self._rows = rows if any(self._open) else None
        if not all(spec.shape.rank is not None and _defined(spec, self._rows) for spec in self._leaves):
            raise NeedsPython("the shape of its element is not known")
        self.program = self._traced(self._rows)
        self._programs: dict[int | None, CompiledFunction | None] = {self._rows: self.program}

    @property
    def draws(self) -> bool:
        return self.program.trace.draws

    @property
    def one_shape(self) -> bool:
        """True if all elements have the same shape, so that one program can run on many."""
        return self._rows is None

    def spec(self, parent: Stage) -> Any:
        """The specs of the results; if elements may have any number of rows, found by tracing for two of them."""
        mine = self.program.trace.spec
        other = None if self._rows is None else self._program(self._rows + 1)
        return mine if other is None else map_leaves(merged, mine, other.trace.spec)

    def __call__(self, element: Any, seed: Words | None = None, place: Places | None = None) -> Any:
        arrays = leaves(element)
        rows = next((len(a) for a, is_open in zip(arrays, self._open, strict=True) if is_open), None)
        program = self._program(rows) if self._fits(arrays, rows) else None
        return self._function(element, seed, place) if program is None else program(element, seed, place)

    def _fits(self, arrays: list[Array], rows: int | None) -> bool:
        return all(
            a.dtype == spec.dtype and a.shape == (tuple(spec.shape) if not is_open else (rows, *spec.shape[1:]))
            for a, spec, is_open in zip(arrays, self._leaves, self._open, strict=True)
        )

    def _program(self, rows: int | None) -> CompiledFunction | None:
        """The program for elements of this many rows; None if there is none, and Python runs (and may raise)."""
        if rows not in self._programs:
            try:
                self._programs[rows] = self._traced(rows)
            except Exception as error:  # Python will raise at the element if it is invalid
                logger.info(
                    "%s: `%s` runs as Python on %s rows: %s", self._function.what, self._function.name, rows, error
                )
                self._programs[rows] = None
        return self._programs[rows]

    def _traced(self, rows: int | None) -> CompiledFunction:
        def with_known_rows(spec: TensorSpec) -> TensorSpec:
            return TensorSpec((rows, *spec.shape[1:]), spec.dtype) if has_open_rows(spec) else spec

        return CompiledFunction(trace(self._function.function, map_leaves(with_known_rows, self._specs)))


_debugged = False


def run_in_python(value: bool) -> None:
    """Decides whether functions that are given to datasets from now on run as Python, even if they can be traced."""
    global _debugged
    _debugged = value


def map_mode_of(parent: Stage, function: UserFunction) -> FunctionRunner:
    """The best mode to run `function` on the elements of `parent`. If that is Python, one log line says why.

    Raises:
        Exception: what the function itself raises on an example.
    """
    if _debugged:
        return PythonMapMode(function)
    failure: Exception | None = None
    try:
        return TracedMapMode(function, parent.spec, parent.batch_size)
    except NeedsPython as reason:
        why = str(reason)
        if reason.splits:
            return SplitMapMode(function, PythonMapMode(function))
    except Exception as error:  # an error of the function, or only of the trace: running it in Python will tell
        failure, why = error, f"tracing it raised {type(error).__name__}: {error!s:.200}"
    if failure is not None and not _works_in_python(parent, function):
        raise failure
    logger.info("%s: `%s` runs as Python for every element: %s.", function.what, function.name, why)
    return PythonMapMode(function)


def _works_in_python(parent: Stage, function: UserFunction) -> bool:
    """Returns whether the function runs on an example; raises what it raises. False if there is no element at all."""
    if not parent.pure:
        return True  # making an element has side effects: wait for the first one that is requested
    try:
        example = parent.example()
    except StopIteration:
        return False
    function(example)
    return True


def has_static_spec(stage: Stage) -> bool:
    """Returns whether the spec of a stage's elements is known without making one. A generator has its signature."""
    if stage.pure or isinstance(stage, GeneratorStage):
        return True
    passes_on = isinstance(stage, BatchStage) or (isinstance(stage, UnaryStage) and type(stage).spec is UnaryStage.spec)
    return passes_on and bool(stage.parents) and all(map(has_static_spec, stage.parents))


def has_open_rows(spec: TensorSpec) -> bool:
    """Returns whether the first dimension of a spec has an unknown size."""
    return bool(spec.shape.rank) and spec.shape[0] is None


def _defined(spec: TensorSpec, rows: int | None) -> bool:
    inner = spec.shape[1:] if has_open_rows(spec) and rows is not None else spec.shape
    return inner.is_fully_defined()


def _resized(specs: Any, example: Any, rows: int) -> Any:
    def resize(spec: TensorSpec, leaf: Array) -> Array:
        is_open = isinstance(leaf, np.ndarray) and has_open_rows(spec)
        return np.resize(leaf, (rows, *leaf.shape[1:])) if is_open else leaf

    return map_leaves(resize, specs, example)
