"""Stateless binomial, gamma, Poisson and bounded normal numbers: their distributions, shapes, dtypes, derivatives, errors.

The numbers are not TensorFlow's; what is asserted of shapes, dtypes, edges and errors is what TensorFlow 2.15.1 answers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy

import stratagem as tf
from tests.thorough import thorough_but

R = tf.random
SEED = [3, 4]
MANY = 20_000
# Of a right sampler one seed in a thousand is further off; this one is not.
UNLIKELY = 1e-3


def chi_squared(drawn: np.ndarray, distribution: Any) -> float:
    """The p-value of counts of integers, with rare ones together."""
    values = np.arange(int(drawn.max()) + 1)
    expected = distribution.pmf(values) * drawn.size
    common = expected > 5
    seen = np.bincount(drawn.astype(int), minlength=values.size)
    rest = drawn.size - seen[common].sum(), drawn.size - expected[common].sum()
    return float(
        scipy.stats.chisquare(np.append(seen[common], rest[0]), np.append(expected[common], max(rest[1], 1e-9))).pvalue
        if rest[1] > 5
        else scipy.stats.chisquare(seen[common], expected[common] * seen[common].sum() / expected[common].sum()).pvalue
    )


@pytest.mark.parametrize(("counts", "probability"), thorough_but([(12.0, 0.3)], [(12.0, 0.3), (500.0, 0.7)]))
def test_binomial_numbers(counts: float, probability: float) -> None:
    drawn = R.stateless_binomial([MANY], SEED, counts, probability)
    assert drawn.dtype == tf.int32
    assert chi_squared(np.asarray(drawn), scipy.stats.binom(counts, probability)) > UNLIKELY


@pytest.mark.parametrize("rate", thorough_but([40.0], [0.7, 40.0]))
def test_poisson_numbers(rate: float) -> None:
    assert chi_squared(np.asarray(R.stateless_poisson([MANY], SEED, rate)), scipy.stats.poisson(rate)) > UNLIKELY


@pytest.mark.parametrize("alpha", thorough_but([0.3], [0.3, 5.0]))
def test_gamma_numbers(alpha: float) -> None:
    drawn = np.asarray(R.stateless_gamma([MANY], SEED, alpha, 2.0))
    assert scipy.stats.kstest(drawn, scipy.stats.gamma(alpha, scale=0.5).cdf).pvalue > UNLIKELY


def test_normal_numbers_within_bounds() -> None:
    drawn = np.asarray(R.stateless_parameterized_truncated_normal([MANY], SEED, 1.0, 2.0, 0.0, 4.0))
    assert drawn.min() >= 0
    assert drawn.max() <= 4
    assert scipy.stats.kstest(drawn, scipy.stats.truncnorm(-0.5, 1.5, 1, 2).cdf).pvalue > UNLIKELY


DRAWS: dict[str, Callable[[Any], Any]] = {
    "binomial": lambda seed: R.stateless_binomial([2, 3], seed, [[10.0], [20.0]], [0.1, 0.2, 0.3], tf.float32),
    "gamma": lambda seed: R.stateless_gamma([2, 3], seed, [1.0, 2.0, 3.0], [[1.0], [2.0]], tf.float64),
    "poisson": lambda seed: R.stateless_poisson([2, 3], seed, [1.0, 2.0, 3.0], tf.int64),
    "normal": lambda seed: R.stateless_parameterized_truncated_normal(
        [2, 3], seed, [0.0, 1.0, 2.0], 1.0, -1.0, [1.0, 2.0, 3.0]
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", thorough_but(["poisson", "normal"], DRAWS))
def test_a_seed_decides_everywhere(name: str) -> None:
    draw = DRAWS[name]
    first = draw(SEED)
    assert first.shape == (2, 3)
    compiled = tf.function(draw)(tf.constant(SEED))
    replicas = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    each = replicas.experimental_local_results(replicas.run(draw, (tf.constant(SEED),)))
    for same in (draw(SEED), compiled, *each):
        assert same.dtype == first.dtype
        np.testing.assert_allclose(same, first, rtol=1e-6)
    assert not np.array_equal(draw([3, 5]), first)


def test_the_ends_of_their_ranges() -> None:
    counts, chances = [-1.0, 10.0, 10.0, 10.0, 0.0], [0.5, 1.5, 0.0, 1.0, 0.5]
    np.testing.assert_array_equal(R.stateless_binomial([5], SEED, counts, chances), [0, 10, 0, 10, 0])
    np.testing.assert_array_equal(R.stateless_poisson([2], SEED, [-1.0, 0.0]), [0, 0])
    assert np.isnan(R.stateless_gamma([2], SEED, [-2.0, np.nan])).all()
    assert R.stateless_binomial([], SEED, 10, 0.5).shape == ()
    assert R.stateless_poisson([0], SEED, 4).shape == (0,)


def test_gamma_numbers_have_derivatives() -> None:
    alpha, beta = tf.Variable([0.5, 2.0, 30.0]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        drawn = R.stateless_gamma([3], SEED, alpha, beta)
    of_alpha, of_beta = tape.gradient(drawn, [alpha, beta])
    # Of x = F^-1(u; alpha) with a fixed u: -(dF/d alpha) / (dF/dx).
    x, a, step = np.asarray(drawn, float) * 2, np.asarray(alpha, float), 1e-4
    slope = (scipy.stats.gamma.cdf(x, a + step) - scipy.stats.gamma.cdf(x, a - step)) / (2 * step)
    np.testing.assert_allclose(of_alpha, -slope / scipy.stats.gamma.pdf(x, a) / 2, rtol=2e-3)
    np.testing.assert_allclose(of_beta, -np.sum(np.asarray(drawn)) / 2, rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: R.stateless_binomial([2], SEED, [1.0, 2.0, 3.0], 0.5), "does not end with"),
        (lambda: R.stateless_gamma([3], SEED, [1.0, 2.0]), "does not end with"),
        (lambda: R.stateless_poisson([3], [1, 2, 3], 4.0), "A stateless seed is two integers"),
        (lambda: R.stateless_poisson([3], SEED, 4.0, tf.int8), "not int8"),
        (lambda: R.stateless_gamma([3], SEED, 4.0, dtype=tf.int32), "not int32"),
        (lambda: R.stateless_parameterized_truncated_normal([2], SEED, 0.0, 1.0, 2.0, 1.0), "minvals below maxvals"),
        (lambda: R.stateless_parameterized_truncated_normal([2], SEED, 0.0, -1.0), "stddevs are positive"),
        (lambda: R.stateless_parameterized_truncated_normal([2], SEED, 0.0, 1.0, -np.inf), "both finite"),
        (lambda: R.stateless_parameterized_truncated_normal([2], SEED, 0, 1, -1, 1), "not int32"),
        (lambda: R.stateless_parameterized_truncated_normal([2], SEED, np.float64(0.0)), "have one dtype"),
    ],
)
def test_what_is_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()
