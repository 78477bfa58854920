"""tf.compat.v1.math: that of tf.math, some with other arguments."""

from typing import Any

from stratagem.compat.v1._names import same
from stratagem.graph.functions import argmax as argmax
from stratagem.graph.functions import argmin as argmin
from stratagem.graph.functions import confusion_matrix as confusion_matrix
from stratagem.graph.functions import count_nonzero as count_nonzero
from stratagem.graph.functions import reduce_all as reduce_all
from stratagem.graph.functions import reduce_any as reduce_any
from stratagem.graph.functions import reduce_logsumexp as reduce_logsumexp
from stratagem.graph.functions import reduce_max as reduce_max
from stratagem.graph.functions import reduce_mean as reduce_mean
from stratagem.graph.functions import reduce_min as reduce_min
from stratagem.graph.functions import reduce_prod as reduce_prod
from stratagem.graph.functions import reduce_sum as reduce_sum
from stratagem.graph.nn import in_top_k as in_top_k
from stratagem.graph.nn import l2_normalize as l2_normalize
from stratagem.graph.nn import log_softmax as log_softmax
from stratagem.graph.nn import softmax as softmax


def __getattr__(name: str) -> Any:
    return same("math", name)
