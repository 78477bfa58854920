"""Replacements for names of `tf.keras` that are not provided: see `_instead`."""

_APPLICATION = "tf.keras.applications.ResNet50V2, EfficientNetV2B0 or another of its models: Keras 3 has dropped these"
_SEQUENCE = "tf.keras.utils.PyDataset, which has workers of its own, or tf.data.Dataset"
_LOCAL = "a layer of your own with one kernel for each place and keras.ops.einsum: Keras 3 has dropped these"

INSTEAD = {
    "keras": {
        "dtensor": "keras.distribution, or jax.sharding",
        "": "the classes of Keras 3 (dir(tf.keras) lists them), or keras.ops",
    },
    "keras.applications": {"": _APPLICATION},
    "keras.applications.regnet": {"": _APPLICATION},
    "keras.applications.resnet_rs": {"": _APPLICATION},
    "keras.backend": {
        "ctc_decode": "keras.ops.ctc_decode",
        "ctc_label_dense_to_sparse": "the dense labels: tf.nn.ctc_loss and keras.ops.ctc_loss take them",
        "experimental": "tf.keras.utils.set_random_seed: there is one generator of random numbers",
        "gradients": "tf.GradientTape",
        "local_conv1d local_conv2d": _LOCAL,
        "placeholder": "tf.keras.Input",
        "rnn": "tf.keras.layers.RNN with a cell",
    },
    "keras.callbacks": {
        "BaseLogger": "nothing: `fit` averages what it logs itself",
        "SidecarEvaluatorModelExport": (
            "tf.keras.callbacks.ModelCheckpoint with save_best_only=True beside tf.keras.experimental.SidecarEvaluator"
        ),
    },
    "keras.constraints": {"RadialConstraint radial_constraint": "a subclass of tf.keras.constraints.Constraint"},
    "keras.dtensor": {"": "keras.distribution, or jax.sharding"},
    "keras.experimental": {
        "WideDeepModel": "the sum of a tf.keras.layers.Dense and another model, made with the functional API",
    },
    "keras.layers": {
        "LocallyConnected1D LocallyConnected2D": _LOCAL,
    },
    "keras.layers.experimental": {
        "RandomFourierFeatures": (
            "a layer of your own: tf.cos(inputs @ random_kernel + bias), with weights that are not trainable"
        ),
    },
    "keras.metrics": {
        "MeanRelativeError": "tf.keras.metrics.MeanAbsolutePercentageError, or a subclass of tf.keras.metrics.Mean",
        "MeanTensor": "a subclass of tf.keras.metrics.Metric with two variables, a sum and a count",
        "experimental": "tf.keras.metrics.R2Score",
    },
    "keras.metrics.experimental": {"": "the metrics of tf.keras.metrics"},
    "keras.models": {
        "experimental": (
            "an optimizer step of your own in `train_step`: Keras 3 has dropped sharpness-aware minimization"
        ),
        "model_from_config": "tf.keras.Model.from_config, or tf.keras.layers.deserialize",
        "model_from_yaml": "tf.keras.models.model_from_json",
    },
    "keras.models.experimental": {
        "": "an optimizer step of your own in `train_step`: Keras 3 has dropped sharpness-aware minimization",
    },
    "keras.utils": {
        "GeneratorEnqueuer OrderedEnqueuer SequenceEnqueuer": _SEQUENCE,
        "StepsPerExecutionTuner": "the argument steps_per_execution of `compile`",
        "TimedThread": "a callback of your own with threading.Timer",
        "to_ordinal": "tf.cast(tf.range(num_classes - 1) < labels[..., None], tf.float32)",
        "warmstart_embedding_matrix": "an initializer that puts the rows into their places",
    },
}
