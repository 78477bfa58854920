"""tf.compat.v1.estimator: everything that tf.estimator has; canned Estimators whose losses are sums."""

from typing import Any as _Any

from stratagem import estimator as _estimator
from stratagem._tf1.canned import GraphBaselineClassifier as BaselineClassifier  # noqa: F401
from stratagem._tf1.canned import GraphBaselineEstimator as BaselineEstimator  # noqa: F401
from stratagem._tf1.canned import GraphBaselineRegressor as BaselineRegressor  # noqa: F401
from stratagem._tf1.canned import GraphDNNClassifier as DNNClassifier  # noqa: F401
from stratagem._tf1.canned import GraphDNNEstimator as DNNEstimator  # noqa: F401
from stratagem._tf1.canned import GraphDNNLinearCombinedClassifier as DNNLinearCombinedClassifier  # noqa: F401
from stratagem._tf1.canned import GraphDNNLinearCombinedEstimator as DNNLinearCombinedEstimator  # noqa: F401
from stratagem._tf1.canned import GraphDNNLinearCombinedRegressor as DNNLinearCombinedRegressor  # noqa: F401
from stratagem._tf1.canned import GraphDNNRegressor as DNNRegressor  # noqa: F401
from stratagem._tf1.canned import GraphLinearClassifier as LinearClassifier  # noqa: F401
from stratagem._tf1.canned import GraphLinearEstimator as LinearEstimator  # noqa: F401
from stratagem._tf1.canned import GraphLinearRegressor as LinearRegressor  # noqa: F401
from stratagem.compat.v1.estimator import experimental as experimental
from stratagem.compat.v1.estimator import inputs as inputs
from stratagem.compat.v1.estimator import tpu as tpu


def __getattr__(name: str) -> _Any:
    return getattr(_estimator, name)
