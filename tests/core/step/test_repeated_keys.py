"""The key of a function is made once, and again after anything that it was made of is another object."""

import functools
import gc
import types
from collections.abc import Callable
from typing import Any

import pytest

import stratagem as tf

# Private: how keys are made is seen in speed alone.
from stratagem._core.step import function_key, static_key


class Thing:
    """Something with an identity."""


def made() -> types.FunctionType:
    """A function whose parts the tests change, with globals of its own."""
    namespace: dict[str, Any] = {"rate": 1, "thing": Thing(), "nothing": None, "pair": (1, Thing())}
    exec(
        "def inner(x, scale=2):\n    return x * scale * other if other else len(x)\n"
        "def outer(captured):\n"
        "    def step(x, y=1, *, z=3, w=None):\n"
        "        return inner(x) * rate, thing, nothing, pair, captured, compiled, y, z, w, absent\n"
        "    return step\n",
        namespace,
    )
    namespace["compiled"] = tf.function(lambda x: x)
    namespace["step"] = namespace["outer"](Thing())
    return namespace["step"]


def cell_of(fn: types.FunctionType) -> types.CellType:
    return (fn.__closure__ or ())[fn.__code__.co_freevars.index("captured")]


def collected_then_none(fn: types.FunctionType) -> None:
    fn.__globals__["thing"] = None
    gc.collect()


def keyword_in_place(fn: types.FunctionType) -> None:
    (fn.__kwdefaults__ or {})["z"] = 4


def one_more_keyword(fn: types.FunctionType) -> None:
    (fn.__kwdefaults__ or {})["x"] = 4


def code_of_a_callee(fn: types.FunctionType) -> None:
    fn.__globals__["inner"].__code__ = (lambda x, scale: x).__code__


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a global number": lambda f: f.__globals__.__setitem__("rate", 2),
    "a global object": lambda f: f.__globals__.__setitem__("thing", Thing()),
    "a global that is gone": lambda f: f.__globals__.__delitem__("thing"),
    "a global that is no longer None": lambda f: f.__globals__.__setitem__("nothing", 0),
    "a global object that was collected": collected_then_none,
    "a global that was absent": lambda f: f.__globals__.__setitem__("absent", 1),
    "a global that hides a built-in": lambda f: f.__globals__.__setitem__("len", 1),
    "a global of a callee": lambda f: f.__globals__.__setitem__("other", 1),
    "a part of a tuple": lambda f: f.__globals__.__setitem__("pair", (1, Thing())),
    "another callee": lambda f: f.__globals__.__setitem__("inner", lambda x: x),
    "the code": lambda f: setattr(f, "__code__", f.__code__.replace(co_consts=(*f.__code__.co_consts, "more"))),
    "the code of a callee": code_of_a_callee,
    "defaults": lambda f: setattr(f, "__defaults__", (2,)),
    "no defaults": lambda f: setattr(f, "__defaults__", None),
    "defaults of a callee": lambda f: setattr(f.__globals__["inner"], "__defaults__", (3,)),
    "a keyword's default": lambda f: setattr(f, "__kwdefaults__", {"z": 4, "w": None}),
    "a keyword's default, in place": keyword_in_place,
    "one more keyword's default, in place": one_more_keyword,
    "a captured object": lambda f: setattr(cell_of(f), "cell_contents", Thing()),
    "a captured name without a value": lambda f: delattr(cell_of(f), "cell_contents"),
    "a captured function": lambda f: setattr(cell_of(f), "cell_contents", lambda: 1),
    "a compiled function": lambda f: f.__globals__.__setitem__("compiled", tf.function(lambda x: x)),
    "what a compiled function is of": lambda f: setattr(f.__globals__["compiled"], "python_function", lambda x: x),
}


changes = pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)


def test_nothing_changed_is_the_same_key() -> None:
    fn = made()
    assert function_key(fn) is function_key(fn)
    assert function_key(fn) == static_key(fn)
    assert hash(function_key(fn)) == hash(static_key(fn))


@changes
def test_whatever_changes_the_key_is_that_of_now(change: Callable[[Any], Any]) -> None:
    fn = made()
    before = function_key(fn)
    change(fn)
    assert function_key(fn) == static_key(fn)
    assert function_key(fn) != before


@changes
def test_a_bound_method_has_the_key_of_its_function_and_its_object(change: Callable[[Any], Any]) -> None:
    fn = made()
    method = types.MethodType(fn, Thing())
    before = function_key(method)
    assert before == static_key(method)
    change(fn)
    assert function_key(method) == static_key(method) != before


def test_keywords_of_a_partial_count_as_they_are_now() -> None:
    fn = made()
    bound = fn.__globals__["thing"] = functools.partial(max, key=len)
    before = function_key(fn)
    bound.keywords["key"] = abs
    assert function_key(fn) == static_key(fn) != before


def test_a_key_keeps_no_object_that_it_has_by_identity() -> None:
    fn, collected = made(), []
    fn.__globals__["thing"].__class__ = type("Noted", (Thing,), {"__del__": lambda _: collected.append(True)})
    function_key(fn)
    del fn.__globals__["thing"]
    gc.collect()
    assert collected == [True]


def test_a_number_of_equal_value_is_no_other_program() -> None:
    fn = made()
    fn.__globals__["rate"] = 10**6
    before = function_key(fn)
    fn.__globals__["rate"] = int("1000000")
    assert function_key(fn) == before
