"""The error for a TensorFlow name that is not provided, which names the nearest function of JAX or Keras."""

import difflib
import functools
import importlib.resources
import sys
from types import ModuleType

import jax
import jax.image
import jax.numpy as jnp

from stratagem._base.errors import NotProvidedError

# TF's functions that JAX has under another name which no rule finds.
_RENAMED = {
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "cumulative_prod": "cumprod",
    "histogram_fixed_width": "histogram", "reverse": "flip", "strided_slice": "s_", "batch_gather": "take_along_axis",
}  # fmt: skip

# Replacements for names without a counterpart in JAX.
_ELSEWHERE = {
    ("io", name): "numpy.asarray(PIL.Image.open(io.BytesIO(contents))) in a function given to `map`"
    for name in ("decode_image", "decode_jpeg", "decode_png", "decode_bmp", "decode_gif")
} | {
    ("", "gradients"): "tf.GradientTape (with persistent=True for several targets), also outside of a graph",
    ("", "hessians"): "tf.GradientTape twice: tape.jacobian of the gradient of another tape",
    ("", "feature_column"): "tensors that the input_fn makes (tf.one_hot, tf.searchsorted), or Keras layers",
    ("compat.v1", "feature_column"): "tensors that the input_fn makes (tf.one_hot, tf.searchsorted), or Keras layers",
    ("config", "experimental_connect_to_host"): "MultiWorkerMirroredStrategy: every task runs the program itself",
    ("io", "write_graph"): "`model.save(path)` of a Keras model: there are no graphs here",
    ("nn", "RNNCellDeviceWrapper"): "the cell itself: a strategy places what it computes",
    ("nn", "RNNCellDropoutWrapper"): "the arguments `dropout` and `recurrent_dropout` of Keras' cells",
    ("nn", "RNNCellResidualWrapper"): "a Keras cell whose `call` adds its inputs to its outputs",
    ("nn", "ctc_beam_search_decoder"): "keras.ops.ctc_decode(strategy='beam_search')",
    ("nn", "ctc_greedy_decoder"): "keras.ops.ctc_decode(strategy='greedy')",
    ("nn", "learned_unigram_candidate_sampler"): "tf.nn.fixed_unigram_candidate_sampler with the counts of your data",
    ("nn", "with_space_to_batch"): "tf.nn.convolution or tf.nn.pool with dilations",
    ("quantization", "dequantize"): "tf.quantization.quantize_and_dequantize_v2: there are no quantized types",
    ("quantization", "quantize"): "tf.quantization.quantize_and_dequantize_v2: there are no quantized types",
    (
        "random",
        "learned_unigram_candidate_sampler",
    ): "tf.random.fixed_unigram_candidate_sampler with the counts of your data",
    ("io", "SparseFeature"): "tf.io.VarLenFeature, one for the indices and one for the values",
    ("train", "ClusterDef"): "tf.train.ClusterSpec, and its as_dict()",
    ("train", "JobDef"): "tf.train.ClusterSpec, and its as_dict()",
    ("train", "ServerDef"): "the arguments of tf.distribute.Server",
    ("compat.v1.train", "ClusterDef"): "tf.train.ClusterSpec, and its as_dict()",
    ("compat.v1.train", "JobDef"): "tf.train.ClusterSpec, and its as_dict()",
    ("compat.v1.train", "ServerDef"): "the arguments of tf.distribute.Server",
    ("compat.v1.data", "make_initializable_iterator"): "tf.compat.v1.data.make_one_shot_iterator",
    (
        "distribute.cluster_resolver",
        "KubernetesClusterResolver",
    ): "TFConfigClusterResolver, with TF_CONFIG set in every pod",
    (
        "distribute.cluster_resolver",
        "GCEClusterResolver",
    ): "TFConfigClusterResolver, with TF_CONFIG set on every machine",
}
# Those that are at the roots of both versions.
_ROOTS = {
    "RegisterGradient": "tf.custom_gradient around the function: there are no graph's operations with gradients by name",
    "no_gradient": "tf.stop_gradient, or tf.custom_gradient: there are no graph's operations with gradients by name",
    "load_library": "`jax.ffi` for kernels of your own: those of TensorFlow cannot be loaded",
    "load_op_library": "`jax.ffi` for kernels of your own: those of TensorFlow cannot be loaded",
    "nondifferentiable_batch_function": "tf.function on batches: calls of several threads are not joined here",
    "xla": "tf.function(jit_compile=True): every compiled function is a program of XLA here",
}
_ELSEWHERE |= {(root, name): instead for root in ("", "compat.v1") for name, instead in _ROOTS.items()}

# Replacements for old names of methods, and for names that only make sense for a graph.
_DATA = {
    "CheckpointInputPipelineHook": "`tf.train.Checkpoint(iterator=iterator)`",
    "DatasetInitializer": "a dict made of `dataset.as_numpy_iterator()`",
    "dense_to_ragged_batch": "`padded_batch`: there are no ragged tensors here",
    "dense_to_sparse_batch": "`padded_batch`: there are no sparse tensors here",
    "from_variant": "the dataset itself",
    "index_table_from_dataset": "a dict made of `dataset.as_numpy_iterator()`",
    "make_saveable_from_iterator": "`tf.train.Checkpoint(iterator=iterator)`",
    "service": "`tf.data.Dataset.shard` or a strategy's `experimental_distribute_dataset`",
    "table_from_dataset": "a dict made of `dataset.as_numpy_iterator()`",
    "to_variant": "the dataset itself",
}


# The namespaces in which JAX functions of the same name compute the same.
_NUMERIC = {"", "math", "linalg", "nn", "random", "signal", "image", "bitwise", "compat.v1", "compat.v1.math"}
_NAMES = "tensorflow_names.txt"  # see scripts/record_tensorflow_names.py


@functools.cache
def tensorflow_names() -> dict[str, tuple[str, ...]]:
    """The public names of TensorFlow 2.15.1 by namespace ("" is `tf` itself), without Keras."""
    rows = importlib.resources.files(__package__).joinpath(_NAMES).read_text(encoding="utf-8").splitlines()
    return {row.split()[0].removeprefix("-"): tuple(row.split()[1:]) for row in rows}


def not_provided(namespace: str, name: str, instead: str | None = None) -> AttributeError:
    """The error to raise for `tf.<namespace>.<name>` (namespace "" for `tf` itself). instead: the replacement, if known.

    It is a NotProvidedError if TensorFlow has that name, and a plain AttributeError otherwise.
    """
    module = f"tf.{namespace}" if namespace else "tf"
    instead = instead or _replacement(namespace, name)
    theirs = () if name.startswith("_") else tensorflow_names().get(namespace, (name,))
    if instead is None and name not in theirs:
        here = vars(sys.modules.get(f"stratagem.{namespace}".rstrip("."), ModuleType("")))
        known = sorted({*theirs, *(n for n in here if not n.startswith("_"))})
        near = ", ".join(f"{module}.{n}" for n in difflib.get_close_matches(name, known))
        found = f" Did you mean {near}?" if near else ""
        return AttributeError(
            f"module {module!r} has no attribute {name!r}: TensorFlow has no such name either.{found}"
        )
    advice = f"use {instead}" if instead else f"it is not built yet, and dir({module}) lists what is there"
    return NotProvidedError(f"{module}.{name} is not provided; {advice}.")


def _replacement(namespace: str, name: str) -> str | None:
    if (namespace, name) in _ELSEWHERE:
        return _ELSEWHERE[namespace, name]
    if namespace == "data.experimental" and name in _DATA:
        return _DATA[name]
    if namespace not in _NUMERIC or name not in tensorflow_names().get(namespace, ()):
        return None
    places: list[tuple[str, ModuleType]] = [("jax.numpy", jnp), ("jax.nn", jax.nn), ("jax.lax", jax.lax)]
    own = {"linalg": jnp.linalg, "nn": jax.nn, "random": jax.random, "signal": jnp.fft, "image": jax.image}
    if namespace in own:
        places.insert(0, (own[namespace].__name__, own[namespace]))
    keras = sys.modules.get("keras")  # do not load it just to look up a name
    if keras is not None:
        places.append(("keras.ops", keras.ops))
    candidates = [_RENAMED.get(name, name), name.removeprefix("reduce_").removeprefix("unsorted_")]
    for label, module in places:
        found = next((c for c in candidates if not c.startswith("_") and c in vars(module)), None)
        if found is not None:
            return f"{label}.{found}"
    return None
