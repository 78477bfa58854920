# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.saved_model import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from stratagem.saved_model import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from stratagem.saved_model import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from stratagem.saved_model import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from stratagem.saved_model import PREDICT_INPUTS as PREDICT_INPUTS
from stratagem.saved_model import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from stratagem.saved_model import REGRESS_INPUTS as REGRESS_INPUTS
from stratagem.saved_model import REGRESS_OUTPUTS as REGRESS_OUTPUTS

CLASSIFY_METHOD_NAME: str
PREDICT_METHOD_NAME: str
REGRESS_METHOD_NAME: str

__all__ = [
    "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "PREDICT_INPUTS", "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS",
    "REGRESS_METHOD_NAME", "REGRESS_OUTPUTS"
]  # fmt: skip
