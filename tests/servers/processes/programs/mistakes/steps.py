"""Steps that fail, or that cannot be taken elsewhere, and what others return."""

import math

import numpy as np
from job import add, coordinator, count, run, strategy, table, train

import stratagem as tf
from stratagem._core.values import placement_of
from stratagem._servers.remote import Push


def a_function_raises():
    """Once, and the rest is cancelled: what was counted is what ran."""

    @tf.function
    def wrong():
        raise KeyError("the user's own")

    before, values = int(count.numpy()), []
    try:
        for i in range(40):
            values.append(coordinator.schedule(wrong if i == 20 else add))
        coordinator.join()
    except KeyError:
        coordinator.join()
    ran = [value for i, value in enumerate(values) if i != 20 and not cancelled(value)]
    assert int(count.numpy()) - before == len(ran)
    values[20].fetch()


def cancelled(value):
    """Whether it did not run."""
    try:
        value.fetch()
    except tf.errors.CancelledError:
        return True
    return False


def a_step_cannot_travel():
    """Nor does what the host computes in the middle of a step."""

    @tf.function
    def step():
        def host():
            return tf.numpy_function(lambda x: x + 1, [tf.cast(count, tf.float32)], tf.float32, result_shape=())

        return strategy.run(host)

    return float(run(step))


def a_step_prints():
    """With tf.print."""

    @tf.function
    def telling():
        tf.print("count is", count)
        return count + 0

    return int(run(telling)) >= 0


def a_gradient_is_no_number():
    """It is not sent."""
    before = table.numpy()
    try:
        run(train, np.array([3, 4]), np.float64(math.nan))
    finally:
        assert np.array_equal(table.numpy(), before)


def an_id_is_out_of_range():
    """Nor is what comes of no row."""
    before = table.numpy()
    try:
        run(train, np.array([3, 12]), np.float64(1.0))
    finally:
        assert np.array_equal(table.numpy(), before)


def an_id_is_negative():
    """Which is not the last row."""
    return run(train, np.array([-1]), np.float64(1.0))


def an_assignment_has_another_shape():
    """Told where it is written."""

    @tf.function
    def wrong():
        count.assign_add(np.ones(3, "int64"))

    return run(wrong)


def a_push_has_another_shape():
    """Told by the server, which changes nothing."""
    before = table.numpy()
    placement = placement_of(table.variables[1])
    push = Push(added={placement.key: np.zeros((1, 2))})
    try:
        strategy.servers.actors[placement.home].call("push", None, push).result()
    finally:
        assert np.array_equal(table.numpy(), before)


def results_are_nested():
    """As structures of arrays."""

    @tf.function
    def nested(x):
        return {"a": (x + 1, [x * 2, None]), "b": count}

    values = [coordinator.schedule(nested, args=(tf.constant(float(i)),)) for i in range(3)]
    found = coordinator.fetch({"all": values, "other": 1})
    assert isinstance(found["all"][0]["b"], np.ndarray)
    return [[float(x["a"][0]), float(x["a"][1][0]), x["a"][1][1]] for x in found["all"]]


PARTS = (
    a_function_raises,
    a_step_cannot_travel,
    a_step_prints,
    a_gradient_is_no_number,
    an_id_is_out_of_range,
    an_id_is_negative,
    an_assignment_has_another_shape,
    a_push_has_another_shape,
    results_are_nested,
)
