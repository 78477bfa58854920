"""Strings in graphs: what runs make of them, and what is refused. (Whole programs: `string_programs.py`.)"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.tf1.sessions.string_programs import IMAGES

v1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_a_placeholder_of_strings_is_a_tensor_of_the_graph(session: Any) -> None:
    words = v1.placeholder(tf.string, [None], name="words")
    assert (words.name, repr(words)) == ("words:0", "<tf.Tensor 'words:0' shape=(None,) dtype=string>")
    assert words.graph is session.graph
    assert session.graph.get_tensor_by_name("words:0") is words
    assert session.run([words, words + "!"], {words: ["a", b"b"]})[1].tolist() == [b"a!", b"b!"]
    assert session.run("words:0", {"words:0": ["c"]}).tolist() == [b"c"]  # another size, and nothing to compute
    with pytest.raises(tf.errors.InvalidArgumentError, match="value for placeholder tensor 'words' with dtype string"):
        session.run(tf.strings.length(words))
    for value, error in (([1], TypeError), ("a", ValueError)):
        with pytest.raises(error, match="words:0"):
            session.run(words, {words: value})


def test_what_the_graph_computes_is_not_known_before_a_run(session: Any) -> None:
    words, numbers = v1.placeholder(tf.string, [None]), v1.placeholder(tf.int32, [])
    assert session.run(tf.strings.substr(words, numbers, 1), {words: ["abc"], numbers: 1}).tolist() == [b"b"]
    with pytest.raises(tf.errors.UnimplementedError, match="strings and with a tensor that it computes itself"):
        tf.strings.substr(words, numbers + 1, 1)
    with pytest.raises(tf.errors.UnimplementedError, match=r"before Session\.run"):
        np.asarray(words)


def test_sizes_that_strings_tell_are_those_of_each_run(session: Any) -> None:
    texts = v1.placeholder(tf.string, [None])
    words = v1.string_split(texts)
    count = tf.shape(words.values)[0]
    lengths = v1.SparseTensor(words.indices, tf.strings.length(words.values), words.dense_shape)
    dense = v1.sparse_tensor_to_dense(lengths)
    table = v1.Variable(np.eye(4, dtype=np.float32))
    rows = tf.nn.embedding_lookup(table, dense)
    session.run(v1.global_variables_initializer())
    for given, expected in (
        (["a bb", "ccc"], [[1, 2], [3, 0]]),
        (["a"], [[1]]),
        (["", "bb a a"], [[0, 0, 0], [2, 1, 1]]),
    ):
        number, found, table_rows = session.run([count, dense, rows], {texts: given})
        assert (number, found.tolist()) == (np.count_nonzero(expected), expected)
        np.testing.assert_array_equal(table_rows, np.eye(4)[expected])
    assert session.run(count, {texts: ["a b c"]}) == 3


def test_sizes_that_the_graph_takes_to_be_equal_are_compared(session: Any) -> None:
    words, numbers = v1.placeholder(tf.string, [None], name="words"), v1.placeholder(tf.int32, [None], name="numbers")
    total = tf.strings.length(words) + numbers
    assert session.run(total, {words: ["a", "bb"], numbers: [1, 1]}).tolist() == [2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="taken to be equal"):
        session.run(total, {words: ["a", "bb"], numbers: [1, 1, 1]})


def test_without_a_shape_strings_are_fed_to_datasets_in_any_and_to_functions_as_a_scalar(session: Any) -> None:
    words = v1.placeholder(tf.string, name="words")
    length = tf.strings.length(words)
    assert session.run(length, {words: "abc"}) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"words:0 is fed strings of shape \(2,\).*give it one"):
        session.run(length, {words: ["a", "b"]})
    iterator = v1.data.Iterator.from_structure(tf.string, [])
    begin, element = iterator.make_initializer(tf.data.Dataset.from_tensor_slices(words)), iterator.get_next()
    session.run(begin, {words: ["a", "b"]})
    assert [session.run(element), session.run(element)] == [b"a", b"b"]


def test_an_error_of_a_function_says_that_it_saw_strings_that_stand_for_those_of_runs(session: Any) -> None:
    words = v1.placeholder(tf.string, [])
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        v1.string_split(words)
    assert "while the graph is built" in raised.value.__notes__[0]


def test_sizes_of_images_are_those_of_each_run(session: Any) -> None:
    data = v1.placeholder(tf.string, [])
    image = tf.image.decode_png(data, channels=3)
    fetches = [tf.image.resize(image, [3, 4]), tf.image.random_crop(image, [2, 2, 3])]
    for given in (IMAGES[0], IMAGES[1][:4]):
        with tf.init_scope():
            text = tf.io.encode_png(given).numpy()
            expected = np.asarray(tf.image.resize(given, [3, 4]))
        resized, crop = session.run(fetches, {data: text})
        np.testing.assert_allclose(resized, expected, rtol=1e-5)
        places = [(i, j) for i in range(given.shape[0] - 1) for j in range(given.shape[1] - 1)]
        assert any((given[i : i + 2, j : j + 2] == crop).all() for i, j in places)


def test_strings_of_two_iterators_are_drawn_once_a_run(session: Any) -> None:
    first, second = (
        v1.data.make_one_shot_iterator(tf.data.Dataset.from_tensor_slices(words)) for words in (["a", "b"], ["b", "b"])
    )
    left, right = first.get_next(), second.get_next()
    assert session.run(tf.strings.join([left, right])) == b"ab"
    assert session.run([left, tf.equal(left, right), tf.strings.to_hash_bucket_fast(right, 1)]) == [b"b", True, 0]


def _identity_of_a_call(words: Any, assigned: Any) -> Any:
    with tf.control_dependencies([assigned]):
        return tf.identity(tf.strings.upper(words))


def _identity_of_an_earlier_call(words: Any, assigned: Any) -> Any:
    upper = tf.strings.upper(words)
    with tf.control_dependencies([assigned]):
        return tf.identity(upper)


def _identity_of_what_is_fed(words: Any, assigned: Any) -> Any:
    with tf.control_dependencies([assigned]):
        return tf.identity(words)


def _numbers_of_a_call(words: Any, assigned: Any) -> Any:
    with tf.control_dependencies([assigned]):
        lengths = tf.strings.length(words)
    return lengths * 2


def _a_call_of_a_call(words: Any, assigned: Any) -> Any:
    with tf.control_dependencies([assigned]):
        upper = tf.strings.upper(words)
    return tf.strings.length(tf.strings.join([upper, "x"]))


def _the_same_call_twice(words: Any, assigned: Any) -> Any:
    tf.strings.length(words)
    with tf.control_dependencies([assigned]):
        return tf.strings.length(words)


def _a_call_beside_it(words: Any, assigned: Any) -> Any:
    with tf.control_dependencies([assigned]):
        tf.strings.upper(words)
    return tf.strings.length(words)


# With what TensorFlow 2.15.1 returns, and what the variable is then.
DEPENDENT: dict[Callable[[Any, Any], Any], tuple[list[Any], float]] = {
    _identity_of_a_call: ([b"A", b"BC"], 3.0),
    _identity_of_an_earlier_call: ([b"A", b"BC"], 3.0),
    _identity_of_what_is_fed: ([b"a", b"bc"], 3.0),
    _numbers_of_a_call: ([2, 4], 3.0),
    _a_call_of_a_call: ([2, 3], 3.0),
    _the_same_call_twice: ([1, 2], 3.0),
    _a_call_beside_it: ([1, 2], 0.0),
}


@pytest.mark.parametrize("make", DEPENDENT, ids=lambda make: make.__name__)
def test_calls_of_the_host_depend_on_operations_as_other_values_do(make: Callable[[Any, Any], Any]) -> None:
    with tf.Graph().as_default():
        counter = tf.compat.v1.get_variable("counter", initializer=0.0)
        words = tf.compat.v1.placeholder(tf.string, [None])
        made = make(words, counter.assign_add(3.0))
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            found = session.run(made, {words: ["a", "bc"]}).tolist()
            assert (found, float(session.run(counter))) == DEPENDENT[make]
