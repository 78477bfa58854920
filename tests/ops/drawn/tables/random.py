"""`tf.random`: functions of a seed alone. Integers and uniforms are equal to the bit, normals to 4 units in the last place."""

from typing import Any

from tests.ops.drawn.draws import Draw, Function

EXACT = {"float16": 0.0, "bfloat16": 0.0, "float32": 0.0, "float64": 0.0}
FOUR_UNITS = {"float16": 4 * 2**-11, "bfloat16": 4 * 2**-8, "float32": 4 * 2**-24, "float64": 4 * 2**-53}
FLOATS = ("float16", "bfloat16", "float32", "float32", "float64")
SEEDS = ((1, 2), (0, 0), (-1, 7), (123456, -(2**31)), (2**40 + 5, -(2**62)))
ALGORITHMS = ("auto_select", "philox", 1, 3, "AUTO-select")


def seed(draw: Draw) -> Any:
    """Two numbers: a list, or a tensor of int32 or int64."""
    numbers = list(draw.choice(SEEDS))
    if draw.flag():
        return numbers
    return draw.array((2,), draw.choice(("int32", "int64")), -1000, 1000)


def uniform(draw: Draw) -> Any:
    """Arguments of `stateless_uniform`: floats with bounds that broadcast, integers with and without bounds, errors."""
    shape, kind = list(draw.shape(min_rank=1, max_rank=2)), draw.choice((*FLOATS, "int32", "int64", "uint32", "uint64"))
    options: dict[str, Any] = {"dtype": kind, "alg": draw.choice(ALGORITHMS)}
    match kind[0], draw.integer(0, 3):
        case "u", _:
            options |= {"minval": None, "maxval": None}
        case "i", 0:
            options |= {"minval": None, "maxval": None}
        case "i", 1:
            options |= {"minval": 3}  # an error: one bound
        case "i", 2:
            options |= {"minval": 4, "maxval": 4}  # an error, unless nothing is drawn
        case "i", _:
            options |= {"minval": -(2**31), "maxval": draw.integer(-100, 2**31 - 1)}
        case _, 0:
            options |= {"minval": -2.0, "maxval": [1.0] * shape[-1]}
        case _, 1:
            options |= {"maxval": 0.25}
        case _:
            pass
    return [shape, seed(draw)], options


def normal(draw: Draw) -> Any:
    """Arguments of `stateless_normal` and of the truncated one."""
    shape, kind = list(draw.shape(min_rank=1, max_rank=2)), draw.choice(FLOATS)
    options: dict[str, Any] = {"dtype": kind, "alg": draw.choice(ALGORITHMS)}
    if draw.flag():
        options |= {"mean": draw.real(-3, 3), "stddev": [0.5] * shape[-1]}
    return [shape, seed(draw)], options


def categorical(draw: Draw) -> Any:
    """Arguments of `stateless_categorical`: scores with infinities and NaN, dtypes."""
    scores = draw.array(draw.shape(2, 2, min_size=1), draw.choice(("float32", "float64", "bfloat16")))
    return [scores, draw.integer(0, 5), seed(draw)], {"dtype": draw.choice(("int32", "int64"))}


def shuffle(draw: Draw) -> Any:
    """Arguments of `stateless_shuffle`."""
    return [draw.array(draw.shape(0, 2, max_size=9), draw.choice(("int32", "float32"))), seed(draw)], {}


def split(draw: Draw) -> Any:
    """Arguments of `split`."""
    return [seed(draw), draw.integer(0, 4), draw.choice(ALGORITHMS)], {}


def fold_in(draw: Draw) -> Any:
    """Arguments of `fold_in`."""
    data = draw.array((), draw.choice(("int32", "int64")), -9, 9) if draw.flag() else draw.integer(0, 2**31 - 1)
    return [seed(draw), data], {}


def index_shuffle(draw: Draw, numbers: int = 2) -> Any:
    """Arguments of `index_shuffle`: ranges of all sizes, also powers of 2 and one number; one index and several."""
    largest = draw.choice((0, 1, 9, 255, 256, 65535, 65536, 2**18, 2**18 - 1, 10**9))
    shape = () if draw.flag() else (draw.integer(1, 4),)
    key = draw.array((*shape, numbers) if draw.flag() else (numbers,), "int32", 0, 10**6)
    return [draw.array(shape, "int32", 0, largest), key, largest], {}


FUNCTIONS: list[Function] = [
    Function("random.stateless_uniform", uniform, count=16, within=EXACT),
    Function("random.stateless_normal", normal, count=8, within=FOUR_UNITS),
    Function("random.stateless_truncated_normal", normal, count=8, within=FOUR_UNITS),
    Function("random.stateless_categorical", categorical, count=8),
    Function("random.split", split, count=8),
    Function("random.fold_in", fold_in, count=8),
    Function("random.experimental.stateless_shuffle", shuffle, count=8),
    Function(
        "random.experimental.index_shuffle",
        index_shuffle,
        count=10,
        differ=dict.fromkeys((5, 8), "several seeds: TensorFlow means them, but pads the wrong dimension, and raises"),
    ),
    Function("random_index_shuffle", lambda draw: index_shuffle(draw, 3), count=8),
]
