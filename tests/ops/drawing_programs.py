"""Programs that draw random numbers: the same for TensorFlow, whose results are recorded, and for us."""

from collections.abc import Callable
from typing import Any

import numpy as np

Program = Callable[[Any], list[Any]]


def generator_draws(tf: Any) -> list[Any]:
    """One draw of every kind, with the states between them."""
    g = tf.random.Generator.from_seed(7)
    drawn = [g.state, g.key, g.normal([3]), g.state, g.normal([2, 9], 1.0, 2.0), g.normal([3], dtype="float64")]
    drawn += [g.truncated_normal([5]), g.uniform([3]), g.uniform([0]), g.uniform([3], maxval=10, dtype="int32")]
    drawn += [
        g.uniform([3], minval=-3, maxval=2**40, dtype="int64"),
        g.uniform([3], minval=None, dtype="int64"),
        g.state,
    ]
    drawn += [g.uniform_full_int([3]), g.uniform_full_int([3], dtype="int32"), g.uniform([3], 2.0, 3.0, "float16")]
    return [*drawn, g.make_seeds(2), g.state]


def generator_states(tf: Any) -> list[Any]:
    """Seeds of all sizes, keys and counters, resets, skips, copies, split generators."""
    maker, found = tf.random.Generator, []
    for seed in (0, -1, 2**63, 2**64 + 5, [1, 2], [1, 2, 3, 4], np.array(9, np.int32)):
        found += [maker.from_seed(seed).state, tf.random.create_rng_state(seed, "philox")]
    found += [tf.random.experimental.create_rng_state(5, "threefry"), maker.from_seed(5, "threefry").state]
    g = maker.from_key_counter(5, [6, 7], "philox")
    found += [g.state, g.uniform([2]), maker.from_state([2**62, 2, 3], "auto_select").normal([2])]
    g.reset([-1, 2, 3])
    found += [g.uniform([2]), g.state, g.skip(3), g.skip(-1), g.state]
    g.reset_from_key_counter(5, [-(2**32), -1])
    found += [g.uniform_full_int([2]), g.state]
    g.reset_from_seed(np.array(11))
    found += [part for each in g.split(2) for part in (each.state, each.normal([2]), each.state)]
    copied = maker(copy_from=g)
    return [*found, copied.uniform([2]), copied.state, g.state]


def generator_after_binomials(tf: Any) -> list[Any]:
    """The states after binomial numbers."""
    g, found = tf.random.Generator.from_seed(7), []
    for shape in ([4], [3, 4]):
        g.binomial(shape, [10.0, 20.0, 3.0, 100.0], [0.5, 0.3, 0.9, 0.7])
        found.append(g.state.numpy())
    return found


def generator_in_a_function(tf: Any) -> list[Any]:
    """A compiled function that draws twice, called twice."""
    g = tf.random.Generator.from_seed(3)
    step = tf.function(lambda: (g.normal([3]), g.uniform([2], maxval=9, dtype="int32")))
    return [*step(), g.state.numpy(), *step(), g.state.numpy()]


def generator_in_replicas(tf: Any) -> list[Any]:
    """Draws on two replicas by a generator of their strategy, and outside of them."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        g = tf.random.Generator.from_seed(7)
    draw = tf.function(lambda: strategy.run(lambda: (g.uniform_full_int([3]), g.normal([2]), g.make_seeds(1))))
    found = []
    for _ in range(2):
        found += [part for row in draw() for part in strategy.experimental_local_results(row)]
        found += [strategy.experimental_local_results(g.state)[0].numpy(), g.uniform([2])]
    return found


GENERATORS: dict[str, Program] = {
    each.__name__: each
    for each in (
        generator_draws,
        generator_states,
        generator_after_binomials,
        generator_in_a_function,
        generator_in_replicas,
    )
}


SCORES = [[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]


def _each_operation(tf: Any, seed: int | None) -> list[Any]:
    random = tf.random
    found = [
        random.uniform([3], seed=seed),
        random.normal([2, 3], 1.0, 2.0, seed=seed),
        random.truncated_normal([5], seed=seed),
    ]
    found += [random.uniform([2], 1.0, 3.0, "float64", seed), random.uniform([3], -5, 2**31 - 1, "int32", seed)]
    found += [random.uniform([2], maxval=2**40, dtype="int64", seed=seed), random.shuffle(np.arange(6), seed=seed)]
    found += [
        random.categorical(np.array(SCORES, np.float32), 5, seed=seed),
        random.normal([2], dtype="float16", seed=seed),
    ]
    random.gamma([2], 1.5, seed=seed)  # whose numbers are our own
    return [
        *found,
        random.uniform([0], seed=seed),
        tf.nn.dropout(tf.ones([8]), 0.5, seed=seed),
        random.uniform([2], seed=seed),
    ]


def eager_draws_after_set_seed(tf: Any) -> list[Any]:
    """Every operation, without seeds of their own, for global seeds of all sizes."""
    tf.random.set_seed(5)
    found = _each_operation(tf, None)
    for seed in (0, -1, 2**40, 5):
        tf.random.set_seed(seed)
        found += [tf.random.uniform([2]), tf.random.uniform([2])]
    return found


def eager_draws_with_seeds(tf: Any) -> list[Any]:
    """Every operation with its own seed, twice; such seeds leave the sequence of the others as it is."""
    tf.random.set_seed(5)
    found = _each_operation(tf, 9) + _each_operation(tf, 9)
    for seed in (0, -3, 2**33 + 1):
        found += [tf.random.uniform([2], seed=seed), tf.random.uniform([2])]
    tf.random.set_seed(0)
    return [*found, tf.random.uniform([2], seed=0), tf.random.uniform([2], seed=0)]


def eager_draws_under_a_tape(tf: Any) -> list[Any]:
    """Draws that a tape watches, and in the scope of a strategy."""
    tf.random.set_seed(5)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.random.uniform([2])
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        return [y, tape.gradient(y, x), tf.random.uniform([2])]


EAGER: dict[str, Program] = {
    each.__name__: each for each in (eager_draws_after_set_seed, eager_draws_with_seeds, eager_draws_under_a_tape)
}

PROGRAMS: dict[str, Program] = GENERATORS | EAGER


def results(program: Program, tf: Any) -> list[np.ndarray]:
    """Runs a program; returns what it drew as arrays."""
    return [np.asarray(part.numpy() if hasattr(part, "numpy") else part) for part in program(tf)]
