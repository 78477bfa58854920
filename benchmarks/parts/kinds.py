"""A network of every kind that people train, each with the size of its batch: none was chosen because it is fast here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Built = Callable[[Any], Any]  # from the module `keras` to a model that ends in ten logits


@dataclass(frozen=True)
class Kind:
    """A network. words: its input are numbers below 5,000 instead of measurements."""

    model: Built
    batch: int = 16
    words: bool = False


def chain(shape: Sequence[int], layers: Callable[[Any], Sequence[Any]]) -> Built:
    """A network whose layers follow each other."""

    def build(keras: Any) -> Any:
        return keras.Sequential([keras.layers.Input(shape), *layers(keras.layers), keras.layers.Dense(10)])

    return build


def application(name: str, size: int = 64) -> Built:
    """One of `keras.applications`, for images of three channels."""

    def build(keras: Any) -> Any:
        network = getattr(keras.applications, name)
        return network(weights=None, input_shape=(size, size, 3), classes=10, classifier_activation=None)

    return build


def repeated(values: Sequence[Any], layers: Callable[[Any], Sequence[Any]]) -> list[Any]:
    """The layers for each of the values, in their order."""
    return [layer for value in values for layer in layers(value)]


def lenet(layers: Any) -> list[Any]:
    return [
        layers.Conv2D(6, 5, activation="tanh"),
        layers.AveragePooling2D(),
        layers.Conv2D(16, 5, activation="tanh"),
        layers.AveragePooling2D(),
        layers.Flatten(),
        layers.Dense(120, "tanh"),
        layers.Dense(84, "tanh"),
    ]


def vgg(layers: Any) -> list[Any]:
    def block(filters: int) -> list[Any]:
        convolutions = [layers.Conv2D(filters, 3, padding="same", activation="relu") for _ in range(2)]
        return [*convolutions, layers.MaxPooling2D(), layers.Dropout(0.2)]

    return [*repeated((32, 64, 128), block), layers.Flatten(), layers.Dense(128, "relu")]


def unet(keras: Any) -> Any:
    layers = keras.layers
    x = images = layers.Input((64, 64, 3))
    skipped = []
    for filters in (16, 32, 64):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        skipped.append(x)
        x = layers.MaxPooling2D()(x)
    for filters, other in zip((64, 32, 16), reversed(skipped), strict=True):
        x = layers.Concatenate()([layers.UpSampling2D()(x), other])
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


def transposed(name: str, size: int, places: int) -> Callable[[Any], list[Any]]:
    def generator(layers: Any) -> list[Any]:
        def block(filters: int) -> list[Any]:
            up = getattr(layers, f"Conv{places}DTranspose")(filters, size, 2, padding="same", use_bias=False)
            return [up, layers.BatchNormalization(), layers.LeakyReLU()]

        return [*repeated((64, 32, 16), block), getattr(layers, name)()]

    return generator


def autoencoder(layers: Any) -> list[Any]:
    def convolution(filters: int, strides: int = 2, kind: Any = layers.Conv2D) -> Any:
        return kind(filters, 3, strides, padding="same", activation="relu")

    up = layers.Conv2DTranspose
    return [
        convolution(16),
        convolution(8),
        convolution(8, kind=up),
        convolution(16, kind=up),
        convolution(1, 1),
        layers.Flatten(),
    ]


def separable(layers: Any) -> list[Any]:
    def block(filters: int) -> list[Any]:
        return [layers.SeparableConv2D(filters, 3, padding="same", activation="relu"), layers.MaxPooling2D()]

    return [*repeated((32, 64, 128), block), layers.Flatten()]


def depthwise(strides: int) -> Callable[[Any], list[Any]]:
    def network(layers: Any) -> list[Any]:
        def block(_: int) -> list[Any]:
            each = layers.DepthwiseConv2D(5, strides, padding="same")
            return [each, layers.BatchNormalization(), layers.ReLU()]

        return [*repeated(range(3), block), layers.GlobalAveragePooling2D()]

    return network


def inverted(keras: Any) -> Any:
    """Inverted residual blocks, as in MobileNetV2."""
    layers = keras.layers

    def normalized(x: Any, layer: Any) -> Any:
        return layers.BatchNormalization()(layer(x))

    x = images = layers.Input((48, 48, 16))
    for _ in range(3):
        y = layers.ReLU(6.0)(normalized(x, layers.Conv2D(96, 1, use_bias=False)))
        y = layers.ReLU(6.0)(normalized(y, layers.DepthwiseConv2D(3, padding="same", use_bias=False)))
        x = layers.Add()([x, normalized(y, layers.Conv2D(16, 1, use_bias=False))])
    return keras.Model(images, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


def grouped(layers: Any) -> list[Any]:
    def block(filters: int) -> list[Any]:
        return [layers.Conv2D(filters, 3, padding="same", groups=4, activation="relu"), layers.MaxPooling2D()]

    return [*repeated((64, 128, 128), block), layers.GlobalAveragePooling2D()]


def dilated(layers: Any) -> list[Any]:
    def block(rate: int) -> list[Any]:
        return [layers.Conv2D(32, 3, padding="same", dilation_rate=rate, activation="relu")]

    return [*repeated((1, 2, 4), block), layers.GlobalAveragePooling2D()]


def causal(layers: Any) -> list[Any]:
    def block(rate: int) -> list[Any]:
        return [layers.Conv1D(32, 7, dilation_rate=rate, padding="causal", activation="relu")]

    return [*repeated((1, 2, 4), block), layers.GlobalMaxPooling1D()]


def texts(layers: Any) -> list[Any]:
    convolution = layers.Conv1D(128, 5, activation="relu")
    return [layers.Embedding(5000, 64), convolution, layers.GlobalMaxPooling1D(), layers.Dense(64, "relu")]


def volumes(layers: Any) -> list[Any]:
    def block(filters: int) -> list[Any]:
        return [layers.Conv3D(filters, 3, padding="same", activation="relu"), layers.MaxPooling3D()]

    return [*repeated((16, 32, 64), block), layers.Flatten()]


def transformer(keras: Any) -> Any:
    layers = keras.layers
    x = places = layers.Input((64, 64))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 16)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(64)(layers.Dense(256, activation="relu")(x)))
    return keras.Model(places, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def tabular(layers: Any) -> list[Any]:
    def block(_: int) -> list[Any]:
        return [layers.Dense(128), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.1)]

    return repeated(range(6), block)


def norms(layers: Any) -> list[Any]:
    def block(_: int) -> list[Any]:
        convolution = layers.Conv2D(16, 3, padding="same")
        return [layers.LayerNormalization(), convolution, layers.GroupNormalization(4), layers.ReLU()]

    return [*repeated(range(2), block), layers.GlobalAveragePooling2D()]


def pools(layers: Any) -> list[Any]:
    return [
        layers.MaxPooling2D(3, 2, "same"),
        layers.AveragePooling2D(3, 1, "same"),
        layers.MaxPooling2D(3, 1, "same"),
        layers.GlobalMaxPooling2D(),
    ]


def augmented(layers: Any) -> list[Any]:
    changes = [
        layers.RandomFlip(),
        layers.RandomRotation(0.1),
        layers.RandomZoom(0.1),
        layers.RandomTranslation(0.1, 0.1),
    ]
    return [*changes, layers.Conv2D(8, 3, padding="same"), layers.GlobalAveragePooling2D()]


def shapes(layers: Any) -> list[Any]:
    return [
        layers.SpatialDropout2D(0.2),
        layers.GaussianNoise(0.1),
        layers.Conv2D(16, 3, padding="same", activation="elu"),
        layers.UpSampling2D(interpolation="bilinear"),
        layers.Cropping2D(4),
        layers.ZeroPadding2D(2),
        layers.GlobalAveragePooling2D(),
    ]


KINDS = {
    "LeNet": Kind(chain((28, 28, 1), lenet), 64),
    "VGG": Kind(chain((32, 32, 3), vgg)),
    "ResNet50": Kind(application("ResNet50")),
    "MobileNetV2": Kind(application("MobileNetV2")),
    "MobileNetV3Small": Kind(application("MobileNetV3Small")),
    "EfficientNetB0": Kind(application("EfficientNetB0")),
    "DenseNet121": Kind(application("DenseNet121")),
    "Xception": Kind(application("Xception", 96)),
    "InceptionV3": Kind(application("InceptionV3", 96)),
    "NASNetMobile": Kind(application("NASNetMobile")),
    "U-Net": Kind(unet),
    "transposed": Kind(chain((8, 8, 32), transposed("GlobalAveragePooling2D", 5, 2))),
    "transposed, 3-D": Kind(chain((4, 4, 4, 16), transposed("GlobalAveragePooling3D", 3, 3)), 4),
    "transposed, 1-D": Kind(chain((64, 32), transposed("GlobalAveragePooling1D", 5, 1))),
    "autoencoder": Kind(chain((28, 28, 1), autoencoder)),
    "separable": Kind(chain((48, 48, 3), separable)),
    "depthwise": Kind(chain((48, 48, 32), depthwise(1))),
    "depthwise, strides": Kind(chain((48, 48, 32), depthwise(2))),
    "inverted residuals": Kind(inverted),
    "grouped": Kind(chain((32, 32, 16), grouped)),
    "dilated": Kind(chain((48, 48, 3), dilated)),
    "causal, 1-D": Kind(chain((1024, 8), causal)),
    "texts": Kind(chain((200,), texts), 64, words=True),
    "volumes": Kind(chain((16, 24, 24, 3), volumes)),
    "ConvLSTM": Kind(
        chain((6, 16, 16, 3), lambda layers: [layers.ConvLSTM2D(16, 3, padding="same"), layers.Flatten()])
    ),
    "LSTM": Kind(chain((100, 32), lambda layers: [layers.LSTM(64, return_sequences=True), layers.LSTM(64)])),
    "bidirectional LSTM": Kind(chain((100, 32), lambda layers: [layers.Bidirectional(layers.LSTM(64))])),
    "GRU": Kind(chain((100, 32), lambda layers: [layers.GRU(64, return_sequences=True), layers.GRU(64)])),
    "simple RNN": Kind(chain((100, 32), lambda layers: [layers.SimpleRNN(64)])),
    "masked LSTM": Kind(
        chain((100,), lambda layers: [layers.Embedding(5000, 64, mask_zero=True), layers.LSTM(64)]), words=True
    ),
    "transformer": Kind(transformer),
    "bag of words": Kind(
        chain(
            (256,),
            lambda layers: [layers.Embedding(20000, 32), layers.GlobalAveragePooling1D(), layers.Dense(16, "relu")],
        ),
        128,
        words=True,
    ),
    "embeddings": Kind(
        chain((20,), lambda layers: [layers.Embedding(100000, 64), layers.Flatten(), layers.Dense(64, "relu")]),
        512,
        words=True,
    ),
    "tabular": Kind(chain((32,), tabular), 256),
    "wide": Kind(chain((784,), lambda layers: [layers.Dense(2048, "relu"), layers.Dense(2048, "relu")]), 128),
    "norms": Kind(chain((32, 32, 16), norms)),
    "pools": Kind(chain((48, 48, 8), pools)),
    "augmentation": Kind(chain((48, 48, 3), augmented)),
    "shapes": Kind(chain((48, 48, 8), shapes)),
}
