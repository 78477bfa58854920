"""Datasets that a graph describes with its tensors: what a session makes of them, and what they refuse."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._base.errors import ContextError

v1 = tf.compat.v1


@pytest.fixture
def session() -> Iterator[Any]:
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def drawn(session: Any, element: Any) -> list[Any]:
    found = []
    while True:
        try:
            found.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return found


def test_names_of_files_are_fed(session: Any, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_text(f"{name}\n{name * 3}\n")
    names = v1.placeholder(tf.string, [None], name="names")
    lines = tf.data.TextLineDataset(names).map(tf.strings.length).batch(3)
    iterator = v1.data.Iterator.from_structure(tf.int32, [None])
    begin, element = iterator.make_initializer(lines), iterator.get_next()
    session.run(begin, {names: [str(tmp_path / "b"), bytes(tmp_path / "a")]})
    assert [batch.tolist() for batch in drawn(session, element)] == [[1, 3, 1], [3]]
    session.run(begin, {"names:0": [str(tmp_path / "a")]})
    assert [batch.tolist() for batch in drawn(session, element)] == [[1, 3]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'names'"):
        session.run(begin)
    for value, error in (([1], TypeError), ("a", ValueError)):
        with pytest.raises(error, match="names:0"):
            session.run(begin, {names: value})


def test_elements_that_files_alone_tell_need_a_structure(session: Any) -> None:
    names = v1.placeholder(tf.string, [None])
    rows = tf.data.TFRecordDataset(names).map(
        lambda r: tf.io.parse_single_example(r, {"a": tf.io.VarLenFeature(tf.int64)})
    )
    assert repr(rows) == "<Dataset element_spec=unknown until the first element>"
    with pytest.raises(tf.errors.UnimplementedError, match=r"Iterator\.from_structure\(types, shapes\)"):
        v1.data.make_initializable_iterator(rows)


def test_a_dataset_of_other_elements_than_the_iterators_is_refused_by_the_run_that_makes_it(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None])
    iterator = v1.data.Iterator.from_structure((tf.float32, tf.float32), ([], []))
    begin = iterator.make_initializer(tf.data.Dataset.from_tensor_slices(x))
    with pytest.raises(TypeError, match="the dataset has elements"):
        session.run(begin, {x: [1.0]})


def test_only_a_session_has_its_elements(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    rows = tf.data.Dataset.from_tensor_slices([x, x]).batch(4, drop_remainder=True)
    assert rows.element_spec == tf.TensorSpec([4, None, 2])
    assert tf.data.Dataset.from_tensors(x).batch(2).element_spec == tf.TensorSpec([None, None, 2])
    with pytest.raises(ValueError, match="Cannot capture a placeholder by value"):
        v1.data.make_one_shot_iterator(rows)
    for use in (lambda: next(rows.as_numpy_iterator()), lambda: rows.reduce(0, lambda s, _: s)):
        with pytest.raises(
            (ContextError, tf.errors.UnimplementedError), match=r"values in a session|before Session\.run"
        ):
            use()
    assert rows.apply(lambda dataset: dataset.skip(1)).element_spec == rows.element_spec


def test_what_cannot_be_made_is_an_error_where_its_elements_are_asked_for(session: Any) -> None:
    x = v1.placeholder(tf.float32, [None])
    with pytest.raises(tf.errors.UnimplementedError, match="must be an integer"):
        v1.data.make_initializable_iterator(tf.data.Dataset.from_tensor_slices(x).batch(x))


def test_outside_of_the_graph_its_datasets_say_where_they_belong() -> None:
    with tf.Graph().as_default():
        rows = tf.data.Dataset.range(v1.placeholder(tf.int64, []))
    with pytest.raises(ContextError, match=r"session\.run\(iterator\.initializer, feed_dict\)"):
        list(rows.map(lambda x: x + 1))
    assert [int(x) for x in tf.data.Dataset.range(2)] == [0, 1]
