"""FunctionMessages: files without a name, by which a function goes to the tasks that call it, and their results come back."""

import inspect
import io
import json
import linecache
import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, TracebackType
from typing import Any, Self, final

import cloudpickle
import jax
import keras

from stratagem._base.remote_failure import RemoteFailure
from stratagem._launch._function_call import FunctionCall, FunctionResult, code_of_file
from stratagem._strategies import AbstractStrategy


@final
class FunctionMessages:
    """One file for the function, which all tasks read, and one for the result of each.

    They are in memory and have no name: only a process that has inherited a handle can read or write them, and these are the
    tasks (and what they start). So nobody else's bytes are unpickled, here or there.

    Raises:
        TypeError: the function, or something that it uses, cannot go to another process.
    """

    def __init__(
        self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], tasks: Sequence[str]
    ) -> None:
        data = _packed(fn, args, kwargs)
        self._function = _file("function")
        self._results = {task: _file(f"result of {task}") for task in tasks}
        with open(self._function, "wb", closefd=False) as file:
            file.write(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in (self._function, *self._results.values()):
            os.close(handle)

    def handles(self, task: str) -> list[int]:
        """Returns the handles that a task inherits: the function to read, and where to write its result."""
        return [self._function, self._results[task]]

    def clear(self) -> None:
        """Drops all results, before the tasks are started again."""
        for handle in self._results.values():
            os.truncate(handle, 0)

    def result(self, task: str) -> FunctionResult | None:
        """Returns the result of a task; None if it has returned nothing."""
        found = self._message(task)
        return found if isinstance(found, FunctionResult) else None

    def failure(self, task: str) -> RemoteFailure | None:
        """Returns the failure of a task; None if it has raised nothing."""
        found = self._message(task)
        return found if isinstance(found, RemoteFailure) else None

    def _message(self, task: str) -> Any:
        handle = self._results[task]
        data = os.pread(handle, os.fstat(handle).st_size, 0)
        return pickle.loads(data) if data else None


# What is on devices of this process, or stands for them.
_OF_THIS_PROCESS = {
    jax.Array: "a tensor",
    keras.Variable: "a variable",
    keras.Layer: "a layer or model",
    AbstractStrategy: "a strategy",
}


def _file(name: str) -> int:
    return os.memfd_create(f"stratagem: {name}", os.MFD_CLOEXEC)


def _packed(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
    """Returns a line for Python (where modules are found; the source of cells, which are in no file), and the pickled call."""
    cells = {name: entry[2] for name, entry in linecache.cache.items() if len(entry) == 4 and not os.path.exists(name)}
    about = {"path": sys.path, "sources": cells}
    buffer = io.BytesIO()
    try:
        _CallPickler(buffer, _named_values(fn)).dump((fn, tuple(args), dict(kwargs)))
    except (pickle.PicklingError, TypeError, AttributeError, RuntimeError) as error:
        raise TypeError(
            f"launch: {_name(fn)} cannot be sent to other processes: {error} Make what it computes with inside of it."
        ) from error
    return json.dumps(about).encode() + b"\n" + pickle.dumps(FunctionCall(buffer.getvalue()))


@final
class _CallPickler(cloudpickle.Pickler):  # type: ignore[misc]
    """cloudpickle, which refuses what belongs to the devices of this process, and says by which name the function knows it."""

    def __init__(self, file: io.BytesIO, names: Mapping[int, str]) -> None:
        super().__init__(file)
        self._names = names

    def reducer_override(self, obj: Any) -> Any:
        for kind, what in _OF_THIS_PROCESS.items():
            if isinstance(obj, kind):
                named = f"{self._names[id(obj)]!r}, {what}" if id(obj) in self._names else what
                raise TypeError(f"it uses {named} of this process. Numbers and NumPy arrays can go there.")
        if isinstance(obj, CodeType):  # cloudpickle's own way leaves out the name of the file
            return code_of_file, (obj.co_filename, *self.dispatch_table[CodeType](obj))
        return super().reducer_override(obj)


def _named_values(fn: Callable[..., Any]) -> dict[int, str]:
    function = inspect.unwrap(fn)
    if not inspect.isfunction(function):
        return {}
    found = inspect.getclosurevars(function)
    return {id(value): name for values in (found.globals, found.nonlocals) for name, value in values.items()}


def _name(fn: Callable[..., Any]) -> str:
    return getattr(fn, "__qualname__", repr(fn))
