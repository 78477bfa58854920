"""Ways by which steps come to the values in lists, dicts, sets and arrays."""

import collections
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.step.readings.table import PROGRAMS, Case, Thing, program


def _over(step: Callable[[Any, list[float]], Any]) -> Callable[[Any], Case]:
    """A program that reads a list whose second number changes."""

    def make(tf: Any) -> Case:
        t = Thing(weights=[2.0, 1.0, 3.0])
        return lambda x: step(x, t.weights), lambda v: t.weights.__setitem__(1, v)

    return make


def _of_enumerate(x: Any, weights: list[float]) -> Any:
    for i, w in enumerate(weights):
        x = x * w + i
    return x


def _of_zip(x: Any, weights: list[float]) -> Any:
    for a, b in zip(weights, weights[1:], strict=False):  # noqa: RUF007
        x = x * a + b
    return x


def _of_star(x: Any, weights: list[float]) -> Any:
    def three(a: float, *others: float) -> Any:
        return x * a + others[0] - others[1]

    return three(*weights)


for name, function in {
    "enumerated": _of_enumerate,
    "zipped_and_sliced": _of_zip,
    "star_args": _of_star,
    "comprehended": lambda x, weights: [x * w for w in weights][1],
    "generated": lambda x, weights: sum(x * w for w in weights),
    "sorted": lambda x, weights: x * sorted(weights)[0] + sorted(weights)[-1],
    "reversed": lambda x, weights: x * list(reversed(weights))[1],
    "mapped": lambda x, weights: sum(map(lambda w: x * w, weights)),  # noqa: C417
    "negative_slice": lambda x, weights: x * weights[-2:][0] + weights[::2][1],
    "copied": lambda x, weights: x * list(weights)[1] + tuple(weights)[1] + weights.copy()[1],
    "maximum": lambda x, weights: x * max(weights) - min(weights),
    "dict_comprehended": lambda x, weights: x * {i: w for i, w in enumerate(weights)}[1],  # noqa: C416
    "unpacked": lambda x, weights: (lambda a, b, c: x * b)(*weights),
    "looked_up": lambda x, weights: x * {f"w{i}": w for i, w in enumerate(weights)}["w1"],
    "in_a_tensor": lambda x, weights: x * weights[1] + sum(float(w) for w in weights) / 2,
    "walrus": lambda x, weights: x * w if (w := weights[1]) else x,
    "index": lambda x, weights: x * weights.index(max(weights)),
    "membership": lambda x, weights: x * 2.0 if 5.0 in weights else x,
}.items():
    PROGRAMS[f"list_{name}"] = _over(function)


@program
def deque(tf: Any) -> Case:
    recent: collections.deque[float] = collections.deque([1.0, 2.0], maxlen=2)
    return lambda x: x * sum(recent), recent.append


@program
def set_of_names(tf: Any) -> Case:
    active = {"a"}
    return lambda x: x * 2.0 if "b" in active else x, lambda v: active.add("b") if v > 4 else active.discard("b")


@program
def numpy_array_changed_in_place(tf: Any) -> Case:
    weights = np.ones(3, np.float32)
    return lambda x: x * weights[1], lambda v: weights.__setitem__(1, v)


@program
def numpy_number(tf: Any) -> Case:
    t = Thing(w=np.float32(0.0))
    return lambda x: x * t.w, lambda v: setattr(t, "w", np.float32(v))


@program
def inner_function_that_is_returned(tf: Any) -> Case:
    t = Thing(w=0.0)

    def scaled_by(thing: Any) -> Any:
        return lambda x: x * thing.w

    return scaled_by(t), lambda v: setattr(t, "w", v)


@program
def attribute_by_a_computed_name(tf: Any) -> Case:
    t = Thing(w_0=1.0, w_1=1.0)

    def step(x: Any) -> Any:
        for i in range(2):
            x = x * getattr(t, f"w_{i}")
        return x

    return step, lambda v: setattr(t, "w_1", v)


@program
def vars_of_an_object(tf: Any) -> Case:
    t = Thing(w=1.0)
    return lambda x: x * vars(t)["w"] + t.__dict__["w"], lambda v: setattr(t, "w", v)


@program
def decorated_by_the_user(tf: Any) -> Case:
    t = Thing(w=1.0)

    def twice(function: Any) -> Any:
        @functools.wraps(function)
        def both(*args: Any) -> Any:
            return function(*args) + function(*args)

        return both

    @twice
    def step(x: Any) -> Any:
        return x * t.w

    return step, lambda v: setattr(t, "w", v)


@program
def context_manager(tf: Any) -> Case:
    class Scaled:
        scale = 1.0

        def __enter__(self) -> float:
            return self.scale

        def __exit__(self, *error: object) -> None:
            return

    scaled = Scaled()

    def step(x: Any) -> Any:
        with scaled as scale:
            return x * scale

    return step, lambda v: setattr(scaled, "scale", v)


@program
def descriptor(tf: Any) -> Case:
    class Doubled:
        def __get__(self, owner: Any, kind: Any) -> float:
            return float(owner.base * 2)

    class Trainer:
        weight = Doubled()
        base = 0.0

        def step(self, x: Any) -> Any:
            return x * self.weight

    t = Trainer()
    return t.step, lambda v: setattr(t, "base", v)


@program
def attribute_that_appears(tf: Any) -> Case:
    t = Thing()
    return lambda x: x * t.w if hasattr(t, "w") else x, lambda v: setattr(t, "w", v) if v != 1 else None


@program
def attribute_over_that_of_the_class(tf: Any) -> Case:
    t = Thing()
    return lambda x: x * t.kind, lambda v: setattr(t, "kind", v)
