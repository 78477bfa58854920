"""`tf.sparse`: what parsing gives for features of any length."""

from stratagem._ops import not_provided as _not_provided
from stratagem.pipeline.files import SparseTensor as SparseTensor
from stratagem.pipeline.files import to_dense as to_dense


def __getattr__(name: str) -> object:
    raise _not_provided("sparse", name)
