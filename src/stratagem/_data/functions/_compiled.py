"""Runs traced functions as compiled programs, on one element or on the rows of many at once."""

import collections
import hashlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, final

import jax
import numpy as np
from jax.extend import core as xc

from stratagem._core.interruption import interruptible
from stratagem._core.mesh import exact
from stratagem._data.elements._nest import Array, leaves, packer
from stratagem._data.functions._draws import Places, Words, words
from stratagem._data.functions._traced import TracedFunction
from stratagem._data.functions._user_code import cpu, on_cpu

Compiled = Callable[..., Sequence[jax.Array]]
_NO_WORDS: Words = np.zeros(2, np.uint32)


@final
class _Programs:
    """The latest compiled programs by their text, so that making the same pipeline again costs only a trace.

    This is a cache: losing it costs time, never a result.
    """

    _MAX_PROGRAMS = 256

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_text: collections.OrderedDict[bytes, Compiled] = collections.OrderedDict()
        self.compiled = 0

    def compile(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Compiled:
        """The function, compiled for inputs of these shapes on the CPU."""

        def input_function(*values: Any) -> Any:  # by this name profiles tell these programs from those of steps
            return function(*values)

        with on_cpu():
            # Keep unused inputs too, so that programs with the same text are called in the same way.
            lowered = jax.jit(input_function, keep_unused=True).lower(*inputs)
            key = hashlib.sha256(lowered.as_text().encode()).digest()
            with self._lock:
                known = self._by_text.get(key)
                if known is None:
                    known = self._by_text[key] = lowered.compile()
                    self.compiled += 1
                self._by_text.move_to_end(key)
                if len(self._by_text) > self._MAX_PROGRAMS:
                    self._by_text.popitem(last=False)
        return known


programs = _Programs()


@final
class CompiledFunction:
    """A traced function, compiled when it is first used."""

    def __init__(self, trace: TracedFunction) -> None:
        self.trace = trace
        self._function = xc.jaxpr_as_fun(xc.ClosedJaxpr(trace.jaxpr, ()))
        self._pack = packer(trace.spec)
        self._constants = [jax.device_put(c, cpu()) for c in trace.constants]
        self._one: Compiled | None = None
        self._many: dict[int, Compiled] = {}

    def __call__(self, element: Any, seed: Words | None = None, place: Places | None = None) -> Any:
        """The result for one element. seed (2,), place (1,): for a function that draws random numbers."""
        inputs = self._inputs(element, seed, _NO_WORDS if place is None else words(place)[0])
        if self._one is None:
            self._one = self._compiled(self._function, inputs)
        return self._run(self._one, inputs)

    def many(self, elements: Any, rows: int, seed: Words | None = None, at: Places | None = None) -> Any:
        """The stacked results for `rows` stacked elements, each as if computed alone. at: the elements' places, (rows,)."""
        inputs = self._inputs(elements, seed, np.zeros((rows, 2), np.uint32) if at is None else words(at))
        compiled = self._many.get(rows)
        if compiled is None:
            fixed = len(self._constants) + len(self.trace.variables) + 1
            axes = [None if i < fixed else 0 for i in range(len(inputs))]
            function = jax.vmap(self._function, in_axes=axes, axis_size=rows)
            compiled = self._many[rows] = self._compiled(function, inputs)
        return self._run(compiled, inputs)

    def _compiled(self, function: Callable[..., Any], inputs: Sequence[Any]) -> Compiled:
        return interruptible(programs.compile(function, [_abstract(i) for i in inputs]), self.trace.jaxpr)

    def _inputs(self, element: Any, seed: Words | None, places: Words) -> list[Any]:
        values = [_on_pipeline_device(v.value) for v in self.trace.variables]
        mine = _NO_WORDS if seed is None else seed
        # JAX would truncate an implicit 64-bit NumPy array to 32 bits; all others are passed unchanged.
        return [*self._constants, *values, mine, places, *map(exact, leaves(element))]

    def _run(self, compiled: Compiled, inputs: list[Any]) -> Any:
        with on_cpu():
            results: list[Array] = [np.asarray(r) for r in compiled(*inputs)]
        return self._pack(results)


def _abstract(value: Any) -> jax.core.ShapedArray:
    return jax.core.ShapedArray(value.shape, value.dtype)


def _on_pipeline_device(value: jax.Array) -> jax.Array:
    """A variable's value on the device that the pipeline computes on."""
    return value if value.devices() == {cpu()} else jax.device_put(value, cpu())
