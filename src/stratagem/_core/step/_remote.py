"""What lies and runs elsewhere, as a step knows it: placements that make programs, those programs, iterators, results."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax
import numpy as np

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._program import Arguments, Trace
from stratagem._core.values import Placement, is_remote, placement_of


@dataclass(frozen=True, eq=False)
class RemotePlacement(Placement, abc.ABC):
    """Of a variable that is kept elsewhere. It makes the programs of steps that use the variable."""

    remote: ClassVar[bool] = True

    @abc.abstractmethod
    def program(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> "RemoteProgram":
        """The program of a step, traced with these arguments."""

    @abc.abstractmethod
    def apply_gradients(self, optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any]) -> None:
        """In a trace: leave an optimizer's update of these variables to where they are; what follows reads the values after it.

        gradients: tensors of the variables' shapes, or None.
        """

    @abc.abstractmethod
    def lookup(self, shards: Sequence[Any], ids: jax.Array) -> jax.Array:
        """In a trace: the rows (*ids.shape, ...) of a table at `ids`, integers. shards: its variables, this one's first."""

    @abc.abstractmethod
    def rows(self, shards: Sequence[Any], ids: jax.Array) -> jax.Array:
        """As `lookup`, outside of a trace. Raises InvalidArgumentError for an id that is no row's."""


def remote_placement(variable: Any) -> RemotePlacement | None:
    """The placement of a variable that is kept elsewhere; None for all others."""
    placement = placement_of(variable)
    return placement if isinstance(placement, RemotePlacement) and is_remote(variable) else None


class RemoteIterator(abc.ABC):
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
class RemoteArray(np.ndarray):
    """A result as it has come from another process. It becomes a tensor when somebody wants one: that takes some time."""


class RemoteProgram(abc.ABC):
    """A program that may run in another process, where several calls cost little more than one."""

    @property
    @abc.abstractmethod
    def stale(self) -> bool:
        """True once it no longer computes what the step would: it is to be made anew."""

    @abc.abstractmethod
    def __call__(self, arguments: Arguments) -> Any:
        """Run once, with arguments that have no stand-ins."""

    @abc.abstractmethod
    def repeat(self, arguments: Arguments, times: int, *, tensors: bool) -> list[Any]:
        """Run up to so many times with the same arguments; returns the result of each.

        Stand-ins among them are the next element each time. What it could not run for any reason is to be called again; what
        it could not run at all, with new stand-ins, since the next element has other shapes than they have. Unless they
        are to be tensors, results may have RemoteArrays in place of them.
        """
