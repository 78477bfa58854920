"""Initial values of a model_fn's variables from a checkpoint: `init_from_checkpoint` of `tf.compat.v1.train`."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._checkpoints import CheckpointReader, latest_checkpoint, new_checkpoint_reader
from stratagem._tf1.graph._collections import global_variables
from stratagem._tf1.graph._model_build import current_building


@exported(v1=["train.init_from_checkpoint"])
def init_from_checkpoint(ckpt_dir_or_file: str | os.PathLike[str], assignment_map: Any) -> None:
    """Has variables begin with values of a checkpoint, unless training continues from one of its own. For a model_fn.

    assignment_map: a dict or a list of pairs, from names in the checkpoint to names or variables of the model_fn that exist by
        now; `"scope/": "other/"` means all variables below `other/`, and `"/"` the root.

    Raises:
        ContextError: called outside of a model_fn.
        NotFoundError: there is no checkpoint.
        ValueError: a name is not in the checkpoint or not in the model_fn, or a shape differs.
    """
    given = checked_path(ckpt_dir_or_file)
    building = current_building()
    path = latest_checkpoint(given) or given
    reader = new_checkpoint_reader(path)
    known = {id(variable): name for name, variable in building.graph.variables.items()}
    here = {known[id(variable)]: variable for variable in global_variables() if id(variable) in known}
    shapes = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, dict) else assignment_map
    for saved, wanted in pairs:
        for source, name in _matches(saved, wanted, here, path, reader):
            if list(here[name].shape) != list(shapes.get(source, here[name].shape)):
                raise ValueError(
                    f"Shape of variable {name} ({tuple(here[name].shape)}) doesn't match with shape of tensor {source} "
                    f"({shapes[source]}) from checkpoint reader."
                )
            building.graph.begin_with[name] = (path, source)


def _matches(
    saved: str, wanted: Any, here: dict[str, Any], path: str, reader: CheckpointReader
) -> Iterator[tuple[str, str]]:
    """The names in the checkpoint, and those of the variables that take the values."""
    if isinstance(wanted, str) and wanted.endswith("/"):
        if not saved.endswith("/"):
            raise ValueError(
                f"Assignment map with scope only name {wanted} should map to scope only {saved}. "
                "Should be 'scope/': 'other_scope/'."
            )
        below = "" if wanted == "/" else wanted
        found = [name for name in here if name.startswith(below)]
        pairs = [(("" if saved == "/" else saved) + name.removeprefix(below), name) for name in found]
        if not pairs:
            raise ValueError(
                f"No variable of the model_fn is below {wanted!r}: it has {', '.join(here) or 'none yet'}."
            )
    else:
        pairs = [(saved, name) for name in _named(wanted, here)]
    for source, name in pairs:
        if not reader.has_tensor(source):
            raise ValueError(
                f"Tensor {source} ({name} in the model_fn) is not found in {path} checkpoint "
                f"{reader.get_variable_to_shape_map()}."
            )
        yield source, name


def _named(wanted: Any, here: dict[str, Any]) -> list[str]:
    """The names of the variables that a value of the map means."""
    if isinstance(wanted, str):
        name = wanted.removesuffix(":0")
        if name not in here:
            raise ValueError(
                f"No variable of the model_fn has the name {wanted!r}: it has {', '.join(here) or 'none yet'}."
            )
        return [name]
    variables = wanted if isinstance(wanted, Sequence) else [wanted]
    names = [name for name, variable in here.items() if any(variable is each for each in variables)]
    if len(names) != len(variables):
        raise ValueError(f"{wanted!r} is no variable of this model_fn.")
    return names
