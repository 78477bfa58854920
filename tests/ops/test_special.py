"""Special functions far from 0 and near it, of float64 in compiled functions, and in replicas."""

import numpy as np
import pytest
from scipy import special

import stratagem as tf

POINTS = np.concatenate([np.geomspace(1e-9, 19.9, 24), np.geomspace(20.1, 500.0, 12)])


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "theirs"), [(n, n) for n in ("j0", "j1", "y0", "y1", "k0", "k1", "k0e", "k1e")])
def test_bessel_functions_are_those_of_scipy(name: str, theirs: str) -> None:
    """Relative to the amplitude of the wave (of J and Y), elsewhere to the value."""
    wanted = getattr(special, theirs)(POINTS)
    found = np.asarray(getattr(tf.math.special, f"bessel_{name}")(tf.constant(POINTS)))
    amplitude = np.hypot(special.j0(POINTS), special.y0(POINTS)) if name[0] in "jy" else np.zeros_like(POINTS)
    np.testing.assert_array_less(np.abs(found - wanted), 2e-12 * np.maximum(np.abs(wanted), amplitude) + 1e-300)


@pytest.mark.parametrize("name", ["igamma", "igammac", "betainc"])
def test_functions_that_jax_writes_out_late_are_exact_in_compiled_functions(name: str) -> None:
    """Without the hook "64-bit types" JAX refuses to compile them for float64."""
    a, x = tf.constant([0.5, 2.0, 3.25], tf.float64), tf.constant([0.1, 0.7, 0.9], tf.float64)
    args = (a, a, x) if name == "betainc" else (a, x)
    scipys = {"igamma": special.gammainc, "igammac": special.gammaincc, "betainc": special.betainc}[name]
    found = tf.function(getattr(tf.math, name))(*args)
    assert found.dtype == tf.float64
    np.testing.assert_allclose(found, scipys(*map(np.asarray, args)), rtol=1e-13)


def test_replicas_have_the_same_derivatives() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    x = tf.constant([0.5, 1.5, 30.0])

    def gradient() -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.math.special.bessel_y1(x) + tf.math.polygamma(1.0, x))
        return tape.gradient(y, x)

    for replica in strategy.run(gradient).values:
        np.testing.assert_allclose(replica, gradient(), rtol=1e-5, atol=1e-6)
