"""Signals: what TensorFlow 2.15.1 has no kernel for, inverses, replicas. The rest is compared in `tests/ops/drawn`."""

import numpy as np
import pytest

import stratagem as tf

SIGNAL = np.random.default_rng(3).normal(size=(4, 6))


@pytest.mark.sampled
@pytest.mark.parametrize(
    "given", [{}, {"axes": [0]}, {"fft_length": [5, 3], "axes": [1, 0]}, {"norm": "ortho"}], ids=str
)
def test_transforms_along_any_axes_are_those_of_numpy(given: dict[str, object]) -> None:
    """The kernels of these four functions are missing in TensorFlow 2.15.1."""
    theirs = {"s" if key == "fft_length" else key: value for key, value in given.items()}
    if "s" not in theirs and "axes" not in theirs:
        theirs["axes"] = (0, 1)
    for ours, name, array in [
        (tf.signal.fftnd, "fftn", SIGNAL + 1j),
        (tf.signal.ifftnd, "ifftn", SIGNAL + 1j),
        (tf.signal.rfftnd, "rfftn", SIGNAL),
        (tf.signal.irfftnd, "irfftn", SIGNAL + 1j),
    ]:
        found, wanted = ours(tf.constant(array), **given), getattr(np.fft, name)(array, **theirs)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_a_signal_comes_back_from_its_transform() -> None:
    signal = tf.constant(np.sin(np.arange(64.0)).astype(np.float32))
    inverse = tf.signal.inverse_stft(
        tf.signal.stft(signal, 16, 4), 16, 4, window_fn=tf.signal.inverse_stft_window_fn(4)
    )
    np.testing.assert_allclose(inverse[12:-12], signal[12:-12], atol=1e-6)
    halves = tf.signal.inverse_mdct(tf.signal.mdct(signal, 16, norm="ortho"), norm="ortho")
    np.testing.assert_allclose(halves[8:-8], signal[8:-8], atol=1e-6)


def test_gradients_of_a_spectrogram_are_the_same_in_replicas() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    signal = tf.constant(SIGNAL.ravel().astype(np.float32))

    def gradient() -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(signal)
            loss = tf.reduce_sum(tf.abs(tf.signal.stft(signal, 8, 4)))
        return tape.gradient(loss, signal)

    for replica in strategy.run(gradient).values:
        np.testing.assert_allclose(replica, gradient(), rtol=1e-5, atol=1e-5)


def test_a_wrong_dtype_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"tf\.signal\.fft takes a tensor of complex64 or complex128, got int32"):
        tf.signal.fft(tf.constant([1, 2]))
