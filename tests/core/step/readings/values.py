"""Steps that read attributes, items, globals and closures."""

import argparse
import collections
import enum
import math
import types
from typing import Any

from tests.core.step.readings.table import Case, Thing, program

WEIGHT = 0.0
CONFIG: dict[str, Any] = {"k": 0.0, "deep": {"k": 0.0}}


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
