"""What TensorFlow is asked about batches of SequenceExamples, encoded strings, names of files and `GFile`."""

_X, _V, _Q = "tf.io.FixedLenFeature", "tf.io.VarLenFeature", "tf.io.FixedLenSequenceFeature"
_CONTEXT = f"{{'n': {_X}([], tf.int64), 'w': {_V}(tf.string)}}"
_TWO = "sequences()[:2]"

_SEQUENCES = [
    ("sequences()", _CONTEXT),
    ("sequences()", f"None, {{'x': {_Q}([], tf.int64)}}"),
    ("sequences()", f"None, {{'x': {_Q}([], tf.int64, allow_missing=True)}}"),
    ("sequences()", f"None, {{'x': {_Q}([], tf.int64, allow_missing=True, default_value=9)}}"),
    ("sequences()", f"None, {{'s': {_Q}([], tf.string, allow_missing=True)}}"),
    ("sequences()", f"None, {{'v': {_V}(tf.int64)}}"),
    (_TWO, f"{{'n': {_X}([1], tf.int64)}}, {{'x': {_Q}([1], tf.int64), 'v': {_V}(tf.int64)}}"),
    ("sequences()", ""),
    ("sequences()[0]", _CONTEXT),
    ("sequences()[0]", f"None, {{'x': {_Q}([], tf.int64), 'v': {_V}(tf.int64)}}"),
    (f"[{_TWO}]", _CONTEXT),
    ("sequences()", f"{{'q': {_X}([], tf.int64)}}"),
    ("sequences()", f"{{'q': {_X}([2], tf.int64, [1, 2])}}"),
    ("sequences()", f"{{'q': {_V}(tf.int64)}}, {{'z': {_V}(tf.float32)}}"),
    ("sequences()", f"{{'n': {_X}([], tf.string)}}"),
    (_TWO, f"None, {{'v': {_Q}([2], tf.int64)}}"),
    ("[b'\\xff\\xff']", _CONTEXT),
    ("sequences()", f"{{'q': {_X}([], tf.int64)}}, example_names=['a', 'b', 'c']"),
    ("sequences()", f"None, {{'x': {_X}([], tf.int64)}}"),
    (_TWO, f"{{'n': {_Q}([], tf.int64, allow_missing=True)}}"),
]
SEQUENCES = [f"tf.io.parse_sequence_example({given}, {rest})" for given, rest in _SEQUENCES]

_COMPRESSED = [
    "zlib.compress(b'hello'), 'ZLIB'", "gzip.compress(b'hello'), 'GZIP'", "b'hello', ''", "b'hello'", "b'hello', 'ZLIB'",
    "b'hello', 'FOO'", "gzip.compress(b'hello'), 'ZLIB'", "zlib.compress(b'hello' * 9)[:-6], 'ZLIB'", "b'', 'ZLIB'",
    "gzip.compress(b'hello') * 2, 'GZIP'", "[zlib.compress(b'a'), zlib.compress(b'bc')], 'ZLIB'",
    "zlib.compress(b'x') + b'junk', 'ZLIB'",
]  # fmt: skip
_BASE64 = ("YQ", "YQ==", "YQ=", "Y", "__4", "//4", "Y Q", "YQ\\n", "YQ==YQ==", "====", "YR", "YQ===", "")
_JSON_SPEC = f"{{'a': {_X}([2], tf.int64), 'b': {_X}([], tf.float32), 'c': {_X}([], tf.string)}}"
_JSON = (
    '{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}, "b": {"float_list": {"value": [1.5]}}, '
    '"c": {"bytesList": {"value": ["YQ=="]}}}}}'
)
ENCODED = [
    *(f"tf.io.encode_base64({given})" for given in (
        "'a'", "['ab', 'abc', '']", "b'\\xff\\xfe'", "[['x']]", "'a', pad=True", "['ab', 'abc'], pad=True", "'é'",
    )),
    *(f"tf.io.decode_base64('{given}')" for given in _BASE64),
    "tf.io.decode_base64([['YQ', 'YWI']])",
    *(f"tf.io.decode_compressed({given})" for given in _COMPRESSED),
    f"tf.io.parse_single_example(tf.io.decode_json_example('{_JSON}'), {_JSON_SPEC})",
    f"tf.io.parse_example(tf.io.decode_json_example(['{_JSON}', '{_JSON}']), {_JSON_SPEC})",
    *(f"tf.io.decode_json_example('{given}')" for given in ("{}", '{"features":', '{"foo": 1}', "[]")),
]  # fmt: skip

_OPENED = [
    "f.next(), next(f), f.seekable(), f.mode", "f.read(), f.next()", "f.seek(offset=2), f.read(2), f.tell()",
    "f.seek(position=1), f.read(1), f.tell()", "f.seek(-2, 2), f.read()", "f.read(3), f.seek(1, 1), f.tell()", "f.seek()",
    "f.seek(1, position=2)", "f.seek(1, 7)", "[line for line in f], f.tell()", "next(f), f.tell(), f.read()",
]  # fmt: skip
NAMED = [
    *(f"parts(tf.io.matching_files({given}))" for given in (
        "folder + '/r?'", "[folder + '/r[12]', folder + '/*']", "folder + '/**/r5'", "folder + '/q*'",
    )),
    *(f"tf.io.matching_files({given})" for given in ("folder + '/q*'", "'/no/such/folder/*'", "[[folder + '/*']]", "3")),
    "parts(tf.io.match_filenames_once(folder + '/r?'))",
    *(f"opened(lambda f: ({given},), '{mode}')" for given in _OPENED for mode in ("r", "rb")),
    "tf.io.TFRecordOptions.compression_type_map",
    *(f"tf.io.TFRecordOptions.get_compression_type_string({given})" for given in (
        "tf.io.TFRecordOptions('GZIP')", "'ZLIB'", "None", "''",
    )),
]  # fmt: skip

MORE_EXPRESSIONS = [*SEQUENCES, *ENCODED, *NAMED]
