"""tf.compat.v1.saved_model.tag_constants."""

from stratagem.saved_model import GPU as GPU
from stratagem.saved_model import SERVING as SERVING
from stratagem.saved_model import TPU as TPU
from stratagem.saved_model import TRAINING as TRAINING
