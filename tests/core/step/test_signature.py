"""When two functions, or two arguments, are the same program."""

import functools
import gc
import math
import types
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.step import IdentityKey, function_key

SCALE = 2.0
LOADED: list[int] = []


def maker(n: Any) -> Callable[[Any], Any]:
    return lambda x: x * n


class Thing:
    """Something with an identity."""

    def method(self) -> None:
        """A method."""


THING = Thing()


# --- Functions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2.5, "a", None, (1, (2, "b")), THING, math, int, np.dtype("int8"), True])
def test_closures_over_the_same_are_the_same(n: Any) -> None:
    assert function_key(maker(n)) == function_key(maker(n))
    assert hash(function_key(maker(n))) == hash(function_key(maker(n)))


@pytest.mark.parametrize(
    ("a", "b"), [(1, 2), (1, 1.0), (1, True), ("a", "b"), ((1,), (2,)), (THING, Thing()), ([], []), (int, float)]
)
def test_closures_over_others_are_others(a: Any, b: Any) -> None:
    assert function_key(maker(a)) != function_key(maker(b))


def test_functions_in_closures_count_by_what_they_do() -> None:
    assert function_key(maker(maker(1))) == function_key(maker(maker(1)))
    assert function_key(maker(maker(1))) != function_key(maker(maker(2)))


def test_functions_deep_in_closures_are_never_confused() -> None:
    def nested(n: int, depth: int) -> Any:
        return maker(n) if depth == 0 else maker(nested(n, depth - 1))

    for depth in range(1, 20):
        assert function_key(nested(1, depth)) != function_key(nested(2, depth))


def test_many_functions_that_know_each_other_have_a_small_key() -> None:
    space: dict[str, Any] = {}
    names = [f"f{i}" for i in range(30)]
    exec("\n".join(f"def {n}(): return {', '.join(names)}" for n in names), space)
    assert function_key(space["f0"]) == function_key(space["f0"])
    assert len(str(function_key(space["f0"]))) < 1_000_000


def test_defaults_count() -> None:
    def with_default(n: Any) -> Any:
        def f(x: Any, a: Any = n, *, b: Any = 0) -> Any:
            return x

        return f

    assert function_key(with_default(1)) == function_key(with_default(1))
    assert function_key(with_default(1)) != function_key(with_default(2))


def test_partials_count_by_their_parts() -> None:
    assert function_key(functools.partial(max, 1, key=abs)) == function_key(functools.partial(max, 1, key=abs))
    assert function_key(functools.partial(max, 1)) != function_key(functools.partial(max, 2))


def test_methods_count_by_their_instance() -> None:
    assert function_key(THING.method) == function_key(THING.method)
    assert function_key(THING.method) != function_key(Thing().method)


def test_compiled_functions_count_by_what_they_wrap() -> None:
    assert function_key(tf.function(maker(1))) == function_key(tf.function(maker(1)))
    assert function_key(maker(tf.function(maker(1)))) == function_key(maker(tf.function(maker(1))))


def test_global_values_that_are_named_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads() -> Any:
        return SCALE

    def does_not() -> Any:
        return 1

    before = function_key(reads), function_key(does_not)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert function_key(reads) != before[0]
    assert function_key(does_not) == before[1]


def test_globals_of_functions_that_are_called_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def reads() -> Any:
        return SCALE

    def calls() -> Any:
        return reads()

    before = function_key(calls)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert function_key(calls) != before


def test_functions_that_call_each_other_have_a_key() -> None:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    assert function_key(even) == function_key(even)
    assert function_key(even) != function_key(odd)


def test_a_name_that_is_assigned_later() -> None:
    def outer() -> Any:
        def f() -> Any:
            return later

        key = function_key(f)
        later = 1
        return key, function_key(f)

    before, after = outer()
    assert before != after


def test_names_that_the_code_assigns_do_not_count() -> None:
    def f() -> None:
        nonlocal counter
        counter += len(LOADED)

    counter = 0
    assert function_key(f) == (f(), function_key(f))[1]


def test_names_in_inner_functions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def f() -> Any:
        return [lambda: SCALE]

    before = function_key(f)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert function_key(f) != before


# --- Arguments --------------------------------------------------------------------------------------------------------


def programs(*given: Any) -> int:
    """How many programs a function is that is called with one after the other of these, and with the first one again."""
    traced = []

    @tf.function
    def step(x: Any, y: Any) -> Any:
        traced.append(y)
        return x + 1.0

    step(tf.constant(1.0), given[0])
    first = len(traced)
    for each in (*given[1:], given[0]):
        step(tf.constant(1.0), each)
    return 1 + (len(traced) - first) if first else 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (jnp.ones(2), jnp.zeros(2)),
        (np.ones(2, "f4"), jnp.zeros(2)),
        (np.float32(1), np.float32(2)),
        (1, 1),
        ("a", "a"),
        (THING, THING),
        (maker(1), maker(1)),
    ],
)
def test_the_same_program(a: Any, b: Any) -> None:
    assert programs(a, b) == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (jnp.ones(2), jnp.ones(3)),
        (jnp.ones(2), jnp.ones(2, "int32")),
        (1, 2),
        (1, 1.0),
        (0.0, False),
        ("a", b"a"),
        (Thing(), THING),
    ],
)
def test_another_program(a: Any, b: Any) -> None:
    assert programs(a, b) == 2


def test_not_a_number_is_one_program() -> None:
    step = tf.function(lambda x, n: x * 1)
    for _ in range(3):
        step(tf.constant(1.0), math.nan)


def test_variables_by_identity_and_iterators_by_type() -> None:
    v, other = tf.Variable(1.0), tf.Variable(1.0)
    assert programs(v, v) == 1
    assert programs(v, other) == 2
    one, another = (iter(tf.data.Dataset.range(3)) for _ in range(2))
    assert programs(one, another) == 1


def test_zero_and_minus_zero_are_two_programs() -> None:
    def reciprocal_sign(x: Any, n: float) -> Any:
        return x * math.copysign(1.0, n)

    step = tf.function(reciprocal_sign)
    assert [float(step(tf.constant(1.0), n)) for n in (0.0, -0.0)] == [1.0, -1.0]


# --- Identity ---------------------------------------------------------------------------------------------------------


def test_identity_ends_with_the_object() -> None:
    thing = Thing()
    same = IdentityKey(thing)
    assert same == IdentityKey(thing)
    assert same.alive()
    del thing
    gc.collect()
    assert not same.alive()
    assert same != IdentityKey(Thing())
    assert same != IdentityKey(THING)


def test_objects_without_weak_references_are_kept() -> None:
    same = IdentityKey(value := [1])
    del value
    gc.collect()
    assert same.alive()


def test_a_key_says_what_it_stands_for() -> None:
    assert repr(IdentityKey(THING)).startswith("<Thing at 0x")
    assert isinstance(maker(1), types.FunctionType)
