"""PrefixRecorder: records what a step that is being traced computes on the host, of strings for example."""

import contextlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, final

import jax
import numpy as np
from jax.tree_util import PyTreeDef

from stratagem._base.errors import UnimplementedError
from stratagem._core.eager import is_inexact
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._host_call_recorder import HostCallRecorder, KnownValue
from stratagem._core.step.host._host_calls import HostCall, function_name, is_array, kind_of_result
from stratagem._core.step.host._host_prefix import (
    PLAIN,
    HostPrefix,
    OwnKinds,
    PrefixFindings,
    is_strings,
    plain_sizes,
)
from stratagem._core.step.host._host_rules import AS_CALLED, HostRules
from stratagem._core.step.host._traced_strings import TracedStrings
from stratagem._core.step.keys._eager_mode import init_scope
from stratagem._core.step.keys._host_values import LATE, HostValue
from stratagem._core.step.keys._interrupts import HostMode
from stratagem._core.values import Separate, is_per_replica
from stratagem._private import trace_level


@final
class PrefixRecorder(HostCallRecorder):
    """The calls of functions of the host in the trace of a step.

    The values of the call that is traced are known: of its arguments, of the elements drawn for it, and of what host functions
    make of them. What is a number among these is an input of the program; its tracer can be given to further host functions.

    replica: the one whose shapes are traced, by its global id.
    local: its position among this process' replicas; None for another worker's, whose strings are not known here: others of
    the same shapes stand for them. number: makes the program's input for numbers, given them and the call that
    has made them. need_host: gives the trace up. rules: what the trace does where it is not that of a call.
    own: of values that every replica has its own of, if they are known.
    """

    gives_up = HostMode

    def __init__(
        self,
        replica: int,
        local: int | None,
        number: Callable[[Any, HostCall], Any],
        need_host: Callable[[str], None],
        rules: HostRules = AS_CALLED,
        own: OwnKinds | None = None,
    ) -> None:
        super().__init__(need_host)
        self._rules = rules
        self._replica, self._local = replica, local
        self._number = number
        self._inputs: list[HostValue] = []
        self._sizes: dict[HostValue, np.ndarray] = {}
        self._own = own or OwnKinds({}, {}, ())
        self._kinds: list[Hashable] = []
        self._known: dict[int, KnownValue] = {}  # by the identity of their tracers
        self._late: list[KnownValue] = []
        self._late_calls: set[int] = set()
        self._shapes: dict[HostValue, tuple[int, ...]] = {}
        self._dtypes: list[np.dtype] = []
        self._strings, self._plain = False, True

    def argument(self, position: int, leaf: Any, traced: Any) -> Any:
        """Takes note of the tracer of a leaf of the step's arguments; returns what the step's function gets in its place."""
        own, value = is_per_replica(leaf), HostValue(-1, position)
        if is_strings(leaf):
            self._strings = True
            strings = TracedStrings(value, self._example(leaf), own, self)
            self._shapes[value] = np.shape(strings.example)
            return TracedPerReplica(strings, len(leaf.shapes)) if own else strings
        tracer = traced.local if isinstance(traced, TracedPerReplica) else traced
        if isinstance(tracer, jax.Array):
            self._know(tracer, value, leaf, own)
        return traced

    def _with_late(
        self, leaves: Sequence[Any], found: Sequence[KnownValue | None]
    ) -> Sequence[KnownValue | None] | None:
        if not self._rules.late:
            return None
        return [
            self._late_value(leaf) if known is None and isinstance(leaf, jax.core.Tracer) else known
            for known, leaf in zip(found, leaves, strict=True)
        ]

    def _late_value(self, leaf: Any) -> KnownValue:
        """Returns a tensor that the program computes as a value that is known after it has run."""
        for each in self._late:
            if each.traced is leaf:
                return each
        number = len(self._late)
        given = self._rules.late_examples
        example = given[number] if number < len(given) else np.zeros(leaf.shape, leaf.dtype)
        known = KnownValue(HostValue(LATE, number), (example,), traced=leaf)
        self._late.append(known)
        return known

    @property
    def late(self) -> list[Any]:
        """The tensors of the program that functions of the host are called with after it has run."""
        return [each.traced for each in self._late]

    @property
    def late_examples(self) -> list[np.ndarray]:
        """The values that the trace has taken for these."""
        return [each.examples[0] for each in self._late]

    @property
    def dtypes(self) -> list[np.dtype]:
        """The dtypes of the program's inputs."""
        return self._dtypes

    @property
    def shapes(self) -> dict[HostValue, tuple[int, ...]]:
        """The shapes of arguments that are strings, and of all results of functions of the host, in the call that is traced."""
        return self._shapes

    def _sizes_of(self, value: HostValue, shape: Sequence[Any]) -> Sequence[Any]:
        return self._rules.sizes.get(value, shape)

    def _stays(self, tracer: Any) -> bool:
        # What a tape may watch, in the step or around it, is not taken out of the step: it would have no gradient.
        return super()._stays(tracer) or is_inexact(tracer)

    def _level(self) -> Hashable:
        return trace_level()  # a tensor that was made in a branch is none outside of it

    def _example_results(self, call: HostCall, found: Sequence[KnownValue | None]) -> Sequence[Any]:
        # Outside of the trace, where a replica's part of a stacked array is taken, too.
        with init_scope(), self._noting_stand_ins(call):
            examples = [v if k is None else self._example(*k.examples) for k, v in zip(found, call.leaves, strict=True)]
            args, kwargs = jax.tree.unflatten(call.structure, examples)
            return [self._rules.called(call.function)(*args, **kwargs)]

    def _note(self, call: HostCall, result: Sequence[Any], structure: PyTreeDef) -> None:
        if call.is_late(self._late_calls):
            if any(is_array(v) and v.dtype != object for v in result):
                self.need_host(
                    f"it computes on with numbers that {function_name(call.function)}, a function of the host, makes of a "
                    "tensor that it has computed itself"
                )
            self._late_calls.add(len(self._calls))
        self._kinds.append(kind_of_result(call, result, structure))

    def size(self, tracer: Any) -> np.ndarray | None:
        """Returns numbers that a host function has computed, for tensors of such sizes; None for any other tensor.

        Each value has a program of its own, in which they are constants.
        """
        found = self._known.get(id(tracer))
        if found is None or found.name.call < 0:
            return None
        sizes = self._own.sizes.get(found.name)
        self._sizes[found.name] = np.asarray(found.examples[0] if sizes is None else sizes[self._replica])
        return self._sizes[found.name]

    def finished(self) -> HostPrefix:
        """Returns the prefix, at the end of the trace."""
        self._open = False
        return HostPrefix(
            tuple(self._calls),
            tuple(self._inputs),
            tuple(self._shaped),
            tuple(self._sizes),
            self._strings,
            self._plain,
        )

    def findings(self) -> "PrefixFindings":
        """Returns the prefix with the facts that the program depends on, at the end of the trace."""
        prefix = self.finished()
        return PrefixFindings(
            prefix,
            tuple(self._shapes[v] for v in prefix.shaped),
            tuple(plain_sizes(self._sizes[v]) for v in prefix.sizes),
            tuple(self._kinds),
            self._replica,
            self._local,
        )

    def _named(self, leaf: Any) -> KnownValue | None:
        if isinstance(leaf, TracedStrings):
            return KnownValue(leaf.value, (leaf.example,), leaf.own, leaf)
        return self._known.get(id(leaf)) if isinstance(leaf, jax.core.Tracer) else None

    def _know(self, tracer: Any, value: HostValue, example: Any, own: bool) -> None:
        self._known[id(tracer)] = KnownValue(value, (example,), own, tracer)

    def _example(self, leaf: Any) -> Any:
        """Returns the value of a leaf on the replica that is traced, or what stands for it."""
        if not is_per_replica(leaf):
            return leaf
        if self._local is not None:
            return leaf.values[self._local]
        value = leaf.values[0]
        return _resized(value, leaf.shapes[self._replica] if isinstance(leaf, Separate) else value.shape)

    @contextlib.contextmanager
    def _noting_stand_ins(self, call: HostCall) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if call.own and self._local is None:
                raise UnimplementedError(
                    f"{function_name(call.function)} fails for what stands in the place of the strings of replica "
                    f"{self._replica}, which another worker has, in another number of rows than those here: make batches even "
                    f"(`drop_remainder=True`). {error}"
                ) from error
            raise

    def _entered(self, examples: tuple[Any, ...], value: HostValue, call: HostCall) -> Any:
        (leaf,), own = examples, call.own
        if not is_array(leaf):
            self._plain = self._plain and isinstance(leaf, PLAIN)
            return leaf
        if own and self._local is None and value in self._own.shapes:
            # Of the strings that stand for another worker's it may have another shape.
            leaf = _resized(leaf, self._own.shapes[value][self._replica])
        self._shapes[value] = np.shape(leaf)
        if leaf.dtype == object:
            return TracedStrings(value, leaf, own, self)
        self._inputs.append(value)
        self._dtypes.append(np.dtype(leaf.dtype))
        tracer = self._number(leaf, call)
        self._know(tracer, value, leaf, own)
        return tracer


def _resized(value: Any, shape: Sequence[int]) -> Any:
    """Returns a tensor of this shape with entries of the value, repeated."""
    array = np.asarray(value)
    nothing = np.full(shape, b"" if array.dtype == object else 0, array.dtype)
    return (np.resize(array, shape) if array.size else nothing).view(
        type(value) if array.dtype == object else np.ndarray
    )
