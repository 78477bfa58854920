"""Strings in a step: the host computes with them before each run of the step's program, with that run's strings."""

import itertools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import ContextError, TracedDecisionError
from stratagem._core.step import IdentityKey, StepSequence, default_mesh, host_function, pure_host_function
from tests.core.step.counting import strategies
from tests.core.step.observing import programs_made

WORDS = ["a", "bb", "ccc", "dddd", "", "f", "gg", "hhh"]


def lengths(words: Sequence[str]) -> list[int]:
    return [len(word) for word in words]


def of_each(strategy: Any, words: Sequence[str], rows: int) -> Any:
    """The words in batches over the replicas."""
    return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(list(words)).batch(rows))


def local(strategy: Any, value: Any) -> list[Any]:
    return [np.asarray(v).tolist() for v in strategy.experimental_local_results(value)]


def test_a_function_returns_the_strings_that_it_is_given_in_every_number() -> None:
    returned = tf.function(lambda words: (words, tf.constant(1)))
    for words in (["a", "b"], ["c"]):
        assert np.asarray(returned(tf.constant(words))[0]).tolist() == [word.encode() for word in words]


def test_a_function_computes_with_the_strings_of_each_call() -> None:
    traces = []

    @tf.function
    def doubled(words: Any) -> Any:
        traces.append(words)
        return tf.strings.length(words) * 2, tf.strings.upper(words)

    for words in (["a", "bb"], ["ccc", "d"], ["", "é"]):
        numbers, upper = doubled(tf.constant(words))
        assert np.asarray(numbers).tolist() == [2 * len(word.encode()) for word in words]
        assert upper.numpy().tolist() == [word.encode().upper() for word in words]
    assert len(traces) == 1
    assert np.asarray(doubled(tf.constant(["abc"]))[0]).tolist() == [6]
    assert doubled.experimental_get_tracing_count() == 2


@pytest.mark.parametrize("kind", strategies())
def test_each_replica_computes_with_its_own_strings(kind: str) -> None:
    strategy = strategies()[kind]

    def step(words: Any) -> Any:
        return tf.reduce_sum(tf.strings.length(words)), tf.strings.join([words, "!"])

    found, joined = [], []
    for words in of_each(strategy, WORDS, 4):
        total, marked = strategy.run(step, args=(words,))
        found += local(strategy, total)
        joined += [word for part in local(strategy, marked) for word in part]
    rows = 4 // strategy.num_replicas_in_sync
    assert found == [sum(lengths(WORDS[i : i + rows])) for i in range(0, len(WORDS), rows)]
    assert joined == [f"{word}!".encode() for word in WORDS]


def test_strings_that_a_function_draws_are_those_of_the_element() -> None:
    strategy = strategies()["two replicas"]
    traces = []

    @tf.function
    def step(iterator: Any) -> Any:
        traces.append(iterator)
        per_replica = strategy.run(lambda words: tf.reduce_sum(tf.strings.length(words)), args=(next(iterator),))
        return strategy.reduce("SUM", per_replica, axis=None)

    iterator = iter(of_each(strategy, WORDS, 2))
    assert [int(step(iterator)) for _ in range(4)] == [3, 7, 1, 5]
    assert len(traces) == 1


def test_the_rows_of_an_uneven_batch_of_strings_are_those_of_their_replicas() -> None:
    strategy = strategies()["two replicas"]

    def step(words: Any, numbers: Any) -> Any:
        return tf.reduce_sum(tf.strings.length(words) * numbers)

    dataset = tf.data.Dataset.from_tensor_slices((WORDS[:5], np.arange(5, dtype=np.int32))).batch(3)
    found = [
        local(strategy, strategy.run(step, args=batch)) for batch in strategy.experimental_distribute_dataset(dataset)
    ]
    assert found == [[0 * 1 + 1 * 2, 2 * 3], [3 * 4, 4 * 0]]


def test_a_number_made_of_strings_trains_a_variable() -> None:
    variable = tf.Variable([1.0, 2.0])

    @tf.function
    def gradient(words: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(variable * tf.cast(tf.strings.length(words), tf.float32))
        found = tape.gradient(loss, variable)
        variable.assign_sub(0.5 * found)
        return found

    assert np.asarray(gradient(tf.constant(["abc", "d"]))).tolist() == [3, 1]
    assert np.asarray(gradient(tf.constant(["", "gg"]))).tolist() == [0, 2]
    assert variable.numpy().tolist() == [1.0 - 1.5, 2.0 - 0.5 - 1.0]


def test_numbers_of_the_step_become_strings_before_it() -> None:
    strategy = strategies()["two replicas"]

    def step(numbers: Any) -> Any:
        return tf.strings.length(tf.strings.as_string(numbers))

    assert local(strategy, strategy.run(step, args=(tf.constant([5, 10]),))) == [[1, 2], [1, 2]]
    assert local(strategy, strategy.run(step, args=(tf.constant([123, -1]),))) == [[3, 2], [3, 2]]


def test_a_number_that_the_step_computes_becomes_no_string() -> None:
    def step(words: Any) -> Any:
        return tf.strings.as_string(tf.strings.length(words) + 1)

    words = tf.constant(["a", "bbb"])
    assert tf.function(step)(words).numpy().tolist() == [b"2", b"4"], "a function goes on in Python"
    with pytest.raises(TracedDecisionError, match=r"strings\.as_string of strings, which stay on the host"):
        strategies()["two replicas"].run(step, args=(words,))
    with pytest.raises(TracedDecisionError, match="substr with strings and with a tensor that it computes itself"):
        strategies()["two replicas"].run(
            lambda words: tf.strings.substr(words, 0, tf.strings.length(words) - 1), args=(words,)
        )


@pytest.mark.parametrize("use", [lambda words: words.numpy(), lambda words: tf.print(words), np.asarray, bool])
def test_python_that_asks_for_strings_runs_as_python(use: Any) -> None:
    words = [tf.constant(word) for word in ("abc", "")]

    @tf.function
    def length(word: Any) -> Any:
        use(word)
        return tf.strings.length(word)

    assert [int(length(word)) for word in words] == [3, 0]
    with pytest.raises(TracedDecisionError, match="asks for the strings of a tensor"):
        strategies()["two replicas"].run(length.python_function, args=(words[0],))


@pytest.mark.parametrize("compute", [jnp.asarray, lambda words: tf.one_hot(words, 3), keras.layers.Dense(2)])
def test_strings_in_a_computation_are_refused_where_they_enter_it(compute: Any) -> None:
    with pytest.raises(TracedDecisionError, match=r"A tensor of strings of shape \[2, 1\] would have to enter"):
        tf.function(compute)(tf.constant([["a"], ["b"]]))


MOVED = {
    "reshape": lambda words: tf.reshape(words, [-1]),
    "concat": lambda words: tf.concat([words, words], 0),
    "where": lambda words: tf.where(words == "a", words, "z"),
    "gather": lambda words: tf.gather(words, [1], axis=1),
    "transpose": tf.transpose,
    "brackets": lambda words: words[1, :],
    "rows": lambda words: [row[0] for row in words],
    "expand_dims": lambda words: tf.expand_dims(words, -1),
    "identity": tf.identity,
    "cast": lambda words: tf.cast(words, tf.string),
    "+": lambda words: words + tf.constant("!") + words,
    "constant +": lambda words: tf.constant("!") + words,
    "!=": lambda words: words != "a",
    "unique": lambda words: tf.unique(tf.reshape(words, [-1]))[0],
    "shape": lambda words: (tf.shape(words), tf.size(words), len(words), words.get_shape(), words.ndim),
    "split": lambda words: tf.strings.split(words[0, 0]),
    "io": lambda words: tf.io.decode_base64(tf.io.encode_base64(words)),
    "parse": lambda words: tf.io.parse_tensor(tf.io.serialize_tensor(words), tf.string),
}


@pytest.mark.parametrize("name", MOVED)
def test_a_replica_does_with_strings_what_is_done_outside(name: str) -> None:
    first, second = tf.constant([["a", "b c"], ["", "d"]]), tf.constant([["x y", "a"], ["a", "é"]])
    run = strategies()["one device"].run

    def shown(result: Any) -> Any:
        return [np.asarray(leaf).tolist() for leaf in tf.nest.flatten(result)]

    for words in (first, second, first):
        assert shown(run(MOVED[name], args=(words,))) == shown(MOVED[name](words))


def test_a_shape_that_depends_on_strings_has_a_program_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)

    def padded(words: Any) -> Any:
        distinct = tf.unique(words)[0]
        suffix = "!" if distinct.shape[0] > 1 else "?"  # Python decides by the shape
        joined = tf.strings.join([distinct, suffix])
        return tf.reduce_sum(tf.strings.length(joined)), joined

    function = tf.function(padded)
    for words in (["a", "a"], ["a", "bb"], ["c", "c"], ["dd", "e"], ["f", "f"]):
        total, joined = function(tf.constant(words))
        distinct = list(dict.fromkeys(words))
        suffix = "!" if len(distinct) > 1 else "?"
        assert joined.numpy().tolist() == [f"{word}{suffix}".encode() for word in distinct]
        assert int(total) == sum(map(len, distinct)) + len(distinct)
    assert len(made) == 2, "one program for each shape"


def test_the_number_of_strings_alone_makes_another_program() -> None:
    """Nothing that enters the program has another shape, but Python has made a constant of the strings' own."""
    function = tf.function(lambda text: tf.strings.length(text) * tf.strings.split(text).shape[0])
    for text in ("a a", "a b c", "d", "e f", "g h i"):
        assert int(function(tf.constant(text))) == len(text) * len(text.split())


def test_code_that_calls_other_functions_in_every_trace_has_those_of_its_one_trace() -> None:
    traces: list[Any] = []

    def step(words: Any) -> Any:
        traces.append(words)
        return (tf.strings.lower if len(traces) % 2 else tf.strings.upper)(words)

    function = tf.function(step)
    for word in ("Ab", "cD"):
        assert function(tf.constant([word])).numpy().tolist() == [word.lower().encode()]
    assert len(traces) == 1


def test_a_function_of_the_host_whose_results_have_a_new_shape_at_every_call_is_told_so() -> None:
    counts = itertools.count(1)
    grown = host_function(lambda words: np.zeros(next(counts), "float32"))

    with pytest.raises(ContextError, match="did something else in each of 4 traces"):
        tf.function(lambda words: tf.reduce_sum(grown(words)))(tf.constant(["a"]))


def test_a_program_of_an_earlier_shape_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    function = tf.function(lambda words: tf.reduce_sum(tf.strings.length(tf.unique(words)[0])))
    for words in (["a", "a"], ["a", "bb"]):
        function(tf.constant(words))
    made = programs_made(monkeypatch)
    for words, total in ((["c", "c"], 1), (["dd", "e"], 3), (["", ""], 0), (["a", "bbb"], 4)):
        assert int(function(tf.constant(words))) == total
    assert not made


def test_the_host_computes_anew_at_every_call() -> None:
    """What a host function reads besides its tensors, it reads at every call."""
    marks = ["!"]

    @host_function
    def marked(words: Any) -> Any:
        return tf.strings.join([words, marks[0]])

    function = tf.function(lambda words: tf.strings.length(marked(words)))
    assert np.asarray(function(tf.constant(["a"]))).tolist() == [2]
    marks[0] = "?!"
    assert np.asarray(function(tf.constant(["a"]))).tolist() == [3]


@pytest.mark.parametrize("kind", strategies())
def test_a_pure_function_of_the_host_is_called_once_a_step_for_equal_arguments(kind: str) -> None:
    strategy, calls = strategies()[kind], []

    @pure_host_function
    def cut(words: Any, size: int) -> Any:
        calls.append(size)
        return tf.strings.substr(words, 0, size)

    def total(words: Any, size: int) -> Any:
        return tf.reduce_sum(tf.strings.length(cut(words[1:], size)))

    def step(words: Any, flag: Any) -> Any:
        again = tf.cond(flag, lambda: total(words, 1), lambda: 10 * total(words, 1))
        return total(words, 1) + total(words, 1) + total(words, 2) + again

    for words in (["xx", "bb", "ccc"], ["x", "", "ddd"]):
        for flag in (True, False):
            calls.clear()
            found = local(strategy, strategy.run(step, args=(tf.constant(words), tf.constant(flag))))
            one, two = (sum(len(word[:size]) for word in words[1:]) for size in (1, 2))
            assert found == [one * (3 if flag else 12) + two] * strategy.num_replicas_in_sync
    # What a branch makes has a place of its own in the program.
    assert sorted(calls) == [1, 1, 1, 2]


@pytest.mark.parametrize("decorate", [host_function, pure_host_function])
def test_only_what_a_pure_function_makes_is_prepared_for_a_step_that_may_never_come(decorate: Any) -> None:
    calls: list[str] = []

    @decorate
    def marked(words: Any) -> Any:
        calls.append(words.numpy()[0].decode())
        return tf.strings.join([words, "!"])

    counter = tf.Variable(0)

    def body(words: Any) -> Any:
        counter.assign_add(1)
        return tf.strings.length(marked(words)), counter.value

    steps = StepSequence(body, IdentityKey(body), "a step", default_mesh())
    first, second, third = (tf.constant([word]) for word in ("a", "bb", "ccc"))
    results = [steps.begin((first,))()]
    assert calls == ["a"] * len(calls), "as often as it was traced, and once for the program"
    calls.clear()
    steps.prepare((second,))
    assert calls == (["bb"] if decorate is pure_host_function else [])
    results.append(steps.begin((second,))())
    assert calls == ["bb"]
    steps.prepare((first,))
    results.append(steps.begin((third,))())  # another than was expected
    assert [(np.asarray(n).tolist(), int(count)) for n, count in results] == [([2], 1), ([3], 2), ([4], 3)]


def test_strings_of_a_step_that_is_over_are_refused() -> None:
    kept: list[Any] = []
    tf.function(lambda words: kept.append(words) or tf.strings.length(words))(tf.constant(["a"]))
    with pytest.raises(ContextError, match="belongs to a step that was being traced and is over"):
        tf.strings.length(kept[0]) if tf.inside_function() else kept[0] == "a"


def test_a_wrong_string_is_the_error_of_the_function_that_reads_it() -> None:
    function = tf.function(lambda words: tf.strings.to_number(words) * 2)
    assert np.asarray(function(tf.constant(["1", "2.5"]))).tolist() == [2, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not convert"):
        function(tf.constant(["1", "two"]))
    assert np.asarray(function(tf.constant(["3", "4"]))).tolist() == [6, 8]


@pytest.mark.parametrize(
    "start", [0, tf.constant(0), np.int64(0), np.zeros((), "int32")], ids=lambda v: type(v).__name__
)
def test_constants_that_each_trace_makes_are_the_same_calls(start: Any) -> None:
    traces: list[int] = []

    @tf.function
    def count(texts: Any) -> Any:
        traces.append(1)
        first = tf.strings.substr(texts, start, tf.constant(9))
        return tf.reduce_sum(tf.strings.length(tf.strings.split(first).flat_values))

    for i in range(6):
        assert int(count(tf.constant([["a b"], ["a b c"]][i % 2]))) == 2 + i % 2
    assert len(traces) <= 2


def test_a_long_chain_of_calls_is_traced_in_the_time_of_its_calls() -> None:
    rules = 60  # a trace that goes back through all paths would take 2 ** 60 steps

    @tf.function
    def mapped(texts: Any) -> Any:
        for i in range(rules):
            texts = tf.where(tf.equal(texts, f"w{i}"), f"w{i + 1}", texts)
        return tf.strings.length(texts)

    assert mapped(tf.constant(["w1", "q"])).numpy().tolist() == [3, 1]
