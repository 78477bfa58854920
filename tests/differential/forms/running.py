"""Runs a program in one of its forms, and writes down what it shows."""

import contextlib
import functools
import linecache
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.eager.compositions.running import OTHER, plain
from tests.differential.forms.generate import Program
from tests.differential.running import make_strategy

Step = Callable[..., Any]


@functools.cache
def strategy_of(tf: Any, form: str) -> Any:
    """Returns the strategy of a form with replicas: one in a process, as TensorFlow's collectives have numbers."""
    return make_strategy(tf, form.replace("replica", "mirrored"))


def run(tf: Any, program: Program, form: str, *, main: str | None = None, other: str | None = None) -> Any:
    """Returns what `program` shows with library `tf`. main, other: other dtypes than its own."""
    main = main or program.main
    strategy = strategy_of(tf, form) if form.startswith("replica") else None
    shown: list[Any] = []
    names = {
        "tf": tf,
        "main": getattr(tf, main),
        "other": getattr(tf, other or OTHER[main]),
        "scope": strategy.scope if strategy else contextlib.nullcontext,
        "replicas": strategy.num_replicas_in_sync if strategy else 1,
        "run": caller(tf, program, form, strategy),
        "show": lambda value: shown.append(plain(value)),
    }
    file = f"program_{program.index}_{form}.py"
    # AutoGraph reads it.
    linecache.cache[file] = len(program.text), None, program.text.splitlines(keepends=True), file
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Gradients do not exist")
            exec(compile(program.text, file, "exec"), names)
    finally:
        del linecache.cache[file]
    return {"items": shown}


def caller(tf: Any, program: Program, form: str, strategy: Any) -> Callable[..., Any]:
    """Returns what a program calls its step with: the step and its arguments, with one result in all forms."""
    compiled = {}

    def run_compiled(step: Step, *args: Any) -> Any:
        if step not in compiled:
            # AutoGraph takes half of TensorFlow's time.
            compiled[step] = tf.function(form_of(step), autograph=program.decides or form == "host")
        return compiled[step](*args)

    def form_of(step: Step) -> Step:
        match form:
            case "function":
                return step
            case "host":
                return needing_values(tf, step, program.index)
            case _:
                return lambda *args: strategy.run(step, args=args)

    def run_in_replicas(step: Step, *args: Any) -> Any:
        found = run_compiled(step, *args) if program.index % 2 else strategy.run(step, args=args)
        return tf.nest.map_structure(lambda value: of_all_replicas(strategy, value), found)

    if form == "eager":
        return lambda step, *args: step(*args)
    return run_compiled if strategy is None else run_in_replicas


def of_all_replicas(strategy: Any, value: Any) -> Any:
    """Returns the value that every replica has."""
    first, *others = strategy.experimental_local_results(value)
    for other in others:
        assert (first is None) == (other is None)
        assert first is None or np.array_equal(first, other, equal_nan=True), f"replicas differ: {first}, {other}"
    return first


def needing_values(tf: Any, step: Step, index: int) -> Step:
    """Returns a function that calls the step after something for which Stratagem runs a function in Python."""

    def masked(*args: Any) -> Any:
        tf.boolean_mask(tf.reshape(args[0], [-1]), tf.reshape(args[0], [-1]) > 0.125)
        return step(*args)

    def unique(*args: Any) -> Any:
        tf.unique(tf.reshape(args[0], [-1]) * 2.0)
        return step(*args)

    def decided(*args: Any) -> Any:
        total = tf.reduce_sum(args[0])
        assert total.numpy() < 1e6
        return step(*args)

    def counted(*args: Any) -> Any:
        total = tf.constant(0)
        for i in tf.range(tf.size(tf.where(args[0] > -1e6)) + 1):
            total += tf.cast(i, tf.int32)
        assert total is not None
        return step(*args)

    def iterated(*args: Any) -> Any:
        total = tf.constant(0, tf.int64)
        for i in tf.data.Dataset.range(2):
            total += i
        assert total is not None
        return step(*args)

    return (masked, unique, decided, counted, iterated)[index % 5]
