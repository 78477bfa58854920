"""Calls of `tf.keras.backend` and other names of Keras 2, which run in TensorFlow and here; each returns numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np


def drawn(*shape: int) -> np.ndarray:
    count = int(np.prod(shape))
    return ((np.arange(count) * 7 % 11 - 4) / 8).astype("float32").reshape(shape)


IMAGES, KERNEL = drawn(1, 4, 5, 2), drawn(3, 2, 2, 3)
PROBABILITIES = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]], "float32")
TARGETS = np.array([[1, 0, 0], [0, 0, 1]], "float32")


def _statistics(K: Any) -> Any:
    out, mean, var = K.normalize_batch_in_training(IMAGES, drawn(2) + 1, drawn(2), [0, 1, 2])
    return [out, mean, var]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "batch_dot": lambda tf, K: K.batch_dot(drawn(2, 3, 4), drawn(2, 4, 5)),
    "batch_dot vectors": lambda tf, K: K.batch_dot(drawn(2, 3), drawn(2, 3), axes=1),
    "batch_dot axes": lambda tf, K: K.batch_dot(drawn(2, 3, 4), drawn(2, 5, 3), axes=(1, 2)),
    "batch_dot matrix and vector": lambda tf, K: K.batch_dot(drawn(2, 3, 4), drawn(2, 4)),
    "batch_normalization": lambda tf, K: K.batch_normalization(IMAGES, drawn(2), drawn(2) + 1, drawn(2), drawn(2) + 2),
    "batch_normalization without": lambda tf, K: K.batch_normalization(IMAGES, drawn(2), drawn(2) + 1, None, None),
    "bias_add": lambda tf, K: K.bias_add(IMAGES, drawn(2)),
    "bias_add first": lambda tf, K: K.bias_add(IMAGES, drawn(4), "channels_first"),
    "bias_add of all": lambda tf, K: K.bias_add(drawn(2, 3, 4), drawn(3, 4)),
    "binary_focal": lambda tf, K: K.binary_focal_crossentropy(TARGETS, PROBABILITIES, apply_class_balancing=True),
    "categorical_focal": lambda tf, K: K.categorical_focal_crossentropy(TARGETS, PROBABILITIES, gamma=1.5),
    "categorical_focal logits": lambda tf, K: K.categorical_focal_crossentropy(TARGETS, drawn(2, 3), from_logits=True),
    "cast_to_floatx": lambda tf, K: K.cast_to_floatx(np.array([1, 2])),
    "conv1d": lambda tf, K: K.conv1d(drawn(2, 5, 2), drawn(3, 2, 3), strides=2, padding="same"),
    "conv1d causal": lambda tf, K: K.conv1d(drawn(2, 5, 2), drawn(3, 2, 3), padding="causal", dilation_rate=2),
    "conv2d": lambda tf, K: K.conv2d(IMAGES, KERNEL, strides=(2, 1), padding="same"),
    "conv2d_transpose": lambda tf, K: K.conv2d_transpose(IMAGES, drawn(3, 2, 3, 2), (1, 9, 10, 3), (2, 2)),
    "conv2d_transpose same": lambda tf, K: K.conv2d_transpose(IMAGES, drawn(3, 3, 3, 2), (1, 8, 10, 3), (2, 2), "same"),
    "conv3d": lambda tf, K: K.conv3d(drawn(1, 3, 3, 3, 2), drawn(2, 2, 2, 2, 2)),
    "ctc_batch_cost": lambda tf, K: K.ctc_batch_cost(
        np.array([[0, 1], [1, 0]]),
        np.stack([np.abs(drawn(4, 3)) + 0.125, np.abs(drawn(4, 3)[::-1]) + 0.25]),
        np.array([[4], [3]]),
        np.array([[2], [1]]),
    ),
    "depthwise_conv2d": lambda tf, K: K.depthwise_conv2d(IMAGES, drawn(2, 2, 2, 2)),
    "eval": lambda tf, K: K.eval(tf.constant([1.0, 2.0])),
    "foldl": lambda tf, K: K.foldl(lambda a, b: a * 0.5 + b, drawn(4)),
    "in_top_k": lambda tf, K: K.in_top_k(PROBABILITIES, np.array([0, 2]), 1),
    "is_sparse": lambda tf, K: K.is_sparse(tf.constant(1.0)),
    "map_fn": lambda tf, K: K.map_fn(lambda row: row * 2, drawn(3, 2)),
    "normalize_batch_in_training": lambda tf, K: _statistics(K),
    "pool2d": lambda tf, K: K.pool2d(IMAGES, (2, 2), (2, 2), "same", pool_mode="avg"),
    "pool3d": lambda tf, K: K.pool3d(drawn(1, 3, 4, 3, 2), (2, 2, 2)),
    "random_bernoulli": lambda tf, K: [K.random_bernoulli((2, 2), p=1.0), K.random_bernoulli((2,), p=0.0)],
    "repeat": lambda tf, K: K.repeat(drawn(2, 3), 2),
    "resize_images": lambda tf, K: K.resize_images(IMAGES, 2, 3, "channels_last"),
    "resize_images bilinear": lambda tf, K: K.resize_images(IMAGES, 2, 2, "channels_last", "bilinear"),
    "resize_volumes": lambda tf, K: K.resize_volumes(drawn(1, 2, 2, 2, 1), 1, 2, 3, "channels_last"),
    "separable_conv2d": lambda tf, K: K.separable_conv2d(IMAGES, drawn(2, 2, 2, 1), drawn(1, 1, 2, 3)),
    "spatial_2d_padding": lambda tf, K: K.spatial_2d_padding(IMAGES, ((1, 0), (0, 2))),
    "spatial_3d_padding": lambda tf, K: K.spatial_3d_padding(drawn(1, 1, 2, 1, 2)),
    "temporal_padding": lambda tf, K: K.temporal_padding(drawn(2, 3, 2), (2, 1)),
    "weighted": lambda tf, K: [
        tf.keras.__internal__.losses.compute_weighted_loss(drawn(2, 3), weights, reduction)
        for weights in (None, drawn(2), drawn(2, 1), drawn(2, 3), 2.0)
        for reduction in ("sum_over_batch_size", "sum", "none", "auto")
    ],
    "weighted integers": lambda tf, K: tf.keras.__internal__.losses.compute_weighted_loss(np.array([1, 2, 4])),
    "thresholded": lambda tf, K: tf.keras.layers.ThresholdedReLU(theta=0.25)(IMAGES),
    "tokens": lambda tf, K: _tokens(tf),
    "generator": lambda tf, K: _generated(tf),
    "skipgrams": lambda tf, K: tf.keras.preprocessing.sequence.make_sampling_table(4),
    "decay": lambda tf, K: [
        tf.keras.experimental.CosineDecay(1.0, 8)(4),
        tf.keras.experimental.CosineDecayRestarts(1.0, 3)(4),
    ],
}


def _tokens(tf: Any) -> Any:
    tokenizer = tf.keras.preprocessing.text.Tokenizer(num_words=4)
    tokenizer.fit_on_texts(["a b b c", "b c d"])
    return tokenizer.texts_to_matrix(["b d", "c"], mode="count")


def _generated(tf: Any) -> Any:
    generator = tf.keras.preprocessing.image.ImageDataGenerator(rescale=0.5, horizontal_flip=False)
    batches = generator.flow(drawn(2, 2, 2, 1), np.arange(2), batch_size=1, shuffle=False)
    return [batches[1][0], len(batches), batches[1][1]]


class TensorBackend:
    """`tf.keras.backend`, whose functions get tensors in place of arrays, as in TensorFlow they have to."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._tf.keras.backend, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            as_tensors = name != "cast_to_floatx"
            return function(
                *(self._tf.constant(a) if as_tensors and isinstance(a, np.ndarray) else a for a in args), **kwargs
            )

        return call


def numbers(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [numbers(each) for each in value]
    return np.asarray(value).tolist()
