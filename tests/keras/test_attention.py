"""`keras.layers.MultiHeadAttention` with arguments that Keras offers on every backend."""

from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

QUERY = np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32)
VALUE = np.random.default_rng(1).normal(size=(2, 6, 4)).astype(np.float32)
MASK = np.random.default_rng(2).random(size=(2, 5, 6)) < 0.7
MASK[..., 0] = True  # every query sees a value


def attended(layer: keras.layers.MultiHeadAttention, mask: Any) -> np.ndarray[Any, Any]:
    """The formula of scaled dot-product attention (Vaswani et al. 2017), in NumPy."""
    dense = {w.path.split("/", 1)[1]: w.numpy().astype(np.float64) for w in layer.weights}
    query, key, value = (
        np.einsum("btd,dhk->bthk", x, dense[f"{name}/kernel"]) + dense[f"{name}/bias"]
        for name, x in (("query", QUERY), ("key", VALUE), ("value", VALUE))
    )
    scores = np.einsum("bthk,bshk->bhts", query, key) / np.sqrt(query.shape[-1])
    weights = np.exp(scores) if mask is None else np.exp(scores) * mask[:, None]
    weights /= weights.sum(-1, keepdims=True)
    found = np.einsum("bhts,bshv->bthv", weights, value)
    return np.einsum("bthv,hvo->bto", found, dense["attention_output/kernel"]) + dense["attention_output/bias"]


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("options", [{}, {"output_shape": 5}])
def test_values_may_have_another_depth_than_keys(depth: int, mask: Any, options: dict[str, int]) -> None:
    layer = keras.layers.MultiHeadAttention(2, 3, value_dim=depth, bias_initializer="uniform", **options)
    found = layer(QUERY, VALUE, attention_mask=mask)
    np.testing.assert_allclose(found, attended(layer, mask), rtol=1e-4, atol=1e-5)


def test_a_model_with_values_of_another_depth_trains_with_a_causal_mask() -> None:
    x = keras.Input((5, 4))
    layer = keras.layers.MultiHeadAttention(2, 3, value_dim=2, output_shape=5)
    model = keras.Model(x, layer(x, x, use_causal_mask=True))
    before = model(QUERY)
    changed = QUERY.copy()
    changed[:, 3:] += 1.0
    np.testing.assert_allclose(
        model(changed)[:, :3], before[:, :3], rtol=1e-5, atol=1e-6
    )  # nothing comes from later ones
    model.compile("sgd", "mse")
    losses = model.fit(QUERY, np.zeros((2, 5, 5), np.float32), epochs=3, verbose=0).history["loss"]
    assert losses[2] < losses[1] < losses[0]
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(QUERY) ** 2)
    assert all(g is not None for g in tape.gradient(loss, model.trainable_variables))
