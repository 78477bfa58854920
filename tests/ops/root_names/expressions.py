"""Expressions with names of TensorFlow's root, and how their results are written."""

from typing import Any

import numpy as np

_INITIALIZERS = """
tf.zeros_initializer()((2,), dtype=tf.int32)
tf.zeros_initializer()([2, 0])
tf.zeros_initializer()((2,), dtype=tf.string)
tf.zeros_initializer()((2,), dtype=tf.bool)
tf.zeros_initializer()((4, 2), partition_shape=(1, 2), partition_offset=(1, 0))
tf.zeros_initializer()((2,), place=1)
tf.zeros_initializer(3)
tf.zeros_initializer().get_config()
tf.ones_initializer()((2, 1), dtype=tf.float64)
tf.ones_initializer()(())
tf.ones_initializer()((2,), tf.complex64)
tf.ones_initializer()((2,), tf.string)
tf.constant_initializer(3)((2,))
tf.constant_initializer(3)((2,), tf.float64)
tf.constant_initializer([1, 2])(2)
tf.constant_initializer((1, 2))([2], tf.float64)
tf.constant_initializer(np.arange(4))((2, 2))
tf.constant_initializer([1, 2])((2, 2))
tf.constant_initializer([1])((2, 2))
tf.constant_initializer([])((0,))
tf.constant_initializer("a")((2,))
tf.constant_initializer(True)((2,))
tf.constant_initializer([1.5, 2])((2,), tf.int32)
tf.constant_initializer(None)
tf.constant_initializer({})
tf.constant_initializer(tf.constant(1))
tf.constant_initializer(2)((2, 2), partition_shape=(1, 2), partition_offset=(1, 0))
tf.constant_initializer(7, support_partition=True)((4, 2), partition_shape=(1, 2), partition_offset=(1, 0))
tf.constant_initializer([1, 2]).get_config()
tf.constant_initializer.from_config({"value": [1, 2], "dtype": "float32"}).get_config()
tf.random_normal_initializer(seed=1)((2,))
tf.random_normal_initializer(1.0, 2.0, seed=3)((3,), tf.float64)
tf.random_normal_initializer(seed=3)((4, 2), partition_shape=(2, 2), partition_offset=(0, 0))
tf.random_normal_initializer()((2,), tf.int32)
tf.random_normal_initializer()((3, 2)).shape.as_list()
tf.random_normal_initializer().get_config()
tf.random_uniform_initializer(0, 10, seed=1)((2,))
tf.random_uniform_initializer(0, 10, seed=1)((3,), tf.int32)
tf.random_uniform_initializer(-2, 2, seed=3)((3,), tf.float64)
tf.random_uniform_initializer(seed=3)((3,), tf.int32)
tf.random_uniform_initializer(-2, 2)((3,), tf.bool)
tf.random_uniform_initializer(-2, 2).get_config()
"""
_DEVICES = """
tf.DeviceSpec.from_string("/job:ps/replica:0/task:1/device:CPU:2")
tf.DeviceSpec.from_string("/cpu:0")
tf.DeviceSpec.from_string("/gpu:*")
tf.DeviceSpec.from_string("GPU:1")
tf.DeviceSpec.from_string("/device:gpu:1")
tf.DeviceSpec.from_string("")
tf.DeviceSpec.from_string("/job:worker")
tf.DeviceSpec.from_string("/task:3/job:x")
tf.DeviceSpec.from_string("/foo")
tf.DeviceSpec.from_string("/cpu:0/gpu:1")
tf.DeviceSpec.from_string("cpu")
tf.DeviceSpec.from_string("/job:a/job:b")
tf.DeviceSpec.from_string("/replica:x")
tf.DeviceSpec.from_string("/task:*")
tf.DeviceSpec.from_string("/device:CPU")
tf.DeviceSpec.from_string("/device:CPU:*")
tf.DeviceSpec.from_string("job:ps")
tf.DeviceSpec.from_string("//cpu:0")
tf.DeviceSpec.from_string("/tpu:0")
tf.DeviceSpec.from_string("/XLA_GPU:0")
tf.DeviceSpec.from_string("/device:mydev:3")
tf.DeviceSpec.from_string("/EPU:0")
tf.DeviceSpec.from_string("/custom:1")
tf.DeviceSpec.from_string("/tpu_system:0")
tf.DeviceSpec.from_string("/CPU:-1")
tf.DeviceSpec.from_string("/device:a:b:c")
tf.DeviceSpec.from_string("/job:")
tf.DeviceSpec.from_string("/GPU:01")
tf.DeviceSpec.from_string("/cpu:x")
tf.DeviceSpec("ps", 1, 2, "cpu", 3).to_string()
tf.DeviceSpec(device_type="gPu").to_string()
tf.DeviceSpec(device_index=1).to_string()
tf.DeviceSpec(replica="1", job=3)
tf.DeviceSpec(replica="a")
tf.DeviceSpec(device_type=3)
tf.DeviceSpec(device_type="GPU", device_index="*")
tf.DeviceSpec("ps", task=1).make_merged_spec(tf.DeviceSpec.from_string("/job:w/device:GPU:0")).to_string()
tf.DeviceSpec.from_string("/job:w/device:GPU:0").make_merged_spec(tf.DeviceSpec("ps", task=1)).to_string()
tf.DeviceSpec("ps", task=1).replace(job="x", device_type="tpu").to_string()
tf.DeviceSpec("ps", task=1).replace(job=None).to_string()
tf.DeviceSpec("ps", task=1).replace(place=1)
tf.DeviceSpec("ps", task=1).parse_from_string("/gpu:1").to_string()
[tf.DeviceSpec("ps", task=1) == other for other in (tf.DeviceSpec("ps", task=1), tf.DeviceSpec("ps"), "/job:ps/task:1")]
hash(tf.DeviceSpec("ps", task=1)) == hash(tf.DeviceSpec("ps", task=1))
setattr(tf.DeviceSpec("ps"), "job", "x")
tf.DeviceSpec.from_string(None)
tf.DeviceSpec("ps").make_merged_spec("/cpu:0")
isinstance(tf.compat.v1.DeviceSpec(), tf.DeviceSpec)
[v := tf.compat.v1.DeviceSpec("ps"), setattr(v, "job", "x"), setattr(v, "replica", "7"), v.to_string()]
[v := tf.compat.v1.DeviceSpec("ps", task=1), v.merge_from(tf.DeviceSpec("y")), v.to_string()]
[v := tf.compat.v1.DeviceSpec("ps", task=1), v.parse_from_string("/cpu:0").to_string(), v.to_string()]
[v := tf.compat.v1.DeviceSpec("ps"), setattr(v, "device_type", "gpu"), setattr(v, "device_index", 2), v.to_string()]
type(tf.compat.v1.DeviceSpec("ps").replace(job="q")) is tf.compat.v1.DeviceSpec
tf.compat.v1.DeviceSpec("ps") == tf.DeviceSpec("ps")
tf.DeviceSpec("ps") == tf.compat.v1.DeviceSpec("ps")
"""
_STATIC_VALUES = """
[int(getattr(tf.AggregationMethod, name)) for name in ("DEFAULT", "ADD_N", "EXPERIMENTAL_TREE", "EXPERIMENTAL_ACCUMULATE_N")]
tf.get_static_value(tf.constant([1, 2]))
tf.get_static_value(tf.constant(2.5))
tf.get_static_value(tf.constant("a"))
tf.get_static_value(tf.Variable(1))
[tf.get_static_value(v) for v in (3, "a", None, [1, 2], (1.5,))]
tf.get_static_value(np.ones(2))
tf.get_static_value(tf.constant([1, 2]), partial=True)
[tf.is_symbolic_tensor(v) for v in (tf.constant([1]), tf.Variable(1), 3, None, np.ones(2))]
tf.is_symbolic_tensor(tf.keras.Input((2,)))
in_function(lambda x: [tf.get_static_value(x), tf.is_symbolic_tensor(x), tf.is_symbolic_tensor(x + 1)])
in_function(lambda x: [tf.get_static_value(x.shape[0]), tf.get_static_value(tf.constant(3.0))])
in_function(lambda x: [tf.get_static_value(v) for v in (tf.shape(x), tf.zeros(2), tf.stack([1, tf.constant(2)]))])
tf.get_current_name_scope()
in_scope("a", lambda: in_scope("b", tf.get_current_name_scope))
in_scope("a/", lambda: in_scope("b/", tf.get_current_name_scope))
in_function(lambda x: [in_scope("a", tf.get_current_name_scope), in_scope("a", tf.get_current_name_scope)])
"""
_SPECS = """
[tf.type_spec_from_value(v) for v in (tf.constant([1.0]), np.ones((2,)), 3, 2.5, [1, 2], "a", b"x", True, np.float32(2))]
tf.type_spec_from_value(tf.Variable([1.0]))
tf.type_spec_from_value(tf.Variable(1, trainable=False))
tf.type_spec_from_value(tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 1])))
tf.type_spec_from_value(tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 1]), tf.constant([4, 3])))
tf.type_spec_from_value(tf.data.Dataset.range(3))
tf.type_spec_from_value(iter(tf.data.Dataset.range(3)))
tf.type_spec_from_value(tf.TensorArray(tf.float32, 3))
tf.type_spec_from_value(tf.TensorArray(tf.int32, 3, element_shape=(2,)))
tf.type_spec_from_value(tf.experimental.Optional.from_value(1))
tf.type_spec_from_value((tf.constant(1),))
[tf.type_spec_from_value(v) for v in [{"a": 1}]]
[tf.type_spec_from_value(v) for v in [object()]]
[tf.type_spec_from_value(v) for v in [[[1], [2, 3]]]]
[tf.type_spec_from_value(v) for v in [tf.TensorSpec((2,))]]
tf.type_spec_from_value(tf.keras.Input((3,)))
tf.type_spec_from_value(None)
[tf.IndexedSlicesSpec(), tf.IndexedSlicesSpec([3, None]), tf.IndexedSlicesSpec((2, 3), tf.int32, tf.int32, tf.int32, [2])]
[tf.IndexedSlicesSpec((2,)) == other for other in (tf.IndexedSlicesSpec((2,)), tf.IndexedSlicesSpec((3,)), 3)]
hash(tf.IndexedSlicesSpec()) == hash(tf.IndexedSlicesSpec())
tf.IndexedSlicesSpec().value_type is tf.IndexedSlices
tf.IndexedSlicesSpec((2, 3)).is_compatible_with(tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 1])))
tf.IndexedSlicesSpec((None, 3), indices_dtype=tf.int32).is_compatible_with(tf.IndexedSlices(tf.ones((2, 3)), tf.range(2)))
[tf.IndexedSlicesSpec((2, 3)).is_compatible_with(v) for v in (tf.IndexedSlicesSpec((None, 3)), tf.IndexedSlicesSpec((4, 3)), 3)]
tf.IndexedSlicesSpec((2, 3)).most_specific_compatible_type(tf.IndexedSlicesSpec((4, 3)))
tf.IndexedSlicesSpec((2, 3)).most_specific_compatible_type(tf.IndexedSlicesSpec((4, 3), tf.int32))
[tf.IndexedSlicesSpec((2, 3)).is_subtype_of(tf.IndexedSlicesSpec(s)) for s in ((2, 3), (None, 3), None, (3, 3))]
[tf.TensorArraySpec(), tf.TensorArraySpec((2,), tf.int32, True, False)]
tf.TensorArraySpec().value_type is tf.TensorArray
[tf.TensorArraySpec() == tf.TensorArraySpec(), tf.TensorArraySpec() == tf.TensorArraySpec((2,))]
tf.TensorArraySpec.from_value(tf.TensorArray(tf.float32, 3, element_shape=(2,)))
tf.TensorArraySpec.from_value(3)
[tf.TensorArraySpec((2,)).is_compatible_with(v) for v in (tf.TensorArraySpec(), tf.TensorArraySpec((3,)), 3)]
tf.TensorArraySpec((2,)).is_compatible_with(tf.TensorArray(tf.float32, 3, element_shape=(2,)))
tf.TensorArraySpec().most_specific_compatible_type(tf.TensorArraySpec((2,)))
[tf.OptionalSpec(tf.TensorSpec((2,))), tf.OptionalSpec.from_value(tf.experimental.Optional.from_value(1))]
tf.OptionalSpec(tf.TensorSpec(())) == tf.OptionalSpec(tf.TensorSpec(()))
tf.OptionalSpec(tf.TensorSpec((None,))).is_compatible_with(tf.OptionalSpec(tf.TensorSpec((2,))))
tf.OptionalSpec({"a": tf.TensorSpec(())}).is_compatible_with(tf.OptionalSpec(tf.TensorSpec(())))
tf.OptionalSpec(tf.TensorSpec((3,))).most_specific_common_supertype([tf.OptionalSpec(tf.TensorSpec((2,)))])
[isinstance(s, tf.TypeSpec) for s in (tf.TensorSpec(()), tf.data.DatasetSpec(tf.TensorSpec(())), 3)]
tf.TypeSpec()
[tf.TensorSpec((2, None)).is_subtype_of(tf.TensorSpec(s)) for s in ((None, None), (2, 3), None, (2, None))]
[tf.TensorSpec((2,), name=a).is_subtype_of(tf.TensorSpec((2,), name=b)) for a in (None, "x", "y") for b in (None, "x")]
tf.TensorSpec((2, None)).most_specific_common_supertype([tf.TensorSpec((3, None))])
[tf.TensorSpec((2, None)).most_specific_common_supertype([s]) for s in (tf.TensorSpec((3,)), tf.TensorSpec((3,), tf.int32))]
tf.TensorSpec((2, None), name="x").most_specific_compatible_type(tf.TensorSpec((3, 3), name="x"))
tf.TensorSpec((2,), name="x").most_specific_common_supertype([tf.TensorSpec((2,), name="y")])
tf.TensorSpec((2, None)).most_specific_compatible_type(tf.TensorSpec((3, 3), tf.int32))
tf.TensorSpec((2, None)).most_specific_compatible_type(3)
tf.TensorSpec((2,)).most_specific_common_supertype([tf.TensorSpec((2,), name="y")])
tf.TensorSpec(()).value_type is tf.Tensor
tf.data.DatasetSpec(tf.TensorSpec((2,))).is_subtype_of(tf.data.DatasetSpec(tf.TensorSpec((None,))))
tf.data.DatasetSpec(tf.TensorSpec((2,))).most_specific_common_supertype([tf.data.DatasetSpec(tf.TensorSpec((3,)))])
"""
_CONVERSIONS = """
tf.convert_to_tensor(kept(tf, [1, 2]))
tf.convert_to_tensor(kept(tf, [1, 2]), tf.float64)
tf.convert_to_tensor(kept(tf, 1), dtype_hint=tf.float32)
tf.add(kept(tf, 1.0), kept(tf, 2.0))
tf.add(tf.constant([1.0, 2.0]), kept(tf, 3))
tf.constant([1.0, 2.0]) + kept(tf, 3.0)
tf.add(kept(tf, 1), 2.0)
tf.stack([kept(tf, 1.0), kept(tf, 2.0)])
tf.reduce_sum(kept(tf, [1, 2]))
tf.cast(kept(tf, 5), tf.float64)
tf.Variable(kept(tf, 1.5)).numpy()
tf.is_tensor(kept(tf, 1))
tf.convert_to_tensor([kept(tf, 1), kept(tf, 2)])
tf.convert_to_tensor(kept(tf, 1, lambda value, **kwargs: NotImplemented))
tf.convert_to_tensor(kept(tf, 1, lambda value, **kwargs: 3))
tf.convert_to_tensor(kept(tf, 1, lambda value, **kwargs: tf.constant(-1)), tf.float32)
tf.convert_to_tensor(kept(tf, 1, (lambda value, **kwargs: tf.constant(-1), 50)))
tf.convert_to_tensor(kept(tf, 1, (lambda value, **kwargs: NotImplemented, 50)))
tf.convert_to_tensor(kept(tf, 1, (lambda value, **kwargs: tf.constant(-1), 150)))
tf.register_tensor_conversion_function(int, print)
tf.register_tensor_conversion_function(np.ndarray, print)
tf.register_tensor_conversion_function((str, float), print)
tf.register_tensor_conversion_function(3, print)
tf.register_tensor_conversion_function(Exception, 3)
"""
EXPRESSIONS = [
    line
    for part in (_INITIALIZERS, _DEVICES, _STATIC_VALUES, _SPECS, _CONVERSIONS)
    for line in part.strip().splitlines()
]


def answer(tf: Any, expression: str) -> Any:
    """The result, or the names of the error's class and of its bases."""
    try:
        return {"result": written(eval(expression, {"tf": tf, "np": np} | _helpers(tf)))}
    except Exception as error:
        return {"error": [kind.__name__ for kind in type(error).__mro__]}


def _helpers(tf: Any) -> dict[str, Any]:
    """What expressions need statements for: code in a function's trace, code in a scope."""

    def in_function(code: Any) -> Any:
        found: list[Any] = []

        @tf.function
        def traced(x: Any) -> Any:
            found.append(written(code(x)))
            return x

        traced(tf.ones((2, 3)))
        return found[-1]

    def in_scope(name: str, code: Any) -> Any:
        with tf.name_scope(name):
            return code()

    return {"in_function": in_function, "in_scope": in_scope, "kept": kept}


def kept(tf: Any, value: Any, conversion: Any = None) -> Any:
    """An object of a new class, which is converted by making its value a tensor, and perhaps by another function."""

    class Kept:
        def __init__(self) -> None:
            self.value = value

    def convert(kept: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(kept.value, dtype)

    if conversion is None:
        tf.register_tensor_conversion_function(Kept, convert)
    elif callable(conversion):
        tf.register_tensor_conversion_function(Kept, conversion)
    else:
        tf.register_tensor_conversion_function((Kept, Kept), convert)
        tf.register_tensor_conversion_function(Kept, *conversion)
    return Kept()


def written(value: Any) -> Any:
    """A result as JSON: tensors as [dtype, shape, numbers], other objects as their text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [written(v) for v in value]
    if isinstance(value, dict):
        return {key: written(v) for key, v in value.items()}
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, np.ndarray | np.generic) or hasattr(value, "numpy"):
        array = np.asarray(value)
        numbers = [[v.real, v.imag] if isinstance(v, complex) else written(v) for v in array.ravel().tolist()]
        return [array.dtype.name, list(array.shape), numbers]
    return repr(value)
