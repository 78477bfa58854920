"""TPUEstimator without TPUs: an Estimator that says the size of batches."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from tests.tf1.recordings import assert_variables, begin_with, recorded
from tests.tf1.tpu.programs import CASES, outcome

RECORDED = recorded(Path(__file__).parent / "recorded" / "tensorflow.npz")
tpu = tf1.estimator.tpu
SEEN: list[Any] = []


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    SEEN.append((mode, params["batch_size"], params["use_tpu"], params["rate"]))
    y = features * tf1.get_variable("w", (), initializer=tf1.zeros_initializer())
    if mode == "infer":
        return tpu.TPUEstimatorSpec(mode, predictions={"y": y})
    counted = tf1.get_variable("counted", (), trainable=False, initializer=tf1.zeros_initializer())
    loss = tf.reduce_mean((y - labels) ** 2)
    optimizer = tf1.tpu.CrossShardOptimizer(tf1.train.GradientDescentOptimizer(params["rate"]))
    step = tf1.train.get_global_step()
    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, step),
        eval_metrics=(
            lambda labels, y: {"error": tf1.metrics.mean_absolute_error(labels, y)},
            {"labels": labels, "y": y},
        ),
        host_call=(lambda losses: [tf1.assign_add(counted, losses[0] * 0 + 1)], [loss[None]]),
    )


def input_fn(params: Any) -> Any:
    x = np.arange(1.0, 7.0, dtype="float32")
    return tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(params["batch_size"])


def estimator(folder: Path, **settings: Any) -> Any:
    config = tpu.RunConfig(model_dir=str(folder), tpu_config=tpu.TPUConfig(iterations_per_loop=3))
    sizes = {"train_batch_size": 2, "eval_batch_size": 3, "predict_batch_size": 6}
    return tpu.TPUEstimator(model_fn, config=config, params={"rate": 0.01}, use_tpu=False, **(sizes | settings))


def test_it_trains_evaluates_and_predicts_as_an_estimator_with_sizes_of_batches(tmp_path: Path) -> None:
    SEEN.clear()
    made = estimator(tmp_path)
    made.train(input_fn)
    w = 0.0
    for x in np.arange(1.0, 7.0).reshape(3, 2):
        w -= 0.01 * 2 * np.mean((w - 2) * x * x)
    assert float(made.get_variable_value("w")) == pytest.approx(w, rel=1e-5)
    assert float(made.get_variable_value("counted")) == 3.0
    found = made.evaluate(input_fn, steps=2)
    assert found["error"] == pytest.approx((2 - w) * 3.5, rel=1e-5)
    assert [row["y"] for row in made.predict(input_fn)] == [pytest.approx(w * x, rel=1e-5) for x in range(1, 7)]
    assert set(SEEN) == {("train", 2, False, 0.01), ("eval", 3, False, 0.01), ("infer", 6, False, 0.01)}
    assert made.config.tpu_config.iterations_per_loop == 3
    assert made.params == {"rate": 0.01}


@pytest.mark.sampled
@pytest.mark.parametrize("name", CASES)
def test_training_goes_on_as_in_tensorflow(name: str, tmp_path: Path) -> None:
    """Weights, slots, what host_call has counted, metrics of eval_metrics, predictions."""
    begin_with(RECORDED, name, tmp_path / "model")
    found = outcome(tf, tf1, name, str(tmp_path / "model"))
    assert_variables(found["variables"], RECORDED, name)
    others = json.loads(str(RECORDED[f"{name}/others"]))
    assert found["evaluation"] == pytest.approx(others["evaluation"], rel=1e-5, abs=1e-6)
    assert found["predictions"].keys() == others["predictions"].keys()
    for key, rows in others["predictions"].items():
        np.testing.assert_allclose(found["predictions"][key], rows, rtol=1e-5, atol=1e-5, err_msg=key)


def config() -> Any:
    return tpu.RunConfig()


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: tpu.TPUEstimator(model_fn, config=tf1.estimator.RunConfig(), use_tpu=False),
        ValueError,
        "must be provided with type",
    ),
    (lambda: tpu.TPUEstimator(model_fn, config=config()), ValueError, "`train_batch_size` cannot be `None`"),
    (
        lambda: tpu.TPUEstimator(model_fn, config=config(), train_batch_size=8),
        tf.errors.NotFoundError,
        "Pass use_tpu=False",
    ),
    (
        lambda: tpu.TPUEstimator(model_fn, config=config(), params={"batch_size": 1}, use_tpu=False),
        ValueError,
        "are reserved keys",
    ),
    (
        lambda: tpu.TPUEstimator(lambda features, labels: None, config=config(), use_tpu=False),
        ValueError,
        "does not include params argument, required by TPUEstimator",
    ),
    (
        lambda: tpu.TPUEstimator(model_fn, config=config(), use_tpu=False, embedding_config_spec=1),
        NotImplementedError,
        "embedding_config_spec is not provided",
    ),
    (
        lambda: tpu.TPUEstimator(model_fn, config=config(), use_tpu=False, eval_batch_size=0),
        ValueError,
        "eval_batch_size must be",
    ),
    (
        lambda: tpu.TPUConfig(iterations_per_loop="soon"),
        ValueError,
        "Invalid TPUConfig `iterations_per_loop` value 'soon'",
    ),
    (lambda: tpu.TPUConfig(num_cores_per_replica=3), ValueError, "num_cores_per_replica must be one of"),
    (lambda: tpu.TPUConfig(input_partition_dims=[[1]]), ValueError, "only supported in PER_HOST_V2"),
    (lambda: tpu.RunConfig(master="a", cluster=1), ValueError, "Both master and cluster are set"),  # type: ignore[arg-type]
    (lambda: tpu.TPUEstimatorSpec("eval", host_call=1), ValueError, "host_call should be tuple or list"),
    (
        lambda: tpu.TPUEstimatorSpec("eval", eval_metrics=(lambda a: a, [1, 2])),
        RuntimeError,
        "length of tensors 2 does not",
    ),
    (
        lambda: tf1.tpu.CrossShardOptimizer(tf.keras.optimizers.SGD()),
        TypeError,
        "only works with an optimizer of tf.compat",
    ),
    (
        lambda: tf1.tpu.CrossShardOptimizer(tf1.train.GradientDescentOptimizer(1.0), reduction="weighted_mean_"),
        ValueError,
        "should be one of",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), ERRORS, ids=[message[:30] for _, _, message in ERRORS])
def test_what_is_said_about_arguments(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_an_input_fn_takes_params(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not include params argument, required by TPUEstimator"):
        estimator(tmp_path).train(lambda: input_fn({"batch_size": 2}))


def test_configurations_are_told_apart_and_kept() -> None:
    made = tpu.RunConfig(tpu.TPUConfig(per_host_input_for_training=True), master="local", save_checkpoints_steps=7)
    assert (made.master, made.evaluation_master, made.save_checkpoints_steps) == ("local", "local", 7)
    assert made.tpu_config.per_host_input_for_training == tpu.InputPipelineConfig.PER_HOST_V1
    copied = made.replace(model_dir="there")
    assert (copied.tpu_config, copied.model_dir, copied.master) == (made.tpu_config, "there", "local")
