"""Names of TensorFlow 1 that real programs use and that have no test elsewhere: records, constants, an initializer."""

from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1

IO = tf1.python_io


@pytest.mark.parametrize("number", ["NONE", "ZLIB", "GZIP"])
def test_records_are_written_and_read_one_by_one(number: str, tmp_path: Path) -> None:
    kind = getattr(IO.TFRecordCompressionType, number)
    options, path = IO.TFRecordOptions(kind), str(tmp_path / "records")
    with IO.TFRecordWriter(path, options) as writer:
        for record in (b"one", b"", b"three"):
            writer.write(record)
    name = "" if number == "NONE" else number
    assert IO.TFRecordOptions.get_compression_type_string(options) == name
    for given in (options, kind, name):
        assert list(IO.tf_record_iterator(path, given)) == [b"one", b"", b"three"]
    with tf1.Graph().as_default():
        records = tf1.io.tf_record_iterator(path, options)
        assert next(records) == b"one"
        assert tf1.get_default_graph() is not None
    assert [record.numpy() for record in tf.data.TFRecordDataset(path, name)] == [b"one", b"", b"three"]
    with pytest.raises(ValueError, match="Not a valid compression_type"):
        IO.tf_record_iterator(path, 3)
    with pytest.raises(tf.errors.NotFoundError):
        list(IO.tf_record_iterator(str(tmp_path / "nothing")))


def test_constants_of_saved_models() -> None:
    saved = tf1.saved_model
    assert (saved.tag_constants.SERVING, saved.tag_constants.TRAINING) == ("serve", "train")
    assert saved.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY == "serving_default"
    assert saved.signature_constants.PREDICT_METHOD_NAME == "tensorflow/serving/predict"


def test_an_initializer_that_keeps_the_scale_of_what_it_is_multiplied_with() -> None:
    for made in (tf1.uniform_unit_scaling_initializer(2.0, seed=1), tf1.initializers.uniform_unit_scaling(2.0, seed=1)):
        values = np.asarray(made((4, 25, 40)))
        limit = 2.0 * np.sqrt(3 / 100)
        assert limit * 0.99 < np.abs(values).max() <= limit
        assert abs(values.std() - limit / np.sqrt(3)) < 0.01


def test_blocks_and_places_in_tensorflow_1s_order() -> None:
    given = np.arange(16.0, dtype="float32").reshape(1, 2, 2, 4)
    with tf1.colocate_with(tf.constant(1.0), ignore_existing=True):
        deep = tf1.depth_to_space(given, 2, "name", "NHWC")
    np.testing.assert_array_equal(tf1.space_to_depth(deep, 2, "name"), given)
    np.testing.assert_array_equal(deep[0, :, :, 0], [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]])
    np.testing.assert_array_equal(tf1.nn.depth_to_space(given, 2), deep)
