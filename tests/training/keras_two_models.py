"""Models that Keras 2 saves whole and that are read here: made by TensorFlow when they are recorded.

By the model's name: what makes it of `tf`, the shapes of its inputs, and its optimizer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

RECORDED = Path(__file__).parent / "recorded" / "keras_two"
# The greatest difference of a value from TensorFlow's, once the model is read and after a further step of training.
TOLERANCE = 2e-5


@final
@dataclass(frozen=True)
class ModelCase:
    """A model. shapes: of the inputs, without the batch; a dict for a model whose inputs have names. optimizer: from `tf`."""

    make: Callable[[Any], Any]
    shapes: Any
    optimizer: Callable[[Any], Any] = lambda tf: tf.keras.optimizers.Adam(0.01)
    loss: Any = "mse"


def _sequential(*shape: int) -> Callable[..., Callable[[Any], Any]]:
    def of(layers: Callable[[Any], list[Any]]) -> Callable[[Any], Any]:
        return lambda tf: tf.keras.Sequential([tf.keras.Input(shape), *layers(tf.keras.layers)])

    return of


def _images(tf: Any) -> Any:
    layers = tf.keras.layers
    return _sequential(10, 10, 3)(
        lambda _: [
            layers.Rescaling(0.5),
            layers.Conv2D(4, 3, padding="same", activation="relu", kernel_regularizer="l2"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.SeparableConv2D(6, 2, depth_multiplier=2),
            layers.DepthwiseConv2D(2),
            layers.Conv2DTranspose(3, 2, strides=2),
            layers.GroupNormalization(3),
            layers.SpatialDropout2D(0.0),
            layers.PReLU(),
            layers.UpSampling2D(),
            layers.GlobalAveragePooling2D(),
            layers.Dense(2, bias_constraint="max_norm"),
        ]
    )(tf)


def _graph(tf: Any) -> Any:
    """Layers that are called twice, with several tensors, and within models within the model; two results."""
    layers = tf.keras.layers
    given = tf.keras.Input((6,), name="given")
    shared = layers.Dense(6, activation="tanh", name="shared")
    inner = tf.keras.Sequential([tf.keras.Input((6,)), layers.Dense(4), layers.Dense(6)], name="inner")
    other = tf.keras.Input((6,))
    within = tf.keras.Model(other, layers.Dense(6)(other), name="within")
    once, twice = shared(given), shared(shared(given))
    joined = layers.Concatenate()([once, inner(twice), within(within(once)), layers.Add()([once, twice])])
    return tf.keras.Model(given, [layers.Dense(2, name="first")(joined), inner(once)])


def _attention(tf: Any) -> Any:
    layers = tf.keras.layers
    words, other = tf.keras.Input((5, 8), name="words"), tf.keras.Input((3, 8), name="other")
    found = layers.MultiHeadAttention(2, 4)(words, other)
    found = layers.LayerNormalization()(found + words)
    found = layers.Attention(use_scale=True)([found, other])
    return tf.keras.Model({"words": words, "other": other}, layers.Dense(2)(layers.GlobalAveragePooling1D()(found)))


def _recurrent(tf: Any) -> Any:
    layers = tf.keras.layers
    rows, state = tf.keras.Input((7, 3)), tf.keras.Input((4,))
    found = layers.LSTM(4, return_sequences=True)(rows, initial_state=[state, state])
    found = layers.Bidirectional(layers.GRU(3, return_sequences=True))(found)
    found = layers.RNN([layers.LSTMCell(4), layers.SimpleRNNCell(3)], return_sequences=True)(found)
    found = layers.TimeDistributed(layers.Dense(3))(found)
    return tf.keras.Model([rows, state], layers.Dense(2)(layers.Flatten()(layers.Conv1D(3, 2)(found))))


def _functions(tf: Any) -> Any:
    """Functions of tensors between layers, each of which is a layer in the file."""
    given = tf.keras.Input((6,))
    found = tf.concat([given, tf.cast(given > 0, "float32")], 1)
    found = tf.reshape(tf.keras.layers.Dense(12)(found), (-1, 3, 4))[:, 1:, ::2]
    found = tf.reduce_mean(tf.transpose(found, [0, 2, 1]), axis=-1, keepdims=True)
    found = tf.clip_by_value(1.0 - found / 2.0, -1.0, 1.0) ** 2 + tf.nn.relu(found) * found
    return tf.keras.Model(given, tf.squeeze(tf.stack([found, tf.exp(-found)], axis=1), -1))


_small = _sequential(6)(lambda layers: [layers.Dense(4, activation="relu"), layers.Dense(2)])


def _with(name: str, *args: Any, **kwargs: Any) -> ModelCase:
    def made(tf: Any) -> Any:
        found = tf.keras.optimizers
        for part in name.split("."):
            found = getattr(found, part)
        return found(*args, **kwargs)

    return ModelCase(_small, (6,), made)


def _decaying(tf: Any) -> Any:
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    return tf.keras.optimizers.SGD(rate, momentum=0.9, nesterov=True, global_clipnorm=1.0)


CASES = {
    "images": ModelCase(_images, (10, 10, 3), _decaying),
    "graph": ModelCase(_graph, (6,)),
    "attention": ModelCase(_attention, {"words": (5, 8), "other": (3, 8)}),
    "recurrent": ModelCase(_recurrent, [(7, 3), (4,)]),
    "functions": ModelCase(_functions, (6,), loss="mae"),
    "sgd": _with("SGD", 0.1),
    "rmsprop": _with("RMSprop", 0.01, momentum=0.5, centered=True),
    "adagrad": _with("Adagrad", 0.01),
    "adadelta": _with("Adadelta", 1.0),
    "adamax": _with("Adamax", 0.01),
    "ftrl": _with("Ftrl", 0.1),
    "adamw": _with("AdamW", 0.01, weight_decay=0.1),
    "adafactor": _with("Adafactor", 0.01),
    "adam with averages": _with("Adam", 0.01, amsgrad=True, use_ema=True),
    "legacy adam": _with("legacy.Adam", 0.01, amsgrad=True, decay=0.1),
    "legacy sgd": _with("legacy.SGD", 0.1, momentum=0.9),
    "legacy rmsprop": _with("legacy.RMSprop", 0.01, momentum=0.5, centered=True),
}


def inputs(shapes: Any, rows: int = 4) -> Any:
    """The same numbers for every shape."""
    if isinstance(shapes, dict):
        return {name: inputs(shape) for name, shape in shapes.items()}
    if isinstance(shapes, list):
        return [inputs(shape) for shape in shapes]
    count = rows * int(np.prod(shapes))
    return (np.sin(np.arange(count) * 0.7).reshape(rows, *shapes) * 1.5).astype(np.float32)


def results(model: Any, given: Any) -> list[np.ndarray]:
    """What a model answers, in a list."""
    found = model(given, training=False)
    return [np.asarray(each) for each in (found if isinstance(found, list | tuple) else [found])]


def step(model: Any, given: Any) -> None:
    """One step of training towards ones."""
    wanted = [np.ones_like(each) for each in results(model, given)]
    model.fit(given, wanted if len(wanted) > 1 else wanted[0], epochs=1, verbose=0)
