"""Stratagem: tf.distribute's training model on JAX and Keras 3. Use it as `import stratagem as tf`."""

import gc as _gc
import importlib as _importlib
from types import ModuleType as _ModuleType
from typing import Any as _Any

from stratagem._base import allocator as _allocator
from stratagem._base import backend as _backend
from stratagem._base import log as _log

# The version of TensorFlow whose API this is, which programs compare with what they need. `tf.version.GIT_VERSION` and
# `importlib.metadata.version("stratagem")` are the package's own.
__version__ = "2.15.1"

_allocator.keep_freed_memory()  # before the threads of what is imported
_backend.choose()
_log.show(__name__)

# The public names, by the module that they come from. Each is imported when first used, so that an idle process stays small.
_NAMES = {
    "dtypes": "bool",
    "_ops": """
        AggregationMethod Assert CriticalSection DType Tensor abs acos acosh add add_n
        argmax argmin argsort as_dtype asin asinh assert_equal
        assert_greater assert_less assert_rank atan atan2 atanh bfloat16 bitcast boolean_mask
        broadcast_dynamic_shape broadcast_static_shape broadcast_to cast clip_by_global_norm clip_by_norm
        clip_by_value complex complex128 complex64 concat constant convert_to_tensor cos cosh cumsum divide double
        eig eigvals einsum ensure_shape equal exp expand_dims eye fill float16 float32 float64 floor gather gather_nd
        greater greater_equal get_static_value half identity int16 int32 int64 int8 is_symbolic_tensor less
        less_equal linspace logical_and
        logical_not logical_or make_ndarray make_tensor_proto
        matmul matrix_square_root maximum meshgrid minimum multiply negative norm not_equal
        numpy_function one_hot ones ones_like pad pow print py_function range rank reduce_all reduce_any reduce_logsumexp
        reduce_max reduce_mean reduce_min reduce_prod reduce_sum repeat reshape reverse roll round saturate_cast
        scalar_mul scatter_nd searchsorted sequence_mask shape shape_n sigmoid sign sin sinh size slice sort split
        sqrt square squeeze stack stop_gradient string subtract tan tanh tensor_scatter_nd_add tensor_scatter_nd_max
        tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update tensordot tile transpose truediv
        truncatediv truncatemod uint16 uint32 uint64 uint8 unique unique_with_counts unstack where zeros zeros_like
        approx_top_k dynamic_partition dynamic_stitch guarantee_const histogram_fixed_width histogram_fixed_width_bins
        identity_n parallel_stack realdiv reverse_sequence strided_slice timestamp tuple unravel_index
        type_spec_from_value
    """,
    "_ops.nn": """
        batch_to_space conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2 extract_volume_patches
        required_space_to_batch_paddings space_to_batch space_to_batch_nd
    """,
    "_ops.ragged": "RaggedTensor RaggedTensorSpec",
    "_ops.sparse": "SparseTensor SparseTensorSpec",
    "_ops.text": "as_string fingerprint is_tensor",
    "_ops.flow": """
        TensorArray TensorArraySpec case cond foldl foldr map_fn scan switch_case while_loop
    """,
    "_hooks": "install_as_tensorflow",
    "_launch.functions": "launch",
    "_ops.sampling": """
        constant_initializer ones_initializer random_index_shuffle random_normal_initializer
        random_uniform_initializer zeros_initializer
    """,
    "_core.step": """
        GradientTape UnconnectedGradients custom_gradient executing_eagerly grad_pass_through gradients hessians init_scope
        inside_function recompute_grad
    """,
    "_autograph": "function vectorized_map",
    "_core.values": """
        IndexedSlices IndexedSlicesSpec Module TensorShape TensorSpec TypeSpec Variable VariableAggregation
        VariableSynchronization get_current_name_scope name_scope register_tensor_conversion_function variable_creator_scope
    """,
    "_base.log": "get_logger",
    "_data": "OptionalSpec",
    "_devices": "DeviceSpec device",
    "_tf1.graph": "Graph Operation control_dependencies enable_v2_behavior group no_op",
}
_NAMESPACES = """
    autodiff autograph bitwise compat config data debugging distribute dtypes errors estimator experimental
    feature_column image io keras linalg lookup math nest nn profiler quantization ragged random saved_model signal sparse
    strings summary sysconfig test tpu train types version
"""
_KERAS_NAMESPACES = "initializers losses metrics optimizers regularizers"

_MODULES = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names.split()}
_NAMESPACE_MODULES = {name: f"{__name__}.{name}" for name in _NAMESPACES.split()}
_NAMESPACE_MODULES |= {name: f"{__name__}.keras.{name}" for name in _KERAS_NAMESPACES.split()}

newaxis = None


_MANY = 10_000  # objects: a scan of so many takes a few milliseconds


def _imported(module: str) -> _ModuleType:
    """Imports a module with the garbage collector off, which would scan the many new, permanent objects again and again.

    Where they are many they go to its oldest generation unscanned: else the next 700 objects that a program makes would have it
    scan them all.
    """
    collecting = _gc.isenabled()
    _gc.disable()
    try:
        return _importlib.import_module(module)
    finally:
        if collecting:
            if _gc.get_count()[0] > _MANY and not _gc.get_freeze_count():  # what the program itself has frozen stays so
                _gc.freeze()
                _gc.unfreeze()
            _gc.enable()


def __getattr__(name: str) -> _Any:
    if name in _NAMESPACE_MODULES:
        return _imported(_NAMESPACE_MODULES[name])
    if name not in _MODULES:
        if name.startswith("_"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        raise _imported(f"{__name__}._ops").not_provided("", name)
    module = _imported(_MODULES[name])
    _imported(f"{__name__}._hooks").install()
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*_MODULES, *_NAMESPACE_MODULES, "__version__", "newaxis"})
