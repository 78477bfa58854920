"""What TensorFlow is asked about `tf.io.RaggedFeature`."""

_R = "tf.io.RaggedFeature"
_EXAMPLES = (
    "[example(v=[1, 2, 3], n=[2, 1], s=[0, 2, 3], b=[0, 2], e=[2, 3], r=[0, 0, 2], w=[b'a', b'b', b'c'], o=[0, 1, 2]), "
    "example(v=[4], n=[0, 1, 0], s=[0, 1], b=[0], e=[1], r=[1], w=[], o=[0, 3]), example(v=[], n=[])]"
)
_SPECS = [
    f"{{'v': {_R}(tf.int64)}}",
    f"{{'w': {_R}(tf.string, row_splits_dtype=tf.int64)}}",
    f"{{'a': {_R}(tf.int64, value_key='v'), 'w': tf.io.VarLenFeature(tf.string)}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.RowLengths('n')])}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.RowSplits('s')])}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.RowStarts('b')])}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.RowLimits('e')])}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.ValueRowIds('r')])}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.UniformRowLength(1)], tf.int64)}}",
    f"{{'a': {_R}(tf.int64, 'v', [{_R}.RowSplits('o'), {_R}.RowLengths('n')])}}",
    f"{{'v': {_R}(tf.float32)}}",
    f"{{'q': {_R}(tf.float32)}}",
]
_ALIKE = "[example(v=[i, i + 1], n=[1, 1]) for i in range(5)]"
_LISTS = [
    f"None, {{'v': {_R}(tf.int64)}}",
    f"{{'w': {_R}(tf.string)}}, {{'s': {_R}(tf.string)}}",
    f"None, {{'q': {_R}(tf.int64)}}",
]
RAGGED = [
    *(f"told(tf.io.parse_example({_EXAMPLES}, {spec}))" for spec in _SPECS[:8]),
    *(f"told(tf.io.parse_example({_EXAMPLES}[:2], {spec}))" for spec in _SPECS[8:]),
    *(f"told(tf.io.parse_single_example({_EXAMPLES}[0], {spec}))" for spec in _SPECS),
    f"told(tf.io.parse_example({_ALIKE}, {_SPECS[0]}))",
    f"told(tf.io.parse_example({_ALIKE}, {_SPECS[3]}))",
    f"told(tf.io.parse_example(tf.constant([], tf.string), {_SPECS[0]}))",
    *(f"[told(part) for part in tf.io.parse_sequence_example(sequences(), {rest})[:2]]" for rest in _LISTS),
    *(f"[told(part) for part in tf.io.parse_single_sequence_example(sequences()[0], {rest})]" for rest in _LISTS),
    f"{_R}(tf.uint8)", f"{_R}(tf.int64, partitions=['a'])",
]  # fmt: skip
