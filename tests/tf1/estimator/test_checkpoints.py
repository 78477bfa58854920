"""What an Estimator saves: under which names, how many, and what other models can take from it."""

import logging
import re
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.estimator import Estimator, EstimatorSpec, RunConfig, Scaffold, WarmStartSettings
from tests.tf1.estimator.models import by_hand, data, linear, rows, weight


def dense(features: Any, labels: Any, mode: str, params: dict[str, Any]) -> Any:
    """Two layers, trained by Adagrad."""
    hidden = tf1.layers.dense(features[:, None], 2, name="hidden", activation=tf.nn.relu)
    y = tf1.layers.dense(hidden, 1, name=params["output"])
    loss = tf1.losses.mean_squared_error(labels[:, None], y)
    train_op = tf1.train.AdagradOptimizer(0.05).minimize(loss, tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op)


def trained(path: Any, output: str = "output") -> Estimator:
    return Estimator(dense, path, params={"output": output}).train(data())


def test_variables_have_tensorflows_names(tmp_path: Any) -> None:
    estimator = trained(tmp_path)
    layers = [f"{layer}/{part}" for layer in ("hidden", "output") for part in ("bias", "kernel")]
    expected = sorted(["global_step", *layers, *(f"{name}/Adagrad" for name in layers)])
    assert estimator.get_variable_names() == expected
    assert dict(tf.train.list_variables(str(tmp_path)))["hidden/kernel"] == [1, 2]
    value = estimator.get_variable_value("hidden/kernel")
    assert value.shape == (1, 2)
    np.testing.assert_array_equal(tf.train.load_variable(str(tmp_path), "hidden/kernel:0"), value)
    with pytest.raises(FileNotFoundError, match="nothing"):
        estimator.get_variable_value("nothing")


def test_only_the_newest_checkpoints_are_kept(tmp_path: Any) -> None:
    config = RunConfig(save_checkpoints_steps=1, keep_checkpoint_max=2)
    estimator = Estimator(linear(), tmp_path, config).train(data())
    names = sorted(path.name for path in tmp_path.glob("model.ckpt-*"))
    assert names == ["model.ckpt-3", "model.ckpt-4"]
    assert estimator.latest_checkpoint() == tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / names[-1])
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert list(state.all_model_checkpoint_paths) == [str(tmp_path / name) for name in names]
    Estimator(linear(), tmp_path, config).train(data(), steps=1)  # another process goes on with the same list
    assert sorted(path.name for path in tmp_path.glob("model.ckpt-*")) == ["model.ckpt-4", "model.ckpt-5"]


def adam(features: Any, labels: Any, mode: str) -> Any:
    y = tf1.layers.dense(features[:, None], 1, name="hidden")
    loss = tf1.losses.mean_squared_error(labels[:, None], y)
    return EstimatorSpec(
        mode, loss=loss, train_op=tf1.train.AdamOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
    )


def test_tensorflows_format_has_what_its_adam_needs_and_is_gone_on_from(tmp_path: Any) -> None:
    config = RunConfig(tf_random_seed=1, checkpoint_options=tf.train.CheckpointOptions(format="tensorflow"))
    losses = {}
    for name, chosen in (("theirs", config), ("ours", config.replace(checkpoint_options=None))):
        for _ in range(2):
            estimator = Estimator(adam, tmp_path / name, chosen).train(data(), steps=1)
        losses[name] = estimator.evaluate(data(), steps=1)["loss"]
    assert losses["theirs"] == losses["ours"]
    path = tf.train.latest_checkpoint(tmp_path / "theirs")
    assert path == str(tmp_path / "theirs" / "model.ckpt-2")
    assert (tmp_path / "theirs" / "model.ckpt-2.index").is_file()
    for beta, rate in (("beta1_power", 0.9), ("beta2_power", 0.999)):
        np.testing.assert_allclose(tf.train.load_variable(path, beta), rate**3, rtol=1e-6)
    with pytest.raises(
        ValueError, match=r"checkpoint_options must be a tf\.train\.CheckpointOptions, got 'tensorflow'"
    ):
        RunConfig(checkpoint_options="tensorflow")


def test_without_intervals_nothing_is_saved(tmp_path: Any) -> None:
    config = RunConfig(save_checkpoints_steps=None, save_checkpoints_secs=None)
    estimator = Estimator(linear(), tmp_path, config).train(data())
    assert estimator.latest_checkpoint() is None


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    estimator = Estimator(linear(), tmp_path, RunConfig(save_checkpoints_steps=2)).train(data())
    (tmp_path / "model.ckpt-4" / "manifest.json").write_text("{}")
    assert estimator.latest_checkpoint() == str(tmp_path / "model.ckpt-2")
    estimator.train(data(), steps=1)
    assert estimator.get_variable_value("global_step") == 3
    assert any("Passing over a checkpoint" in message for message in caplog.messages)


def test_another_shape_is_refused(tmp_path: Any) -> None:
    Estimator(linear(), tmp_path).train(data())

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = tf1.get_variable("w", (2,))
        return EstimatorSpec(mode, loss=tf.reduce_sum(w), train_op=tf1.assign_add(tf1.train.get_global_step(), 1))

    with pytest.raises(ValueError, match=r"does not fit.*\n.*w .*shape \(2,\), in the checkpoint \(\)"):
        Estimator(model_fn, tmp_path).train(data())


def first_values(estimator: Estimator) -> dict[str, np.ndarray]:
    """Those of the checkpoint before the first step."""
    path = str(tf.train.get_checkpoint_state(estimator.model_dir).all_model_checkpoint_paths[0])
    assert path.endswith("-0")
    return {name: tf.train.load_variable(path, name) for name in estimator.get_variable_names()}


@pytest.mark.parametrize("exact", [True, False])
def test_a_warm_start_takes_over_what_can_be_trained(exact: bool, tmp_path: Any) -> None:
    old = trained(tmp_path / "old")
    source = str(old.latest_checkpoint()) if exact else str(tmp_path / "old")
    new = Estimator(dense, tmp_path / "new", params={"output": "output"}, warm_start_from=source).train(data())
    values = first_values(new)
    assert values["global_step"] == 0
    for name in ("hidden/kernel", "hidden/bias", "output/kernel", "output/bias"):
        np.testing.assert_array_equal(values[name], old.get_variable_value(name))
        assert np.all(values[f"{name}/Adagrad"] == np.float32(0.1))


def test_a_warm_start_can_choose_and_rename(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    old = trained(tmp_path / "old", "before")
    settings = WarmStartSettings(
        str(tmp_path / "old"), vars_to_warm_start="now/k", var_name_to_prev_var_name={"now/kernel": "before/kernel"}
    )
    new = Estimator(dense, tmp_path / "new", params={"output": "now"}, warm_start_from=settings)
    with caplog.at_level(logging.INFO):
        new.train(data())
    values = first_values(new)
    np.testing.assert_array_equal(values["now/kernel"], old.get_variable_value("before/kernel"))
    assert not np.array_equal(values["hidden/kernel"], old.get_variable_value("hidden/kernel"))
    assert f"Warm-starting with WarmStartSettings: {settings}" in caplog.messages
    assert "Warm-started 1 variables." in caplog.messages


def test_a_list_for_a_warm_start_means_all_variables(tmp_path: Any) -> None:
    old = trained(tmp_path / "old")
    settings = WarmStartSettings(str(tmp_path / "old"), vars_to_warm_start=["hidden/kernel"])
    new = Estimator(dense, tmp_path / "new", params={"output": "output"}, warm_start_from=settings).train(data())
    values = first_values(new)
    for name in ("hidden/kernel", "hidden/kernel/Adagrad"):
        np.testing.assert_array_equal(values[name], old.get_variable_value(name))


def test_a_warm_start_is_for_the_beginning_only(tmp_path: Any) -> None:
    Estimator(linear(), tmp_path / "old").train(data(), steps=1)
    new = Estimator(linear(), tmp_path / "new", warm_start_from=str(tmp_path / "old"))
    after_one = by_hand(rows()[:1])[0]
    assert new.evaluate(data(batch=4))["loss"] == pytest.approx(by_hand(rows(4), after_one)[1][0], rel=1e-5)
    new.train(data(), steps=1)
    new.train(data(), steps=1)
    assert weight(new) == pytest.approx(by_hand([*rows()[:1]] * 3)[0], rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "kind", "text"),
    [
        ({"vars_to_warm_start": 3}, ValueError, "vars_to_warm_start must be"),
        ({"var_name_to_prev_var_name": {"x": "y"}}, ValueError, "var_name_to_prev_var_name names ['x']"),
        ({"var_name_to_prev_var_name": {"w": "y"}}, FileNotFoundError, "Warm start: y not found"),
        (
            {"var_name_to_vocab_info": {"w": "v"}},
            ValueError,
            "var_name_to_vocab_info['w'] must be a tf.estimator.Vocab",
        ),
    ],
)
def test_what_a_warm_start_cannot_do_is_said(
    settings: dict[str, Any], kind: type[Exception], text: str, tmp_path: Any
) -> None:
    Estimator(linear(), tmp_path / "old").train(data(), steps=1)
    with pytest.raises(kind, match=re.escape(text)):
        Estimator(
            linear(), tmp_path / "new", warm_start_from=WarmStartSettings(str(tmp_path / "old"), **settings)
        ).train(data())


def embedded(features: Any, labels: Any, mode: str, params: Any) -> Any:
    """A table, of so many words and vectors of this size."""
    table = tf1.get_variable("table", params["shape"], initializer=tf1.zeros_initializer())
    other = tf1.get_variable("other", (), initializer=tf1.ones_initializer())
    train_op = tf1.train.GradientDescentOptimizer(0.0).minimize(
        tf.reduce_sum(table) * other, tf1.train.get_global_step()
    )
    return EstimatorSpec(mode, loss=tf.reduce_sum(table), train_op=train_op)


VOCABULARY_ERRORS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"new_vocab": "old.txt"}, ValueError, "old.txt, the vocabulary of table, has 2 words, fewer than 3"),
    ({"num_oov_buckets": 1}, ValueError, "dimension 0 has 3 words and 1 buckets"),
    ({"old_vocab": "none.txt"}, tf.errors.NotFoundError, "none.txt: no such file"),
    ({"old_vocab": "new.txt"}, ValueError, "table has 2 words in the checkpoint, and old_vocab"),
    ({"axis": 1}, ValueError, "dimension 1 has 3 words"),
    ({"axis": 2}, ValueError, "The only supported values for the axis argument are 0 and 1. Provided axis: 2"),
    ({"new_vocab_size": 0}, ValueError, "new_vocab_size must be positive"),
]


@pytest.mark.parametrize(("changed", "kind", "text"), [({}, None, ""), *VOCABULARY_ERRORS])
def test_rows_of_a_warm_start_go_where_their_words_are(
    changed: dict[str, Any], kind: type[Exception] | None, text: str, tmp_path: Any
) -> None:
    (tmp_path / "old.txt").write_text("ant\nbee\n")
    (tmp_path / "new.txt").write_text("bee\ncat\nant\n")

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        table = tf1.get_variable("table", (2, 2), initializer=tf1.constant_initializer([[1.0, 2.0], [3.0, 4.0]]))
        return EstimatorSpec(mode, loss=tf.reduce_sum(table), train_op=tf1.assign_add(tf1.train.get_global_step(), 1))

    Estimator(model_fn, tmp_path / "old").train(data(), steps=1)

    def settings() -> WarmStartSettings:
        arguments = {
            "new_vocab": "new.txt",
            "new_vocab_size": 3,
            "num_oov_buckets": 0,
            "old_vocab": "old.txt",
        } | changed
        paths = {name: tmp_path / arguments[name] for name in ("new_vocab", "old_vocab")}
        info = tf.estimator.VocabInfo(**(arguments | paths))
        return WarmStartSettings(tmp_path / "old", vars_to_warm_start=None, var_name_to_vocab_info={"table": info})

    def new() -> Any:
        return Estimator(embedded, tmp_path / "new", params={"shape": (3, 2)}, warm_start_from=settings()).train(
            data(), steps=1
        )

    if kind is None:
        assert new().get_variable_value("table").tolist() == [[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]
    else:
        with pytest.raises(kind, match=re.escape(text)):
            new()


class Net(tf.keras.Model):  # type: ignore[misc]
    """One layer."""

    def __init__(self) -> None:
        super().__init__()
        self.l1 = tf.keras.layers.Dense(5)

    def call(self, x: Any) -> Any:
        return self.l1(x)


def of_objects(features: Any, labels: Any, mode: str) -> Any:
    """Written with Keras objects, and a checkpoint of them."""
    net, opt = Net(), tf.keras.optimizers.Adam(0.1)
    ckpt = tf.train.Checkpoint(step=tf1.train.get_global_step(), optimizer=opt, net=net)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(net(features[:, None]) - labels[:, None]))
    gradients = tape.gradient(loss, net.trainable_variables)
    update = opt.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
    metric = tf.keras.metrics.Mean()
    metric.update_state(loss)
    return EstimatorSpec(
        mode,
        loss=loss,
        train_op=tf1.group(update, ckpt.step.assign_add(1)),
        eval_metric_ops={"again": metric},
        scaffold=Scaffold(saver=ckpt),
    )


def test_a_checkpoint_of_objects_is_saved_and_restored_as_such(tmp_path: Any) -> None:
    estimator = Estimator(of_objects, tmp_path).train(data(repeat=None), steps=10)
    net, opt = Net(), tf.keras.optimizers.Adam(0.1)
    ckpt = tf.train.Checkpoint(step=tf.Variable(1, dtype=tf.int64), optimizer=opt, net=net)
    status = ckpt.restore(tf.train.latest_checkpoint(str(tmp_path)))
    assert ckpt.step.numpy() == 10
    net(tf.ones((1, 1)))
    opt.build(net.trainable_variables)
    status.assert_consumed()
    assert opt.iterations.numpy() == 10
    kernel = next(name for name in estimator.get_variable_names() if name.endswith("dense/kernel"))
    np.testing.assert_array_equal(net.l1.kernel.numpy(), estimator.get_variable_value(kernel))


def test_keras_objects_of_a_model_fn_keep_their_variables_from_call_to_call(tmp_path: Any) -> None:
    estimator = Estimator(of_objects, tmp_path).train(data(repeat=None), steps=3)
    names = estimator.get_variable_names()
    estimator.train(data(batch=3, repeat=None), steps=3)
    assert estimator.get_variable_names() == names
    assert estimator.get_variable_value("adam/iteration") == 6
    found = estimator.evaluate(data(batch=3))
    assert found["again"] == pytest.approx(found["loss"], rel=1e-6)
    prefix = next(name for name in names if name.endswith("dense/kernel")).removesuffix("kernel")
    kernel, bias = (estimator.get_variable_value(prefix + part) for part in ("kernel", "bias"))
    losses = [np.mean(np.abs(x[:, None] @ kernel + bias - y[:, None])) for x, y in rows(3)]
    assert found["loss"] == pytest.approx(np.mean(losses), rel=1e-5)  # the optimizer does not train there


def test_a_model_fn_that_makes_something_else_every_time_is_told(tmp_path: Any) -> None:
    calls: list[str] = []

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        if calls:
            tf.Variable(1.0)
        tf.keras.layers.Dense(1)(features[:, None])
        return linear(calls=calls)(features, labels, mode)

    with pytest.raises(ValueError, match=r"must do the same at every call"):
        Estimator(model_fn, tmp_path).train(data())


def test_an_init_fn_runs_when_nothing_is_restored(tmp_path: Any) -> None:
    called: list[Any] = []

    def init_fn(scaffold: Any, session: Any) -> None:
        session.graph.variables["w"].assign(3.0)
        called.append(float(session.run("w")))

    estimator = Estimator(linear(lambda **_: {"scaffold": Scaffold(init_fn=init_fn)}), tmp_path)
    estimator.train(data(), steps=1)
    assert called == [3.0]
    assert weight(estimator) == pytest.approx(by_hand(rows()[:1], 3.0)[0], rel=1e-6)
    estimator.train(data(), steps=1)
    assert called == [3.0]


@pytest.mark.parametrize("name", ["init_op", "local_init_op", "ready_op", "init_feed_dict", "local_init_feed_dict"])
def test_a_scaffold_says_what_takes_the_place_of_operations_of_a_session(name: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"Scaffold\({name}=.*init_fn"):
        Scaffold(**{name: 1})


def test_a_scaffold_takes_what_it_lacks_from_another() -> None:
    def init_fn(scaffold: Any, session: Any) -> None:
        raise AssertionError

    saver = tf.train.Checkpoint()
    first = Scaffold(init_fn=init_fn, saver=tf.train.Checkpoint())
    assert Scaffold(copy_from_scaffold=first).init_fn is init_fn
    second = Scaffold(saver=saver, copy_from_scaffold=first)
    assert (second.init_fn, second.saver) == (init_fn, saver)
