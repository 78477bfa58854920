"""What steps that run in other processes are made of: iterators whose elements are there, and programs that go there."""

import abc
from typing import Any, final

import numpy as np

from stratagem._core.step._program import Arguments


class FarSource(abc.ABC):
    """An iterator of another process, where programs run, too: they need not have its elements brought here."""

    @abc.abstractmethod
    def peek(self) -> Any:
        """An element of the shapes that the next one has, as far as is known."""

    @abc.abstractmethod
    def __next__(self) -> Any:
        """The next element, brought here."""

    @abc.abstractmethod
    def stand_in(self) -> Any:
        """In place of the next element, which a program that gets it draws there."""

    @abc.abstractmethod
    def skip(self) -> None:
        """Drop the next element. Raises OutOfRangeError if there is none."""


@final
class FarArray(np.ndarray):
    """A result as it has come from another process. It becomes a tensor when somebody wants one: that takes some time."""


class FarProgram(abc.ABC):
    """A program that may run in another process, where several calls cost little more than one."""

    @abc.abstractmethod
    def often(self, arguments: Arguments, times: int, *, tensors: bool) -> list[Any]:
        """Run up to so many times with the same arguments; returns the result of each.

        Stand-ins among them are the next element each time. What it could not run for any reason is to be called again; what
        it could not run at all, with new stand-ins, since the next element has other shapes than they have. Unless they
        are to be tensors, results may have FarArrays in place of them.
        """
