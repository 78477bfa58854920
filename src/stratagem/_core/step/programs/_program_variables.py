"""ProgramVariables: the variables of a compiled program, which every call reads and writes."""

import logging
from collections.abc import Callable, Sequence
from operator import attrgetter, is_not
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from stratagem._core.interruption import InterruptedCall
from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.step.programs._program_call import program_call, rows_of
from stratagem._core.step.programs._trace import Trace
from stratagem._core.values import adopt, by_replica, on_read, placement_of, storage
from stratagem._private import has_open_shape, note_new_shape, store, store_all, stored

logger = logging.getLogger("stratagem")

_PLACEMENT, _TRAINABLE = attrgetter("_placement"), attrgetter("_trainable")


class ProgramVariables:
    """The variables of a program, by their treatment: written ones, whose buffers are donated; ones with slots; foreign ones.

    Of a variable with slots every replica stores something else, a slot of its own or a shard.

    Foreign variables lie on another mesh: they are copied for every call.
    """

    def __init__(self, traced: Trace, mesh: ReplicaMesh) -> None:
        self.variables = traced.variables
        self._mesh = mesh
        for variable in self.variables:
            _adopt_unclaimed(variable, mesh)
        self._placements = [placement_of(v) for v in self.variables]
        self._trainable = [v._trainable for v in self.variables]
        self._written = [v for v, _ in traced.written]
        self._settings = traced.settings
        pairs = zip(self.variables, self._placements, strict=True)
        self._foreign = {id(v) for v, p in pairs if p is not None and p.mesh.devices != mesh.devices}
        self._slots = {id(v) for v in self.variables if by_replica(v, mesh) and id(v) not in self._foreign}
        self.slots = [id(v) in self._slots for v in self.variables]
        # What a value of another shape may replace is not donated: its buffer is of no use for that.
        self._open = [(v, i) for i, v in enumerate(self._written) if has_open_shape(v)]
        # Donated buffers go to results in their order, each to the first that fits: so every value replaces the last one.
        # An optimizer reads variables first and writes them last; in two orders the weights would take the place of a slot,
        # and XLA would copy all of them in every step.
        self._donated = [v for v in self._written if not has_open_shape(v)]
        gives = {id(v) for v in self._donated}
        self._read_only = [v for v in self.variables if id(v) not in gives]
        # In the order of the arrays of `read`.
        self.in_order = [*self._donated, *self._read_only]
        self.written_slots = [id(v) in self._slots for v in self._written]

    @property
    def stale(self) -> bool:
        """True if a variable got a new placement or its `trainable` changed, or a setting that the program depends on."""
        # Asked before every call: loops of Python would take longer than the call of a small program.
        return (
            self._settings.changed
            or any(map(is_not, map(_PLACEMENT, self.variables), self._placements))
            or any(map(is_not, map(_TRAINABLE, self.variables), self._trainable))
        )

    def read(self) -> tuple[list[jax.Array], list[jax.Array]]:
        """Returns the arrays that the program reads: those to donate, and those that are only read."""
        if self._foreign:
            return [self._value(v) for v in self._donated], [self._value(v) for v in self._read_only]
        return [v._value for v in self._donated], [v._value for v in self._read_only]

    def run(self, compiled: Callable[..., Any], own: Any, shared: Any, *, first: bool, steps: int = 1) -> Any:
        """Calls a compiled program that takes `steps`, commits the new values, and returns its results, without waiting.

        The program returns the new values of the written variables, and its results.
        """
        rows = rows_of(jax.tree.leaves(own), jax.tree.leaves(shared)) if first else None
        with storage, program_call(self._mesh.job, first=first, steps=steps, rows=rows):
            donated, read_only = self.read()
            try:
                new, outs = compiled(donated, read_only, own, shared)
            except InterruptedCall as interrupt:
                self.write(interrupt.result[0], steps)
                raise KeyboardInterrupt from None
            except KeyboardInterrupt:
                self._warn_of_losses(donated)
                raise
            self.write(new, steps)
            result = new[0] if new else next(iter(jax.tree.leaves(outs)), None)
            if result is not None:
                self._mesh.dispatched.note(result)
        return outs

    def _warn_of_losses(self, donated: Sequence[jax.Array]) -> None:
        lost = [v.path for v, x in zip(self._donated, donated, strict=True) if x.is_deleted()]
        if lost:
            logger.warning(
                "Ctrl-C: the interrupted step has taken the values of %d variables (%s): they have none now. Restore them "
                "from a checkpoint, or create them again.", len(lost), ", ".join(lost[:3]) + ", …" * (len(lost) > 3)
            )  # fmt: skip

    def split(self, arrays: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Returns arrays in this order as two lists, as `read` returns them."""
        n = len(self._donated)
        return list(arrays[:n]), list(arrays[n:])

    def ordered(self) -> list[jax.Array]:
        """Returns the arrays that the program reads, in the order of the variables."""
        return [self._value(v) for v in self.variables]

    def check(self) -> None:
        """Raises NonFiniteError, if the strategy is to stop, when the step before the last has left such values."""
        if self._mesh.non_finite.stops:
            self._mesh.non_finite.check(self._mesh.job)

    def write(self, new: Sequence[jax.Array], steps: int = 1) -> None:
        """Commits the new values after this many steps."""
        if self._mesh.non_finite.stops:
            self._note_for_finiteness(new, steps)
        if not self._foreign:
            store_all(self._written, new)
        else:
            for variable, value in zip(self._written, new, strict=True):
                if id(variable) in self._foreign:
                    variable._direct_assign(self._mesh.first(value))
                else:
                    store(variable, value)
        for variable, position in self._open:
            note_new_shape(variable, tuple(new[position].aval.shape))

    def _note_for_finiteness(self, new: Sequence[jax.Array], steps: int) -> None:
        pairs = [(v, x) for v, x in zip(self._written, new, strict=True) if jnp.issubdtype(x.dtype, jnp.inexact)]
        mirrored = sorted((pair for pair in pairs if not on_read(pair[0])), key=lambda pair: not pair[0]._trainable)
        values = {v.path: self._mesh.first(_of_shards(x) if id(v) in self._slots else x) for v, x in mirrored}
        slots = [self._mesh.unstack(x) for v, x in pairs if id(v) in self._slots and on_read(v)]
        if values:
            own = {replica: [slot[i] for slot in slots] for i, replica in enumerate(self._mesh.local_ids)}
            self._mesh.non_finite.note(steps, values, own)

    def merge(self, donated: Sequence[Any], read_only: Sequence[Any]) -> list[Any]:
        """Returns one replica's values in the order of the variables."""
        given = {id(v): x for v, x in zip(self.in_order, [*donated, *read_only], strict=True)}
        values = [given[id(v)] for v in self.variables]
        return [x[0] if slot else x for x, slot in zip(values, self.slots, strict=True)]

    def specs(self, written: bool) -> list[PartitionSpec]:
        """Returns the layout on the mesh of the donated (written) arrays, or of those that are only read."""
        chosen = self._donated if written else self._read_only
        return [PartitionSpec(AXIS) if id(v) in self._slots else PartitionSpec() for v in chosen]

    def _value(self, variable: Any) -> jax.Array:
        if id(variable) in self._foreign:
            return self._mesh.replicate(variable.value, own=True)
        return stored(variable)


@jax.jit
def _of_shards(shards: jax.Array) -> jax.Array:
    """Returns a number, on all devices, that is finite if all elements of a variable in shards are."""
    return jnp.where(jnp.isfinite(shards).all(), 0.0, jnp.nan)


def _adopt_unclaimed(variable: Any, mesh: ReplicaMesh) -> None:
    """Places a variable without a placement on this mesh, the first that uses it.

    A metric's state that no strategy owns moves here from another mesh: it can only have slots on the program's own mesh.
    """
    placement = placement_of(variable)
    if placement is None or (
        placement.strategy is None and on_read(variable) and placement.mesh.devices != mesh.devices
    ):
        adopt(variable, mesh)
