"""Which of several objects it is, and unusual ways to a value."""

import array
import collections
import contextlib
import enum
import functools
import operator
import sys
import threading
import types
from typing import Any

from tests.core.step.readings.functions_and_objects import Options
from tests.core.step.readings.table import Case, Thing, program


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
    raw, numbers, none = bytearray(2), array.array("d", [0.0]), array.array("d")

    def change(v: float) -> None:
        raw[1], numbers[0] = int(v), v

    return lambda x: x * float(raw[1]) + numbers[0] + len(none), change


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
