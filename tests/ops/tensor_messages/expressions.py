"""Values whose messages are compared byte for byte, messages whose values are, and the dtypes of 4 and 8 bits."""

from typing import Any

from tests.ops.root_names.expressions import answer

# The arguments of `tf.make_tensor_proto`.
_WRITTEN = """
1
1.5
-1
2 ** 40
[1, 2]
[-1, 1 << 31]
[[1.5, 2], [3, 4]]
[]
[True, 2]
[True, False]
[1 + 2j, 1]
"é"
["a", "bc"]
np.float64(1)
[np.float64(1)]
np.array([1, 2, 3])[::2]
np.array([[1.5, 2], [3, 4]]).T
np.zeros((0, 2))
np.array(["a", "b"])
np.float16([1.5, 2])
np.float16(1.5)
np.complex64([1, 2j])
np.complex128(2j)
np.uint16([1, 2])
np.uint32(7)
np.uint32([7, 2 ** 32 - 1])
np.uint64([7, 2 ** 64 - 1])
np.uint64(7)
np.int8(-7)
np.int8([-7, 1])
np.bool_([True])
tf.constant([1, 2])
tf.Variable(1)
1, tf.float64
[1, 2], "float32"
[0.1, 0.2], tf.float64
[1.5], tf.int32
1.5, tf.complex64
[1, 2], tf.bool
True, tf.int32
[1], tf.bfloat16
[1.0, 2.0], tf.bfloat16
3, tf.int64
[1.5], tf.dtypes.experimental.float8_e5m2
[1.0, 2.0], tf.dtypes.experimental.float8_e4m3fn
[1, -2], tf.dtypes.experimental.int4
[300, -1], tf.uint8
np.array([1.5, 2]), tf.int32
1, tf.string
"a", tf.int32
[], tf.int32, [2]
1, None, [2, 2]
[1, 2], None, [3, 2]
[1, 2, 3, 4], None, [2, 2]
[1, 2, 3], None, [2]
"x", None, [2]
1, tf.int32, ()
1, tf.int32, 2
1, tf.int32, [-1]
[1, 2, 3, 4], None, [2, 2], True
[1, 2], None, [2], True
[1, 2], None, [2, 2], False, True
1, None, [3], False, True
1, None, [3], True, True
None
[None]
{}
["a", None]
2 ** 70
[1, [2]]
tf.make_tensor_proto(1)
"""
# The dtype, the shape and the fields of messages that `tf.make_ndarray` reads.
_READ = """
1, [2]
1, [2], float_val=[1, 2]
1, [2], float_val=[1, 2, 3]
1, [0]
1, [-1], float_val=[1]
1, [2], tensor_content=b"1234"
3, [2, 2], int_val=[1, 2, 3]
3, [2], tensor_content=b"12341234", int_val=[1]
2, [1], double_val=[2.5]
4, [2], int_val=[255]
5, [2], tensor_content=b"abcd"
6, [2], int_val=[-1]
7, [3], string_val=[b"a", b"b"]
8, [2], scomplex_val=[1, 2]
9, [2], int64_val=[2 ** 40]
10, [3], bool_val=[True, False]
14, [2], half_val=[16256]
17, [1], int_val=[65535]
18, [], dcomplex_val=[1, 2]
18, [2]
19, [2], half_val=[15872]
22, [2], uint32_val=[2 ** 32 - 1]
24, [2], float8_val=b"<"
25, [2], float8_val=b"12"
29, [2], int_val=[1, -2]
30, [2], int_val=[15]
23, [1], uint64_val=[2 ** 64 - 1]
99, [2], int_val=[1]
0, [1]
"""
# `t` is each of the dtypes of 4 and 8 bits.
_SMALL = """
[str(t), t.name, t.size, t.is_integer, t.is_unsigned, t.is_floating, t.is_quantized, t.as_datatype_enum]
[float(t.min), float(t.max), tf.as_dtype(t.name) == t, tf.as_dtype(t.as_numpy_dtype) == t, t == tf.int8]
t.limits
[str(v) for v in tf.reshape(tf.zeros([1, 2], t), [2]).numpy()]
tf.constant([1.5], t)
"""
_CASTS = """
tf.cast(tf.cast([1.1, 500.0, -0.07, 6e4], tf.dtypes.experimental.float8_e5m2), tf.float32)
tf.cast(tf.cast([1.1, 440.0, -3.3, 0.01], tf.dtypes.experimental.float8_e4m3fn), tf.float32)
tf.cast(tf.cast(tf.cast([1.1, 7.0], tf.dtypes.experimental.float8_e5m2), tf.dtypes.experimental.float8_e4m3fn), tf.float64)
tf.cast(tf.cast([-1, 17], tf.dtypes.experimental.uint4), tf.int32)
tf.cast(tf.cast([-8, 9], tf.dtypes.experimental.int4), tf.int64)
tf.constant([1, -2], tf.dtypes.experimental.int4)
tf.cast(tf.constant([9, 17], tf.dtypes.experimental.int4), tf.int32)
"""
_DTYPES = ("int4", "uint4", "float8_e5m2", "float8_e4m3fn")
_MESSAGE = "type(tf.make_tensor_proto(0))"


def _read(arguments: str) -> str:
    code, _, rest = arguments.partition(", [")
    sizes, _, values = rest.partition("]")
    dims = ", ".join(f'{{"size": {size}}}' for size in sizes.split(", ") if size)
    return f'tf.make_ndarray({_MESSAGE}(dtype={code}, tensor_shape={{"dim": [{dims}]}}{values}))'


EXPRESSIONS = [
    *(f"tf.make_tensor_proto({line}).SerializeToString()" for line in _WRITTEN.strip().splitlines()),
    *(f"tf.make_ndarray(tf.make_tensor_proto({line}))" for line in _WRITTEN.strip().splitlines()[:24]),
    *map(_read, _READ.strip().splitlines()),
    *(f"(lambda t: {line})(tf.dtypes.experimental.{t})" for line in _SMALL.strip().splitlines() for t in _DTYPES),
    *_CASTS.strip().splitlines(),
]


def answers(tf: Any) -> dict[str, Any]:
    """The results of all expressions."""
    return {expression: answer(tf, expression) for expression in EXPRESSIONS}
