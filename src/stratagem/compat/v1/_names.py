"""Names of tf.compat.v1 that mean the same as another public name."""

import importlib
import inspect
from typing import Any

from stratagem._ops import named, not_provided

_ROOT = __name__.partition(".")[0]

# Modules whose names TensorFlow 1 also has at its root, all of them.
_MERGED = ("math", "linalg", "debugging")

# TensorFlow 1's names, and the namespaces that have them now.
_MOVED = {
    "FixedLenFeature": "io", "FixedLenSequenceFeature": "io", "VarLenFeature": "io", "batch_to_space_nd": "batch_to_space",
    "decode_base64": "io", "decode_compressed": "io", 
    "decode_json_example": "io", "div_no_nan": "math.divide_no_nan",
    "encode_base64": "io", "floor_div": "math.floordiv", "lin_space": "linspace", "matching_files": "io",
    "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det", "matrix_diag": "linalg.diag", "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv", "matrix_solve": "linalg.solve",
    "matrix_triangular_solve": "linalg.triangular_solve",
    "parse_single_sequence_example": "io", "parse_tensor": "io", "random_crop": "image.random_crop",
    "random_gamma": "random.gamma", "random_shuffle": "random.shuffle",
    "read_file": "io", "regex_replace": "strings.regex_replace", "reverse_v2": "reverse", "self_adjoint_eig": "linalg.eigh",
    "sparse_fill_empty_rows": "sparse.fill_empty_rows", "sparse_maximum": "sparse.maximum", "sparse_minimum": "sparse.minimum",
    "sparse_mask": "sparse.mask",
    "sparse_reorder": "sparse.reorder", "sparse_reset_shape": "sparse.reset_shape", "sparse_reshape": "sparse.reshape",
    "sparse_retain": "sparse.retain", "sparse_slice": "sparse.slice", "sparse_softmax": "sparse.softmax",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "sparse_to_indicator": "sparse.to_indicator",
    "sparse_transpose": "sparse.transpose",
    "serialize_tensor": "io", "set_random_seed": "random.set_seed", "string_join": "strings.join",
    "string_strip": "strings.strip", "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub", "tensor_scatter_update": "tensor_scatter_nd_update",
    "where_v2": "where", "write_file": "io",
}  # fmt: skip

# Public names that tf.compat.v1 lacks, or has with another meaning.
_EXCLUDED = {
    "": {"optimizers", "regularizers", "random", "metrics", "losses", "initializers", "summary", "train"},
    "image": {
        "resize_with_pad", "sample_distorted_bounding_box", "stateless_sample_distorted_bounding_box",
        "stateless_random_brightness", "stateless_random_contrast", "stateless_random_crop",
        "stateless_random_flip_left_right", "stateless_random_flip_up_down", "stateless_random_hue",
        "stateless_random_saturation",
    },
    "saved_model": {"load"},
    "sparse": {"map_values"},
    "strings": {"split"},
    "train": {"CheckpointView", "TrackableView"},
    "nn": {
        "batch_norm_with_global_normalization", "conv2d_transpose", "conv3d_transpose", "convolution", "ctc_loss",
        "depth_to_space", "dilation2d", "erosion2d", "fractional_avg_pool", "fractional_max_pool",
        "max_pool_with_argmax", "nce_loss", "pool",
        "sampled_softmax_loss", "separable_conv2d", "space_to_depth",
        "sufficient_statistics", "weighted_moments",
    },
}  # fmt: skip


def public_name(namespace: str, name: str) -> Any:
    """Returns what tf.<namespace>.<name> is, for tf.compat.v1.<namespace>.<name> ("" for the root).

    Raises NotProvidedError if there is no such name, or if it means something else in TensorFlow 1.
    """
    if not name.startswith("_") and name not in _EXCLUDED.get(namespace, ()):
        for place in places(namespace, name):
            module, _, last = place.rpartition(".")
            found = getattr(importlib.import_module(f"{_ROOT}.{module}" if module else _ROOT), last, None)
            if found is not None:
                return named(found) if inspect.isfunction(found) else found
    raise not_provided(f"compat.v1.{namespace}" if namespace else "compat.v1", name)


def places(namespace: str, name: str) -> list[str]:
    if namespace:
        return [f"{namespace}.{name}"]
    moved = _MOVED.get(name)
    if moved is not None:
        return [f"{moved}.{name}" if "." not in moved and moved == "io" else moved]
    return [name, *(f"{module}.{name}" for module in _MERGED)]
