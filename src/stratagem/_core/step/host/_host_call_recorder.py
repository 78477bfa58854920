"""HostCallRecorder: records the calls of functions of the host in a trace, of strings for example."""

import abc
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

import jax
from jax.tree_util import PyTreeDef

from stratagem._base.errors import TracedDecisionError
from stratagem._base.types import UserFunction
from stratagem._core.step.host._host_calls import HostCall, function_name
from stratagem._core.step.host._traced_strings import TracedStrings, closed
from stratagem._core.step.keys._host_values import HostValue
from stratagem._core.step.keys._program_keys import static_key


@final
@dataclass(frozen=True, eq=False)
class KnownValue:
    """A value that is known before the program runs.

    name: its own in the calls. examples: its values in the trace, of which there may be several. own: whether each replica has
    its own. traced: the tensor of the trace that stands for it, which lives as long as its identity is used.
    """

    name: HostValue
    examples: tuple[Any, ...]
    own: bool = False
    traced: Any = None


class HostCallRecorder(abc.ABC):
    """Abstract: the calls in one trace, whose functions are called with example values.

    A step has those of the call that is traced. A graph has none, and takes several that are made up.

    gives_up: the error with which a trace ends where Python asks for values. need_host: ends it so, given the reason.
    """

    gives_up: type[Exception]

    def __init__(self, need_host: Callable[[str], None]) -> None:
        self._need_host = need_host
        self._calls: list[HostCall] = []
        self._shaped: list[HostValue] = []
        self._repeatable: dict[Hashable, Any] = {}  # by function and arguments, what the code got of it
        self._open = True

    # --- Calls --------------------------------------------------------------------------------------------------------

    def called(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function of the host with examples, and records it, if it is given any value that is known."""
        return self._called(function, args, kwargs, pure=False)

    def called_once(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The same for a function of nothing but its arguments: its result is that of the first call with equal ones."""
        leaves, structure = jax.tree.flatten((args, kwargs))
        found = [self._named(leaf) for leaf in leaves]
        names = (static_key(v) if known is None else known.name for v, known in zip(leaves, found, strict=True))
        key = self._level(), function, structure, *names
        if not self._open or key not in self._repeatable:
            self._repeatable[key] = self._called(function, args, kwargs, pure=True)
        return self._repeatable[key]

    def called_if_needed(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function in the program or, if it is given strings or asks for values that are known, on the host."""
        leaves = jax.tree.leaves((args, kwargs))
        if any(isinstance(v, TracedStrings) for v in leaves):
            return self.called(function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except (self.gives_up, TracedDecisionError):
            if any(self._stays(v) for v in leaves if isinstance(v, jax.core.Tracer)):
                raise
        return self.called(function, args, kwargs)

    def _called(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any], *, pure: bool) -> Any:
        leaves, structure = jax.tree.flatten((args, kwargs))
        strings = [v for v in leaves if isinstance(v, TracedStrings)]
        if not strings and not any(isinstance(v, jax.core.Tracer) for v in leaves):
            return function(*args, **kwargs)
        for each in strings:
            if not self._open or each._recorder is not self:
                closed(each)
        found: Sequence[KnownValue | None] = [self._named(leaf) for leaf in leaves]
        if any(known is None and isinstance(v, jax.core.Tracer) for known, v in zip(found, leaves, strict=True)):
            with_late = self._with_late(leaves, found)
            if with_late is None:
                if not strings:
                    return function(*args, **kwargs)  # which says what it needs
                self.need_host(
                    f"it calls {function_name(function)} with strings and with a tensor that it computes itself"
                )
            found = with_late
        names = tuple(leaf if known is None else known.name for known, leaf in zip(found, leaves, strict=True))
        call = HostCall(function, names, structure, any(k is not None and k.own for k in found), pure)
        flat: list[Any] = [jax.tree.flatten(result) for result in self._example_results(call, found)]
        (first, made), *others = flat
        if any(other != made for _, other in others):
            self.need_host(f"the structure of what {function_name(function)} returns depends on the strings")
        self._note(call, first, made)
        number = len(self._calls)
        self._calls.append(call)
        results = zip(first, *(leaves_made for leaves_made, _ in others), strict=True)
        return jax.tree.unflatten(made, [self._entered(v, HostValue(number, i), call) for i, v in enumerate(results)])

    def need_host(self, reason: str) -> NoReturn:
        """Gives the trace up because Python needs values; inside a replica, and in a graph, this is an error."""
        self._need_host(reason)
        raise AssertionError("a trace with strings is never eager")

    def shape_read(self, value: HostValue, shape: Sequence[Any]) -> Sequence[Any]:
        """Takes note that the program depends on the shape of strings. Those of arguments are a part of their key.

        Returns their sizes: those given, or the unknown ones.
        """
        if value.call >= 0 and value not in self._shaped:
            self._shaped.append(value)
        return self._sizes_of(value, shape)

    # --- Values -------------------------------------------------------------------------------------------------------

    @abc.abstractmethod
    def _named(self, leaf: Any) -> KnownValue | None:
        """Returns what is known of a tensor of the trace; None for one that the program computes, and for constants."""

    @abc.abstractmethod
    def _example_results(self, call: HostCall, found: Sequence[KnownValue | None]) -> Sequence[Any]:
        """Calls a function with each of the examples. found: of its leaves, which are as they are where that is None."""

    @abc.abstractmethod
    def _entered(self, examples: tuple[Any, ...], value: HostValue, call: HostCall) -> Any:
        """Returns a part of the result of a call as the code gets it. examples: its values."""

    @abc.abstractmethod
    def _sizes_of(self, value: HostValue, shape: Sequence[Any]) -> Sequence[Any]:
        """Returns the sizes of strings, some of which may be unknown. shape: that of the first example."""

    def _stays(self, tracer: Any) -> bool:
        """Returns whether a tensor cannot be taken out of the program, to the host."""
        return self._named(tracer) is None

    def _level(self) -> Hashable:
        """Returns the part of the trace whose tensors the present code may use."""
        return None

    def _with_late(
        self, leaves: Sequence[Any], found: Sequence[KnownValue | None]
    ) -> Sequence[KnownValue | None] | None:
        """Returns what is known of leaves, and of those that the program computes, which are known after it has run.

        None where functions cannot be called then.
        """
        return None

    @abc.abstractmethod
    def _note(self, call: HostCall, result: Sequence[Any], structure: PyTreeDef) -> None:
        """Takes note of a call before it is recorded, with its first result. Ends the trace where it cannot be made."""
