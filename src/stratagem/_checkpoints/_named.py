"""NamedCheckpoint: variables that are saved and matched by their names alone, as with TensorFlow 1's Saver."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, final

import numpy as np

from stratagem._base.errors import CheckpointError, NotFoundError
from stratagem._base.storage import checked_path
from stratagem._checkpoints._background import wait_for_saves
from stratagem._checkpoints._checkpoint import Checkpoint
from stratagem._checkpoints._contents import CheckpointContents, Stored
from stratagem._checkpoints._formats import read
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._host_copies import HostCopies, read_value
from stratagem._checkpoints._keras_two import WRITTEN
from stratagem._checkpoints._latest_intact import warn_not_finite
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._options import CheckpointFormat
from stratagem._checkpoints._overwrite_guard import OverwriteGuard
from stratagem._checkpoints._pending import Assignments, assign, check_fit
from stratagem._checkpoints._saving import settle
from stratagem._core.context import entered
from stratagem._core.values import Variable

# The value of a variable, made of others that a checkpoint has in its place; None if these are not there either.
Derived = Callable[[Mapping[str, Stored]], np.ndarray | None]
# A value that no variable has, and that checkpoints in TensorFlow's format have.
Written = Callable[[], np.ndarray]


@final
class NamedCheckpoint:
    """Variables by name, for a CheckpointManager.

    variables: a function that returns them; called whenever they are saved or restored.
    companion: a Checkpoint that is saved and restored with them, so that the result is also one of its own checkpoints.
    derived: what to do without a variable's value, by its name.
    written: what checkpoints in TensorFlow's format have besides the variables, by name.
    """

    def __init__(
        self,
        variables: Callable[[], dict[str, Any]],
        companion: Checkpoint | None = None,
        derived: Mapping[str, Derived] = MappingProxyType({}),
        written: Mapping[str, Written] = MappingProxyType({}),
    ) -> None:
        self._variables, self._companion = variables, companion
        self._derived, self._written = derived, written
        with entered(strategy=None, replica=None, crossing=False):
            self._save_counter = Variable(np.int64(0), trainable=False, name="save_counter")
        self._saves = OverwriteGuard()

    @property
    def save_counter(self) -> Variable:
        """The number of saves; not part of what is saved."""
        return self._save_counter

    @property
    def overwrite_guard(self) -> OverwriteGuard:
        """The checkpoints that this object has written or restored."""
        return self._saves

    def snapshot(
        self, format: CheckpointFormat = CheckpointFormat.OWN, copies: HostCopies | None = None
    ) -> CheckpointContents:
        """The current values of all variables. Raises CheckpointError if another value in `companion` has the name of one.

        copies: as in `Checkpoint.snapshot`.
        """
        arrays: dict[str, Stored] = {
            name: read_value(variable, f"named {name}", copies) for name, variable in self._variables().items()
        }
        if format is CheckpointFormat.TENSORFLOW:
            arrays |= {name: value() for name, value in self._written.items() if name not in arrays}
        named = [Node(path=name, kind="named", children={}) for name in arrays]
        if self._companion is None:
            nodes = [Node(path="", kind="object", children={}), *named]
            naming = OWN if format is CheckpointFormat.OWN else WRITTEN
            return CheckpointContents(nodes=nodes, arrays=arrays, states={}, naming=naming)
        other = self._companion.snapshot(format, copies)
        for name in arrays.keys() & other.arrays.keys():
            if not np.array_equal(np.asarray(arrays[name]), np.asarray(other.arrays[name])):
                raise CheckpointError(
                    f"Two values are called {name!r}: a variable of the model_fn, and a part of the tf.train.Checkpoint that "
                    "is saved with it. Give the part another name."
                )
        return replace(other, nodes=[*other.nodes, *named], arrays={**other.arrays, **arrays})

    def restore(self, save_path: str | os.PathLike[str]) -> None:
        """Assigns to every variable the value of its name in a checkpoint; other values there are ignored.

        Raises NotFoundError when there is no complete checkpoint, or a name is not in it; DataLossError when it is damaged,
        CheckpointError when a shape differs, InvalidArgumentError when a dtype does. In each case no value was changed. Before
        all of that, what an earlier save of this object in the background raised.
        """
        settle(self)
        wait_for_saves()
        path = checked_path(save_path)
        contents = read(path)
        arrays = {**self._made_of(contents.arrays), **contents.arrays}
        assignments = self._matched(arrays, path, {name: name for name in self._variables()})
        if self._companion is not None:
            self._companion.read(path)  # changes nothing if it raises; no value of `assignments` has been assigned yet
        _assign_all(assignments, arrays)
        warn_not_finite(path, contents.non_finite)
        self._saves.restored(path)

    def take(self, arrays: Mapping[str, Stored], path: str, names: dict[str, str]) -> None:
        """Assigns saved values to some variables. names: from the variable's name to the name in the checkpoint at `path`.

        arrays: the values of that checkpoint, by name. Raises the same errors as `restore`.
        """
        _assign_all(self._matched(arrays, path, names), arrays)

    def _made_of(self, arrays: Mapping[str, Stored]) -> dict[str, Stored]:
        made = {name: derive(arrays) for name, derive in self._derived.items() if name not in arrays}
        return {name: array for name, array in made.items() if array is not None}

    def _matched(self, arrays: Mapping[str, Stored], path: str, names: dict[str, str]) -> Assignments:
        """The variables with their saved nodes, after checking that all values exist and fit."""
        missing = [saved for saved in names.values() if saved not in arrays]
        if missing:
            raise NotFoundError(
                f"Key {missing[0]} not found in checkpoint {path!r}"
                + (f", nor {len(missing) - 1} others, such as {missing[1]}" if len(missing) > 1 else "")
                + f". It has {', '.join(sorted(arrays)) or 'no variables'}. The model was changed since it was saved: "
                "use another model_dir, or warm_start_from to take over what has stayed."
            )
        variables = self._variables()
        assignments = [(variables[name], Node(path=saved, kind="named", children={})) for name, saved in names.items()]
        check_fit(assignments, arrays, path, converts=True)
        return assignments


def _assign_all(assignments: Assignments, arrays: Mapping[str, Stored]) -> None:
    for variable, node in assignments:
        assign(variable, arrays[node.path])
