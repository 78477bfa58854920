"""`stratagem.addons` computes what TensorFlow Addons does, also in replicas, and saves its objects with models."""

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.addons as tfa
from stratagem.testing import STRATEGIES
from tests.addons import programs
from tests.thorough import thorough_but

RECORDED = json.loads((Path(__file__).parent / "recorded" / "addons.json").read_text())
X = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
Y = np.eye(3, dtype="float32")[[0, 1, 2, 0, 1, 1, 2, 0]]


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(("losses", "metrics", "optimizers"), programs.PROGRAMS))
def test_numbers_are_those_of_tensorflow_addons(name: str) -> None:
    found, expected = programs.PROGRAMS[name](tf, tfa), RECORDED[name]
    assert found.keys() == expected.keys()
    wrong = {}
    for key, each in expected.items():
        try:
            _agree(found[key], each)
        except AssertionError as error:
            wrong[key] = str(error)
    assert wrong == {}


def _agree(found: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, each in expected.items():
            _agree(found[key], each)
    elif isinstance(expected, list) and any(isinstance(e, list | str) for e in expected):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            _agree(a, b)
    elif isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


def model(**compiled: Any) -> Any:
    tf.random.set_seed(0)
    made = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(3, activation="sigmoid")])
    made.compile(**compiled)
    return made


@pytest.mark.parametrize("name", thorough_but(("LAMB",), ("LAMB", "RectifiedAdam", "AdamW")))
def test_replicas_train_as_one_device_does(name: str) -> None:
    results = []
    for strategy in ("one device", "mirrored 2"):
        with STRATEGIES[strategy]().scope():
            made = model(
                optimizer=getattr(tfa.optimizers, name)(0.1),
                loss=tfa.losses.SigmoidFocalCrossEntropy(reduction="sum_over_batch_size"),
                metrics=[tfa.metrics.F1Score(3, "macro"), tfa.metrics.CohenKappa(3)],
            )
        history = made.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0).history
        results.append(
            [*history["loss"], *history["f1_score"], *history["cohen_kappa"], *np.ravel(made.get_weights()[0])]
        )
    np.testing.assert_allclose(results[0], results[1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("strategy", [None, "mirrored 2"])
def test_a_loss_without_reduction_trains_on_the_sum_as_in_tensorflow(strategy: str | None) -> None:
    x = (np.arange(24).reshape(8, 3) % 7 / 8).astype("float32")
    with contextlib.nullcontext() if strategy is None else STRATEGIES[strategy]().scope():
        dense = tf.keras.layers.Dense(3, activation="sigmoid", kernel_initializer="ones")
        made = tf.keras.Sequential([tf.keras.Input((3,)), dense])
        made.compile(tf.keras.optimizers.SGD(0.1), tfa.losses.SigmoidFocalCrossEntropy())
    loss = made.fit(x, Y, batch_size=4, shuffle=False, verbose=0).history["loss"]
    # From TensorFlow 2.15.1 and TensorFlow Addons 0.23.0.
    np.testing.assert_allclose(loss, [1.0668296813964844], rtol=1e-6)
    np.testing.assert_allclose(made.get_weights()[0][0], [0.8503331, 0.9081022, 0.91513646], rtol=1e-6)


def test_a_model_is_loaded_with_its_objects(tmp_path: Path) -> None:
    inputs = tf.keras.Input((4, 4, 2))
    x = tfa.layers.InstanceNormalization()(inputs)
    x = tfa.layers.Maxout(1)(tfa.layers.GELU()(tfa.layers.FilterResponseNormalization()(x)))
    made = tf.keras.Model(inputs, tf.keras.layers.Dense(3, activation="softmax")(tf.keras.layers.Flatten()(x)))
    made.compile(
        tfa.optimizers.AdamW(
            tf.keras.optimizers.schedules.ExponentialDecay(0.01, 2, 0.5), 0.125, exclude_from_weight_decay=["bias"]
        ),
        tfa.losses.SigmoidFocalCrossEntropy(gamma=1.0, reduction="sum_over_batch_size"),
        metrics=[tfa.metrics.F1Score(3, "micro"), tfa.metrics.RSquare()],
    )
    images = np.random.default_rng(1).normal(size=(8, 4, 4, 2)).astype("float32")
    options = {"batch_size": 4, "verbose": 0, "shuffle": False}
    made.fit(images, Y, **options)
    made.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    assert loaded.optimizer.get_config() == made.optimizer.get_config()
    first, second = (m.fit(images, Y, **options).history for m in (made, loaded))
    assert first.keys() == second.keys()
    for name in first:
        np.testing.assert_allclose(first[name], second[name], rtol=1e-5)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["default", "mirrored 2"])
def test_a_normalized_layer_trains_and_is_loaded(strategy: str, tmp_path: Path) -> None:
    with STRATEGIES[strategy]().scope():
        tf.random.set_seed(1)
        layer = tfa.layers.WeightNormalization(tf.keras.layers.Dense(3), data_init=False)
        made = tf.keras.Sequential([tf.keras.Input((3,)), layer])
        made.compile(tf.keras.optimizers.SGD(0.1), "mse")
    before = made.predict(X, verbose=0)
    np.testing.assert_allclose(before, X @ layer.layer.kernel.numpy(), rtol=1e-5, atol=1e-6)
    loss = made.fit(X, Y, batch_size=4, epochs=3, verbose=0).history["loss"]
    assert loss[-1] < loss[0]
    assert len(made.trainable_variables) == 3
    made.save(tmp_path / "folder")
    loaded = tf.keras.models.load_model(tmp_path / "folder")
    np.testing.assert_allclose(loaded.predict(X, verbose=0), made.predict(X, verbose=0), rtol=1e-5, atol=1e-6)
    with pytest.raises(NotImplementedError, match="data_init=False"):
        tfa.layers.WeightNormalization(tf.keras.layers.Dense(3))


def test_only_listed_variables_decay() -> None:
    v, w = tf.Variable(2.0), tf.Variable(2.0)
    optimizer = tfa.optimizers.SGDW(0.5, learning_rate=0.0)
    optimizer.minimize(lambda: v * w, [v, w], decay_var_list=[w])
    assert [v.numpy(), w.numpy()] == [2.0, 1.0]


def test_a_slope_is_drawn_for_every_element() -> None:
    slopes = -np.asarray(tfa.activations.rrelu(-np.ones(1000, "float32"), training=True, seed=1))
    assert 0.125 <= slopes.min() < 0.14
    assert 0.32 < slopes.max() <= 1 / 3


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tfa.metrics.F1Score(3, "mean"), ValueError),
        (lambda: tfa.metrics.F1Score(3, threshold=1), TypeError),
        (lambda: tfa.metrics.CohenKappa(1), ValueError),
        (lambda: tfa.losses.sigmoid_focal_crossentropy([1.0], [0.5], gamma=-1.0), ValueError),
        (lambda: tfa.activations.hardshrink([1.0], lower=2.0), ValueError),
        (lambda: tfa.optimizers.extend_with_decoupled_weight_decay(tf.keras.optimizers.Adam), TypeError),
    ],
)
def test_wrong_arguments_are_refused(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_what_is_missing_says_what_to_use() -> None:
    with pytest.raises(
        AttributeError, match=r"tensorflow_addons\.optimizers\.Lookahead is not provided; use .*use_ema"
    ):
        _ = tfa.optimizers.Lookahead
    with pytest.raises(AttributeError, match=r"tensorflow_addons\.seq2seq is not provided"):
        _ = tfa.seq2seq
