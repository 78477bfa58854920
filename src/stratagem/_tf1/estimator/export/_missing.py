"""What is said of names of tf.estimator.export that are not provided: those of the input of a SavedModel."""

from typing import Any

from stratagem._base.errors import NotProvidedError
from stratagem._ops import not_provided

_RECEIVERS = """
    ServingInputReceiver SupervisedInputReceiver TensorServingInputReceiver build_parsing_serving_input_receiver_fn
    build_raw_serving_input_receiver_fn build_raw_supervised_input_receiver_fn
    build_supervised_input_receiver_fn_from_input_fn
"""


def __getattr__(name: str) -> Any:
    if name in _RECEIVERS.split():
        raise NotProvidedError(
            f"tf.estimator.export.{name} is not provided: nothing here writes SavedModels. Use Estimator.predict, or read "
            "the variables with tf.train.load_variable into a Keras model, which has `export`."
        )
    raise not_provided("estimator.export", name)
