"""Candidate samplers draw as often as they say: TensorFlow's frequencies and expected counts, not its draws."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf

TRUE = np.arange(6)[:, None]
UNIGRAMS = {"unigrams": [8.0, 4.0, 2.0, 1.0, 1.0], "num_reserved_ids": 1, "distortion": 0.75}
# Sampler, arguments, whether unique, how many; for the classes 0 to 5 TensorFlow 2.15.1's frequency and mean expected count in
# 4,000 samples.
RECORDED: list[tuple[str, dict[str, Any], bool, int, list[float], list[float]]] = [
    ("uniform", {}, True, 3, [0.5] * 6, [0.528] * 6),
    ("uniform", {}, False, 4, [0.667] * 6, [0.667] * 6),
    ("log_uniform", {}, True, 3, [0.818, 0.633, 0.506, 0.408, 0.331, 0.304], [0.963, 0.654, 0.498, 0.402, 0.338, 0.291]),
    ("log_uniform", {}, False, 4, [1.429, 0.820, 0.593, 0.450, 0.383, 0.324], [1.425, 0.833, 0.591, 0.459, 0.375, 0.317]),
    ("fixed_unigram", UNIGRAMS, True, 3, [0, 0.900, 0.770, 0.576, 0.382, 0.372], [0, 1.057, 0.769, 0.531, 0.35, 0.35]),
    ("fixed_unigram", UNIGRAMS, False, 4, [0, 1.686, 1.007, 0.608, 0.337, 0.362], [0, 1.689, 1.004, 0.597, 0.355, 0.355]),
]  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "kwargs", "unique", "count", "often", "expected"), RECORDED)
def test_classes_are_drawn_as_often_as_by_tensorflow(
    name: str, kwargs: dict[str, Any], unique: bool, count: int, often: list[float], expected: list[float]
) -> None:
    tf.random.set_seed(2)
    samples = 1500

    @tf.function
    def draw() -> Any:
        return tf.map_fn(
            lambda _: tuple(getattr(tf.random, f"{name}_candidate_sampler")(TRUE, 1, count, unique, 6, **kwargs)),
            tf.zeros(samples),
            (tf.int64, tf.float32, tf.float32),
        )

    drawn, true_counts, drawn_counts = map(np.asarray, draw())
    assert (drawn.dtype, true_counts.dtype, drawn_counts.dtype) == (np.int64, np.float32, np.float32)
    np.testing.assert_allclose(np.bincount(drawn.ravel(), minlength=6) / samples, often, atol=0.07)
    np.testing.assert_allclose(true_counts.mean(0)[:, 0], expected, atol=0.05)
    np.testing.assert_array_equal(drawn_counts, np.take_along_axis(true_counts[:, :, 0], drawn, 1))
    if unique:
        assert all(len(set(row)) == count for row in drawn.tolist())


def test_unigrams_may_be_in_a_file(tmp_path: Any) -> None:
    file = tmp_path / "vocabulary.csv"
    file.write_text("a,8\nb,0\nc,8\n")
    found = tf.nn.fixed_unigram_candidate_sampler([[0], [1]], 1, 50, False, 3, vocab_file=str(file))
    assert set(np.asarray(found.sampled_candidates).tolist()) == {0, 2}
    assert np.asarray(found.true_expected_count).tolist() == [[25.0], [0.0]]


@pytest.mark.parametrize(
    "arguments",
    [([[0]], 1, 4, True, 3), ([[0]], 2, 2, True, 3), ([0], 1, 2, True, 3), ([[5]], 1, 2, True, 3)],
)
def test_what_does_not_fit_is_refused(arguments: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.random.uniform_candidate_sampler(*arguments)


def test_a_shard_has_its_own_classes() -> None:
    counts = [8.0, 4.0, 2.0, 1.0, 1.0, 1.0]
    found = tf.nn.fixed_unigram_candidate_sampler([[0]], 1, 4, False, 3, num_shards=2, shard=1, unigrams=counts)
    assert float(found.true_expected_count[0, 0]) == pytest.approx(8 / 3)  # as TensorFlow


def test_a_million_classes_are_all_drawn() -> None:
    tf.random.set_seed(1)
    found = np.asarray(tf.random.log_uniform_candidate_sampler([[0]], 1, 2000, True, 1_000_000).sampled_candidates)
    assert len(set(found.tolist())) == 2000
    assert np.mean(found > 1000) == pytest.approx(0.77, abs=0.05)  # as TensorFlow


def test_sampled_losses_draw_their_classes_in_a_step() -> None:
    weights, biases = tf.Variable(tf.ones([20, 3])), tf.Variable(tf.zeros([20]))

    @tf.function
    def losses(labels: Any, inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            softmax = tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 5, 20)
            noise = tf.nn.nce_loss(weights, biases, labels, inputs, 5, 20)
            total = tf.reduce_sum(softmax) + tf.reduce_sum(noise)
        return softmax, noise, tape.gradient(total, weights)

    softmax, noise, gradient = losses(tf.constant([[1], [2]], tf.int64), tf.ones([2, 3]))
    assert softmax.shape == noise.shape == (2,)
    assert np.isfinite(np.asarray(tf.convert_to_tensor(gradient))).all()
