"""What the Python of a step asks of a number."""

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.step.readings.table import PROGRAMS, Case, Thing


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
