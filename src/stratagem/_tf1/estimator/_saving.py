"""Saves and restores a model's variables by name, together with the checkpoint of its Scaffold."""

import logging
from typing import Any, final

from stratagem._base.job import ALONE
from stratagem._base.paths import absolute
from stratagem._checkpoints import CheckpointManager, NamedCheckpoint, load_checkpoint
from stratagem._core.context import entered
from stratagem._tf1.estimator._config import RunConfig
from stratagem._tf1.graph import ModelState

_log = logging.getLogger("stratagem.estimator")

GLOBAL_STEP = "global_step"


@final
class GraphSaver:
    """The checkpoints of one graph. beside: a `tf.train.Checkpoint` that is saved and restored together with the variables.

    When several workers train together, only the chief saves.
    """

    def __init__(self, graph: ModelState, config: RunConfig, beside: Any = None) -> None:
        self._config = config
        self._checkpoint = NamedCheckpoint(lambda: graph.variables, beside, graph.derived, graph.written)
        self._managers: dict[tuple[str, str], CheckpointManager] = {}

    def save(self, directory: str, name: str, step: int) -> None:
        """Writes `<directory>/<name>-<step>`, and deletes checkpoints beyond the limit.

        Raises as `tf.train.Checkpoint.save`.
        """
        if not self._config.is_chief:
            return
        with entered(job=ALONE):
            key = (absolute(directory), name)
            if key not in self._managers:
                self._managers[key] = CheckpointManager(
                    self._checkpoint,
                    directory,
                    self._config.keep_checkpoint_max or None,
                    self._config.keep_checkpoint_every_n_hours,
                    checkpoint_name=name,
                )
            self._managers[key].save(checkpoint_number=step, options=self._config.checkpoint_options)

    def settle(self) -> None:
        """Waits until all saves are durable. Raises what a save in the background has raised."""
        for manager in self._managers.values():
            manager.sync()

    def restore(self, path: str) -> None:
        """Restores the variables from a checkpoint. Raises as `NamedCheckpoint.restore`."""
        _log.info("Restoring parameters from %s", path)
        self._checkpoint.restore(path)


def saved_step(path: str | None) -> int:
    """Returns the global step of a checkpoint; 0 without a checkpoint, or if it contains none."""
    reader = None if path is None else load_checkpoint(path)
    return int(reader.get_tensor(GLOBAL_STEP)) if reader is not None and reader.has_tensor(GLOBAL_STEP) else 0
