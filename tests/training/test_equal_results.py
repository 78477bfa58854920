"""Under every strategy a model learns, is evaluated and predicts what it would on one device."""

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.parity.training import floatx
from tests.thorough import thorough_but
from tests.training.models import BATCH, KINDS, ROWS, OwnStep, layers, numbers
from tests.training.training import distance, results, trained, tree

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_eight_replicas_give_what_one_gives(kind: str) -> None:
    # 100 rows in batches of 32: four replicas have one row of the last, the other four none.
    one, many = trained(kind, "one device"), trained(kind, "mirrored 8")
    assert one.weights[0].dtype == np.float64
    assert distance(tree(many), tree(one)) <= 1e-9
    assert len(many.predicted[0]) == ROWS


@pytest.mark.sampled
@pytest.mark.parametrize(
    "strategy",
    thorough_but(
        ["mirrored 2", "parameter servers"],
        [name for name in STRATEGIES if name not in ("default", "one device", "mirrored 8")],
    ),
)
def test_any_number_of_replicas_gives_what_one_gives(strategy: str) -> None:
    # 35 rows: the last batch has 3, which more than one replica share unevenly.
    one, many = trained("added losses", "one device", rows=35), trained("added losses", strategy, rows=35)
    assert distance(tree(many), tree(one)) <= 1e-9


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["two by two", "masks", "added losses"])
def test_one_device_gives_what_keras_own_trainer_gives(kind: str) -> None:
    own, ours = trained(kind, "default"), trained(kind, "one device")
    if kind == "masks":  # its trainer loses the mask on the way to the metrics of training
        assert distance(ours.history["loss"], own.history["loss"]) <= 1e-6
        assert distance(tree(ours)[1:], tree(own)[1:]) <= 1e-6
    else:
        assert distance(tree(ours), tree(own)) <= 1e-6  # it makes float32 of some numbers


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["own step"])
def test_in_float32_as_far_as_the_order_of_a_sum_can_tell(kind: str) -> None:
    one, many = trained(kind, "one device", "float32"), trained(kind, "mirrored 8", "float32")
    exact = trained(kind, "one device", "float64")
    # What rounding does to this training is what float32 changes on one device.
    assert distance(many.weights, one.weights) <= 2 * distance(one.weights, exact.weights)
    assert distance(many.predicted, one.predicted) <= 2 * distance(one.predicted, exact.predicted)
    assert distance(many.history, one.history) <= 1e-4


@pytest.mark.thorough
def test_a_loaded_model_goes_on_under_the_strategy_that_it_is_loaded_under(tmp_path: object) -> None:
    path = f"{tmp_path}/model.keras"
    with floatx("float64"):
        tf.keras.utils.set_random_seed(0)
        model = tf.keras.Sequential([layers.Input((4,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.Adam(0.125), "mse", metrics=["mae"])
        x, y = numbers(ROWS, 4), numbers(ROWS, 1, seed=1)
        model.fit(x[:BATCH], y[:BATCH], verbose=0)
        model.save(path)
        found = []
        for strategy in ("one device", "mirrored 8"):
            with STRATEGIES[strategy]().scope():
                model = tf.keras.models.load_model(path)
            assert model.distribute_strategy.num_replicas_in_sync == (8 if strategy == "mirrored 8" else 1)
            found.append(tree(results(model, {"x": x, "y": y}, epochs=1)))
    assert distance(found[1], found[0]) <= 1e-9


def test_what_is_trained_is_what_is_saved_and_used_outside() -> None:
    with STRATEGIES["mirrored 2"]().scope():
        model = KINDS["added losses"].made()
    data = KINDS["added losses"].learns()
    model.fit(**data, verbose=0)
    alone = tf.keras.models.clone_model(model)  # under no strategy
    alone.set_weights(model.get_weights())
    alone.compile("sgd", "mse")
    np.testing.assert_allclose(alone.predict(data["x"], verbose=0), model.predict(data["x"], verbose=0), atol=1e-6)


@pytest.mark.thorough
def test_logs_of_a_step_of_the_users_are_of_the_global_batch() -> None:
    one, many = trained("own step", "one device"), trained("own step", "mirrored 8")
    assert list(many.history) == list(one.history)
    assert {"loss", "mae", "seen"} <= set(many.history)


def test_a_model_with_a_step_of_its_own_is_built_by_fit() -> None:
    with STRATEGIES["mirrored 2"]().scope():
        model = OwnStep()
        model.compile("sgd", "mse")
    assert not model.weights
    model.fit(np.zeros((3, 4), "float32"), np.zeros((3, 1), "float32"), verbose=0)
    assert [w.shape for w in model.weights] == [(4, 5), (5,), (5, 1), (1,)]
