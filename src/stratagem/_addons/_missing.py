"""The errors for names of TensorFlow Addons that are not provided, which say what to use."""

from collections.abc import Callable

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


def not_in_addons(module: str) -> Callable[[str], None]:
    """Returns `__getattr__` for a module of `tfa`, "" for itself: it raises NotProvidedError with what to use instead."""

    def missing(name: str) -> None:
        path = f"{module}.{name}".removeprefix(".")
        if name.startswith("__"):
            raise AttributeError(f"module 'stratagem.addons' has no attribute {path!r}")
        instead = _INSTEAD.get(path, "Keras 3's own classes, or a few lines of keras.ops")
        raise NotProvidedError(f"tensorflow_addons.{path} is not provided; use {instead}.")

    return missing
