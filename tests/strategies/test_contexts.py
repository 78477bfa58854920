"""Scopes: which strategy, replica or cross-replica context the code is in, and what is allowed there."""

import copy
import dataclasses
import functools
import re
from collections.abc import Callable
from typing import Any

import pytest

import stratagem as tf
from stratagem._core.context import Context, change, current
from stratagem._strategies import AbstractStrategy, MirroredStrategy, OneDeviceStrategy

# Private: around a model_fn, an input_fn and hooks of an Estimator, which trains a model for it.
from stratagem._tf1.estimator._scope_isolation import generated_isolated, isolated


def flags() -> tuple[bool, bool, bool]:
    """(a replica context?, cross-replica context?, a strategy?)"""
    return (
        tf.distribute.get_replica_context() is not None,
        tf.distribute.in_cross_replica_context(),
        tf.distribute.has_strategy(),
    )


def other() -> AbstractStrategy:
    return MirroredStrategy(["CPU:2", "CPU:3"])


def test_outside_of_any_scope_the_default_strategy_is_active() -> None:
    assert flags() == (True, False, False)
    assert tf.distribute.get_strategy().num_replicas_in_sync == 1


def test_a_scope_is_cross_replica_context_and_a_run_is_replica_context() -> None:
    for strategy in (MirroredStrategy(["CPU:0"]), other(), OneDeviceStrategy("CPU:0")):
        seen: list[Any] = []
        with strategy.scope() as entered:
            assert entered is strategy
            assert tf.distribute.get_strategy() is strategy
            assert flags() == (False, True, True)
            strategy.run(lambda seen=seen: seen.append((flags(), tf.distribute.get_strategy())))
            assert flags() == (False, True, True)
        assert set(seen) == {((True, False, True), strategy)}
        assert flags() == (True, False, False)


def test_the_scope_of_the_default_strategy_changes_nothing() -> None:
    default = tf.distribute.get_strategy()
    with default.scope() as entered:
        assert entered is default
        assert flags() == (True, False, False)
        assert default.run(flags) == (True, False, False)
        v = tf.Variable(1.0)
    v.assign_add(1.0)
    assert v.numpy() == 2.0


def test_a_scope_of_the_same_strategy_nests(mirrored: MirroredStrategy) -> None:
    scope = mirrored.scope()
    with scope, mirrored.scope():
        with scope:
            assert tf.distribute.get_strategy() is mirrored
        assert tf.distribute.get_strategy() is mirrored
    assert flags() == (True, False, False)


def test_a_scope_is_left_when_its_body_raises(mirrored: MirroredStrategy) -> None:
    with pytest.raises(KeyError), mirrored.scope():
        raise KeyError
    assert flags() == (True, False, False)


CALLS: dict[str, Callable[[AbstractStrategy], Any]] = {
    "scope": lambda s: s.scope().__enter__(),
    "run": lambda s: s.run(lambda: None),
    "reduce": lambda s: s.reduce("SUM", tf.constant(1.0), axis=None),
    "gather": lambda s: s.gather(tf.constant([1.0]), axis=0),
    "experimental_distribute_dataset": lambda s: s.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2)),
    "distribute_datasets_from_function": lambda s: s.distribute_datasets_from_function(
        lambda _: tf.data.Dataset.range(4)
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_two_strategies_do_not_mix(mirrored: MirroredStrategy, call: str) -> None:
    with mirrored.scope():
        with pytest.raises(RuntimeError, match=r"Mixing different tf.distribute.Strategy objects: .* is not .*"):
            CALLS[call](other())
        assert tf.distribute.get_strategy() is mirrored


@pytest.mark.parametrize("call", CALLS)
def test_cross_replica_calls_are_refused_inside_a_replica(mirrored: MirroredStrategy, call: str) -> None:
    text = (
        "use replica_context.all_gather" if call == "gather" else "Method requires being in cross-replica context, use "
    )
    with pytest.raises(RuntimeError, match=text):
        mirrored.run(lambda: CALLS[call](mirrored))
    assert flags() == (True, False, False)


@pytest.mark.parametrize("use", ["read", "assign", "add"])
def test_a_variable_of_another_strategy_is_refused_in_a_scope_and_works_outside(
    mirrored: MirroredStrategy, use: str
) -> None:
    with other().scope():
        v = tf.Variable(1.0)
    act = {"read": v.read_value, "assign": lambda: v.assign(2.0), "add": lambda: v + 1.0}[use]
    with mirrored.scope(), pytest.raises(RuntimeError, match="Mixing different"):
        act()
    assert v.numpy() == 1.0
    act()


def test_a_step_with_a_variable_of_another_strategy_is_refused(mirrored: MirroredStrategy) -> None:
    with other().scope():
        v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="Mixing different"):
        mirrored.run(lambda: v * 2.0)
    with pytest.raises(RuntimeError, match="Mixing different"):
        mirrored.run(lambda: v.assign(2.0))
    assert v.numpy() == 1.0


def test_one_compiled_function_uses_one_strategy(mirrored: MirroredStrategy) -> None:
    second = other()

    @tf.function
    def both() -> Any:
        mirrored.run(lambda: None)
        second.run(lambda: None)

    with pytest.raises(RuntimeError, match="Mixing different"):
        both()
    assert flags() == (True, False, False)


def test_scopes_are_left_in_the_reverse_order(mirrored: MirroredStrategy) -> None:
    first = mirrored.scope()
    first.__enter__()
    tf.distribute.get_strategy()
    with pytest.raises(RuntimeError, match="reverse order"):
        other().scope().__exit__(None, None, None)
    assert tf.distribute.get_strategy() is mirrored
    first.__exit__(None, None, None)


def test_experimental_set_strategy_enters_until_further_notice(mirrored: MirroredStrategy) -> None:
    try:
        tf.distribute.experimental_set_strategy(mirrored)
        assert tf.distribute.get_strategy() is mirrored
        assert flags() == (False, True, True)
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
        second = other()
        tf.distribute.experimental_set_strategy(second)
        assert tf.distribute.get_strategy() is second
    finally:
        tf.distribute.experimental_set_strategy(None)
    assert flags() == (True, False, False)
    mirrored.run(lambda: v.assign(tf.constant(2.0)))
    assert v.numpy() == 4.0


def test_experimental_set_strategy_is_refused_inside_scope_and_replica(mirrored: MirroredStrategy) -> None:
    text = r"Must not be called inside a `tf.distribute.Strategy` scope"
    with mirrored.scope():
        for strategy in (mirrored, other(), None):
            with pytest.raises(RuntimeError, match=text):
                tf.distribute.experimental_set_strategy(strategy)
        assert tf.distribute.get_strategy() is mirrored
    with pytest.raises(RuntimeError, match=text):
        mirrored.run(lambda: tf.distribute.experimental_set_strategy(None))


def test_a_strategy_is_copied_deep_only(mirrored: MirroredStrategy) -> None:
    with pytest.raises(RuntimeError, match="Must only deepcopy"):
        copy.copy(mirrored)
    with mirrored.scope():
        v = tf.Variable(1.0)
    holder = copy.deepcopy({"strategy": mirrored})
    with holder["strategy"].scope():
        assert v.numpy() == 1.0


def test_a_strategy_names_itself_and_its_replicas(mirrored: MirroredStrategy) -> None:
    assert re.fullmatch(r"<MirroredStrategy at 0x[0-9a-f]+ with 2 replica\(s\)>", repr(mirrored))
    assert mirrored.cluster_resolver is None
    assert isinstance(mirrored, tf.distribute.Strategy)


def in_a_scope() -> Context:
    with OneDeviceStrategy("CPU:0").scope():
        return current()


def in_a_strategy_that_was_set() -> Context:
    tf.distribute.experimental_set_strategy(OneDeviceStrategy("CPU:0"))
    return current()


def where_none_is_set_again() -> Context:
    in_a_strategy_that_was_set()
    tf.distribute.experimental_set_strategy(None)
    return current()


def in_a_run() -> Context:
    found: list[Context] = []
    OneDeviceStrategy("CPU:0").run(lambda: found.append(current()))
    return found[0]


def in_a_generator_apart() -> Context:
    (found,) = generated_isolated(lambda: (current() for _ in range(1)))()
    return found


@pytest.mark.parametrize(
    ("enter", "changed"),
    [
        (in_a_scope, {"strategy", "crossing"}),
        (in_a_strategy_that_was_set, {"strategy", "crossing", "chosen"}),
        (where_none_is_set_again, set()),
        (in_a_run, {"strategy", "replica", "recorder", "loop"}),
        (isolated(current), {"graph"}),
        (in_a_generator_apart, {"graph"}),
    ],
)
def test_the_rest_of_the_context_goes_on(enter: Callable[[], Context], changed: set[str]) -> None:
    """Every field, also those that are added later."""
    kept = {field.name for field in dataclasses.fields(Context)} - changed
    values = {
        name: object() for name in kept - {"strategy", "replica", "crossing", "chosen", "recorder", "rows", "job"}
    }
    before = vars(current())
    try:
        change(**values)
        found = enter()
    finally:
        change(**before)
    assert {name for name in values if getattr(found, name) is not values[name]} == set()


def test_random_numbers_are_drawn_under_one_strategy_after_another() -> None:
    draw = functools.partial(tf.random.uniform, [3], seed=20261)  # of a generator that no other test uses
    for _ in range(2):
        strategy, drawn = MirroredStrategy(["CPU:0", "CPU:1"]), []

        @tf.function
        def step(strategy: Any = strategy) -> Any:
            own = strategy.experimental_local_results(strategy.run(draw))
            return *own, tf.cond(tf.constant(True), draw, lambda: tf.zeros([3])), draw()

        for _ in range(2):
            drawn += [float(x) for part in step() for x in part]
        assert len(set(drawn)) == len(drawn) == 24
