"""Steps whose values are read by methods and functions, and of objects of all kinds."""

import dataclasses
import functools
from typing import Any, NamedTuple

from tests.core.step.readings.table import Case, Thing, program

CONFIG: dict[str, Any] = {"k": 0.0, "deep": {"k": 0.0}}


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
