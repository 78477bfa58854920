"""PrefixRecorder: records what a step that is being traced computes on the host, of strings for example."""

import contextlib
import functools
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, ParamSpec, TypeVar, final

import jax
import numpy as np

from stratagem._base.errors import TracedDecisionError, UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.context import current
from stratagem._core.eager import is_inexact
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._host_prefix import (
    LATE,
    PLAIN,
    HostCall,
    HostPrefix,
    OwnKinds,
    PrefixFindings,
    function_name,
    is_array,
    is_strings,
    kind_of_result,
    plain_sizes,
)
from stratagem._core.step.host._host_rules import AS_CALLED, HostRules
from stratagem._core.step.host._traced_strings import TracedStrings, closed
from stratagem._core.step.keys._eager_mode import init_scope
from stratagem._core.step.keys._host_values import HostValue
from stratagem._core.step.keys._interrupts import HostMode
from stratagem._core.step.keys._program_keys import static_key
from stratagem._core.values import Separate, is_per_replica
from stratagem._private import trace_level

P = ParamSpec("P")
T = TypeVar("T")


@final
class PrefixRecorder:
    """The calls of functions of the host in one trace.

    The values of the call that is traced are known: of its arguments, of the elements drawn for it, and of what host functions
    make of them. What is a number among these is an input of the program; its tracer can be given to further host functions.

    replica: the one whose shapes are traced, by its global id.
    local: its position among this process' replicas; None for another worker's, whose strings are not known here: others of
    the same shapes stand for them. number: makes the program's input for numbers, given them and whether each replica has its
    own. need_host: gives the trace up. rules: what the trace does where it is not that of a call.
    own: of values that every replica has its own of, if they are known.
    """

    def __init__(
        self,
        replica: int,
        local: int | None,
        number: Callable[[Any, bool], Any],
        need_host: Callable[[str], None],
        rules: HostRules = AS_CALLED,
        own: OwnKinds | None = None,
    ) -> None:
        self._rules = rules
        self._replica, self._local = replica, local
        self._number, self._need_host = number, need_host
        self._calls: list[HostCall] = []
        self._inputs: list[HostValue] = []
        self._shaped: list[HostValue] = []
        self._sizes: dict[HostValue, np.ndarray] = {}
        self._own = own or OwnKinds({}, {}, ())
        self._kinds: list[Hashable] = []
        self._known: dict[int, _Known] = {}  # by the identity of their tracers
        self._late: list[_Known] = []
        self._repeatable: dict[Hashable, Any] = {}  # by function and arguments, what the step's function got of it
        self._shapes: dict[HostValue, tuple[int, ...]] = {}
        self._dtypes: list[np.dtype] = []
        self._open, self._strings, self._plain = True, False, True

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

    def called_once(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The same for a function of nothing but its arguments: its result is what it has made of these before in the step."""
        leaves, structure = jax.tree.flatten((args, kwargs))
        found = [self._named(leaf) for leaf in leaves]
        names = (static_key(v) if known is None else known.name for v, known in zip(leaves, found, strict=True))
        key = trace_level(), function, structure, *names  # a tensor that was made in a branch is none outside of it
        if not self._open or key not in self._repeatable:
            self._repeatable[key] = self._called(function, args, kwargs, pure=True)
        return self._repeatable[key]

    def called(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a host function with the values of the call that is traced, and records it, if it is given any of these."""
        return self._called(function, args, kwargs, pure=False)

    def _called(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any], *, pure: bool) -> Any:
        leaves, structure = jax.tree.flatten((args, kwargs))
        strings = [v for v in leaves if isinstance(v, TracedStrings)]
        if not strings and not any(isinstance(v, jax.core.Tracer) for v in leaves):
            return function(*args, **kwargs)
        for each in strings:
            if not self._open or each._recorder is not self:
                closed(each)
        found = [self._named(leaf) for leaf in leaves]
        if any(known is None and isinstance(v, jax.core.Tracer) for known, v in zip(found, leaves, strict=True)):
            if not self._rules.late:
                if not strings:
                    return function(*args, **kwargs)  # which says what it needs
                self.need_host(
                    f"it calls {function_name(function)} with strings and with a tensor that it computes itself"
                )
            found = [self._late_value(v) if k is None else k for k, v in zip(found, leaves, strict=True)]
        own = any(known is not None and known.own for known in found)
        # Outside of the trace, where a replica's part of a stacked array is taken, too.
        with init_scope(), self._noting_stand_ins(function, own):
            examples = [v if k is None else self._example(k.example) for k, v in zip(found, leaves, strict=True)]
            values, again = jax.tree.unflatten(structure, examples)
            result, made = jax.tree.flatten(self._rules.called(function)(*values, **again))
        names = tuple(leaf if known is None else known.name for known, leaf in zip(found, leaves, strict=True))
        call = HostCall(function, names, structure, own, pure)
        late = call.is_late(self._calls)
        if late and any(is_array(v) and v.dtype != object for v in result):
            self.need_host(
                f"it computes on with numbers that {function_name(function)}, a function of the host, makes of a tensor that "
                "it has computed itself"
            )
        self._calls.append(call)
        self._kinds.append(kind_of_result(result, made))
        number = len(self._calls) - 1
        return jax.tree.unflatten(made, [self._entered(v, HostValue(number, i), own) for i, v in enumerate(result)])

    def _late_value(self, leaf: Any) -> "_Known | None":
        """Returns a tensor that the program computes as a value that is known after it has run; None for any other leaf."""
        if not isinstance(leaf, jax.core.Tracer):
            return None
        for each in self._late:
            if each.traced is leaf:
                return each
        number = len(self._late)
        given = self._rules.late_examples
        example = given[number] if number < len(given) else np.zeros(leaf.shape, leaf.dtype)
        known = _Known(HostValue(LATE, number), example, False, leaf)
        self._late.append(known)
        return known

    @property
    def late(self) -> list[Any]:
        """The tensors of the program that functions of the host are called with after it has run."""
        return [each.traced for each in self._late]

    @property
    def late_examples(self) -> list[np.ndarray]:
        """The values that the trace has taken for these."""
        return [each.example for each in self._late]

    @property
    def dtypes(self) -> list[np.dtype]:
        """The dtypes of the program's inputs."""
        return self._dtypes

    @property
    def shapes(self) -> dict[HostValue, tuple[int, ...]]:
        """The shapes of arguments that are strings, and of all results of functions of the host, in the call that is traced."""
        return self._shapes

    def called_if_needed(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function in the step or, if it is given strings or asks for values that are known, as a host function."""
        leaves = jax.tree.leaves((args, kwargs))
        if any(isinstance(v, TracedStrings) for v in leaves):
            return self.called(function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except (HostMode, TracedDecisionError):
            tracers = [v for v in leaves if isinstance(v, jax.core.Tracer)]
            # What a tape may watch, in the step or around it, is not taken out of the step: it would have no gradient.
            if any(self._named(v) is None or is_inexact(v) for v in tracers):
                raise
        return self.called(function, args, kwargs)

    def shape_read(self, value: HostValue, shape: Sequence[Any]) -> Sequence[Any]:
        """Takes note that the step depends on the shape of strings. Those of arguments are a part of their key.

        Returns their sizes: those given, or the unknown ones.
        """
        if value.call >= 0 and value not in self._shaped:
            self._shaped.append(value)
        return self._rules.sizes.get(value, shape)

    def size(self, tracer: Any) -> np.ndarray | None:
        """Returns numbers that a host function has computed, for tensors of such sizes; None for any other tensor.

        Each value has a program of its own, in which they are constants.
        """
        found = self._known.get(id(tracer))
        if found is None or found.name.call < 0:
            return None
        sizes = self._own.sizes.get(found.name)
        self._sizes[found.name] = np.asarray(found.example if sizes is None else sizes[self._replica])
        return self._sizes[found.name]

    def need_host(self, reason: str) -> NoReturn:
        """Gives the trace up because Python needs values; inside a replica this is an error."""
        self._need_host(reason)
        raise AssertionError("a trace with strings is never eager")

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

    def _named(self, leaf: Any) -> "_Known | None":
        if isinstance(leaf, TracedStrings):
            return _Known(leaf.value, leaf.example, leaf.own, leaf)
        return self._known.get(id(leaf)) if isinstance(leaf, jax.core.Tracer) else None

    def _know(self, tracer: Any, value: HostValue, example: Any, own: bool) -> None:
        self._known[id(tracer)] = _Known(value, example, own, tracer)

    def _example(self, leaf: Any) -> Any:
        """Returns the value of a leaf on the replica that is traced, or what stands for it."""
        if not is_per_replica(leaf):
            return leaf
        if self._local is not None:
            return leaf.values[self._local]
        value = leaf.values[0]
        return _resized(value, leaf.shapes[self._replica] if isinstance(leaf, Separate) else value.shape)

    @contextlib.contextmanager
    def _noting_stand_ins(self, function: Callable[..., Any], own: bool) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if own and self._local is None:
                raise UnimplementedError(
                    f"{function_name(function)} fails for what stands in the place of the strings of replica {self._replica}, "
                    "which another worker has, in another number of rows than those here: make batches even "
                    f"(`drop_remainder=True`). {error}"
                ) from error
            raise

    def _entered(self, leaf: Any, value: HostValue, own: bool) -> Any:
        """Returns a part of the result of a host function as the step's function gets it."""
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
        tracer = self._number(leaf, own)
        self._know(tracer, value, leaf, own)
        return tracer


@final
@dataclass(frozen=True, eq=False)
class _Known:
    """A value that is known before the step.

    name: in the prefix. example: in the call that is traced. own: whether each replica has another. traced: what the step has
    in its place, which lives as long as its identity is used.
    """

    name: HostValue
    example: Any
    own: bool
    traced: Any


@final
class NothingKnown:
    """In place of a PrefixRecorder, for traces that are no step's: they know no value, so functions are called as they are."""

    def called(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function."""
        return function(*args, **kwargs)

    called_if_needed = called_once = called

    def size(self, tracer: Any) -> None:
        """Returns None: the value is not known."""


def _resized(value: Any, shape: Sequence[int]) -> Any:
    """Returns a tensor of this shape with entries of the value, repeated."""
    array = np.asarray(value)
    nothing = np.full(shape, b"" if array.dtype == object else 0, array.dtype)
    return (np.resize(array, shape) if array.size else nothing).view(
        type(value) if array.dtype == object else np.ndarray
    )


def host_function_if_needed(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function that sometimes needs the values of its arguments a host function where it does, and for strings.

    In a step it computes in the program if it can: the row lengths of a ragged tensor may decide about shapes, for example.
    """
    return _by_recorder(function, operator.attrgetter("prefix.called_if_needed"))


def host_function(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function that needs the values of its arguments, strings for example, a host function.

    In a step that is being traced it computes with the values of the traced call, and from then on before every run of the
    step's program. That is possible as long as its tensors are arguments of the step, elements drawn for it, or results of
    other host functions; for others, which the step computes, it is called as everywhere.
    """
    return _by_recorder(function, operator.attrgetter("prefix.called"))


def pure_host_function(function: Callable[P, T]) -> Callable[P, T]:
    """The same for a function of nothing but its arguments, which a step calls once however often its code does.

    The same are tensors that the step takes in the same place, or makes of such by such a function, and equal constants.
    """
    return _by_recorder(function, operator.attrgetter("prefix.called_once"))


def _by_recorder(function: Callable[P, T], called: Callable[[Any], Callable[..., Any]]) -> Callable[P, T]:
    """Returns the function as a step's recorder calls it, where there is one. called: its method."""

    @functools.wraps(function)
    def calling(*args: P.args, **kwargs: P.kwargs) -> T:
        recorder = current().recorder
        return function(*args, **kwargs) if recorder is None else called(recorder)(function, args, kwargs)

    return calling
