"""NamedCheckpoint: variables that are saved and found by their names alone, as those of TensorFlow 1's Saver."""

import os
from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import CheckpointError, NotFoundError
from stratagem._base.paths import local_path
from stratagem._checkpoints._checkpoint import Checkpoint
from stratagem._checkpoints._children import value_of
from stratagem._checkpoints._format import Contents, read
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._latest import say_not_finite
from stratagem._checkpoints._pending import Due, demand_fit, give
from stratagem._core.context import entered
from stratagem._core.values import Variable


@final
class NamedCheckpoint:
    """Variables by name, for a CheckpointManager.

    variables: gives them; asked anew whenever they are saved or restored.
    beside: is saved and restored with them, so that the checkpoint is one of its own, too.
    """

    def __init__(self, variables: Callable[[], dict[str, Any]], beside: Checkpoint | None = None) -> None:
        self._variables, self._beside = variables, beside
        with entered(strategy=None, replica=None, crossing=False):
            self._save_counter = Variable(np.int64(0), trainable=False, name="save_counter")

    @property
    def save_counter(self) -> Variable:
        """How often it was saved; not part of what is saved."""
        return self._save_counter

    def snapshot(self) -> Contents:
        """The values of all variables, now. Raises CheckpointError if something else in `beside` has the name of one."""
        arrays = {name: value_of(variable) for name, variable in self._variables().items()}
        named = [Node(path=name, kind="named", children={}) for name in arrays]
        if self._beside is None:
            return Contents(nodes=[Node(path="", kind="object", children={}), *named], arrays=arrays, states={})
        other = self._beside.snapshot()
        for name in arrays.keys() & other.arrays.keys():
            if not np.array_equal(arrays[name], other.arrays[name]):
                raise CheckpointError(
                    f"Two values are called {name!r}: a variable of the model_fn, and a part of the tf.train.Checkpoint that "
                    "is saved with it. Give the part another name."
                )
        return Contents(nodes=[*other.nodes, *named], arrays={**other.arrays, **arrays}, states=other.states)

    def restore(self, save_path: str | os.PathLike[str]) -> None:
        """Give every variable the value of its name in a checkpoint; what else is in it is left alone.

        Raises NotFoundError when there is no complete checkpoint, or a name is not in it; DataLossError when it is damaged,
        CheckpointError when a shape differs, InvalidArgumentError when a dtype does. Then no value was changed.
        """
        path = local_path(save_path)
        contents = read(path)
        arrays = contents.arrays
        due = self._due(arrays, path, {name: name for name in self._variables()})
        if self._beside is not None:
            self._beside.read(path)  # changes nothing if it raises; no value of `due` was given by then
        _give_all(due, arrays)
        say_not_finite(path, contents.non_finite)

    def take(self, arrays: dict[str, np.ndarray], path: str, names: dict[str, str]) -> None:
        """Give some variables, by name, the values that have those names among the arrays of the checkpoint `path`.

        Raises as `restore`.
        """
        _give_all(self._due(arrays, path, names), arrays)

    def _due(self, arrays: dict[str, np.ndarray], path: str, names: dict[str, str]) -> Due:
        """The variables with what they are to be given, once it is sure that all of it is there and fits."""
        missing = [saved for saved in names.values() if saved not in arrays]
        if missing:
            raise NotFoundError(
                f"Key {missing[0]} not found in checkpoint {path!r}"
                + (f", nor {len(missing) - 1} others, such as {missing[1]}" if len(missing) > 1 else "")
                + f". It has {', '.join(sorted(arrays)) or 'no variables'}. The model was changed since it was saved: "
                "use another model_dir, or warm_start_from to take over what has stayed."
            )
        variables = self._variables()
        due = [(variables[name], Node(path=saved, kind="named", children={})) for name, saved in names.items()]
        demand_fit(due, arrays, path)
        return due


def _give_all(due: Due, arrays: dict[str, np.ndarray]) -> None:
    for variable, node in due:
        give(variable, arrays[node.path])
