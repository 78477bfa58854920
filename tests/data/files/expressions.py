"""What TensorFlow is asked about files, and how an answer becomes JSON. `w(bytes)` writes a file and returns its name."""

import collections
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

TEXTS = [b"a\nb\n", b"a\nb", b"a\r\nb\r\n", b"a\rb\r\r\nc\r", b"", b"\n\na\n\n", b"a\0b\n"]
TEXT = [f"tf.data.TextLineDataset(w({text!r}))" for text in TEXTS] + [
    "tf.data.TextLineDataset([])",
    "tf.data.TextLineDataset('no/such/file')",
    "tf.data.TextLineDataset(w(gzip.compress(b'a\\nb\\n') + gzip.compress(b'c\\n')), 'GZIP')",
    "tf.data.TextLineDataset(w(zlib.compress(b'a\\nb\\n')), 'ZLIB')",
    "tf.data.TextLineDataset(w(b'a\\nb\\n'), 'GZIP')",
    "tf.data.TextLineDataset([w(b'a\\nb\\n'), w(b'c'), w(b'd\\ne\\nf\\n')], num_parallel_reads=2)",
    "tf.data.FixedLengthRecordDataset(w(b'hhaabbccff'), 2, 2, 2)",
    "tf.data.FixedLengthRecordDataset([w(b'hhaabbccff'), w(b'HHddFF')], 2, 2, 2)",
    "tf.data.FixedLengthRecordDataset(w(b'hhaabbccff'), 5)",
    "tf.data.FixedLengthRecordDataset(w(b'hhaabbccff'), 3)",
    "tf.data.FixedLengthRecordDataset(w(b'hhaabbccff'), 4, 20)",
    "tf.data.FixedLengthRecordDataset(w(gzip.compress(b'hhaabbccff')), 2, 2, 2, compression_type='GZIP')",
    "tf.data.FixedLengthRecordDataset(w(gzip.compress(b'aabbc')), 2, compression_type='GZIP')",
]

RECORDS = [
    *(f"tf.data.TFRecordDataset(four(), num_parallel_reads={n})" for n in (None, 1, 2, 3, 9)),
    "tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices(four()))",
    "tf.data.TFRecordDataset(tf.data.Dataset.from_tensor_slices(four()).batch(2))",
    "tf.data.TFRecordDataset([four()[:2], four()[2:]])",
    "tf.data.TFRecordDataset([1, 2])",
    "tf.data.TFRecordDataset([four()[0], 'no/such/file', four()[1]])",
    "tf.data.TFRecordDataset(four()[0]).element_spec",
    "tf.data.TFRecordDataset(four()[0]).cardinality()",
    "tf.data.TFRecordDataset(w(b''))",
    "tf.data.TFRecordDataset(w(b'no record file at all'))",
    "tf.data.TFRecordDataset(w(changed(four()[3], 12)))",
    "tf.data.TFRecordDataset(w(changed(four()[3], 18)))",
    "tf.data.TFRecordDataset(w(changed(four()[3])[:-1]))",
    "tf.data.TFRecordDataset(w(changed(four()[3])[:-5]))",
    "tf.data.TFRecordDataset([w(changed(four()[3], 18)), four()[0]]).ignore_errors()",
    "tf.data.TFRecordDataset([w(changed(four()[3], 18)), four()[0]]).apply(tf.data.experimental.ignore_errors())",
    "tf.data.TFRecordDataset(w(b''), num_parallel_reads=0)",
    "tf.io.TFRecordOptions(compression_type='FOO')",
]

FILES = [
    "names(tf.data.Dataset.list_files([folder + '/r?', folder + '/r[12]'], shuffle=False))",
    "names(tf.data.Dataset.list_files(folder + '/*', shuffle=False))",
    "names(tf.data.Dataset.list_files(folder + '/**/r5', shuffle=False))",
    "names(tf.data.Dataset.list_files([folder + '/q*', folder + '/r0'], shuffle=False))",
    "names(tf.data.Dataset.list_files(folder + '/r{1,2}', shuffle=False))",
    "names(tf.data.Dataset.list_files(folder + '/none', shuffle=False))",
    "tf.data.Dataset.list_files(folder + '/q*')",
    "tf.data.Dataset.list_files([])",
    "tf.data.Dataset.list_files(folder + '/r?').cardinality()",
    "tf.data.Dataset.list_files(folder + '/r?').element_spec",
    "sorted(names(tf.data.Dataset.list_files(folder + '/r?')))",
    "sorted(names(tf.data.Dataset.list_files(folder + '/r?', seed=1)))",
]

_I_S = "[tf.int32, tf.string]"
_DEFAULTS = "[[7], ['z']]"
_CSV: list[tuple[bytes, str]] = [
    *((text, _I_S) for text in (
        b"1,a\n2,b\n", b"1,a\n,b\n3,c\n", b"1\n", b"1,a,b\n", b"x,a\n", b"3000000000,a\n", b"1.5,a\n", b" 1 , a \n",
        b"+1,a\n", b"1_0,a\n", b'"1","a,b ""q"" "\n', b'1,"a\nb"\n2,c\n', b'1,a"b\n', b'1,"a"b\n', b'1,"ab\n',
        b"1,a\r\n2,b\r\n", b'1,"a\r\nb"\r\n', b"1,a\rb\n", b"1,a\r2,b\r", b"1,a\n\n2,b\n", b"1,a", b"",
        b"-5,\xff\n", b"0x10,a\n",
    )),
    *((text, _I_S + ", use_quote_delim=False") for text in (b'1,"a"\n', b'1,a"b\n')),
    *((text, _DEFAULTS) for text in (b",\n1,b", b'"",""\n', b"\n")),
    *((text, _DEFAULTS + ", na_value='NA'") for text in (b"NA,a\n1,NA\n", b",a\n1,NA\n")),
    (b"a\n\nb\n", "[['z']]"),
    (b",b\n", "[5, 'q']"),
    (b",b\n", "[tf.constant([], tf.int32), tf.string]"),
    (b"1,a,2.5\n", "[tf.float32, tf.int32], select_cols=[0, 2]"),
    (b"1,a,2\n", "[tf.int32, tf.int32], select_cols=[0, 2]"),
    (b"1,a,2\n", "[tf.int32, tf.int32], select_cols=[2, 0]"),
    (b"1\n", "[tf.int32, tf.int32], select_cols=[0, 2]"),
    (b"1,a,2\n", "[tf.int32, tf.int32], exclude_cols=[1]"),
    (b"1,a,2\n", "[tf.int32, tf.int32], exclude_cols=[1], select_cols=[0]"),
    (b"1;a\n", _I_S + ", field_delim=';'"),
    (b"1;a\n", _I_S + ", field_delim=';;'"),
    (b"1,2.5,2.5,9,a\n", "[tf.int64, tf.float32, tf.float64, tf.int32, tf.string]"),
    (b"1\n", "[tf.uint8]"),
    (b"inf,nan,-1e5,1e400\n", "[tf.float32] * 4"),
    (b" 1.5 \n", "[tf.float32]"),
    *((text, "[tf.int32], header=True") for text in (b"x\n", b"", b'"x\ny"\n1\n', b"x\n1\n2\n")),
]  # fmt: skip
CSV = [f"tf.data.experimental.CsvDataset(w({text!r}), {rest})" for text, rest in _CSV] + [
    f"tf.data.experimental.CsvDataset(w(b'1,a\\nx,b\\n3,c\\n'), {_I_S}).ignore_errors()",
    f"tf.data.experimental.CsvDataset(w(b'1,a\\n7\\n3,c\\n1,a,b\\n4,d\\n'), {_I_S}).ignore_errors()",
    "tf.data.experimental.CsvDataset([w(b'x\\n1\\n'), w(b'x\\n2\\n')], [tf.int32], header=True)",
    "tf.data.experimental.CsvDataset(w(b''), [tf.int32, tf.string, [2.5]]).element_spec",
    "tf.io.decode_csv(['1,a', '2,b'], [[0], ['']])",
    "tf.io.decode_csv('1,a', [[0], ['']])",
    "tf.io.decode_csv([['1,a'], ['2,b']], [[0], ['']])",
    "tf.io.decode_csv(',a', [[], ['']])",
    "tf.io.decode_csv(['1'], [[0], ['']])",
    "tf.io.decode_csv(['x,a'], [[0], ['']])",
    "tf.io.decode_csv('1,\"a\"\"b\"', [[0], ['']])",
    "tf.io.decode_csv('1,\"a\"b', [[0], ['']])",
    "tf.io.decode_csv('1,a\"b', [[0], ['']])",
    "tf.io.decode_csv('1,a\\n', [[0], ['']])",
    "tf.io.decode_csv('1,\"a\\nb\"', [[0], ['']])",
    "tf.io.decode_csv('1,a\\n2,b', [[0], ['']])",
    "tf.io.decode_csv('1,a,2', [[0], [0]], select_cols=[0, 2])",
    "tf.io.decode_csv('', [['d']])",
    "tf.io.decode_csv('1,', [[0], ['d']])",
    "tf.io.decode_csv('1,a', [tf.constant(1), tf.constant('')])",
]

_TABLE = "w(b'a,b,c,d,e\\n1,3000000000,1.5,x,\\n2,4,2.5,y,\\n3,5,1e300,z,7\\n')"
_ONCE = "shuffle=False, num_epochs=1"
TABLES = [
    *(f"tf.data.experimental.make_csv_dataset({_TABLE}, 2, {rest}{_ONCE})" for rest in (
        "", "label_name='d', ", "select_columns=['a', 'd'], label_name='a', ", "select_columns=[3, 0], ",
        "column_defaults=[tf.int32, tf.float32, tf.float32, tf.string, [1]], ", "column_names=list('vwxyz'), ",
        "label_name='q', ", "select_columns=['a', 'd'], column_defaults=[tf.int32, tf.string], ",
        "select_columns=['a', 'd'], label_name='c', ", "column_names=['a'], ",
    )),
    *(f"tf.data.experimental.make_csv_dataset(w({text!r}), 4, {rest}{_ONCE})" for text, rest in (
        (b"1,2\n", "column_names=['p', 'q'], header=False, "), (b"1,2\n", "header=False, "), (b"a,a\n1,2\n", ""),
        (b"a,b\nNA,1\n2,NA\n", "na_value='NA', "), (b"a\n1\n2.5\nx\n", "num_rows_for_inference=1, "),
        (b"a\n1\n2.5\nx\n", "num_rows_for_inference=2, "), (b"a,b\n,1\n,2\n", ""), (b"a\n1.5\n1e39\n0.1\n123456789.5\n", ""),
        (b"a\n1\nx\n3\n", "column_defaults=[tf.int32], ignore_errors=True, "), (b"a,b\n1\n3,4\n", ""), (b"", ""),
        (b"a\n2147483647\n", ""), (b"a\n2147483648\n", ""), (b"a\n99999999999999999999\n", ""), (b"a\n3.4e38\n", ""),
        (b"a\n3.5e38\n", ""), (b"a\ninf\n", ""), (b"a\n 1\n", ""),
    )),
    "tf.data.experimental.make_csv_dataset(w(b'a\\n1\\n2\\n3\\n'), 2, shuffle=False, num_epochs=2)",
    "tf.data.experimental.make_csv_dataset(w(b'a\\n1\\n2\\n3\\n'), 2, shuffle=False).take(3)",
    "tf.data.experimental.make_csv_dataset([w(b'a\\n1\\n2\\n3\\n'), w(b'b\\n4\\n5\\n')], 2, shuffle=False, num_epochs=1)",
    *(f"tf.data.experimental.make_csv_dataset([w(b'a\\n1\\n2\\n3\\n'), w(b'a\\n4\\n5\\n')], 2, {_ONCE}{rest})"
      for rest in ("", ", num_parallel_reads=2")),
    "tf.data.experimental.make_csv_dataset(w(b'a\\n1\\n'), 2).element_spec",
    "tf.data.experimental.make_csv_dataset(w(b'a\\n1\\n'), 2, num_epochs=1).element_spec",
    "tf.data.experimental.make_csv_dataset('no/such/file', 2)",
]  # fmt: skip

_X, _V, _Q = "tf.io.FixedLenFeature", "tf.io.VarLenFeature", "tf.io.FixedLenSequenceFeature"
_SPECS = [
    f"{{'i': {_X}([3], tf.int64), 'f': {_X}([2, 1], tf.float32), 's': {_X}([], tf.string), 'one': {_X}([], tf.int64)}}",
    f"{{'q': {_X}([], tf.int64)}}",
    f"{{'q': {_X}([], tf.int64, 4), 'r': {_X}([2], tf.float32, [1., 2.]), 'z': {_X}([], tf.string, '')}}",
    f"{{'b': {_X}([2], tf.int64, 3)}}",
    f"{{'i': {_X}([3], tf.float32)}}",
    f"{{'i': {_X}([2], tf.int64)}}",
    f"{{'i': {_X}([], tf.int64)}}",
    f"{{'i': {_V}(tf.int64), 'q': {_V}(tf.float32), 's': {_V}(tf.string)}}",
    f"{{'i': {_Q}([], tf.int64, True), 'q': {_Q}([], tf.float32, True), 'f': {_Q}([2], tf.float32, True)}}",
    f"{{'i': {_Q}([], tf.int64)}}",
    f"{{'i': {_Q}([2], tf.int64, True)}}",
    f"{{'i': {_X}([3], tf.int32)}}",
    f"{{'i': {_X}([None], tf.int64)}}",
    "{}",
    "{'i': 5}",
    f"{{'i': {_V}(tf.float32)}}",
    f"{{'none': {_X}([], tf.int64)}}",
    f"{{'none': {_X}([], tf.int64, 9)}}",
    f"{{'none': {_V}(tf.int64)}}",
]
_BATCH_SPECS = [
    f"{{'i': {_X}([], tf.int64)}}",
    f"{{'v': {_V}(tf.int64)}}",
    f"{{'w': {_Q}([2], tf.int64, True), 'v': {_Q}([], tf.int64, True, -1)}}",
    f"{{'v': {_X}([2], tf.int64)}}",
    f"{{'v': {_X}([2], tf.int64, [0, 9])}}",
    f"{{'i': {_X}([], tf.float32)}}",
]
_SEQUENCE = [
    f"{{'c': {_X}([], tf.int64)}}, {{'x': {_Q}([2], tf.int64), 'y': {_V}(tf.string)}}",
    f"{{}}, {{'q': {_Q}([2], tf.int64)}}",
    f"{{}}, {{'q': {_Q}([2], tf.int64, allow_missing=True)}}",
    f"{{}}, {{'x': {_Q}([3], tf.int64)}}",
    f"{{'d': {_X}([], tf.int64)}}, {{'x': {_Q}([2], tf.int64)}}",
    f"None, {{'x': {_Q}([2], tf.int64)}}",
    f"{{}}, {{'x': {_Q}([2], tf.float32)}}",
    f"{{}}, {{'q': {_V}(tf.int64)}}",
    f"{{}}, {{'x': {_X}([2], tf.int64)}}",
]
PARSED = [
    *(f"tf.io.parse_single_example(one(), {spec})" for spec in _SPECS),
    *(f"tf.io.parse_example(three(), {spec})" for spec in _BATCH_SPECS),
    f"tf.io.parse_example(three()[0], {_BATCH_SPECS[0]})",
    f"tf.io.parse_example(three()[:2], {_BATCH_SPECS[4]})",
    f"tf.io.parse_example(three(), {_BATCH_SPECS[3]}, example_names=['a', 'b', 'c'])",
    f"tf.io.parse_example([three()[:2], three()[1:]], {_BATCH_SPECS[0]})",
    f"tf.io.parse_single_example(b'\\xff\\xff', {_BATCH_SPECS[0]})",
    f"tf.io.parse_single_example(b'', {_BATCH_SPECS[0]})",
    f"tf.io.parse_single_example([one()], {_BATCH_SPECS[0]})",
    *(f"tf.io.parse_single_sequence_example(sequence(), {rest})" for rest in _SEQUENCE),
    "one()",
    "sequence()",
]

RAW = [
    "tf.io.decode_raw(b'abc', tf.uint8)",
    "tf.io.decode_raw(b'abcd', tf.int16)",
    "tf.io.decode_raw(b'abc', tf.int16)",
    "tf.io.decode_raw(b'abcd', tf.int16, little_endian=False)",
    "tf.io.decode_raw([b'ab', b'cd'], tf.uint8)",
    "tf.io.decode_raw([b'ab', b'cde'], tf.uint8)",
    "tf.io.decode_raw([b'ab', b'cde'], tf.uint8, fixed_length=4)",
    "tf.io.decode_raw([b'ab', b'cde'], tf.uint8, fixed_length=2)",
    "tf.io.decode_raw(b'abcd', tf.int16, fixed_length=3)",
    "tf.io.decode_raw(b'\\0\\0\\xc0\\x3f', tf.float32)",
    "tf.io.decode_raw(b'\\1\\0', tf.bool)",
    "tf.io.decode_raw([[b'ab']], tf.uint8)",
    "tf.io.decode_raw(b'', tf.uint8)",
    "tf.io.decode_raw(b'ab', tf.string)",
    "tf.io.serialize_tensor(tf.constant([[1, 2], [3, 4]]))",
    "tf.io.serialize_tensor(tf.constant([b'a', b'bc']))",
    "tf.io.serialize_tensor(tf.constant(True))",
    "tf.io.serialize_tensor(tf.constant([1.5], tf.bfloat16))",
    "tf.io.serialize_tensor(tf.zeros([0, 3]))",
    "tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([[1, 2], [3, 4]])), tf.int32)",
    "tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant(['a', 'bc'])), tf.string)",
    "tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([1, 2])), tf.float32)",
    "tf.io.parse_tensor(b'\\xff', tf.float32)",
    "tf.io.parse_tensor(b'', tf.float32)",
    "tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2]))",
    "tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2]), default_value=-1)",
    "tf.sparse.to_dense(tf.sparse.SparseTensor([[1]], ['a'], [3]))",
    "tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1], [0, 1]], [5, 6], [3, 2]))",
    "tf.sparse.to_dense(tf.sparse.SparseTensor([[2, 0], [0, 1]], [5, 6], [3, 2]))",
    "tf.sparse.to_dense(tf.sparse.SparseTensor([[5, 0]], [5], [3, 2]))",
]

EXPRESSIONS = [*TEXT, *RECORDS, *FILES, *CSV, *TABLES, *PARSED, *RAW]


class Names(collections.UserDict[str, Any]):
    """What the expressions use, for one `tf`; files are written to a folder of their own."""

    def __init__(self, tf: Any) -> None:
        import gzip
        import zlib

        super().__init__(tf=tf, gzip=gzip, zlib=zlib, w=self.written, four=self.four, changed=changed, names=file_names)
        self.update(one=self.one, three=self.three, sequence=self.sequence, sequences=self.sequences)
        self.update(parts=last_parts, opened=self.opened, example=self.example, told=told)
        self._folder = tempfile.TemporaryDirectory()
        self._count = 0
        tree = Path(self._folder.name, "tree")
        for name in ("r0", "r1", "r2", ".hidden", "sub/r5"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).touch()
        self["folder"] = str(tree)

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def written(self, data: bytes) -> str:
        """A new file."""
        self._count += 1
        path = Path(self._folder.name, f"f{self._count}")
        path.write_bytes(data)
        return str(path)

    def four(self) -> list[str]:
        """Files of three to six records."""
        files = [self.written(b"") for _ in range(4)]
        for i, file in enumerate(files):
            with self["tf"].io.TFRecordWriter(file) as writer:
                for j in range(3 + i):
                    writer.write(f"{i}{j}".encode())
        return files

    def feature(self, values: list[Any]) -> Any:
        """A Feature of the kind that fits the values."""
        train = self["tf"].train
        if not values:
            return train.Feature()
        if isinstance(values[0], int):
            return train.Feature(int64_list=train.Int64List(value=values))
        if isinstance(values[0], float):
            return train.Feature(float_list=train.FloatList(value=values))
        return train.Feature(bytes_list=train.BytesList(value=values))

    def example(self, **values: list[Any]) -> bytes:
        """A serialized Example."""
        train = self["tf"].train
        features = train.Features(feature={name: self.feature(value) for name, value in values.items()})
        return bytes(train.Example(features=features).SerializeToString(deterministic=True))

    def one(self) -> bytes:
        """An Example with every kind of feature."""
        return self.example(i=[1, -2, 3], f=[1.5, 2.5], s=[b"a"], one=[7], none=[])

    def three(self) -> list[bytes]:
        """Examples of different lengths."""
        return [
            self.example(i=[1], v=[1, 2], w=[1, 2, 3, 4]),
            self.example(i=[2], w=[5, 6]),
            self.example(i=[3], v=[7]),
        ]

    def sequence(self) -> bytes:
        """A serialized SequenceExample."""
        train = self["tf"].train
        x = [self.feature([i, i + 1]) for i in range(3)]
        y = [train.Feature(bytes_list=train.BytesList(value=[b"q"] * i)) for i in range(3)]
        lists = {"x": train.FeatureList(feature=x), "y": train.FeatureList(feature=y)}
        example = train.SequenceExample(
            context=train.Features(feature={"c": self.feature([5])}),
            feature_lists=train.FeatureLists(feature_list=lists),
        )
        return bytes(example.SerializeToString(deterministic=True))

    def sequences(self) -> list[bytes]:
        """SequenceExamples of three, one and no steps."""
        train = self["tf"].train

        def made(context: dict[str, list[Any]], lists: dict[str, list[list[Any]]]) -> bytes:
            steps = {k: train.FeatureList(feature=list(map(self.feature, v))) for k, v in lists.items()}
            example = train.SequenceExample(
                context=train.Features(feature={k: self.feature(v) for k, v in context.items()}),
                feature_lists=train.FeatureLists(feature_list=steps),
            )
            return bytes(example.SerializeToString(deterministic=True))

        return [
            made({"n": [1], "w": [b"a"]}, {"x": [[1], [2], [3]], "v": [[1, 2], [3]], "s": [[b"p"], [b"q"]]}),
            made({"n": [2], "w": [b"b", b"c"]}, {"x": [[4]], "v": [[5]]}),
            made({"n": [3]}, {"v": []}),
        ]

    def opened(self, read: Any, mode: str) -> Any:
        """What a function reads from a file of two lines."""
        with self["tf"].io.gfile.GFile(self.written(b"one\ntwo\n"), mode) as file:
            return read(file)


def told(features: dict[str, Any]) -> dict[str, Any]:
    """Features with ragged tensors as lists, with what else they have."""
    return {
        key: {"rows": str(v.to_list()), "splits": np.dtype(v.row_splits.numpy().dtype).name, "rank": v.ragged_rank}
        if hasattr(v, "row_splits")
        else v
        for key, v in features.items()
    }


def changed(file: str, *places: int) -> bytes:
    """A file's bytes with one bit changed at these places."""
    data = bytearray(Path(file).read_bytes())
    for place in places:
        data[place] ^= 1
    return bytes(data)


def last_parts(paths: Any) -> list[str]:
    """The last parts of the names in a tensor of strings."""
    return [Path(name.decode()).name for name in np.ravel(paths.numpy()).tolist()]


def file_names(dataset: Any) -> list[str]:
    """The last parts of the names that a dataset gives."""
    return [Path(name.decode()).name for name in dataset.as_numpy_iterator()]


def answer(expression: str, names: Names) -> Any:
    """The result as JSON, or the error's type; for a dataset its elements up to the error."""
    elements: list[Any] = []
    try:
        result = eval(expression, {**names})  # as globals, which comprehensions see in every version of Python
        if not hasattr(result, "as_numpy_iterator"):
            return {"result": plain(result)}
        for element in result.as_numpy_iterator():
            elements.append(plain(element))
        return {"elements": elements}
    except Exception as error:
        return {"elements": elements, "error": type(error).__name__}


def plain(value: Any) -> Any:
    """A nest as JSON: arrays with their dtypes, bytes as Latin-1."""
    if hasattr(value, "dense_shape"):
        return {"sparse": [plain(part) for part in (value.indices, value.values, value.dense_shape)]}
    if isinstance(value, Mapping):
        # An ordinary dict has no order that counts: `tf.nest` sorts it.
        items = value.items() if isinstance(value, collections.OrderedDict) else sorted(value.items())
        return {"dict": [[key, plain(v)] for key, v in items]}
    if hasattr(value, "shape") and hasattr(value, "name"):  # a TensorSpec
        return {"spec": [None if d is None else int(d) for d in value.shape]}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, str | int) or value is None:
        return value
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.kind in "SO":
        flat = [v.decode("latin-1") for v in np.ravel(np.asarray(value, object)).tolist()]
        return {"dtype": "string", "shape": list(array.shape), "value": flat}
    flat = [str(v) for v in np.ravel(array).tolist()]  # as text: JSON knows no inf
    return {"dtype": array.dtype.name, "shape": list(array.shape), "value": flat}
