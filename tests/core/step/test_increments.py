"""What a step adds to a counter is known when it has begun, unless only its result tells."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# Private: a sequence of steps has no public name; loops of Estimators and sessions are made of it.
from stratagem._core.step import IdentityKey, StepSequence, default_mesh


def twice(counter: Any, other: Any) -> None:
    counter.assign_add(1)
    counter.assign_add(2)


def where(counter: Any, other: Any) -> None:
    counter.assign(tf.where(other > 0, counter + 1, counter))


def printed(counter: Any, other: Any) -> None:
    counter.assign_add(1)
    tf.print("step")


@pytest.mark.parametrize(
    ("change", "added"),
    [
        (lambda counter, other: counter.assign_add(1), 1),
        (lambda counter, other: counter.assign_sub(1), None),
        (twice, 3),
        (lambda counter, other: other.assign_add(counter), 0),
        (lambda counter, other: counter.assign(5), None),
        (lambda counter, other: counter.assign(counter * 2), None),
        (lambda counter, other: counter.assign(other + 1), None),
        (where, None),
        (printed, None),
    ],
)
def test_what_a_step_adds(change: Callable[[Any, Any], Any], added: int | None) -> None:
    counter, other = tf.Variable(np.int64(1)), tf.Variable(np.int64(2))

    def body() -> None:
        change(counter, other)
        other.assign_add(counter)

    steps = StepSequence(body, IdentityKey(body), "a step", default_mesh())
    steps.begin(())()  # there is no program before it
    assert steps.added_to(counter) is None
    for _ in range(2):
        before = int(counter)
        steps.begin(())()
        assert steps.added_to(counter) == added
        assert added is None or int(counter) == before + added
