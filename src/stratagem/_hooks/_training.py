"""Hooks for training, into what is done with layers and variables: optimizers, losses, metrics, models and their files."""

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
    attach_variable_creators,
)
from stratagem._legacy import (
    GENERATOR_METHODS,
    attach_compiled_parts,
    attach_constructors,
    attach_embeddings,
    attach_generator_methods,
    attach_layer_methods,
    attach_loss_scaling,
    attach_metrics_of_outputs,
    attach_minimize,
    attach_ragged,
    attach_synchronized_normalization,
)
from stratagem._ops import attach_strings
from stratagem._preprocessing import attach_layers, attach_weights
from stratagem._private import (
    INPUT_PLACES,
    LAYER_PLACES,
    RAGGED_PLACES,
    ROUTED_PLACES,
    SAVING_PLACES,
    STRING_PLACES,
    Hook,
    let_symbols_answer_operators,
    name_inputs_as_tensorflow,
)
from stratagem._saved_models import attach_export
from stratagem._tf1.graph import attach_graph_variables
from stratagem._training import (
    attach_callbacks,
    attach_histories,
    attach_optimizers_of_keras_two,
    attach_paths,
    attach_saving,
    attach_trainer,
)

_VARIABLE = "keras.src.backend.Variable"
_OPTIMIZER = "keras.src.optimizers.base_optimizer.BaseOptimizer"


OF_TRAINING: tuple[Hook, ...] = (
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
            "keras.src.layers.layer.Layer.compute_mask",
            "keras.src.metrics.metric.Metric.add_weight",
        ),
        why='`self.add_weight("w", shape=(3,))` and `self.add_metric(value, name="n")` would fail.',
        test="tests/keras/test_layers.py::test_weights_are_added_as_in_keras_2",
        attach=attach_layer_methods,
    ),
    Hook(
        what="metrics of several outputs",
        places=tuple(
            f"keras.src.trainers.compile_utils.CompileMetrics.{name}" for name in ("__init__", "_build_metrics_set")
        ),
        why='`compile(metrics=["mae", "mse"])` would measure one of the first output, and the other of the second.',
        test="tests/training/test_compiled_parts.py::test_a_list_of_metrics_is_of_every_output_as_in_tensorflow",
        attach=attach_metrics_of_outputs,
    ),
    Hook(
        what="arguments of constructors",
        places=(
            "keras.src.layers.core.input_layer.InputLayer.__init__",
            "keras.src.layers.layer.Layer.__init__",
            "keras.src.layers.normalization.batch_normalization.BatchNormalization.__init__",
            "keras.src.layers.attention.attention.Attention.__init__",
            "keras.src.layers.attention.additive_attention.AdditiveAttention.__init__",
            "keras.src.layers.rnn.rnn.RNN.__init__",
            *(f"keras.src.layers.pooling.average_pooling{dims}d.AveragePooling{dims}D.__init__" for dims in (1, 2, 3)),
            *(f"keras.src.regularizers.regularizers.L{power}.__init__" for power in (1, 2)),
        ),
        why="`batch_input_shape`, `fused` and `l` would be refused, and `AveragePooling2D()` would lack a size.",
        test="tests/keras/test_constructors.py::test_a_program_of_keras_2_gives_tensorflows_numbers",
        attach=attach_constructors,
    ),
    Hook(
        what="names of inputs",
        places=INPUT_PLACES,
        why='`model.fit({"input_1": x, "input_2": y}, labels)` would fail, and so would `model.input_names`.',
        test="tests/keras/test_inputs.py::test_inputs_without_names_have_tensorflows",
        attach=name_inputs_as_tensorflow,
    ),
    Hook(
        what="batch statistics of all replicas",
        places=(
            "keras.src.layers.normalization.batch_normalization.BatchNormalization.__init__",
            "keras.src.layers.normalization.batch_normalization.BatchNormalization._moments",
        ),
        why="`BatchNormalization(synchronized=True)` would be refused.",
        test="tests/keras/test_constructors.py::test_replicas_normalize_over_all_rows",
        attach=attach_synchronized_normalization,
    ),
    Hook(
        what="methods of models that read generators",
        places=tuple(f"keras.src.models.model.Model.{name}" for name in GENERATOR_METHODS),
        why="`model.fit_generator(batches())` and `model.reset_states()` would fail.",
        test="tests/keras/test_constructors.py::test_a_program_of_keras_2_gives_tensorflows_numbers",
        attach=attach_generator_methods,
    ),
    Hook(
        what="ids of embeddings",
        places=("keras.src.layers.core.embedding.Embedding.call",),
        why="An id beyond the table would be NaN, and one of -1 the last row.",
        test="tests/keras/test_layers.py::test_an_embedding_refuses_ids_that_it_does_not_have",
        attach=attach_embeddings,
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
            "keras.src.trainers.trainer.Trainer._flatten_metrics_in_order",
            "keras.src.trainers.trainer.Trainer._get_metrics_result_or_logs",
            "keras.src.utils.python_utils.pythonify_logs",
            "keras.src.trainers.trainer.Trainer.compile",
            "keras.src.trainers.trainer.Trainer.metrics_names",
        ),
        why="`fit` would not know the strategy under which the model was made.",
        test="tests/training/test_equal_results.py::test_any_number_of_replicas_gives_what_one_gives",
        attach=attach_trainer,
    ),
    Hook(
        what="display of histories",
        places=("keras.src.callbacks.history.History._repr_html_",),
        why="A notebook would show the address of an object in place of the losses that `fit` returns.",
        test="tests/training/test_display.py::test_a_history_is_a_table_of_epochs",
        attach=attach_histories,
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
        what="ragged tensors as inputs of models",
        places=RAGGED_PLACES,
        why="`Input(ragged=True)` would be refused, as would be ragged tensors in layers.",
        test="tests/training/test_ragged.py::test_a_model_of_rows_has_the_weights_of_tensorflow",
        attach=attach_ragged,
    ),
    Hook(
        what="formats of files",
        places=SAVING_PLACES,
        why='`model.save("folder")`, `save_weights("prefix")` and a `ModelCheckpoint` of such a path would be refused.',
        test="tests/training/test_saving.py::test_training_goes_on_from_a_folder",
        attach=attach_saving,
    ),
    Hook(
        what="optimizers in weights of Keras 2",
        places=("keras.src.optimizers.optimizer.Optimizer.load_own_variables",),
        why="`load_weights` of such a file would leave the optimizer of a compiled model as it was.",
        test="tests/training/test_keras_two.py::test_weights_of_a_whole_model_are_read_with_its_optimizer",
        attach=attach_optimizers_of_keras_two,
    ),
    Hook(
        what="exports of models",
        places=("keras.src.models.model.Model.export",),
        why="`model.export(path)` would ask for TensorFlow.",
        test="tests/saved_models/test_keras_models.py::test_an_exported_model_serves",
        attach=attach_export,
    ),
    Hook(
        what="classes of layers in files",
        places=LAYER_PLACES,
        why="Layers of texts and words in files of Keras 2 would be Keras 3's, which ask for TensorFlow.",
        test="tests/preprocessing/test_files_of_tensorflow.py::test_a_file_of_tensorflow_is_read",
        attach=attach_layers,
    ),
    Hook(
        what="weights that are no variables",
        places=(
            "keras.src.layers.layer.Layer.set_weights",
            "keras.src.utils.summary_utils.count_params",
            "keras.src.utils.summary_utils.weight_memory_size",
        ),
        why="`model.set_weights` would refuse another number of words and leave `Normalization` as it was, and a summary would "
        "count words as parameters.",
        test="tests/preprocessing/test_weights.py::test_a_model_gives_another_what_its_layers_have_learned",
        attach=attach_weights,
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
