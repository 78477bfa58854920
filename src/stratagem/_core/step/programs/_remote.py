"""The interfaces of remote variables, programs, iterators and results, as a step uses them."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax
import keras
import numpy as np

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.host._host_prefix import HostPrefix, PrefixValues
from stratagem._core.step.programs._trace import Trace
from stratagem._core.step.recording._arguments import Arguments
from stratagem._core.values import Placement, is_remote, placement_of


@dataclass(frozen=True, eq=False)
class RemotePlacement(Placement, abc.ABC):
    """The placement of a variable that lies in another process or on a server. Makes the programs of steps that use it."""

    remote: ClassVar[bool] = True

    @abc.abstractmethod
    def program(self, traced: Trace, arguments: Arguments, mesh: ReplicaMesh) -> "RemoteProgram":
        """Returns the program of a step that was traced with these arguments."""

    @abc.abstractmethod
    def apply_gradients(
        self,
        optimizer: keras.optimizers.Optimizer,
        gradients: Sequence[Any],
        variables: Sequence[keras.Variable],
    ) -> None:
        """Within a trace: leaves an optimizer's update to the servers; later code of the step reads the updated values.

        gradients: tensors of the variables' shapes, or None.
        """

    @abc.abstractmethod
    def lookup(self, shards: Sequence[keras.Variable], ids: jax.Array) -> jax.Array:
        """Within a trace: returns the rows (*ids.shape, ...) of a table at `ids`, integers.

        shards: its variables, this one's first.
        """

    @abc.abstractmethod
    def rows(self, shards: Sequence[keras.Variable], ids: jax.Array) -> jax.Array:
        """Returns the same rows as `lookup`, outside of a trace. Raises InvalidArgumentError for an id outside the table."""


def remote_placement(variable: Any) -> RemotePlacement | None:
    """Returns the placement of a remote variable; None for all others."""
    placement = placement_of(variable)
    return placement if isinstance(placement, RemotePlacement) and is_remote(variable) else None


class RemoteIterator(abc.ABC):
    """An iterator in another process, where programs run as well: they need not bring its elements here."""

    @abc.abstractmethod
    def peek(self) -> Any:
        """Returns an element with the shapes of the next one, as far as they are known."""

    @abc.abstractmethod
    def __next__(self) -> Any:
        """Brings the next element here and returns it."""

    @abc.abstractmethod
    def stand_in(self) -> Any:
        """Returns a stand-in for the next element; a program that takes it draws the element in the other process."""

    @abc.abstractmethod
    def skip(self) -> None:
        """Drops the next element. Raises OutOfRangeError if there is none."""


class RemoteHost(abc.ABC):
    """A worker in another process that computes there what the host has to before a step."""

    @abc.abstractmethod
    def carries(self, prefix: HostPrefix) -> bool:
        """Returns whether the worker can run a prefix: what it calls can go there, and cannot change unseen."""

    @abc.abstractmethod
    def expected(self, prefix: HostPrefix, leaves: Sequence[Any], mesh: ReplicaMesh) -> PrefixValues:
        """Returns stand-ins for what the worker will compute, of the kinds that are expected.

        A program that takes them computes there with each step, and takes no step for which there are other kinds. leaves: as
        in `HostPrefix.run`, with stand-ins.
        """


@final
class ReceivedArray(np.ndarray):
    """A result that came from another process, as a NumPy array.

    It is converted to a tensor when one is needed: that takes time.
    """


class RemoteProgram(abc.ABC):
    """A program that may run in another process, where several calls cost little more than one."""

    @property
    @abc.abstractmethod
    def stale(self) -> bool:
        """True if the program is out of date and has to be made again."""

    @abc.abstractmethod
    def __call__(self, arguments: Arguments) -> Any:
        """Runs once, with arguments that have no stand-ins."""

    @abc.abstractmethod
    def repeat(self, arguments: Arguments, times: int, *, tensors: bool) -> list[Any]:
        """Runs up to `times` times with the same arguments; returns the result of each run.

        In every run, a stand-in is the iterator's next element. The caller calls again for runs that are missing; if
        there are none, with new stand-ins, since the next element has other shapes. tensors: results are tensors;
        otherwise they may be RemoteArrays.
        """
