"""A model of two replicas is served by a process that lacks its code, and trained on by four replicas, and by two workers."""

import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests import prepared
from tests.multi_worker.jobs import job, printed

layers = tf.keras.layers
WORDS = np.array([["a", "b", "c"], ["b", "b", "x"], ["c", "a", "a"], ["x", "y", "b"]] * 2, object)


class Scaling(layers.Layer):
    """A layer of the user's."""

    def build(self, shape: Any) -> None:
        self.factor = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, inputs: Any) -> Any:
        return inputs * self.factor


def tuned(strategy: Any, path: str) -> Any:
    """Returns the outputs after three steps of gradient descent."""
    with strategy.scope():
        loaded, optimizer = tf.saved_model.load(path), tf.keras.optimizers.SGD(0.05)

    def replica(words: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.reduce_sum(loaded(words) ** 2, axis=-1), global_batch_size=8)
        gradients = tape.gradient(loss, loaded.trainable_variables)
        optimizer.apply_gradients(zip(gradients, loaded.trainable_variables, strict=True))

    step = tf.function(lambda words: strategy.run(replica, args=(words,)))
    for batch in strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(WORDS).batch(8).repeat(3)):
        step(batch)
    return loaded(tf.constant(WORDS))


def test_an_export_is_served_and_trained_on_elsewhere(tmp_path: Path) -> None:
    strategy, path = STRATEGIES["mirrored 2"](), str(tmp_path / "model")
    with strategy.scope():
        parts = [layers.StringLookup(vocabulary=["a", "b", "c"]), layers.Embedding(4, 3), layers.LSTM(4)]
        model = tf.keras.Sequential(
            [tf.keras.Input((3,), dtype="string"), *parts, layers.BatchNormalization(), Scaling(), layers.Dense(2)]
        )
        model.compile("adam", "mse")
    model.fit(tf.data.Dataset.from_tensor_slices((WORDS, np.ones((8, 2), "float32"))).batch(8), verbose=0)
    tf.saved_model.save(model, path)
    wanted = model(tf.constant(WORDS))
    program = f"""
        import json
        import numpy as np
        import stratagem as tf
        words = tf.constant({WORDS.tolist()!r})
        print(json.dumps(np.asarray(tf.saved_model.load({path!r})(words)).tolist()))
    """
    served = prepared.run(textwrap.dedent(program))
    assert served.returncode == 0, served.stderr
    np.testing.assert_allclose(json.loads(served.stdout), wanted, rtol=1e-5, atol=1e-6)
    trained = tuned(STRATEGIES["mirrored 4"](), path)
    assert not np.allclose(trained, wanted, rtol=1e-3)
    with job("exported.py", 2, path, str(tmp_path / "again")) as running:
        ended = running.ended()
    for task in ended:
        assert task.code == 0, task.output
        before, after = printed(task, "results")
        np.testing.assert_allclose(before, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(after, trained, rtol=1e-4, atol=1e-6)
