"""Other strategies in the program, beside that of the job."""

from job import add, count, elsewhere, resolver, run

import stratagem as tf


def a_step_uses_a_variable_of_another_strategy():
    """Which is on no server."""

    @tf.function
    def wrong():
        count.assign_add(1)
        return elsewhere + 1.0

    return float(run(wrong))


def another_strategy_updates_a_variable_of_this_one():
    """Outside of any step."""
    other = tf.distribute.OneDeviceStrategy("cpu:0")
    return other.run(lambda: count.assign_add(1))


def a_step_is_scheduled_in_the_scope_of_another():
    """As by mistake."""
    with tf.distribute.OneDeviceStrategy("cpu:0").scope():
        return int(run(add)) > 0


def a_job_has_a_second_strategy():
    """Whose variables would take the place of the first one's."""
    return tf.distribute.ParameterServerStrategy(resolver)


def another_strategy_has_a_coordinator():
    """Only this kind has."""
    return tf.distribute.coordinator.ClusterCoordinator(tf.distribute.OneDeviceStrategy("cpu:0"))


PARTS = (
    a_step_uses_a_variable_of_another_strategy,
    another_strategy_updates_a_variable_of_this_one,
    a_step_is_scheduled_in_the_scope_of_another,
    a_job_has_a_second_strategy,
    another_strategy_has_a_coordinator,
)
