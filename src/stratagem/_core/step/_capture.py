"""Capture: traces imperative code abstractly and records which variables it reads and writes, and what it draws."""

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
import keras

from stratagem._base.errors import ContextError, MixedStrategiesError, OutOfRangeError, TracedDecisionError
from stratagem._core.context import Context, current, recording
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._aggregation import as_one, own_share
from stratagem._core.step._checks import Check, note_check
from stratagem._core.step._gather import concatenated, gathered
from stratagem._core.step._held import Held
from stratagem._core.step._layout import BatchLayout, Shape, UnknownShapes
from stratagem._core.step._sums import summed
from stratagem._core.step._update import RemoteUpdate
from stratagem._core.values import (
    PerReplica,
    Separate,
    Stacked,
    is_per_replica,
    on_read,
    placement_of,
)
from stratagem._private import AtLevel, is_seed_state, trace_level


class HostMode(Exception):  # never seen by users: it ends a trace, it is no error
    """The traced function needs values: run it in Python instead."""


class Unexplored(Exception):
    """The traced function draws more than the trace of another signature found: explore this one."""


class OtherMesh(Exception):
    """The traced function uses a strategy with another mesh than the one the trace assumed: start again with it."""

    def __init__(self, mesh: ReplicaMesh) -> None:
        super().__init__()
        self.mesh = mesh


class InTrace(PerReplica):
    """A value that exists once a replica, seen from cross-replica code inside a trace: this replica's tracer."""

    def __init__(self, local: Any, replicas: int) -> None:
        self.local = local
        self._replicas = replicas

    @property
    def values(self) -> tuple[Any, ...]:
        """Every replica's value, gathered: a collective."""
        return tuple(gathered(self.local))


class Capture(keras.StatelessScope):  # type: ignore[misc]
    """One trace. Keras sends every read and write of a variable here; contexts find it as their recorder.

    mesh: the replicas that the program will run on.
    variables: those found by an earlier trace, which become inputs; None while discovering them.
    connections: for calls of `tape.gradient` by number, which sources are connected (all, where not listed).
    optimizers: those that have updated variables. follows_settings: True while another setting of one has to be noticed.
    layout: for an uneven batch, what it looks like on all replicas.
    """

    def __init__(
        self,
        mesh: ReplicaMesh,
        variables: Sequence[Any] | None,
        connections: dict[int, tuple[bool, ...]] | None = None,
        layout: BatchLayout | None = None,
    ) -> None:
        super().__init__(collect_losses=True)
        self.mesh = mesh
        self.strategy: Any = None
        self.discovering = variables is None
        self.variables: dict[int, Any] = {id(v): v for v in variables or ()}
        self.values: dict[int, Any] = {}
        self.written: dict[int, str] = {}
        self.tapes: list[Any] = []
        self.sources: list[Any] = []
        self.updates: list[RemoteUpdate] = []
        self.checks: list[Check] = []
        self.summed = False
        self.optimizers: list[Any] = []
        self.follows_settings = False
        self._drawn: list[Any] = []
        self._connections = connections or {}
        self._calls = itertools.count()
        self._layout = layout
        self._gathers = itertools.count()
        self._to_average: dict[int, Any] = {}
        self._aggregated_reads = False
        self._ignored: Callable[[Any], bool] = lambda variable: False
        self._totals: dict[int, tuple[Any, Any]] = {}

    def begin(self, values: dict[int, Any], drawn: Sequence[Any]) -> None:
        """Start the trace proper: the tracers of the known variables and of the elements drawn before the call."""
        self.values, self._drawn = values, list(drawn)
        self._level = AtLevel(trace_level())

    @property
    def even(self) -> bool:
        """True while all replicas' inputs have the same shapes."""
        return self._layout is None

    @property
    def scope(self) -> Any:
        """This capture itself, also where a branch or loop body has put something in front of it."""
        return self

    # --- Variables ----------------------------------------------------------------------------------------------------

    def get_current_value(self, variable: Any) -> Any:
        """What Keras reads: the replica's own value, or the aggregate in cross-replica code."""
        return self.read_slot(variable, self.slot(variable))

    def slot(self, variable: Any) -> Any:
        """What this replica has of a variable at this point."""
        if id(variable) in self._to_average:
            self.average_pending()
        value = self.value_of(variable)
        for tape in self.tapes:
            tape.note_read(variable)
        return value

    def read_slot(self, variable: Any, slot: Any) -> Any:
        """What code at this point reads of a variable of which this replica has `slot`."""
        if not on_read(variable) or self.mesh.num_replicas == 1:
            return slot
        if self.in_replica(current()) and not self._aggregated_reads:
            return slot
        if self.values.get(id(variable)) is not slot:
            return self._aggregate(variable, slot)
        with self._level:
            return self._aggregate(variable, slot)

    def value_of(self, variable: Any) -> Any:
        """The variable's value in this trace (for a sync-on-read one: the replica's own slot)."""
        self.variables.setdefault(id(variable), variable)
        self._check_strategy(variable)
        value = self.values.get(id(variable))
        return _any_value(variable.shape, variable._dtype) if value is None else value

    def trainable(self) -> list[Any]:
        """The trainable variables known to this trace."""
        return [v for v in self.variables.values() if v.trainable and id(v) in self.values]

    def add_update(self, update: tuple[Any, Any]) -> None:
        """What Keras assigns."""
        variable, value = update
        self.variables.setdefault(id(variable), variable)
        self._check_strategy(variable)
        if on_read(variable):
            value = self.to_slot(variable, value)
        elif variable.aggregation == "mean" and self._aggregates():
            self._check_created_in_scope(variable)
            self._to_average[id(variable)] = value
        else:
            value = self.to_copy(variable, value)
        self.write(variable, value)

    def write(self, variable: Any, value: Any) -> None:
        """Record a value that needs no aggregation any more."""
        if self._ignored(variable):
            return
        # Under a tape an assigned value is a value of its own: as in TF, no gradient flows through an assignment.
        self.values[id(variable)] = jax.lax.stop_gradient(value) if self.tapes else value
        self.written[id(variable)] = _user_line()
        for tape in self.tapes:
            tape.note_assignment(variable)

    def keep(self, variable: Any, value: Any) -> None:
        """What this replica has of a variable from here on."""
        self.variables.setdefault(id(variable), variable)
        self._check_strategy(variable)
        self.write(variable, value)

    def to_copy(self, variable: Any, value: Any) -> Any:
        """What all replicas have of a mirrored variable to which code at this point assigns `value`."""
        if not self._aggregates():
            return value
        self._check_created_in_scope(variable)
        return value if variable.aggregation == "none" else as_one(variable, value)

    def to_slot(self, variable: Any, value: Any) -> Any:
        """This replica's slot of a sync-on-read variable to which code at this point assigns `value`."""
        replicas = self.mesh.num_replicas
        return value if self.in_replica(current()) or replicas == 1 else own_share(variable, value, replicas)

    def add(self, variable: Any, delta: Any, sign: int, scope: Any = None) -> bool:
        """`assign_add` where it is no read and assignment. False: it is one.

        Of a mirrored variable with aggregation SUM it adds every replica's amount; in cross-replica code it adds to every slot
        of a sync-on-read variable. scope: the branch in which it is called.
        """
        summed_up = variable.aggregation == "sum"
        # What is left is a mirrored variable that adds up in replicas, or a sync-on-read one that does not, outside of them.
        if self.mesh.num_replicas == 1 or summed_up is on_read(variable) or summed_up is not self.in_replica(current()):
            return False
        where, delta = scope or self, jnp.asarray(delta, dtype=variable._dtype)
        if summed_up:
            self._check_created_in_scope(variable)
            delta = as_one(variable, delta)
        where.keep(variable, where.slot(variable) + (delta if sign > 0 else -delta))
        return True

    def create(self, variable: Any) -> None:
        """A variable is being created inside the trace: allowed in the first one only."""
        if not self.discovering:
            raise ValueError(
                "A compiled step tried to create variables on a call other than its first. Create layers, metrics, "
                "optimizers and tf.Variables outside of the step, or only when the step runs for the first time."
            )

    @contextlib.contextmanager
    def taking_back(self, kept: Callable[[Any], bool]) -> Iterator[None]:
        """What the body assigns is forgotten at its end, but for variables that are `kept`."""
        values, written, pending = dict(self.values), dict(self.written), dict(self._to_average)
        yield
        for key in [key for key in self.written if not kept(self.variables[key])]:
            for now, before in ((self.values, values), (self.written, written), (self._to_average, pending)):
                _put_back(key, now, before)

    @contextlib.contextmanager
    def ignoring(self, ignored: Callable[[Any], bool]) -> Iterator[None]:
        """In the body, variables that are `ignored` keep their values, whatever it assigns."""
        before, self._ignored = self._ignored, ignored
        try:
            yield
        finally:
            self._ignored = before

    def average_pending(self) -> None:
        """Average over replicas what was assigned to variables with aggregation MEAN: one collective for all."""
        pending, self._to_average = self._to_average, {}
        with self._level:
            totals = summed(list(pending.values()), self.mesh.devices[0].platform)
            self.values.update(zip(pending, (total / self.mesh.num_replicas for total in totals), strict=True))

    @contextlib.contextmanager
    def aggregated_reads(self) -> Iterator[None]:
        """In the body, reading a sync-on-read variable gives its aggregate over all replicas, also inside a replica."""
        before, self._aggregated_reads = self._aggregated_reads, True
        try:
            yield
        finally:
            self._aggregated_reads = before

    def _aggregate(self, variable: Any, slot: Any) -> Any:
        """The one value of all slots. The trainer's steps read all metrics: there the sums travel together."""
        alone = current().rows is None or self.discovering or self.values.get(id(variable)) is not slot
        if alone or variable.aggregation != "sum":
            return as_one(variable, slot)
        known, total = self._totals.get(id(variable), (None, None))
        if known is not slot:
            slots = {k: self.values[k] for k, v in self.variables.items() if on_read(v) and v.aggregation == "sum"}
            totals = summed(list(slots.values()), self.mesh.devices[0].platform)
            self._totals = {k: (s, t) for (k, s), t in zip(slots.items(), totals, strict=True)}
            total = self._totals[id(variable)][1]
        return total

    def _aggregates(self) -> bool:
        """True where several replicas assign at once, each its own value."""
        return self.mesh.num_replicas > 1 and self.in_replica(current())

    def _check_strategy(self, variable: Any) -> None:
        placement = placement_of(variable)
        if placement is None or placement.strategy is None:
            return
        if self.discovering and self.mesh.num_replicas == 1 < placement.mesh.num_replicas and on_read(variable):
            raise OtherMesh(placement.mesh)  # every replica has a slot of it
        if self.strategy not in (None, placement.strategy):
            raise MixedStrategiesError(
                f"Mixing different tf.distribute.Strategy objects: variable {variable.path} was created under "
                f"{placement.strategy}, but the step runs under {self.strategy}."
            )

    def _check_created_in_scope(self, variable: Any) -> None:
        placement = placement_of(variable)
        if (placement is None or placement.strategy is None) and not is_seed_state(variable):
            raise ContextError(
                f"Variable {variable.path} was created outside of strategy.scope() and is assigned inside "
                f"strategy.run, where {self.mesh.num_replicas} replicas would each change it. Create it, or the model, "
                "optimizer or metric that it belongs to, within strategy.scope()."
            )

    # --- Data, decisions, gradients -----------------------------------------------------------------------------------

    def draw(self, source: Any) -> Any:
        """The next element of an iterator, as an input of the program (drawn before every call)."""
        if self.in_replica(current()):
            raise ValueError(
                "next(iterator) should be called from outside of replica_fn: draw in the function that calls "
                "strategy.run, and pass the element as an argument."
            )
        self.sources.append(source)
        return self._element(len(self.sources) - 1, source)

    def from_outside(self, value: Any) -> Any:
        """A PerReplica value as the trace sees it: one that the code has from outside becomes an input of the program."""
        if isinstance(value, InTrace):
            return value
        held = [source for source in self.sources if isinstance(source, Held) and source.value is value]
        if not held:
            held = [Held(value)]
            self.sources.append(held[0])
        return self._element(self.sources.index(held[0]), held[0])

    def _element(self, position: int, source: Any) -> Any:
        if position < len(self._drawn):
            return self._drawn[position]
        if not self.discovering:
            raise Unexplored
        try:
            example = source.peek()
        except StopIteration:
            raise OutOfRangeError("End of sequence: an iterator that the step draws from is empty.") from None
        return jax.tree.map(self._like, example, is_leaf=is_per_replica)

    def _like(self, leaf: Any) -> Any:
        example = leaf
        if isinstance(leaf, Stacked | Separate):
            example = leaf.values[0]
        if not hasattr(example, "dtype") or example.dtype == object:
            raise HostMode(f"it draws elements of type {type(example).__name__}")
        value = _any_value(example.shape, example.dtype)
        return InTrace(value, self.mesh.num_replicas) if is_per_replica(leaf) else value

    def need_host(self, reason: str) -> None:
        """Python needs values. Raises: in a replica an error for the user, else the sign to run in Python."""
        if self.in_replica(current()):
            raise TracedDecisionError(
                f"Inside strategy.run {reason}, which needs values while the step is being compiled."
            )
        raise HostMode(reason)

    def check(self, fails: Any, text: str, values: Mapping[str, Any]) -> None:
        """A check that is known when the program runs: then it is an error with this text and these values, or nothing."""
        note_check(self.checks, fails, text, values)

    def shapes_everywhere(self, shape: Shape) -> tuple[Shape, ...]:
        """The shapes on all replicas of a value that is gathered and has this one here."""
        call = next(self._gathers)
        if self._layout is None:
            return (shape,) * self.mesh.num_replicas
        if call == len(self._layout.gathered):
            raise UnknownShapes(shape)
        return self._layout.gathered[call]

    def gather_rows(self, value: Any) -> Any:
        """The replicas' values one after another along axis 0."""
        return concatenated(value, 0)

    def next_gradient(self) -> int:
        """A number for a call of tape.gradient, the same in every trace of the same code."""
        return next(self._calls)

    def connected(self, call: int, sources: int) -> tuple[bool, ...]:
        """Which sources of that call have a path to the target, as far as earlier traces told."""
        known = self._connections.get(call, ())
        return known if len(known) == sources else (True,) * sources

    @staticmethod
    def in_replica(context: Context) -> bool:
        """True inside a replica function of a real strategy."""
        return context.replica is not None


def capturing() -> Capture:
    """The capture of code that runs only while a step is traced; in a branch or loop body, what hands on to it."""
    return cast(Capture, recording())


def _any_value(shape: Shape, dtype: Any) -> Any:
    """While discovering, values do not matter, only shapes; a fresh constant is right at any level of tracing.

    A copy of it, as a tape cannot watch a scalar that JAX writes into the equations.
    """
    return jnp.copy(jnp.zeros(shape, dtype))


def _put_back(key: int, now: dict[int, Any], before: dict[int, Any]) -> None:
    if key in before:
        now[key] = before[key]
    else:
        now.pop(key, None)


_OWN = ("stratagem", "keras", "jax", "contextlib")


def _user_line() -> str:
    """Where in the user's code the present call comes from."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OWN:
        frame = frame.f_back
    return "unknown line" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
