"""Summaries that TensorFlow and this library write: the same calls on the module given."""

from typing import Any

import numpy as np

RANDOM = np.random.default_rng(5)
NUMBERS = RANDOM.normal(size=(40, 7)).astype(np.float32)
PIXELS = RANDOM.uniform(-0.2, 1.2, size=(4, 3, 5, 4)).astype(np.float32)
SOUND = RANDOM.uniform(-1.2, 1.2, size=(4, 6, 2)).astype(np.float32)


def write_all(tf: Any) -> None:
    """Every kind of summary, with a writer as default."""
    s = tf.summary
    s.scalar("scalar/python", 0.1, step=1)
    s.scalar("scalar/whole", 7, step=2)
    s.scalar("scalar/bool", True, step=2)
    s.scalar("scalar/float64", np.float64(0.1), step=3)
    s.scalar("scalar/tensor", tf.constant(2.5), step=np.int64(4), description="a *number*")
    s.scalar("scalar/variable step", 1.0, step=tf.Variable(5, dtype=tf.int64))
    s.scalar("scalar/large step", 1.0, step=2**40)
    s.scalar("scalar/inf", float("inf"), step=1)
    s.histogram("histogram/numbers", NUMBERS, step=1)
    s.histogram("histogram/few", NUMBERS, step=1, buckets=4, description="four")
    s.histogram("histogram/whole", np.arange(100), step=1)
    s.histogram("histogram/equal", [3.0, 3.0], step=1)
    s.histogram("histogram/one", 3.0, step=1)
    s.histogram("histogram/empty", [], step=1)
    s.histogram("histogram/no buckets", [1.0, 2.0], step=1, buckets=0)
    s.histogram("histogram/nan", [1.0, float("nan"), 2.0], step=1, buckets=3)
    for channels in (1, 2, 3, 4):
        s.image(f"image/{channels}", PIXELS[..., :channels], step=1)
    s.image("image/all", PIXELS, step=1, max_outputs=9)
    s.image("image/none", PIXELS[:0], step=1)
    s.image("image/uint8", (PIXELS * 100).clip(0, 255).astype(np.uint8), step=1, max_outputs=1)
    s.image("image/uint16", (PIXELS * 30000).clip(0, 65535).astype(np.uint16), step=1, max_outputs=1)
    s.image("image/int32", (PIXELS * 2**30).astype(np.int32), step=1, max_outputs=1)
    s.image("image/float64", PIXELS.astype(np.float64), step=1, max_outputs=1)
    s.text("text/one", "some *text*", step=1, description="what it is")
    s.text("text/table", [["a", "b"], ["c", "ü"]], step=1)
    s.audio("audio/stereo", SOUND, 8000, step=1)
    s.audio("audio/mono", SOUND[:2, :, :1], 44100, step=1, max_outputs=1, encoding="wav")
    s.write("write/plain", [[1, 2], [3, 4]], step=1)
    s.write("write/function", lambda: tf.constant([1.5]), step=1, metadata=b"\x0a\x06\x0a\x04mine")
    s.experimental.set_step(20)
    s.scalar("default step", 1.0)
    s.experimental.set_step(None)
    with s.experimental.summary_scope("own kind", "default") as (tag, _):
        s.write(tag, 1.0, step=1)
    with s.record_if(False):
        s.scalar("never", 1.0, step=1)
    with s.record_if(lambda: tf.constant(True)):
        s.scalar("always", 1.0, step=1)


def fit_tiny(keras: Any, logdir: str, **options: Any) -> Any:
    """A model of two layers, fitted for two epochs of five batches with validation, and evaluated once more."""
    layers = [keras.Input((8,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)]
    model = keras.Sequential(layers, name="tiny")
    model.compile(keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    x = np.random.default_rng(1).normal(size=(48, 8)).astype(np.float32)
    y = x.sum(1, keepdims=True)
    callback = keras.callbacks.TensorBoard(logdir, **options)
    data = {"x": x[:40], "y": y[:40], "validation_data": (x[40:], y[40:])}
    history = model.fit(**data, batch_size=8, epochs=2, shuffle=False, verbose=0, callbacks=[callback])
    model.evaluate(x, y, batch_size=8, verbose=0, callbacks=[callback])
    return history.history


FITS: dict[str, dict[str, Any]] = {
    "default": {},
    "batches": {"update_freq": "batch"},
    "every third, all": {
        "update_freq": 3,
        "histogram_freq": 1,
        "write_images": True,
        "write_steps_per_second": True,
        "write_graph": False,
    },
}
