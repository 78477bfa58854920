"""SidecarEvaluator: evaluates, in a separate process, the checkpoints that a training writes."""

import logging
import os
import re
import time
from typing import Any

import keras

from stratagem._base.errors import CheckpointError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path, file_system
from stratagem._checkpoints import Checkpoint, latest_checkpoint, list_variables

_log = logging.getLogger("stratagem")

_POLL_SECONDS = 1.0
_LOG_SECONDS = 30.0  # between messages that no checkpoint appears
_FILE = re.compile(r"[^.].*?(\.weights\.h5|\.keras|\.h5)")
_NUMBER = re.compile(r"-(\d+)(\.weights\.h5|\.keras|\.h5)?$")


@exported("keras.experimental.SidecarEvaluator", "keras.utils.SidecarEvaluator")
class SidecarEvaluator:
    """Evaluates every new latest checkpoint of a directory, like `tf.keras.utils.SidecarEvaluator`.

    model: compiled, like the one that is trained. data: passed to `model.evaluate` as `x`. checkpoint_dir: where the
    training saves: a `tf.train.CheckpointManager` of `Checkpoint(model=model, optimizer=optimizer)`
        or of the model itself, or a `ModelCheckpoint` whose file names end with "-{epoch}" and the suffix.
    steps: the batches of an evaluation; None: all. callbacks: passed to `model.evaluate`.
    max_evaluations: `start` returns after a checkpoint whose name ends with this number or a larger one; None: never.
    """

    def __init__(
        self,
        model: keras.Model,
        data: Any,
        checkpoint_dir: str | os.PathLike[str],
        steps: int | None = None,
        max_evaluations: int | None = None,
        callbacks: Any = None,
    ) -> None:
        self.model = model
        self.data = data
        self.checkpoint_dir = checked_path(checkpoint_dir)
        self.steps = steps
        self.max_evaluations = max_evaluations
        self.callbacks = callbacks or []

    def start(self) -> None:
        """Waits for checkpoints and evaluates them. One that is deleted or damaged while it is read is skipped."""
        last: tuple[str, int] | None = None
        while True:
            last = self._wait_for_another(last)
            path = last[0]
            try:
                self._restore(path)
            except (CheckpointError, OSError) as error:
                _log.warning("SidecarEvaluator: %s cannot be read, waiting for the next one: %s", path, error)
                continue
            _log.info("SidecarEvaluator: evaluating %s", path)
            logs = self.model.evaluate(
                self.data, steps=self.steps, callbacks=self.callbacks, verbose=2, return_dict=True
            )
            _log.info("SidecarEvaluator: %s: %s", path, " ".join(f"{name}={value}" for name, value in logs.items()))
            number = _NUMBER.search(path)
            if self.max_evaluations and number is not None and int(number[1]) >= self.max_evaluations:
                return

    def _wait_for_another(self, last: tuple[str, int] | None) -> tuple[str, int]:
        logged_at = time.monotonic()
        while True:
            found = self._latest()
            if found is not None and found != last:
                return found
            if time.monotonic() - logged_at > _LOG_SECONDS:
                logged_at = time.monotonic()
                _log.info("SidecarEvaluator: no new checkpoint in %r for %.0f s.", self.checkpoint_dir, _LOG_SECONDS)
            time.sleep(_POLL_SECONDS)

    def _latest(self) -> tuple[str, int] | None:
        """The newest checkpoint and the time when it was written (ns)."""
        path = latest_checkpoint(self.checkpoint_dir)
        if path is not None:
            return path, _written(os.path.join(path, "manifest.json"))
        names = _names(self.checkpoint_dir)
        files = [os.path.join(self.checkpoint_dir, name) for name in names if _FILE.fullmatch(name)]
        times = {each: _written(each) for each in files}
        return max(times.items(), key=lambda item: (item[1], _number_of(item[0]))) if times else None

    def _restore(self, path: str) -> None:
        model = self.model
        if file_system(path).is_file(path):
            if model.optimizer is not None and not model.optimizer.built:
                model.optimizer.build(model.trainable_variables)
            model.load_weights(path)
            return
        has_model_part = any(name.startswith("model/") for name, _ in list_variables(path))
        parts = {"model": model} if model.optimizer is None else {"model": model, "optimizer": model.optimizer}
        checkpoint = Checkpoint(**parts) if has_model_part else Checkpoint(model)
        checkpoint.restore(path).expect_partial()


def _written(path: str) -> int:
    status = file_system(path).status(path)
    return 0 if status is None else status.mtime_ns  # None: deleted meanwhile


def _names(folder: str) -> list[str]:
    try:
        return [*file_system(folder).entries(folder)]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _number_of(path: str) -> int:
    found = _NUMBER.search(path)
    return int(found[1]) if found is not None else 0
