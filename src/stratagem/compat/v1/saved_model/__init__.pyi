# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.compat.v1.saved_model import signature_constants as signature_constants
from stratagem.compat.v1.saved_model import tag_constants as tag_constants
from stratagem.saved_model import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from stratagem.saved_model import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from stratagem.saved_model import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from stratagem.saved_model import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from stratagem.saved_model import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from stratagem.saved_model import GPU as GPU
from stratagem.saved_model import PREDICT_INPUTS as PREDICT_INPUTS
from stratagem.saved_model import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from stratagem.saved_model import REGRESS_INPUTS as REGRESS_INPUTS
from stratagem.saved_model import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from stratagem.saved_model import SERVING as SERVING
from stratagem.saved_model import TPU as TPU
from stratagem.saved_model import TRAINING as TRAINING
from stratagem.saved_model import Asset as Asset
from stratagem.saved_model import SaveOptions as SaveOptions
from stratagem.saved_model import contains_saved_model as contains_saved_model
from stratagem.saved_model import save as save

__all__ = [
    "ASSETS_DIRECTORY", "Asset", "CLASSIFY_INPUTS", "CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "GPU", "PREDICT_INPUTS", "PREDICT_OUTPUTS", "REGRESS_INPUTS",
    "REGRESS_OUTPUTS", "SERVING", "SaveOptions", "TPU", "TRAINING", "contains_saved_model", "save",
    "signature_constants", "tag_constants"
]  # fmt: skip
