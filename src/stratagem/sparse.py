"""`tf.sparse`: sparse tensors, some of whose entries are given with their indices."""

from stratagem import _hooks
from stratagem._ops import not_provided as _not_provided
from stratagem._ops.sparse import SparseTensor as SparseTensor
from stratagem._ops.sparse import from_dense as from_dense
from stratagem._ops.sparse import to_dense as to_dense

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("sparse", name)
