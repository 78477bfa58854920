"""Ragged and sparse tensors of strings in a step: what needs their row lengths runs on the host, the rest in the program."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.core.step.counting import strategies
from tests.core.step.observing import programs_made

TEXTS = [["a bb", "x"], ["bb bb bb", "a"], ["", "x a"], ["bb", "zz"]]
NUMBERS = {"a": 1, "bb": 2, "x": 3}


def numbers(text: str) -> list[int]:
    return [NUMBERS.get(word, 0) for word in text.split()]


@pytest.fixture(scope="module")
def table() -> Any:
    words = tf.lookup.KeyValueTensorInitializer(list(NUMBERS), list(NUMBERS.values()))
    return tf.lookup.StaticHashTable(words, 0)


def batches(strategy: Any) -> Any:
    flat = [text for texts in TEXTS for text in texts]
    return strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(flat).batch(2))


def by_replica(strategy: Any, step: Any) -> list[Any]:
    """What every replica returns for its texts."""
    found = []
    for batch in batches(strategy):
        parts = strategy.experimental_local_results(strategy.run(step, args=(batch,)))
        found.append([np.asarray(part).tolist() for part in parts])
    return found


def test_words_of_texts_become_a_dense_tensor_of_numbers(table: Any) -> None:
    function = tf.function(lambda texts: table.lookup(tf.strings.split(texts)).to_tensor())
    for texts in TEXTS:
        rows = [numbers(text) for text in texts]
        longest = max(map(len, rows))
        padded = [row + [0] * (longest - len(row)) for row in rows]
        assert np.asarray(function(tf.constant(texts))).tolist() == padded


def test_rows_of_a_ragged_tensor_are_reduced_in_the_program(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    function = tf.function(lambda texts: tf.reduce_sum(table.lookup(tf.strings.split(texts)) * 2, axis=1))
    for texts in TEXTS:
        assert np.asarray(function(tf.constant(texts))).tolist() == [2 * sum(numbers(text)) for text in texts]
    assert len(made) == len({sum(len(text.split()) for text in texts) for texts in TEXTS}), (
        "one for each number of words"
    )


def test_replicas_have_rows_of_different_lengths(table: Any) -> None:
    strategy = strategies()["two replicas"]
    found = by_replica(strategy, lambda texts: table[tf.strings.split(texts)].to_tensor())
    assert found == [[[numbers(text)] for text in texts] for texts in TEXTS]


def test_embeddings_of_sparse_words_are_trained(table: Any) -> None:
    strategy = strategies()["two replicas"]
    with strategy.scope():
        weights = tf.Variable(np.arange(8.0).reshape(4, 2), dtype=tf.float32)
        optimizer = tf.keras.optimizers.SGD(1.0)

    def step(texts: Any) -> Any:
        ids = table.lookup(tf.strings.split(texts)).to_sparse()
        with tf.GradientTape() as tape:
            rows = tf.nn.embedding_lookup_sparse(weights, ids, None, combiner="sum")
            loss = tf.reduce_sum(rows)
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return rows

    expected = np.arange(8.0).reshape(4, 2)
    for texts, found in zip(TEXTS, by_replica(strategy, step), strict=True):
        for text, rows in zip(texts, found, strict=True):
            assert rows == [expected[numbers(text)].sum(axis=0).tolist()]
        for number in (number for text in texts for number in numbers(text)):
            expected[number] -= 1
    assert weights.numpy().tolist() == expected.tolist()


@pytest.mark.parametrize(
    "first", [["a a", "x x", "a a a", "x"], ["a a a", "x", "a a", "x x"], ["a a", "x x", "x a", "a x"]]
)
def test_replicas_have_sizes_of_their_own_where_nothing_else_differs(table: Any, first: list[str]) -> None:
    """Each replica has four words in two texts; the longest text is a size of its program."""
    strategy = strategies()["two replicas"]
    batches = [first, ["x x x", "a", "a", "a a x"], ["x a", "a a", "a x", "x x"]]

    def step(texts: Any) -> Any:
        return tf.sparse.to_dense(table[tf.strings.split(texts)].to_sparse())

    dataset = tf.data.Dataset.from_tensor_slices([text for batch in batches for text in batch]).batch(4)
    for batch, given in zip(batches, strategy.experimental_distribute_dataset(dataset), strict=True):
        found = strategy.experimental_local_results(strategy.run(step, args=(given,)))
        for texts, dense in zip((batch[:2], batch[2:]), found, strict=True):
            rows = [numbers(text) for text in texts]
            longest = max(map(len, rows))
            assert np.asarray(dense).tolist() == [row + [0] * (longest - len(row)) for row in rows]


def test_a_tape_around_a_function_sees_what_its_rows_are_of() -> None:
    function = tf.function(lambda rows: tf.reduce_sum(rows[0] ** 2))
    values = tf.constant([1.0, 2.0, 3.0])
    function(tf.RaggedTensor.from_row_splits(values, [0, 2, 3]))
    with tf.GradientTape() as tape:
        tape.watch(values)
        loss = function(tf.RaggedTensor.from_row_splits(values, [0, 2, 3]))
    assert np.asarray(tape.gradient(loss, values)).tolist() == [2, 4, 0]


@pytest.mark.parametrize(
    ("chosen", "gradient"),
    [
        (lambda rows: rows[1:].flat_values, [0, 0, 6]),
        (lambda rows: tf.gather(rows, [0]).flat_values, [2, 4, 0]),
        (lambda rows: rows.to_sparse().values, [2, 4, 6]),
    ],
)
def test_a_tape_in_a_function_sees_what_its_rows_are_of(chosen: Any, gradient: list[float]) -> None:
    """What a function could take from known values before the step has a gradient, so it is not taken there."""

    def differentiated(rows: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(rows.flat_values)
            loss = tf.reduce_sum(chosen(rows) ** 2)
        return tape.gradient(loss, rows.flat_values)

    rows = tf.RaggedTensor.from_row_splits([1.0, 2.0, 3.0], [0, 2, 3])
    assert np.asarray(tf.function(differentiated)(rows)).tolist() == gradient


def test_strings_of_a_sparse_tensor_become_dense() -> None:
    function = tf.function(lambda texts: tf.sparse.to_dense(tf.strings.split(texts).to_sparse(), default_value="?"))
    assert function(tf.constant(["a b", "c"])).numpy().tolist() == [[b"a", b"b"], [b"c", b"?"]]
    assert function(tf.constant(["a", "b c"])).numpy().tolist() == [[b"a", b"?"], [b"b", b"c"]]
