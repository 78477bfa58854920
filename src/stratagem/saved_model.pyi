# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._saved_models import Asset as Asset
from stratagem._saved_models import LoadOptions as LoadOptions
from stratagem._saved_models import SaveOptions as SaveOptions
from stratagem._saved_models import contains_saved_model as contains_saved_model
from stratagem._saved_models import load as load
from stratagem._saved_models import save as save

ASSETS_DIRECTORY: str
CLASSIFY_INPUTS: str
CLASSIFY_OUTPUT_CLASSES: str
CLASSIFY_OUTPUT_SCORES: str
DEFAULT_SERVING_SIGNATURE_DEF_KEY: str
GPU: str
PREDICT_INPUTS: str
PREDICT_OUTPUTS: str
REGRESS_INPUTS: str
REGRESS_OUTPUTS: str
SERVING: str
TPU: str
TRAINING: str

__all__ = [
    "ASSETS_DIRECTORY", "Asset", "CLASSIFY_INPUTS", "CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "GPU", "LoadOptions", "PREDICT_INPUTS", "PREDICT_OUTPUTS", "REGRESS_INPUTS",
    "REGRESS_OUTPUTS", "SERVING", "SaveOptions", "TPU", "TRAINING", "contains_saved_model", "load", "save"
]  # fmt: skip
