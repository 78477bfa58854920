"""Restoration: one `restore` in progress, with values that can be assigned at once and values that wait for variables."""

import itertools
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import CheckpointError, InvalidArgumentError
from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._checkpoints._children import (
    global_names,
    is_container,
    is_variable,
    set_state,
)
from stratagem._checkpoints._contents import CheckpointContents, Stored
from stratagem._checkpoints._graph import LiveNode, Node, bind, survey
from stratagem._checkpoints._special_parts import Finalized, HostArray, Supplement
from stratagem._core.values import placement_of, shards
from stratagem._private import after_build, in_stateless_scope, initialized, is_view, set_initial_value, stored

_log = logging.getLogger("stratagem.checkpoint")

_orders = itertools.count(1)

# The restore that gave each object its value. Of overlapping ones the last one requested wins, whenever it is applied.
_restored_by: WeakIdentityMap[Any, int] = WeakIdentityMap()

Assignments = list[tuple[Any, Node]]


class Restoration:
    """The values of one checkpoint on their way into the objects below `owners`, each of which corresponds to its root.

    It keeps no object alive. It ends when every value has been used or when the objects it waits for are gone.
    The constructor raises CheckpointError when a shape differs and InvalidArgumentError when a dtype differs; then nothing
    was changed. Building a variable that does not fit raises the same errors.
    """

    def __init__(self, owners: Sequence[Any], path: str, contents: CheckpointContents) -> None:
        self.path = path
        self.nodes = contents.nodes
        self._contents = contents
        self._order = next(_orders)
        named = {node.path: i for i, node in enumerate(contents.nodes) if node.kind == "named"}
        # One that has objects, too, is an Estimator's with the checkpoint of its Scaffold; then those are restored.
        self.by_name = self.expect_partial = bool(named) and len(named) == len(contents.nodes) - 1
        self._named = named if self.by_name else {}
        self._waiting = {*self._named.values()} or {i for i, node in enumerate(contents.nodes) if node.has_value}
        self._known: WeakIdentityMap[Any, int] = WeakIdentityMap()
        self._variables: WeakIdentityMap[Any, int] = WeakIdentityMap()
        self._anchors: WeakIdentityMap[Any, int] = WeakIdentityMap(emptied=self._abandon)
        self._apply([(owners[0], 0)])
        self._unregister = after_build(self._built)
        for owner in owners:
            self._anchor(owner)
        self._finish_if_done()

    @property
    def waiting(self) -> list[str]:
        """The paths of the values that no object has taken yet."""
        return [self.nodes[i].path for i in sorted(self._waiting)]

    def resume(self, owner: Any) -> None:
        """Assigns waiting values to new parts of `owner`, which corresponds to the root."""
        if self._waiting:
            self._apply([(owner, 0)])
            self._anchor(owner)
            self._finish_if_done()

    def survey(self, start: Any, node: int = 0) -> list[LiveNode]:
        """All objects reachable from `start`, which corresponds to a node, with the names that the checkpoint has for parts."""
        return survey(start, self.nodes[node].path, self._contents.naming.parts)

    def demands(self, live: LiveNode) -> bool:
        """Returns whether an object has to have a counterpart, for the program to match the checkpoint."""
        if self._contents.naming.values_only and live.kind == "object":
            return False
        return not (is_container(live.value) or isinstance(live.value, HostArray | Supplement))

    def match(self, found: list[LiveNode], start: int = 0) -> dict[int, int]:
        """The nodes of objects from `survey`: by edges, and by the slots of variables; without a graph, by their names."""
        bound = bind(found, self.nodes, start)
        for i, live in enumerate(found if self._named else ()):
            if live.kind == "variable" and not isinstance(live.value, HostArray):
                names = [name for name in global_names(live.value) if name in self._named]
                if names:
                    bound[i] = self._named[names[0]]
        slots = self._contents.slots
        if not slots:
            return bound
        for i, n in bound.items():
            if found[i].kind == "variable":
                self._variables[found[i].value] = n
        positions = {id(live.value): i for i, live in enumerate(found)}
        for i, n in [*bound.items()]:
            for name, variable, slot in self._contents.naming.slots(found[i].value) if n in slots else ():
                position, original = positions.get(id(slot)), self._variables.get(variable)
                node = None if original is None else slots[n].get((original, name))
                if position is not None and node is not None and self.nodes[node].kind == found[position].kind:
                    bound.setdefault(position, node)
        return bound

    def yield_to(self, newer: "Restoration") -> None:
        """Drops the waiting values that a later restore of the same objects replaces."""
        theirs = {node.path for node in newer.nodes if node.has_value}
        self._settle({i for i in self._waiting if self.nodes[i].path in theirs})
        self._finish_if_done()

    def _built(self, owner: Any) -> None:
        known = self._known.get(owner)
        # A new owner may be attached anywhere: search everything again.
        try:
            self._apply(self._anchors.items() if known is None else [(owner, known)])
        except (CheckpointError, InvalidArgumentError) as error:
            if in_stateless_scope():
                # Keras first calls a model on trial and swallows errors: log this one here, raise it again later.
                _log.error("%s", error)
            else:
                self._end()  # reported now; building other objects must not fail because of it
            raise
        self._finish_if_done()

    def _apply(self, starts: Sequence[tuple[Any, int]]) -> None:
        """Assigns every waiting value whose object exists now; all of them are checked before the first is assigned."""
        ready: dict[
            tuple[int, int], tuple[Any, Node]
        ] = {}  # by identity and node, because two starts may reach the same
        finalized: dict[int, tuple[Finalized, list[Any]]] = {}
        for start, node in starts:
            found = self.survey(start, node)
            for live in found:
                if isinstance(live.value, Finalized):
                    finalized[id(live.value)] = live.value, [found[i].value for i in live.children.values()]
            for i, n in self.match(found, node).items():
                value = found[i].value
                if n in self._waiting and self._is_assignable(value):
                    ready[id(value), n] = (value, self.nodes[n])
                elif not (self.nodes[n].has_value or self.by_name) and not is_container(value):
                    self._known[value] = n
        todo = [(value, source) for value, source in ready.values() if self._is_latest(value)]
        check_fit(todo, self._contents.arrays, self.path, converts=self._contents.naming.converts)
        for value, source in todo:
            self._restore(value, source)
        restored = {id(value) for value, _ in todo}
        for layer, parts in finalized.values():
            if any(id(part) in restored for part in parts):
                layer.finalize_state()
        self._settle({n for _, n in ready})

    def _is_assignable(self, value: Any) -> bool:
        """Returns whether `value` can be restored now; in a trace, only uninitialized variables can."""
        return not in_stateless_scope() or (is_variable(value) and not any(map(initialized, shards(value))))

    def _is_latest(self, value: Any) -> bool:
        return (_restored_by.get(value) or 0) < self._order

    def _restore(self, value: Any, node: Node) -> None:
        if is_variable(value):
            stored = self._contents.arrays[node.path]
            if isinstance(stored, np.ndarray):
                stored.flags.writeable = False  # nobody else has it
            assign(value, stored)
        elif isinstance(value, HostArray):
            value.restore(np.asarray(self._contents.arrays[node.path]), node.path)
        else:
            set_state(value, self._contents.states[node.path])
        _restored_by[value] = self._order

    def _settle(self, nodes: set[int]) -> None:
        self._waiting -= nodes
        for node in nodes:
            self._contents.arrays.pop(self.nodes[node].path, None)

    def _anchor(self, owner: Any) -> None:
        """Records where to look for new objects. The root's parts count too, as the checkpoint object may be deleted first."""
        self._anchors[owner] = 0
        parts_of = self._contents.naming.parts
        queue = [(part, name, self.nodes[0]) for name, part in parts_of(owner).items()]
        for value, name, parent in queue:  # the list grows while it is read
            node = parent.children.get(name)
            if node is None or self.nodes[node].has_value:
                continue
            if is_container(value):
                queue += [(part, key, self.nodes[node]) for key, part in parts_of(value).items()]
            else:
                self._anchors[value] = node

    def _finish_if_done(self) -> None:
        if not self._waiting:
            self._end()

    def _abandon(self) -> None:
        if self._waiting and not self.expect_partial:
            names = self.waiting
            _log.warning(
                "%d values of checkpoint %s were never used, because no object asked for them: %s%s. "
                "Call expect_partial() on what restore() returns if that is intended.",
                len(names), self.path, ", ".join(names[:10]), ", ..." if len(names) > 10 else "",
            )  # fmt: skip
        self._end()

    def _end(self) -> None:
        self._unregister()
        self._anchors.clear()
        self._known.clear()


def assign(variable: Any, stored: Stored) -> None:
    """Assigns a value to a variable or to all shards of one, as its initial value if it has none yet.

    Raises InvalidArgumentError for integers that the variable's dtype cannot hold.
    """
    array = np.asarray(stored)
    if not is_view(variable):
        set_initial_value(variable, _handed_over(variable, _converted(variable, array)))
        return
    for part, value in variable.pieces(array):
        set_initial_value(part, _converted(part, value))


def _handed_over(variable: Any, array: np.ndarray) -> Any:
    """The array as it is, or if nobody else has it as JAX's, which on a CPU uses its memory without a copy.

    XLA writes over no memory that it has not allocated: a program that updates the variable in place copies it first.
    """
    if array.flags.writeable or array.dtype.hasobject or array.dtype.itemsize > 4 or placement_of(variable) is not None:
        return array  # JAX cuts numbers of 64 bits; a placement has its own arrays
    return jax.device_put(array)


def _converted(variable: Any, array: np.ndarray) -> np.ndarray:
    """The array, in the dtype of its variable if both are integers."""
    if not (_is_integer(array.dtype) and _is_integer(variable.dtype)):
        return array
    converted = array.astype(variable.dtype)
    if not np.array_equal(converted, array):
        raise InvalidArgumentError(
            f"The variable {variable.path} has dtype {variable.dtype}, which cannot hold {array}."
        )
    return converted


def _is_integer(dtype: Any) -> bool:
    return bool(jnp.issubdtype(dtype, jnp.integer))


def check_fit(ready: Assignments, arrays: Mapping[str, Stored], path: str, *, converts: bool = False) -> None:
    """Raises CheckpointError or InvalidArgumentError if an array has another shape or dtype than its variable.

    converts: whether integers of another width fit.
    """
    variables = [(variable, node, arrays[node.path]) for variable, node in ready if is_variable(variable)]
    shapes = [
        f"{node.path} (variable {variable.path}): shape {tuple(variable.shape)}, in the checkpoint {array.shape}"
        for variable, node, array in variables
        if not variable.shape.is_compatible_with(array.shape)
    ]
    if shapes:
        raise CheckpointError(_mismatch(shapes, path))
    dtypes = [
        f"{node.path} (variable {variable.path}): dtype {variable.dtype}, in the checkpoint {array.dtype}"
        for variable, node, array in variables
        if not _has_dtype(shards(variable)[0], array.dtype)
        and not (converts and _is_integer(array.dtype) and _is_integer(variable.dtype))
    ]
    if dtypes:
        raise InvalidArgumentError(_mismatch(dtypes, path))


def _mismatch(lines: list[str], path: str) -> str:
    more = f"\n  and {len(lines) - 5} more" if len(lines) > 5 else ""
    return (
        f"The checkpoint {path!r} does not fit the objects it is restored into, so none of them was changed:\n  "
        + "\n  ".join(lines[:5]) + more
        + "\nBuild the objects as they were when it was saved, or restore only the parts that are unchanged."
    )  # fmt: skip


def _has_dtype(variable: Any, dtype: np.dtype) -> bool:
    """True when the variable is stored in this dtype."""
    if initialized(variable):
        return bool(stored(variable).dtype == dtype)
    # Inside a mixed-precision layer `variable.dtype` is the compute dtype, not the one it will be stored in.
    floats = jnp.issubdtype(dtype, jnp.floating) and jnp.issubdtype(variable.dtype, jnp.floating)
    return bool(variable.dtype == str(dtype) or (variable.autocast and floats))
