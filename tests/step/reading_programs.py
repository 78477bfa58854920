"""Small programs whose step reads values that change between calls; they run with TensorFlow and with Stratagem alike.

Each makes a step of one tensor and a function that sets what the step reads to a number.
"""

import argparse
import collections
import dataclasses
import enum
import functools
import types
from collections.abc import Callable
from typing import Any, NamedTuple

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
    import math

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
