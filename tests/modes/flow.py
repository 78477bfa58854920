"""Control flow, gradients of one's own, and variables that are read and assigned in bodies."""

from collections.abc import Iterator
from typing import Any

from tests.modes.thing import Thing, drawn, of_variables, thing

ROW = [1.0, 2.0, 3.0]
ZEROS = {"second, in a function": "zeros here, as in a function of TensorFlow, where its eager tapes have None"}


def _loops(tf: Any) -> dict[str, Any]:
    """Ways to call f(x) in a body, by name."""
    return {
        "cond": lambda f, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: f(x), lambda: x),
        "switch": lambda f, x: tf.switch_case(tf.constant(1), [lambda: x, lambda: f(x)]),
        "case": lambda f, x: tf.case([(tf.reduce_sum(x) > 100.0, lambda: x)], default=lambda: f(x)),
        "while": lambda f, x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, f(a)), [0, x])[1],
        "while of unknown length": lambda f, x: tf.while_loop(
            lambda i, a: i < tf.cast(tf.reduce_sum(tf.abs(x)), tf.int32) % 3 + 2,
            lambda i, a: (i + 1, tf.tanh(f(a)) * 0.5),
            [tf.constant(0), x],
        )[1],
        "map": lambda f, x: tf.map_fn(f, x),
        "vectorized map": lambda f, x: tf.vectorized_map(f, x),
        "scan": lambda f, x: tf.scan(lambda a, b: f(a) * 0.5 + b, x),
        "foldl": lambda f, x: tf.foldl(lambda a, b: f(a) + b, x),
        "foldr": lambda f, x: tf.foldr(lambda a, b: f(a) + b, x),
        "map in map": lambda f, x: tf.map_fn(lambda a: tf.reduce_sum(tf.map_fn(lambda b: f(a) * b, x)), x),
        "cond in while": lambda f, x: tf.while_loop(
            lambda i, a: i < 4,
            lambda i, a: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: f(a), lambda: a + 1.0)),
            [tf.constant(0), x],
        )[1],
        "function": lambda f, x: tf.function(f)(x),
        "function that XLA compiles": lambda f, x: tf.function(f, jit_compile=True)(x),
        "recomputed": lambda f, x: tf.recompute_grad(f)(x),
        "body twice": lambda f, x: tf.map_fn(f, x) * f(x),
    }


NAMES = (
    *("cond", "switch", "case", "while", "while of unknown length", "map", "vectorized map", "scan", "foldl", "foldr"),
    *("map in map", "cond in while", "function", "function that XLA compiles", "recomputed", "body twice"),
)


def of_bodies() -> Iterator[Thing]:
    """Bodies that read a variable, a tensor around them, and kinks."""
    for name in NAMES:
        yield of_variables(
            f"{name} with a variable", lambda tf, v, x, n=name: _loops(tf)[n](lambda a: a * v[0], x), [0.75], ROW
        )
        yield thing(
            f"{name} with a tensor",
            lambda tf, x, y, n=name: _loops(tf)[n](lambda a: a * (y * 2.0), x),
            ROW,
            0.75,
            without={"second, in a function": "a recomputed function has zeros here, not None"}
            if name == "recomputed"
            else {},
        )
        yield thing(
            f"{name} with a kink",
            lambda tf, x, n=name: _loops(tf)[n](lambda a: tf.abs(a * 0.5), x),
            [0.0, 1.0, -2.0],
            without=ZEROS if name == "cond" else {},
        )


def of_variables_in_bodies() -> Iterator[Thing]:
    """Variables that are read in other ways, and assigned."""
    vector = [drawn(3)]
    yield of_variables("a gathered variable", lambda tf, v, x: tf.gather(v[0], [0, 2, 2]) * x, vector, ROW)
    yield of_variables(
        "looked up rows", lambda tf, v, x: tf.nn.embedding_lookup(v[0], [0, 2, 2]) * x, [drawn(3, 1)], ROW
    )
    yield of_variables("sparsely read rows", lambda tf, v, x: v[0].sparse_read(tf.constant([0, 0, 1])) * x, vector, ROW)
    yield of_variables("a part of a variable", lambda tf, v, x: v[0][1:] * x[1:], vector, ROW)
    yield of_variables("values of a variable", lambda tf, v, x: v[0].read_value() * v[0].value() * x, vector, ROW)
    yield of_variables("a variable that nothing reads", lambda tf, v, x: x * v[0], [drawn(3), drawn(2)], ROW)
    yield of_variables("a stopped variable", lambda tf, v, x: tf.stop_gradient(v[0]) * x, vector, ROW)
    yield of_variables("identity of a variable", lambda tf, v, x: tf.identity(v[0]) * x, vector, ROW)
    yield of_variables(
        "stacked variables", lambda tf, v, x: tf.linalg.matvec(tf.stack(v), x), [drawn(3), drawn(3, seed=1)], ROW
    )
    yield of_variables(
        "a sum of variables", lambda tf, v, x: tf.add_n([v[0], v[1], x]), [drawn(3), drawn(3, seed=1)], ROW
    )
    yield of_variables("a variable of complex numbers", _squared_distance, [(drawn(3) + 1j * drawn(3, seed=1))], ROW)
    yield of_variables(
        "branches that do not connect",
        lambda tf, v, x: tf.cond(
            tf.reduce_sum(x) > 0.0, lambda: tf.cast(tf.cast(x, tf.int32), tf.float32) * v[0], lambda: v[0] * 2.0
        ),
        [drawn(3)],
        ROW,
    )
    yield of_variables(
        "rows by their number",
        lambda tf, v, rows: tf.map_fn(lambda i: tf.gather(v[0], i), rows, fn_output_signature=tf.float32),
        [drawn(4)],
        [3, 0, 3],
    )


def _squared_distance(tf: Any, variables: Any, x: Any) -> Any:
    away = variables[0] - tf.complex(x, tf.ones_like(x))
    return tf.math.real(away * tf.math.conj(away))


def of_own_gradients() -> Iterator[Thing]:
    """Functions with gradients of their own, and derivatives that are stopped."""
    for name in NAMES:
        differ = {"*": "TensorFlow's vectorized_map loses custom gradients"} if name == "vectorized map" else {}
        if name.startswith("function"):
            differ = {
                "forward": "TensorFlow pushes tangents by a custom gradient through eager calls of functions alone"
            }
        yield thing(
            f"{name} with a gradient of its own",
            lambda tf, x, n=name: _loops(tf)[n](lambda a: _seven_times(tf, a), x),
            [1.0, 4.0, 2.0],
            differ=differ,
        )
    yield thing("a gradient of two arguments", _of_two, [0.5, 1.0], [2.0, 3.0])
    yield thing("a stopped factor in a map", _stopped_in_a_map, ROW, without=ZEROS)
    yield thing("passed through", lambda tf, x: tf.grad_pass_through(tf.round)(x) * x, [1.25, 2.75])
    yield thing("no gradient", lambda tf, x: tf.stop_gradient(x) + 0.0 * x, ROW)
    yield of_variables("a gradient of one's own with a variable", _of_variable, [drawn(3)], ROW)


def _seven_times(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def root(a: Any) -> Any:
        return tf.sqrt(tf.abs(a) + 1.0), lambda upstream: upstream * 7.0 * a

    return root(x)


def _stopped_in_a_map(tf: Any, x: Any) -> Any:
    return tf.map_fn(lambda a: tf.stop_gradient(a) * a, x)


def _of_two(tf: Any, x: Any, y: Any) -> Any:
    @tf.custom_gradient
    def total(a: Any, b: Any) -> Any:
        return a + b, lambda upstream: (upstream * b, upstream * 3.0)

    return total(x, y)


def _of_variable(tf: Any, variables: Any, x: Any) -> Any:
    @tf.custom_gradient
    def scaled(a: Any) -> Any:
        def slopes(upstream: Any, variables: Any = None) -> Any:
            return upstream * 2.0, [upstream * a * 5.0 for _ in variables or ()]

        return a * variables[0], slopes

    return scaled(x)


def things() -> list[Thing]:
    """All of them."""
    return [*of_bodies(), *of_variables_in_bodies(), *of_own_gradients()]
