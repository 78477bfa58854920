"""Summaries inside of compiled programs."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from tests.events.reading import read, steps, values

summary = tf.summary
REPLICAS = (1, 2)


def strategy_of(replicas: int) -> Any:
    return tf.distribute.MirroredStrategy([f"cpu:{i}" for i in range(replicas)])


def test_a_function_writes_on_every_call_with_the_step_of_that_call(tmp_path: Path) -> None:
    traces = []

    @tf.function
    def double(x: Any) -> Any:
        traces.append(1)
        summary.scalar("x", x)
        summary.scalar("constant", 4.0, step=9)
        summary.text("words", "in a program")
        return x * 2

    with summary.create_file_writer(tmp_path).as_default():
        for step in range(3):
            summary.experimental.set_step(step)
            double(tf.constant(float(step)))
        summary.experimental.set_step(None)
        traced = len(traces)
        with pytest.raises(ValueError, match="No step set"):
            double(tf.constant(1.0))
    assert values(tmp_path, "x") == {0: 0.0, 1: 1.0, 2: 2.0}
    assert steps(tmp_path)["constant"] == [9, 9, 9]
    assert values(tmp_path, "words")[2] == "in a program"
    assert len(traces) == traced  # another step or writer is no other program


def test_the_writer_is_the_one_of_the_call(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return summary.scalar("x", x), summary.should_record_summaries()

    x = tf.constant(1.0)
    results = [step(x)]
    for name in ("a", "b"):
        with summary.create_file_writer(tmp_path / name).as_default(step=1):
            results.append(step(x))
            with summary.record_if(False):
                results.append(step(x))
    results.append(step(x))
    assert [(bool(a), bool(b)) for a, b in results] == [(w, w) for w in (False, True, False, True, False, False)]
    assert steps(tmp_path / "a") == steps(tmp_path / "b") == {"x": [1]}


def test_a_writer_within_the_function_is_flushed_at_once(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path)

    def branch(x: Any) -> Any:
        summary.scalar("branch", x)
        return x

    @tf.function
    def step(x: Any, number: Any) -> Any:
        with writer.as_default(step=number), summary.record_if(number > 0):
            summary.scalar("x", x)
            tf.cond(number > 1, lambda: branch(x), lambda: x)
        summary.scalar("outside", x)
        return x

    for number in range(3):
        jax.block_until_ready(step(tf.constant(1.0), tf.constant(number)))
    jax.effects_barrier()
    assert steps(tmp_path) == {"x": [1, 2], "branch": [2]}
    assert not summary.should_record_summaries()
    writer.close()


def test_a_condition_on_a_variable_is_part_of_the_program(tmp_path: Path) -> None:
    number, asked = tf.Variable(0, dtype=tf.int64), []

    def every_third() -> Any:
        asked.append(1)
        return number % 3 == 0

    @tf.function
    def step() -> None:
        summary.scalar("number", number)
        number.assign_add(1)

    with summary.create_file_writer(tmp_path).as_default(step=number), summary.record_if(every_third):
        step()
        traced = len(asked)
        for _ in range(6):
            step()
    assert len(asked) == traced  # it waits for no value
    assert values(tmp_path, "number") == {0: 0.0, 3: 3.0, 6: 6.0}


def test_a_condition_on_python_is_asked_at_every_call(tmp_path: Path) -> None:
    now = 0

    @tf.function
    def step() -> None:
        summary.scalar("x", 1.0)

    with summary.create_file_writer(tmp_path).as_default(), summary.record_if(lambda: now % 2 == 0):
        for now in range(5):  # the condition reads it
            summary.experimental.set_step(now)
            step()
        summary.experimental.set_step(None)
    assert steps(tmp_path) == {"x": [0, 2, 4]}


@pytest.mark.sampled
@pytest.mark.parametrize("replicas", REPLICAS)
@pytest.mark.parametrize("rows", [8, 7], ids=["even", "uneven"])
def test_a_step_writes_from_its_first_replica_once(replicas: int, rows: int, tmp_path: Path) -> None:
    strategy = strategy_of(replicas)
    with strategy.scope():
        weight = tf.Variable(1.0)
    data = np.arange(rows, dtype=np.float32)
    batches = list(strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(data).batch(4)))

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * x * x)
            summary.scalar("loss", loss)
        summary.histogram("rows", x, buckets=1)
        gradient = tape.gradient(loss, weight)
        summary.scalar("gradient", gradient)
        return gradient

    @tf.function
    def whole(x: Any) -> Any:
        result = strategy.reduce("SUM", strategy.run(replica, (x,)), axis=None)
        summary.scalar("sum", result)
        return result

    with summary.create_file_writer(tmp_path).as_default():
        for step, batch in enumerate(batches):
            summary.experimental.set_step(step)
            whole(batch)
        summary.experimental.set_step(None)
    mine = [part[: -(-len(part) // replicas)] for part in (data[:4], data[4:])]
    assert values(tmp_path, "loss") == {0: np.sum(mine[0] ** 2), 1: np.sum(mine[1] ** 2)}
    assert values(tmp_path, "gradient") == values(tmp_path, "loss")
    assert {step: rows[2] for step, rows in values(tmp_path, "rows").items()} == {0: len(mine[0]), 1: len(mine[1])}
    assert values(tmp_path, "sum") == {0: np.sum(data[:4] ** 2), 1: np.sum(data[4:] ** 2)}
    assert all(s == [0, 1] for s in steps(tmp_path).values())


def test_a_run_without_a_function_has_the_step_of_the_moment(tmp_path: Path) -> None:
    strategy = strategy_of(2)

    def replica(x: Any) -> Any:
        summary.image("picture", tf.ones((2, 3, 4, 1)) * x)
        return x

    with summary.create_file_writer(tmp_path).as_default():
        for step in (5, 6):
            summary.experimental.set_step(step)
            strategy.run(replica, (tf.constant(0.5),))
        summary.experimental.set_step(None)
    assert steps(tmp_path) == {"picture": [5, 6]}
    assert values(tmp_path, "picture")[5][:2] == ["4", "3"]


def test_a_function_in_host_mode_writes_too(tmp_path: Path) -> None:
    @tf.function
    def loop(data: Any) -> None:
        for x in data:
            summary.scalar("x", x, step=int(x))

    with summary.create_file_writer(tmp_path).as_default():
        loop(tf.data.Dataset.range(3))
    assert steps(tmp_path) == {"x": [0, 1, 2]}


def test_a_function_given_to_map_writes_as_python(tmp_path: Path) -> None:
    def add_one(x: Any) -> Any:
        with summary.record_if(lambda: x > 0):
            summary.scalar("x", tf.cast(x, tf.float32))
        return x + 1

    with summary.create_file_writer(tmp_path).as_default(step=3):
        assert list(tf.data.Dataset.range(3).map(add_one).as_numpy_iterator()) == [1, 2, 3]
    assert [s["value"] for s in read(tmp_path)["x"]] == [[1.0], [2.0]]


def test_a_branch_and_a_loop_write_where_they_run(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        def yes() -> Any:
            summary.scalar("yes", x, step=1)
            return x

        def body(i: Any) -> Any:
            summary.scalar("loop", i, step=i)
            return i + 1

        tf.while_loop(lambda i: i < 2, body, [tf.constant(0)])
        return tf.cond(x > 0, yes, lambda: x)

    with summary.create_file_writer(tmp_path).as_default():
        step(tf.constant(-1.0))
        step(tf.constant(2.0))
    assert values(tmp_path, "yes") == {1: 2.0}
    assert steps(tmp_path)["loop"] == [0, 1, 0, 1]


def test_a_program_of_jax_alone_asks_while_it_runs(tmp_path: Path) -> None:
    @jax.jit
    def step(x: jax.Array) -> jax.Array:
        summary.scalar("x", x)
        summary.scalar("given", x, step=x.astype(int))
        return x

    step(jnp.float32(0))
    with summary.create_file_writer(tmp_path).as_default():
        for number in range(1, 4):
            summary.experimental.set_step(number)
            with summary.record_if(number != 2):
                step(jnp.float32(number))
        summary.experimental.set_step(None)
    assert values(tmp_path, "x") == values(tmp_path, "given") == {1: 1.0, 3: 3.0}


def test_the_layer_that_is_called_is_part_of_the_tag(tmp_path: Path) -> None:
    class Seen(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            summary.scalar("mean", tf.reduce_mean(x))
            return x

    model = keras.Sequential([Seen(name="first"), Seen(name="second")], name="model")
    with summary.create_file_writer(tmp_path).as_default(step=1):
        model(np.ones((2, 3), np.float32))
        with keras.name_scope("around"), summary.experimental.summary_scope("own", "default") as (tag, scope):
            summary.scalar("within", 1.0)
    assert list(steps(tmp_path)) == ["model/first/mean", "model/second/mean", "around/own/within"]
    assert (tag, scope) == ("around/own", "around/own/")


def test_writers_are_made_and_closed_outside(tmp_path: Path) -> None:
    writer = summary.create_file_writer(tmp_path)
    for refused in (lambda: summary.create_file_writer(tmp_path), writer.close):
        with pytest.raises(RuntimeError, match="inside a compiled step"):
            tf.function(lambda x, refused=refused: [refused(), x][1])(tf.constant(1.0))
    writer.close()
