"""Runs functions that are not decorated: what their Python reads is noticed when it changes, as if it ran at every call."""

import contextlib
import functools
import logging
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from stratagem._context import current
from stratagem._mesh import ReplicaMesh
from stratagem.step._capture import HostMode, OtherMesh, Unexplored
from stratagem.step._execute import execute
from stratagem.step._layout import UnknownShapes
from stratagem.step._numbers import Number, Slots
from stratagem.step._places import filled
from stratagem.step._reads import Reading, Reads
from stratagem.step._signature import Fixed, decorated, function_key, static_key
from stratagem.values import is_per_replica

logger = logging.getLogger("stratagem")

Run = Callable[[Sequence[Any], dict[str, Any]], Any]


_CONTROL = (HostMode, OtherMesh, Unexplored, UnknownShapes)


class _Refused(Exception):
    """A trace in which numbers were inputs has failed."""

    def __init__(self, needed: frozenset[Any]) -> None:
        super().__init__()
        self.needed = needed


@dataclass
class _Call:
    """One call: what its function reads, and its arguments, flat.

    counted: the places of Python numbers among the leaves. The key of a number is its position among those read, or
    ("argument", its place among the leaves).
    """

    run: Run
    name: str
    reading: Reading
    leaves: list[Any]
    structure: Any
    counted: list[int]

    @classmethod
    def of(cls, run: Run, name: str, reading: Reading, args: Sequence[Any], kwargs: dict[str, Any]) -> "_Call":
        """Flatten the arguments."""
        leaves, structure = jax.tree.flatten((list(args), kwargs), is_leaf=is_per_replica)
        counted = [i for i, v in enumerate(leaves) if type(v) is float or type(v) is int]
        return cls(run, name, reading, leaves, structure, counted)

    @functools.cached_property
    def numbers(self) -> dict[Any, Any]:
        """All numbers by their keys."""
        return dict(enumerate(self.reading.numbers)) | {("argument", i): self.leaves[i] for i in self.counted}

    def fixed(self, inputs: frozenset[Any]) -> Fixed:
        """What the program depends on beside its arguments: the values of numbers, the types of those that are inputs."""
        state, numbers = self.reading.state, self.reading.numbers
        if not self._as_last(numbers) or state.fixed[1] != inputs:
            names = self.reading.plan.names
            kinds = (type(v).__name__ if i in inputs else static_key(v) for i, v in enumerate(numbers))
            state.fixed = (numbers, inputs, Fixed(("reads", *zip(names, kinds, strict=True))))
        return state.fixed[2]

    def _as_last(self, numbers: tuple[Any, ...]) -> bool:
        return all(map(operator.is_, numbers, self.reading.state.fixed[0]))

    def changed(self) -> frozenset[Any]:
        """The numbers that are another than in the first program, and may become inputs."""
        state = self.reading.state
        if not self.counted and self._as_last(self.reading.numbers):
            return frozenset()
        settled, first = state.inputs | state.refused, state.first
        return frozenset(k for k, v in self.numbers.items() if k not in settled and first.setdefault(k, v) != v)


def execute_reading(
    reads: Reads, fn: Any, run: Run, key: tuple[Hashable, ...], name: str, args: Sequence[Any], kwargs: Any, mesh: Any
) -> Any:
    """`run(args, kwargs)`, which calls `fn`, as one compiled program for as long as `fn` reads the same.

    A number that changes becomes an input of the program, unless Python needs to know it. What `fn` itself changes, a
    counter for example, is not looked at: where its trace changes something, a warning says so.
    """
    if decorated(fn) is not None:  # what tf.function decorates is what it was when it was traced
        return execute(run, (*key, function_key(fn)), name, (list(args), kwargs), {}, mesh)
    call = _Call.of(run, name, reads.read(fn, args, kwargs, name), args, kwargs)
    state, changed = call.reading.state, call.changed()
    inputs = state.inputs | changed
    while inputs:
        try:
            result = _execute(call, inputs, key, mesh)
        except _Refused as refused:
            culprits = (refused.needed & inputs) or (changed & inputs) or inputs
            state.refused, state.inputs = state.refused | culprits, state.inputs - culprits
            inputs -= culprits
        else:
            state.inputs = inputs
            return result
    return _execute(call, frozenset(), key, mesh)


def _execute(call: _Call, inputs: frozenset[Any], key: tuple[Hashable, ...], mesh: ReplicaMesh) -> Any:
    state, fixed = call.reading.state, call.fixed(inputs)
    key = (*key, state.key)
    if not inputs:
        return execute(_body(call, None), key, call.name, (*call.leaves, fixed), {}, mesh)
    slots = state.slots.setdefault((fixed.key, inputs), Slots())
    try:
        vector = slots.vector(call.numbers)
    except Exception:  # Python will raise it from where the user's code divides by zero, for example
        return _execute(call, frozenset(), key[:-1], mesh)
    leaves = [type(v) if ("argument", i) in inputs else v for i, v in enumerate(call.leaves)]
    body = _body(call, slots, inputs)
    return slots.handed_out(execute(body, key, call.name, (*leaves, fixed, vector), {}, mesh), call.numbers)


def _body(call: _Call, slots: Slots | None, inputs: frozenset[Any] = frozenset()) -> Callable[..., Any]:
    """What is traced: the function with its arguments; numbers that are inputs are where they are read, for so long."""
    count = len(call.leaves)

    def body(*flat: Any) -> Any:
        leaves, recorder = list(flat[:count]), current().recorder
        if recorder is None or slots is None:
            for i in (k[1] for k in inputs if not isinstance(k, int)):
                leaves[i] = call.numbers["argument", i]
            with _watching(call, recorder):
                return call.run(*jax.tree.unflatten(call.structure, leaves))
        slots.begin(flat[count + 1], wide=_is_wide([*leaves, *recorder.variables.values()]))
        made = {k: Number.read(slots, k, call.numbers[k]) for k in inputs}
        for i in (k[1] for k in inputs if not isinstance(k, int)):
            leaves[i] = made["argument", i]
        return _traced(call, slots, {k: v for k, v in made.items() if isinstance(k, int)}, leaves)

    return body


def _traced(call: _Call, slots: Slots, made: dict[int, Number], leaves: list[Any]) -> Any:
    plan = call.reading.plan
    try:
        with filled(plan.places, call.reading.objects, {plan.numbers[k]: v for k, v in made.items()}):
            result = call.run(*jax.tree.unflatten(call.structure, leaves))
        result = jax.tree.map(lambda v: slots.handed(v) if type(v) is Number else v, result, is_leaf=is_per_replica)
    except _CONTROL:
        raise
    except Exception as error:
        raise _Refused(frozenset(slots.needed)) from error
    if slots.needed:
        raise _Refused(frozenset(slots.needed))
    return result


def _is_wide(values: Sequence[Any]) -> bool:
    return any(str(getattr(v, "dtype", "")) == "float64" for v in values)


@contextlib.contextmanager
def _watching(call: _Call, recorder: Any) -> Iterator[None]:
    """Warn, once a name, of what the body changes for good: a trace does that once, TensorFlow at every call."""
    plan, objects = call.reading.plan, call.reading.objects
    places = [] if recorder is None or recorder.discovering else [plan.places[n] for n in plan.changed]
    before = [_seen(place.getter(objects[place.parent])(objects[place.parent])) for place in places]
    yield
    for place, old in zip(places, before, strict=True):
        now = _seen(place.getter(objects[place.parent])(objects[place.parent]))
        same = len(now) == len(old) and all(a is b for a, b in zip(now, old, strict=True))
        if not same and place.name not in plan.warned:
            plan.warned.add(place.name)
            logger.warning(_CHANGES, call.name, place.name, place.name)


_CHANGES = (
    "%s changes %s. Its Python runs when it is compiled, not at every call, so that this happens once, not at every step. "
    "Return what is to be kept, or make it a tf.Variable, or change %s outside of the step."
)


def _seen(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value, *value, *value.values()]
    return [value, *value] if isinstance(value, list | tuple | set) else [value]
