"""The split of a function of strings: host functions for each element, a program for many, unknown sizes in between.

A function such as "read, decode, resize, flip at random" is traced once. What it does with strings is a `HostPrefix`. Tensors
whose sizes only a file tells have unknown sizes in the trace: equations with these are computed in NumPy for each element,
until sizes are known. The rest is a program, and so is what those equations need of random numbers.
"""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._autograph import converted
from stratagem._core.step import (
    HostCall,
    HostPrefix,
    HostValue,
    PrefixRecorder,
    SizedByContents,
    StringsResult,
    TracedStrings,
)
from stratagem._data.elements._nest import leaves, map_leaves, packer, to_tensors
from stratagem._data.functions._function_parts import Cut, cut
from stratagem._data.functions._host_run import HostRun, is_joint, open_shape, run, run_joint
from stratagem._data.functions._traced import ElementTrace, NeedsPython, as_array, element_trace
from stratagem._data.functions._user_code import as_arguments, as_result


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
    """Traces a function for elements like this one. sized: whether sizes that only contents tell are unknown in its trace.

    Its Python code runs once, and once more if it created variables. Exceptions of its own are passed on.

    Raises:
        NeedsPython: it has to run as Python.
    """
    tensors = to_tensors(element)
    example, pack = leaves(tensors), packer(tensors)
    if not all(isinstance(leaf, np.ndarray) for leaf in example):
        raise NeedsPython("its element has ragged or sparse tensors, or datasets")
    numbers = [i for i, leaf in enumerate(example) if leaf.dtype != object]
    results = list[Any]()

    def code(found: ElementTrace) -> list[Any]:
        inputs = {i: found.new_input(example[i].shape, example[i].dtype) for i in numbers}
        parts = [found.recorder.prefix.argument(i, leaf, inputs.get(i)) for i, leaf in enumerate(example)]
        results[:] = [map_leaves(_result_leaf, as_result(converted(function)(*as_arguments(pack(parts)))))]
        return [leaf for leaf in leaves(results[0]) if not isinstance(leaf, StringsResult)]

    found, closed = element_trace(code, lambda found: _recorder_of_host_calls(found, sized=sized))
    prefix = found.recorder.prefix.finished()
    names = [*(HostValue(-1, i) for i in numbers), *prefix.inputs]
    parts = cut(closed, found.variables, names, len(numbers), draws=found.drawn)
    count, template = iter(range(len(parts.results))), results[0]
    return SplitFunction(
        prefix,
        sized,
        run(prefix, example, sized=sized).kind,
        parts,
        tuple(v.value if isinstance(v, StringsResult) else next(count) for v in leaves(template)),
        map_leaves(lambda leaf: 0, template),
    )


def _recorder_of_host_calls(found: ElementTrace, *, sized: bool) -> PrefixRecorder:
    """Returns the recorder of a trace, for which sizes that only contents tell may be unknown."""
    scope, symbols = jax.export.SymbolicScope(), itertools.count()

    def number(leaf: Any, call: HostCall) -> jax.Array:
        shape = open_shape(leaf.shape, sized and isinstance(call.function, SizedByContents))
        names = ",".join(f"s{next(symbols)}" if size is None else str(size) for size in shape)
        return found.new_input(jax.export.symbolic_shape(names, scope=scope) if names else (), leaf.dtype)

    return PrefixRecorder(0, 0, number, found.recorder.need_host)


def _result_leaf(leaf: Any) -> Any:
    return StringsResult(leaf.value, per_replica=False) if isinstance(leaf, TracedStrings) else as_array(leaf)
