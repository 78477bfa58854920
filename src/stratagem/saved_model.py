"""`tf.saved_model`: models with their functions in a directory, which is loaded without their Python code."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._saved_models import Asset as Asset
from stratagem._saved_models import LoadOptions as LoadOptions
from stratagem._saved_models import SaveOptions as SaveOptions
from stratagem._saved_models import contains_saved_model as contains_saved_model
from stratagem._saved_models import load as load
from stratagem._saved_models import save as save

_hooks.install()

ASSETS_DIRECTORY = "assets"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
PREDICT_INPUTS = "inputs"
PREDICT_OUTPUTS = "outputs"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
REGRESS_INPUTS = "inputs"
REGRESS_OUTPUTS = "outputs"
SERVING = "serve"
TRAINING = "train"
GPU = "gpu"
TPU = "tpu"


def __getattr__(name: str) -> object:
    raise _not_provided("saved_model", name)
