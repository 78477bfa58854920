"""Names of tf.compat.v1 that mean the same as another public name, and the replacements for names that are not provided."""

import importlib
import inspect
from typing import Any

from stratagem._ops import not_provided
from stratagem._tf1.graph.functions.named import named

_ROOT = __name__.partition(".")[0]

# Modules whose names TensorFlow 1 also has at its root, all of them.
_MERGED = ("math", "linalg", "debugging")

# TensorFlow 1's names, and the namespaces that have them now.
_MOVED = {
    "FixedLenFeature": "io", "FixedLenSequenceFeature": "io", "VarLenFeature": "io", "arg_max": "math.argmax",
    "arg_min": "math.argmin", "batch_to_space_nd": "batch_to_space",
    "decode_base64": "io", "decode_compressed": "io", "decode_csv": "io",
    "decode_json_example": "io", "decode_raw": "io", "div_no_nan": "math.divide_no_nan",
    "encode_base64": "io", "floor_div": "math.floordiv", "lin_space": "linspace", "matching_files": "io",
    "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det", "matrix_diag": "linalg.diag", "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv", "matrix_solve": "linalg.solve",
    "matrix_triangular_solve": "linalg.triangular_solve", "parse_example": "io", "parse_single_example": "io",
    "parse_single_sequence_example": "io", "parse_tensor": "io", "random_gamma": "random.gamma",
    "random_shuffle": "random.shuffle", "read_file": "io", "reverse_v2": "reverse", "self_adjoint_eig": "linalg.eigh",
    "serialize_tensor": "io", "set_random_seed": "random.set_seed", "string_join": "strings.join",
    "string_to_number": "strings.to_number", "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub", "tensor_scatter_update": "tensor_scatter_nd_update",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
    "where_v2": "where", "write_file": "io",
}  # fmt: skip

# Public names that tf.compat.v1 lacks, or has with another meaning.
_EXCLUDED = {
    "": {"optimizers", "regularizers", "random", "metrics", "losses", "initializers", "summary", "train", "compat"},
    "image": {"resize"},
    "train": {"CheckpointView", "TrackableView"},
    "nn": {
        "batch_norm_with_global_normalization", "conv2d_transpose", "conv3d_transpose", "convolution", "ctc_loss",
        "depth_to_space", "dilation2d", "erosion2d", "fractional_avg_pool", "fractional_max_pool",
        "max_pool_with_argmax", "nce_loss", "pool", "sampled_softmax_loss", "separable_conv2d", "space_to_depth",
        "sufficient_statistics", "weighted_moments",
    },
}  # fmt: skip

_SESSION = "an Estimator (tf.compat.v1.estimator), tf.keras, or tf.function: there are no sessions here"
_INSTEAD = {
    "Session": _SESSION,
    "InteractiveSession": _SESSION,
    "Graph": _SESSION,
    "get_default_graph": _SESSION,
    "get_default_session": _SESSION,
    "reset_default_graph": "nothing: every call of a model_fn has a graph of its own",
    "placeholder": "the arguments of a model_fn or of a tf.function",
    "placeholder_with_default": "the arguments of a model_fn or of a tf.function",
    "global_variables_initializer": "nothing: variables have their values as soon as they are made",
    "initialize_all_variables": "nothing: variables have their values as soon as they are made",
    "local_variables_initializer": "nothing: variables have their values as soon as they are made",
    "tables_initializer": "nothing: there are no tables that wait",
    "variables_initializer": "nothing: variables have their values as soon as they are made",
    "errors.raise_exception_on_not_ok_status": "try and except tf.errors.OpError: nothing here takes a status",
    "train.init_from_checkpoint": "Estimator(warm_start_from=...)",
    "train.warm_start": "Estimator(warm_start_from=...)",
    "train.Saver": "the Estimator's own checkpoints, or tf.train.Checkpoint",
    "train.MonitoredSession": _SESSION,
    "train.MonitoredTrainingSession": _SESSION,
    "train.Supervisor": _SESSION,
    "train.SyncReplicasOptimizer": "RunConfig(train_distribute=tf.distribute.MultiWorkerMirroredStrategy())",
    "train.AdagradDAOptimizer": "tf.compat.v1.train.AdagradOptimizer or FtrlOptimizer",
    "train.replica_device_setter": "a strategy: it places variables itself",
    "train.string_input_producer": "tf.data.Dataset",
    "train.batch": "tf.data.Dataset.batch",
    "train.shuffle_batch": "tf.data.Dataset.shuffle(...).batch(...)",
    "image.resize": "tf.image.resize, which places pixels' centres in another way",
    "image.resize_images": "tf.image.resize, which places pixels' centres in another way",
    "hessians": "tf.GradientTape, twice",
}  # fmt: skip
_INSTEAD |= {f"nn.{name}": f"tf.nn.{name}, which takes other arguments or another order" for name in _EXCLUDED["nn"]}


def public_name(namespace: str, name: str) -> Any:
    """Returns what tf.<namespace>.<name> is, for tf.compat.v1.<namespace>.<name> ("" for the root).

    Raises NotProvidedError if there is no such name, or if it means something else in TensorFlow 1.
    """
    if not name.startswith("_") and name not in _EXCLUDED.get(namespace, ()):
        for place in _places(namespace, name):
            module, _, last = place.rpartition(".")
            found = getattr(importlib.import_module(f"{_ROOT}.{module}" if module else _ROOT), last, None)
            if found is not None:
                return named(found) if inspect.isfunction(found) else found
    full = f"{namespace}.{name}" if namespace else name
    raise not_provided(f"compat.v1.{namespace}" if namespace else "compat.v1", name, _INSTEAD.get(full))


def _places(namespace: str, name: str) -> list[str]:
    if namespace:
        return [f"{namespace}.{name}"]
    moved = _MOVED.get(name)
    if moved is not None:
        return [f"{moved}.{name}" if "." not in moved and moved == "io" else moved]
    return [name, *(f"{module}.{name}" for module in _MERGED)]
