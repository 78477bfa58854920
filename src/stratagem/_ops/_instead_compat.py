"""Replacements for names of `tf.compat.v1` that are not provided: see `_instead`.

A name that has no row here has the row of the same name in TensorFlow 2, if there is one.
"""

_SESSION = "an Estimator (tf.compat.v1.estimator), tf.keras, or tf.function: Keras has no sessions here"
_MONITORED = "tf.compat.v1.train.MonitoredTrainingSession"
_PLACEHOLDER = "the arguments of a model_fn or of a tf.function"
_INITIALIZED = "nothing: variables have their values as soon as they are made"
_PROTO = "nothing: there are no graphs, whose messages these are"
_SUMMARY = "tf.summary.create_file_writer and tf.summary.scalar, or the summaries of tf.compat.v1.summary in a model_fn"
_DATASET = "tf.data.Dataset, with `shuffle`, `repeat`, `batch` and `prefetch`"
_FILES = "tf.data.TFRecordDataset, TextLineDataset or FixedLengthRecordDataset"
_SLICES = "the methods of the variable: v.scatter_update, v.scatter_nd_update, …"
_SPARSE = "tf.sparse, whose functions take TensorFlow 2's arguments"
_OTHER_FORM = "the function of the same name in tf.nn, which takes other arguments or another order"
_RNN = "tf.keras.layers.RNN with a cell of tf.keras.layers"
_TPU = "tf.distribute.TPUStrategy, and `strategy.run`"
_QUANTIZED = "tf.quantization.quantize_and_dequantize_v2: there are no quantized types"
_FAKE = "the function of the same name in tf.quantization"
_LOSS_SCALE = "tf.keras.mixed_precision.LossScaleOptimizer, or bfloat16, which needs no scale"
_VERSIONS = "tf.version"

INSTEAD = {
    "compat.v1": {
        "delete_session_tensor get_session_handle get_session_tensor": "the tensor itself: values outlive steps",
        "sparse_placeholder": _PLACEHOLDER,
        "assert_variables_initialized": "tf.compat.v1.report_uninitialized_variables",
        "moving_average_variables": "the variables that tf.train.ExponentialMovingAverage was applied to",
        "AttrValue GraphDef LogMessage MetaGraphDef NameAttrList NodeDef TensorInfo": _PROTO,
        "Event HistogramProto SessionLog SummaryMetadata": _SUMMARY,
        "CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD": "tf.sysconfig",
        "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER": _VERSIONS,
        "GRAPH_DEF_VERSION_MIN_PRODUCER VERSION": _VERSIONS,
        "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator": (
            "a variable, and its `assign_add`"
        ),
        "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue": _DATASET,
        "FixedLengthRecordReader IdentityReader LMDBReader": _FILES,
        "ReaderBase TFRecordReader TextLineReader WholeFileReader": _FILES,
        "NoGradient NotDifferentiable RegisterGradient": "tf.custom_gradient, or tf.stop_gradient",
        "OpError": "tf.errors.OpError",
        "QUANTIZED_DTYPES dequantize quantize quantize_v2 quantized_concat": _QUANTIZED,
        "SparseFeature": "tf.io.VarLenFeature, one for the indices and one for the values",
        "deserialize_many_sparse serialize_many_sparse serialize_sparse": _SPARSE,
        "add_check_numerics_ops": "tf.debugging.enable_check_numerics",
        "batch_gather": "tf.gather with batch_dims",
        "batch_scatter_update": "the variable's method `batch_scatter_update`",
        "count_up_to": "the variable's method `count_up_to`",
        "container": "a strategy, which places variables itself",
        "control_flow_v2_enabled": "nothing: it is always enabled",
        "convert_to_tensor_or_indexed_slices": "tf.convert_to_tensor",
        "create_partitioned_variables": "tf.compat.v1.get_variable with `partitioner`",
        "distributions": "tensorflow_probability.substrates.jax.distributions, or distrax",
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars": _FAKE,
        "fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel": _FAKE,
        "fake_quant_with_min_max_vars_per_channel_gradient": _FAKE,
        "fft fft2d fft3d fftnd ifft ifft2d ifft3d ifftnd irfftnd rfftnd": "the function of the same name in tf.signal",
        "get_seed": "tf.random.set_seed, and the seeds that you give",
        "load_file_system_library": "fsspec, or a mounted folder",
        "make_template": "tf.Module, or a Keras layer, whose variables are made once",
        "manip": "tf.reshape, tf.reverse, tf.roll, tf.tile, tf.gather_nd",
        "matrix_set_diag": "tf.linalg.set_diag",
        "matrix_solve_ls": "tf.linalg.lstsq",
        "self_adjoint_eigvals": "tf.linalg.eigvalsh",
        "mixed_precision": "tf.keras.mixed_precision",
        "no_regularizer": "None",
        "op_scope": "tf.name_scope",
        "variable_op_scope": "tf.compat.v1.variable_scope",
        "resource_loader": "importlib.resources",
        "to_complex64 to_complex128": "tf.cast",
        "scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub": _SLICES,
        "scatter_nd_update scatter_sub scatter_update": _SLICES,
        "setdiff1d": "numpy.setdiff1d in tf.numpy_function, or jax.numpy.setdiff1d(..., size=n)",
        "spectral": "tf.signal",
        "user_ops": "jax.ffi for kernels of your own",
        "wrap_function": "tf.function",
    },
    "compat.v1.data.experimental": {
        "DatasetStructure OptionalStructure RaggedTensorStructure SparseTensorStructure Structure": (
            "tf.TensorSpec, or tf.data.DatasetSpec"
        ),
        "TensorArrayStructure TensorStructure": "tf.TensorSpec",
        "map_and_batch_with_legacy_function": "`map` and `batch`",
    },
    "compat.v1.debugging": {
        "is_finite is_inf is_nan is_non_decreasing is_strictly_increasing": "the function of the same name in tf.math",
    },
    "compat.v1.distribute": {"get_loss_reduction": "tf.distribute.get_strategy().num_replicas_in_sync"},
    "compat.v1.distributions": {"": "tensorflow_probability.substrates.jax.distributions, or distrax"},
    "compat.v1.dtypes": {"as_string": "tf.strings.as_string"},
    "compat.v1.errors": {
        "raise_exception_on_not_ok_status": "try and except tf.errors.OpError: nothing here takes a status",
    },
    "compat.v1.estimator.experimental": {
        "KMeans": "sklearn.cluster.KMeans, or an Estimator with a model_fn",
        "LinearSDCA": "the optimizer 'Ftrl' with l1_regularization_strength and l2_regularization_strength",
        "InMemoryEvaluatorHook": "tf.estimator.train_and_evaluate, or a SessionRunHook of your own",
        "make_stop_at_checkpoint_step_hook": "tf.compat.v1.train.StopAtStepHook",
    },
    "compat.v1.estimator.tpu.experimental": {
        "EmbeddingConfigSpec": "tf.feature_column.embedding_column, whose tables are on every core or on parameter servers",
    },
    "compat.v1.experimental": {"output_all_intermediates": "nothing: JAX keeps what gradients need"},
    "compat.v1.flags": {"": "absl.flags, which this module is"},
    "compat.v1.app.flags": {"": "absl.flags, which this module is"},
    "compat.v1.gfile": {"": "tf.io.gfile"},
    "compat.v1.graph_util": {"": "tf.train.Checkpoint, or `model.save` of a Keras model: there are no graphs"},
    "compat.v1.image": {"sample_distorted_bounding_box": "tf.image.sample_distorted_bounding_box, which has one seed"},
    "compat.v1.initializers": {
        "global_variables local_variables variables": _INITIALIZED,
    },
    "compat.v1.io": {
        "PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue": _DATASET,
    },
    "compat.v1.keras.backend": {"get_session set_session": _SESSION},
    "compat.v1.keras.initializers": {
        "normal": "tf.keras.initializers.RandomNormal",
        "uniform": "tf.keras.initializers.RandomUniform",
    },
    "compat.v1.keras.layers": {
        "CuDNNGRU": "tf.keras.layers.GRU",
        "CuDNNLSTM": "tf.keras.layers.LSTM",
        "disable_v2_dtype_behavior enable_v2_dtype_behavior": "tf.keras.config.set_dtype_policy",
    },
    "compat.v1.keras.losses": {"cosine cosine_proximity": "tf.keras.losses.CosineSimilarity, or cosine_similarity"},
    "compat.v1.keras.metrics": {"cosine cosine_proximity": "tf.keras.metrics.CosineSimilarity"},
    "compat.v1.keras.models": {
        "LinearModel": "tf.keras.experimental.LinearModel",
        "WideDeepModel": "the sum of a tf.keras.layers.Dense and another model, made with the functional API",
    },
    "compat.v1.layers": {
        "InputSpec": "tf.keras.layers.InputSpec",
        "experimental": "nothing: layers follow Keras anyway",
    },
    "compat.v1.layers.experimental": {"": "nothing: layers follow Keras anyway"},
    "compat.v1.linalg": {"transpose": "tf.linalg.matrix_transpose"},
    "compat.v1.logging": {"TaskLevelStatusMessage": "tf.compat.v1.logging.info"},
    "compat.v1.manip": {"": "tf.reshape, tf.reverse, tf.roll, tf.tile, tf.gather_nd"},
    "compat.v1.mixed_precision": {"": _LOSS_SCALE},
    "compat.v1.nn": {
        "avg_pool_v2": "tf.nn.avg_pool",
        "max_pool_v2": "tf.nn.max_pool",
        "ctc_loss_v2": "tf.nn.ctc_loss",
        "depthwise_conv2d_native": "tf.nn.depthwise_conv2d",
        "conv2d_backprop_input": "tf.conv2d_backprop_input_v2, or tf.GradientTape",
        "conv2d_backprop_filter conv3d_backprop_filter conv3d_backprop_filter_v2": (
            "tf.conv2d_backprop_filter_v2, or tf.GradientTape"
        ),
        "depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input": (
            "tf.nn.depthwise_conv2d_backprop_filter and tf.nn.depthwise_conv2d_backprop_input"
        ),
        "batch_norm_with_global_normalization conv2d_transpose conv3d_transpose": _OTHER_FORM,
        "convolution ctc_loss": _OTHER_FORM,
        "dilation2d erosion2d fractional_avg_pool fractional_max_pool max_pool_with_argmax nce_loss pool": _OTHER_FORM,
        "sampled_softmax_loss separable_conv2d sufficient_statistics weighted_moments": _OTHER_FORM,
        "uniform_candidate_sampler log_uniform_candidate_sampler": "the sampler of the same name in tf.random",
        "bidirectional_dynamic_rnn static_bidirectional_rnn": "tf.keras.layers.Bidirectional",
        "dynamic_rnn raw_rnn static_rnn static_state_saving_rnn rnn_cell": _RNN,
        "ctc_beam_search_decoder": "tf.nn.ctc_beam_search_decoder, which leaves labels that are repeated",
        "fused_batch_norm": "tf.nn.moments and tf.nn.batch_normalization, which XLA fuses",
        "quantized_avg_pool quantized_conv2d quantized_max_pool quantized_relu_x": _QUANTIZED,
        "relu_layer": "tf.nn.relu(x @ weights + biases)",
    },
    "compat.v1.nn.rnn_cell": {"": _RNN},
    "compat.v1.profiler": {"": "tf.profiler.experimental"},
    "compat.v1.ragged": {
        "RaggedTensorValue constant_value": "tf.RaggedTensor, whose numpy() and to_list() give what it holds",
        "placeholder": _PLACEHOLDER,
    },
    "compat.v1.random": {
        "get_seed": "tf.random.set_seed, and the seeds that you give",
        "stateless_multinomial": "tf.random.stateless_categorical",
    },
    "compat.v1.resource_loader": {"": "importlib.resources"},
    "compat.v1.sparse": {"placeholder": _PLACEHOLDER, "": _SPARSE},
    "compat.v1.spectral": {"": "tf.signal"},
    "compat.v1.saved_model": {
        "": "tf.saved_model.save(obj, directory, signatures) and tf.saved_model.load: here these have functions, no graphs",
        "loader load": "tf.saved_model.load(directory), whose signatures are functions of keyword arguments",
    },
    "compat.v1.summary": {"": _SUMMARY},
    "compat.v1.test": {
        "StubOutForTesting mock": "unittest.mock",
        "compute_gradient_error": "tf.test.compute_gradient",
        "get_temp_dir": "tf.test.TestCase's method of this name, or tempfile",
        "test_src_dir_path": "pathlib.Path(__file__).parent",
    },
    "compat.v1.tpu": {"": _TPU},
    "compat.v1.tpu.experimental": {
        "embedding_column": "tf.feature_column.embedding_column",
        "shared_embedding_columns": "tf.feature_column.shared_embeddings",
        "AdagradParameters AdamParameters FtrlParameters StochasticGradientDescentParameters": (
            "the optimizer of the Estimator, which updates tables, too"
        ),
        "": _TPU,
    },
    "compat.v1.train": {
        "warm_start": "Estimator(warm_start_from=...)",
        "SaverDef import_meta_graph export_meta_graph": "tf.saved_model.save, or the Python code that builds the graph",
        "checkpoint_exists get_checkpoint_mtimes": "tf.train.latest_checkpoint, or pathlib",
        "generate_checkpoint_state_proto remove_checkpoint update_checkpoint_state": "tf.train.CheckpointManager",
        "SessionCreator SessionManager Supervisor": _MONITORED,
        "WorkerSessionCreator basic_train_loop": _MONITORED,
        "LooperThread": "tf.train.Coordinator with threading.Thread",
        "SyncReplicasOptimizer": "RunConfig(train_distribute=tf.distribute.MultiWorkerMirroredStrategy())",
        "AdagradDAOptimizer": "tf.compat.v1.train.AdagradOptimizer or FtrlOptimizer",
        "string_input_producer QueueRunner add_queue_runner queue_runner start_queue_runners": _DATASET,
        "batch_join input_producer limit_epochs maybe_batch maybe_batch_join maybe_shuffle_batch": _DATASET,
        "maybe_shuffle_batch_join range_input_producer shuffle_batch_join slice_input_producer": _DATASET,
        "batch": "tf.data.Dataset.batch",
        "shuffle_batch": "tf.data.Dataset.shuffle(...).batch(...)",
        "do_quantize_training_on_graphdef": _QUANTIZED,
        "global_step": "tf.compat.v1.train.get_global_step",
        "match_filenames_once": "tf.io.match_filenames_once",
        "noisy_linear_cosine_decay": "tf.keras.optimizers.schedules.LearningRateSchedule, subclassed",
        "sdca_fprint sdca_optimizer sdca_shrink_l1": "sklearn.linear_model, or an optimizer of Keras",
        "summary_iterator": "tensorboard.backend.event_processing.event_file_loader.EventFileLoader(path).Load(), of "
        "`pip install tensorboard`",
        "write_graph": "`model.save(path)` of a Keras model: there are no graphs here",
    },
    "compat.v1.train.experimental": {"": _LOSS_SCALE},
    "compat.v1.train.queue_runner": {"": _DATASET},
    "compat.v1.user_ops": {"": "jax.ffi for kernels of your own"},
}
