"""What goes wrong in ordinary programs, by name: each is given the facade and an empty folder, on TensorFlow and here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

FAILURES: dict[str, Callable[[Any, str], object]] = {}


def failure(program: Callable[[Any, str], object]) -> Callable[[Any, str], object]:
    """Add a program to the table."""
    FAILURES[program.__name__] = program
    return program


@failure
def iterator_end(tf: Any, folder: str) -> None:
    it = iter(tf.data.Dataset.range(1))
    next(it)
    next(it)


@failure
def iterator_end_in_function(tf: Any, folder: str) -> None:
    it = iter(tf.data.Dataset.range(1))

    @tf.function
    def f():
        return next(it)

    f()
    f()


@failure
def get_next_end(tf: Any, folder: str) -> None:
    it = iter(tf.data.Dataset.range(1))
    it.get_next()
    it.get_next()


@failure
def single_of_none(tf: Any, folder: str) -> None:
    tf.data.Dataset.range(0).get_single_element()


@failure
def single_of_two(tf: Any, folder: str) -> None:
    tf.data.Dataset.range(2).get_single_element()


@failure
def ckpt_missing(tf: Any, folder: str) -> None:
    tf.train.Checkpoint(v=tf.Variable(1.0)).restore(folder + "/none-1")


@failure
def ckpt_read_missing(tf: Any, folder: str) -> None:
    tf.train.Checkpoint(v=tf.Variable(1.0)).read(folder + "/none-1")


@failure
def ckpt_load_list(tf: Any, folder: str) -> None:
    tf.train.list_variables(folder + "/none-1")


@failure
def ckpt_load_var(tf: Any, folder: str) -> None:
    tf.train.load_variable(folder + "/none-1", "x")


@failure
def ckpt_load_checkpoint(tf: Any, folder: str) -> None:
    tf.train.load_checkpoint(folder + "/none-1")


@failure
def ckpt_shape(tf: Any, folder: str) -> None:
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(folder + "/c1")
    tf.train.Checkpoint(v=tf.Variable(1.0)).read(folder + "/c1")


@failure
def ckpt_assert_consumed(tf: Any, folder: str) -> None:
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(folder + "/c2")
    tf.train.Checkpoint(w=tf.Variable(1.0)).read(folder + "/c2").assert_consumed()


@failure
def ckpt_reader_name(tf: Any, folder: str) -> None:
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(folder + "/c3")
    tf.train.load_checkpoint(folder + "/c3").get_tensor("zzz")


@failure
def ckpt_unwritable(tf: Any, folder: str) -> None:
    Path(folder + "/file").write_text("x")
    tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/file/ck")


@failure
def tfrecord_missing(tf: Any, folder: str) -> None:
    list(tf.data.TFRecordDataset(folder + "/none.tfrecord"))


@failure
def textline_missing(tf: Any, folder: str) -> None:
    list(tf.data.TextLineDataset(folder + "/none.txt"))


@failure
def fixed_missing(tf: Any, folder: str) -> None:
    list(tf.data.FixedLengthRecordDataset(folder + "/none.txt", 4))


@failure
def csv_missing(tf: Any, folder: str) -> None:
    list(tf.data.experimental.CsvDataset(folder + "/none.txt", [tf.float32]))


@failure
def make_csv_missing(tf: Any, folder: str) -> None:
    list(tf.data.experimental.make_csv_dataset(folder + "/none*.txt", 2))


@failure
def list_files_missing(tf: Any, folder: str) -> None:
    list(tf.data.Dataset.list_files(folder + "/none*.txt"))


@failure
def csv_bad(tf: Any, folder: str) -> None:
    Path(folder + "/b.csv").write_text("1,x\n")
    list(tf.data.experimental.CsvDataset(folder + "/b.csv", [tf.float32, tf.float32]))


@failure
def tfrecord_damaged(tf: Any, folder: str) -> None:
    Path(folder + "/b.tfrecord").write_bytes(b"x" * 40)
    list(tf.data.TFRecordDataset(folder + "/b.tfrecord"))


@failure
def tfrecord_truncated(tf: Any, folder: str) -> None:
    with tf.io.TFRecordWriter(folder + "/t.tfrecord") as w:
        w.write(b"abc" * 10)
    b = Path(folder + "/t.tfrecord").read_bytes()
    Path(folder + "/t.tfrecord").write_bytes(b[:-6])
    list(tf.data.TFRecordDataset(folder + "/t.tfrecord"))


@failure
def tfrecord_writer_nofolder(tf: Any, folder: str) -> None:
    with tf.io.TFRecordWriter(folder + "/no/such/t.tfrecord") as w:
        w.write(b"abc")


@failure
def read_file_missing(tf: Any, folder: str) -> None:
    tf.io.read_file(folder + "/none")


@failure
def read_file_folder(tf: Any, folder: str) -> None:
    tf.io.read_file(folder)


@failure
def gfile_open_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.GFile(folder + "/none").read()


@failure
def gfile_listdir_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.listdir(folder + "/none")


@failure
def gfile_remove_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.remove(folder + "/none")


@failure
def gfile_mkdir_exists(tf: Any, folder: str) -> None:
    tf.io.gfile.mkdir(folder)


@failure
def gfile_mkdir_noparent(tf: Any, folder: str) -> None:
    tf.io.gfile.mkdir(folder + "/a/b/c")


@failure
def gfile_copy_exists(tf: Any, folder: str) -> None:
    Path(folder + "/x1").touch()
    Path(folder + "/x2").touch()
    tf.io.gfile.copy(folder + "/x1", folder + "/x2")


@failure
def gfile_copy_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.copy(folder + "/nx1", folder + "/x9")


@failure
def gfile_rename_exists(tf: Any, folder: str) -> None:
    Path(folder + "/x1").touch()
    Path(folder + "/x2").touch()
    tf.io.gfile.rename(folder + "/x1", folder + "/x2")


@failure
def gfile_rename_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.rename(folder + "/nx1", folder + "/x29")


@failure
def gfile_stat_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.stat(folder + "/none")


@failure
def gfile_rmtree_missing(tf: Any, folder: str) -> None:
    tf.io.gfile.rmtree(folder + "/none")


@failure
def gfile_remove_dir(tf: Any, folder: str) -> None:
    tf.io.gfile.remove(folder)


@failure
def gfile_write_ro(tf: Any, folder: str) -> None:
    Path(folder + "/x2").touch()
    with tf.io.gfile.GFile(folder + "/x2", "r") as f:
        f.write("a")


@failure
def gfile_read_w(tf: Any, folder: str) -> None:
    with tf.io.gfile.GFile(folder + "/x7", "w") as f:
        f.read()


@failure
def gfile_mode(tf: Any, folder: str) -> None:
    tf.io.gfile.GFile(folder + "/x7", "q").read()


@failure
def write_file_dir(tf: Any, folder: str) -> None:
    tf.io.write_file(folder, "x")


@failure
def matmul_shapes(tf: Any, folder: str) -> None:
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


@failure
def matmul_shapes_fn(tf: Any, folder: str) -> None:
    tf.function(lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])))()


@failure
def add_shapes(tf: Any, folder: str) -> None:
    tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


@failure
def add_shapes_fn(tf: Any, folder: str) -> None:
    tf.function(lambda a, b: a + b)(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


@failure
def tf_add_shapes(tf: Any, folder: str) -> None:
    tf.add(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


@failure
def add_dtypes(tf: Any, folder: str) -> None:
    tf.add(tf.constant([1.0, 2.0]), tf.constant([1, 2]))


@failure
def reshape_bad(tf: Any, folder: str) -> None:
    tf.reshape(tf.ones([4]), [3])


@failure
def reshape_bad_fn(tf: Any, folder: str) -> None:
    tf.function(lambda x: tf.reshape(x, [3]))(tf.ones([4]))


@failure
def concat_bad(tf: Any, folder: str) -> None:
    tf.concat([tf.ones([2, 2]), tf.ones([2, 3])], 0)


@failure
def stack_bad(tf: Any, folder: str) -> None:
    tf.stack([tf.ones([2]), tf.ones([3])])


@failure
def split_bad(tf: Any, folder: str) -> None:
    tf.split(tf.ones([5]), 2)


@failure
def slice_oob(tf: Any, folder: str) -> None:
    return tf.slice(tf.ones([3]), [2], [4])


@failure
def squeeze_bad(tf: Any, folder: str) -> None:
    tf.squeeze(tf.ones([3]), 0)


@failure
def expand_bad(tf: Any, folder: str) -> None:
    tf.expand_dims(tf.ones([3]), 5)


@failure
def reduce_axis(tf: Any, folder: str) -> None:
    tf.reduce_sum(tf.ones([3]), axis=4)


@failure
def string_to_number(tf: Any, folder: str) -> None:
    tf.strings.to_number("abc")


@failure
def decode_raw_bad(tf: Any, folder: str) -> None:
    tf.io.decode_raw(b"abc", tf.int32)


@failure
def parse_example_bad(tf: Any, folder: str) -> None:
    tf.io.parse_single_example(b"xyz!", {"a": tf.io.FixedLenFeature([], tf.float32)})


@failure
def parse_example_missing(tf: Any, folder: str) -> None:
    tf.io.parse_single_example(tf.train.Example().SerializeToString(), {"a": tf.io.FixedLenFeature([], tf.float32)})


@failure
def parse_tensor_bad(tf: Any, folder: str) -> None:
    tf.io.parse_tensor(b"zzz", tf.float32)


@failure
def py_function_error(tf: Any, folder: str) -> None:
    def f(x):
        raise ValueError("mine")

    tf.py_function(f, [tf.constant(1.0)], tf.float32)


@failure
def py_function_keyerror(tf: Any, folder: str) -> None:
    def f(x):
        raise KeyError("mine")

    tf.py_function(f, [tf.constant(1.0)], tf.float32)


@failure
def py_function_error_fn(tf: Any, folder: str) -> None:
    def f(x):
        raise ValueError("mine")

    tf.function(lambda x: tf.py_function(f, [x], tf.float32))(tf.constant(1.0))


@failure
def map_py_error(tf: Any, folder: str) -> None:
    def f(x):
        raise KeyError("mine")

    list(tf.data.Dataset.range(2).map(lambda x: tf.py_function(f, [x], tf.int64)))


@failure
def map_np_value_error(tf: Any, folder: str) -> None:
    def f(x):
        raise ValueError("mine")

    list(tf.data.Dataset.range(2).map(lambda x: tf.numpy_function(f, [x], tf.int64)))


@failure
def map_assert(tf: Any, folder: str) -> None:
    def f(x):
        tf.debugging.assert_less(x, tf.constant(1, tf.int64))
        return x

    list(tf.data.Dataset.range(2).map(f))


@failure
def generator_error(tf: Any, folder: str) -> None:
    def g():
        yield 1
        raise KeyError("mine")

    list(tf.data.Dataset.from_generator(g, output_signature=tf.TensorSpec([], tf.int32)))


@failure
def generator_shape(tf: Any, folder: str) -> None:
    def g():
        yield [1, 2]

    list(tf.data.Dataset.from_generator(g, output_signature=tf.TensorSpec([], tf.int32)))


@failure
def generator_type(tf: Any, folder: str) -> None:
    def g():
        yield "abc"

    list(tf.data.Dataset.from_generator(g, output_signature=tf.TensorSpec([], tf.int32)))


@failure
def batch_shapes(tf: Any, folder: str) -> None:
    def g():
        yield [1, 2]
        yield [1]

    list(tf.data.Dataset.from_generator(g, output_signature=tf.TensorSpec([None], tf.int32)).batch(2))


@failure
def batch_zero(tf: Any, folder: str) -> None:
    list(tf.data.Dataset.range(3).batch(0))


@failure
def shuffle_zero(tf: Any, folder: str) -> None:
    list(tf.data.Dataset.range(3).shuffle(0))


@failure
def shard_bad(tf: Any, folder: str) -> None:
    list(tf.data.Dataset.range(3).shard(2, 5))


@failure
def padded_small(tf: Any, folder: str) -> None:
    list(tf.data.Dataset.from_tensor_slices([[1, 2, 3]]).padded_batch(1, padded_shapes=[2]))


@failure
def assert_cardinality(tf: Any, folder: str) -> None:
    list(tf.data.Dataset.range(3).apply(tf.data.experimental.assert_cardinality(5)))


@failure
def ensure_shape(tf: Any, folder: str) -> None:
    tf.ensure_shape(tf.ones([3]), [4])


@failure
def check_numerics(tf: Any, folder: str) -> None:
    tf.debugging.check_numerics(tf.constant(float("nan")), "bad")


@failure
def assert_equal(tf: Any, folder: str) -> None:
    tf.debugging.assert_equal(tf.constant(1), tf.constant(2))


@failure
def assert_equal_py(tf: Any, folder: str) -> None:
    tf.debugging.assert_equal(1, 2)


@failure
def tf_assert(tf: Any, folder: str) -> None:
    tf.Assert(tf.constant(False), [tf.constant(1)])


@failure
def assert_rank(tf: Any, folder: str) -> None:
    tf.debugging.assert_rank(tf.constant(1), 2)


@failure
def assert_shapes(tf: Any, folder: str) -> None:
    tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", "N"))])


@failure
def assert_type(tf: Any, folder: str) -> None:
    tf.debugging.assert_type(tf.constant(1), tf.float32)


@failure
def iterate_tensor_noauto(tf: Any, folder: str) -> None:
    tf.function(lambda x: list(x), autograph=False)(tf.constant(1))


@failure
def len_scalar(tf: Any, folder: str) -> None:
    for _ in tf.constant(1):
        pass


@failure
def bool_vector(tf: Any, folder: str) -> None:
    bool(tf.constant([1, 2]))


@failure
def create_var_twice(tf: Any, folder: str) -> None:
    tf.function(lambda: tf.Variable(1.0))()


@failure
def assign_shape(tf: Any, folder: str) -> None:
    tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])


@failure
def cond_bad(tf: Any, folder: str) -> None:
    tf.switch_case(tf.constant(1), {})


@failure
def range_bad(tf: Any, folder: str) -> None:
    tf.range(0, 5, 0)


@failure
def constant_ragged(tf: Any, folder: str) -> None:
    tf.constant([[1], [1, 2]])


@failure
def constant_shape(tf: Any, folder: str) -> None:
    tf.constant([1, 2, 3], shape=[2])
