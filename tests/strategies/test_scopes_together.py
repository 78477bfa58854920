"""Scopes of different kinds, which change different parts of what surrounds code, do not undo each other."""

from collections.abc import Iterator
from typing import Any

import stratagem as tf


def mirrored() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def replicas() -> int:
    return int(tf.distribute.get_strategy().num_replicas_in_sync)


def created(next_creator: Any, **kwargs: Any) -> Any:
    return next_creator(**kwargs)


def test_a_name_scope_that_ends_inside_of_a_strategys_scope_ends_for_good() -> None:
    scope = mirrored().scope()
    with tf.name_scope("outer"):
        scope.__enter__()
    scope.__exit__(None, None, None)
    assert tf.Variable(1.0, name="b").name == "b:0"
    assert replicas() == 1


def test_a_strategy_that_is_set_in_a_critical_section_stays() -> None:
    strategy = mirrored()

    def choose() -> Any:
        tf.distribute.experimental_set_strategy(strategy)
        return tf.constant(1)

    try:
        tf.CriticalSection().execute(choose)
        assert replicas() == 2
    finally:
        tf.distribute.experimental_set_strategy(None)


def test_a_strategy_that_is_set_in_a_scope_of_creators_stays() -> None:
    try:
        with tf.variable_creator_scope(created), tf.name_scope("named"):
            tf.distribute.experimental_set_strategy(mirrored())
        assert replicas() == 2
        assert tf.Variable(1.0, name="b").name == "b:0"
    finally:
        tf.distribute.experimental_set_strategy(None)


def test_a_scope_of_creators_may_end_inside_of_a_strategys_scope() -> None:
    def held() -> Iterator[None]:
        with tf.variable_creator_scope(created):
            yield

    holding = held()
    next(holding)
    with mirrored().scope():
        holding.close()
        assert replicas() == 2
    assert replicas() == 1
