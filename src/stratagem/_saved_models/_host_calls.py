"""The calls of the host of a SavedModel: functions by their names in a fixed list, with arguments that are plain values.

A file names functions of ours and describes objects of known kinds, whose long lists are attached files. It cannot hold
code: what is called is in `_host_calls`' list, or registered by the class that describes itself (`HostKind`).
"""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.step import (
    LATE,
    ExportedHost,
    HostCall,
    HostResults,
    HostValue,
    host_function_if_needed,
    kind_named,
    kind_of_method,
    late_calls,
)
from stratagem._host_calls import (
    ArgumentReader,
    ArgumentWriter,
    known_function,
    name_of,
    read_array,
    whole_number,
    written_array,
)

_NAMED: Final = ("inputs", "shaped", "strings")


@final
class HostWriter:
    """Writes calls as JSON, and collects what is to be attached: `files`, by name. Equal contents are one file."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._arguments = ArgumentWriter(self._attached)

    def host(self, host: ExportedHost, where: str) -> Any:
        """Returns the work of the host as JSON; None if there is none. where: of what it is, for messages.

        Raises: UnimplementedError for a function that no file may name, ValueError for an argument that has no such form.
        """
        if not host.calls and not host.strings:
            return None
        try:
            calls = [self._call(call) for call in host.calls]
        except UnimplementedError as error:
            raise UnimplementedError(f"{where} cannot be exported: {error}") from None
        named = {key: [[v.call, v.leaf] for v in getattr(host, key)] for key in _NAMED}
        return {"calls": calls, "late": host.late, **named}

    def _call(self, call: HostCall) -> Any:
        arguments = self._arguments.arguments(call)
        kind = kind_of_method(call.function)
        if kind is None:
            return {"function": name_of(call.function), **arguments}
        owner = call.function.__self__  # type: ignore[attr-defined]
        return {"object": kind.name, "facts": self._arguments.value(kind.facts(owner)), **arguments}

    def _attached(self, array: np.ndarray) -> str:
        """Attaches an array; returns the name of its file."""
        content = json.dumps(written_array(array)).encode()
        name = f"host/{hashlib.sha256(content).hexdigest()[:16]}.json"
        self.files[name] = content
        return name


@final
@dataclass(frozen=True)
class LoadedHost:
    """The work of the host before and after a program, of a file.

    calls: in an order in which those that need what the program computes are the last. early: how many others there are.
    late: how many tensors the program returns for the last ones. inputs, shaped, strings: see `ExportedHost`.
    """

    calls: tuple[HostCall, ...] = ()
    early: int = 0
    inputs: tuple[HostValue, ...] = ()
    shaped: tuple[HostValue, ...] = ()
    late: int = 0
    strings: tuple[HostValue, ...] = ()

    def before(self, tensors: Sequence[Any]) -> HostResults:
        """Makes the calls that come before the program. tensors: those of the call."""
        results = HostResults(tensors)
        for call in self.calls[: self.early]:
            results.make(call, kind_of=None)
        return results

    def after(self, results: HostResults, late: Sequence[Any]) -> None:
        """Makes the calls that come after it, and adds their results. late: what the program has returned for them."""
        results.late = late
        for call in self.calls[self.early :]:
            results.make(call, kind_of=None)


@final
class HostReader:
    """Reads calls from JSON. read: returns the contents of an attached file. Equal objects are made once."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._objects: dict[str, UserFunction] = {}
        self._arguments = ArgumentReader(functools.cache(self._attached))

    def host(self, found: Any, tensors: int) -> LoadedHost:
        """Returns the work of the host. tensors: how many the call has.

        Raises: ValueError, TypeError, KeyError or AttributeError for what `HostWriter` never writes, such as a function that is
        not in the list.
        """
        if found is None:
            return LoadedHost()
        calls: list[HostCall] = []
        for call in found["calls"]:
            calls.append(self._arguments.call(self._function(call), call))
            for each in calls[-1].named:
                _check(each, len(calls) - 1, tensors, found["late"])
        named = {key: tuple(HostValue(*map(whole_number, each)) for each in found[key]) for key in _NAMED}
        for each in (value for values in named.values() for value in values):
            _check(each, len(calls), tensors, 0)
        return _in_order(calls, whole_number(found["late"]), named)

    def _function(self, call: dict[str, Any]) -> UserFunction:
        if "function" in call:
            try:
                return known_function(call["function"])
            except KeyError:
                raise ValueError(
                    f"it calls {call['function']!r:.80}, which is no function that a SavedModel may name"
                ) from None
        text = json.dumps([call["object"], call["facts"]])
        if text not in self._objects:
            try:
                kind = kind_named(call["object"])
            except KeyError:
                raise ValueError(f"it has an object of the kind {call['object']!r:.80}, which is not known") from None
            self._objects[text] = host_function_if_needed(kind.make(self._arguments.value(call["facts"])))
        return self._objects[text]

    def _attached(self, name: str) -> np.ndarray:
        return read_array(**json.loads(self._read(name)))


def _in_order(calls: Sequence[HostCall], late: int, named: Mapping[str, Sequence[HostValue]]) -> LoadedHost:
    """Returns the work of the host with the calls that come before the program first, and the names that follow from that."""
    after = late_calls(calls)
    order = [*(i for i in range(len(calls)) if i not in after), *sorted(after)]
    numbers = {before: now for now, before in enumerate(order)}

    def renamed(value: Any) -> Any:
        if not isinstance(value, HostValue):
            return value
        return HostValue(numbers.get(value.call, value.call), value.leaf)

    ordered = (dataclasses.replace(calls[i], leaves=tuple(map(renamed, calls[i].leaves))) for i in order)
    return LoadedHost(
        tuple(ordered),
        len(calls) - len(after),
        late=late,
        **{key: tuple(map(renamed, values)) for key, values in named.items()},
    )


def _check(value: HostValue, calls: int, tensors: int, late: int) -> None:
    """Raises ValueError for the name of a value that is not there yet."""
    limits = {-1: tensors, LATE: late}
    if value.leaf < 0 or not (value.leaf < limits.get(value.call, 0) or 0 <= value.call < calls):
        raise ValueError(f"a value that is not there: {value}")
