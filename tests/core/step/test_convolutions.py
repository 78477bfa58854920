"""Rewritten convolutions compute what XLA's do: values, gradients, gradients of gradients, tangents, batches of them."""

import os
from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

import stratagem as tf
from stratagem._base.errors import InvalidArgumentError
from stratagem._core.rewrites import compiler_options, rewrite
from tests import prepared
from tests.core.step.observing import count, programs_made
from tests.thorough import thorough_but, thorough_if

ORDER = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NDHWC", "DHWIO", "NDHWC")}
# The two sum the same products in another order.
CLOSE = 2e-6

Shapes = tuple[tuple[int, ...], tuple[int, ...]]


def convolution(places: int = 2, strides: int = 1, padding: Any = "SAME", dilation: int = 1, groups: int = 1) -> Any:
    def run(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(
            x,
            w,
            (strides,) * places,
            padding,
            rhs_dilation=(dilation,) * places,
            feature_group_count=groups,
            dimension_numbers=ORDER[places],
        )

    return run


def operands(shapes: Shapes, dtype: str = "float32") -> list[Any]:
    random = np.random.default_rng(0)
    return [jnp.asarray(random.normal(size=shape), dtype) for shape in shapes]


def rewritten(function: Any, x: Any, w: Any, platform: str = "cpu") -> tuple[Any, xc.ClosedJaxpr]:
    closed = rewrite(jax.make_jaxpr(function)(x, w), platform)
    program = xc.jaxpr_as_fun(closed)
    return lambda x, w: program(x, w)[0], closed


def answers(function: Any, x: Any, w: Any) -> dict[str, Any]:
    """All that is asked of a convolution, compiled with the options that steps are compiled with."""

    def summed(x: Any, w: Any) -> Any:
        return jnp.sum(jnp.sin(function(x, w)))

    def twice(x: Any, w: Any) -> Any:
        return sum(jnp.sum(g**2) for g in jax.grad(summed, (0, 1))(x, w))

    asked = {
        "value": function,
        "gradients": jax.grad(summed, (0, 1)),
        "gradients of gradients": jax.grad(twice, (0, 1)),
        "tangent": lambda x, w: jax.jvp(function, (x, w), (jnp.cos(x), jnp.cos(w)))[1],
        "batch": lambda x, w: jax.vmap(function, (0, None))(jnp.stack([x, x + 1]), w),
    }
    options = compiler_options("cpu")
    return {name: jax.jit(f).lower(x, w).compile(compiler_options=options)(x, w) for name, f in asked.items()}


def assert_same(function: Any, x: Any, w: Any) -> xc.ClosedJaxpr:
    new, closed = rewritten(function, x, w)
    for (name, got), expected in zip(answers(new, x, w).items(), answers(function, x, w).values(), strict=True):
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            assert a.dtype == b.dtype, name
            size = float(jnp.max(jnp.abs(b), initial=1e-30))
            np.testing.assert_allclose(np.asarray(a) / size, np.asarray(b) / size, rtol=0, atol=CLOSE, err_msg=name)
    return closed


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("shapes", "how"),
    [
        (((8, 16, 15, 16), (3, 3, 16, 32)), {}),
        pytest.param(((8, 16, 15, 16), (4, 2, 16, 32)), {"strides": 2}, marks=thorough_if(True)),
        (((8, 16, 15, 16), (3, 3, 16, 32)), {"dilation": 2, "padding": "VALID"}),
        (((8, 16, 15, 16), (3, 3, 16, 32)), {"padding": ((3, 4), (0, 1))}),  # more padding than a gradient can have
        pytest.param(((8, 64, 32), (5, 32, 32)), {"places": 1}, marks=thorough_if(True)),
        (((2, 9, 8, 10, 8), (3, 3, 3, 8, 16)), {"places": 3}),
        (((2, 8, 9, 8), (3, 3, 1, 8)), {"groups": 8, "strides": 2}),  # depth-wise
        pytest.param(((2, 8, 9, 8), (3, 3, 1, 16)), {"groups": 8}, marks=thorough_if(True)),
        (((2, 9, 8, 8), (4, 4, 2, 16)), {"groups": 4, "strides": 3, "padding": "VALID"}),
        (((8, 16, 16, 16), (3, 3, 16, 32)), {"padding": ((-1, 0), (2, -3))}),
        pytest.param(
            ((2, 9, 8, 8), (3, 3, 2, 16)), {"groups": 4, "padding": ((3, 3), (0, 4))}, marks=thorough_if(True)
        ),
    ],
    ids=str,
)
def test_a_convolution_by_onednn_is_that_of_xla(shapes: Shapes, how: dict[str, Any]) -> None:
    closed = assert_same(convolution(**how), *operands(shapes))
    assert (count(closed, "convolution"), count(closed, "conv_general_dilated")) == (1, 0)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("shapes", "how"),
    [
        (
            ((64, 4, 4, 64), (3, 3, 64, 32)),
            {"strides": 2, "padding": ((1, 1), (1, 1))},
        ),  # a window wider than the result
        (((8, 9, 11, 16), (5, 4, 16, 32)), {"strides": 2}),
        (((16, 9, 7, 32), (7, 5, 32, 32)), {"strides": 2, "padding": ((5, 8), (0, 9))}),
        pytest.param(((32, 64, 32), (9, 32, 32)), {"places": 1, "strides": 3}, marks=thorough_if(True)),
        pytest.param(((2, 9, 8, 10, 8), (5, 4, 4, 8, 16)), {"places": 3, "strides": 2}, marks=thorough_if(True)),
        (((64, 9, 7, 32), (3, 3, 32, 64)), {"strides": 4, "padding": "VALID"}),  # some places meet no weight
    ],
    ids=str,
)
def test_a_strided_gradient_is_of_the_same_convolution(shapes: Shapes, how: dict[str, Any]) -> None:
    x, w = operands(shapes)
    w = (w / np.sqrt(np.prod(shapes[1][:-1]))).astype("float32")
    new = assert_same(convolution(**how), x, w)
    gradient = jax.make_jaxpr(jax.grad(lambda x: jnp.sum(xc.jaxpr_as_fun(new)(x, w)[0] ** 2)))(x)
    assert (count(gradient, "convolution_of_input"), count(gradient, "conv_general_dilated")) == (1, 0)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("shapes", "how"),
    [
        (((4, 2, 2, 64), (3, 3, 64, 512)), {}),
        (((4, 5, 4, 64), (3, 3, 64, 512)), {"strides": 2}),
        (((2, 7, 6, 64), (3, 2, 64, 512)), {"dilation": 2, "padding": ((1, 0), (0, 3))}),
        pytest.param(((4, 8, 128), (5, 128, 512)), {"places": 1}, marks=thorough_if(True)),
        pytest.param(((2, 2, 3, 2, 32), (3, 3, 3, 32, 512)), {"places": 3}, marks=thorough_if(True)),
    ],
    ids=str,
)
def test_a_convolution_of_few_places_by_large_filters_is_one_product(shapes: Shapes, how: dict[str, Any]) -> None:
    x, w = operands(shapes)
    w = (w / np.sqrt(np.prod(shapes[1][:-1]))).astype("float32")
    closed = assert_same(convolution(**how), x, w)
    assert count(closed, "dot_general") + count(closed, "product") == 1
    assert count(closed, "convolution") == count(closed, "conv_general_dilated") == 0


@pytest.mark.parametrize(
    ("shapes", "how"),
    [
        (((5, 4, 4, 64), (3, 3, 64, 256)), {}),  # more places than a quarter of the channels
        (((1, 2, 2, 64), (9, 9, 64, 512)), {}),  # 81 places in a window
        (((2, 4, 4, 64), (3, 3, 32, 512)), {"groups": 2}),
    ],
    ids=str,
)
def test_other_convolutions_by_large_filters_are_onednns(shapes: Shapes, how: dict[str, Any]) -> None:
    _, closed = rewritten(convolution(**how), *operands(shapes))
    assert count(closed, "convolution") == 1


def test_the_gradients_of_images_have_the_filters_as_they_lie() -> None:
    """Exchanged before the call, 3x3x512x512 filters took a twentieth of ResNet-18's step."""
    x, w = operands(((16, 8, 8, 32), (3, 3, 32, 64)))
    new, _ = rewritten(convolution(), x, w)
    of_images = jax.grad(lambda x: jnp.sum(jnp.sin(new(x, w))))
    again = jax.grad(lambda x: jnp.sum(of_images(x) ** 2))
    for function in (of_images, again):
        program = jax.make_jaxpr(function)(x)
        assert (count(program, "transpose"), count(program, "rev"), count(program, "conv_general_dilated")) == (0, 0, 0)


@pytest.mark.sampled
@pytest.mark.parametrize(("strides", "places"), thorough_but([(2, 2), (3, 1)], [(1, 2), (2, 2), (3, 1)]))
def test_a_pointwise_convolution_is_a_matrix_product(strides: int, places: int) -> None:
    shapes = (2, *(9,) * places, 4), (*(1,) * places, 4, 6)
    closed = assert_same(convolution(places, strides, "VALID"), *operands(shapes))
    assert (count(closed, "dot_general"), count(closed, "conv_general_dilated")) == (1, 0)


def test_a_large_pointwise_convolution_is_a_product_for_onednn() -> None:
    """What a rule makes is rewritten by the others."""
    _, closed = rewritten(convolution(padding="VALID"), *operands(((8, 16, 16, 128), (1, 1, 128, 64))))
    assert (count(closed, "product"), count(closed, "dot_general")) == (1, 0)


@pytest.mark.thorough
@hypothesis.settings(max_examples=60)
@hypothesis.given(data=st.data())
def test_any_convolution_is_that_of_xla(data: st.DataObject) -> None:
    """Of small integers, whose sums of products are exact in any order."""
    draw = data.draw
    places, groups = draw(st.integers(1, 3)), draw(st.sampled_from([1, 1, 2, 4]))
    window = tuple(draw(st.integers(1, 4)) for _ in range(places))
    dilation = draw(st.integers(1, 2))
    padding = [(draw(st.integers(0, 3)), draw(st.integers(0, 3))) for _ in range(places)]
    sizes = tuple(draw(st.integers((k - 1) * dilation + 1, 9)) for k in window)
    channels = groups * draw(st.integers(1, 10)), groups * draw(st.integers(1, 10))
    random = np.random.default_rng(draw(st.integers(0, 99)))

    def small(*shape: int) -> Any:
        return jnp.asarray(random.integers(-2, 3, shape), "float32")

    x, w = small(draw(st.integers(1, 3)), *sizes, channels[0]), small(*window, channels[0] // groups, channels[1])
    function = convolution(places, draw(st.integers(1, 3)), padding, dilation, groups)
    with pytest.MonkeyPatch.context() as patch:
        # Private: examples are small.
        patch.setattr("stratagem._core.rewrites._convolution._WORTH_A_CALL", 0.0)
        new, _ = rewritten(function, x, w)
        cotangent, tangents = small(*function(x, w).shape), (small(*x.shape), small(*w.shape))

        def derivatives(function: Any) -> Any:
            def gradients(x: Any, w: Any) -> Any:
                return jax.vjp(function, x, w)[1](cotangent)

            of_gradients = jax.vjp(gradients, x, w)[1](tangents)
            return function(x, w), gradients(x, w), of_gradients, jax.jvp(function, (x, w), tangents)[1]

        got, expected = (jax.tree.leaves(jax.jit(derivatives, static_argnums=0)(f)) for f in (new, function))
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("shapes", "how"),
    [
        (((1, 8, 8, 4), (3, 3, 4, 4)), {}),  # too little work for a call
        (((0, 16, 16, 16), (3, 3, 1, 16)), {"groups": 16}),  # no images
        (((4, 2, 2, 16), (3, 3, 1, 16)), {"groups": 16, "padding": "VALID"}),  # no place for a window
        (((0, 4, 4, 2), (1, 1, 2, 3)), {}),
    ],
    ids=str,
)
def test_other_convolutions_stay_with_xla(shapes: Shapes, how: dict[str, Any]) -> None:
    x, w = operands(shapes)
    _, closed = rewritten(convolution(**how), x, w)
    assert count(closed, "conv_general_dilated") == 1


def test_channels_first_convolutions_stay_with_xla() -> None:
    x, w = operands(((8, 16, 16, 16), (3, 3, 16, 32)))

    def run(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(x, w, (1, 1), [(1, 1), (1, 1)], dimension_numbers=("NCHW", "HWIO", "NCHW"))

    assert count(rewritten(run, x, w)[1], "conv_general_dilated") == 1


def transposed(places: int, apart: int, padding: Any, dilation: int = 1, groups: int = 1, strides: int = 1) -> Any:
    def run(x: Any, w: Any) -> Any:
        return jax.lax.conv_general_dilated(
            x,
            w,
            (strides,) * places,
            padding,
            lhs_dilation=(apart,) * places,
            rhs_dilation=(dilation,) * places,
            feature_group_count=groups,
            dimension_numbers=ORDER[places],
        )

    return run


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("shapes", "how"),
    [
        (((8, 8, 9, 16), (5, 5, 16, 32)), {"apart": 2, "padding": [(3, 2), (3, 2)]}),  # padding="same" of Keras
        (((8, 8, 9, 16), (4, 4, 16, 32)), {"apart": 2, "padding": [(3, 3), (3, 3)]}),  # "valid"
        (((8, 8, 9, 16), (2, 2, 16, 64)), {"apart": 3, "padding": [(1, 2), (1, 2)]}),  # places that no window meets
        (((8, 8, 9, 16), (3, 3, 16, 32)), {"apart": 2, "dilation": 2, "padding": [(4, 4), (4, 3)]}),
        (((8, 8, 9, 16), (3, 3, 4, 32)), {"apart": 2, "groups": 4, "padding": [(2, 1), (1, 2)]}),
        (((8, 64, 32), (5, 32, 32)), {"apart": 4, "padding": [(4, 4)]}),
        (((2, 5, 4, 6, 16), (3, 3, 3, 16, 16)), {"apart": 2, "padding": [(2, 1), (1, 1), (2, 2)]}),
    ],
    ids=str,
)
def test_a_transposed_convolution_is_the_gradient_of_ones_input(shapes: Shapes, how: dict[str, Any]) -> None:
    x, w = operands(shapes)
    w = (w / np.sqrt(np.prod(shapes[1][:-1]))).astype("float32")
    closed = assert_same(transposed(len(shapes[0]) - 2, **how), x, w)
    assert (count(closed, "convolution_of_input"), count(closed, "conv_general_dilated")) == (1, 0)


@pytest.mark.parametrize(
    "how",
    [
        {"apart": 2, "padding": [(6, 2), (3, 2)]},  # more zeros around than a window reaches
        {"apart": 2, "padding": [(2, 2), (2, 2)], "strides": 2},
    ],
)
def test_other_transposed_convolutions_stay_with_xla(how: dict[str, Any]) -> None:
    x, w = operands(((8, 8, 9, 16), (5, 5, 16, 32)))
    assert count(rewritten(transposed(2, **how), x, w)[1], "conv_general_dilated") == 1


@pytest.mark.parametrize("platform", ["gpu", "tpu"])
def test_other_platforms_keep_their_convolutions(platform: str) -> None:
    x, w = operands(((8, 16, 16, 16), (3, 3, 16, 32)))
    assert count(rewritten(convolution(), x, w, platform)[1], "conv_general_dilated") == 1


def test_not_a_number_and_infinities_stay_where_xla_has_them() -> None:
    x, w = operands(((8, 16, 16, 16), (3, 3, 16, 32)))
    x = x.at[0, 3, 3, 1].set(jnp.nan).at[1, 2, 2, 0].set(jnp.inf).at[2, 5, 5, 3].set(-jnp.inf)
    new, _ = rewritten(convolution(), x, w)
    got, expected = jax.jit(new)(x, w), jax.jit(convolution())(x, w)
    for same in (jnp.isnan, jnp.isposinf, jnp.isneginf):
        np.testing.assert_array_equal(same(got), same(expected))


def test_the_same_numbers_come_out_every_time() -> None:
    x, w = operands(((16, 28, 28, 16), (3, 3, 16, 32)))
    run = jax.jit(rewritten(convolution(), x, w)[0])
    first = np.asarray(run(x, w))
    for _ in range(20):
        np.testing.assert_array_equal(run(x, w), first)


PROGRAM = """
import numpy as np, stratagem as tf
from stratagem import keras
strategy = tf.distribute.MirroredStrategy({devices})
with strategy.scope():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([
        keras.layers.Conv2D(16, 3, activation="relu"), keras.layers.MaxPooling2D(),
        keras.layers.DepthwiseConv2D(3, 2, padding="same"), keras.layers.Conv2D(32, 1), keras.layers.MaxPooling2D(3),
        keras.layers.Conv2D(512, 2, activation="relu"), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(10),
    ])
    model.build((None, 28, 28, 1))
    optimizer = keras.optimizers.SGD(0.1)
x = np.random.default_rng(0).normal(size=(16, 28, 28, 1)).astype("float32")
y = np.arange(16) % 10

@tf.function
def step(x, y):
    def replica(x, y):
        with tf.GradientTape() as tape:
            each = keras.losses.sparse_categorical_crossentropy(y, model(x, training=True), from_logits=True)
            loss = tf.nn.compute_average_loss(each, global_batch_size=16)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    strategy.run(replica, (x, y))

for x, y in strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(16).repeat(3)):
    step(x, y)
np.savez({path!r}, *[w.numpy() for w in model.weights])
"""


@pytest.mark.parametrize("replicas", thorough_but([2], [1, 2]))
def test_training_has_the_same_weights_with_and_without_rewrites(replicas: int, tmp_path: Any) -> None:
    weights = {}
    for said in ("on", "off"):
        path = str(tmp_path / f"{said}.npz")
        devices = [f"cpu:{i}" for i in range(replicas)]
        environment = {"STRATAGEM_REWRITES": said, "JAX_NUM_CPU_DEVICES": str(replicas)}
        run_in_process(PROGRAM.format(devices=devices, path=path), environment)
        with np.load(path) as file:
            weights[said] = [file[name] for name in file.files]
    for on, off in zip(weights["on"], weights["off"], strict=True):
        np.testing.assert_allclose(on, off, rtol=1e-5, atol=1e-6)
    assert any((on != off).any() for on, off in zip(weights["on"], weights["off"], strict=True)), (
        "nothing was rewritten"
    )


def run_in_process(program: str, environment: dict[str, str]) -> None:
    done = prepared.run(program, environment=os.environ | environment)
    assert done.returncode == 0, done.stderr[-3000:]


def test_rewrites_are_switched_off_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_REWRITES", "off")
    x, w = operands(((8, 16, 16, 16), (3, 3, 16, 32)))
    assert count(rewritten(convolution(), x, w)[1], "conv_general_dilated") == 1
    assert compiler_options("cpu") is None
    # What XLA computes wrongly is mended nevertheless.
    closed = jax.make_jaxpr(lambda x: abs(x * x))(jnp.asarray([599883556], "int32"))
    assert count(rewrite(closed, "cpu"), "abs") == 0
    monkeypatch.setenv("STRATAGEM_REWRITES", "of")
    with pytest.raises(InvalidArgumentError, match="STRATAGEM_REWRITES=of is set"):
        compiler_options("cpu")


def test_a_keras_layer_in_a_step_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    layer = keras.layers.Conv2D(16, 3)
    x = tf.constant(np.random.default_rng(1).normal(size=(16, 16, 16, 8)).astype("float32"))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(x) ** 2)
        return tape.gradient(y, layer.kernel)

    got = step(x)
    expected = jax.grad(lambda w: jnp.sum((convolution(padding="VALID")(x, w) + layer.bias.value) ** 2))(
        layer.kernel.value
    )
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-2)
    assert count(made[-1].closed, "convolution") == 1


def test_an_accumulator_and_an_eager_tape_have_the_same_gradients() -> None:
    x, w = operands(((8, 16, 16, 16), (3, 3, 16, 32)))
    v = tf.Variable(w)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(v, tf.ones_like(v)) as accumulator:
        y = tf.nn.conv2d(x, v, 1, "SAME")
        loss = tf.reduce_sum(y**2)
    function = convolution()
    gradient = jax.grad(lambda w: jnp.sum(function(x, w) ** 2))(w)
    size = float(jnp.max(jnp.abs(gradient)))
    np.testing.assert_allclose(np.asarray(tape.gradient(loss, v)) / size, gradient / size, atol=1e-5)
    tangent = jax.jvp(lambda w: function(x, w), (w,), (jnp.ones_like(w),))[1]
    np.testing.assert_allclose(accumulator.jvp(y), tangent, rtol=1e-4, atol=1e-3)


def test_a_gradient_penalty_is_that_of_xla(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of WGAN-GP differentiates the gradient of a critic by its images."""
    made = programs_made(monkeypatch)
    images = np.random.default_rng(0).normal(size=(8, 12, 12, 4)).astype("float32")

    def trained() -> list[np.ndarray]:
        keras.utils.set_random_seed(0)
        layers = keras.layers
        convolutions = [layers.Conv2D(16, 5, 2, padding="same"), layers.LeakyReLU(), layers.Conv2D(32, 3, 2)]
        critic = keras.Sequential([layers.Input((12, 12, 4)), *convolutions, layers.Flatten(), layers.Dense(1)])
        optimizer = keras.optimizers.SGD(0.01)

        @tf.function
        def step(x: Any) -> None:
            with tf.GradientTape() as tape:
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    scores = critic(x, training=True)
                norms = tf.sqrt(tf.reduce_sum(inner.gradient(scores, x) ** 2, axis=(1, 2, 3)))
                loss = tf.reduce_mean(scores) + 10.0 * tf.reduce_mean((norms - 1.0) ** 2)
            gradients = tape.gradient(loss, critic.trainable_variables)
            optimizer.apply_gradients(zip(gradients, critic.trainable_variables, strict=True))

        for _ in range(3):
            step(tf.constant(images))
        return [np.asarray(v) for v in critic.trainable_variables]

    fast = trained()
    assert count(made[-1].closed, "conv_general_dilated") == 0
    assert count(made[-1].closed, "convolution_of_filters") > 2
    monkeypatch.setenv("STRATAGEM_REWRITES", "off")
    for a, b in zip(fast, trained(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
