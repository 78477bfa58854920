"""A call of a model_fn: its variables, the operations that it leaves undone, the names and collections that it makes."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._tf1.graph import ModelState, current_building


def traced(graph: ModelState, body: Any, mode: str = "train") -> Any:
    """Run `body()` as a model_fn in a compiled step; its result."""

    @tf.function
    def step() -> Any:
        with graph.building(mode):
            return body()

    return step()


def value(graph: ModelState, name: str) -> Any:
    return graph.variables[name].numpy().tolist()


# --- Variables --------------------------------------------------------------------------------------------------------


def test_a_second_trace_finds_the_variables_of_the_first() -> None:
    graph = ModelState()

    @tf.function
    def step(x: Any) -> Any:
        with graph.building("train"):
            kernel = tf1.get_variable("kernel", [3], initializer=tf1.ones_initializer)
            plain = tf1.Variable(2.0, name="plain")
            tf1.assign_add(kernel, [1.0, 1.0, 1.0]).run()
            return tf.reduce_sum(x) * plain

    step(tf.ones([2]))
    step(tf.ones([4]))
    assert list(graph.variables) == ["kernel", "plain"]
    assert value(graph, "kernel") == [3.0, 3.0, 3.0]


def test_a_variable_that_only_a_later_trace_makes_is_refused() -> None:
    graph, names = ModelState(), iter("abcdef")

    @tf.function
    def step(x: Any) -> Any:
        with graph.building("train"):
            return tf1.get_variable(next(names), [1]).value * x

    step(tf.ones([2]))
    with pytest.raises(ValueError, match=r"on a call other than its first|its first call did not make"):
        step(tf.ones([4]))


def test_initial_values_follow_the_seed_of_the_graph() -> None:
    def made(seed: int | None) -> Any:
        graph = ModelState(seed)
        traced(graph, lambda: tf1.layers.dense(tf1.layers.dense(tf.ones([1, 3]), 3), 3))
        return [value(graph, name) for name in ("dense/kernel", "dense_1/kernel")]

    first, second = made(7)
    assert [first, second] == made(7)
    assert first != second
    assert first != made(8)[0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda: [tf1.get_variable("v", [1]), tf1.get_variable("v", [1])], "v already exists, disallowed"),
        (lambda: tf1.get_variable("v"), "must be fully defined"),
        (lambda: tf1.get_variable("v", [1], initializer=tf.constant([1.0])), "do not specify shape"),
    ],
)
def test_mistakes_with_variables_are_tensorflows(body: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message), ModelState().building("train"):
        body()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((("v"), [2]), "specified shape"),
        ((("v"), [1], tf.float64), "specified dtype"),
        ((("w"), [1]), "does not exist"),
    ],
)
def test_what_is_reused_has_to_be_there_and_to_fit(arguments: Any, message: str) -> None:
    with ModelState().building("train"):
        tf1.get_variable("v", [1])
        with tf1.variable_scope("", reuse=True), pytest.raises(ValueError, match=message):
            tf1.get_variable(*arguments)


def test_a_getter_may_put_something_else_in_a_variables_place() -> None:
    def own(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        return getter(name, *args, **kwargs) * 2.0

    with ModelState().building("train"), tf1.variable_scope("s", custom_getter=own):
        doubled = tf1.get_variable("v", [1], initializer=tf1.ones_initializer())
    assert doubled.tolist() == [2.0]


def test_layers_of_keras_are_found_again_and_named() -> None:
    graph = ModelState()

    @tf.function
    def step(x: Any) -> Any:
        with graph.building("train"):
            model = tf.keras.Sequential(
                [tf.keras.layers.Dense(2), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
            )
            loss = tf.reduce_mean(model(x, training=True) ** 2)
            accuracy = tf.keras.metrics.Mean()
            accuracy.update_state(loss)
            tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss).run()
            return loss

    for rows in (2, 3):
        step(tf.ones([rows, 4]))
    layers = [f"sequential/{layer}/{v}" for layer in ("dense", "dense_1") for v in ("kernel", "bias")]
    assert list(graph.variables) == [*layers, *(f"{name}/Momentum" for name in layers)]
    assert float(graph.local["mean/count"].numpy()) == 2.0


# --- Operations -------------------------------------------------------------------------------------------------------


def test_nothing_happens_until_an_operation_runs() -> None:
    graph = ModelState()

    def body() -> Any:
        variable = tf1.get_variable("v", [], initializer=tf1.zeros_initializer())
        loss = tf.square(variable - 3.0)
        step = tf1.train.get_or_create_global_step()
        tf1.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        variable.assign_add(5.0)
        tf1.assign(variable, 7.0)
        tf1.layers.batch_normalization(tf.ones([3, 2]), training=True)
        return loss

    traced(graph, body, "eval")
    assert value(graph, "v") == 0.0
    assert value(graph, "global_step") == 0
    assert value(graph, "batch_normalization/moving_mean") == [0.0, 0.0]


def test_dependencies_run_first_and_each_once() -> None:
    graph, order = ModelState(), []

    def noted(name: str) -> Any:
        def action() -> None:
            order.append(name)

        return tf1.Operation(name, action)

    def body() -> None:
        first = noted("first")
        with tf1.control_dependencies([first]):
            second = noted("second")
            with tf1.control_dependencies(None):
                alone = noted("alone")
        both = tf1.group(second, [first, noted("third")], tf.ones([1]))
        alone.run()
        both.run()
        both.run()

    traced(graph, body)
    once = ["alone", "first", "second", "third"]
    assert order == once * (len(order) // len(once)) != []  # a step may be traced twice
    order.clear()
    with graph.building("train"):  # outside of a step, as in a hook
        body()
    assert order == ["alone"] + ["first", "second", "third"] * 2


def test_a_tensor_that_depends_on_an_operation_runs_it() -> None:
    graph = ModelState()

    def body() -> Any:
        variable = tf1.get_variable("v", [], initializer=tf1.zeros_initializer())
        with tf1.control_dependencies([tf1.assign_add(variable, 2.0)]):
            after = tf.identity(variable)
        return after, tf.constant(1.0) * tf1.assign_add(variable, 3.0)

    after, added = traced(graph, body)
    assert float(after) == 2.0
    assert float(added) == 5.0


def test_variables_change_at_once_in_an_operation_and_outside() -> None:
    graph = ModelState()
    with graph.building("train"):
        variable = tf1.get_variable("v", [], initializer=tf1.zeros_initializer())
        assert isinstance(variable.assign(1.0), tf1.Operation)
        variable.assign_sub(2.0).run()
    variable.assign_add(5.0)
    assert value(graph, "v") == 3.0


# --- Names and collections --------------------------------------------------------------------------------------------


def test_tensors_have_the_names_that_they_are_given() -> None:
    with ModelState().building("infer") as building:
        tf.identity(tf.constant(1.0), name="loss")
        with tf1.name_scope("head"):
            tf1.nn.softmax(tf.ones([1, 2]), name="probabilities")
            tf.identity(tf.constant(2.0), "loss")
        tf.identity(tf.constant(3.0), name="loss")
        tf.identity(tf.constant(4.0))
    assert {name: np.ravel(v)[0] for name, v in building.named.items()} == {
        "loss": 1.0,
        "head/probabilities": 0.5,
        "head/loss": 2.0,
        "loss_1": 3.0,
    }


def test_summaries_are_kept_in_order() -> None:
    with ModelState().building("train") as building:
        tf1.summary.scalar("loss", 1.0)
        with tf1.name_scope("layer"):
            tf1.summary.histogram("weights", [1.0, 2.0])
            tf1.summary.image("pictures", tf.zeros([5, 2, 2, 1]), family="eyes")
        merged = tf1.summary.merge_all()
    assert [(kind, tag) for kind, tag, _ in building.summaries] == [
        ("scalar", "loss"),
        ("histogram", "layer/weights"),
        ("image", "eyes/layer/eyes/pictures"),
    ]
    assert merged is not None
    assert merged[2][2].shape == (3, 2, 2, 1)


def test_collections_are_those_of_one_call() -> None:
    graph = ModelState()
    for _ in range(2):
        with graph.building("train"):
            tf1.add_to_collection("mine", 1)
            tf1.losses.add_loss(tf.constant(2.0))
            with tf1.name_scope("head"):
                tf1.losses.add_loss(tf.constant(3.0))
            assert tf1.get_collection("mine") == [1]
            assert [float(v) for v in tf1.losses.get_losses()] == [2.0, 3.0]
            assert [float(v) for v in tf1.losses.get_losses("head")] == [3.0]
    assert tf1.get_collection("mine") == []


def test_a_layer_that_outlives_a_call_starts_the_next_one_anew() -> None:
    graph, layer = ModelState(), tf1.layers.Dense(2)
    for _ in range(2):
        with graph.building("train"):
            layer(layer(tf.ones([1, 2])))
            assert [v.name for v in layer.variables] == ["dense/kernel:0", "dense/bias:0"]
    assert list(graph.variables) == ["dense/kernel", "dense/bias"]


def test_training_has_to_be_a_bool_of_python() -> None:
    with ModelState().building("train"), pytest.raises(TypeError, match="True or False of Python"):
        tf1.layers.dropout(tf.ones([2]), training=tf.constant(True))


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        (lambda: tf1.train.AdamOptimizer().minimize(tf.constant(1.0)), ValueError, "No variables to optimize"),
        (
            lambda: [tf1.get_variable("v", [1]), tf1.train.AdamOptimizer().minimize(tf.constant(1.0))],
            ValueError,
            "No gradients provided for any variable",
        ),
        (lambda: tf1.train.AdamOptimizer().apply_gradients([]), ValueError, "No gradients provided"),
        (lambda: tf1.train.AdagradOptimizer(0.1, 0.0), ValueError, "initial_accumulator_value must be positive"),
        (lambda: tf1.losses.get_total_loss(), ValueError, "no loss was added"),
        (lambda: tf1.losses.mean_squared_error([1.0], [[1.0]]), ValueError, "incompatible"),
        (lambda: tf1.losses.mean_squared_error([1.0], [1.0], [1.0, 2.0]), ValueError, "can not be broadcast"),
        (lambda: tf1.losses.mean_squared_error([1.0], [1.0], reduction="sum"), ValueError, "Invalid Reduction Key"),
        (lambda: tf1.sqrt(tf1.metrics.mean([1.0])[0]), RuntimeError, "only known after its updates"),
        (lambda: tf1.layers.conv2d(tf.ones([1, 2, 2]), 1, 1), ValueError, "expected an input of rank 4"),
        (lambda: tf1.nn.dropout(tf.ones([1])), ValueError, "must provide a rate"),
    ],
)
def test_mistakes_say_what_is_wrong(body: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        traced(ModelState(), body)


def test_gradients_need_a_step() -> None:
    with ModelState().building("train"):
        tf1.get_variable("v", [1])
        with pytest.raises(RuntimeError, match="inside a compiled step"):
            tf1.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


def test_gradients_are_of_variables_tensors_and_gradients() -> None:
    def body() -> Any:
        kernel = tf1.get_variable("kernel", [], initializer=tf1.ones_initializer())
        x = kernel * 3.0
        output = kernel * x * x
        (slope,) = tf1.gradients(output, x)
        return slope, *tf1.gradients([output, slope], kernel), *tf1.gradients(output, kernel, stop_gradients=x)

    slope, whole, partial = map(float, traced(ModelState(), body))
    assert slope == 6.0
    assert whole == 27.0 + 12.0  # 9 k ** 3 and 6 k ** 2
    assert partial == 9.0


def test_building_is_over_when_it_is_left() -> None:
    with ModelState().building("train") as building:
        assert current_building() is building
    with pytest.raises(RuntimeError, match="here is none"):
        current_building()
