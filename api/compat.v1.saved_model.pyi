"""tf.compat.v1.saved_model: the names of tf.saved_model. TensorFlow 1's `load` takes a session, which there is none of."""

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
