"""tf.keras is Keras 3, with the names of TensorFlow that it lost."""

import importlib
import subprocess
import sys
from typing import Any

import keras
import pytest

import stratagem as tf


def test_from_imports_work() -> None:
    from stratagem import keras as tf_keras
    from stratagem.keras import layers
    from stratagem.keras.layers import Dense
    from stratagem.keras.models import Sequential

    assert Dense is layers.Dense is tf_keras.layers.Dense is keras.layers.Dense
    assert Sequential is keras.Sequential


@pytest.mark.parametrize(
    "name",
    [
        "applications",
        "applications.resnet50",
        "optimizers.schedules",
        "callbacks",
        "utils",
        "regularizers",
        "mixed_precision",
    ],
)
def test_submodules_are_modules(name: str) -> None:
    module = importlib.import_module(f"stratagem.keras.{name}")
    assert module.__name__.endswith(name)


@pytest.mark.parametrize(
    "name",
    [
        "Model",
        "Sequential",
        "Input",
        "layers.Conv2D",
        "optimizers.Adam",
        "metrics.SparseCategoricalAccuracy",
        "regularizers.L2",
        "datasets.fashion_mnist.load_data",
        "datasets.cifar10.load_data",
        "losses.SparseCategoricalCrossentropy",
        "backend.set_floatx",
        "applications.MobileNetV2",
    ],
)
def test_names_are_found_by_attribute(name: str) -> None:
    value: Any = tf.keras
    for part in name.split("."):
        value = getattr(value, part)
    assert callable(value)


def test_short_names_of_tensorflow_are_the_same_modules() -> None:
    assert tf.losses is tf.keras.losses
    assert tf.metrics.Mean is tf.keras.metrics.Mean
    assert tf.optimizers.SGD is tf.keras.optimizers.SGD


def test_reductions_have_their_names() -> None:
    reduction = tf.keras.losses.Reduction
    assert (reduction.NONE, reduction.SUM, reduction.SUM_OVER_BATCH_SIZE) == ("none", "sum", "sum_over_batch_size")
    loss = tf.keras.losses.MeanSquaredError(reduction=reduction.NONE)
    assert loss(tf.zeros([2, 1]), tf.constant([[1.0], [2.0]])).numpy().tolist() == [1.0, 4.0]


def test_a_metric_has_its_old_name_for_reset() -> None:
    metric = tf.keras.metrics.Mean()
    metric.update_state(3.0)
    metric.reset_states()
    assert metric.result().numpy() == 0.0


def test_an_unknown_name_says_that_there_is_none() -> None:
    with pytest.raises(
        AttributeError, match=r"'tf\.keras' has no attribute 'experimental_thing': TensorFlow has no such name either"
    ):
        tf.keras.experimental_thing  # noqa: B018


def test_keras_imported_first_gets_the_same_hooks() -> None:
    program = (
        "import os; os.environ['KERAS_BACKEND'] = 'jax'\n"
        "import keras\nimport stratagem as tf\n"
        "m = keras.metrics.Mean(); m.update_state(1.0); tf.keras; m.reset_states(); assert float(m.result()) == 0.0\n"
        "assert tf.keras.layers.Dense is keras.layers.Dense\n"
    )
    subprocess.run(
        [sys.executable, "-c", program], check=True, timeout=120, env={"PYTHONPATH": ":".join(sys.path), "HOME": "/"}
    )
