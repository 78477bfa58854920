"""Analyses a step's program: which subprogram each equation is in, and what servers do between two subprograms.

A program becomes   P0  C0  P1  C1  P2 ...
  P, subprogram: equations that the worker runs, as one compiled function.
  C, call:  the rows that subprograms before it asked for, and the updates whose gradients are computed.
A table (a variable that is only looked up in, and updated) never leaves its servers: its rows are inputs of a
subprogram, and its gradient is that of these rows.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax.extend import core as xc

from stratagem._base.errors import UnimplementedError
from stratagem._core.step import RemoteUpdate, Trace, has_side_effects
from stratagem._core.values import is_remote
from stratagem._private import is_literal, needed_equations
from stratagem._servers.remote._inlined import inlined
from stratagem._servers.remote._markers import apply_p, lookup_p, scatter_p
from stratagem._servers.remote._row_rules import RowGradientType, Rule, sparse_rule

Var = Any
Eqn = Any

# A variable that is not only looked up in is sent whole to every worker at every step. A larger one than this is an error.
WHOLE_LIMIT = 256 << 20

_ALIASES = ("stop_gradient", "copy", "copy_p")


@dataclass(frozen=True, eq=False)
class LookupGroup:
    """Look-ups in one table, made in one call.

    shards: positions of the table's variables among the trace's. ids: the values that are looked up. updated: whether
    an update of this step comes before the look-ups.
    """

    shards: tuple[int, ...]
    call: int
    updated: bool
    ids: dict[Var, None]


@dataclass(frozen=True, eq=False)
class AppliedUpdate:
    """An update. Its call comes after its last gradient and after all look-ups in the values that it replaces.

    positions: of the variables. gradients: the value for each, and then the numbers of the update. groups: for each gradient
    that is rows, the index of the group whose rows they are and of the shard in it; None for a dense gradient and a number.
    """

    update: RemoteUpdate
    positions: tuple[int, ...]
    gradients: tuple[Any, ...]
    groups: tuple[tuple[int, int] | None, ...]
    call: int


@dataclass(frozen=True, eq=False)
class VariableChange:
    """A change at the end of the step of the variable at this position: `value` is added to it, or replaces it.

    minus: a value to subtract from `value` first; None for nothing.
    """

    position: int
    value: Any
    minus: Any
    adds: bool


class StepAnalysis:
    """The values that one program reads whole, looks up, applies and changes, and the subprogram of each of its equations.

    level: for each value the first subprogram that may use it. place: for each equation, by id, its subprogram.
    position_of: for each value that is a version of a variable, the position of the variable.
    """

    def __init__(self, traced: Trace, outs: int) -> None:
        """outs: the number of the program's outputs that are results; the others are the new values of `traced.written`."""
        self.traced = traced
        self.consts = dict(zip(traced.closed.jaxpr.constvars, traced.closed.consts, strict=True))
        self.inputs = list(traced.closed.jaxpr.invars)
        self.eqns, self.outs = inlined(traced.closed.jaxpr, _ALIASES)
        self.defined = {v: e for e in self.eqns for v in e.outvars}
        self.whole: set[int] = set()
        while not self._analyse(outs):
            pass
        self.live_eqns = self._find_live_eqns()
        self._drop_unused_lookups()

    def _analyse(self, outs: int) -> bool:
        """Analyses all equations once.

        Returns False if another variable turned out to be needed whole; then it is called again.
        """
        self.position_of: dict[Var, int] = {v: i for i, v in enumerate(self.inputs[: len(self.traced.variables)])}
        self.level: dict[Var, int] = dict.fromkeys([*self.inputs, *self.consts], 0)
        self.sparse: dict[Var, RowGradientType] = {}
        self.rules: dict[int, Rule] = {}
        self.groups: list[LookupGroup] = []
        self.group_of: dict[int, int] = {}
        self.applied: list[AppliedUpdate] = []
        self.used: set[Var] = set()
        self._ids: dict[Any, int] = {}  # by ids, table and its shards' sizes: the group that last looked them up
        self._last_lookup: dict[Var, int] = {}  # by version of a table: the call of the last look-up in it
        before = len(self.whole)
        self.place: dict[int, int] = {}
        for eqn in self.eqns:
            self._note(eqn)
        self.results = self.outs[:outs]
        for v in self.results:
            self._use(v, "a result of the step")
        self.changes = [
            c for p, o in zip(self.traced.written, self.outs[outs:], strict=True) if (c := self._change(p[0], o))
        ]
        return len(self.whole) == before

    def _note(self, eqn: Eqn) -> None:
        ins = [v for v in eqn.invars if not is_literal(v)]
        level = max((self.level[v] for v in ins), default=0)
        if eqn.primitive is apply_p:
            level = self._note_apply(eqn)
        elif eqn.primitive is lookup_p and self._is_table(eqn.invars[:-1]):
            level = self._note_lookup(eqn)
        elif eqn.primitive is scatter_p and self._note_scatter(eqn):
            # Even a gradient that does not depend on the rows comes after their look-up, which says which rows they are.
            level = max(level, self.groups[self.group_of[id(eqn)]].call + 1)
        elif (rule := sparse_rule(eqn, self.sparse, self.defined)) is not None:
            self.rules[id(eqn)] = rule[0]
            if rule[1] is not None:
                self.sparse[eqn.outvars[0]] = rule[1]
        else:
            for v in ins:
                self._use(v, f"`{eqn.primitive.name}`")
        self.place[id(eqn)] = level
        self.level.update((v, level) for v in eqn.outvars)

    def _is_table(self, shards: Sequence[Any]) -> bool:
        """Returns whether these are versions of variables that no other equation needs whole."""
        return all(
            not is_literal(v) and v in self.position_of and self.position_of[v] not in self.whole for v in shards
        )

    def _note_lookup(self, eqn: Eqn) -> int:
        *shards, ids = eqn.invars
        call = max(self._level(v) for v in eqn.invars)
        positions = tuple(self.position_of[v] for v in shards)
        number = next((i for i, g in enumerate(self.groups) if (g.shards, g.call) == (positions, call)), None)
        if number is None:
            number = len(self.groups)
            updated = not all(v in self.inputs for v in shards)
            self.groups.append(LookupGroup(positions, call, updated, {}))
        self.groups[number].ids[ids] = None
        self.group_of[id(eqn)] = number
        self._ids[ids, eqn.params["table"], tuple(v.aval.shape[0] for v in shards)] = number
        self._last_lookup.update((v, max(call, self._last_lookup.get(v, 0))) for v in shards)
        if not is_literal(ids):
            self._use(ids, "the ids of a look-up")
        return call + 1

    def _note_scatter(self, eqn: Eqn) -> bool:
        """Notes the gradient of a look-up, which is rows. Returns False if the look-up was not noted as one in a table."""
        rows, ids = eqn.invars
        number = self._ids.get((ids, eqn.params["table"], eqn.params["sizes"]))
        if number is None:
            return False
        self.group_of[id(eqn)] = number
        self.sparse.update((v, RowGradientType(number, i)) for i, v in enumerate(eqn.outvars))
        if not is_literal(rows):
            self._use(rows, "the gradient of a look-up")
        return True

    def _note_apply(self, eqn: Eqn) -> int:
        update: RemoteUpdate = self.traced.updates[eqn.params["update"][0]]
        n = len(update.variables)
        values, gradients = eqn.invars[: n + len(update.counted)], eqn.invars[n + len(update.counted) :]
        for v in values:
            if v not in self.position_of:
                raise UnimplementedError(
                    f"{update.optimizer.name}: a step assigns a variable on a parameter server and then updates it by the "
                    "optimizer. Make these two steps, or assign after the update."
                )
        call = max(max(self._level(v), self._last_lookup.get(v, 0)) for v in eqn.invars if not is_literal(v))
        groups: list[tuple[int, int] | None] = []
        for v, value in zip(gradients[:n], values[:n], strict=True):
            kind = None if is_literal(v) else self.sparse.get(v)
            if kind is not None and self.groups[kind.group].shards[kind.shard] != self.position_of[value]:
                self._use(v, "an update of another variable than the one that the rows are of")
                kind = None
            if kind is None and not is_literal(v):
                self.used.add(v)
            groups.append(None if kind is None else (kind.group, kind.shard))
        for v in gradients[n:]:
            groups.append(None)
            self._use(v, "a setting of an optimizer")
        positions = tuple(self.position_of[v] for v in values)
        self.applied.append(AppliedUpdate(update, positions, tuple(gradients), tuple(groups), call))
        self.position_of.update(zip(eqn.outvars, positions, strict=True))
        return call + 1

    def _level(self, atom: Any) -> int:
        return 0 if is_literal(atom) else self.level[atom]

    def _use(self, var: Var, what: str) -> None:
        """Notes that a value is needed whole. For a variable's version, and rows of a gradient, that is the whole table."""
        if is_literal(var):
            return
        self.used.add(var)
        if var in self.position_of:
            self._need_whole(self.position_of[var], what)
        elif var in self.sparse:
            kind = self.sparse[var]
            self._need_whole(self.groups[kind.group].shards[kind.shard], what)
            for position in self.groups[kind.group].shards:
                self._need_whole(position, what)

    def _need_whole(self, position: int, what: str) -> None:
        part = self.traced.variables[position]
        variable = (
            part if part._sharded_variable is None else part._sharded_variable
        )  # all shards would be sent together
        size = math.prod(variable.shape) * np.dtype(part._dtype).itemsize
        if size > WHOLE_LIMIT:
            raise UnimplementedError(
                f"{what} needs all of variable {variable.path}, {size >> 20} MiB, which would travel to every worker at every "
                f"step (the limit is {WHOLE_LIMIT >> 20} MiB). Look rows up instead (tf.nn.embedding_lookup, Embedding), "
                "or leave the term out of the step."
            )
        self.whole.add(position)

    def _change(self, variable: Any, out: Any) -> VariableChange | None:
        """Returns how a written variable changes at the end of the step; None if an update on its servers changes it."""
        position = next(i for i, v in enumerate(self.traced.variables) if v is variable)
        if not is_literal(out) and self.position_of.get(out) == position:
            return None
        base = [v for v, p in self.position_of.items() if p == position][-1]
        if is_literal(out) or not is_remote(variable) or not self._depends_on(out, base):
            self._use(out, f"an assignment to {variable.path}")
            return VariableChange(position, out, None, adds=False)
        eqn = self.defined[out]
        if eqn.primitive.name in ("add", "add_any"):
            for mine, other in (eqn.invars, eqn.invars[::-1]):
                if mine is base and not self._depends_on(other, base) and other.aval.shape == out.aval.shape:
                    self._use(other, f"an assignment to {variable.path}")
                    return VariableChange(position, other, None, adds=True)
        if out.aval.dtype == bool:
            self._use(out, f"an assignment to {variable.path}")
            return VariableChange(position, out, None, adds=False)
        for v in (out, base):
            self._use(v, f"an assignment to {variable.path}")
        return VariableChange(position, out, base, adds=True)

    def _depends_on(self, out: Any, base: Var) -> bool:
        """Returns whether the value `out` is computed from `base`."""
        if is_literal(out):
            return False
        stack, seen = [out], set()
        while stack:
            v = stack.pop()
            if v is base:
                return True
            if v in seen or v not in self.defined:
                continue
            seen.add(v)
            stack += [w for w in self.defined[v].invars if not is_literal(w)]
        return False

    def _drop_unused_lookups(self) -> None:
        """Drops look-ups whose rows no live equation uses."""
        used = {(self.group_of[id(e)], e.invars[-1]) for e in self.live_eqns if id(e) in self.group_of}
        self.groups = [
            dataclasses.replace(g, ids={v: None for v in g.ids if (i, v) in used}) for i, g in enumerate(self.groups)
        ]

    def _find_live_eqns(self) -> list[Eqn]:
        """Returns the equations that a result, a change, an update or an effect needs, in order."""
        want = [v for v in [*self.results, *(a for c in self.changes for a in (c.value, c.minus))] if _is_var(v)]
        want += [v for a in self.applied for v in a.gradients if _is_var(v)]
        return needed_equations(
            [eqn for eqn in self.eqns if eqn.primitive is not apply_p],
            want,
            is_kept=lambda eqn, *_: has_side_effects(eqn),
            operands=lambda eqn: (
                eqn.invars[-1:] if id(eqn) in self.group_of and eqn.primitive is lookup_p else eqn.invars
            ),
        )


def _is_var(atom: Any) -> bool:
    return atom is not None and not isinstance(atom, xc.Literal)
