"""Small networks of the kinds that people train, each with the shape of its batch: what rewrites and peers are measured on."""

from collections.abc import Callable
from typing import Any

from parts import cnn

Network = tuple[Any, tuple[int, ...]]  # the model, and the shape of the batches that it takes


def tutorial(keras: Any) -> Network:
    """The convolutional network of the tutorial."""
    return cnn.model(keras), (cnn.BATCH, 28, 28, 1)


def dense(keras: Any) -> Network:
    """Two layers of 1024 units."""
    layers = keras.layers
    units = [layers.Dense(1024, activation="relu"), layers.Dense(1024, activation="relu")]
    return keras.Sequential([*units, layers.Dense(10)]), (256, 784)


def recurrent(keras: Any) -> Network:
    """Two LSTMs over 64 steps."""
    layers = keras.layers
    return keras.Sequential([layers.LSTM(128, return_sequences=True), layers.LSTM(128), layers.Dense(10)]), (32, 64, 64)


def transformer(keras: Any) -> Network:
    """Two blocks of attention with four heads, 256 features, 64 places."""
    layers = keras.layers
    x = places = layers.Input((64, 256))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 64)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(256)(layers.Dense(1024, activation="gelu")(x)))
    return keras.Model(places, layers.Dense(10)(layers.GlobalAveragePooling1D()(x))), (16, 64, 256)


def residual(keras: Any) -> Network:
    """Three residual blocks with batch normalization on images of 32x32."""
    layers = keras.layers

    def normalized(x: Any, filters: int, size: int, strides: int = 1) -> Any:
        x = layers.Conv2D(filters, size, strides, padding="same", use_bias=False)(x)
        return layers.BatchNormalization()(x)

    images = layers.Input((32, 32, 3))
    x = layers.ReLU()(normalized(images, 32, 3))
    for filters, strides in ((32, 1), (64, 2), (128, 2)):
        y = normalized(layers.ReLU()(normalized(x, filters, 3, strides)), filters, 3)
        x = layers.ReLU()(y + (normalized(x, filters, 1, strides) if strides > 1 else x))
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x))), (32, 32, 32, 3)


def depthwise(keras: Any) -> Network:
    """Three depth-wise separable convolutions, as in MobileNet, on images of 32x32."""
    layers = keras.layers
    images = layers.Input((32, 32, 3))
    x = layers.Conv2D(32, 3, padding="same")(images)
    for filters, strides in ((64, 1), (64, 2), (128, 1)):
        x = layers.ReLU()(layers.DepthwiseConv2D(3, strides, padding="same")(x))
        x = layers.ReLU()(layers.Conv2D(filters, 1)(x))
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x))), (32, 32, 32, 3)


def resnet18(keras: Any) -> Network:
    """ResNet-18 on images of 64x64, padded as in PyTorch; ten classes."""
    layers = keras.layers

    def normalized(x: Any, filters: int, size: int, strides: int = 1) -> Any:
        x = layers.ZeroPadding2D(size // 2)(x) if size > 1 else x
        x = layers.Conv2D(filters, size, strides, use_bias=False)(x)
        return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x)

    images = layers.Input((64, 64, 3))
    x = layers.ReLU()(normalized(images, 64, 7, 2))
    x = layers.MaxPooling2D(3, 2)(layers.ZeroPadding2D(1)(x))  # zeros change no maximum after the ReLU
    for filters, strides in RESNET_BLOCKS:
        y = normalized(layers.ReLU()(normalized(x, filters, 3, strides)), filters, 3)
        x = layers.ReLU()(layers.Add()([y, normalized(x, filters, 1, strides) if strides > 1 else x]))
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x))), (32, 64, 64, 3)


def wide_and_deep(keras: Any) -> Network:
    """26 categories of 1000 values each: a linear model of them, and three layers above their embeddings."""
    layers = keras.layers
    ids = layers.Input((CATEGORIES,), dtype="int32")
    wide = layers.GlobalAveragePooling1D()(layers.Embedding(CATEGORIES * 1000, 10)(ids))
    deep = layers.Flatten()(layers.Embedding(CATEGORIES * 1000, 16)(ids))
    for units in DEEP_UNITS:
        deep = layers.Dense(units, activation="relu")(deep)
    return keras.Model(ids, layers.Add()([wide, layers.Dense(10)(deep)])), (256, CATEGORIES)


RESNET_BLOCKS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
CATEGORIES, DEEP_UNITS = 26, (256, 128)
NETWORKS: dict[str, Callable[[Any], Network]] = {
    f.__name__: f for f in (tutorial, dense, recurrent, transformer, residual, depthwise)
}
# Those that other libraries' steps are compared on, by `benchmarks/networks.py`.
COMPARED: dict[str, Callable[[Any], Network]] = {
    "resnet18": resnet18,
    "transformer": transformer,
    "lstm": recurrent,
    "wide_and_deep": wide_and_deep,
}
