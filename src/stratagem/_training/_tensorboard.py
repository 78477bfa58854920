"""The `TensorBoard` callback: the chief writes curves, weights and a profile of `fit` and `evaluate`."""

import contextlib
import logging
import os
import time
from typing import Any

import keras
import numpy as np

from stratagem import _events as events
from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.job import process_job
from stratagem._base.storage import checked_path

logger = logging.getLogger("stratagem")

_MODELS_WITH_GRAPH = ("Functional", "Sequential")
_IMAGE_CHANNELS = (1, 3, 4)


_OF_TENSORFLOW_1 = {
    "write_grads",
    "batch_size",
    "embeddings_layer_names",
    "embeddings_data",
}  # ignored in TensorFlow 2, too


@exported("keras.callbacks.TensorBoard")
class TensorBoard(keras.callbacks.Callback):  # type: ignore[misc]
    """Writes summaries of `fit` and `evaluate` for TensorBoard, under `log_dir`: `train/` and `validation/`.

    Scalars: `epoch_<metric>` and `epoch_learning_rate` by epoch; `evaluation_<metric>_vs_iterations` by step of the
    optimizer; `batch_<metric>` by batch, every `update_freq` batches. `tf.summary` calls inside of the model are written
    every `update_freq` batches too (not with "epoch"). Everything is on disk at the end of each epoch.

    histogram_freq: epochs between histograms of all weights; 0: never. write_images: with these, also write the weights
    as images (numbers from 0 to 1 are shown). write_graph: write the layers of a functional or sequential model; there
    is no graph of operations. write_steps_per_second: log the speed of training too. update_freq: "epoch", "batch" or a
    number of batches. profile_batch: a batch, or a first and a last one, to profile with jax.profiler; 0 for none.

    In a job of several workers only the chief writes.

    Raises:
        ValueError: an `update_freq` or `profile_batch` of another kind.
        UnimplementedError: `embeddings_freq` is not 0.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: str | int = "epoch",
        profile_batch: Any = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: object = None,
        **kwargs: object,
    ) -> None:
        """Arguments of TensorFlow 1 (`write_grads`, `batch_size`, `embeddings_layer_names`, `embeddings_data`) change nothing.

        Raises ValueError for any other, UnimplementedError for embeddings.
        """
        super().__init__()
        unknown = sorted(kwargs.keys() - _OF_TENSORFLOW_1)
        if unknown:
            raise ValueError(f"Unrecognized arguments in `TensorBoard` Callback: {unknown}.")
        if embeddings_freq:
            raise UnimplementedError(
                f"TensorBoard(embeddings_freq={embeddings_freq!r}): the projector reads TensorFlow's checkpoints, which are "
                "not written here. Leave it at 0; for a picture of an embedding, project it and use tf.summary.image."
            )
        self.log_dir = checked_path(log_dir)
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = _batches(update_freq)
        self._first_profiled, self._last_profiled = _profiled(profile_batch)
        # If nobody looks at the results of batches, Keras calls this without waiting for them.
        self.async_safe = not (self.update_freq or self._first_profiled)
        self._chief = True
        self._writers: dict[str, events.SummaryWriter] = {}
        self._open: list[contextlib.ExitStack] = []
        self._steps = {"train": 0, "validation": 0}
        self._begun = (0, 0.0)
        self._epoch_begun = (0, 0.0)
        self._training = self._profiling = False

    def set_model(self, model: keras.Model) -> None:
        """Called by Keras before anything else."""
        super().set_model(model)
        self._end()  # leftovers of an earlier fit that failed
        self._chief = process_job().worker == 0

    def get_state(self) -> dict[str, int]:
        """The step counts so far, for a backup of the training."""
        return dict(self._steps)

    def set_state(self, state: dict[str, int]) -> None:
        """Restores the step counts."""
        self._steps.update(state)

    # --- Training -----------------------------------------------------------------------------------------------------

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        self._training = True
        if self.write_graph and self._chief:
            self._write_layers()
        self._enter("train")

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        self._end()

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        if self.write_steps_per_second:
            self._epoch_begun = self._iterations(), time.monotonic()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        if logs:
            self._write_epoch(epoch, dict(logs))
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_weights(epoch)
        if self._chief:
            for writer in self._writers.values():
                writer.flush()

    def on_train_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        self._begun = batch, time.monotonic()
        if self._chief and self._first_profiled and not self._profiling:
            ahead = self._steps["train"] + 1
            if self._first_profiled <= ahead <= self._last_profiled:
                events.start_profile(self.log_dir)
                self._profiling = True

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        first, since = self._begun
        if self.async_safe:
            return
        self._advance("train", batch - first + 1)
        if self.update_freq and self._chief:
            if self.write_steps_per_second:
                rate = (batch - first + 1) / max(time.monotonic() - since, 1e-9)
                events.scalar("batch_steps_per_second", rate, step=self._steps["train"])
            for name, value in (logs or {}).items():
                events.scalar(f"batch_{name}", value, step=self._steps["train"])
        if self._profiling and self._steps["train"] >= self._last_profiled:
            self._stop_profiling()

    # --- Evaluation ---------------------------------------------------------------------------------------------------

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        self._enter("validation")

    def on_test_batch_begin(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        self._begun = batch, time.monotonic()

    def on_test_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        if self.update_freq:
            self._advance("validation", batch - self._begun[0] + 1)

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Called by Keras."""
        if self.model.optimizer is not None and logs:
            named = {f"evaluation_{name}_vs_iterations": value for name, value in logs.items()}
            self._write("validation", named, self._iterations())
        self._leave()
        if not self._training:
            self._end()

    # --- Writers ------------------------------------------------------------------------------------------------------

    def _writer(self, name: str) -> events.SummaryWriter:
        """The writer of one folder; created when it is first used, so that there are no empty files."""
        if name not in self._writers:
            self._writers[name] = events.create_file_writer(os.path.join(self.log_dir, name))
        return self._writers[name]

    def _write(self, name: str, values: dict[str, Any], step: int) -> None:
        if not self._chief:
            return
        with events.record_if(True), self._writer(name).as_default():
            for tag, value in values.items():
                events.scalar(tag, value, step=step)

    def _enter(self, name: str) -> None:
        """Directs summaries inside of the model to this folder from now on, every `update_freq` batches."""
        self._steps[name] = 0
        if not self.update_freq or not self._chief:
            return
        every = self.update_freq
        stack = contextlib.ExitStack()
        stack.enter_context(self._writer(name).as_default(step=0))
        stack.enter_context(events.record_if(lambda: self._steps[name] % every == 0))
        self._open.append(stack)

    def _advance(self, name: str, batches: int) -> None:
        after = self._steps[name] + batches
        if self._open:
            events.set_step(after)  # waits for summaries that programs still have to write with the previous step
        self._steps[name] = after

    def _leave(self) -> None:
        if self._open:
            self._open.pop().close()

    def _end(self) -> None:
        """Restores the previous default writer and closes our writers."""
        while self._open:
            self._leave()
        if self._profiling:
            self._stop_profiling()
        for writer in self._writers.values():
            writer.close()
        self._writers = {}
        self._training = False

    def _stop_profiling(self) -> None:
        events.stop_profile()
        self._profiling = False

    # --- What is written ----------------------------------------------------------------------------------------------

    def _iterations(self) -> int:
        return int(np.asarray(self.model.optimizer.iterations))

    def _write_layers(self) -> None:
        if type(self.model).__name__ not in _MODELS_WITH_GRAPH:
            logger.info("TensorBoard(write_graph=True): a subclassed model has no graph; none is written.")
            return
        with events.record_if(True), self._writer("train").as_default():
            try:
                events.keras_model("keras", self.model, step=0)
            except (TypeError, ValueError, NotImplementedError) as error:
                logger.warning("TensorBoard: the model cannot be described, so its layers are not shown: %s", error)

    def _write_epoch(self, epoch: int, logs: dict[str, Any]) -> None:
        train = {f"epoch_{name}": value for name, value in logs.items() if not name.startswith("val_")}
        train |= {f"epoch_{name}": value for name, value in _learning_rates(self.model.optimizer).items()}
        if self.write_steps_per_second:
            iterations, since = self._epoch_begun
            train["epoch_steps_per_second"] = (self._iterations() - iterations) / max(time.monotonic() - since, 1e-9)
        validation = {f"epoch_{n.removeprefix('val_')}": v for n, v in logs.items() if n.startswith("val_")}
        self._write("train", train, epoch)
        if validation:
            self._write("validation", validation, epoch)

    def _write_weights(self, epoch: int) -> None:
        # All workers read, because reading a variable that is summed over workers takes all of them.
        numbers = (w for layer in self.model.layers for w in layer.weights if w.dtype != "string")
        weights = {w.path.replace(":", "_"): np.asarray(w) for w in numbers}
        if not self._chief:
            return
        with events.record_if(True), self._writer("train").as_default():
            for path, value in weights.items():
                events.histogram(f"{path}/histogram", value, step=epoch)
                picture = _as_images(value) if self.write_images else None
                if picture is not None:
                    events.image(f"{path}/image", picture, step=epoch)


def _learning_rates(optimizer: Any) -> dict[str, float]:
    inner = getattr(optimizer, "inner_optimizer", optimizer)  # set in a LossScaleOptimizer
    return {} if inner is None else {"learning_rate": float(np.asarray(inner.learning_rate))}


def _as_images(weight: np.ndarray) -> np.ndarray | None:
    """A weight as gray pictures (number, height, width, 1) or colored ones; None if it has too many dimensions."""
    flat = np.squeeze(weight)
    if flat.ndim == 1:
        return flat.reshape(1, -1, 1, 1)
    if flat.ndim == 2:
        wide = flat.T if flat.shape[0] > flat.shape[1] else flat
        return wide[None, :, :, None]
    if flat.ndim == 3:
        each = flat.transpose(2, 0, 1) if keras.config.image_data_format() == "channels_last" else flat
        return each[..., None]
    return flat if flat.ndim == 4 and flat.shape[-1] in _IMAGE_CHANNELS else None


def _batches(update_freq: str | int) -> int:
    """The number of batches from one that is written to the next; 0: none is written."""
    if update_freq in ("batch", "epoch"):
        return int(update_freq == "batch")
    if isinstance(update_freq, int) and update_freq > 0:
        return update_freq
    raise ValueError(f'update_freq is "batch", "epoch" or a positive number of batches, got {update_freq!r}.')


def _profiled(profile_batch: Any) -> tuple[int, int]:
    """The first and the last batch to profile, counted from 1; (0, 0) for none."""
    given = profile_batch.split(",") if isinstance(profile_batch, str) else profile_batch
    pair = [int(n) for n in given] if isinstance(given, list | tuple) else [given, given]
    if len(pair) == 1:
        pair *= 2
    if len(pair) != 2 or not all(isinstance(n, int) for n in pair) or pair[0] < 0 or pair[1] < pair[0]:
        raise ValueError(
            f"profile_batch is a batch from 1 on, two of them as a range, or 0 for none, got {profile_batch!r}."
        )
    return pair[0], pair[1]
