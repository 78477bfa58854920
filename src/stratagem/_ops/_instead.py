"""Replacements for TensorFlow's names that are not provided, by namespace, for errors and the page of all names.

A row has names and what follows "use" in the message. "" is all other names of the namespace and of those below it. A row
for a name that exists meanwhile does nothing; `make api` refuses it.
"""

from stratagem._ops._instead_compat import INSTEAD as _COMPAT
from stratagem._ops._instead_keras import INSTEAD as _KERAS

_PADDED = "dense tensors that `Dataset.padded_batch` fills up, with tf.sequence_mask of their lengths"
_QUANTIZED = "tf.quantization.quantize_and_dequantize_v2: there are no quantized types"
_SAVED = "tf.saved_model.save(obj, directory, signatures) and tf.saved_model.load: there are no graphs to describe"
_CLUSTER = "tf.train.ClusterSpec, and its as_dict()"
_TEXT = "Python's `bytes` or `re` in tf.numpy_function in the input pipeline: strings stay on the host"
_TABLE = "a dict made of `dataset.as_numpy_iterator()`"
_DTYPES = "the dtypes of jax.numpy of the same name (tf.cast takes them)"
_OWN_TYPES = "a class of your own that jax.tree_util.register_dataclass knows, or a NamedTuple"
_DISPATCH = "methods of your own class, which call tf's functions with its tensors"
_UNIGRAM = "tf.random.fixed_unigram_candidate_sampler with the counts of your data"
_TREES = (
    "tf.estimator.DNNClassifier or DNNRegressor, or trees of another library: XGBoost, LightGBM, or YDF, which reads "
    "records of tf.train.Example"
)
_ESTIMATOR = "Estimator with a model_fn, or a Keras model with Model.fit or tf.keras.estimator.model_to_estimator"

_TENSORFLOW = {
    "": {
        "raw_ops": "the public function that calls the kernel: tf.matmul for tf.raw_ops.MatMul",
        "Session InteractiveSession placeholder get_default_graph": (
            "the same name of tf.compat.v1, in `with tf.Graph().as_default():`"
        ),
        "import_graph_def": ("tf.function, whose program `jax.jit(f).lower(*args)` shows: there are no graphs"),
        "graph_util": "tf.function, whose program `jax.jit(f).lower(*args)` shows: there are no graphs",
        "ragged_fill_empty_rows ragged_fill_empty_rows_grad": "tf.where on the row lengths, and tf.concat",
        "RegisterGradient no_gradient": "tf.custom_gradient, or tf.stop_gradient",
        "fftnd": "tf.signal.fftnd",
        "ifftnd": "tf.signal.ifftnd",
        "irfftnd": "tf.signal.irfftnd",
        "rfftnd": "tf.signal.rfftnd",
        "lite": "TensorFlow itself for the conversion, with the weights that `model.save_weights` writes",
        "load_library load_op_library": "jax.ffi for kernels of your own, or jax.experimental.pallas",
        "mlir": "`jax.jit(f).lower(*args).as_text()`",
        "nondifferentiable_batch_function": "a server in front of the model, which collects requests into batches",
        "qint8 qint16 qint32 quint8 quint16": _QUANTIZED,
        "queue": "tf.data.Dataset (`prefetch`, `shuffle`), or the standard library's `queue` outside of steps",
        "resource variant": "the object itself: there are no handles",
        "sets": "a Python set in tf.numpy_function in the input pipeline",
        "xla": "tf.function: XLA compiles all of it",
    },
    "config": {"experimental_connect_to_host": "MultiWorkerMirroredStrategy: every task runs the program itself"},
    "data.experimental": {
        "CheckpointInputPipelineHook make_saveable_from_iterator": "`tf.train.Checkpoint(iterator=iterator)`",
        "DatasetInitializer index_table_from_dataset table_from_dataset": _TABLE,
        "from_variant to_variant": "the dataset itself",
        "service": "`tf.data.Dataset.shard` or a strategy's `experimental_distribute_dataset`",
        "": "the methods of tf.data.Dataset",
    },
    "data.experimental.service": {"": "`tf.data.Dataset.shard` or a strategy's `experimental_distribute_dataset`"},
    "debugging": {
        "experimental": (
            "tf.debugging.enable_check_numerics, jax.debug.print, or tf.config.run_functions_eagerly(True)"
        ),
    },
    "debugging.experimental": {"": "tf.debugging.enable_check_numerics, or jax.debug.print"},
    "distribute.cluster_resolver": {
        "KubernetesClusterResolver": "TFConfigClusterResolver, with TF_CONFIG set in every pod",
        "GCEClusterResolver": "TFConfigClusterResolver, with TF_CONFIG set on every machine",
    },
    "distribute.experimental": {"rpc": "tf.distribute.coordinator.ClusterCoordinator.schedule, or Ray's actors"},
    "distribute.experimental.rpc": {"": "tf.distribute.coordinator.ClusterCoordinator.schedule, or Ray's actors"},
    "dtypes": {
        "QUANTIZED_DTYPES qint8 qint16 qint32 quint8 quint16": _QUANTIZED,
        "resource variant": "the object itself: there are no handles",
    },
    "dtypes.experimental": {"": _DTYPES},
    "estimator": {
        "BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor": _TREES,
    },
    "estimator.experimental": {
        "InMemoryEvaluatorHook": "tf.estimator.train_and_evaluate, or a SessionRunHook of your own",
        "make_stop_at_checkpoint_step_hook": "tf.compat.v1.train.StopAtStepHook",
        "LinearSDCA": "the optimizer 'Ftrl' with l1_regularization_strength and l2_regularization_strength",
        "": _ESTIMATOR,
    },
    "estimator.export": {"EvalOutput": "eval_metric_ops of EstimatorSpec, and Estimator.evaluate"},
    "experimental": {
        "BatchableExtensionType ExtensionType ExtensionTypeBatchEncoder ExtensionTypeSpec extension_type": _OWN_TYPES,
        "RowPartition StructuredTensor": _PADDED,
        "dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis": _DISPATCH,
        "dispatch_for_unary_elementwise_apis unregister_dispatch_for": _DISPATCH,
        "dtensor": "jax.sharding (Mesh, NamedSharding), or keras.distribution",
        "enable_strict_mode": "warnings.simplefilter('error')",
        "numpy": "jax.numpy",
        "register_filesystem_plugin": "fsspec, or a mounted folder",
        "tensorrt": "tf.function: XLA compiles it for the GPU",
    },
    "experimental.dtensor": {"": "jax.sharding (Mesh, NamedSharding), or keras.distribution"},
    "experimental.extension_type": {"": _OWN_TYPES},
    "experimental.numpy": {"": "jax.numpy"},
    "experimental.numpy.random": {"": "numpy.random, or tf.random"},
    "experimental.tensorrt": {"": "tf.function: XLA compiles it for the GPU"},
    "graph_util": {"": "tf.function: there are no graphs"},
    "io": {
        "decode_proto encode_proto": "the message's own class of protobuf in tf.numpy_function",
        "deserialize_many_sparse serialize_many_sparse serialize_sparse": (
            "tf.io.serialize_tensor of each of the three tensors"
        ),
        "write_graph": "`model.save(path)` of a Keras model: there are no graphs here",
        "SparseFeature": "tf.io.VarLenFeature, one for the indices and one for the values",
    },
    "lite": {"": "TensorFlow itself for the conversion, with the weights that `model.save_weights` writes"},
    "mlir": {"": "`jax.jit(f).lower(*args).as_text()`"},
    "nn": {
        "RNNCellDeviceWrapper": "the cell itself: a strategy places what it computes",
        "RNNCellDropoutWrapper": "the arguments `dropout` and `recurrent_dropout` of Keras' cells",
        "RNNCellResidualWrapper": "a Keras cell whose `call` adds its inputs to its outputs",
        "learned_unigram_candidate_sampler": "tf.nn.fixed_unigram_candidate_sampler with the counts of your data",
    },
    "quantization": {"": _QUANTIZED},
    "queue": {"": "tf.data.Dataset (`prefetch`, `shuffle`), or the standard library's `queue` outside of steps"},
    "random": {
        "learned_unigram_candidate_sampler": _UNIGRAM,
    },
    "saved_model": {"": _SAVED},
    "sets": {"": "a Python set in tf.numpy_function in the input pipeline"},
    "signal": {"": "jax.numpy.fft and jax.scipy.signal"},
    "strings": {"": _TEXT},
    "summary": {"": "tf.summary.create_file_writer and its neighbours"},
    "test": {
        "Benchmark benchmark_config": "timeit, or pytest-benchmark",
        "assert_equal_graph_def": "`jax.jit(f).lower(*args).as_text()` of both: there are no graphs",
    },
    "tpu": {"XLAOptions": "the environment variable XLA_FLAGS"},
    "tpu.experimental": {
        "DeviceAssignment DeviceOrderMode": "the order of devices that TPUStrategy is given",
        "HardwareFeature TPUSystemMetadata": "jax.devices(), whose objects describe the hardware",
        "embedding": "tf.keras.layers.Embedding under TPUStrategy, or ParameterServerStrategy for large tables",
    },
    "tpu.experimental.embedding": {"": "tf.keras.layers.Embedding under TPUStrategy"},
    "train": {
        "ClusterDef JobDef": _CLUSTER,
        "ServerDef": "the arguments of tf.distribute.Server",
    },
    "types.experimental": {
        "AtomicFunction": "tf.types.experimental.ConcreteFunction",
        "FunctionType TraceType SupportsTracingProtocol": "inspect.signature and tf.TensorSpec",
        "distributed": "tf.distribute.DistributedValues",
    },
    "types.experimental.distributed": {"": "tf.distribute.DistributedValues"},
    "xla": {"": "tf.function: XLA compiles all of it"},
}


def _by_name(rows: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The rows with one name as the key of each."""
    return {
        namespace: {name: text for names, text in table.items() for name in names.split() or [""]}
        for namespace, table in rows.items()
    }


INSTEAD = _by_name(_TENSORFLOW) | _by_name(_KERAS) | _by_name(_COMPAT)
