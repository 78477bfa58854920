"""The errors for names of TensorFlow Addons that are not provided, which say what to use."""

from stratagem._base.errors import NotProvidedError

_KERAS_RNN = "a cell of tf.keras.layers, or one of your own for tf.keras.layers.RNN"
_DECODING = "a loop over steps (tf.while_loop) with a cell of tf.keras.layers"
_INSTEAD = {
    "layers.MultiHeadAttention": "tf.keras.layers.MultiHeadAttention",
    "layers.EmbeddingBag": "tf.keras.layers.Embedding and a sum over its rows",
    "losses.GIoULoss": "keras.ops on the corners of the boxes",
    "metrics.MultiLabelConfusionMatrix": "a tf.math.confusion_matrix for each label",
    "metrics.MeanMetricWrapper": "tf.keras.metrics.MeanMetricWrapper",
    "optimizers.Lookahead": "tf.keras.optimizers' argument use_ema=True",
    "optimizers.MovingAverage": "tf.keras.optimizers' argument use_ema=True, and tf.keras.callbacks.SwapEMAWeights",
    "optimizers.SWA": "tf.keras.optimizers' argument use_ema=True, and tf.keras.callbacks.SwapEMAWeights",
    "optimizers.AveragedOptimizerWrapper": "tf.keras.optimizers' argument use_ema=True",
    "optimizers.MultiOptimizer": "keras.optimizers.MultiOptimizer",
    "callbacks.AverageModelCheckpoint": "tf.keras.callbacks.SwapEMAWeights beside ModelCheckpoint",
    "callbacks.TQDMProgressBar": "nothing: fit shows its progress",
    "options": "nothing: there are no custom operations here",
    "register": "nothing: there are no custom operations here",
    "rnn": _KERAS_RNN,
    "seq2seq": _DECODING,
    "text": "optax or another library of JAX for conditional random fields",
    "utils": "typing's own names",
    "types": "typing's own names",
}


def not_in_addons(module: str, name: str) -> AttributeError:
    """The error to raise for `tfa.<module>.<name>` (module "" for `tfa` itself)."""
    path = f"{module}.{name}".removeprefix(".")
    if name.startswith("__"):
        return AttributeError(f"module 'stratagem.addons' has no attribute {path!r}")
    instead = _INSTEAD.get(path, "Keras 3's own classes, or a few lines of keras.ops")
    return NotProvidedError(f"tensorflow_addons.{path} is not provided; use {instead}.")
