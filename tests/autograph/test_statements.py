"""`if`, `while`, `for` and what belongs to them, when tensors decide: as in Python, in compiled functions and in replicas."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TracedDecisionError

pytestmark = pytest.mark.usefixtures("no_fallback")


def test_a_conditional_return(run: Any) -> None:
    def sign(x: Any) -> Any:
        if x > 0.0:
            return 1.0
        if x < 0.0:
            return -1.0
        return x

    assert [float(run(sign, x)) for x in (3.0, -2.0, 0.0)] == [1.0, -1.0, 0.0]


def test_a_loop_that_ends_early(run: Any) -> None:
    def first_above(values: Any, limit: Any) -> Any:
        for i in tf.range(len(values)):
            if values[i] > limit:
                return i
        return -1

    values = np.float32([1, 5, 2, 9])
    assert [int(run(first_above, values, limit)) for limit in (0.0, 4.0, 5.0, 50.0)] == [0, 1, 3, -1]


def test_a_long_loop_stops_when_it_has_converged(run: Any) -> None:
    def root(x: Any) -> Any:
        guess, rounds = x, 0
        while tf.abs(guess * guess - x) > 1e-3:
            guess = (guess + x / guess) / 2.0
            rounds += 1
        return guess, rounds

    for x in (2.0, 1e4):
        value, rounds = run(root, x)
        assert float(value) == pytest.approx(np.sqrt(x), rel=1e-4)
        assert int(rounds) == len(list(newton(x)))


def newton(x: float) -> Iterator[float]:
    """The guesses that `root` makes, in float32."""
    guess = np.float32(x)
    while abs(guess * guess - np.float32(x)) > 1e-3:
        guess = (guess + np.float32(x) / guess) / np.float32(2)
        yield float(guess)


def test_numbers_that_a_loop_turns_into_tensors(run: Any) -> None:
    def total(n: Any) -> Any:
        count, mean = 0, 0.0
        for i in range(n):
            mean += tf.cast(i, tf.float32)
            count += 1
        return (count, mean / float(count)) if count > 0 else (count, 0.0)

    assert [np.asarray(v).tolist() for v in run(total, 5)] == [5, 2.0]
    assert [np.asarray(v).tolist() for v in run(total, 0)] == [0, 0.0]


def test_what_is_the_same_on_both_paths_stays_a_python_value(run: Any) -> None:
    def chosen(x: Any) -> Any:
        name, size, extra = "sum", 2, None
        if x > 0.0:
            name, size, y = "sum", 2, x
        else:
            y = -x
        return {name: tf.fill([size], y), "extra": extra is None}

    assert np.asarray(run(chosen, -3.0)["sum"]).tolist() == [3.0, 3.0]


def test_both_sides_of_and_and_or(run: Any) -> None:
    def both(x: Any, y: Any) -> Any:
        return (x > 0 and y > 0), (x > 0 or y > 0), not x > 0

    assert [[bool(v) for v in run(both, *pair)] for pair in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))] == [
        [True, True, False],
        [False, True, False],
        [False, False, True],
    ]


def test_functions_and_methods_of_the_users_are_converted_however_they_are_called(run: Any) -> None:
    class Scale:
        def __init__(self, by: float) -> None:
            self.by = by

        def __call__(self, x: Any) -> Any:
            return x * self.by if x > 0.0 else x

    class Shifted(Scale):
        def __call__(self, x: Any) -> Any:
            if x > 100.0:
                return super().__call__(x) - 1.0
            return super().__call__(x)

    def nested(x: Any) -> Any:
        inner = lambda v: v if v < 0.0 else Shifted(2.0)(v)  # noqa: E731
        return tf.cond(x > 5.0, lambda: inner(x), lambda: tf.map_fn(inner, tf.stack([x, -x]))[1])

    assert [float(run(nested, x)) for x in (200.0, 10.0, 3.0)] == [399.0, 20.0, -3.0]


def test_state_that_only_one_path_changes(run: Any) -> None:
    total, mean = tf.Variable(0.0), tf.keras.metrics.Mean()

    def step(x: Any) -> Any:
        if x > 0.0:
            total.assign_add(x)
            mean.update_state(x)
        for k in tf.range(3):
            if tf.cast(k, tf.float32) > x:
                break
            total.assign_add(10.0)
        return total.read_value()

    function = [run(step, x) for x in (1.0, -1.0, 5.0)]
    assert [float(v) for v in function] == [21.0, 21.0, 56.0]
    assert float(mean.result()) == 3.0


def test_a_list_is_filled_in_a_loop_over_known_numbers(run: Any) -> None:
    def cumulated(x: Any) -> Any:
        found, total = [], tf.zeros([2])
        for i in range(3):
            total = total + x[i] if tf.reduce_sum(x[i]) > 0.0 else total
            found.append(total)
        return tf.stack(found)

    x = np.float32([[1, 2], [-3, -3], [4, 4]])
    assert np.asarray(run(cumulated, x)).tolist() == [[1, 2], [1, 2], [5, 6]]


def test_an_assertion_on_a_tensor_is_checked_when_the_program_runs(run: Any) -> None:
    def root(x: Any) -> Any:
        assert x >= 0.0, "no root"
        return tf.sqrt(x)

    assert float(run(root, 4.0)) == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="no root"):
        run(root, -4.0)


def test_printed_tensors_are_those_of_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def shown(x: Any) -> Any:
        if x > 0.0:
            print("above", x)
        return x

    for x in (1.0, -1.0, 2.0):
        shown(tf.constant(x)).block_until_ready()
    assert capsys.readouterr().out.splitlines() == ["above 1.0", "above 2.0"]


def test_an_unconverted_function_decides_in_python() -> None:
    @tf.autograph.experimental.do_not_convert
    def sign(x: Any) -> Any:
        return 1.0 if x > 0.0 else -1.0

    with pytest.raises(TracedDecisionError, match="asks for the value of a tensor"):
        tf.distribute.OneDeviceStrategy("CPU:0").run(sign, (tf.constant(1.0),))


def test_without_autograph_a_function_runs_in_python(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function(autograph=False)
    def sign(x: Any) -> Any:
        return 1.0 if x > 0.0 else -1.0

    assert sign(tf.constant(-3.0)) == -1.0
    assert "runs in Python" in caplog.text


def test_a_branch_that_raises_takes_the_function_to_python_in_python(caplog: pytest.LogCaptureFixture) -> None:
    @tf.function
    def checked(x: Any) -> Any:
        if x < 0.0:
            raise KeyError("negative")
        return x

    assert float(checked(tf.constant(1.0))) == 1.0
    with pytest.raises(KeyError, match="negative"):
        checked(tf.constant(-1.0))
    assert "a branch or loop raises KeyError" in caplog.text


def lines_of(function: Callable[..., Any]) -> dict[str, int]:
    """The line numbers of a function's statements, by their text."""
    import inspect

    text, first = inspect.getsourcelines(function)
    return {line.strip(): first + i for i, line in enumerate(text)}


def one_path(x: Any) -> Any:
    if x > 0.0:
        y = x
    return y


def another_shape(x: Any) -> Any:
    y = tf.zeros([2])
    while x > 0.0:
        y = tf.concat([y, y], 0)
        x -= 1.0
    return y


def another_dtype(x: Any) -> Any:
    if x > 0.0:
        y, z = tf.constant(1), 0
    else:
        y, z = x, 0
    return y + z


def another_structure(x: Any) -> Any:
    return (x, x) if x > 0.0 else x


@pytest.mark.parametrize(
    ("function", "line", "text"),
    [
        (one_path, "if x > 0.0:", "'y' gets a value on one path only"),
        (another_shape, "while x > 0.0:", r"'y' has shape \(2,\).* before the loop, and shape \(4,\).* after a round"),
        (
            another_dtype,
            "if x > 0.0:",
            r"'y' is a tensor of shape \(\) and dtype .*32 on one path and a tensor of shape",
        ),
        (another_structure, "return (x, x) if x > 0.0 else x", "on one path and"),
    ],
)
def test_what_no_program_can_have_is_an_error_with_name_and_line(
    function: Callable[..., Any], line: str, text: str
) -> None:
    with pytest.raises(TypeError, match=text) as error:
        tf.distribute.OneDeviceStrategy("CPU:0").run(function, (tf.constant(1.0),))
    assert f"{__file__}:{lines_of(function)[line]}: " in str(error.value)


def test_outside_of_replicas_such_code_runs_in_python() -> None:
    assert np.asarray(tf.function(another_shape)(tf.constant(2.0))).shape == (8,)


def test_an_error_shows_the_users_file_and_line() -> None:
    def wrong(x: Any) -> Any:
        for _ in tf.range(3):
            if x > 0.0:
                x = tf.matmul(x, x)
        return x

    with pytest.raises(Exception, match="ndim") as error:
        tf.distribute.OneDeviceStrategy("CPU:0").run(wrong, (tf.constant(1.0),))
    frames = [(f.filename, f.lineno) for f in traceback_of(error.value)]
    assert (__file__, lines_of(wrong)["x = tf.matmul(x, x)"]) in frames


def traceback_of(error: BaseException) -> Any:
    import traceback

    return traceback.extract_tb(error.__traceback__)


def test_the_text_of_a_conversion_can_be_read() -> None:
    text = tf.autograph.to_code(another_dtype)
    assert "ag__.if_stmt" in text
    assert "def another_dtype(x: Any)" in text
    with pytest.raises(ValueError, match="no Python function"):
        tf.autograph.to_code(np.add)


def test_a_function_without_source_runs_unconverted() -> None:
    namespace: dict[str, Any] = {}
    exec("def sign(x):\n    return 1.0 if x > 0 else -1.0", namespace)
    assert tf.function(namespace["sign"])(tf.constant(2.0)) == 1.0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if x > 2.0:", "if x > 1.0:"),  # another number
        ("if x > 2.0:", "if abs(x) > 2.0:"),  # another name
        ("def sign(x):", "def sign(y, x):"),  # other parameters
        ("def sign", "\ndef sign"),  # another line
        ("def sign", "def other(x):\n    return x\ndef sign"),  # another function at its line
    ],
)
def test_a_file_that_has_changed_since_its_import_runs_in_python_as_it_was(
    before: str, after: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Equal code in another file would be the same program.
    text = f"def sign(x):\n    if x > 2.0:\n        return 1.0\n    file = {tmp_path.name!r}\n    return -1.0\n"
    path = tmp_path / "edited.py"
    path.write_text(text)
    namespace: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), namespace)
    path.write_text(text.replace(before, after))
    assert [float(tf.function(namespace["sign"])(tf.constant(x))) for x in (1.5, 3.0)] == [-1.0, 1.0]
    assert sum("has changed since it was imported" in m for m in caplog.messages) == 1


def test_a_function_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing else tells how often code is converted.
    from stratagem._autograph import _calls

    made = []
    original = _calls._transpiler._factory
    monkeypatch.setattr(_calls._transpiler, "_factory", lambda function: made.append(function) or original(function))

    def sign(x: Any) -> Any:
        return 1.0 if tf.reduce_sum(x) > 0 else -1.0

    step = tf.function(lambda x: sign(x) + sign(-x))
    for size in (1, 2, 3):
        assert float(step(tf.ones([size]))) == 0.0
    assert len(made) == 2


def test_a_loop_over_rows_that_breaks_has_a_gradient(run: Any) -> None:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.constant(0.0)
            for row in x:
                if row > 10.0:
                    break
                total += row * row
        return tape.gradient(total, x)

    assert np.asarray(run(gradient, np.float32([1, 2, 20, 3]))).tolist() == [2.0, 4.0, 0.0, 0.0]


@pytest.mark.parametrize(("factor", "rounds"), [(3.0, 5), (1.1, 49), (1.001, 4608)])
def test_a_loop_of_unknown_length_has_a_gradient(factor: float, rounds: int, run: Any) -> None:
    def gradient(x: Any, factor: Any) -> Any:
        count = 0
        with tf.GradientTape() as tape:
            tape.watch([x, factor])
            y = x
            while y < 100.0:
                y = y * factor
                count += 1
        return [count, *tape.gradient(y, [x, factor])]

    count, to_x, to_factor = run(gradient, 1.0, factor)
    assert int(count) == rounds
    assert float(to_x) == pytest.approx(factor**rounds, rel=1e-3)
    assert float(to_factor) == pytest.approx(rounds * factor ** (rounds - 1), rel=1e-3)


@pytest.mark.sampled
def test_a_loop_of_unknown_length_has_a_second_derivative(run: Any) -> None:
    def second(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x
                while y < 50.0:
                    y = y * x
            slope = inner.gradient(y, x)
        return y, slope, outer.gradient(slope, x)

    powers = [1.5**10, 10 * 1.5**9, 90 * 1.5**8]
    assert [float(v) for v in run(second, 1.5)] == pytest.approx(powers, rel=1e-5)


@pytest.mark.parametrize("name", ["map_fn", "foldl", "scan"])
def test_rows_of_64_bits_keep_them(name: str) -> None:
    x = np.array([[1.0 + 1e-12, 2.0], [3.0, 4.0 + 1e-12]])

    def step() -> Any:
        rows = tf.constant(x, tf.float64) + tf.zeros([2, 2], tf.float64)
        if name == "map_fn":
            return tf.map_fn(lambda row: row * 1.0, rows)
        return getattr(tf, name)(lambda carry, row: carry * 0.0 + row, rows, initializer=tf.zeros([2], tf.float64))

    np.testing.assert_array_equal(tf.function(step)(), x[1] if name == "foldl" else x)


@pytest.mark.parametrize("word", ["and", "or"])
def test_the_second_side_acts_only_where_python_asks_for_it(word: str, run: Any) -> None:
    asked = tf.Variable(0)

    def second() -> Any:
        asked.assign_add(1)
        return asked > 0

    def both(x: Any) -> Any:
        return (x > 0 and second()) if word == "and" else (x > 0 or second())

    found = [bool(run(both, x)) for x in (1.0, -1.0, -1.0)]
    assert found == ([True, False, False] if word == "and" else [True, True, True])
    assert int(asked.numpy()) == (1 if word == "and" else 2)


def test_a_function_that_leaves_its_trace_goes_on_in_python() -> None:
    left: list[Any] = []

    @tf.function
    def step(x: Any) -> Any:
        def total(rows: Any) -> Any:
            found = tf.constant(0.0)
            for row in rows:
                if row > 2.0:
                    break
                found += row
            return found

        left.append(total)
        return total(x)

    x = tf.range(100.0)
    assert float(step(x)) == float(left[-1](x)) == 3.0


def test_an_element_drawn_in_a_branch_is_drawn_only_there_in_python() -> None:
    iterator = iter(tf.data.Dataset.range(10))

    @tf.function
    def step(x: Any) -> Any:
        return next(iterator) if x > 0 else tf.constant(-1, tf.int64)

    assert [int(step(tf.constant(x))) for x in (-1, 1, -1, 1)] == [-1, 0, -1, 1]


def test_a_loop_whose_values_change_their_shape_runs_in_python() -> None:
    @tf.function
    def grown(count: Any) -> Any:
        shapes = (tf.TensorShape([]), tf.TensorShape([None]))
        start = (tf.constant(0), tf.zeros([1]))
        return tf.while_loop(lambda i, _: i < count, lambda i, a: (i + 1, tf.concat([a, [1.0]], 0)), start, shapes)[1]

    assert np.asarray(grown(tf.constant(2))).tolist() == [0, 1, 1]
