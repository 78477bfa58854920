"""Steps that run together, and steps whose Python runs at every call, are the same steps."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf

# Private: the work that is counted decides, and other tests see only what is decided.
from stratagem._core.step.programs._repeat import loop_is_faster, work
from stratagem._private import sub_jaxprs
from tests.thorough import thorough_but

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

X = np.random.default_rng(0).normal(size=(96, 4)).astype("float32")
Y = X.sum(1, keepdims=True)


class Told(keras.Model):
    """A model that writes a summary of its own at every call."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(1)

    def call(self, x: Any) -> Any:
        """Its outputs."""
        outputs = self.dense(x)
        tf.summary.scalar("outputs", tf.reduce_mean(outputs))
        return outputs


@pytest.mark.parametrize(
    "options", [{"steps_per_execution": 3}, pytest.param({"run_eagerly": True}, marks=pytest.mark.thorough)]
)
def test_a_step_that_writes_summaries_is_the_same_step(options: dict[str, Any], tmp_path: Path) -> None:
    def trained(**options: Any) -> list[np.ndarray]:
        keras.utils.set_random_seed(1)
        with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
            model = Told()
            model.compile("sgd", "mse", **options)
        model.fit(X, Y, batch_size=20, shuffle=False, verbose=0)  # 4 batches of 20, one of 16
        return list(model.get_weights())

    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        one_by_one, other = trained(), trained(**options)
    for a, b in zip(one_by_one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_what_python_makes_anew_at_every_eager_call_is_noticed() -> None:
    calls, logged = [0], []

    class Counting(keras.Sequential):
        def train_step(self, data: Any) -> Any:
            calls[0] += 1
            counted = tf.constant(np.full((3,), calls[0], np.float32))
            return {**super().train_step(data), "counted": tf.reduce_sum(counted)}

    class Logs(keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            logged.append((calls[0], logs["counted"]))

    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = Counting([keras.layers.Input((4,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse", run_eagerly=True)
    model.fit(X, Y, batch_size=32, verbose=0, callbacks=[Logs()])
    # Each replica has called it, and what is logged is the mean of both.
    assert [value for _, value in logged] == [3.0 * (number - 0.5) for number, _ in logged]
    assert len({value for _, value in logged}) == 3


class OfParts(keras.Model):
    """A model with a step of its own and no outputs, as adversarial networks are written."""

    def __init__(self) -> None:
        super().__init__()
        self.part = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(1)])

    def train_step(self, data: Any) -> Any:
        x, y = data["x"], data["y"]
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.part(x, training=True) - y) ** 2)
        variables = self.part.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return {"loss": loss}


@pytest.mark.parametrize("replicas", thorough_but([2], [1, 2]))
def test_a_model_without_outputs_trains_by_its_own_step_also_as_python(replicas: int) -> None:
    def trained(**options: Any) -> list[np.ndarray]:
        keras.utils.set_random_seed(1)
        with tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)]).scope():
            model = OfParts()
            model.compile("sgd", **options)
        model.fit(tf.data.Dataset.from_tensor_slices({"x": X, "y": Y}).batch(20), verbose=0)
        return list(model.get_weights())

    compiled, as_python = trained(), trained(run_eagerly=True)
    assert len(compiled) == 4
    for a, b in zip(compiled, as_python, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_a_shuffled_sequence_has_another_order_in_every_epoch_and_the_same_for_a_seed() -> None:
    class Batches(keras.utils.PyDataset):
        seen: list[int]

        @property
        def num_batches(self) -> int:
            return 8

        def __getitem__(self, index: int) -> Any:
            self.seen.append(index)
            return X[index : index + 4], Y[index : index + 4]

    def orders() -> list[list[int]]:
        keras.utils.set_random_seed(5)
        with tf.distribute.OneDeviceStrategy("CPU:0").scope():
            model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
            model.compile("sgd", "mse")
        batches = Batches()
        batches.seen = []
        model.fit(batches, epochs=2, verbose=0, shuffle=True)
        return [batches.seen[:8], batches.seen[8:]]

    first, second = orders()
    assert sorted(first) == sorted(second) == list(range(8))
    assert first != second != list(range(8))
    assert orders() == [first, second]


# --- On CPUs ----------------------------------------------------------------------------------------------------------


def loops_with(name: str, jaxpr: Any, inside: bool = False) -> int:
    """How many equations of this kind stand in a loop."""
    count = 0
    for eqn in jaxpr.eqns:
        count += inside and eqn.primitive.name == name
        looping = inside or eqn.primitive.name in ("scan", "while")
        count += sum(loops_with(name, inner, looping) for inner in sub_jaxprs(eqn.params))
    return count


def compiled(monkeypatch: pytest.MonkeyPatch, model: Any, x: np.ndarray) -> list[Any]:
    """The programs that a `fit` of two executions of three steps, and one of a single step, gives to XLA."""
    programs, jit = [], jax.jit

    def noting(function: Any, **options: Any) -> Any:
        made = jit(function, **options)

        def called(*args: Any) -> Any:
            programs.append(made.trace(*args).jaxpr.jaxpr)
            return made(*args)

        return called if "donate_argnums" in options else made

    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        model = model()
        model.compile("adam", "mse", steps_per_execution=3)
    with monkeypatch.context() as patch:
        patch.setattr(jax, "jit", noting)
        model.fit(x, np.ones((len(x), 1), "float32"), batch_size=4, verbose=0)
    return programs


def network(*body: Any) -> Callable[[], Any]:
    return lambda: keras.Sequential([*(make() for make in body), keras.layers.Dense(1)])


layers = keras.layers
IMAGES = np.random.default_rng(0).normal(size=(28, 6, 6, 1)).astype("float32")
CONVOLVING = {
    "convolution": network(lambda: layers.Conv2D(2, 3), layers.Flatten),
    "depthwise": network(lambda: layers.DepthwiseConv2D(3), layers.Flatten),
    "transposed": network(lambda: layers.Conv2DTranspose(2, 3), layers.Flatten),
    "in a wrapper": network(lambda: layers.TimeDistributed(layers.Conv1D(2, 3)), layers.Flatten),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(["convolution", "in a wrapper"], CONVOLVING))
def test_no_convolution_stands_in_a_loop(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA's CPU backend would run it without threads."""
    programs = compiled(monkeypatch, CONVOLVING[name], IMAGES)
    assert len(programs) == 7  # steps, one after another
    assert all("conv_general_dilated" in str(p) for p in programs)
    assert [loops_with("conv_general_dilated", p) for p in programs] == [0] * 7


def test_short_steps_are_one_program_and_long_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    short = compiled(monkeypatch, network(lambda: layers.Dense(8)), X[:28])
    assert [loops_with("dot_general", p) > 0 for p in short] == [True, True, False]
    long = compiled(monkeypatch, network(lambda: layers.Dense(3000), lambda: layers.Dense(3000)), X[:28])
    assert [loops_with("dot_general", p) for p in long] == [0] * 7


def test_a_step_with_a_convolution_computes_the_same_several_at_a_time() -> None:
    def trained(steps: int) -> list[np.ndarray]:
        keras.utils.set_random_seed(0)
        with tf.distribute.OneDeviceStrategy("CPU:0").scope():
            model = CONVOLVING["convolution"]()
            model.compile("adam", "mse", steps_per_execution=steps)
        model.fit(IMAGES, np.ones((28, 1), "float32"), batch_size=4, shuffle=False, verbose=0)
        return list(model.get_weights())

    assert all(np.array_equal(a, b) for a, b in zip(trained(1), trained(3), strict=True))


def test_the_work_of_a_step_is_counted_through_loops_and_calls() -> None:
    def step(a: Any, b: Any) -> Any:
        return jax.lax.scan(lambda c, _: (jax.jit(jnp.matmul)(c, b), None), a, None, length=5)[0]

    made = jax.make_jaxpr(step)(np.zeros((2, 3), "float32"), np.zeros((3, 3), "float32"))
    assert work(made.jaxpr) == 5 * 2 * 2 * 3 * 3
    assert loop_is_faster(made, "cpu")
    convolution = jax.make_jaxpr(lambda x: jax.lax.conv(x, x, (1, 1), "SAME"))(np.zeros((1, 1, 2, 2), "float32"))
    assert not loop_is_faster(convolution, "cpu")
    assert loop_is_faster(convolution, "gpu")
