"""Record what TensorFlow 2.15.1 does on a replica without rows; run like `record_tensorflow.py`.

    /tmp/tensorflow/bin/python -m tests.parity.record_uneven

It rewrites uneven.json in tests/parity/recorded.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.parity import uneven_behaviours as behaviours
from tests.parity.record_tensorflow import plain, two_devices

RECORDED = Path(__file__).parent / "recorded"


def value_and_slope(program: Any, x: Any, k: Any) -> dict[str, Any]:
    """What a program answers, and the gradient of its sum with respect to a factor of the features."""
    factor = tf.ones([4], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(factor)
        value = program(tf, x * factor, k)
        total = tf.reduce_sum(value) if value.dtype.is_floating else None
    slope = None if total is None else tape.gradient(total, factor)
    return {"value": value, "slope": tf.zeros([4], tf.float64) if slope is None else slope}


def with_shapes(found: dict[str, Any]) -> dict[str, Any]:
    """JSON that keeps the shape of what is empty."""
    return {k: {"shape": list(v.shape), "dtype": v.dtype.name, "value": plain(v)} for k, v in found.items()}


class StepRecorder:
    """Runs programs under one strategy with ROWS rows on the first replica and none on the second."""

    def __init__(self) -> None:
        self.strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def split(self, *makes: Any) -> Any:
        """An iterator over one step's inputs, made by `make(rows)`; the number of rows is open, as in any dataset."""

        def data(context: Any) -> tf.data.Dataset:
            rows = tuple(make(behaviours.ROWS) for make in makes)
            return tf.data.Dataset.from_tensor_slices(rows).batch(behaviours.ROWS)

        return iter(self.strategy.distribute_datasets_from_function(data))

    def run(self, step: Any, *makes: Any) -> tuple[Any, Any]:
        """Both replicas' results: the second replica gets no rows."""
        results = tf.function(lambda inputs: self.strategy.run(step, args=next(inputs)))(self.split(*makes))
        first, second = self.strategy.experimental_local_results(results)
        return first, second


def operations(recorder: StepRecorder) -> dict[str, Any]:
    """For each operation, value and slope on both replicas."""
    found = {}
    for name, program in behaviours.OPERATIONS.items():
        try:
            results = recorder.run(
                lambda x, k, p=program: value_and_slope(p, x, k), behaviours.features, behaviours.labels
            )
            found[name] = [with_shapes(r) for r in results]
        except Exception as error:  # any: which error it is, is what is recorded
            found[name] = {"error": type(error).__name__}
    return found


def refused(recorder: StepRecorder) -> dict[str, str]:
    """The errors of what needs a row."""
    found = {}
    for name, program in behaviours.REFUSED.items():
        try:
            recorder.run(lambda x, k, p=program: p(tf, x, k), behaviours.features, behaviours.labels)
        except Exception as error:  # any: which error it is, is what is recorded
            found[name] = type(error).__name__
    return found


def summary(value: Any) -> str | None:
    """Whether a gradient is there, zero or not a number."""
    if value is None:
        return None
    array = np.asarray(tf.convert_to_tensor(value))
    return "nan" if np.isnan(array).any() else "zero" if not array.any() else "other"


def layers(recorder: StepRecorder) -> dict[str, Any]:
    """For each layer that TensorFlow has: output and gradients on the replica without rows, and state after the step."""
    found = {}
    for name, (make, row, inputs, dtype) in behaviours.LAYERS.items():
        try:
            with recorder.strategy.scope():
                layer = make(tf.keras.layers)
        except AttributeError:
            continue
        makes = [lambda n, i=i, r=row, d=dtype: behaviours.rows_of(r, d, n, i) for i in range(inputs)]
        with recorder.strategy.scope():
            behaviours.call(layer, [tf.constant(behaviours.rows_of(row, dtype, 3, i)) for i in range(inputs)])
        before = [v.numpy() for v in layer.non_trainable_variables]

        def step(*x: Any, layer: Any = layer) -> Any:
            with tf.GradientTape() as tape:
                y = behaviours.call(layer, x)
                total = tf.reduce_sum(tf.cast(y, tf.float32))
            grads = tape.gradient(total, layer.trainable_variables)
            return {"y": y, "grads": [g if g is None else tf.convert_to_tensor(g) for g in grads]}

        try:
            _, empty = recorder.run(step, *makes)
        except Exception as error:
            found[name] = {"error": type(error).__name__}
            continue
        after = [v.numpy() for v in layer.non_trainable_variables]
        found[name] = {
            "shape": list(empty["y"].shape),
            "dtype": empty["y"].dtype.name,
            "grads": sorted(str(summary(g)) for g in empty["grads"]),
            "state": [np.allclose(a, b) for a, b in zip(before, after, strict=True)],
        }
    return found


def metrics(recorder: StepRecorder) -> dict[str, Any]:
    """Each metric's result: of rows and nothing, and of nothing at all."""
    found = {}
    for name, (make, kind) in behaviours.METRICS.items():
        with recorder.strategy.scope():
            metric = make(tf.keras.metrics)
        makes = [lambda n, i=i, k=kind: behaviours.truth_and_prediction(k, n)[i] for i in (0, 1)]
        one = kind == "one"
        try:
            update = lambda y, p, m=metric, o=one: (m.update_state(p) if o else m.update_state(y, p), tf.constant(0))[1]  # noqa: E731
            recorder.run(update, *makes)
            found[name] = plain(metric.result())
        except Exception as error:
            found[name] = {"error": type(error).__name__}
    return found


def losses(recorder: StepRecorder) -> dict[str, Any]:
    """Each loss on the replica without rows, by reduction; SUM_OVER_BATCH_SIZE outside of strategies, which refuse it."""
    found: dict[str, Any] = {}
    for name, (make, kind) in behaviours.LOSSES.items():
        makes = [lambda n, i=i, k=kind: behaviours.truth_and_prediction(k, n)[i] for i in (0, 1)]
        found[name] = {}
        for reduction in ("none", "sum"):
            loss = make(tf.keras.losses, reduction=reduction)
            _, empty = recorder.run(lambda y, p, f=loss: {"loss": f(y, p)}, *makes)
            found[name][reduction] = with_shapes(empty)["loss"]
        p0 = tf.constant(behaviours.truth_and_prediction(kind, 0)[1])
        with tf.GradientTape() as tape:
            tape.watch(p0)
            value = make(tf.keras.losses)(behaviours.truth_and_prediction(kind, 0)[0], p0)
        found[name]["sum_over_batch_size"] = with_shapes({"loss": value})["loss"]
    return found


def normalization(recorder: StepRecorder) -> list[dict[str, Any]]:
    """BatchNormalization in training, step by step: both replicas' outputs and the moving statistics after the step."""
    with recorder.strategy.scope():
        layer = tf.keras.layers.BatchNormalization(momentum=0.75)
        layer.build([None, 4])

    @tf.function(reduce_retracing=True)
    def step(x: Any) -> Any:
        return recorder.strategy.run(lambda x: layer(x, training=True), args=(x,))

    found = []
    for number, layout in enumerate(behaviours.NORMALIZED):
        pieces = behaviours.pieces(layout, number)
        x = recorder.strategy.experimental_distribute_values_from_function(
            lambda context, p=pieces: tf.constant(p[context.replica_id_in_sync_group])
        )
        y = step(x)
        statistics = {"mean": layer.moving_mean.numpy(), "variance": layer.moving_variance.numpy()}
        outputs = recorder.strategy.experimental_local_results(y)
        found.append({"outputs": [plain(v) for v in outputs], **{k: plain(v) for k, v in statistics.items()}})
    return found


def main() -> None:
    """Record everything."""
    two_devices()
    recorder = StepRecorder()
    parts = {"operations": operations, "refused": refused, "layers": layers, "metrics": metrics, "losses": losses}
    parts["normalization"] = normalization
    found = {name: part(recorder) for name, part in parts.items()}
    text = json.dumps({"tensorflow": tf.__version__, **found}, indent=1, sort_keys=True)
    (RECORDED / "uneven.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
