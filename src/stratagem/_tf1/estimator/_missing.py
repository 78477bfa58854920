"""The error messages for names of tf.estimator that are not provided."""

from stratagem._base.errors import NotProvidedError
from stratagem._base.types import Nest
from stratagem._ops import not_provided

_ESTIMATORS = """
    BaselineClassifier BaselineEstimator BaselineRegressor DNNClassifier DNNEstimator DNNLinearCombinedClassifier
    DNNLinearCombinedEstimator DNNLinearCombinedRegressor DNNRegressor LinearClassifier LinearEstimator LinearRegressor
    BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor
"""
_HEADS = """
    Head BinaryClassHead LogisticRegressionHead MultiClassHead MultiHead MultiLabelHead PoissonRegressionHead RegressionHead
"""
_PARSE = "a dict of tf.io.FixedLenFeature and tf.io.VarLenFeature"
_INSTEAD = {
    **dict.fromkeys(
        _ESTIMATORS.split(),
        "Estimator with a model_fn, or a Keras model with Model.fit or tf.keras.estimator.model_to_estimator",
    ),
    **dict.fromkeys(_HEADS.split(), "an EstimatorSpec that the model_fn makes itself"),
    "classifier_parse_example_spec": _PARSE,
    "regressor_parse_example_spec": _PARSE,
    **dict.fromkeys(
        ("BestExporter", "FinalExporter", "LatestExporter"),
        "an Exporter of your own, which is given the checkpoint and the metrics",
    ),
    "VocabInfo": "tf.train.load_variable, and an initializer that puts rows into their places",
    "inputs": "a dataset: tf.data.Dataset.from_tensor_slices(arrays).shuffle(n).repeat(epochs).batch(size)",
    "tpu": "RunConfig(train_distribute=strategy)",
}


def __getattr__(name: str) -> Nest:
    if name in _INSTEAD:
        raise NotProvidedError(f"tf.estimator.{name} is not provided; use {_INSTEAD[name]}.")
    raise not_provided("estimator", name)
