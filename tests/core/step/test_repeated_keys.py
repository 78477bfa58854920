"""The key of a function is made once, and again after anything that it was made of is another object."""

import copy
import functools
import gc
import types
import weakref
from collections.abc import Callable
from typing import Any

import cloudpickle
import pytest

import stratagem as tf

# Private: how keys are made is seen in speed alone.
from stratagem._core.step import RememberedKey, function_key


class Thing:
    """Something with an identity."""


def made() -> types.FunctionType:
    """A function whose parts the tests change, with globals of its own."""
    namespace: dict[str, Any] = {"rate": 1, "thing": Thing(), "nothing": None, "pair": (1, Thing())}
    exec(
        "def inner(x, scale=2):\n    return x * scale * other if other else len(x)\n"
        "def plain(x):\n    return x\n"
        "def outer(captured):\n"
        "    def step(x, y=1, *, z=3, w=None):\n"
        "        return inner(plain(x)) * rate, thing, nothing, pair, captured, compiled, y, z, w, absent\n"
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
    "defaults where there were none": lambda f: setattr(f.__globals__["plain"], "__defaults__", (3,)),
    "a keyword's default where there was none": lambda f: setattr(f.__globals__["plain"], "__kwdefaults__", {"x": 3}),
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
    fn, remembered = made(), RememberedKey()
    assert remembered.of(fn) is remembered.of(fn)
    assert remembered.of(fn) == function_key(fn)
    assert hash(remembered.of(fn)) == hash(function_key(fn))


def test_another_function_has_its_own_key() -> None:
    fn, other, remembered = made(), made(), RememberedKey()
    assert remembered.of(fn) == function_key(fn)
    assert remembered.of(other) == function_key(other) != remembered.of(fn)


@changes
def test_whatever_changes_the_key_is_that_of_now(change: Callable[[Any], Any]) -> None:
    fn, remembered = made(), RememberedKey()
    before = remembered.of(fn)
    change(fn)
    assert remembered.of(fn) == function_key(fn) != before


@changes
def test_a_bound_method_has_the_key_of_its_function_and_its_object(change: Callable[[Any], Any]) -> None:
    fn, remembered = made(), RememberedKey()
    method = types.MethodType(fn, Thing())
    before = remembered.of(method)
    assert before == function_key(method)
    assert remembered.of(types.MethodType(fn, Thing())) != before
    change(fn)
    assert remembered.of(method) == function_key(method) != before


def test_keywords_of_a_partial_count_as_they_are_now() -> None:
    fn, remembered = made(), RememberedKey()
    bound = fn.__globals__["thing"] = functools.partial(max, key=len)
    before = remembered.of(fn)
    bound.keywords["key"] = abs
    assert remembered.of(fn) == function_key(fn) != before


def test_a_number_of_equal_value_is_no_other_program() -> None:
    fn, remembered = made(), RememberedKey()
    fn.__globals__["rate"] = 10**6
    before = remembered.of(fn)
    fn.__globals__["rate"] = int("1000000")
    assert remembered.of(fn) == before


def test_a_key_keeps_no_object_that_it_has_by_identity() -> None:
    fn, remembered = made(), RememberedKey()
    fn.__globals__["thing"] = thing = Thing()
    remembered.of(fn)
    alive = weakref.ref(thing)
    del fn.__globals__["thing"], thing
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("kept", ["globals", "list", "tuple", "cell"])
def test_a_called_function_and_what_it_reads_can_be_collected(kept: str) -> None:
    fn = made()
    step = tf.function(fn)
    remembered = step._remembered.of(fn)
    if kept == "cell":
        cell_of(fn).cell_contents = [step]
    elif kept != "globals":
        fn.__globals__["thing"] = [step] if kept == "list" else (step,)
    fn.__globals__["compiled"] = step
    assert step._remembered.of(fn) != remembered
    alive = weakref.ref(fn)
    del fn, step, remembered
    gc.collect()
    assert alive() is None


def test_a_function_that_was_called_can_be_copied_and_sent() -> None:
    rate = 3

    @tf.function
    def step(x: Any) -> Any:
        return x * rate

    assert step(2) == 6
    sent = cloudpickle.loads(cloudpickle.dumps(step))
    assert (copy.copy(step)(2), copy.deepcopy(step)(2), sent(2)) == (6, 6, 6)
