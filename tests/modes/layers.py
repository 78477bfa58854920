"""Layers of Keras with their options, with weights that are the same in both libraries."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.modes.thing import Array, Made, Thing, drawn

IMAGES, VOLUMES, SERIES, ROWS = (2, 6, 6, 2), (1, 4, 4, 4, 2), (2, 5, 3), (3, 4)
KERAS_3 = "Keras 3 computes it in another way than tf.keras 2.15"
MASKED = "Keras 3 masks by the smallest number, tf.keras 2.15 by -1e9"
# A unit's gradient by the reference that TensorFlow does not have as Keras 3.
SECOND_OF_MOMENTS = "tf.nn.moments stops a gradient that only second derivatives need"


def layer(
    name: str, make: Callable[[Any], Any], *shapes: Any, call: Any = None, integers: int = 0, **options: Any
) -> Thing:
    """A layer that make(tf.keras.layers) returns, of inputs with these shapes; call(tf, layer, *inputs) calls it.

    integers: inputs are whole numbers below it.
    """

    def made(tf: Any) -> Made:
        inputs = [_input(shape, number, integers) for number, shape in enumerate(shapes)]
        built = make(tf.keras.layers)
        run = (lambda *tensors: built(*tensors)) if call is None else (lambda *tensors: call(tf, built, *tensors))
        run(*map(tf.constant, inputs))
        set_weights(built)
        return Made(run, inputs, list(built.trainable_variables))

    return Thing(f"layer: {name}", made, within=1e-3, **options)


def _input(shape: Any, number: int, integers: int) -> Array:
    if integers:
        return np.random.default_rng([number, *shape]).integers(0, integers, shape).astype(np.int32)
    return drawn(*shape, seed=number)


def set_weights(built: Any) -> None:
    """Gives every weight numbers that depend on its place among those of its kind."""
    count: dict[tuple[int, ...], int] = {}
    for weight in built.weights:
        path = getattr(weight, "path", weight.name)
        if "seed" in path or "float" not in str(weight.dtype):
            continue
        shape = tuple(int(n) for n in weight.shape)
        count[shape] = count.get(shape, 0) + 1
        values = drawn(*shape, seed=100 + count[shape]) * 0.5
        weight.assign(abs(values) + 0.5 if "variance" in path else values)


def _sequence(*layers: Any) -> Callable[[Any], Any]:
    """A model of layers, each given as a function of tf.keras.layers."""

    class Chain:
        def __init__(self, library: Any) -> None:
            self.layers = [each(library) for each in layers]

        def __call__(self, x: Any) -> Any:
            for each in self.layers:
                x = each(x)
            return x

        @property
        def weights(self) -> list[Any]:
            return [w for each in self.layers for w in each.weights]

        @property
        def trainable_variables(self) -> list[Any]:
            return [w for each in self.layers for w in each.trainable_variables]

    return Chain


def of_rows() -> Iterator[Thing]:
    """Dense layers, activations and normalizations."""
    linear = (
        "elu",
        "gelu",
        "linear",
        "relu",
        "selu",
        "sigmoid",
        "softmax",
        "softplus",
        "softsign",
        "tanh",
        "exponential",
        "swish",
    )
    for name in linear:
        yield layer(f"Dense {name}", lambda L, name=name: L.Dense(3, activation=name), ROWS)
    yield layer("Dense hard_sigmoid", lambda L: L.Dense(3, activation="hard_sigmoid"), ROWS, differ={"*": KERAS_3})
    yield layer("Dense without a bias", lambda L: L.Dense(3, use_bias=False), (2, 3, 4))
    yield layer("EinsumDense", lambda L: L.EinsumDense("abc,cd->abd", (None, 3), bias_axes="d"), (2, 3, 4))
    yield layer("LayerNormalization", lambda L: L.LayerNormalization(), ROWS)
    yield layer(
        "LayerNormalization of two axes",
        lambda L: L.LayerNormalization((1, 2)),
        (2, 3, 4),
    )
    yield layer("GroupNormalization", lambda L: L.GroupNormalization(2), (2, 3, 3, 4))
    yield layer("UnitNormalization", lambda L: L.UnitNormalization(), ROWS)
    for training in (False, True):
        yield layer(
            f"BatchNormalization, training={training}", lambda L: L.BatchNormalization(), (4, 3),
            call=lambda tf, built, x, training=training: built(x, training=training),
            differ={"second": SECOND_OF_MOMENTS} if training else {},
        )  # fmt: skip
    yield layer(
        "BatchNormalization without scale",
        lambda L: L.BatchNormalization(center=False, scale=False),
        IMAGES,
        differ={"second": "a linear function has the derivative None, where TensorFlow's kernel has zeros"},
    )
    yield layer("Normalization", lambda L: L.Normalization(mean=[0.5] * 4, variance=[2.0] * 4), ROWS)
    yield layer("Rescaling", lambda L: L.Rescaling(0.5, 1.0), ROWS)
    for name, options in (
        ("ReLU", {}),
        ("ReLU", {"max_value": 0.5}),
        ("LeakyReLU", {}),
        ("PReLU", {}),
        ("ELU", {}),
        ("Softmax", {}),
    ):
        yield layer(f"{name} {options or ''}".strip(), lambda L, n=name, o=options: getattr(L, n)(**o), ROWS)
    yield layer(
        "Softmax with a mask", lambda L: L.Softmax(), ROWS, differ={"*": MASKED},
        call=lambda tf, built, x: built(x, tf.constant([[True, False, True, True], [False] * 4, [True] * 4])),
    )  # fmt: skip
    for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate"):
        yield layer(name, lambda L, n=name: getattr(L, n)(), ROWS, ROWS, call=lambda tf, built, x, y: built([x, y]))
    yield layer("Dot", lambda L: L.Dot(1), ROWS, ROWS, call=lambda tf, built, x, y: built([x, y]))
    yield layer("Dropout, not training", lambda L: L.Dropout(0.5), ROWS)
    yield layer("RepeatVector", lambda L: L.RepeatVector(3), ROWS)
    yield layer("Lambda", lambda L: L.Lambda(abs), ROWS)
    yield layer("Embedding", lambda L: L.Embedding(7, 3), (2, 4), integers=7)
    yield layer(
        "Embedding of zeros, masked",
        _sequence(lambda L: L.Embedding(5, 3, mask_zero=True), lambda L: L.LSTM(2)),
        (2, 4),
        integers=5,
    )


def of_images() -> Iterator[Thing]:
    """Convolutions and pools of one to three dimensions."""
    sizes = {1: (2, 6, 2), 2: IMAGES, 3: VOLUMES}
    for rank, shape in sizes.items():
        yield layer(f"Conv{rank}D", lambda L, r=rank: getattr(L, f"Conv{r}D")(3, 2), shape)
        yield layer(
            f"Conv{rank}D same, strides",
            lambda L, r=rank: getattr(L, f"Conv{r}D")(3, 3, strides=2, padding="same"),
            shape,
        )
        yield layer(
            f"Conv{rank}D dilated, relu",
            lambda L, r=rank: getattr(L, f"Conv{r}D")(3, 2, dilation_rate=2, activation="relu"),
            shape,
        )
        yield layer(
            f"Conv{rank}DTranspose",
            lambda L, r=rank: getattr(L, f"Conv{r}DTranspose")(3, 3, strides=2, padding="same"),
            shape,
        )
        for pool in ("Max", "Average"):
            yield layer(f"{pool}Pooling{rank}D", lambda L, r=rank, p=pool: getattr(L, f"{p}Pooling{r}D")(2), shape)
            yield layer(
                f"{pool}Pooling{rank}D same",
                lambda L, r=rank, p=pool: getattr(L, f"{p}Pooling{r}D")(3, 2, padding="same"),
                shape,
            )
            yield layer(
                f"Global{pool}Pooling{rank}D", lambda L, r=rank, p=pool: getattr(L, f"Global{p}Pooling{r}D")(), shape
            )
        yield layer(f"UpSampling{rank}D", lambda L, r=rank: getattr(L, f"UpSampling{r}D")(2), shape)
        yield layer(f"ZeroPadding{rank}D", lambda L, r=rank: getattr(L, f"ZeroPadding{r}D")(1), shape)
        yield layer(f"Cropping{rank}D", lambda L, r=rank: getattr(L, f"Cropping{r}D")(1), shape)
    yield layer("Conv1D causal", lambda L: L.Conv1D(3, 2, padding="causal"), sizes[1])
    yield layer(
        "Conv2D in groups",
        lambda L: L.Conv2D(4, 2, groups=2),
        IMAGES,
        without={"*": "TensorFlow has no kernel for CPUs"},
    )
    yield layer("DepthwiseConv2D", lambda L: L.DepthwiseConv2D(2, depth_multiplier=2), IMAGES)
    yield layer("SeparableConv2D", lambda L: L.SeparableConv2D(3, 2), IMAGES)
    yield layer("SeparableConv1D", lambda L: L.SeparableConv1D(3, 2), sizes[1])
    yield layer("UpSampling2D bilinear", lambda L: L.UpSampling2D(2, interpolation="bilinear"), IMAGES)
    yield layer(
        "Conv, BatchNormalization, ReLU",
        _sequence(
            lambda L: L.Conv2D(3, 2), lambda L: L.BatchNormalization(), lambda L: L.ReLU(), lambda L: L.MaxPooling2D()
        ),
        IMAGES,
    )


def of_series() -> Iterator[Thing]:
    """Recurrent layers with options, attention."""
    options: dict[str, dict[str, Any]] = {
        "": {},
        "backwards": {"go_backwards": True, "return_sequences": True},
        "unrolled": {"unroll": True},
        "with states": {"return_state": True, "return_sequences": True},
        "relu": {"activation": "relu"},
    }
    for name in ("SimpleRNN", "GRU", "LSTM"):
        for way, arguments in options.items():
            yield layer(f"{name} {way}".strip(), lambda L, n=name, a=arguments: getattr(L, n)(3, **a), SERIES)
        yield layer(
            f"{name} masked", lambda L, n=name: getattr(L, n)(3, return_sequences=True, zero_output_for_mask=True), SERIES,
            call=lambda tf, built, x: built(x, mask=tf.constant([[True, True, False, True, False]] * 2)),
        )  # fmt: skip
        yield layer(
            f"{name} from a state", lambda L, n=name: getattr(L, n)(3), SERIES, (2, 3),
            call=lambda tf, built, x, s, n=name: built(x, initial_state=[s, s * 0.5] if n == "LSTM" else s),
        )  # fmt: skip
        yield layer(
            f"Bidirectional {name}", lambda L, n=name: L.Bidirectional(getattr(L, n)(3, return_sequences=True)), SERIES
        )
        yield layer(
            f"RNN of {name}Cell",
            lambda L, n=name: L.RNN([getattr(L, f"{n}Cell")(3), getattr(L, f"{n}Cell")(2)]),
            SERIES,
        )
    yield layer("GRU reset before", lambda L: L.GRU(3, reset_after=False), SERIES)
    yield layer("LSTM without a forget bias", lambda L: L.LSTM(3, unit_forget_bias=False), SERIES)
    yield layer("TimeDistributed Dense", lambda L: L.TimeDistributed(L.Dense(2)), SERIES)
    yield layer("TimeDistributed LSTM", lambda L: L.TimeDistributed(L.LSTM(2)), (2, 3, 4, 2))
    yield layer("ConvLSTM2D", lambda L: L.ConvLSTM2D(2, 2, recurrent_activation="sigmoid"), (1, 3, 4, 4, 1))
    yield layer("ConvLSTM1D", lambda L: L.ConvLSTM1D(2, 2, recurrent_activation="sigmoid"), (1, 3, 4, 1))
    yield layer(
        "Attention",
        lambda L: L.Attention(use_scale=True),
        SERIES,
        (2, 4, 3),
        call=lambda tf, built, q, v: built([q, v]),
    )
    yield layer(
        "AdditiveAttention",
        lambda L: L.AdditiveAttention(),
        SERIES,
        (2, 4, 3),
        call=lambda tf, built, q, v: built([q, v]),
    )
    attention: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "": ({}, {}),
        "causal, values of another depth": ({"value_dim": 2, "output_shape": 5}, {"use_causal_mask": True}),
        "with scores": ({"value_dim": 4}, {"return_attention_scores": True}),
    }
    for way, (arguments, call) in attention.items():
        yield layer(
            f"MultiHeadAttention {way}".strip(), lambda L, a=arguments: L.MultiHeadAttention(2, 3, **a), SERIES, SERIES,
            call=lambda tf, built, q, v, c=call: built(q, v, **c),
        )  # fmt: skip


def of_regularizers() -> Iterator[Thing]:
    """Losses that layers add."""

    def call(tf: Any, built: Any, x: Any) -> Any:
        return [built(x), *built.losses]

    for name in ("L1", "L2", "L1L2", "OrthogonalRegularizer"):
        yield layer(
            f"Dense with {name}", lambda L, n=name: L.Dense(3, kernel_regularizer=_regularizer(L, n)), ROWS, call=call
        )
    yield layer("ActivityRegularization", lambda L: L.ActivityRegularization(0.1, 0.2), ROWS, call=call)
    yield layer("Dense, its activity regularized", lambda L: L.Dense(3, activity_regularizer="l2"), ROWS, call=call)


def _regularizer(library: Any, name: str) -> Any:
    import sys

    return getattr(sys.modules[library.__name__.rsplit(".", 1)[0]].regularizers, name)()


def of_mixed_precision() -> Iterator[Thing]:
    """Layers that compute in bfloat16."""
    for name, make in {
        "Dense": lambda L: L.Dense(3, dtype="mixed_bfloat16"),
        "Conv2D": lambda L: L.Conv2D(3, 2, dtype="mixed_bfloat16"),
        "LSTM": lambda L: L.LSTM(3, dtype="mixed_bfloat16"),
    }.items():
        shape = {"Dense": ROWS, "Conv2D": IMAGES, "LSTM": SERIES}[name]
        found = layer(f"{name} in bfloat16", make, shape)
        yield Thing(found.name, found.make, within=0.05)


def things() -> list[Thing]:
    """All layers."""
    return [*of_rows(), *of_images(), *of_series(), *of_regularizers(), *of_mixed_precision()]
