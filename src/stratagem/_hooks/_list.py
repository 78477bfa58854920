"""Every hook into JAX and Keras: what it changes where, why, and which test fails without it."""

from stratagem._autograph import attach_overrides
from stratagem._core.step import (
    attach_lookups,
    attach_loss_check,
    attach_losses,
    attach_metrics,
    attach_optimizers,
    attach_seeds,
)
from stratagem._core.values import (
    attach_components,
    attach_methods,
    attach_placements,
    attach_shapes,
    attach_shards,
    attach_slices,
    attach_variable_creators,
)
from stratagem._devices import attach_compilation_cache, attach_device_names
from stratagem._legacy import attach_compiled_parts, attach_layer_methods, attach_loss_scaling, attach_minimize
from stratagem._ops import attach_strings
from stratagem._preprocessing import attach_layers
from stratagem._private import (
    BIT_OPERATORS,
    LAYER_PLACES,
    NAMED_PLACES,
    ROUTED_PLACES,
    SAVING_PLACES,
    STRING_PLACES,
    WIDE_PLACES,
    Hook,
    allow_messages,
    attach,
    average_as_tensorflow,
    build_layers_as_tensorflow,
    build_models_from_shapes,
    find_losses_by_name,
    intercept_drawn_seeds,
    intercept_random_seed,
    intercept_waits,
    keep_64_bits,
    keep_checks,
    let_symbols_answer_operators,
    let_workers_store_programs,
    mark_seed_states,
    name_as_tensorflow,
    operate_on_bits,
    reserve_configured_threads,
    restore_hdf5_optimizers,
    weigh_as_tensorflow,
)
from stratagem._tf1.graph import attach_graph_variables
from stratagem._training import attach_callbacks, attach_paths, attach_saving, attach_trainer

_VARIABLE = "keras.src.backend.Variable"
_OPTIMIZER = "keras.src.optimizers.base_optimizer.BaseOptimizer"

# Where two hooks have one place, the later one is asked first.
HOOKS: tuple[Hook, ...] = (
    Hook(
        what="threads for virtual devices",
        places=("os.environ.PJRT_NPROC",),
        why="Replicas on virtual CPU devices would wait for each other for ever: each holds a thread in an all-reduce.",
        test="tests/private/test_private.py::test_threads_for_configured_devices_are_reserved_by_installing",
        attach=reserve_configured_threads,
    ),
    Hook(
        what="64-bit types",
        places=(
            "jax.config.jax_explicit_x64_dtypes",
            "jax._src.lax.lax._convert_element_type",
            "jax._src.core.auto_insert_reshard",
            "jax._src.lax.lax.reduce",
            "jax._src.lax.windowed_reductions.reduce_window",
            "keras.src.backend.common.dtypes.BIT64_TO_BIT32_DTYPE.float64",
            *WIDE_PLACES,
        ),
        why="`tf.constant(1, tf.int64)` would be 32 bits, and numbers of float64 models would be rounded, as 0.1 in `x * 0.1`. "
        "JAX would not compile `igamma` and `betainc` of float64 (in its table of lowerings, tests/ops/test_special.py).",
        test="tests/private/test_private.py::test_keras_keeps_64_bits_where_there_are_some",
        attach=keep_64_bits,
    ),
    Hook(
        what="errors about decisions on tensors",
        places=(
            "jax.errors.ConcretizationTypeError.__init__",
            "jax.errors.Tracer*ConversionError.__init__",
        ),
        why="A Python decision on a tensor in a layer's call would fail with a TypeError that hides it.",
        test="tests/private/test_private.py::test_an_error_about_a_decision_can_be_made_of_a_text",
        attach=allow_messages,
    ),
    Hook(
        what="methods of tensors",
        places=(
            "jaxlib._jax.ArrayImpl.numpy",
            "jaxlib._jax.ArrayImpl.[gs]et_shape",
            "jax._src.core.Tracer.numpy",
            "jax._src.core.Tracer.[gs]et_shape",
            "jaxlib._jax.ArrayImpl.ref",
            "jax._src.core.Tracer.ref",
            f"{_VARIABLE}.get_shape",
            f"{_VARIABLE}.ref",
            f"{_VARIABLE}.__array_priority__",
        ),
        why="`loss.numpy()`, `x.get_shape()`, `x.set_shape(...)` and `x.ref()` would be missing.",
        test="tests/private/test_private.py::test_tensors_have_tensorflow_methods",
        attach=attach_methods,
    ),
    Hook(
        what="bits of variables",
        places=tuple(f"{_VARIABLE}.{name}" for name in BIT_OPERATORS),
        why="`flags & 4` of a variable of integers would tell whether both are not 0.",
        test="tests/private/test_variable_operators.py::test_a_variables_bits_are_those_of_its_tensor",
        attach=operate_on_bits,
    ),
    Hook(
        what="names of devices",
        places=tuple(f"jaxlib._jax.Device.{name}" for name in ("__str__", "__contains__", "startswith", "endswith")),
        why='`x.device.endswith("GPU:0")` would fail, and `print(x.device)` would show another name.',
        test="tests/strategies/test_device_names.py::test_a_tensors_device_is_printed_as_in_tensorflow",
        attach=attach_device_names,
    ),
    Hook(
        what="checks in loops",
        places=("jax._src.effects.partial_eval_kept_effects",),
        why="`tf.debugging.assert_*` in a loop would be lost when a gradient is taken through it.",
        test="tests/private/test_private.py::test_checks_in_a_loop_survive_its_gradient",
        attach=keep_checks,
    ),
    Hook(
        what="executables of equal programs",
        places=("jax._src.compiler.compile_or_get_cached",),
        why="Every evaluation and fold of an Estimator would compile its equal programs anew.",
        test="tests/private/test_private.py::test_executables_serve_equal_programs",
        attach=attach_compilation_cache,
    ),
    Hook(
        what="programs of workers on disk",
        places=("jax._src.compiler._cache_write",),
        why="With a compilation cache every worker but the first would compile everything again at every start.",
        test="tests/devices/test_compilation_cache.py::test_every_worker_stores_its_programs",
        attach=let_workers_store_programs,
    ),
    Hook(
        what="waits for arrays",
        places=tuple(f"jaxlib._jax.ArrayImpl.{name}" for name in ("_value", "block_until_ready", "item")),
        why="A worker whose peer is gone would wait in `loss.numpy()` for ever.",
        test="tests/private/test_private.py::test_whoever_asks_is_told_of_every_wait_for_an_array",
        attach=intercept_waits,
    ),
    Hook(
        what="moving averages of weights",
        places=(
            f"{_OPTIMIZER}.build",
            f"{_OPTIMIZER}._update_model_variables_moving_average",
            "keras.src.optimizers.optimizer.Optimizer._backend_apply_gradients",
        ),
        why="`use_ema` would start from other values, and average what an update leaves alone.",
        test="tests/keras/test_averages.py::test_averages_are_those_of_tensorflow",
        attach=average_as_tensorflow,
    ),
    Hook(
        what="building of layers",
        places=(
            "keras.src.layers.layer.Layer._post_build",
            "keras.src.layers.layer.Layer._maybe_build",
            "keras.src.layers.normalization.batch_normalization.BatchNormalization._moments",
        ),
        why="Layers built in a step would lose what they make from values, and each replica keep its own batch statistics.",
        test="tests/private/test_private.py::test_batch_statistics_are_averaged",
        attach=build_layers_as_tensorflow,
    ),
    Hook(
        what="models built from shapes",
        places=(
            "keras.src.models.model.Model.build",
            "keras.src.models.model.Model._maybe_build",
        ),
        why="`build` of a model of the user's class would make no weights, and such programs train from other ones.",
        test="tests/keras/test_built_from_shapes.py::test_a_model_of_a_class_is_built_from_shapes_as_in_keras_2",
        attach=build_models_from_shapes,
    ),
    Hook(
        what="losses by their names",
        places=(
            "keras.losses.deserialize",
            "keras.src.losses.deserialize",
        ),
        why='A model that was saved to HDF5 with loss="mse" could not be loaded.',
        test="tests/keras/test_files.py::test_a_loss_is_found_by_every_name",
        attach=find_losses_by_name,
    ),
    Hook(
        what="optimizers in HDF5",
        places=("keras.src.legacy.saving.legacy_h5_format.load_model_from_hdf5",),
        why="Training would go on from an HDF5 file without the optimizer's state.",
        test="tests/keras/test_files.py::test_training_goes_on_from_hdf5",
        attach=restore_hdf5_optimizers,
    ),
    Hook(
        what="weights of metrics",
        places=("keras.src.metrics.reduction_metrics.reduce_to_samplewise_values",),
        why="`tf.keras.metrics.Mean` would weigh samples, where TensorFlow weighs values.",
        test="tests/keras/test_metrics.py::test_a_mean_counts_every_value_as_in_tensorflow",
        attach=weigh_as_tensorflow,
    ),
    Hook(
        what="names of settings",
        places=NAMED_PLACES,
        why="`optimizer.lr = 0.1` would be accepted, and change nothing.",
        test="tests/keras/test_names.py::test_setting_a_name_that_only_tensorflow_has_is_an_error",
        attach=name_as_tensorflow,
    ),
    Hook(
        what="marks of seed states",
        places=("keras.src.random.seed_generator.SeedGenerator.__init__",),
        why="Replicas would be asked how to reduce the state of a Dropout, which advances alike on all.",
        test="tests/private/test_private.py::test_a_state_knows_that_it_is_one_from_the_beginning",
        attach=mark_seed_states,
    ),
    Hook(
        what="sources of seeds",
        places=(
            "keras.src.random.seed_generator.SeedGenerator.next",
            "keras.src.random.seed_generator.global_seed_generator",
        ),
        why="A compiled program would draw the same numbers at every call.",
        test="tests/private/test_private.py::test_seeds_can_come_from_elsewhere_also_in_a_trace",
        attach=intercept_drawn_seeds,
    ),
    Hook(
        what="the random seed",
        places=(
            "keras.src.utils.rng_utils.set_random_seed",
            "keras.utils.set_random_seed",
        ),
        why="`tf.keras.utils.set_random_seed` would seed neither shuffles nor programs that are compiled already.",
        test="tests/private/test_private.py::test_seedings_are_counted",
        attach=intercept_random_seed,
    ),
    Hook(
        what="placements of variables",
        places=(
            f"{_VARIABLE}.__init__",
            f"{_VARIABLE}.__repr__",
            f"{_VARIABLE}.__array__",
            f"{_VARIABLE}.__bool__",
            f"{_VARIABLE}._creation_number",
            f"{_VARIABLE}._direct_assign",
            f"{_VARIABLE}._initialize_with_initializer",
            f"{_VARIABLE}._placement",
            f"{_VARIABLE}.assign_add",
            f"{_VARIABLE}.assign_sub",
            f"{_VARIABLE}.numpy",
            f"{_VARIABLE}.shape",
            f"{_VARIABLE}.value",
            f"{_VARIABLE}._slot_of",
            f"{_OPTIMIZER}.add_variable_from_reference",
        ),
        why="Variables of a scope would be Keras' own: on one device, and neither synchronized nor aggregated.",
        test="tests/private/test_private.py::test_a_plain_variable_has_no_placement",
        attach=attach_placements,
    ),
    Hook(
        what="components of variables",
        places=(f"{_VARIABLE}.values", f"{_VARIABLE}.device"),
        why="`v.values` and `v.device` would be missing.",
        test="tests/core/values/test_variable_methods.py::test_each_replicas_part_of_a_variable_can_be_read",
        attach=attach_components,
    ),
    Hook(
        what="slices of variables",
        places=(
            f"{_VARIABLE}.__getitem__",
            f"{_VARIABLE}.__iter__",
            f"{_VARIABLE}.value",
            "jaxlib._jax.ArrayImpl.assign",
            "jax._src.core.Tracer.assign",
        ),
        why="`v.value()` and `v[1].assign(x)` would fail, and `for x in v` would never end.",
        test="tests/core/values/test_variable_methods.py::test_a_variable_answers_as_in_tensorflow",
        attach=attach_slices,
    ),
    Hook(
        what="shapes of tensors",
        places=(
            "jaxlib._jax.ArrayImpl.shape",
            "jax._src.core.Tracer.shape",
            "keras.src.backend.common.keras_tensor.KerasTensor.shape",
            "keras.src.layers.layer.get_shapes_dict",
            f"{_VARIABLE}.shape",
        ),
        why="`x.shape.as_list()`, `x.shape.rank` and `input_shape.as_list()` in a layer's `build` would fail.",
        test="tests/private/test_private.py::test_shapes_are_of_the_class_that_is_asked_for",
        attach=attach_shapes,
    ),
    Hook(
        what="shards of variables",
        places=(
            f"{_VARIABLE}.__new__",
            f"{_VARIABLE}._sharded_variable",
            f"{_OPTIMIZER}.add_variable_from_reference",
            f"{_OPTIMIZER}.build",
            "keras.src.legacy.saving.legacy_h5_format._legacy_weights",
            "keras.src.saving.saving_lib._load_state",
            "keras.src.saving.saving_lib._save_state",
            "keras.src.utils.tracking.Tracker.track",
            "keras.src.utils.tracking.Tracker.untrack",
            "keras.src.utils.tracking.Tracker.add_to_store",
        ),
        why="A partitioner's variables would be kept whole.",
        test="tests/core/values/test_sharded_models.py::test_the_embedding_of_tensorflows_tutorial_has_two_weights",
        attach=attach_shards,
    ),
    Hook(
        what="application of gradients",
        places=(
            f"{_OPTIMIZER}.apply",
            f"{_OPTIMIZER}.apply_gradients",
            f"{_OPTIMIZER}.__init_subclass__",
            "keras.src.optimizers.*.build",
            "keras.src.optimizers.loss_scale_optimizer.LossScaleOptimizer.apply",
        ),
        why="Replicas would not sum their gradients, and `apply_gradients` would be missing.",
        test="tests/private/test_private.py::test_apply_gradients_is_there_and_returns_iterations",
        attach=attach_optimizers,
    ),
    Hook(
        what="methods of optimizers",
        places=(
            f"{_OPTIMIZER}.__init__",
            f"{_OPTIMIZER}.compute_gradients",
            f"{_OPTIMIZER}.minimize",
            f"{_OPTIMIZER}.variables",
            "keras.src.optimizers.*.variables",
        ),
        why="`optimizer.minimize(...)` and `optimizer.variables()` would fail.",
        test="tests/keras/test_minimize.py::test_minimize_changes_the_variables_as_in_tensorflow",
        attach=attach_minimize,
    ),
    Hook(
        what="loss scaling",
        places=tuple(
            f"keras.src.optimizers.loss_scale_optimizer.LossScaleOptimizer.{name}"
            for name in (
                *("_scaled_by_keras", "apply_gradients", "scale_loss", "get_scaled_loss", "get_unscaled_gradients"),
                *("loss_scale", "dynamic", "dynamic_counter"),
            )
        ),
        why="`optimizer.get_scaled_loss(loss)` would fail, and gradients that a program has unscaled would be unscaled twice.",
        test="tests/keras/test_minimize.py::test_a_scaled_loop_is_that_of_tensorflow",
        attach=attach_loss_scaling,
    ),
    Hook(
        what="compiled losses and metrics",
        places=tuple(f"keras.src.models.model.Model.compiled_{name}" for name in ("loss", "metrics")),
        why="A `train_step` with `self.compiled_loss(y, y_pred)` would fail.",
        test="tests/training/test_compiled_parts.py::test_a_train_step_of_keras_2_reports_what_tensorflow_does",
        attach=attach_compiled_parts,
    ),
    Hook(
        what="methods of layers",
        places=(
            "keras.src.layers.layer.Layer.add_metric",
            "keras.src.layers.layer.Layer.add_variable",
            "keras.src.layers.layer.Layer.add_weight",
            "keras.src.metrics.metric.Metric.add_weight",
        ),
        why='`self.add_weight("w", shape=(3,))` and `self.add_metric(value, name="n")` would fail.',
        test="tests/keras/test_layers.py::test_weights_are_added_as_in_keras_2",
        attach=attach_layer_methods,
    ),
    Hook(
        what="operators of symbolic tensors",
        places=("keras.src.backend.common.keras_tensor.KerasTensor.__jax_array__",),
        why="`tf.constant(1.0) + x` with a symbolic tensor x would fail.",
        test="tests/keras/test_symbolic.py::test_a_function_of_a_symbolic_tensor_is_a_layer_that_is_saved",
        attach=let_symbols_answer_operators,
    ),
    Hook(
        what="checks of losses",
        places=("keras.src.losses.loss.Loss.__call__",),
        why="A loss that is a mean over one replica's rows would be as many times too large as there are replicas, silently.",
        test="tests/keras/test_models.py::test_a_loss_that_divides_by_the_rows_of_a_replica_is_refused_there",
        attach=attach_loss_check,
    ),
    Hook(
        what="losses of many examples",
        places=(
            "keras.src.layers.layer.Layer._get_regularization_losses",
            "keras.src.layers.layer.Layer.add_loss",
            "keras.src.losses.loss.apply_mask",
            "keras.src.losses.loss.reduce_values",
        ),
        why="In `fit` on several replicas losses would be means over replicas, not over the global batch.",
        test="tests/training/test_equal_results.py::test_any_number_of_replicas_gives_what_one_gives",
        attach=attach_losses,
    ),
    Hook(
        what="results of metrics",
        places=(
            "keras.src.*.result",
            "keras.src.metrics.metric.Metric.__init_subclass__",
        ),
        why="`metric.result()` inside a replica would be that replica's own.",
        test="tests/keras/test_metrics.py::test_the_result_inside_of_a_replica_is_that_of_all_replicas",
        attach=attach_metrics,
    ),
    Hook(
        what="methods of users' classes",
        places=(
            "keras.src.layers.layer.Layer.__init_subclass__",
            "keras.src.losses.loss.Loss.__init_subclass__",
            "keras.src.metrics.metric.Metric.__init_subclass__",
        ),
        why="An `if` on a tensor in a layer's `call`, or in `train_step`, would be an error.",
        test="tests/autograph/test_keras_classes.py::test_tensors_decide_in_methods_that_keras_calls",
        attach=attach_overrides,
    ),
    Hook(
        what="seeds of replicas",
        places=("keras.src.random.seed_generator.SeedGenerator.next",),
        why="All replicas would draw the same numbers.",
        test="tests/keras/test_models.py::test_dropout_differs_between_replicas_and_steps",
        attach=attach_seeds,
    ),
    Hook(
        what="lookups of rows",
        places=("keras.src.backend.jax.numpy.take",),
        why="A step would fetch an embedding on parameter servers whole.",
        test="tests/servers/remote/test_rows_outside.py::test_rows_are_asked_for",
        attach=attach_lookups,
    ),
    Hook(
        what="methods of models",
        places=(
            "keras.src.backend.jax.trainer.JAXTrainer.*",
            "keras.src.models.model.Model.distribute_strategy",
            "keras.src.models.model.Model._creation_strategy",
            "keras.src.trainers.trainer.Trainer.__init__",
            "keras.src.trainers.trainer.Trainer.compile",
        ),
        why="`fit` would not know the strategy under which the model was made.",
        test="tests/training/test_equal_results.py::test_any_number_of_replicas_gives_what_one_gives",
        attach=attach_trainer,
    ),
    Hook(
        what="callbacks of Keras",
        places=(
            "keras.src.callbacks.backup_and_restore.BackupAndRestore.*",
            "keras.src.callbacks.model_checkpoint.ModelCheckpoint._save_model",
            "keras.src.callbacks.model_checkpoint.ModelCheckpoint.on_epoch_end",
        ),
        why="BackupAndRestore would take a fit up at another step than where it was left, and every worker would write.",
        test="tests/training/test_callbacks_backup.py::test_training_goes_on_at_the_step_after_the_backup_as_in_tensorflow",
        attach=attach_callbacks,
    ),
    Hook(
        what="strings as inputs of models",
        places=STRING_PLACES,
        why="A model whose first layer takes strings could not be called: Keras would make an array of JAX of them.",
        test="tests/training/test_strings.py::test_a_model_takes_strings",
        attach=attach_strings,
    ),
    Hook(
        what="formats of files",
        places=SAVING_PLACES,
        why='`model.save("folder")`, `save_weights("prefix")` and a `ModelCheckpoint` of such a path would be refused.',
        test="tests/training/test_saving.py::test_training_goes_on_from_a_folder",
        attach=attach_saving,
    ),
    Hook(
        what="classes of layers in files",
        places=LAYER_PLACES,
        why="Layers of texts and words in files of Keras 2 would be Keras 3's, which ask for TensorFlow.",
        test="tests/preprocessing/test_files_of_tensorflow.py::test_a_file_of_tensorflow_is_read",
        attach=attach_layers,
    ),
    Hook(
        what="paths of files",
        places=ROUTED_PLACES,
        why='`model.save("gs://…")` would write into a local folder of the name `gs:`.',
        test="tests/test_paths.py::test_a_scheme_is_refused_and_leaves_nothing",
        attach=attach_paths,
    ),
    Hook(
        what="variables of a model_fn",
        places=(
            f"{_VARIABLE}.__init__",
            f"{_VARIABLE}.__new__",
        ),
        why="Every call of a model_fn would make its layers' variables anew.",
        test="tests/tf1/graph/test_building.py::test_layers_of_keras_are_found_again_and_named",
        attach=attach_graph_variables,
    ),
    Hook(
        what="creators of variables",
        places=(
            f"{_VARIABLE}.__init__",
            f"{_VARIABLE}.__new__",
        ),
        why="`tf.variable_creator_scope` would have no effect.",
        test="tests/core/values/test_variable_creators.py::test_creators_are_asked_from_the_innermost_to_the_outermost",
        attach=attach_variable_creators,
    ),
)


def install() -> None:
    """Attach all hooks, unless this process has them.

    Raises:
        ImportError: a version of JAX or Keras lacks a place that a hook needs.
    """
    attach(HOOKS, install)
