"""Random tensors: shapes, dtypes, ranges, reproducible sequences."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as public
import stratagem as tf
from tests.thorough import thorough_but


def test_set_seed_starts_the_sequence_anew() -> None:
    tf.random.set_seed(3)
    first = [tf.random.normal([4]), tf.random.uniform([4]), tf.random.normal([4], seed=5)]
    tf.random.set_seed(3)
    again = [tf.random.normal([4]), tf.random.uniform([4]), tf.random.normal([4], seed=5)]
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(tf.random.normal([4], seed=5), first[2]), "the next draw of a seed differs"


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", thorough_but(["bfloat16", "float32"], ["float16", "bfloat16", "float32", "float64"]))
def test_floating_point(dtype: str) -> None:
    tf.random.set_seed(1)
    normal = tf.random.normal([2000], 3.0, 0.5, dtype)
    cut = tf.random.truncated_normal([2000], 1.0, 0.5, dtype)
    uniform = tf.random.uniform([2000], -1, 3, dtype)
    assert {normal.dtype, cut.dtype, uniform.dtype} == {jnp.dtype(dtype)}
    assert float(normal.mean()) == pytest.approx(3, abs=0.1)
    assert float(normal.astype("float32").std()) == pytest.approx(0.5, abs=0.1)
    assert float(jnp.abs(cut - 1).max()) <= 1.01
    assert -1 <= float(uniform.min()) < 0 < float(uniform.max()) <= 3


@pytest.mark.parametrize(("dtype", "high"), [("int32", 5), ("int64", 2**40), ("uint8", 200)])
def test_integers(dtype: str, high: int) -> None:
    drawn = np.asarray(tf.random.uniform([500], 1, high, dtype))
    assert drawn.dtype == dtype
    assert 1 <= int(drawn.min()) <= int(drawn.max()) < high
    with pytest.raises(ValueError, match="maxval"):
        tf.random.uniform([2], dtype=dtype)


def test_other_distributions() -> None:
    assert tf.random.categorical([[0.0, -100.0], [-100.0, 0.0]], 3).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert tf.random.categorical([[0.0, 0.0]], 3).dtype == tf.int64
    assert sorted(tf.random.shuffle(np.arange(9)).tolist()) == list(range(9))
    assert tf.random.gamma([3], [1.0, 2.0]).shape == (3, 2)
    assert tf.random.poisson([3], [1.0, 2.0]).shape == (3, 2)


def test_stateless_draws_depend_on_the_seed_alone() -> None:
    for draw in (tf.random.stateless_normal, tf.random.stateless_uniform, tf.random.stateless_truncated_normal):
        np.testing.assert_array_equal(draw([3], seed=[1, 2]), draw([3], seed=np.array([1, 2], np.int64)))
        np.testing.assert_array_equal(
            draw([3], seed=[1, 2]), jax.jit(lambda s, d=draw: d([3], seed=s))(jnp.array([1, 2]))
        )
        assert not np.array_equal(draw([3], seed=[1, 2]), draw([3], seed=[1, 3]))
    assert tf.random.split([1, 2], 3).shape == (3, 2)
    assert tf.random.fold_in([1, 2], 3).shape == (2,)


def test_stateless_draws_are_the_same_in_replicas_and_under_vmap() -> None:
    draws = [tf.random.stateless_uniform, tf.random.stateless_normal, tf.random.stateless_truncated_normal]
    strategy = public.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    seeds = np.array([[1, 2], [3, 4]], np.int32)
    alone = [[np.asarray(draw([5], seed)) for draw in draws] for seed in seeds]

    def replica() -> Any:
        number = public.distribute.get_replica_context().replica_id_in_sync_group
        return [draw([5], tf.gather(seeds, number)) for draw in draws]

    rows = [draw.values for draw in public.function(lambda: strategy.run(replica))()]
    mapped = [jax.vmap(lambda seed, draw=draw: draw([5], seed))(seeds) for draw in draws]
    for k in range(2):
        for wanted, row, batch in zip(alone[k], rows, mapped, strict=True):
            np.testing.assert_array_max_ulp(np.asarray(row[k]), wanted, 4)
            np.testing.assert_array_max_ulp(np.asarray(batch[k]), wanted, 4)


def test_more_numbers_of_a_seed_continue_fewer_ones() -> None:
    """Few numbers are cut from a program of many, which many are not."""
    many = np.asarray(tf.random.stateless_uniform([3, 1001], [1, 2])).ravel()
    np.testing.assert_array_equal(tf.random.stateless_uniform([30], [1, 2]), many[:30])
    cut = np.asarray(tf.random.stateless_truncated_normal([200_000], [1, 2]))
    assert 1.99 < np.abs(cut).max() < 2, "some groups are filled one by one"
    assert abs(cut.std() - 0.8796) < 0.01, "the deviation of a normal number between -2 and 2"
    assert (cut != 0).all()


def test_threefry_is_refused_and_unknown_algorithms_are_named() -> None:
    with pytest.raises(NotImplementedError, match="threefry"):
        tf.random.stateless_uniform([2], [1, 2], alg=tf.random.Algorithm.THREEFRY)
    with pytest.raises(ValueError, match="'philox', 'threefry' or 'auto_select'"):
        tf.random.stateless_uniform([2], [1, 2], alg="mersenne")
    with pytest.raises(TypeError, match="name, a number"):
        tf.random.stateless_uniform([2], [1, 2], alg=1.5)
    with pytest.raises(ValueError, match="two integers"):
        tf.random.stateless_uniform([2], [1, 2, 3])


def test_generator() -> None:
    one, other = tf.random.Generator.from_seed(3), tf.random.Generator.from_seed(3)
    first = one.normal([2])
    np.testing.assert_array_equal(first, other.normal([2]))
    assert not np.array_equal(first, one.normal([2]))
    assert one.uniform([2], maxval=3, dtype=tf.int32).dtype == tf.int32


def test_a_generator_starts_anew_and_goes_on_from_any_state() -> None:
    generator = tf.random.Generator.from_seed(7)
    first, second, third = (generator.normal([2]).numpy().tolist() for _ in range(3))
    generator.reset_from_seed(7)
    assert generator.normal([2]).numpy().tolist() == first
    state = generator.state.numpy()
    generator.skip(2)
    assert generator.normal([2]).numpy().tolist() == third
    generator.reset(state)
    assert generator.normal([2]).numpy().tolist() == second
    assert tf.random.Generator.from_state(state, 1).normal([2]).numpy().tolist() == second
    again = tf.random.Generator.from_key_counter(generator.key, state[:2], "philox")
    assert again.normal([2]).numpy().tolist() == second


def test_a_generator_makes_seeds_and_generators_that_differ() -> None:
    generator = tf.random.Generator.from_seed(7)
    seeds = generator.make_seeds(3)
    assert (seeds.shape, seeds.dtype) == ((2, 3), np.int64)
    drawn = [tuple(tf.random.stateless_normal([2], seeds[:, i]).numpy()) for i in range(3)]
    drawn += [tuple(each.normal([2]).numpy()) for each in generator.split(3)]
    assert len(set(drawn)) == 6


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_a_generator_draws_all_integers_of_a_type(dtype: str) -> None:
    drawn = tf.random.Generator.from_seed(7).uniform_full_int([1000], dtype=dtype).numpy()
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    assert drawn.dtype == dtype
    share = (drawn.astype(float) - low) / (float(high) - low)
    assert share.min() < 0.02
    assert share.max() > 0.98
    assert abs(share.mean() - 0.5) < 0.05
    with pytest.raises(ValueError, match="whole range"):
        tf.random.Generator.from_seed(7).uniform_full_int([2], dtype="int8")


def test_a_generator_draws_binomial_numbers() -> None:
    drawn = tf.random.Generator.from_seed(7).binomial([1000, 2], [10.0, 20.0], [0.5, 0.25])
    assert drawn.dtype == tf.int32
    assert np.allclose(drawn.numpy().mean(0), [5.0, 5.0], atol=0.4)


def test_the_global_generator_is_one_and_can_be_another() -> None:
    before = tf.random.get_global_generator()
    assert tf.random.get_global_generator() is before
    mine = tf.random.Generator.from_seed(7)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine
    tf.random.set_global_generator(before)


def test_dropout() -> None:
    tf.random.set_seed(1)
    kept = tf.nn.dropout(tf.ones([1000]), 0.25)
    assert set(np.unique(kept).tolist()) == {0.0, float(np.float32(1) / np.float32(0.75))}
    assert float((kept == 0).mean()) == pytest.approx(0.25, abs=0.06)
    rows = tf.nn.dropout(tf.ones([50, 3]), 0.5, noise_shape=[None, 1])
    assert all(len(set(row)) == 1 for row in rows.tolist())


def test_stateless_dropout_drops_the_same_entries_for_a_seed() -> None:
    kept = tf.nn.experimental.stateless_dropout(tf.ones([1000]), 0.25, [1, 2])
    assert float((kept == 0).mean()) == pytest.approx(0.25, abs=0.06)
    np.testing.assert_array_equal(kept, tf.nn.experimental.stateless_dropout(tf.ones([1000]), 0.25, seed=[1, 2]))
    assert not np.array_equal(kept, tf.nn.experimental.stateless_dropout(tf.ones([1000]), 0.25, seed=[1, 3]))
