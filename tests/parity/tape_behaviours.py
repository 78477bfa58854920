"""Small programs about GradientTape; each takes the `tf` module to run on, so TensorFlow and we run the same ones.

A program makes its variables and returns the function to call, eagerly or in a `tf.function`.
"""

import functools
from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Callable[[], Any]]

BEHAVIOURS: dict[str, Program] = {}


def behaviour(program: Program) -> Program:
    """Add `program` to the table under its own name."""
    BEHAVIOURS[program.__name__] = program
    return program


def gradient_of(target: Callable[[Any, Any], Any], at: Any, **options: Any) -> Program:
    """The program that differentiates `target(tf, x)` with respect to a watched constant `at`."""

    def program(tf: Any) -> Callable[[], Any]:
        def step() -> Any:
            x = tf.constant(at)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = target(tf, x)
            return tape.gradient(y, x, **options)

        return step

    return program


# Targets that are not scalars, and points where a derivative is a matter of convention.
BEHAVIOURS |= {
    "vector_target_is_summed": gradient_of(lambda tf, x: x * x, [1.0, 2.0, 3.0]),
    "output_gradients_weigh_the_target": gradient_of(lambda tf, x: x * x, [1.0, 2.0], output_gradients=[3.0, 5.0]),
    "list_of_targets_is_summed": gradient_of(lambda tf, x: [x * x, 3.0 * x], 2.0),
    "target_is_the_source": gradient_of(lambda tf, x: x, [1.0, 2.0]),
    "target_does_not_depend": gradient_of(lambda tf, x: tf.constant(5.0), 2.0),
    "stop_gradient_blocks": gradient_of(lambda tf, x: tf.stop_gradient(x) * x, 3.0),
    "cast_to_integer_blocks": gradient_of(lambda tf, x: tf.cast(tf.cast(x, tf.int32), tf.float32), 3.0),
    "abs_at_zero": gradient_of(lambda tf, x: tf.abs(x), 0.0),
    "relu_at_zero": gradient_of(lambda tf, x: tf.nn.relu(x), 0.0),
    "sqrt_at_zero": gradient_of(lambda tf, x: tf.sqrt(x), 0.0),
    "maximum_at_tie": gradient_of(lambda tf, x: tf.maximum(x, tf.constant(1.0)), 1.0),
    "minimum_at_tie": gradient_of(lambda tf, x: tf.minimum(x, tf.constant(1.0)), 1.0),
    "reduce_max_at_tie": gradient_of(lambda tf, x: tf.reduce_max(x), [2.0, 2.0, 1.0]),
    "reduce_min_at_tie": gradient_of(lambda tf, x: tf.reduce_min(x), [1.0, 1.0, 2.0]),
    "clip_at_bounds": gradient_of(lambda tf, x: tf.clip_by_value(x, 0.0, 1.0), [-1.0, 0.0, 0.5, 1.0, 2.0]),
    "max_pool_at_tie": gradient_of(
        lambda tf, x: tf.nn.max_pool2d(tf.reshape(x, (1, 2, 2, 1)), 2, 2, "VALID"), [3.0, 3.0, 1.0, 3.0]
    ),
    "where_keeps_nan_of_untaken": gradient_of(lambda tf, x: tf.where(x > 0.0, tf.sqrt(x), 0.0), [0.0, 4.0]),
    "prod_with_zero": gradient_of(lambda tf, x: tf.reduce_prod(x), [0.0, 2.0, 3.0]),
    "norm_at_zero": gradient_of(lambda tf, x: tf.norm(x), [0.0, 0.0]),
    "unconnected_zero": gradient_of(lambda tf, x: tf.constant(5.0), [2.0, 3.0], unconnected_gradients="zero"),
    "gather_repeats_add_up": gradient_of(lambda tf, x: tf.gather(x, [0, 0, 2]), [1.0, 2.0, 3.0]),
}


@behaviour
def unconnected_source_gives_none(tf: Any) -> Callable[[], Any]:
    v, other = tf.Variable(2.0), tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, [v, other])

    return step


@behaviour
def unwatched_constant_gives_none(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        return tape.gradient(y, x)

    return step


@behaviour
def untrainable_variable_gives_none(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(2.0, trainable=False)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v)

    return step


@behaviour
def untrainable_variable_can_be_watched(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(2.0, trainable=False)

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = v * v
        return tape.gradient(y, v)

    return step


@behaviour
def accessed_variables_need_not_be_watched(tf: Any) -> Callable[[], Any]:
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(v)
            y = v * v * w
        return tape.gradient(y, [v, w])

    return step


@behaviour
def watched_variables_in_order_of_creation(tf: Any) -> Callable[[], Any]:
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            _ = w * v
        return [2.0 if x is v else 3.0 for x in tape.watched_variables()]

    return step


@behaviour
def persistent_tape_gives_several_gradients(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            z = y * y
        return [tape.gradient(z, v), tape.gradient(y, v), tape.gradient(z, y)]

    return step


@behaviour
def second_gradient_of_plain_tape(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return [tape.gradient(y, v), tape.gradient(y, v)]

    return step


@behaviour
def gradient_inside_persistent_tape(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            g = tape.gradient(y, v)
            z = g * v
        return [g, tape.gradient(z, v)]

    return step


@behaviour
def gradient_inside_plain_tape(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
            return tape.gradient(y, v)

    return step


@behaviour
def second_order_of_cube(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant(3.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            first = inner.gradient(y, x)
        return [first, outer.gradient(first, x)]

    return step


@behaviour
def second_order_of_variable(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = v * v * v
            first = inner.gradient(y, v)
        return [first, outer.gradient(first, v)]

    return step


@behaviour
def stop_recording_hides(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
            with tape.stop_recording():
                z = v * v
            total = y + z
        return tape.gradient(total, v)

    return step


@behaviour
def reset_forgets(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
            tape.reset()
            z = v * y
        return tape.gradient(z, v)

    return step


@behaviour
def assignment_between_two_reads(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        v.assign(3.0)
        with tf.GradientTape() as tape:
            y = v * v
            v.assign_add(1.0)
            total = y + v * v
        return [tape.gradient(total, v), v.read_value()]

    return step


@behaviour
def computed_after_the_tape_closed(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y * 2.0, v)

    return step


@behaviour
def intermediate_as_source(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
            z = y * y + v
        return tape.gradient(z, {"v": v, "pair": [y, y]})

    return step


@behaviour
def integer_source_gives_none(tf: Any) -> Callable[[], Any]:
    def step() -> Any:
        x = tf.constant(2)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return step


@behaviour
def python_number_as_source(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(2.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, [3.0])

    return step


@behaviour
def none_as_target(tf: Any) -> Callable[[], Any]:
    v = tf.Variable(2.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            _ = v * v
        return tape.gradient(None, v)

    return step


@behaviour
def jacobian_of_vector(tf: Any) -> Callable[[], Any]:
    v = tf.Variable([1.0, 2.0])

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v * v
        return tape.jacobian(y, v)

    return step


@functools.cache
def two_replicas(tf: Any) -> Any:
    """One strategy for all programs: TensorFlow's collectives fail when two strategies in a process use them."""
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def over_two_replicas(target: Callable[[Any, Any, Any], Any]) -> Program:
    """The local gradients of `target(tf, replica context, x)` on two replicas, where x is 1 and 2."""

    def program(tf: Any) -> Callable[[], Any]:
        strategy = two_replicas(tf)

        def replica() -> Any:
            context = tf.distribute.get_replica_context()
            x = tf.cast(context.replica_id_in_sync_group, tf.float32) + 1.0
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = target(tf, context, x)
            return tape.gradient(y, x)

        return lambda: strategy.experimental_local_results(strategy.run(replica))

    return program


BEHAVIOURS |= {
    "all_reduce_sum": over_two_replicas(lambda tf, context, x: context.all_reduce("SUM", x * x)),
    "all_reduce_mean": over_two_replicas(lambda tf, context, x: context.all_reduce("MEAN", x * x)),
    "all_reduce_then_square": over_two_replicas(lambda tf, context, x: context.all_reduce("SUM", x) ** 2),
    "all_gather_weighted": over_two_replicas(
        lambda tf, context, x: context.all_gather(tf.reshape(x * x, (1,)), axis=0) * tf.constant([1.0, 10.0])
    ),
}


@behaviour
def mirrored_variable_has_a_local_gradient(tf: Any) -> Callable[[], Any]:
    strategy = two_replicas(tf)
    with strategy.scope():
        v = tf.Variable(3.0)

    def replica() -> Any:
        x = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.0
        with tf.GradientTape() as tape:
            y = v * v * x
        return tape.gradient(y, v)

    return lambda: strategy.experimental_local_results(strategy.run(replica))
