"""Outside of a step, too, only the rows that are asked for travel."""

from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.servers.remote.serving import serving

ROWS, WIDTH = 50, 3
SOME_ROWS = 24 * WIDTH * 4  # bytes: 8 of a shard, of 50 in all
VALUES = np.arange(ROWS * WIDTH, dtype="float32").reshape(ROWS, WIDTH)


@pytest.fixture(scope="module", params=[None, 2, 3], ids=["whole", "2 shards", "3 shards"])
def strategy(request: pytest.FixtureRequest) -> Any:
    return serving(servers=2, workers=1, shards=request.param)


@pytest.fixture
def table(strategy: Any) -> Any:
    with strategy.scope():
        return tf.Variable(VALUES)


def sent(strategy: Any) -> int:
    """Bytes that servers have sent so far."""
    return sum(traffic.sent for traffic in strategy.servers.traffic())


@pytest.mark.sampled
@pytest.mark.parametrize("ids", [3, [0, 49, 3, 3], [[7, 8], [8, 31]], np.zeros((0,), "int64")], ids=str)
@pytest.mark.parametrize(
    "lookup",
    [tf.gather, tf.nn.embedding_lookup, lambda table, ids: keras.ops.take(table, ids, axis=0)],
    ids=["gather", "embedding_lookup", "take"],
)
def test_rows_are_asked_for(lookup: Any, ids: Any, table: Any, strategy: Any) -> None:
    before = sent(strategy)
    found = lookup(table, ids)
    np.testing.assert_array_equal(np.asarray(found), VALUES[np.asarray(ids, "int64")])
    assert sent(strategy) - before <= SOME_ROWS


def test_an_id_of_no_row_is_an_error(table: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 50\)|Index 50"):
        tf.nn.embedding_lookup(table, [3, ROWS])


def test_a_model_is_called_on_the_coordinator(strategy: Any) -> None:
    with strategy.scope():
        layer = keras.layers.Embedding(ROWS, WIDTH)
        model = keras.Sequential([keras.Input((2,), dtype="int32"), layer])
    ids = np.array([[1, 2], [48, 1]], "int32")
    wanted = np.asarray(layer.embeddings)[ids]
    before = sent(strategy)
    np.testing.assert_array_equal(np.asarray(model(ids)), wanted)
    assert sent(strategy) - before <= SOME_ROWS


def test_a_gradient_of_a_variable_in_shards_names_what_to_ask_for() -> None:
    sharded = serving(servers=2, workers=1, shards=2)
    with sharded.scope():
        table = tf.Variable(VALUES)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [1, 2]))
        return tape.gradient(loss, table)

    with sharded.scope(), pytest.raises(ValueError, match=r"is in shards\. Ask for the gradients of its `variables`"):
        step()
