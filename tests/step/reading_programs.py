"""Small programs whose step reads values that change between calls; they run with TensorFlow and with Stratagem alike.

Each makes a step of one tensor and a function that sets what the step reads to a number.
"""

import argparse
import array
import collections
import contextlib
import dataclasses
import enum
import functools
import math
import numbers
import operator
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

VALUES = (1.0, 5.0, 2.0, 2.0, 7.0)
Case = tuple[Callable[[Any], Any], Callable[[float], None]]
PROGRAMS: dict[str, Callable[[Any], Case]] = {}
WEIGHT = 0.0
CONFIG: dict[str, Any] = {"k": 0.0, "deep": {"k": 0.0}}


def program(make: Callable[[Any], Case]) -> Callable[[Any], Case]:
    """Add a program to the table."""
    PROGRAMS[make.__name__] = make
    return make


class Thing:
    """Something with attributes."""

    kind = 0.0

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


@program
def attribute(tf: Any) -> Case:
    class Trainer:
        def __init__(self) -> None:
            self.weight = 0.0

        def step(self, x: Any) -> Any:
            return x * self.weight

    t = Trainer()
    return t.step, lambda v: setattr(t, "weight", v)


@program
def attribute_of_attribute(tf: Any) -> Case:
    t = Thing(flags=Thing(mix=0.0))
    return lambda x: x * t.flags.mix, lambda v: setattr(t.flags, "mix", v)


@program
def namespace(tf: Any) -> Case:
    flags = argparse.Namespace(mix=0.0)
    return lambda x: x * flags.mix, lambda v: setattr(flags, "mix", v)


@program
def simple_namespace_that_is_replaced(tf: Any) -> Case:
    t = Thing(flags=types.SimpleNamespace(mix=0.0))
    return lambda x: x * t.flags.mix, lambda v: setattr(t, "flags", types.SimpleNamespace(mix=v))


@program
def dict_item(tf: Any) -> Case:
    cfg = {"k": 0.0}
    return lambda x: x * cfg["k"], lambda v: cfg.update(k=v)


@program
def dict_get(tf: Any) -> Case:
    cfg = {"k": 0.0}
    return lambda x: x * cfg.get("k", 3.0), lambda v: cfg.update(k=v)


@program
def dict_item_that_appears(tf: Any) -> Case:
    cfg: dict[str, float] = {}
    return lambda x: x * cfg.get("k", 3.0), lambda v: cfg.update(k=v) if v > 1 else None


@program
def default_dict(tf: Any) -> Case:
    cfg = collections.defaultdict(float)
    return lambda x: x * cfg["k"], lambda v: cfg.update(k=v)


@program
def dict_with_attributes(tf: Any) -> Case:
    class Config(dict):  # type: ignore[type-arg]
        __getattr__ = dict.__getitem__

    cfg = Config(k=0.0)
    return lambda x: x * cfg.k, lambda v: cfg.update(k=v)


@program
def global_dict(tf: Any) -> Case:
    return lambda x: x * CONFIG["deep"]["k"], lambda v: CONFIG["deep"].update(k=v)


@program
def global_number(tf: Any) -> Case:
    return lambda x: x * WEIGHT, lambda v: globals().update(WEIGHT=v)


@program
def closure(tf: Any) -> Case:
    weight = 0.0

    def change(v: float) -> None:
        nonlocal weight
        weight = v

    return lambda x: x * weight, change


@program
def list_item(tf: Any) -> Case:
    weights = [0.0, 1.0]
    return lambda x: x * weights[0] + weights[-1], lambda v: weights.__setitem__(0, v)


@program
def list_that_is_looped_over(tf: Any) -> Case:
    weights = [0.0, 1.0]

    def step(x: Any) -> Any:
        for w in weights:
            x = x * w + 1.0
        return x

    return step, lambda v: weights.__setitem__(1, v)


@program
def list_that_grows(tf: Any) -> Case:
    weights: list[float] = []
    return lambda x: x * len(weights) + sum(weights), weights.append


@program
def dict_that_is_looped_over(tf: Any) -> Case:
    cfg = {"a": 1.0, "b": 1.0}

    def step(x: Any) -> Any:
        for name, w in cfg.items():
            x = x * w if name == "a" else x + w
        return x

    return step, lambda v: cfg.update(a=v, b=v + 1)


@program
def comprehension(tf: Any) -> Case:
    weights = {"a": 1.0, "b": 1.0}
    return lambda x: sum([x * w for w in weights.values()]), lambda v: weights.update(b=v)


@program
def objects_in_a_list(tf: Any) -> Case:
    parts = [Thing(rate=1.0), Thing(rate=1.0)]

    def step(x: Any) -> Any:
        for part in parts:
            x = x * part.rate
        return x

    return step, lambda v: setattr(parts[1], "rate", v)


@program
def objects_in_a_dict(tf: Any) -> Case:
    parts = {"a": Thing(rate=1.0)}

    def step(x: Any) -> Any:
        for _, part in parts.items():
            x = x * part.rate
        return x

    return step, lambda v: setattr(parts["a"], "rate", v)


@program
def star_star(tf: Any) -> Case:
    def loss(x: Any, a: float, b: float) -> Any:
        return x * a + b

    cfg = {"a": 1.0, "b": 1.0}
    return lambda x: loss(x, **cfg), lambda v: cfg.update(a=v)


@program
def local_alias(tf: Any) -> Case:
    t = Thing(cfg={"k": 0.0})

    def step(x: Any) -> Any:
        c = t.cfg
        k = c["k"]
        return x * k

    return step, lambda v: t.cfg.update(k=v)


@program
def either_of_two(tf: Any) -> Case:
    t = Thing(on=True, a=0.0, b=3.0)

    def step(x: Any) -> Any:
        return x * (t.a if t.on else t.b)

    def change(v: float) -> None:
        t.on, t.a = v != 2, v

    return step, change


@program
def flag(tf: Any) -> Case:
    t = Thing(on=True)
    return lambda x: x * 2.0 if t.on else x, lambda v: setattr(t, "on", v > 1)


@program
def string(tf: Any) -> Case:
    t = Thing(mode="sum")

    def step(x: Any) -> Any:
        return x + 1.0 if t.mode == "sum" else x * 10.0

    return step, lambda v: setattr(t, "mode", "sum" if v > 1 else "product")


@program
def none(tf: Any) -> Case:
    t = Thing(clip=None)
    return lambda x: x if t.clip is None else x * t.clip, lambda v: setattr(t, "clip", None if v == 1 else v)


class Mode(enum.Enum):
    """What a step does."""

    SUM = 1
    PRODUCT = 2


@program
def enum_member(tf: Any) -> Case:
    t = Thing(mode=Mode.SUM)

    def step(x: Any) -> Any:
        return x + 1.0 if t.mode is Mode.SUM else x * 10.0

    return step, lambda v: setattr(t, "mode", Mode.SUM if v > 1 else Mode.PRODUCT)


@program
def integer(tf: Any) -> Case:
    t = Thing(n=0)
    return lambda x: x * t.n, lambda v: setattr(t, "n", int(v))


@program
def integer_for_a_shape(tf: Any) -> Case:
    t = Thing(n=0)
    return lambda x: tf.reduce_sum(tf.ones([t.n])) * x, lambda v: setattr(t, "n", int(v))


@program
def integer_for_a_range(tf: Any) -> Case:
    t = Thing(n=0)

    def step(x: Any) -> Any:
        for _ in range(t.n):
            x = x + 1.0
        return x

    return step, lambda v: setattr(t, "n", int(v))


@program
def number_that_decides(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: x * 100.0 if t.w > 3 else x * t.w, lambda v: setattr(t, "w", v)


@program
def one_that_decides_beside_one_that_does_not(tf: Any) -> Case:
    t = Thing(w=0.0, n=0)

    def change(v: float) -> None:
        t.w, t.n = v / 2, int(v)

    return lambda x: x * t.w * len(range(t.n)), change


@program
def arithmetic_in_python(tf: Any) -> Case:
    t = Thing(step=0, beta=0.999)
    return lambda x: x / (1 - t.beta**t.step), lambda v: setattr(t, "step", int(v))


@program
def whole_division(tf: Any) -> Case:
    t = Thing(step=0)
    return lambda x: x * (t.step // 2) + t.step % 3 - -t.step / 4, lambda v: setattr(t, "step", int(v))


@program
def math_function(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: x * math.exp(-t.w), lambda v: setattr(t, "w", v)


@program
def tensor_of_the_number(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: x * tf.constant(t.w) + tf.cast(t.w, tf.float32), lambda v: setattr(t, "w", v)


@program
def number_in_a_condition_of_tensors(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: tf.where(x < t.w, x * t.w, x), lambda v: setattr(t, "w", v)


@program
def number_that_is_returned(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: t.w * 2 + 1, lambda v: setattr(t, "w", v)


@program
def type_that_changes(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: x * t.w, lambda v: setattr(t, "w", int(v) if v > 3 else v)


@program
def method(tf: Any) -> Case:
    class Trainer:
        def __init__(self) -> None:
            self.weight = 0.0

        def loss(self, x: Any, scale: float) -> Any:
            return x * self.weight * scale

        def step(self, x: Any) -> Any:
            return self.loss(x, scale=2.0)

    t = Trainer()
    return t.step, lambda v: setattr(t, "weight", v)


@program
def method_of_the_base_class(tf: Any) -> Case:
    class Base:
        weight = 0.0

        def loss(self, x: Any) -> Any:
            return x * self.weight

    class Trainer(Base):
        def loss(self, x: Any) -> Any:
            return super().loss(x) + 1.0

        def step(self, x: Any) -> Any:
            return self.loss(x)

    t = Trainer()
    return t.step, lambda v: setattr(t, "weight", v)


def _scaled(x: Any, config: Any) -> Any:
    return x * config["k"]


@program
def function_that_is_given_the_dict(tf: Any) -> Case:
    t = Thing(cfg={"k": 0.0})
    return lambda x: _scaled(x, t.cfg), lambda v: t.cfg.update(k=v)


@program
def function_that_is_given_the_dict_by_name(tf: Any) -> Case:
    t = Thing(cfg={"k": 0.0})
    return lambda x: _scaled(config=t.cfg, x=x), lambda v: t.cfg.update(k=v)


@program
def function_that_returns_the_dict(tf: Any) -> Case:
    t = Thing(cfg={"k": 0.0})

    def config() -> Any:
        return t.cfg

    return lambda x: x * config()["k"], lambda v: t.cfg.update(k=v)


@program
def function_inside(tf: Any) -> Case:
    t = Thing(w=0.0)

    def step(x: Any) -> Any:
        here = t

        def inner(y: Any) -> Any:
            return y * here.w

        return inner(x)

    return step, lambda v: setattr(t, "w", v)


@program
def function_given_to_a_library(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: tf.cond(x > 0.0, lambda: x * t.w, lambda: x), lambda v: setattr(t, "w", v)


@program
def callable_object(tf: Any) -> Case:
    class Loss:
        def __init__(self) -> None:
            self.scale = 0.0

        def __call__(self, x: Any) -> Any:
            return x * self.scale

    t = Thing(loss=Loss())
    return lambda x: t.loss(x), lambda v: setattr(t.loss, "scale", v)


@program
def function_that_is_replaced(tf: Any) -> Case:
    t = Thing(loss=lambda x: x)

    def change(v: float) -> None:
        t.loss = (lambda x: x * 2.0) if v > 1 else (lambda x: x * 3.0)

    return lambda x: t.loss(x), change


@program
def partial(tf: Any) -> Case:
    cfg = {"k": 0.0}
    return functools.partial(_scaled, config=cfg), lambda v: cfg.update(k=v)


@program
def default_argument(tf: Any) -> Case:
    cfg = {"k": 0.0}

    def step(x: Any, config: Any = cfg) -> Any:
        return x * config["k"]

    return step, lambda v: cfg.update(k=v)


@program
def prop(tf: Any) -> Case:
    class Trainer:
        def __init__(self) -> None:
            self.base = 0.0

        @property
        def weight(self) -> float:
            return self.base * 2

        def step(self, x: Any) -> Any:
            return x * self.weight

    t = Trainer()
    return t.step, lambda v: setattr(t, "base", v)


@program
def class_attribute(tf: Any) -> Case:
    class Config:
        weight = 0.0

    return lambda x: x * Config.weight, lambda v: setattr(Config, "weight", v)


@program
def class_attribute_by_an_instance(tf: Any) -> Case:
    class Trainer:
        weight = 0.0

        def step(self, x: Any) -> Any:
            return x * self.weight

    return Trainer().step, lambda v: setattr(Trainer, "weight", v)


@program
def class_and_static_methods(tf: Any) -> Case:
    class Trainer:
        weight = 0.0

        @staticmethod
        def first(x: Any) -> Any:
            return x * CONFIG["k"]

        @classmethod
        def second(cls, x: Any) -> Any:
            return x + 1.0

        def step(self, x: Any) -> Any:
            return self.second(self.first(x))

    return Trainer().step, lambda v: CONFIG.update(k=v)


@dataclasses.dataclass
class Options:
    """A dataclass."""

    k: float = 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    """A dataclass without a `__dict__` that cannot be changed."""

    k: float = 0.0


class Pair(NamedTuple):
    """A named tuple."""

    a: float
    b: float


@program
def dataclass(tf: Any) -> Case:
    options = Options()
    return lambda x: x * options.k, lambda v: setattr(options, "k", v)


@program
def frozen_dataclass_that_is_replaced(tf: Any) -> Case:
    t = Thing(options=Frozen())
    return lambda x: x * t.options.k, lambda v: setattr(t, "options", dataclasses.replace(t.options, k=v))


@program
def named_tuple_that_is_replaced(tf: Any) -> Case:
    t = Thing(pair=Pair(0.0, 1.0))
    return lambda x: x * t.pair.a + t.pair[1], lambda v: setattr(t, "pair", Pair(v, v + 1))


@program
def tuple_that_is_unpacked(tf: Any) -> Case:
    t = Thing(pair=(0.0, 1.0))

    def step(x: Any) -> Any:
        a, b = t.pair
        return x * a + b

    return step, lambda v: setattr(t, "pair", (v, 1.0))


@program
def slots(tf: Any) -> Case:
    class Slotted:
        __slots__ = ("w",)

    t = Slotted()
    t.w = 0.0  # type: ignore[attr-defined]
    return lambda x: x * t.w, lambda v: setattr(t, "w", v)  # type: ignore[attr-defined]


@program
def getattr_by_name(tf: Any) -> Case:
    t = Thing(w=0.0)
    return lambda x: x * getattr(t, "w", 3.0), lambda v: setattr(t, "w", v)


@program
def attribute_of_a_layer(tf: Any) -> Case:
    class Scale(tf.keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.temperature = 0.0

        def call(self, x: Any) -> Any:
            return x * self.temperature

    layer = Scale()
    return lambda x: layer(tf.reshape(x, [1, 1])), lambda v: setattr(layer, "temperature", v)


@program
def tensor_that_is_replaced(tf: Any) -> Case:
    t = Thing(ema=tf.constant(0.0))
    return lambda x: x * t.ema, lambda v: setattr(t, "ema", tf.constant(v))


# --- Ways to the values of a list or a dict ---------------------------------------------------------------------------


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


# --- What Python asks of a number -------------------------------------------------------------------------------------


def _of_number(step: Callable[[Any, Any, Any], Any], convert: Any = float) -> Callable[[Any], Case]:
    """A program that reads a number."""

    def make(tf: Any) -> Case:
        t = Thing(w=convert(0.0))
        return lambda x: step(tf, x, t.w), lambda v: setattr(t, "w", convert(v))

    return make


for name, of_float in {
    "is_a_number": lambda tf, x, w: x * w if isinstance(w, numbers.Number) else x * 0.0,
    "is_real": lambda tf, x, w: x * w.real + w.imag if hasattr(w, "real") else x * 0.0,
    "has_the_type_float": lambda tf, x, w: x * w if type(w) is float else x * 0.0,
    "is_no_tensor": lambda tf, x, w: x * 0.0 if hasattr(w, "shape") or hasattr(w, "dtype") else x * w,
    "is_whole": lambda tf, x, w: x * w if w.is_integer() else x,
    "cosine": lambda tf, x, w: x * 0.5 * (1.0 + math.cos(math.pi * w / 10.0)),
    "cosine_of_numpy": lambda tf, x, w: x * float(np.cos(w)),
    "beside_numpy": lambda tf, x, w: x * (np.float32(2.0) * w + w * np.float32(3.0)),
    "in_an_array": lambda tf, x, w: x * tf.reduce_sum(tf.constant(np.array([w, 1.0], np.float32))),
    "in_a_list": lambda tf, x, w: x * tf.reduce_sum(tf.constant([w, 1.0])) + tf.reduce_sum(tf.stack([x, w])),
    "warmup": lambda tf, x, w: x * min(1.0, w / 4.0) + max(w, 3.0),
    "as_whole": lambda tf, x, w: x * int(w) + round(w / 2.0, 1) + math.floor(w / 2.0),
    "in_a_text": lambda tf, x, w: x * {"1.0": 10.0, "5.0": 20.0}.get(f"{w}", 30.0) + len(str(w)),
    "complex": lambda tf, x, w: x * abs(complex(0.0, w)) + (w * 1j).imag,
    "filled": lambda tf, x, w: x + tf.reduce_sum(tf.fill([2], w)),
    "wide": lambda tf, x, w: tf.cast(tf.cast(x, tf.float64) * w / 3.0, tf.float32),
    "clipped": lambda tf, x, w: tf.clip_by_value(x, 0.0, w) + tf.maximum(x, w) + tf.where(x > w, w, 1.0),
    "powers": lambda tf, x, w: x**w + w**x + tf.pow(x, w),
    "chained": lambda tf, x, w: x * 2.0 if 1.5 < w < 6.0 else x,
    "equal": lambda tf, x, w: x * 2.0 if w == 5.0 or w != w else x,
    "and_or": lambda tf, x, w: x * ((w > 2.0 and w) or 7.0),
    "minus": lambda tf, x, w: -w * x - abs(-w) + (+w) - (x - w) + 2.0 / w,
}.items():
    PROGRAMS[f"float_{name}"] = _of_number(of_float)

for name, of_int in {
    "shifted": lambda tf, x, n: x * float((n << 2) | 1) + float(n & 6) + float(n ^ 3) + float(n >> 1) + float(~n),
    "divided": lambda tf, x, n: x * float(divmod(n, 2)[0]) + float(divmod(7, n)[1]) + n % 3 + n // 2,
    "even": lambda tf, x, n: x * 2.0 if n % 2 == 0 else x,
    "every_other": lambda tf, x, n: x * 10.0 if n % 5 == 0 else x * n,
    "repeated": lambda tf, x, n: x * float(len([0] * n)) + float(len("a" * n)),
    "formatted": lambda tf, x, n: x * float(f"{n:03d}"[-1]),
    "cast": lambda tf, x, n: x * tf.cast(n, tf.float32) + tf.cast(tf.constant(n), tf.float32),
    "one_hot": lambda tf, x, n: x * tf.reduce_sum(tf.one_hot([1], n)),
    "bits": lambda tf, x, n: x * float(n.bit_length()),
    "wide": lambda tf, x, n: tf.cast(tf.constant(3, tf.int64) * n, tf.float32) + x,
    "beside_int": lambda tf, x, n: tf.cast(tf.constant([1, 2]) * n + n, tf.float32)[1] + x,
}.items():
    PROGRAMS[f"int_{name}"] = _of_number(of_int, int)


# --- Keras ------------------------------------------------------------------------------------------------------------


@program
def rate_of_a_layer_in_a_model(tf: Any) -> Case:
    inputs = tf.keras.Input((1,))
    relu = tf.keras.layers.LeakyReLU(0.5)
    slope = "negative_slope" if hasattr(relu, "negative_slope") else "alpha"
    model = tf.keras.Model(inputs, relu(inputs))

    def change(v: float) -> None:
        setattr(relu, slope, v / 10)

    return lambda x: model(tf.reshape(-x, [1, 1])), change


@program
def attribute_of_a_layer_in_a_model(tf: Any) -> Case:
    class Scale(tf.keras.layers.Layer):  # type: ignore[misc]
        temperature = 1.0

        def call(self, x: Any) -> Any:
            return x * self.temperature

    inputs = tf.keras.Input((1,))
    layer = Scale()
    model = tf.keras.Sequential([inputs, layer])
    return lambda x: model(tf.reshape(x, [1, 1])), lambda v: setattr(layer, "temperature", v)


@program
def attribute_of_a_loss(tf: Any) -> Case:
    class Weighted(tf.keras.losses.Loss):  # type: ignore[misc]
        weight = 1.0

        def call(self, y_true: Any, y_pred: Any) -> Any:
            return (y_true - y_pred) ** 2 * self.weight

    loss = Weighted(reduction="none")
    return lambda x: loss(tf.reshape(x, [1, 1]), tf.zeros([1, 1])), lambda v: setattr(loss, "weight", v)


@program
def attribute_of_a_schedule(tf: Any) -> Case:
    class Line(tf.keras.optimizers.schedules.LearningRateSchedule):  # type: ignore[misc]
        slope = 1.0

        def __call__(self, step: Any) -> Any:
            return tf.cast(step, tf.float32) * self.slope

        def get_config(self) -> Any:
            return {}

    line = Line()
    return lambda x: line(x), lambda v: setattr(line, "slope", v)


@program
def setting_of_a_schedule(tf: Any) -> Case:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(1.0, 10, 0.5)
    return lambda x: schedule(x), lambda v: setattr(schedule, "initial_learning_rate", v)


# --- Which object it is, and ways to it -------------------------------------------------------------------------------


@program
def one_of_several_dicts(tf: Any) -> Case:
    t = Thing(presets={v: {"k": v} for v in (1.0, 2.0, 5.0, 7.0)})
    t.active = t.presets[1.0]
    return lambda x: x * t.active["k"] * len(t.presets), lambda v: setattr(t, "active", t.presets[v])


@program
def one_of_several_closures(tf: Any) -> Case:
    def scaled(k: float) -> Any:
        return lambda x: x * k

    t = Thing(all={v: scaled(v) for v in (1.0, 2.0, 5.0, 7.0)})
    t.one = t.all[1.0]
    return lambda x: t.one(x) + len(t.all), lambda v: setattr(t, "one", t.all[v])


@program
def aliases_in_a_list(tf: Any) -> Case:
    a, b = ("p",), ("q",)
    t = Thing(stages=[a, b, a])

    def change(v: float) -> None:
        t.stages = [a, b, b if v > 4 else a]

    return lambda x: x * (2.0 if t.stages[2][0] == "p" else 5.0), change


@program
def number_in_a_tuple(tf: Any) -> Case:
    t = Thing(betas=(0.9, 0.0))
    return lambda x: x * t.betas[1] + t.betas[0], lambda v: setattr(t, "betas", (0.9, v))


@program
def mappings_of_python(tf: Any) -> Case:
    own, inner = collections.UserDict(k=0.0), {"k": 0.0}
    chain = collections.ChainMap({}, inner)
    shown = types.MappingProxyType(inner)

    def change(v: float) -> None:
        own["k"] = inner["k"] = v

    return lambda x: x * own["k"] + chain["k"] - shown["k"] / 2, change


@program
def import_in_the_step(tf: Any) -> Case:
    def step(x: Any) -> Any:
        import reading_settings
        from reading_settings import SCALE

        return x * SCALE + reading_settings.SCALE

    module = types.ModuleType("reading_settings")
    sys.modules["reading_settings"] = module
    return step, lambda v: setattr(module, "SCALE", v)


@program
def attrgetter(tf: Any) -> Case:
    t, get = Thing(w=0.0), operator.attrgetter("w")
    return lambda x: x * get(t), lambda v: setattr(t, "w", v)


@program
def decorators_of_libraries(tf: Any) -> Case:
    cfg = {"k": 0.0}

    @contextlib.contextmanager
    def scaled() -> Any:
        yield cfg["k"]

    @functools.singledispatch
    def more(x: Any) -> Any:
        return x + cfg["k"]

    def step(x: Any) -> Any:
        with scaled() as k:
            return more(x * k)

    return step, lambda v: cfg.update(k=v)


@program
def partial_method(tf: Any) -> Case:
    class Trainer:
        weight = 1.0

        def scaled(self, more: float, x: Any) -> Any:
            return x * self.weight + more

        step = functools.partialmethod(scaled, 2.0)

    t = Trainer()
    return lambda x: t.step(x), lambda v: setattr(t, "weight", v)


@program
def attribute_of_a_function(tf: Any) -> Case:
    def scaled(x: Any) -> Any:
        return x * scaled.weight  # type: ignore[attr-defined]

    return lambda x: scaled(x), lambda v: setattr(scaled, "weight", v)


class Setting(enum.Enum):
    """One whose value can be changed."""

    ONLY = {"k": 0.0}  # noqa: RUF012


@program
def value_of_an_enumeration(tf: Any) -> Case:
    return lambda x: x * Setting.ONLY.value["k"], lambda v: Setting.ONLY.value.update(k=v)


@program
def positional_pattern(tf: Any) -> Case:
    class Point:
        __match_args__ = ("k",)

    point = Point()

    def step(x: Any) -> Any:
        match point:
            case Point(k):
                return x * k

    return step, lambda v: setattr(point, "k", v)


@program
def delegated_by_getattr(tf: Any) -> Case:
    class Delegating:
        def __init__(self) -> None:
            self.inner = Thing(w=0.0)
            self.tensor = tf.constant(0.0)

        def __getattr__(self, name: str) -> Any:
            return getattr(object.__getattribute__(self, "inner"), name)

    t = Delegating()

    def change(v: float) -> None:
        t.inner.w, t.tensor = v, tf.constant(v)

    return lambda x: x * t.w + t.tensor, change


@program
def bytes_in_place(tf: Any) -> Case:
    raw, numbers = bytearray(2), array.array("d", [0.0])

    def change(v: float) -> None:
        raw[1], numbers[0] = int(v), v

    return lambda x: x * float(raw[1]) + numbers[0], change


@program
def event_of_threads(tf: Any) -> Case:
    event = threading.Event()
    return lambda x: x * 2.0 if event.is_set() else x, lambda v: event.set() if v > 4 else event.clear()


@program
def attribute_of_a_model_of_keras(tf: Any) -> Case:
    model = tf.keras.Sequential([tf.keras.layers.Flatten()])
    model.build((None, 1))
    model.alpha = 0.0
    return lambda x: model(tf.reshape(x, [1, 1])) * model.alpha, lambda v: setattr(model, "alpha", v)


@program
def trainable_flag(tf: Any) -> Case:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1), tf.keras.layers.Dense(1)])
    model.build((None, 1))
    return lambda x: x * len(model.trainable_variables), lambda v: setattr(model.layers[0], "trainable", v < 4)


@program
def dataclass_that_is_replaced(tf: Any) -> Case:
    t = Thing(options=Options())
    return lambda x: x * t.options.k, lambda v: setattr(t, "options", Options(v))
