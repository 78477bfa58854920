"""tf.compat.v1.saved_model.signature_constants."""

from stratagem.saved_model import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from stratagem.saved_model import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from stratagem.saved_model import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from stratagem.saved_model import DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY
from stratagem.saved_model import PREDICT_INPUTS as PREDICT_INPUTS
from stratagem.saved_model import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from stratagem.saved_model import REGRESS_INPUTS as REGRESS_INPUTS
from stratagem.saved_model import REGRESS_OUTPUTS as REGRESS_OUTPUTS

CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
