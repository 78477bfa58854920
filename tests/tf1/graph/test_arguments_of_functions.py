"""Functions of `tf.compat.v1` take arguments in the order of TensorFlow 1, by position and by name, and name their results."""

from pathlib import Path

import pytest

import stratagem as tf


def test_arguments_in_tensorflow_1s_order() -> None:
    v1 = tf.compat.v1
    assert v1.arg_max([[1.0, 2.0, 0.5]], 1).numpy().tolist() == [1]
    assert v1.nn.crelu([1.0, -2.0], "name").numpy().tolist() == [1.0, 0.0, 0.0, 2.0]
    assert v1.strings.length(["abc"], "name", "BYTE").numpy().tolist() == [3]
    assert v1.decode_raw(bytes=[b"\1\0"], out_type=tf.uint8).tolist() == [[1, 0]]
    assert v1.string_to_number(["1.5"], tf.float64).numpy().tolist() == [1.5]
    assert v1.decode_csv(["1,2"], [[0], [0]], ",", True, "name")[1].tolist() == [2]


def test_a_matrix_becomes_the_diagonal_of_a_tensor_of_rank_four() -> None:
    """`diag` is `tensor_diag`, not `tf.linalg.diag`, which makes a batch of matrices."""
    made = tf.compat.v1.diag([[1.0, 2.0], [3.0, 4.0]])
    assert made.shape == (2, 2, 2, 2)
    assert tf.compat.v1.diag_part(made).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_check_says_its_message_by_position() -> None:
    v1 = tf.compat.v1
    with pytest.raises(tf.errors.InvalidArgumentError, match="too small"):
        v1.assert_greater([1], [2], None, None, "too small")
    with pytest.raises(tf.errors.InvalidArgumentError, match="odd"):
        v1.verify_tensor_all_finite([float("nan")], "odd")
    with pytest.raises(ValueError, match="one argument"):
        v1.verify_tensor_all_finite([1.0], "odd", x=[1.0])


def test_constant_can_insist_on_the_shape() -> None:
    v1 = tf.compat.v1
    assert v1.constant(2, tf.int32, [2]).numpy().tolist() == [2, 2]
    assert v1.constant([1, 2], shape=[2], verify_shape=True).numpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="shape"):
        v1.constant(2, tf.int32, [2], "name", verify_shape=True)


def test_files_by_the_names_of_tensorflow_1(tmp_path: Path) -> None:
    gfile = tf.compat.v1.gfile
    gfile.MakeDirs(dirname=tmp_path / "a" / "b")
    assert [Path(top).name for top, _, _ in gfile.Walk(tmp_path, in_order=False)] == ["b", "a", tmp_path.name]
    gfile.Rename(oldname=tmp_path / "a", newname=tmp_path / "c")
    assert gfile.Exists(filename=tmp_path / "c" / "b")


def test_a_function_that_both_versions_share_names_its_result_in_a_graph() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        file = v1.placeholder(tf.string, [])
        assert v1.image.decode_png(file, name="picture").name == "picture:0"
